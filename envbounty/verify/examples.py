"""The calls that a task's text shows as examples."""

from __future__ import annotations

import ast
import re
from itertools import islice
from typing import Any

from envbounty.verify.inputs.values import DICT, SET, TUPLE, Call

#: A call written out is no longer than this.
LONGEST = 2000
MOST = 200
#: So many closing brackets are tried as the end of one call.
BRACKETS = 40


def examples(text: str, function: str) -> list[Call]:
    """Every call of `function` with literal arguments that `text` shows."""
    found: list[Call] = []
    for match in re.finditer(rf"\b{re.escape(function)}\(", text):
        if len(found) >= MOST:
            break
        call = _call(text[match.start() : match.start() + LONGEST])
        if call is not None:
            found.append(call)
    return found


def _call(text: str) -> Call | None:
    """The call that `text` begins with."""
    for match in islice(re.finditer(r"\)", text), BRACKETS):
        try:
            node = ast.parse(text[: match.end()].replace("\n", " "), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if not isinstance(node, ast.Call):
            return None
        try:
            positional = [coded(ast.literal_eval(value)) for value in node.args]
            named = {word.arg: coded(ast.literal_eval(word.value)) for word in node.keywords if word.arg}
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            return None
        return positional, named
    return None


def coded(value: Any) -> Any:
    """A Python literal as `envbounty.verify.inputs.values` writes it. `TypeError` for what has no such form."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, list):
        return [coded(item) for item in value]
    if isinstance(value, tuple):
        return {TUPLE: [coded(item) for item in value]}
    if isinstance(value, (set, frozenset)):
        return {SET: sorted((coded(item) for item in value), key=repr)}
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {key: coded(item) for key, item in value.items()}
        return {DICT: [[coded(key), coded(item)] for key, item in value.items()]}
    raise TypeError(f"a {type(value).__name__}")
