"""Instances that are in a class, made from a real one by a small change.

What is made is in the class for certain. Whether it is an input that the task allows is for others to say.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from envbounty.verify.partitions import predicates as p
from envbounty.verify.partitions.classes import Place, Test, holds, put_to, read

#: So many instances at most for one class, and places at which a change is tried.
MOST, SPOTS = 6, 3
#: A member is at most so long, whatever its class asks for.
LONGEST = 20_000

Make = Callable[[Any, Random], list[Any]]
Where = tuple[str | int, ...]


def members(name: str, example: Mapping[str, Any], rng: Random) -> list[dict[str, Any]]:
    """Up to `MOST` instances in the class `name`; none where none could be made. `example` itself when it is in it.

    Raises `ValueError` for a name of no class.
    """
    where, tests = read(name)
    if holds(name, example):
        return [copy.deepcopy(dict(example))]
    found: list[dict[str, Any]] = []
    for test in tests:
        changes = _at_place(where, test, example, rng) if isinstance(where, Place) else _in_pair(where, test, example)
        for change in changes:
            made = copy.deepcopy(dict(example))
            for spot, value in change.items():
                _put(made, spot, copy.deepcopy(value))
            if made not in found and holds(name, made):
                found.append(made)
            if len(found) >= MOST:
                return found
    return found


def _at_place(place: Place, test: Test, example: Mapping[str, Any], rng: Random) -> list[dict[Where, Any]]:
    spots = _spots(example, place)
    chosen = list(dict.fromkeys([*spots[:1], *spots[-1:], *([rng.choice(spots)] if spots else [])]))[:SPOTS]
    changes: list[dict[Where, Any]] = []
    for spot in chosen:
        value = _get(example, spot)
        changes += [{spot: made} for made in values_for(test, value, rng)]
    return changes


def values_for(test: Test, value: Any, rng: Random) -> list[Any]:
    """Values of `value`'s type that pass the test, the nearest first."""
    maker = _MAKERS.get(test.holds)
    if test.length is not None:
        made = _long(value, test.length, rng)
    elif maker is None or not _fits(test, value):
        made = []
    else:
        try:
            made = maker(value, rng)
        except (TypeError, ValueError, OverflowError, IndexError, ZeroDivisionError):
            made = []
    return [one for one in made if put_to(test, one)]


def _fits(test: Test, value: Any) -> bool:
    """Whether a test is one for this type (several types have a class called `empty`)."""
    for kind, makers in _BY_TYPE.items():
        if test.holds in makers:
            return kind(value)
    return False


# --- places ----------------------------------------------------------------------------------------------------------


def _spots(arguments: Mapping[str, Any], place: Place) -> list[Where]:
    """The key paths of all values that a place leads to, in order."""
    found: list[Where] = [(place.argument,)] if place.argument in arguments else []
    for step in place.steps:
        below: list[Where] = []
        for spot in found:
            value = _get(arguments, spot)
            if step == "[]" and isinstance(value, (list, tuple)):
                below += [(*spot, index) for index in range(len(value))]
            elif step == "{}" and isinstance(value, dict) and not p.is_record(value):
                below += [(*spot, key) for key in value]
            elif isinstance(value, dict) and p.is_record(value) and step in value:
                below.append((*spot, step))
        found = below
    return found


def _get(arguments: Any, spot: Where) -> Any:
    for key in spot:
        arguments = arguments[key]
    return arguments


def _put(arguments: Any, spot: Where, value: Any) -> None:
    for depth, key in enumerate(spot[:-1]):
        inner = arguments[key]
        if isinstance(inner, tuple):  # a call as it was made may hold tuples
            arguments[key] = inner = list(inner)
        arguments = inner
        assert depth < len(spot)
    arguments[spot[-1]] = value


# --- numbers ---------------------------------------------------------------------------------------------------------


def _as(value: Any, *made: Any) -> list[Any]:
    """Numbers of `value`'s own type."""
    return [float(one) for one in made] if isinstance(value, float) else list(made)


_NUMBERS: dict[Callable[..., bool], Make] = {
    p.zero: lambda v, r: _as(v, 0),
    p.one: lambda v, r: _as(v, 1),
    p.negative: lambda v, r: _as(v, -v or -1, -1),
    p.thousand: lambda v, r: _as(v, 1000, 1000 + r.randrange(1000)),
    p.million: lambda v, r: _as(v, 10**6, 10**6 + r.randrange(10**6)),
    p.beyond_int32: lambda v, r: _as(v, 2**31 + 1 + r.randrange(100), 2**33 + r.randrange(100)),
    p.beyond_double: lambda v, r: [2**53 + 1, 2**60 + r.randrange(100)],
    p.integral_float: lambda v, r: [float(round(v)), 2.0],
    p.fractional: lambda v, r: [v + 0.5, v + 0.1],
    p.tiny: lambda v, r: [1e-12, -1e-12],
    p.huge: lambda v, r: [1e120, 1e300],
    p.negative_zero: lambda v, r: [-0.0],
}

# --- text ------------------------------------------------------------------------------------------------------------


