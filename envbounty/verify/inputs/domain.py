"""What the calls that a grader makes have in common: the domain that they show.

A task's text says what inputs may be, in words that no program reads safely. The calls that its grader makes are inputs
for certain; what holds in all of them (never empty, always sorted, the second below the first, one of three words) may
well be what the text demands. So an input counts as inside the domain only while it keeps all of that and is between
the smallest and the largest seen. This errs towards the narrow side, which costs recall and saves false accusations.
(The idea of likely invariants is M. D. Ernst's: "Dynamically discovering likely program invariants", IEEE TSE 27 (2001)
99-123.)
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from envbounty.verify.inputs.values import Call, kind, parts

#: A property that so few values have may be chance.
ENOUGH = 3
_WORDS = re.compile(r"\s+")
_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}
_CLASSES: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("lower", lambda c: c.isascii() and c.islower()),
    ("upper", lambda c: c.isascii() and c.isupper()),
    ("digit", lambda c: c.isascii() and c.isdigit()),
)


class Domain:
    """What all calls of a sample have in common, and whether another call has it too."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self._counts = {len(positional) for positional, _ in calls}
        self._names = [set(named) for _, named in calls]
        most = max(self._counts, default=0)
        self.places = [
            Place([positional[index] for positional, _ in calls if index < len(positional)])
            for index in range(most)
        ]
        keys = sorted(set().union(*self._names)) if calls else []
        self.named = {key: Place([named[key] for _, named in calls if key in named]) for key in keys}
        self._relations = _relations([positional for positional, _ in calls])

    def admits(self, call: Call) -> bool:
        positional, named = call
        if len(positional) not in self._counts or set(named) not in self._names:
            return False
        if not all(place.admits(value) for place, value in zip(self.places, positional, strict=False)):
            return False
        if not all(self.named[key].admits(value) for key, value in named.items()):
            return False
        return all(holds(positional) for holds in self._relations)


@dataclass
class Place:
    """What was seen at one place: an argument, or all elements of a list."""

    seen: list[Any]
    kinds: set[str] = field(init=False)
    items: Place | None = field(init=False, default=None)
    columns: list[Place] | None = field(init=False, default=None)
    fields: dict[str, Place] = field(init=False, default_factory=dict)
    _tests: list[Callable[[Any], bool]] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.kinds = {kind(value) for value in self.seen}
        numbers = [value for value in self.seen if kind(value) in ("int", "float")]
        texts = [value for value in self.seen if isinstance(value, str)]
        rows = [value for value in self.seen if kind(value) in ("list", "tuple", "set", "map")]
        records = [value for value in self.seen if kind(value) == "dict"]
        if numbers:
            self._tests.append(_numbers(numbers))
        if texts:
            self._tests.append(_texts(texts))
        if rows:
            self._rows(rows)
        if records:
            keys = [set(value) for value in records]
            free = len({frozenset(one) for one in keys}) > 1
            if free:
                self.items = Place([item for value in records for item in value.values()])
            else:
                self.fields = {key: Place([value[key] for value in records]) for key in sorted(keys[0])}
            self._tests.append(lambda value: kind(value) != "dict" or free or set(value) == keys[0])

    def _rows(self, rows: list[Any]) -> None:
        inside = [parts(value) for value in rows]
        lengths = {len(one) for one in inside}
        self._tests.append(_lengths(lengths, len(rows)))
        records = all(kind(value) == "tuple" for value in rows) and len(lengths) == 1
        if records or (len(lengths) == 1 and _mixed(inside)):
            self.columns = [Place([one[index] for one in inside]) for index in range(min(lengths))]
        else:
            self.items = Place([item for one in inside for item in one])
        for always in (_sorted, _reverse_sorted, _distinct, _rectangular):
            telling = [one for one in inside if len(one) > 2]
            if len(telling) >= ENOUGH and all(always(one) for one in inside):
                self._tests.append(_for_rows(always))

    def admits(self, value: Any) -> bool:
        what = kind(value)
        if what not in self.kinds or not all(test(value) for test in self._tests):
            return False
        if what == "dict":
            if self.fields:
                return all(place.admits(value[key]) for key, place in self.fields.items())
            return self.items is None or all(map(self.items.admits, value.values()))
        if what in ("list", "tuple", "set", "map"):
            inside = parts(value)
            if self.columns is not None:
                return len(inside) == len(self.columns) and all(
                    place.admits(item) for place, item in zip(self.columns, inside, strict=True)
                )
            return self.items is None or all(map(self.items.admits, inside))
        return True


