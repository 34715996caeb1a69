"""The classes of values: what is in one, what is made to be in one, and the same question asked by a submission."""

from __future__ import annotations

import builtins
import copy
import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from envbounty.verify.partitions import (
    Class,
    candidates,
    classes_of,
    holds,
    members,
    predicate_source,
    unvisited,
    visited,
)
from envbounty.verify.partitions import predicates as p
from envbounty.verify.partitions.classes import PAIR, TESTS, read
from envbounty.verify.partitions.make import LONGEST

RICH: dict[str, Any] = {
    "values": [3, 1, 2, 9],
    "more": [5, 7, 3],
    "k": 2,
    "m": 6,
    "s": "hello",
    "t": "world",
    "words": ["ab", "c"],
    "pts": [[0, 1], [2, 5], [3, 3], [4, 9]],
    "f": 1.5,
    "opts": {"x": 1, "y": [1]},
    "graph": {"1": ["2"], "2": []},
    "flag": True,
    "nothing": None,
}


def predicate(*names: str) -> Callable[[Any], bool]:
    scope: dict[str, Any] = {}
    exec(predicate_source(*names), scope)
    return scope["in_class"]  # type: ignore[no-any-return]


# --- what is in a class ----------------------------------------------------------------------------------------------

IN = [
    ("x: zero", [0, 0.0, -0.0], [1, -1, False, "0", None, []]),
    ("x: one", [1, 1.0], [True, 2, "1"]),
    ("x: negative", [-1, -0.5], [0, -0.0, "-1"]),
    ("x: 1000 or more", [1000, -1000, 5000.5], [999, -999]),
    ("x: a million or more", [10**6, -(10**7)], [10**6 - 1]),
    ("x: beyond 2^31", [2**31 + 1, -(2**40)], [2**31, -(2**31), True]),
    ("x: beyond 2^53", [2**53 + 1, 10**400], [2**53, 1e300]),
    ("x: integral float", [1.0, 1e300], [1, 1.5]),
    ("x: fractional", [0.5, -1e-9], [1.0, 1]),
    ("x: tiny", [1e-10, -1e-300], [0.0, 1e-9, 1e-8]),
    ("x: huge", [1e100, -1e308], [1e99, 10**200]),
    ("x: negative zero", [-0.0], [0.0, 0, -1.0]),
    ("x: empty", ["", [], {}], [" ", [[]], {"a": 1}, 0, None]),
    ("x: one character", ["a", " ", "é"], ["", "ab", ["a"]]),
    ("x: blank", [" ", "\t\n"], ["", " a"]),
    ("x: inner space", ["a b", " a"], [" ", "ab", ""]),
    ("x: edge space", [" a", "a\n"], ["a b", " ", ""]),
    ("x: upper case", ["A", "A1"], ["a", "Ab", "1", ""]),
    ("x: lower case", ["a", "a-b"], ["A", "Ab", "1", ""]),
    ("x: mixed case", ["aB", "Ab"], ["ab", "AB", "1"]),
    ("x: digits only", ["0", "123"], ["", "1a", "-1", "٣"]),
    ("x: has a digit", ["a1"], ["1", "a"]),
    ("x: punctuation", ["a.b", "-"], ["ab", "a b"]),
    ("x: non-ASCII", ["é", "a中"], ["e", ""]),
    ("x: repeated character", ["aba", "  "], ["abc", "", "aA"]),
    ("x: one letter over and over", ["aa"], ["a", "", "ab"]),
    ("x: palindrome", ["aba", "aa"], ["a", "", "ab"]),
    ("x: 16 or longer", ["a" * 16, [0] * 17], ["a" * 15, [0] * 15, 16, {"a": 1}]),
    ("x: single", [[0], [[]], {"a": 1}], [[], [1, 2], "a"]),
    ("x: two", [[0, 0]], [[0], "ab"]),
    ("x: duplicates", [[1, 1], [1, 1.0], [[1], [1]], ["a", "b", "a"]], [[], [1], [1, True], ["a", "A"]]),
    ("x: all equal", [[1, 1], ["a", "a", "a"]], [[], [1], [1, 2]]),
    ("x: ascending", [[1, 1, 2], ["a", "b"]], [[1], [], [2, 1], [1, "a"], [[1], [2]]]),
    ("x: strictly ascending", [[1, 2]], [[1, 1], [1]]),
    ("x: descending", [[2, 1, 1]], [[1, 2], [1]]),
    ("x: unsorted", [[1, 3, 2]], [[1, 2, 3], [3, 2, 1], [1, 1]]),
    ("x: all negative", [[-1], [-1, -2.5]], [[], [-1, 0]]),
    ("x: all zero", [[0], [0, 0.0]], [[], [0, 1], [False]]),
    ("x: mixed signs", [[-1, 1], [0, -3, 5]], [[0, 1], [-1, 0], []]),
    ("x: tie for the largest", [[1, 3, 3], [2, 2]], [[3, 1, 1], [1], []]),
    ("x: tie for the smallest", [[1, 1, 3]], [[1, 3, 3], [1]]),
    ("x: rows of one length", [[[1], [2]]], [[[1]], [[1], []], [1, 2]]),
    ("x: ragged rows", [[[1], []]], [[[1], [2]], [1, 2]]),
    ("x: collinear", [[[0, 0], [1, 1], [5, 5]], [[1, 1]] * 3], [[[0, 0], [1, 1]], [[0, 0], [1, 1], [1, 2]]]),
    ("x: zero-length pair", [[[1, 1]], [[0, 2], [3, 3.0]]], [[[1, 2]], [[1, 1, 1]], []]),
    ("x: backward pair", [[[2, 1]]], [[[1, 2], [1, 1]]]),
    ("x: touching pairs", [[[1, 2], [2, 3]], [[2, 3], [1, 2]], [[2, 2], [1, 2]]], [[[1, 2], [3, 4]], [[2, 2]]]),
    ("x: nested pairs", [[[1, 9], [2, 3]], [[1, 9], [1, 5]]], [[[1, 2], [1, 2]], [[1, 5], [2, 9]]]),
    ("x: true", [True], [1, "true"]),
    ("x: false", [False], [0, None, ""]),
    ("x: null", [None], [0, "", False]),
    ("x[]: zero", [[5, 0]], [[], [5], [[0]], 0]),
    ("x[][]: negative", [[[1], [2, -1]]], [[-1], [[1]]]),
    ("x.a: zero", [{"a": 0}], [{"b": 0}, [0], {"a": {"a": 0}}]),
    ("x{}: empty", [{"1": []}, {"a b": ""}], [{"a": []}, {"1": [0]}]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "inside", "outside"), IN, ids=[name for name, _, _ in IN])
