"""The verifier of proofs: natural deduction in Lemmon's style (E. J. Lemmon, "Beginning Logic", 1965).

Each line stands under a set of open assumptions, kept as a bit mask over line numbers. `assume` opens one,
three rules close (discharge) some, and a proof is complete when its last line stands under none.
"""

import re
from typing import NamedTuple

from formulas import Formula, FormulaError, parse

MAX_CHARS = 200_000
MAX_LINE_CHARS = 500
MAX_LINES = 1000

_LINE = re.compile(r" *([1-9][0-9]{0,3}) *\.([^:]*):([^:]*)")
_REFERENCE = re.compile(r"[1-9][0-9]{0,3}")


class ProofError(ValueError):
    """The text is no proof."""


class Line(NamedTuple):
    formula: Formula
    rule: str
    open: int  # bit n: the assumption of line n is open


def read_proof(text: str, premises: list[Formula]) -> list[Line]:
    """All lines of a proof, each checked; raises ProofError at the first that does not follow."""
    if len(text) > MAX_CHARS:
        raise ProofError("too long")
    lines: list[Line] = []
    for row in text.split("\n"):
        if row.strip(" "):
            lines.append(_read_line(row, lines, premises))
    return lines


def _read_line(row: str, lines: list[Line], premises: list[Formula]) -> Line:
    if len(row) > MAX_LINE_CHARS or len(lines) == MAX_LINES:
        raise ProofError("too long")
    parts = _LINE.fullmatch(row)
    if parts is None or int(parts[1]) != len(lines) + 1:
        raise ProofError("expected: number. formula : rule references")
    try:
        formula = parse(parts[2])
    except FormulaError as error:
        raise ProofError(str(error)) from error
    rule, *references = [word for word in parts[3].split(" ") if word] or [""]
    if rule not in RULES:
        raise ProofError("unknown rule")
    count, follows = RULES[rule]
    if len(references) != count:
        raise ProofError("wrong number of references")
    cited = [_number(word, len(lines)) for word in references]
    if rule == "premise":
        if formula not in premises:
            raise ProofError("not a premise")
        return Line(formula, rule, 0)
    if rule == "assume":
        return Line(formula, rule, 1 << (len(lines) + 1))
    if not follows(formula, *(lines[n - 1].formula for n in cited)):
        raise ProofError("does not follow by this rule")
    return Line(formula, rule, _still_open(rule, cited, lines))


def _number(word: str, earlier: int) -> int:
    """The number of an earlier line."""
    if _REFERENCE.fullmatch(word) is None or int(word) > earlier:
        raise ProofError("a reference must be the number of an earlier line")
    return int(word)


def _still_open(rule: str, cited: list[int], lines: list[Line]) -> int:
    """Assumptions that the new line stands under: those of the lines cited, less those closed."""
    if rule in ("->I", "~I"):
        return _close(*cited, lines)
    if rule == "|E":
        either, first, from_first, second, from_second = cited
        return lines[either - 1].open | _close(first, from_first, lines) | _close(second, from_second, lines)
    under = 0
    for n in cited:
        under |= lines[n - 1].open
    return under


def _close(assumption: int, conclusion: int, lines: list[Line]) -> int:
    if lines[assumption - 1].rule != "assume":
        raise ProofError("only an assumption can be closed")
    return lines[conclusion - 1].open & ~(1 << assumption)


# Per rule the number of references, and whether formula f follows from the formulas cited, in their order.
RULES = {
    "premise": (0, None),
    "assume": (0, None),
    "&I": (2, lambda f, a, b: f == ("&", a, b)),
    "&E": (1, lambda f, both: both[0] == "&" and f in both[1:]),
    "|I": (1, lambda f, a: f[0] == "|" and a in f[1:]),
    "|E": (5, lambda f, either, a, c, b, d: either == ("|", a, b) and f == c == d),
    "->I": (2, lambda f, a, b: f == ("->", a, b)),
    "->E": (2, lambda f, implication, a: implication == ("->", a, f)),
    "~I": (2, lambda f, a, b: f == ("~", a) and b == "F"),
    "~E": (2, lambda f, negation, a: negation == ("~", a) and f == "F"),
    "FE": (1, lambda f, falsum: falsum == "F"),
    "DN": (1, lambda f, double: double == ("~", ("~", f))),
}


def proves(text: str, premises: list[Formula], goal: Formula) -> bool:
    """Whether `text` is a proof that ends with the goal, all assumptions closed."""
    try:
        lines = read_proof(text, premises)
    except ProofError:
        return False
    return bool(lines) and lines[-1].formula == goal and lines[-1].open == 0
