"""Formulas of propositional logic: reading, writing, truth tables.

A formula is a letter "p" to "t", the falsum "F", or a tuple ("~", a), ("&", a, b), ("|", a, b), ("->", a, b).
"""

import re

LETTERS = "pqrst"
MAX_DEPTH = 40  # nested brackets, negations and implications in one formula

Formula = str | tuple

_TOKEN = re.compile(r"->|[p-tF~&|()]")
_BINDS = {"->": 1, "|": 2, "&": 3, "~": 4}


class FormulaError(ValueError):
    """The text is no formula."""


def parse(text: str) -> Formula:
    """The formula that `text` spells; raises FormulaError. Spaces between tokens are free."""
    tokens = []
    at = 0
    while at < len(text):
        if text[at] == " ":
            at += 1
            continue
        token = _TOKEN.match(text, at)
        if token is None:
            raise FormulaError(f"unknown sign at {at}")
        tokens.append(token[0])
        at = token.end()
    formula, end = _implication(tokens, 0, 0)
    if end != len(tokens):
        raise FormulaError("something follows the formula")
    return formula


def _implication(tokens: list[str], at: int, depth: int) -> tuple[Formula, int]:
    """Reads from tokens[at]; gives the formula and where it ends. Implications lean to the right."""
    if depth > MAX_DEPTH:
        raise FormulaError("nested too deeply")
    left, at = _chain(tokens, at, depth, "|")
    if at < len(tokens) and tokens[at] == "->":
        right, at = _implication(tokens, at + 1, depth + 1)
        return ("->", left, right), at
    return left, at


def _chain(tokens: list[str], at: int, depth: int, sign: str) -> tuple[Formula, int]:
    """A chain of disjunctions or of conjunctions, leaning to the left."""

    def operand(at: int) -> tuple[Formula, int]:
        return _chain(tokens, at, depth, "&") if sign == "|" else _negation(tokens, at, depth)

    formula, at = operand(at)
    while at < len(tokens) and tokens[at] == sign:
        right, at = operand(at + 1)
        formula = (sign, formula, right)
    return formula, at


def _negation(tokens: list[str], at: int, depth: int) -> tuple[Formula, int]:
    if depth > MAX_DEPTH:
        raise FormulaError("nested too deeply")
    token = tokens[at] if at < len(tokens) else "the end"
    if token == "~":
        inner, at = _negation(tokens, at + 1, depth + 1)
        return ("~", inner), at
    if token == "(":
        inner, at = _implication(tokens, at + 1, depth + 1)
        if at == len(tokens) or tokens[at] != ")":
            raise FormulaError("a bracket is not closed")
        return inner, at + 1
    if token == "F" or token in LETTERS:
        return token, at + 1
    raise FormulaError(f"a formula cannot begin with {token}")


def show(formula: Formula) -> str:
    """The formula's text with no more brackets than needed."""
    return _show(formula, 0)


def _show(formula: Formula, least: int) -> str:
    if isinstance(formula, str):
        return formula
    sign = formula[0]
    binds = _BINDS[sign]
    if sign == "~":
        return "~" + _show(formula[1], binds)
    # An operand on the side to which the sign does not lean needs brackets if it has the same sign.
    leans_right = sign == "->"
    left = _show(formula[1], binds + leans_right)
    right = _show(formula[2], binds + (not leans_right))
    text = f"{left} {sign} {right}"
    return f"({text})" if binds < least else text


def truth_table(formula: Formula) -> int:
    """The formula's truth table over LETTERS as 32 bits: bit v is its value where letter k is bit k of v."""
    if isinstance(formula, str):
        return 0 if formula == "F" else _LETTER_TABLES[formula]
    first = truth_table(formula[1])
    if formula[0] == "~":
        return _ALL & ~first
    second = truth_table(formula[2])
    if formula[0] == "&":
        return first & second
    return first | second if formula[0] == "|" else (_ALL & ~first) | second


_ROWS = 2 ** len(LETTERS)
_ALL = 2**_ROWS - 1
_LETTER_TABLES = {
    letter: sum(1 << row for row in range(_ROWS) if row >> place & 1)  # rows in which the letter is true
    for place, letter in enumerate(LETTERS)
}