def _middle(text: str, put: str) -> str:
    half = (len(text) + 1) // 2
    return text[:half] + put + text[half:]


def _digits(text: str, rng: Random) -> str:
    return "".join(rng.choice("0123456789") for _ in range(max(1, min(len(text), 9))))


_TEXTS: dict[Callable[..., bool], Make] = {
    p.empty_text: lambda s, r: [""],
    p.one_character: lambda s, r: [s[:1] or "a"],
    p.blank: lambda s, r: [" ", "  \t"],
    p.inner_space: lambda s, r: [_middle(s, " "), _middle(s or "ab", " ")],
    p.edge_space: lambda s, r: [s + " ", " " + s],
    p.upper: lambda s, r: [s.upper(), "A", "AB"],
    p.lower: lambda s, r: [s.lower(), "a", "ab"],
    p.mixed_case: lambda s, r: [s.capitalize(), s[:1].lower() + s[1:].upper(), "aB"],
    p.digits: lambda s, r: [_digits(s, r), "0"],
    p.has_digit: lambda s, r: [_middle(s, "1"), (s or "a") + "7"],
    p.punctuation: lambda s, r: [_middle(s, "-"), s + "!", s + "."],
    p.non_ascii: lambda s, r: [s + "é", _middle(s, "ß"), "ж" + s[1:]],
    p.repeated_character: lambda s, r: [s + s[-1:], s[:1] + s, "aa"],
    p.one_letter_over: lambda s, r: [(s[:1] or "a") * max(2, len(s)), (s[:1] or "a") * 2],
    p.palindrome: lambda s, r: [s[: len(s) // 2] + s[: (len(s) + 1) // 2][::-1], s + s[::-1], "aba"],
}

# --- lists -----------------------------------------------------------------------------------------------------------


def _with_duplicate(x: Sequence[Any], rng: Random) -> list[Any]:
    at = rng.randrange(len(x)) if x else 0
    return [[*x[:-1], x[0]], [*x, x[-1]], [*x[:at], x[at], *x[at:]]] if x else []


def _tie(x: Sequence[Any], best: Any) -> list[Any]:
    """The best number in another place too: instead of a neighbour, or more."""
    at = list(x).index(best)
    other = at + 1 if at + 1 < len(x) else at - 1
    made = [[*x, best], [best, *x]]
    return [[best if i == other else v for i, v in enumerate(x)], *made] if len(x) > 1 else made


def _unsorted(x: Sequence[Any], rng: Random) -> list[Any]:
    if len(set(x)) < 2:
        return []
    low, *rest = sorted(set(x))
    return [[rest[0], low, *([rest[-1]] if len(rest) > 1 else [rest[0]])], [low, rest[0], low]]


def _one_negative(x: Sequence[Any]) -> list[Any]:
    size = [abs(v) or 1 for v in x]
    return [[-size[0], *size[1:]], [*size[:-1], -size[-1]], [size[0], -size[0]]]


def _long(value: Any, length: int, rng: Random) -> list[Any]:
    """The value repeated until it is long; for numbers also others of the same range."""
    if length > LONGEST or not isinstance(value, (str, list, tuple)):
        return []
    if isinstance(value, str):
        text = value or "ab"
        return [(text * (length // len(text) + 1))[:length]]
    if not value:
        return []
    made = [(list(value) * (length // len(value) + 1))[:length]]
    if all(isinstance(v, int) and not isinstance(v, bool) for v in value):
        low, high = min(value), max(value)
        made.insert(0, [rng.randint(low, high) for _ in range(length)])
    elif p.pairs(value) or all(p.numbers(row) for row in value):
        made.insert(0, [list(rng.choice(value)) for _ in range(length)])
    return made


def _line(x: Sequence[Any]) -> list[Any]:
    first = x[0][1]
    flat = [[a, first] for a, _ in x]
    return [flat, [[a, a] for a, _ in x], [*flat, *flat, *flat][: max(3, len(x))]]


def _rows(x: Sequence[Any], ragged: bool) -> list[Any]:
    width = len(x[0])
    even = [list(row[:width]) + [row[0]] * (width - len(row)) for row in x if row] or [[], []]
    even = even if len(even) > 1 else even * 2
    return [[*even[:-1], even[-1][:-1]], [*even[:-1], [*even[-1], *even[-1][-1:]]]] if ragged else [even]


def _nested(x: Sequence[Any]) -> list[Any]:
    (a, b), low, high = sorted(x[0]), min(map(min, x)), max(map(max, x))
    return [[*x, [a, a]], [[low, high], *x], [[low, high], [a, b]], [[low - 1, high + 1], [a, b]]]


_LISTS: dict[Callable[..., bool], Make] = {
    p.empty_list: lambda x, r: [[]],
    p.single: lambda x, r: [x[:1], x[-1:]],
    p.two: lambda x, r: [x[:2], [*x, *x]],
    p.duplicates: _with_duplicate,
    p.all_equal: lambda x, r: [[x[0]] * max(2, len(x)), [x[0]] * 2],
    p.ascending: lambda x, r: [sorted(x)],
    p.strictly_ascending: lambda x, r: [sorted(set(x)), sorted(set(x) | {max(x) + 1})],
    p.descending: lambda x, r: [sorted(x, reverse=True)],
    p.unsorted: _unsorted,
    p.all_negative: lambda x, r: [[-(abs(v) or 1) for v in x], [-1]],
    p.all_zero: lambda x, r: [[0 * v for v in x]],
    p.mixed_signs: lambda x, r: _one_negative(x),
    p.tie_for_max: lambda x, r: _tie(x, max(x)),
    p.tie_for_min: lambda x, r: _tie(x, min(x)),
    p.same_length_rows: lambda x, r: _rows(x, ragged=False),
    p.ragged_rows: lambda x, r: _rows(x, ragged=True),
    p.collinear: lambda x, r: _line(x),
    p.zero_length_pair: lambda x, r: [[[x[0][0], x[0][0]], *x[1:]], [*x, [x[-1][1], x[-1][1]]]],
    p.backward_pair: lambda x, r: [[[x[0][1], x[0][0]], *x[1:]], [*x, [x[0][0] + 1, x[0][0]]]],
    p.touching_pairs: lambda x, r: [[*x, [x[-1][1], max(x[-1][1], *map(max, x))]], [*x, x[0][::-1]]],
    p.nested_pairs: lambda x, r: _nested(x),
}


def _first_key(x: Mapping[str, Any], rng: Random) -> list[Any]:
    return [{key: x[key]} for key in list(x)[:2]]


_DICTS: dict[Callable[..., bool], Make] = {p.empty_dict: lambda x, r: [{}], p.single_key: _first_key}
_OTHERS: dict[Callable[..., bool], Make] = {
    p.true: lambda x, r: [True],
    p.false: lambda x, r: [False],
    p.null: lambda x, r: [None],
}
_MAKERS = {**_NUMBERS, **_TEXTS, **_LISTS, **_DICTS, **_OTHERS}
_BY_TYPE: dict[Callable[[Any], bool], dict[Callable[..., bool], Make]] = {
    p.is_number: _NUMBERS,
    p.is_text: _TEXTS,
    p.is_list: _LISTS,
    p.is_dict: _DICTS,
    lambda x: x is None or isinstance(x, bool): _OTHERS,
}

# --- two arguments ---------------------------------------------------------------------------------------------------


def _in_pair(names: tuple[str, str], test: Test, example: Mapping[str, Any]) -> list[dict[Where, Any]]:
    """Changes of one of two arguments that may make the relation true."""
    if names[0] not in example or names[1] not in example:
        return []
    (first, second), (a, b) = names, (example[names[0]], example[names[1]])
    try:
        for_a, for_b = _pairs(test.holds, a, b)
    except (TypeError, ValueError, OverflowError, IndexError, ZeroDivisionError):
        return []
    return [{(first,): one} for one in for_a] + [{(second,): one} for one in for_b]


def _resized(x: Any, length: int) -> list[Any]:
    """`x` at another length, if it has anything to repeat."""
    if length < 0 or length > LONGEST or (not x and length > 0):
        return []
    longer = x * (length // len(x) + 1) if x else x
    return [longer[:length]]


def _apart(x: Any, y: Any) -> list[Any]:
    """`x` changed so that it shares nothing with `y`."""
    if isinstance(x, str):
        free = [c for c in "abcdefghijklmnopqrstuvwxyz0123456789" if c not in y]
        return ["".join(free[0] if c in y else c for c in x) or free[0]] if free else []
    kept = [item for item in x if item not in y]
    if p.numbers(x) and p.numbers(y):
        return [kept, [item + max(y) - min(x) + 1 for item in x]]
    return [kept]


def _pairs(holds: Callable[..., bool], a: Any, b: Any) -> tuple[list[Any], list[Any]]:
    """New values for the first argument, and for the second."""
    if holds is p.equal:
        return [b], [a]
    if holds is p.greater:
        return [b + 1], [a - 1]
    if holds is p.less:
        return [b - 1], [a + 1]
    if holds is p.divides:
        return [1, b], [3 * a, a]
    if holds is p.same_length:
        return _resized(a, len(b)), _resized(b, len(a))
    if holds is p.longer:
        return _resized(a, len(b) + 1), _resized(b, len(a) - 1)
    if holds is p.shorter:
        return _resized(a, len(b) - 1), _resized(b, len(a) + 1)
    if holds is p.disjoint:
        return _apart(a, b), _apart(b, a)
    if holds is p.subset:
        return _resized(b, max(1, min(len(a), len(b)))), [b + a]
    if holds is p.over_length:
        return [len(b) + 1], _resized(b, a - 1)
    if holds is p.equals_length:
        return [len(b)], _resized(b, a)
    if holds is p.contained:
        return [b[0], b[-1]], [a if isinstance(b, str) else [a, *b[1:]]]
    if isinstance(a, str):
        return [a + "x"], [[item for item in b if item != a]]
    return [max(b) + 1, min(b) - 1], [[item for item in b if item != a]]
