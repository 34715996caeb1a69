"""JSON from strangers: reading it within bounds, and when two answers are the same."""

from __future__ import annotations

import contextlib
import json
import math
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envbounty.environment import Compare
from envbounty.environment.spec import Answers
from envbounty.verify.values import MAX_DEPTH, Unreadable, canonical, depth, number_in, read_json, same

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(
        ["yes", "YES ", "no", "1", "1.0", "01", "true", "", " ", "nan", "1e999", "5\n", 10**400, -0.0, 2**53 + 1]
    )
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)
RULES = st.sampled_from(
    [
        *(Answers(compare=rule) for rule in Compare if rule is not Compare.TOLERANCE),
        Answers(compare=Compare.TOLERANCE, abs_tol=1e-6),
        Answers(compare=Compare.TOLERANCE, rel_tol=0.5, abs_tol=3.0),
    ]
)
DECIDED = RULES.filter(lambda rule: rule.compare not in (Compare.CUSTOM, Compare.MANY))


@given(JSON, DECIDED)
@settings(deadline=None)
def test_every_answer_is_the_same_as_itself(value: Any, rule: Answers) -> None:
    assert same(value, json.loads(json.dumps(value)), rule) is True


@given(JSON, JSON, RULES)
@settings(deadline=None, max_examples=300)
def test_sameness_has_no_direction_and_never_raises(a: Any, b: Any, rule: Answers) -> None:
    assert same(a, b, rule) == same(b, a, rule)
    assert same(a, b, rule) in (True, False, None)


@given(st.lists(JSON, max_size=6), st.randoms())
@settings(deadline=None)
def test_order_does_not_count_where_it_is_declared_not_to(values: list[Any], rng: Any) -> None:
    shuffled = values[:]
    rng.shuffle(shuffled)
    assert same(values, shuffled, Answers(compare=Compare.UNORDERED)) is True
    assert same(values, [*shuffled, "one more"], Answers(compare=Compare.UNORDERED)) is False


@given(JSON, JSON)
def test_only_the_verifier_can_tell(a: Any, b: Any) -> None:
    assert same(a, b, Answers(compare=Compare.MANY)) is None is same(a, b, Answers(compare=Compare.CUSTOM))


YES, NO, OPEN = True, False, None


@pytest.mark.parametrize(
    ("rule", "a", "b", "verdict"),
    [
        ("exact", 1, 1.0, YES),
        ("exact", [1, [2.0]], [1.0, [2]], YES),
        ("exact", {"a": 1, "b": 2}, {"b": 2, "a": 1}, YES),
        ("exact", math.nan, math.nan, YES),
        ("exact", [1, 2], [2, 1], NO),
        ("exact", [1], [1, 1], NO),
        ("exact", [1], 1, NO),
        ("exact", {"a": 1}, {"b": 1}, NO),
        ("exact", 1, 2, NO),
        ("exact", "a", "b", NO),
        ("exact", "", [], NO),
        ("exact", None, 0, NO),
        ("exact", None, "", NO),
        ("exact", 1, 1.0000001, NO),
        ("exact", 2**53, 2**53 + 1, NO),
        ("exact", math.inf, math.nan, NO),
        # another spelling of the same: nobody is wrong for taking it, nor for refusing it
        ("exact", True, 1, OPEN),
        ("exact", False, 0.0, OPEN),
        ("exact", True, "true", OPEN),
        ("exact", "yes", "YES ", OPEN),
        ("exact", "yes", "true", OPEN),
        ("exact", "no", "0", OPEN),
        ("exact", 5, "5", OPEN),
        ("exact", "5", "5.0", OPEN),
        ("exact", 2**53 + 1, str(2**53 + 1), OPEN),
        ("exact", "1 2 3", "1  2\n3\n", OPEN),
        ("exact", None, "null", OPEN),
        ("exact", "", " \n", OPEN),
        ("exact", [True, "a"], [1, "A"], OPEN),
        ("exact", [True, "a"], [1, "b"], NO),
        ("exact", "yes", "no", NO),
        ("exact", "5", "6", NO),
        ("exact", "nan", "inf", NO),
        ("tolerance", 1.0, 1.0 + 1e-9, YES),
        ("tolerance", [1, 2.0], [1.0, 2 + 1e-9], YES),
        ("tolerance", 1.0, 1.001, NO),
        ("tolerance", math.nan, 1.0, NO),
        ("tolerance", math.inf, 1.0, NO),
        ("tolerance", math.inf, math.inf, YES),
        ("tolerance", 10**400, 10**400, YES),
        ("tolerance", 10**400, 1.0, NO),
        ("tolerance", "0.5 x", "0.5000000001 X", OPEN),
        ("tolerance", "0.5", "0.6", NO),
        ("unordered", [1, 2, 2], [2, 1.0, 2], YES),
        ("unordered", [1, 2, 2], [2, 1, 1], NO),
        ("unordered", [1, 2], [1, 2, 2], NO),
        ("unordered", [[1, 2], [3]], [[3], [1, 2]], YES),
        ("unordered", [[1, 2]], [[2, 1]], NO),
        ("unordered", [True, 5], ["5", 1], OPEN),
        ("unordered", "ab", "ba", NO),
        ("unordered", 5, 5.0, YES),
        ("tokens", "a  b\nc", " a b c ", YES),
        ("tokens", "YES", "yes", OPEN),
        ("tokens", "1.0", "1", OPEN),
        ("tokens", "a b", "b a", NO),
        ("tokens", "ab", "a b", NO),
        ("tokens", ["a"], ["a"], YES),
        ("tokens", "a", ["a"], NO),
    ],
)
def test_same(rule: str, a: Any, b: Any, verdict: bool | None) -> None:
    tolerances = {"abs_tol": 1e-6} if rule == "tolerance" else {}
    assert same(a, b, Answers.model_validate({"compare": rule, **tolerances})) is verdict


def test_two_long_texts_are_told_apart_at_once() -> None:
    started = time.process_time()
    assert same("1 " * 50_000, "1 " * 49_999 + "2", Answers(compare=Compare.EXACT)) is False
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff",
        b"nul",
        b"1 2",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
        b"9" * 5000,
        b'"\x01"',
    ],
)
def test_what_cannot_be_read(data: bytes) -> None:
    with pytest.raises(Unreadable):
        read_json(data)


@given(st.binary(max_size=100))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(Unreadable):
        read_json(data)


@pytest.mark.parametrize(
    "text", ["NaN", "-Infinity", '"\\ud800"', "9" * 4000, "[" * MAX_DEPTH + "]" * MAX_DEPTH, "{}", " 1 "]
)
def test_what_can_be_read(text: str) -> None:
    value = read_json(text)
    assert canonical(value) == canonical(read_json(canonical(value)))
    assert depth(value) <= MAX_DEPTH


def test_depth() -> None:
    deep: Any = 0
    for _ in range(100_000):
        deep = [deep]
    assert [depth(value) for value in (1, "[[", [], [[]], {"a": [1]}, [1, [2, {"a": 3}]])] == [0, 0, 1, 2, 2, 3]
    assert depth(deep) == 100_000


@given(st.text(max_size=50))
def test_number_in(text: str) -> None:
    number = number_in(text)
    assert number is None or math.isfinite(number)


def test_numbers_in_texts() -> None:
    texts = ("5", " 5.0 ", "-1e3", "0x10", "nan", "inf", "1e999", "five", "", "9" * 41)
    assert [number_in(text) for text in texts] == [5, 5, -1000, None, None, None, None, None, None, None]
