"""A right output in other forms. Whether a form is the same answer is not said here: the declared rule decides that."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

#: Integers up to here are floats too, without loss.
EXACT = 2**53


@dataclass(frozen=True)
class Form:
    """One output. `about`: what changed (`space`, `number`, `order`, `keys`, `bits`), which a task may speak of."""

    what: str
    output: Any
    about: str


def forms(right: Any) -> list[Form]:
    """Every form of a right output that differs from it, at least in its JSON."""
    if isinstance(right, str):
        return [form for form in _spaced(right) if form.output != right]
    found = [
        Form("whole numbers written as floats", _mapped(right, _as_float), "number"),
        Form("floats that are whole written as integers", _mapped(right, _as_int), "number"),
        Form("the last bit of its floats changed", _mapped(right, _next), "bits"),
        Form("the keys of its objects in another order", _turned(right), "keys"),
    ]
    if isinstance(right, list):
        found.append(Form("its items in the opposite order", right[::-1], "order"))
        found.append(Form("its first item at the end", right[1:] + right[:1], "order"))
    return [form for form in found if _differs(form.output, right)]


def _spaced(text: str) -> list[Form]:
    lines = text.split("\n")
    return [
        Form("a line end at the end", text + "\n", "space"),
        Form("no line end at the end", text.rstrip("\n"), "space"),
        Form("a space at the end of every line", "\n".join(f"{line} " if line else line for line in lines), "space"),
        Form("a space in front", " " + text, "space"),
        Form("an empty line in front", "\n" + text, "space"),
        Form("line ends as on Windows", text.replace("\r\n", "\n").replace("\n", "\r\n"), "space"),
        Form("two spaces for one", re.sub(r"(?<=\S) (?=\S)", "  ", text), "space"),
        Form("tabs for spaces", re.sub(r"(?<=\S) (?=\S)", "\t", text), "space"),
    ]


def _differs(a: Any, b: Any) -> bool:
    """Whether two values are other JSON texts: 1 and 1.0 are, and so are two orders of keys."""
    return repr(a) != repr(b)


def _as_float(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < EXACT else value


def _as_int(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < EXACT else value


def _next(value: Any) -> Any:
    if isinstance(value, float) and math.isfinite(value) and value != 0:
        return math.nextafter(value, math.inf)
    return value


def _mapped(value: Any, change: Any) -> Any:
    """`change` at every scalar. Answers are no deeper than `values.MAX_DEPTH`."""
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    if isinstance(value, dict):
        return {key: _mapped(item, change) for key, item in value.items()}
    return change(value)


def _turned(value: Any) -> Any:
    """Every object's keys from last to first."""
    if isinstance(value, list):
        return [_turned(item) for item in value]
    if isinstance(value, dict):
        return {key: _turned(item) for key, item in reversed(value.items())}
    return value


# --- what a task's text says of forms ------------------------------------------------------------------------------

_SPACE = r"(?:spaces?|white\s?space|blanks?|line (?:end|break|feed)s?|newlines?|tabs?)"
_ANY_SPACE = re.compile(
    rf"\bany {_SPACE}|\b{_SPACE}\b[^.\n]{{0,60}}\b(?:ignored|free|allowed|not matter)\b", re.IGNORECASE
)
_NO_SPACE = re.compile(
    rf"\b(?:no|without|not|neither|never)\b[^.\n]{{0,60}}\b{_SPACE}\b|\b(?:single|one) {_SPACE}\b|"
    r"\bnothing (?:before|after|else)\b|\bbyte for byte\b|\bverbatim\b|\bcharacter by character\b|"
    r"\bexact(?:ly)? (?:this |the |that )?(?:text|string|output|characters)\b",
    re.IGNORECASE,
)
_FLOAT_COUNTS = re.compile(
    r"\bfloats?\b(?:(?!\bnot\b|n't\b|\bno\b|\bnever\b|\.\s)[^\n]|\n(?!\n)){0,80}\b(?:counts?|accepted|allowed|fine|treated)\b|"
    r"\bint(?:eger)?s? or (?:an? )?floats?\b|\bfloats? or (?:an? )?int(?:eger)?s?\b",
    re.IGNORECASE,
)
_KEY_ORDER = re.compile(r"\b(?:order(?:ed)?|sorted|sort|first key)\b", re.IGNORECASE)


def forbidden(task: str, about: str) -> bool:
    """Whether a task's text may well forbid forms of this sort. Where it is silent on white space, keys and the order
    that a declared rule leaves free, it does not; a number of another type is only in order where the text says so."""
    if about == "space":
        return _NO_SPACE.search(task) is not None and _ANY_SPACE.search(task) is None
    if about == "number":
        return _FLOAT_COUNTS.search(task) is None
    return about == "keys" and _KEY_ORDER.search(task) is not None