def test_what_is_in_a_class_and_what_is_not(name: str, inside: list[Any], outside: list[Any]) -> None:
    asked = predicate(name)
    for wanted, values in ((True, inside), (False, outside)):
        for value in values:
            arguments = {"x": value, "y": 1}
            assert (name in classes_of(arguments)) is wanted, value
            assert holds(name, arguments) is wanted and asked(arguments) is wanted, value


RELATED = [
    ("a & b: equal", [(1, 1), ([1], [1]), ("", "")], [(1, 2), (1, True), ("1", 1)]),
    ("a & b: greater", [(2, 1)], [(1, 1), (1, 2), ("b", "a"), (True, 0)]),
    ("b & a: greater", [(1, 2)], [(1, 1), (2, 1)]),
    ("a & b: less", [(1, 2.5)], [(1, 1), (2, 1)]),
    ("a & b: divides", [(2, 6), (1, 0)], [(4, 6), (0, 3), (2.0, 4)]),
    ("a & b: same length", [([1], [2]), ("ab", "cd"), ([], [])], [([1], "a"), ([1], [])]),
    ("a & b: longer", [([1], []), ("ab", "c")], [("a", "b"), ([1, 2], "a")]),
    ("a & b: shorter", [([], [1])], [([], [])]),
    ("a & b: disjoint", [([1], [2]), ("ab", "cd"), ([[1]], [[2]])], [([1], [1]), ([], [1])]),
    ("a & b: subset", [([1, 1], [1, 2]), ("aa", "ba")], [([3], [1]), ([], [1])]),
    ("a & b: more than its length", [(3, [1, 2]), (1, "")], [(2, [1, 2]), ([1], 3)]),
    ("a & b: its length", [(2, [1, 2]), (0, "")], [(1, [1, 2])]),
    ("a & b: contained", [(1, [1, 2]), ("a", ["a"]), ("a", "cab")], [(3, [1]), ("d", "cab"), ("a", [1])]),
    ("a & b: not contained", [(3, [1]), ("a", [])], [(1, [1]), ("a", "b")]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "inside", "outside"), RELATED, ids=[name for name, _, _ in RELATED])
def test_how_two_arguments_relate(name: str, inside: list[Any], outside: list[Any]) -> None:
    asked = predicate(name)
    for wanted, values in ((True, inside), (False, outside)):
        for a, b in values:
            arguments = {"a": a, "b": b}
            assert (name in classes_of(arguments)) is wanted, (a, b)
            assert holds(name, arguments) is wanted and asked(arguments) is wanted, (a, b)


