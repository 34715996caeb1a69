"""The mutants of a C or C++ source, token by token. Comments, texts and preprocessor lines are left alone.

Without a parser some edits make no program; the compiler in the jail says so, and such a mutant is simply not tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from envbounty.verify.mutants.model import Draft, Edit, Mutant, build
from envbounty.verify.mutants.rank import ordered

MAX_SOURCE = 64 << 10
MAX_MUTANTS = 2000

_TOKEN = re.compile(
    rb"""
      (?P<skip> \s+ | //(?:\\\r?\n|[^\n])* | /\*.*?\*/ | ^[ \t]*\#(?:\\\r?\n|[^\n])* )
    | (?P<text> (?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)" | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*"
              | (?:u8|[uUL])?'(?:\\.|[^'\\\n])*' )
    | (?P<number> \.?[0-9](?:[eEpP][+-]|'(?=\w)|[\w.])* )
    | (?P<name> [A-Za-z_]\w* )
    | (?P<mark2> <<= | >>= | <=> | -> | \+\+ | -- | << | >> | [-+*/%&|^<>=!]= | && | \|\| | :: | . )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_COMPARISONS = {"<": ("<=", "!="), "<=": ("<",), ">": (">=", "!="), ">=": (">",), "==": ("!=", "<="), "!=": ("==", "<")}
_ARITHMETIC = {"+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "+=": "-=", "-=": "+=", "*=": "+=", "/=": "*=",
               "|=": "&=", "&=": "|=", "^=": "|="}  # fmt: skip
_TYPES = frozenset(
    re.findall(
        r"\w+",
        "void bool char short int long float double signed unsigned size_t ssize_t auto const static register volatile "
        "struct union enum class typename template using typedef inline constexpr int8_t int16_t int32_t int64_t "
        "uint8_t uint16_t uint32_t uint64_t string vector pair map set queue",
    )
)
_WORDS = frozenset(
    re.findall(
        r"\w+",
        "if for while switch return sizeof do else case default break continue goto new delete throw catch try",
    )
)
_JUMPS = {"break": "continue", "continue": "break"}


@dataclass(frozen=True)
class Token:
    sort: str  # text, number, name, mark
    text: str
    start: int
    end: int


def mutants(source: str, *, cpp: bool) -> list[Mutant]:
    """See `envbounty.verify.mutants.mutants`."""
    try:
        data = source.encode()
    except UnicodeEncodeError:
        return []
    if len(data) > MAX_SOURCE:
        return []
    found: dict[str, Mutant] = {}
    for draft in ordered(_drafts(tokens(data), cpp)):
        if len(found) >= MAX_MUTANTS:
            break
        mutant = build(data, draft.operator, (draft.edit,))
        if mutant.text != source:
            found.setdefault(mutant.text, mutant)
    return list(found.values())


def tokens(data: bytes) -> list[Token]:
    """The tokens of a source. Bytes that begin nothing known are tokens of one byte."""
    out = []
    for match in _TOKEN.finditer(data):
        sort = match.lastgroup if match.lastgroup != "mark" else "text"
        if sort != "skip":
            name = "mark" if sort == "mark2" else sort or "mark"
            out.append(Token(name, match[0].decode(errors="replace"), match.start(), match.end()))
    return out


def _drafts(found: list[Token], cpp: bool) -> Iterator[Draft]:
    types = _type_arguments(found) if cpp else frozenset()
    for at, token in enumerate(found):
        if at in types:
            continue
        before = found[at - 1] if at else None
        after = found[at + 1] if at + 1 < len(found) else None
        if token.sort == "mark" and before is not None and after is not None:
            yield from _marks(found, at, before, after)
        elif token.sort == "number":
            yield from _number(found, at)
        elif token.sort == "name":
            yield from _name(found, at)
        if token.sort == "mark" and token.text in ";{}":
            yield from _assignment(found, at + 1)


def _operand_ends(token: Token) -> bool:
    if token.sort == "name":
        return token.text not in _WORDS and token.text not in _TYPES
    return token.sort in ("number", "text") or token.text in (")", "]")


def _operand_begins(token: Token) -> bool:
    return token.sort in ("name", "number", "text") or token.text in ("(", "-", "!", "*", "&", "~")


def _marks(found: list[Token], at: int, before: Token, after: Token) -> Iterator[Draft]:
    token = found[at]
    place = (token.start, token.end)
    if token.text == "!" and _operand_begins(after):
        yield Draft("boolean", Edit(*place, ""))
    if not (_operand_ends(before) and _operand_begins(after)):
        return
    if token.text in _COMPARISONS:
        first, *more = _COMPARISONS[token.text]
        yield Draft("off-by-one" if token.text[0] in "<>" else "comparison", Edit(*place, first))
        for other in more:
            yield Draft("comparison", Edit(*place, other))
    elif token.text in ("&&", "||"):
        yield Draft("boolean", Edit(*place, "||" if token.text == "&&" else "&&"))
    elif token.text in _ARITHMETIC and not (token.text == "*" and _declares(found, at)):
        yield Draft("arithmetic", Edit(*place, _ARITHMETIC[token.text]))


def _declares(found: list[Token], at: int) -> bool:
    """Whether the star at `at` makes a pointer: `Node *p`, `(char *)p`."""
    begins = at < 2 or found[at - 2].text in (";", "{", "}", "(", ",", "const", "struct")
    return found[at - 1].sort == "name" and begins


def _number(found: list[Token], at: int) -> Iterator[Draft]:
    token = found[at]
    match = re.fullmatch(r"(\d+)((?:[uU]?[lL]{0,2})|[lL]{1,2}[uU])", token.text)
    if match is None or len(match[1]) > 18 or (match[1].startswith("0") and len(match[1]) > 1) or _size(found, at):
        return
    value, suffix = int(match[1]), match[2]
    starts = at > 1 and found[at - 1].text == "=" and found[at - 2].sort == "name" and value in (0, 1)
    operator = "initial-value" if starts else "constant"
    tier = 0 if _bound(found, at) else None
    for new in dict.fromkeys((value + 1, value - 1, 0)):
        if new >= 0 and new != value:
            yield Draft(operator, Edit(token.start, token.end, f"{new}{suffix}"), tier)
    if value == 0 and starts:
        yield Draft(operator, Edit(token.start, token.end, "-1"))


def _bound(found: list[Token], at: int) -> bool:
    """Whether a number stands in a comparison or an index."""
    around = {found[near].text for near in (at - 1, at + 1) if 0 <= near < len(found)}
    return bool(around & {"<", "<=", ">", ">=", "[", "]"})


def _size(found: list[Token], at: int) -> bool:
    """Whether a number is the size in a declaration: `int a[100]`."""
    return (
        at > 2
        and found[at - 1].text == "["
        and found[at - 2].sort == "name"
        and (found[at - 3].sort == "name" or found[at - 3].text in (",", "*", ">"))
        and found[at - 3].text not in _WORDS
    )


def _name(found: list[Token], at: int) -> Iterator[Draft]:
    token = found[at]
    text = [item.text for item in found[at : at + 2]]
    if text == ["long", "long"]:
        yield Draft("narrower", Edit(token.start, found[at + 1].end, "int"))
    elif token.text == "double" and (at == 0 or found[at - 1].text != "long"):
        yield Draft("narrower", Edit(token.start, token.end, "float"))
    elif token.text in ("int64_t", "uint64_t"):
        yield Draft("narrower", Edit(token.start, token.end, token.text.replace("64", "32")))
    elif token.text in _JUMPS and text[1:] == [";"]:
        yield Draft("early-return", Edit(token.start, token.end, _JUMPS[token.text]))
        yield Draft("delete-statement", Edit(token.start, token.end, ""))
    elif token.text in ("min", "max") and text[1:] == ["("]:
        yield Draft("tie-break", Edit(token.start, token.end, "max" if token.text == "min" else "min"), 2)
    if text[1:] == ["("] and token.text not in _WORDS and token.text not in _TYPES:
        before = found[at - 1] if at else None
        if (
            before is not None
            and (before.sort != "name" or before.text in _WORDS)
            and before.text not in ("*", ">", "&")
        ):
            yield from _arguments(found, at)


def _arguments(found: list[Token], at: int) -> Iterator[Draft]:
    """Neighbours exchanged among the arguments of the call at `at`; formats of printf and scanf keep their place."""
    depth, parts, begin = 0, [], at + 2
    for here in range(at + 1, min(len(found), at + 200)):
        text = found[here].text
        depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
        if depth == 0 or (depth == 1 and text == ","):
            if here == begin:
                return
            parts.append((found[begin].start, found[here - 1].end))
            begin = here + 1
        if depth == 0:
            break
    else:
        return
    first = 1 if found[at].text.endswith(("printf", "scanf")) else 0
    for (a, b), (c, d) in zip(parts[first:], parts[first + 1 :], strict=False):
        spread = [token for token in found[at:] if a <= token.start and token.end <= d]
        left = [token.text for token in spread if token.end <= b]
        right = [token.text for token in spread if token.start >= c]
        if left != right:
            text = f"{_spelt(found, c, d)}, {_spelt(found, a, b)}"
            yield Draft("swap-arguments", Edit(a, d, text))


def _spelt(found: list[Token], start: int, end: int) -> str:
    """The tokens from `start` to `end` with single spaces where the source has any."""
    parts, last = [], start
    for token in found:
        if start <= token.start and token.end <= end:
            parts.append((" " if token.start > last else "") + token.text)
            last = token.end
    return "".join(parts)


def _assignment(found: list[Token], at: int) -> Iterator[Draft]:
    """The statement that begins at `at`, gone, when it does nothing but give something a value."""
    if at >= len(found) or found[at].sort != "name" or found[at].text in _WORDS | _TYPES:
        return
    depth, assigned = 0, False
    for here in range(at, min(len(found), at + 100)):
        text = found[here].text
        depth += (text in ("(", "[")) - (text in (")", "]"))
        if depth < 0 or text in ("{", "}"):
            return
        if depth == 0 and not assigned:
            if text.endswith("=") and text not in ("==", "<=", ">=", "!="):
                assigned = True
            elif here > at and found[here].sort == "name" and found[here - 1].sort == "name":
                return  # a declaration
            elif text in (";", ",", "(", "<", ">", "*", "&"):
                return
        if depth == 0 and text == ";":
            yield Draft("delete-statement", Edit(found[at].start, found[here].start, ""))
            return


def _type_arguments(found: list[Token]) -> frozenset[int]:
    """The places of tokens that make template arguments, as far as their looks tell: `vector<pair<int, int>>`."""
    out: set[int] = set()
    for at, token in enumerate(found):
        if token.text == "<" and at and found[at - 1].sort == "name" and at not in out:
            out |= set(_template(found, at))
    return frozenset(out)


def _template(found: list[Token], at: int) -> range:
    depth = 0
    for here in range(at, min(len(found), at + 60)):
        token = found[here]
        if token.text == "<":
            depth += 1
        elif token.text in (">", ">>"):
            depth -= len(token.text)
            if depth <= 0:
                after = found[here + 1].text if here + 1 < len(found) else ""
                known = {one.text for one in found[at:here]} & _TYPES or found[at - 1].text in _TYPES
                names = bool(re.match(r"[A-Za-z_(){;,:&*>]", after))
                return range(at, here + 1) if names and known else range(0)
        elif token.sort not in ("name", "number") and token.text not in (",", "::", "*", "&", "(", ")"):
            break
    return range(0)
