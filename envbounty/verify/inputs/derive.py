"""New calls from old ones, by small changes that know the types and by putting arguments of two calls together."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from envbounty.verify.inputs.domain import Domain
from envbounty.verify.inputs.values import Call, kind, parts, rebuilt

#: So many tries for each call that is wanted; most are refused by the domain or seen before.
TRIES = 25
#: No call that is longer than this, as JSON, is derived or derived from. A stranger wrote what the calls come from, and
#: this runs outside the jail: all that is looked at is no more than `ALL_BYTES`.
MOST_BYTES, ALL_BYTES = 20_000, 8_000_000


def derive(
    calls: Sequence[Call], rng: Random, count: int, constants: Sequence[Any] = ()
) -> list[Call]:
    """Up to `count` calls like `calls`, none of which is among them, each inside the domain that they show.

    `constants` are values worth trying: those that the reference's own text names.
    """
    calls = [call for call in calls if len(_key(call)) <= MOST_BYTES]
    if not calls:
        return []
    domain = Domain(calls)
    pools = _pools(calls, constants)
    seen = {_key(call) for call in calls}
    found: list[Call] = []
    left = ALL_BYTES
    for _ in range(TRIES * count):
        if len(found) >= count or left < 0:
            break
        call = _one(calls, rng, pools)
        try:
            key = _key(call)
        except (TypeError, ValueError):
            continue
        left -= len(key)
        if key in seen or len(key) > MOST_BYTES:
            continue
        seen.add(key)
        if domain.admits(call):
            found.append(call)
    return found


def _key(call: Call) -> str:
    return json.dumps(call, sort_keys=True)


def _one(calls: Sequence[Call], rng: Random, pools: dict[str, list[Any]]) -> Call:
    positional, named = copy.deepcopy(rng.choice(calls))
    if len(positional) + len(named) > 1 and rng.random() < 0.35:
        other, other_named = copy.deepcopy(rng.choice(calls))
        for index in range(min(len(positional), len(other))):
            if rng.random() < 0.5:
                positional[index] = other[index]
        for key in named.keys() & other_named.keys():
            if rng.random() < 0.5:
                named[key] = other_named[key]
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        slots = len(positional) + len(named)
        if not slots:
            break
        slot = rng.randrange(slots)
        if slot < len(positional):
            others = [call[0][slot] for call in calls if slot < len(call[0])]
            positional[slot] = changed(positional[slot], rng, pools, others)
        else:
            key = sorted(named)[slot - len(positional)]
            named[key] = changed(named[key], rng, pools, [call[1][key] for call in calls if key in call[1]])
    return positional, named


def _pools(calls: Sequence[Call], constants: Sequence[Any]) -> dict[str, list[Any]]:
    """Every scalar seen anywhere, by kind."""
    pools: dict[str, list[Any]] = {}

    def visit(value: Any) -> None:
        what = kind(value)
        if what in ("list", "tuple", "set"):
            for item in parts(value):
                visit(item)
        elif what == "map":
            for pair in parts(value):
                for item in pair:
                    visit(item)
        elif what == "dict":
            for item in value.values():
                visit(item)
        else:
            pools.setdefault(what, []).append(value)

    for positional, named in calls:
        for value in [*positional, *named.values()]:
            visit(value)
    for value in constants:
        pools.setdefault(kind(value), []).extend([value] * 2)
    return pools


def changed(value: Any, rng: Random, pools: dict[str, list[Any]], others: Sequence[Any]) -> Any:
    """`value` with one small change of its kind; `others` are values seen at the same place."""
    if others and rng.random() < 0.1:
        return copy.deepcopy(rng.choice(others))
    what = kind(value)
    change = _CHANGES.get(what)
    try:
        return value if change is None else change(value, rng, pools, others)
    except OverflowError:  # an integer beyond any float among floats
        return value


def _none(value: Any, rng: Random, pools: dict[str, list[Any]], others: Sequence[Any]) -> Any:
    return copy.deepcopy(rng.choice(others)) if others else value


def _bool(value: Any, rng: Random, pools: dict[str, list[Any]], others: Sequence[Any]) -> Any:
    return not value


def _int(value: Any, rng: Random, pools: dict[str, list[Any]], others: Sequence[Any]) -> Any:
    seen = pools.get("int", [0])
    choice = rng.randrange(9)
    if choice == 0:
        return value + rng.choice((-1, 1))
    if choice == 1:
        return value + rng.choice((-3, -2, 2, 3))
    if choice == 2:
        return rng.choice((0, 1, 2, -1))
    if choice == 3:
        return value * 2 + rng.choice((-1, 0, 1))
    if choice == 4:
        return value // 2
    if choice == 5:
        return rng.choice(seen) + rng.choice((-1, 0, 0, 1))
    if choice == 6:
        return -value
    numbers = [one for one in others if isinstance(one, int) and not isinstance(one, bool)] or seen
    low, high = min(numbers), max(numbers)
    return rng.randint(low, high if choice == 7 else 2 * abs(high) + 10 + low)


def _float(value: Any, rng: Random, pools: dict[str, list[Any]], others: Sequence[Any]) -> Any:
    seen = [one for one in pools.get("float", []) if math.isfinite(one)] or [0.0]
    choice = rng.randrange(6) if math.isfinite(value) else 2
    if choice == 0:
        return round(value + rng.choice((-1, 1, 0.5, -0.5, 0.1, -0.1)), 6)
    if choice == 1:
        return float(round(value))
    if choice == 2:
        return rng.choice(seen)
    if choice == 3:
        return round(value * rng.choice((2, 0.5, -1, 1.1)), 6)
    numbers = [float(one) for one in others if kind(one) in ("int", "float") and abs(one) < 1e300] or seen
    return round(rng.uniform(min(numbers), max(numbers)), rng.choice((0, 1, 2)))


def _str(value: str, rng: Random, pools: dict[str, list[Any]], others: Sequence[Any]) -> str:
    texts = [one for one in others if isinstance(one, str)] or [value]
    letters = "".join(texts) or "ab"
    at = rng.randrange(len(value) + 1)
    choice = rng.randrange(12)
    if choice == 0:
        return value[:at] + value[at + 1 :]
    if choice == 1:
        return value[:at] + rng.choice(letters) + value[at:]
    if choice == 2:
        return value[:at] + rng.choice(letters) + value[at + 1 :]
    if choice == 3 and len(value) > 1:
        at = rng.randrange(len(value) - 1)
        return value[:at] + value[at + 1] + value[at] + value[at + 2 :]
    if choice == 4:
        return value[:at] + value[at : at + 1] * 2 + value[at + 1 :]
    if choice == 5:
        return value[::-1]
    if choice == 6:
        return value + rng.choice(("", " ")) + rng.choice(texts)
    if choice == 7:
        return value[:at] if rng.random() < 0.5 else value[at:]
    if choice == 8:
        words = value.split(" ")
        rng.shuffle(words)
        return " ".join(words)
    if choice == 9:
        longest = rng.choice((len(value) + 2, max([1, *map(len, texts)])))
        return "".join(rng.choice(letters) for _ in range(rng.randint(1, longest)))
    if choice == 10:
        near = value[at : at + 1]
        turned = chr(ord(near) + rng.choice((-1, 1))) if near.isascii() and near.isalnum() else near.swapcase()
        return value[:at] + turned + value[at + 1 :]
    return value[:at] + value[at : at + 1].swapcase() + value[at + 1 :]


def _row(value: Any, rng: Random, pools: dict[str, list[Any]], others: Sequence[Any]) -> Any:
    items = list(parts(value))
    rows = [parts(one) for one in others if kind(one) == kind(value)]
    seen = [item for row in rows for item in row] or items
    at = rng.randrange(len(items) + 1)
    choice = rng.choice((*range(14), 8))
    if choice == 0 and items:
        del items[at - 1]
    elif choice == 1 and seen:
        items.insert(at, copy.deepcopy(rng.choice(seen)))
    elif choice == 2 and items:
        items.insert(at, copy.deepcopy(rng.choice(items)))
    elif choice == 3:
        rng.shuffle(items)
    elif choice == 4:
        items.reverse()
    elif choice == 5 and rows:
        items += copy.deepcopy(rng.choice(rows))
    elif choice == 6:
        items = items[:at] if rng.random() < 0.5 else items[at:]
    elif choice == 7 and len({kind(item) for item in items}) == 1 and kind(items[0]) in ("int", "float", "str"):
        items.sort(reverse=rng.random() < 0.3)
    elif choice == 8 and seen:
        longest = rng.choice((len(items) + 3, max([1, *map(len, rows)])))
        items = [copy.deepcopy(rng.choice(seen)) for _ in range(rng.randint(1, longest))]
    elif choice == 9 and len(items) > 1:
        i, j = rng.sample(range(len(items)), 2)
        items[i] = copy.deepcopy(items[j])
    elif items:
        for _ in range(rng.choice((1, 1, 2, len(items)))):
            index = rng.randrange(len(items))
            column = [row[index] for row in rows if index < len(row)] if rng.random() < 0.5 else seen
            items[index] = changed(items[index], rng, pools, column)
    return rebuilt(value, items)


def _set(value: Any, rng: Random, pools: dict[str, list[Any]], others: Sequence[Any]) -> Any:
    row = _row(value, rng, pools, others)
    unique = {json.dumps(item, sort_keys=True): item for item in parts(row)}
    return rebuilt(value, unique.values())


def _dict(value: dict[str, Any], rng: Random, pools: dict[str, list[Any]], others: Sequence[Any]) -> dict[str, Any]:
    found = dict(value)
    rows = [one for one in others if kind(one) == "dict"]
    choice = rng.randrange(4)
    if choice == 0 and found:
        del found[rng.choice(sorted(found))]
    elif choice == 1 and rows:
        found.update(copy.deepcopy(rng.choice(rows)))
    elif found:
        key = rng.choice(sorted(found))
        found[key] = changed(found[key], rng, pools, [item for row in rows for item in row.values()])
    return found


def _map(value: Any, rng: Random, pools: dict[str, list[Any]], others: Sequence[Any]) -> Any:
    row = _row(value, rng, pools, others)
    pairs = [pair for pair in parts(row) if isinstance(pair, list) and len(pair) == 2]
    unique = {json.dumps(pair[0], sort_keys=True): pair for pair in pairs}
    return rebuilt(value, unique.values())


_CHANGES: dict[str, Callable[[Any, Random, dict[str, list[Any]], Sequence[Any]], Any]] = {
    "none": _none,
    "bool": _bool,
    "int": _int,
    "float": _float,
    "str": _str,
    "list": _row,
    "tuple": _row,
    "set": _set,
    "dict": _dict,
    "map": _map,
}