def test_every_test_has_a_row_above() -> None:
    rows = {name.split(": ")[1] for name, _, _ in IN} | {name.split(": ")[1] for name, _, _ in RELATED}
    known = {test.what for tests in (*TESTS.values(), PAIR) for test in tests if test.length in (None, 16)}
    assert known == rows


def quick(found: list[Class]) -> list[Class]:
    """Without the classes whose members are large, which have a test of their own."""
    return [one for one in found if not one.name.endswith(("024 or longer", "4096 or longer", "384 or longer"))]


# --- members ---------------------------------------------------------------------------------------------------------


def test_every_class_that_an_instance_could_be_in_has_members() -> None:
    without = []
    before = copy.deepcopy(RICH)
    for one in quick(candidates([RICH])):
        made = members(one.name, RICH, Random(1))
        assert all(one.name in classes_of(member) and holds(one.name, member) for member in made)
        if not made:
            without.append(one.name)
    # To say `1` of a digit among others one would have to add a letter; an empty list has no items to repeat.
    assert len(without) <= 2, without
    assert before == RICH


@pytest.mark.parametrize(
    ("name", "arguments", "made"),
    [
        ("values: empty", {"values": [3, 1], "k": 2}, {"values": [], "k": 2}),
        ("values: single", {"values": [3, 1]}, {"values": [3]}),
        ("values[]: negative", {"values": [3, 1]}, {"values": [-3, 1]}),
        ("values: ascending", {"values": [3, 1, 2]}, {"values": [1, 2, 3]}),
        ("values: tie for the largest", {"values": [3, 1, 2]}, {"values": [3, 3, 2]}),
        ("p.x: zero", {"p": {"x": 4, "y": 1}}, {"p": {"x": 0, "y": 1}}),
        ("s: upper case", {"s": "abc"}, {"s": "ABC"}),
        ("k & n: equal", {"k": 3, "n": 7}, {"k": 7, "n": 7}),
        ("k & v: more than its length", {"k": 1, "v": [5, 6]}, {"k": 3, "v": [5, 6]}),
        ("v: 16 or longer", {"v": "ab"}, {"v": "ab" * 8}),
    ],
)
def test_the_first_member_is_the_smallest_change(name: str, arguments: Any, made: Any) -> None:
    assert members(name, arguments, Random(0))[0] == made


def test_an_instance_that_is_in_the_class_is_its_own_member() -> None:
    one = {"values": [], "k": 1}
    made = members("values: empty", one, Random(0))
    assert made == [one] and made[0] is not one


def test_what_cannot_be_changed_has_no_members() -> None:
    for name in ("values[]: zero", "values: duplicates", "other: zero", "values & other: equal"):
        assert members(name, {"values": []}, Random(0)) == []


def test_members_are_of_a_bounded_size() -> None:
    for made in members("v: 16384 or longer", {"v": [1, 2]}, Random(0)):
        assert 16384 <= len(made["v"]) <= LONGEST


@pytest.mark.parametrize("name", ["", "values", "v: nonsense", "a & b: empty", "1x: zero", "x[0]: zero", "x : zero"])
def test_a_name_of_no_class_is_refused(name: str) -> None:
    for function in (read, predicate_source):
        with pytest.raises(ValueError, match="names no class"):
            function(name)
    with pytest.raises(ValueError, match="names no class"):
        members(name, {"x": 1}, Random(0))


# --- candidates and visits -------------------------------------------------------------------------------------------


def names(found: list[Class]) -> set[str]:
    return {one.name for one in found}


def test_candidates_follow_the_types_that_were_seen() -> None:
    found = names(candidates([{"n": 5, "v": [1, 2], "s": "ab"}]))
    assert {"n: zero", "v: empty", "v[]: negative", "s: empty", "n & v: its length"} <= found
    assert not {name for name in found if name.startswith("n: ") and "float" in name}
    assert "v: collinear" not in found and "v: ragged rows" not in found
    assert "n: fractional" in names(candidates([{"n": 5.0}]))
    assert "v: tie for the largest" not in names(candidates([{"v": ["a"]}]))


def test_a_path_that_few_instances_have_is_no_candidate() -> None:
    some = [{"d": {"a": 1}}] + [{"d": {"b": 1}}] * 9
    found = names(candidates(some))
    assert "d.b: zero" in found and "d.a: zero" not in found


def test_rows_of_a_fixed_form_are_not_made_shorter() -> None:
    rows = [{"v": [[i, i + 1, 2] for i in range(9)]}]
    found = names(candidates(rows))
    assert "v[]: empty" not in found and "v[]: 16 or longer" not in found and "v[]: single" not in found
    assert "v: empty" in found and "v[]: all equal" in found and "v[][]: zero" in found


