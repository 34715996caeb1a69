"""JSON values as they cross from a jail: reading them within bounds, and holding two answers against each other."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

from envbounty.environment import Compare
from envbounty.environment.spec import Answers

#: Deeper than any honest answer, and shallow enough for every recursion of ours and of a verifier's.
MAX_DEPTH = 200


class Unreadable(ValueError):
    """Bytes from a jail that are no JSON value within the bounds."""


def read_json(data: bytes | str) -> Any:
    """One JSON value (NaN and infinities allowed, as Python writes them). Raises `Unreadable` for anything else."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError, UnicodeDecodeError) as error:
        raise Unreadable(str(error)) from None
    if depth(value) > MAX_DEPTH:
        raise Unreadable(f"nested more than {MAX_DEPTH} deep")
    return value


def depth(value: Any) -> int:
    """How deep a value is nested: 0 for a scalar. Iterative, so that no depth can end the process."""
    deepest, level = 0, [value]
    while level:
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        if not any(isinstance(item, (dict, list)) for item in level):
            break
        deepest += 1
        level = below
    return deepest


def canonical(value: Any) -> str:
    """One text for equal values, to count and to look up by."""
    return json.dumps(value, sort_keys=True)


def same(a: Any, b: Any, answers: Answers) -> bool | None:
    """Whether two outputs are the same answer by the declared rule; None when that cannot be said.

    `custom` and `many` cannot be decided here. Two spellings of one answer (`true` and `1`, `5` and `"5"`, `YES` and
    `yes `) are left open too: a verifier may be strict or lenient there, and neither would make it wrong.
    """
    rule = answers.compare
    if rule in (Compare.CUSTOM, Compare.MANY):
        return None
    if rule is Compare.TOLERANCE:
        return _walk(a, b, lambda x, y: math.isclose(x, y, rel_tol=answers.rel_tol, abs_tol=answers.abs_tol))
    if rule is Compare.UNORDERED and isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return False
        if sorted(map(canonical, _whole(a))) == sorted(map(canonical, _whole(b))):
            return True
        return None if sorted(map(canonical, _spelled(a))) == sorted(map(canonical, _spelled(b))) else False
    if rule is Compare.TOKENS and isinstance(a, str) and isinstance(b, str) and a.split() == b.split():
        return True
    return _walk(a, b, lambda x, y: x == y)


def _whole(value: Any) -> Any:
    """Numbers in one spelling: 1.0 as 1, at any depth."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    return value


def _walk(a: Any, b: Any, numbers: Callable[[float, float], bool]) -> bool | None:
    open_question = False
    for x, y in _leaves(a, b):
        verdict = _leaf(x, y, numbers)
        if verdict is False:
            return False
        open_question = open_question or verdict is None
    return None if open_question else True


_DIFFERENT = object()


def _leaves(a: Any, b: Any) -> Iterator[tuple[Any, Any]]:
    """Pairs of scalars that stand at the same place; a pair with `_DIFFERENT` where the shapes part."""
    stack = [(a, b)]
    while stack:
        x, y = stack.pop()
        if isinstance(x, list) and isinstance(y, list) and len(x) == len(y):
            stack.extend(zip(x, y, strict=True))
        elif isinstance(x, dict) and isinstance(y, dict) and x.keys() == y.keys():
            stack.extend((x[key], y[key]) for key in x)
        elif isinstance(x, (list, dict)) or isinstance(y, (list, dict)):
            yield _DIFFERENT, None
        else:
            yield x, y


def _leaf(x: Any, y: Any, numbers: Callable[[float, float], bool]) -> bool | None:
    if x is _DIFFERENT:
        return False
    if is_number(x) and is_number(y):
        return _close(x, y, numbers)
    if type(x) is type(y) and x == y:
        return True
    xs, ys = (one.split() if isinstance(one, str) else [one] for one in (x, y))
    if len(xs) != len(ys):
        return False
    for one, other in zip(map(_spelling, xs), map(_spelling, ys), strict=True):
        if one != other and not (is_number(one) and is_number(other) and _close(one, other, numbers)):
            return False
    return None


def is_number(value: Any) -> bool:
    """Whether a value is a number, NaN and infinities included, and no boolean."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _close(x: Any, y: Any, numbers: Callable[[float, float], bool]) -> bool:
    if x != x or y != y:
        return bool(x != x and y != y)
    try:
        return numbers(x, y)
    except OverflowError:  # an integer beyond any float
        return bool(x == y)


#: How verifiers and people write yes and no.
_WORDS: dict[str, Any] = {"yes": 1, "y": 1, "true": 1, "t": 1, "no": 0, "n": 0, "false": 0, "f": 0, "null": "none"}


def _spelling(value: Any) -> Any:
    """What a scalar says, however it is written."""
    if isinstance(value, str):
        text = value.strip().casefold()
        if text in _WORDS:
            return _WORDS[text]
        number = number_in(text)
        return text if number is None else number
    if value is None:
        return "none"
    return int(value) if isinstance(value, bool) else _whole(value)


def _spelled(value: Any) -> Any:
    """`_spelling` of every scalar, at any depth."""
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    if isinstance(value, dict):
        return {key: _spelled(item) for key, item in value.items()}
    return _spelling(value)


def number_in(text: str) -> int | float | None:
    """The finite number that a short text spells, if it spells one."""
    if len(text) > 40:
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return None
    return _whole(value) if math.isfinite(value) else None