def _lengths(seen: set[int], count: int) -> Callable[[Any], bool]:
    low, high = min(seen), max(seen)
    if low == high and count >= ENOUGH:
        return lambda value: not isinstance(value, (list, dict)) or kind(value) == "dict" or len(parts(value)) == low

    def fits(value: Any) -> bool:
        return kind(value) not in ("list", "tuple", "set", "map") or low <= len(parts(value)) <= high

    return fits


def _mixed(rows: list[list[Any]]) -> bool:
    """Whether rows are records: their columns differ in kind."""
    columns = list(zip(*rows, strict=True))
    return len({tuple(sorted({kind(item) for item in column})) for column in columns}) > 1


def _for_rows(test: Callable[[list[Any]], bool]) -> Callable[[Any], bool]:
    return lambda value: kind(value) not in ("list", "tuple", "set", "map") or test(parts(value))


def _sorted(row: list[Any]) -> bool:
    return _ordered(row, 1)


def _reverse_sorted(row: list[Any]) -> bool:
    return _ordered(row, -1)


def _ordered(row: list[Any], way: int) -> bool:
    if not all(isinstance(item, (int, float)) for item in row) and not all(isinstance(item, str) for item in row):
        return False
    pairs = list(pairwise(row))
    return all(a <= b for a, b in pairs) if way > 0 else all(a >= b for a, b in pairs)


def _distinct(row: list[Any]) -> bool:
    return len({repr(item) for item in row}) == len(row)


def _rectangular(row: list[Any]) -> bool:
    return bool(row) and all(isinstance(item, list) for item in row) and len({len(item) for item in row}) == 1


def _numbers(seen: list[Any]) -> Callable[[Any], bool]:
    odd = not all(map(math.isfinite, seen))
    seen = [value for value in seen if math.isfinite(value)]
    if not seen:
        return lambda value: True
    low, high = min(seen), max(seen)
    values = set(seen)
    few = (len(values) <= 4 and len(seen) >= 12) or (values <= {0, 1} and len(seen) >= ENOUGH)
    even = len(values) >= 5 and all(value % 2 == 0 for value in values)

    def fits(value: Any) -> bool:
        if kind(value) not in ("int", "float"):
            return True
        if not math.isfinite(value):
            return odd
        if few:
            return value in values
        if even and value % 2:
            return False
        return bool(low <= value <= high)

    return fits


def _texts(seen: list[str]) -> Callable[[Any], bool]:
    tests: list[Callable[[str], bool]] = [_alphabet(seen)]
    least, most = min(map(len, seen)), max(map(len, seen))
    tests.append(lambda text: least <= len(text) <= most)
    many = len(set(seen)) >= ENOUGH
    if len(seen) >= 12 and 3 * len(set(seen)) <= len(seen):
        tests.append(set(seen).__contains__)
    shapes = {_shape(text) for text in seen}
    if many and len(shapes) == 1 and least > 0:
        (shape,) = shapes
        if any(not char.isalpha() for char in shape) or least > 2:
            tests.append(lambda text: _shape(text) == shape)
    if many and all(_INTEGER.fullmatch(text) for text in seen):
        tests.append(lambda text: _INTEGER.fullmatch(text) is not None)
    words = Counter(word for text in seen for word in _WORDS.split(text) if word)
    if words.total() >= 8 and len(words) * 2 <= words.total() and all(_WORDS.search(text) for text in seen if text):
        tests.append(lambda text: all(word in words for word in _WORDS.split(text) if word))
    pieces = (  # properties that all texts seen have
        lambda text: text == text.strip(),
        lambda text: "  " not in text,
        _balanced,
        lambda text: text == text[:1].upper() + text[1:],
        lambda text: len(set(text)) == len(text),
        lambda text: text.count(".") <= 1,
        lambda text: text.count("@") == 1,
        lambda text: text == text[::-1],
        lambda text: text[-1:] in ".!?",
    )
    telling = sum(len(text) > 2 for text in seen)
    for piece in pieces:
        if all(piece(text) for text in seen) and (telling >= ENOUGH or piece in pieces[:3]):
            tests.append(piece)

    def fits(value: Any) -> bool:
        return not isinstance(value, str) or all(test(value) for test in tests)

    return fits