def test_visited_is_the_union_and_can_skip() -> None:
    some = [{"n": 0}, {"n": -5}]
    assert visited(some) == classes_of(some[0]) | classes_of(some[1])
    assert visited(some, frozenset({"n: zero"})) == visited(some) - {"n: zero"}


def test_unvisited_is_what_visited_leaves() -> None:
    rng = Random(5)
    some = [{"v": [rng.randint(-3, 40) for _ in range(rng.randint(1, 9))], "n": rng.randint(0, 99)} for _ in range(60)]
    every = candidates(some)
    mine = visited(some)
    assert [one.name for one in unvisited(every, some)] == [one.name for one in every if one.name not in mine]
    assert "v: empty" not in mine and "v[]: negative" in mine


def test_a_class_is_said_in_words() -> None:
    few = {name: RICH[name] for name in ("values", "k", "opts", "pts")}
    say = {one.name: one.describe for one in candidates([few])}
    assert say["values: empty"] == "values is empty"
    assert say["values[]: negative"] == "an item of values is negative"
    assert say["opts.x: zero"] == "opts.x is 0"
    assert say["pts[][]: zero"] == "something at pts[][] is 0"
    assert say["k & values: more than its length"] == "k is more than the length of values"


def test_a_large_instance_is_looked_through_in_a_moment() -> None:
    large = {"v": [[i, i % 97, 3] for i in range(20_000)], "w": list(range(50_000)), "t": "ab" * 50_000}
    started = time.process_time()
    found = classes_of(large)
    assert "v: 16384 or longer" in found and "w: strictly ascending" in found
    assert time.process_time() - started < 5


# --- the predicate ---------------------------------------------------------------------------------------------------


def test_one_predicate_for_several_classes() -> None:
    asked = predicate("v: empty", "k & v: its length")
    assert asked({"v": []}) and asked({"v": [4], "k": 1})
    assert not asked({"v": [4], "k": 2}) and not asked({})


def test_the_predicate_stands_alone_and_hides_its_helpers() -> None:
    used = sorted({one.name for one in candidates([RICH])})
    source = predicate_source(*used, function="_asked")
    scope: dict[str, Any] = {"__builtins__": {**vars(builtins), "__import__": None}}  # it imports nothing
    exec(compile(source, "submission.py", "exec"), scope)
    assert set(scope) == {"__builtins__", "_asked"}
    assert scope["_asked"](RICH) is True
    assert "Any" not in source and '"""' not in source


def test_the_predicate_leaves_its_argument_alone() -> None:
    given_ = copy.deepcopy(RICH)
    predicate(*(one.name for one in candidates([RICH])))(given_)
    assert given_ == RICH


def test_a_call_as_it_was_made_may_hold_tuples() -> None:
    assert "x: collinear" in classes_of({"x": ((0, 0), (1, 1), (2, 2))})
    made = members("x[][]: zero", {"x": ((1, 1), (2, 2))}, Random(0))
    assert made and all(holds("x[][]: zero", one) for one in made)


# --- any value -------------------------------------------------------------------------------------------------------

KEYS = st.sampled_from(["a", "b", "x1", "1", "a b", "é"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.integers(-3, 3)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("abAB1 .é", max_size=6)
)
JSON = st.recursive(
    SCALARS | st.lists(st.integers(-2, 5), max_size=5) | st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=2)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
ARGUMENTS = st.dictionaries(st.sampled_from(["p", "q", "r", "not a name"]), JSON, max_size=3)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ARGUMENTS, st.integers(0, 9))
@example({"p": [[], [[]]], "q": {"1": {"a": None}}}, 0)
@example({"p": -0.0, "q": 0, "r": [1, 1.0, True]}, 1)
@example({"p": [10**400, 0.5]}, 2)
def test_members_are_members_and_the_predicate_agrees(arguments: dict[str, Any], seed: int) -> None:
    mine = classes_of(arguments)
    found = quick(candidates([arguments], share=0))
    for one in Random(seed).sample(found, min(len(found), 15)):
        assert holds(one.name, arguments) is (one.name in mine), one.name
        asked = predicate(one.name)
        assert asked(arguments) is (one.name in mine), one.name
        for made in members(one.name, arguments, Random(seed))[:2]:
            assert one.name in classes_of(made) and asked(made), one.name
            assert made.keys() == arguments.keys()


@settings(max_examples=60, deadline=None)
@given(JSON, JSON)
def test_no_predicate_raises_on_json(a: Any, b: Any) -> None:
    for tests in TESTS.values():
        for test in tests:
            more = () if test.length is None else (test.length,)
            assert isinstance(test.holds(a, *more), bool)
    for test in PAIR:
        assert isinstance(test.holds(a, b), bool)
    assert isinstance(p.values_at({"a": a}, "a", ("[]", "x1", "{}")), list)
