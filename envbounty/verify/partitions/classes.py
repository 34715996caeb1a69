"""The natural classes of a JSON value and of two arguments, by name; and where in the arguments they are looked for.

A class is named `PATH: WHAT` or, for two arguments, `A & B: WHAT`. A path is an argument's name and steps into it:
`values`, `values[]` (its items), `point.x`, `graph{}` (its values). Where a path leads to several values, an instance
is in the class as soon as one of them is. Grown from what testers call equivalence partitions and boundary values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, permutations
from typing import Any

from envbounty.verify.partitions import predicates as p

#: Steps into an argument that are followed, and paths that are looked at in all.
MAX_STEPS, MAX_PLACES = 3, 200
#: So many arguments are paired; more have too many pairs to say anything of.
MAX_PAIRED = 6
#: So many instances are put to every test; later ones only to those that none has passed.
EVERYTHING = 20
#: Lengths that are classes, each "so long or longer".
LENGTHS = (16, 64, 256, 1024, 4096, 16384)
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAME = re.compile(rf"({IDENTIFIER.pattern})((?:\.{IDENTIFIER.pattern}|\[\]|\{{\}})*): (.+)", re.DOTALL)
_PAIR = re.compile(rf"({IDENTIFIER.pattern}) & ({IDENTIFIER.pattern}): (.+)")
_STEP = re.compile(rf"\.{IDENTIFIER.pattern}|\[\]|\{{\}}")


@dataclass(frozen=True)
class Test:
    """One class of values. `weight`: how likely a program is wrong there alone, 1 to 9.

    `boundary`: an end or a special point of a type, as against a shape that a random value never has.
    """

    what: str
    words: str
    holds: Callable[..., bool]
    weight: int
    boundary: bool = True
    needs: str = ""  # the shape (see `shapes`) of a value that the test is about
    length: int | None = None  # a second argument of `holds`


@dataclass(frozen=True)
class Class:
    """A class as it is shown to people: `values: empty`, "values is empty"."""

    name: str
    describe: str
    weight: int = 1
    boundary: bool = True


def _long(weight: int) -> tuple[Test, ...]:
    return tuple(Test(f"{n} or longer", f"has a length of {n} or more", p.at_least, weight, length=n) for n in LENGTHS)


NUMBER = (
    Test("zero", "is 0", p.zero, 9),
    Test("one", "is 1", p.one, 6),
    Test("negative", "is negative", p.negative, 8),
    Test("1000 or more", "is 1000 or more in size", p.thousand, 4),
    Test("a million or more", "is a million or more in size", p.million, 4),
    Test("beyond 2^31", "is beyond 2^31 in size", p.beyond_int32, 5),
    Test("beyond 2^53", "is an integer beyond 2^53 in size", p.beyond_double, 4),
)
FLOAT = (
    Test("integral float", "is a float without a fraction", p.integral_float, 4),
    Test("fractional", "has a fraction", p.fractional, 6),
    Test("tiny", "is within 1e-9 of 0 and not 0", p.tiny, 3, False),
    Test("huge", "is 1e100 or more in size", p.huge, 2, False),
    Test("negative zero", "is -0.0", p.negative_zero, 2, False),
)
TEXT = (
    Test("empty", "is empty", p.empty_text, 9),
    Test("one character", "is one character", p.one_character, 7),
    Test("blank", "is white space only", p.blank, 5),
    Test("inner space", "has white space in it", p.inner_space, 5),
    Test("edge space", "begins or ends with white space", p.edge_space, 4),
    Test("upper case", "is in upper case", p.upper, 5),
    Test("lower case", "is in lower case", p.lower, 5),
    Test("mixed case", "has letters of both cases", p.mixed_case, 6),
    Test("digits only", "is digits only", p.digits, 4),
    Test("has a digit", "has a digit among other characters", p.has_digit, 4),
    Test("punctuation", "has punctuation in it", p.punctuation, 5),
    Test("non-ASCII", "has a character beyond ASCII", p.non_ascii, 4),
    Test("repeated character", "has a character twice", p.repeated_character, 6),
    Test("one letter over and over", "is one character over and over", p.one_letter_over, 4, False),
    Test("palindrome", "is a palindrome", p.palindrome, 3, False),
    *_long(3),
)
LIST = (
    Test("empty", "is empty", p.empty_list, 9),
    Test("single", "has one item", p.single, 8),
    Test("two", "has two items", p.two, 5),
    Test("duplicates", "has an item twice", p.duplicates, 8),
    Test("all equal", "has equal items only", p.all_equal, 6, False),
    Test("ascending", "is sorted", p.ascending, 5, False, needs="orderable"),
    Test("strictly ascending", "is strictly sorted", p.strictly_ascending, 4, False, needs="orderable"),
    Test("descending", "is sorted in reverse", p.descending, 5, False, needs="orderable"),
    Test("unsorted", "is in no order", p.unsorted, 7, needs="orderable"),
    Test("all negative", "has negative numbers only", p.all_negative, 7, needs="numbers"),
    Test("all zero", "has zeros only", p.all_zero, 5, False, needs="numbers"),
    Test("mixed signs", "has numbers of both signs", p.mixed_signs, 7, needs="numbers"),
    Test("tie for the largest", "has its largest number twice", p.tie_for_max, 7, needs="numbers"),
    Test("tie for the smallest", "has its smallest number twice", p.tie_for_min, 7, needs="numbers"),
    Test("rows of one length", "has rows of one length", p.same_length_rows, 2, False, needs="rows"),
    Test("ragged rows", "has rows of different lengths", p.ragged_rows, 2, False, needs="rows"),
    Test("collinear", "has its points on one line", p.collinear, 5, False, needs="pairs"),
    Test("zero-length pair", "has a pair of two equal numbers", p.zero_length_pair, 7, needs="pairs"),
    Test("backward pair", "has a pair whose first number is the larger", p.backward_pair, 6, needs="pairs"),
    Test("touching pairs", "has a pair that ends where another begins", p.touching_pairs, 7, needs="pairs"),
    Test("nested pairs", "has a pair that lies within another", p.nested_pairs, 6, needs="pairs"),
    *_long(3),
)
DICT = (
    Test("empty", "is empty", p.empty_dict, 8),
    Test("single", "has one key", p.single_key, 5),
)
BOOL = (Test("true", "is true", p.true, 7), Test("false", "is false", p.false, 7))
NULL = (Test("null", "is null", p.null, 8),)
PAIR = (
    Test("equal", "{a} equals {b}", p.equal, 7),
    Test("greater", "{a} is greater than {b}", p.greater, 7),
    Test("less", "{a} is less than {b}", p.less, 7),
    Test("divides", "{a} divides {b}", p.divides, 4, False),
    Test("same length", "{a} is as long as {b}", p.same_length, 4),
    Test("longer", "{a} is longer than {b}", p.longer, 6),
    Test("shorter", "{a} is shorter than {b}", p.shorter, 6),
    Test("disjoint", "{a} and {b} have nothing in common", p.disjoint, 6),
    Test("subset", "everything in {a} is in {b} too", p.subset, 5, False),
    Test("more than its length", "{a} is more than the length of {b}", p.over_length, 7),
    Test("its length", "{a} is the length of {b}", p.equals_length, 7),
    Test("contained", "{a} is in {b}", p.contained, 6),
    Test("not contained", "{a} is not in {b}", p.missing, 6),
)
#: Type of a value → its tests. A float is a number too.
TESTS: dict[str, tuple[Test, ...]] = {
    "number": NUMBER, "float": FLOAT, "text": TEXT, "list": LIST, "dict": DICT, "bool": BOOL, "null": NULL,
}  # fmt: skip
#: Relations that are the same either way round.
_SYMMETRIC = frozenset({"equal", "same length", "disjoint"})
#: What a row of a fixed form cannot be.
_LENGTH_CHANGES = frozenset({"empty", "single", "two"})


@dataclass(frozen=True)
class Place:
    """A path into the arguments."""

    argument: str
    steps: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.argument + "".join(step if step in ("[]", "{}") else f".{step}" for step in self.steps)

    def step(self, step: str) -> Place:
        return Place(self.argument, (*self.steps, step))

    def say(self) -> str:
        """The path in words: `values[]` is "an item of values"."""
        inner = self.steps.count("[]") + self.steps.count("{}")
        if inner == 0:
            return str(self)
        if inner == 1 and self.steps[-1] == "[]":
            return f"an item of {Place(self.argument, self.steps[:-1])}"
        return f"something at {self}"


def types_of(value: Any) -> tuple[str, ...]:
    """Which of `TESTS` a value may be put to."""
    if isinstance(value, bool):
        return ("bool",)
    if isinstance(value, float):
        return ("number", "float")
    if isinstance(value, int):
        return ("number",)
    if isinstance(value, str):
        return ("text",)
    if isinstance(value, (list, tuple)):
        return ("list",)
    if isinstance(value, dict):
        return ("dict",)
    return ("null",) if value is None else ()


def places(arguments: Mapping[str, Any]) -> dict[Place, list[Any]]:
    """Every path of the arguments with the values it leads to. Equal scalars of one type are there once."""
    found: dict[Place, list[Any]] = {}
    level = {Place(name): [value] for name, value in arguments.items() if IDENTIFIER.fullmatch(name)}
    for depth in range(MAX_STEPS + 1):
        found.update({place: _distinct(values) for place, values in level.items()})
        if depth < MAX_STEPS:
            level = _below(level)
    return dict(islice(found.items(), MAX_PLACES))


def _below(level: Mapping[Place, list[Any]]) -> dict[Place, list[Any]]:
    below: dict[Place, list[Any]] = {}
    for place, values in level.items():
        for value in values:
            if isinstance(value, (list, tuple)) and value:
                below.setdefault(place.step("[]"), []).extend(value)
            elif isinstance(value, dict) and p.is_record(value):
                for key, item in value.items():
                    below.setdefault(place.step(key), []).append(item)
            elif isinstance(value, dict) and value:
                below.setdefault(place.step("{}"), []).extend(value.values())
    return below


def _distinct(values: list[Any]) -> list[Any]:
    """`values` without scalars that are there already, `-0.0` and `1.0` being others than `0` and `1`."""
    if len(values) < 2:
        return values
    seen: dict[Any, Any] = {}
    others = []
    for value in values:
        if isinstance(value, (str, int, float)):
            seen.setdefault((type(value), value, isinstance(value, float) and str(value)), value)
        else:
            others.append(value)
    return [*seen.values(), *others]


def named(place: Place, test: Test) -> Class:
    return Class(f"{place}: {test.what}", f"{place.say()} {test.words}", test.weight, test.boundary)


def paired(a: str, b: str, test: Test) -> Class:
    return Class(f"{a} & {b}: {test.what}", test.words.format(a=a, b=b), test.weight, test.boundary)


def relations(arguments: Mapping[str, Any]) -> Iterator[tuple[str, str, Test]]:
    """Every (argument, argument, relation) that there may be."""
    names = [name for name in arguments if IDENTIFIER.fullmatch(name)]
    if len(names) > MAX_PAIRED:
        return
    for a, b in permutations(names, 2):
        for test in PAIR:
            if test.what not in _SYMMETRIC or a < b:
                yield a, b, test


def related(test: Test, a: Any, b: Any) -> bool:
    """Whether two values are of types that the relation can hold between."""
    x, y = types_of(a)[:1], types_of(b)[:1]
    if not x or not y:
        return False
    kinds = (x[0], y[0])
    if test.what in ("greater", "less", "divides"):
        return kinds == ("number", "number")
    if test.what == "equal":
        return x == y and x[0] not in ("bool", "null")
    if test.what in ("more than its length", "its length"):
        return kinds in (("number", "list"), ("number", "text"))
    if test.what in ("contained", "not contained"):
        return kinds[1] == "list" and x[0] in ("number", "text") and any(types_of(item)[:1] == x for item in b[:50])
    return kinds in (("list", "list"), ("text", "text"))


def put_to(test: Test, *values: Any) -> bool:
    """Whether a test holds. What is too large or too strange to test is in no class."""
    try:
        return test.holds(*values, *(() if test.length is None else (test.length,)))
    except (TypeError, ValueError, OverflowError, RecursionError):
        return False


@lru_cache(maxsize=4096)
def read(name: str) -> tuple[Place | tuple[str, str], list[Test]]:
    """What a class's name says: a place or two arguments, and its tests (one for each type that has this name).

    Raises `ValueError` for what names no class.
    """
    if (match := _PAIR.fullmatch(name)) is not None:
        tests = [test for test in PAIR if test.what == match[3]]
        if tests:
            return (match[1], match[2]), tests
    elif (match := _NAME.fullmatch(name)) is not None:
        steps = tuple(step.removeprefix(".") for step in _STEP.findall(match[2]))
        tests = [test for family in TESTS.values() for test in family if test.what == match[3]]
        if tests:
            return Place(match[1], steps), tests
    raise ValueError(f"{name!r} names no class")


def classes_of(arguments: Mapping[str, Any]) -> frozenset[str]:
    """The names of all classes that one instance, or one call by argument name, is in."""
    return visited([arguments])


def visited(instances: Iterable[Mapping[str, Any]], skip: frozenset[str] = frozenset()) -> frozenset[str]:
    """The names of all classes that any instance is in (those in `skip` are not looked for)."""
    found: set[str] = set()
    for arguments in instances:
        for place, values in places(arguments).items():
            path = str(place)
            groups: dict[tuple[str, str], list[Any]] = {}
            for value in values:
                for kind in types_of(value):
                    for shape in shapes(value):
                        groups.setdefault((kind, shape), []).append(value)
            for (kind, shape), group in groups.items():
                for test in TESTS[kind]:
                    name = f"{path}: {test.what}"
                    new = test.needs == shape and name not in found and name not in skip
                    if new and any(put_to(test, value) for value in group):
                        found.add(name)
        for a, b, test in relations(arguments):
            name = f"{a} & {b}: {test.what}"
            if name not in found and name not in skip and put_to(test, arguments[a], arguments[b]):
                found.add(name)
    return frozenset(found)


def unvisited(classes: Iterable[Class], instances: Sequence[Mapping[str, Any]]) -> list[Class]:
    """Those of `classes` that no instance is in. Quick: most classes are visited soon, and then not looked for."""
    first = visited(instances[:EVERYTHING])
    left = [one for one in classes if one.name not in first]
    for arguments in instances[EVERYTHING:]:
        values: dict[Place, list[Any]] = {}
        kept = []
        for one in left:
            where, tests = read(one.name)
            if not isinstance(where, Place):
                hit = holds(one.name, arguments)
            else:
                if where not in values:
                    values[where] = _distinct(p.values_at(arguments, where.argument, where.steps))
                hit = any(put_to(test, value) for test in tests for value in values[where])
            if not hit:
                kept.append(one)
        left = kept
    return left


def shapes(value: Any) -> tuple[str, ...]:
    """What a value is besides its type, see `Test.needs`: a test holds only for values of the shape it needs."""
    if not isinstance(value, (list, tuple)) or not value:
        return ("",)
    if p.numbers(value):
        return ("", "numbers", "orderable") if len(value) > 1 else ("", "numbers")
    if not all(isinstance(item, (list, tuple)) for item in value):
        return ("", "orderable") if p.orderable(value) else ("",)
    return ("", "rows", "pairs") if p.pairs(value) else ("", "rows")


def are_rows(place: Place, lengths: Sequence[int]) -> bool:
    """Whether lists are rows of a fixed form (a point, an interval), which have no shorter or longer ones."""
    return bool(place.steps) and len(lengths) >= 8 and 2 <= lengths[0] <= 8 and set(lengths) == {lengths[0]}


def candidates(instances: Sequence[Mapping[str, Any]], share: float = 0.5) -> list[Class]:
    """The classes that instances like these could be in, by the types seen at paths that a `share` of them has."""
    kinds: dict[Place, set[tuple[str, str]]] = {}
    count: dict[Place, int] = {}
    lengths: dict[Place, list[int]] = {}
    pairs: dict[str, Class] = {}
    for arguments in instances:
        for place, values in places(arguments).items():
            count[place] = count.get(place, 0) + 1
            seen = kinds.setdefault(place, set())
            for value in values:
                seen.update((kind, shape) for kind in types_of(value) for shape in shapes(value))
                if isinstance(value, (list, tuple)):
                    lengths.setdefault(place, []).append(len(value))
        for a, b, test in relations(arguments):
            if related(test, arguments[a], arguments[b]):
                one = paired(a, b, test)
                pairs[one.name] = one
    found: dict[str, Class] = {}
    for place, seen in kinds.items():
        if count[place] >= share * len(instances):
            for kind, tests in TESTS.items():
                fits = [test for test in tests if (kind, test.needs) in seen]
                if kind == "list" and are_rows(place, lengths.get(place, [])):
                    fits = [test for test in fits if test.length is None and test.what not in _LENGTH_CHANGES]
                fitting = [named(place, test) for test in fits]
                found.update({one.name: one for one in fitting})
    return [*found.values(), *pairs.values()]


def holds(name: str, arguments: Mapping[str, Any]) -> bool:
    """Whether arguments are in one class. Raises `ValueError` for a name of no class."""
    where, tests = read(name)
    if isinstance(where, Place):
        values = p.values_at(arguments, where.argument, where.steps)
        return any(put_to(test, value) for test in tests for value in values)
    a, b = where
    return a in arguments and b in arguments and any(put_to(test, arguments[a], arguments[b]) for test in tests)
