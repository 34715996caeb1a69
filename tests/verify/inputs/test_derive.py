"""New calls from old ones: never the same, always inside the domain, of every kind of value."""

from __future__ import annotations

import json
import sys
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envbounty.verify.inputs import Call, Domain, derive
from envbounty.verify.inputs.derive import ALL_BYTES, MOST_BYTES, TRIES
from envbounty.verify.inputs.values import DICT, SET, TUPLE, shown, shown_call

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.lists(inner, max_size=3).map(lambda items: {TUPLE: items})
        | st.lists(st.integers(), max_size=3, unique=True).map(lambda items: {SET: items})
        | st.lists(st.tuples(st.integers(), inner).map(list), max_size=3).map(lambda pairs: {DICT: pairs})
    ),
    max_leaves=8,
)
CALLS = st.lists(st.tuples(st.lists(VALUES, max_size=3), st.just({})), max_size=4)


@settings(deadline=None)
@given(CALLS, st.integers())
def test_any_calls(calls: list[Call], seed: int) -> None:
    before = json.dumps(calls)
    domain = Domain(calls)
    found = derive(calls, Random(seed), 20)
    assert json.dumps(calls) == before, "the calls given are left alone"
    keys = [json.dumps(call, sort_keys=True) for call in [*calls, *found]]
    assert len(set(keys[len(calls) :])) == len(found)
    assert not set(keys[len(calls) :]) & set(keys[: len(calls)])
    assert all(domain.admits(call) for call in found)


@settings(deadline=None)
@given(CALLS)
def test_same_seed_same_calls(calls: list[Call]) -> None:
    first, second = (json.dumps(derive(calls, Random(1), 10)) for _ in range(2))
    assert first == second


@pytest.mark.parametrize(
    "seen",
    [
        [[3], [90], [5]],
        [[[1, 2, 3]], [[5, 4]], [[7, 7, 7, 1]]],
        [["hello"], ["world wide"], ["a cat"]],
        [[1.5, 2], [0.25, 9]],
        [[{TUPLE: [1, 2, 3]}], [{TUPLE: [40, 40, 50]}]],
        [[{"a": 1}], [{"b": 2, "c": 30}]],
        [[{SET: [1, 2]}], [{SET: [30]}]],
        [[{DICT: [[1, 2]]}], [{DICT: [[3, 4], [50, 60]]}]],
        [[[[1, 2], [30, 4]]], [[[5, 6]]]],
    ],
)
def test_enough_are_found(seen: list[list[Any]]) -> None:
    found = derive([(one, {}) for one in seen], Random(0), 30)
    assert len(found) >= 20


def test_named_arguments() -> None:
    found = derive([([], {"n": 3}), ([], {"n": 9})], Random(0), 10)
    assert len(found) == 5, "the numbers between"
    assert all(set(named) == {"n"} for _, named in found)


def test_constants_are_tried() -> None:
    found = derive([([3], {}), ([80], {})], Random(0), 60, constants=[41])
    assert ([41], {}) in found


def test_shown() -> None:
    value = [1, {TUPLE: [2]}, {SET: []}, {SET: [1]}, {DICT: [[1, "x"]]}, {"k": None}, float("inf"), {TUPLE: [1, 2]}]
    assert shown(value) == "[1, (2,), set(), {1}, {1: 'x'}, {'k': None}, float('inf'), (1, 2)]"
    assert shown_call("f", ([1, "a"], {"k": [2]})) == "f(1, 'a', k=[2])"


def test_large_calls_are_bounded() -> None:
    """A stranger's reference can claim any calls; making new ones of them costs us, not the jail."""
    huge = list(range(MOST_BYTES))
    assert derive([([huge], {}), ([huge[1:]], {})], Random(0), 20) == []
    found = derive([([huge], {}), ([[3, 90]], {}), ([[5, 7, 8]], {})], Random(0), 20)
    assert found and all(len(json.dumps(call)) <= MOST_BYTES for call in found)


def test_the_work_is_bounded_however_many_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    module = sys.modules["envbounty.verify.inputs.derive"]  # the package's `derive` is the function
    monkeypatch.setattr(module, "_one", lambda calls, rng, pools: made.append(1) or calls[0])
    row = [7] * (MOST_BYTES // 4)
    assert derive([([row], {}), ([[*row, 7]], {})], Random(0), 10_000) == []
    assert len(made) <= ALL_BYTES // len(row) < 10_000 * TRIES