def _alphabet(seen: list[str]) -> Callable[[str], bool]:
    """Characters of the classes seen; of a class of which only a few were seen although often, these."""
    letters = Counter(char for text in seen for char in text)
    allowed = set(letters)
    classes = []
    for _, of_class in _CLASSES:
        mine = {char: count for char, count in letters.items() if of_class(char)}
        if mine and not (len(mine) <= 3 and sum(mine.values()) >= 4 * len(mine)):
            classes.append(of_class)
    return lambda text: all(char in allowed or any(one(char) for one in classes) for char in text)


def _shape(text: str) -> str:
    return "".join("a" if c.islower() else "A" if c.isupper() else "0" if c.isdigit() else c for c in text)


def _balanced(text: str) -> bool:
    open_ones: list[str] = []
    for char in text:
        if char in _BRACKETS.values():
            open_ones.append(char)
        elif char in _BRACKETS and (not open_ones or open_ones.pop() != _BRACKETS[char]):
            return False
    return not open_ones


# --- between arguments -----------------------------------------------------------------------------------------------


def _size(value: Any) -> int | None:
    if isinstance(value, str):
        return len(value)
    return len(parts(value)) if kind(value) in ("list", "tuple", "set", "map") else None


def _number(value: Any) -> bool:
    return kind(value) in ("int", "float")


def _pairs() -> list[Callable[[Any, Any], bool | None]]:
    """Relations of two arguments: True, False, or None where it makes no sense."""

    def numbers(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool | None]:
        return lambda a, b: test(a, b) if _number(a) and _number(b) else None

    def with_size(test: Callable[[int, int], bool]) -> Callable[[Any, Any], bool | None]:
        def holds(a: Any, b: Any) -> bool | None:
            size = _size(b)
            return test(a, size) if kind(a) == "int" and size is not None else None

        return holds

    def of_parts(test: Callable[[Any, list[Any]], bool]) -> Callable[[Any, Any], bool | None]:
        return lambda a, b: test(a, parts(b)) if kind(b) in ("list", "tuple", "set") else None

    def sizes(a: Any, b: Any) -> bool | None:
        x, y = _size(a), _size(b)
        return None if x is None or y is None else x == y

    def all_numbers(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool | None]:
        def holds(a: Any, b: Any) -> bool | None:
            if not _number(a) or kind(b) not in ("list", "tuple") or not all(map(_number, parts(b))):
                return None
            return all(test(item, a) for item in parts(b))

        return holds

    def inside(a: Any, b: Any) -> bool | None:
        return a in b if isinstance(a, str) and isinstance(b, str) else None

    def anagrams(a: Any, b: Any) -> bool | None:
        return sorted(a) == sorted(b) if isinstance(a, str) and isinstance(b, str) else None

    return [
        numbers(lambda a, b: a < b),
        numbers(lambda a, b: a <= b),
        numbers(lambda a, b: a != b),
        numbers(lambda a, b: b != 0 and a % b == 0),
        with_size(lambda a, n: a < n),
        with_size(lambda a, n: a <= n),
        with_size(lambda a, n: a == n),
        of_parts(lambda a, items: a in items),
        all_numbers(lambda item, a: item <= a),
        all_numbers(lambda item, a: item < a),
        all_numbers(lambda item, a: item >= a),
        sizes,
        inside,
        anagrams,
    ]


def _relations(calls: Sequence[list[Any]]) -> list[Callable[[list[Any]], bool]]:
    if len(calls) < 2:
        return []
    most = min(len(call) for call in calls)
    found: list[Callable[[list[Any]], bool]] = []
    for i in range(most):
        for j in range(most):
            if i == j:
                continue
            for relation in _pairs():
                values = [relation(call[i], call[j]) for call in calls]
                if all(values):
                    found.append(_between(relation, i, j))
    return found


def _between(relation: Callable[[Any, Any], bool | None], i: int, j: int) -> Callable[[list[Any]], bool]:
    return lambda call: relation(call[i], call[j]) is True
