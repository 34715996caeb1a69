"""What counts as an input like those seen: each property that all seen inputs have, kept and broken."""

from __future__ import annotations

from typing import Any

import pytest

from envbounty.verify.inputs import Call, Domain
from envbounty.verify.inputs.values import TUPLE


def calls(*arguments: list[Any]) -> list[Call]:
    return [(one, {}) for one in arguments]


SHORT, LONG = "abcabcabc", "the cat saw the dog and the dog saw the cat"

#: what → (arguments seen, arguments inside, arguments outside)
TABLE: dict[str, tuple[list[list[Any]], list[list[Any]], list[list[Any]]]] = {
    "between": ([[3], [8], [5]], [[4], [7]], [[2], [9], [-3]]),
    "negative seen": ([[-4], [8], [5]], [[0], [-3]], [[-5]]),
    "kind": ([[3], [8]], [[4]], [["4"], [4.5], [None], [True], [[4]]]),
    "two kinds": ([[3], [None], [5]], [[4], [None]], [["4"]]),
    "even": ([[2], [8], [4], [16], [12]], [[6]], [[7]]),
    "zero or one": ([[0], [1], [1], [0]], [[1]], [[2]]),
    "a share": ([[0.5], [0.25], [1.0]], [[0.75]], [[1.5], [-0.5]]),
    "few values": ([[[1, 5, 9] * 5], [[5, 5, 1] * 5]], [[[9, 9, 5] * 5]], [[[2, 5, 9] * 5]]),
    "never empty": ([[[1, 2]], [[3, 9, 5, 3]]], [[[9, 9, 1]]], [[[]], [[1]], [[1] * 5]]),
    "empty seen": ([[[]], [[3, 4, 5]]], [[[]], [[3]]], [[[1]]]),
    "length": ([[[1, 5, 2]], [[2, 2, 8]], [[3, 1, 1]]], [[[4, 5, 6]]], [[[4, 5]], [[4, 6, 5, 4]]]),
    "sorted": ([[[1, 2, 9]], [[3, 4, 5, 6]], [[2, 2, 8]]], [[[4, 5, 9]]], [[[5, 4, 9]]]),
    "reverse sorted": ([[[9, 2, 1]], [[6, 5, 4, 3]], [[8, 2, 2]]], [[[9, 5, 4]]], [[[5, 4, 9]]]),
    "distinct": ([[[1, 7, 3]], [[3, 9, 5, 6]], [[2, 4, 1]]], [[[9, 1, 4]]], [[[4, 4, 9]]]),
    "rectangular": (
        [[[[1, 2], [4, 3], [5, 5]]], [[[1], [2], [3]]], [[[1, 2, 1]] * 3]],
        [[[[4, 4], [1, 1], [2, 2]]]],
        [[[[1], [1, 2], [3]]]],
    ),
    "elements": ([[[1, 2]], [[3, 4, 5]]], [[[5, 4]]], [[[0, 1]], [["1", 2]], [[1, [2]]], [[5, 6]]]),
    "records": ([[["a", 3]], [["b", 4]], [["c", 9]]], [[["b", 5]]], [[[5, "d"]], [["d", "e"]]]),
    "tuples": ([[{TUPLE: [1, 2]}], [{TUPLE: [3, 4]}]], [[{TUPLE: [2, 3]}]], [[[2, 3]], [{TUPLE: [2]}]]),
    "keys": ([[{"a": 1, "b": 2}], [{"a": 3, "b": 4}]], [[{"a": 2, "b": 3}]], [[{"a": 2}], [{"a": 2, "b": "x"}]]),
    "free keys": ([[{"a": 1}], [{"c": 3, "b": 4}]], [[{"x": 2}]], [[{"x": "y"}]]),
    "lower case": ([["abc"], ["hello"], ["xyzzyq"]], [["letter"]], [["Letter"], ["let7er"], ["let er"], ["ab"]]),
    "few letters": ([["abab"], ["aabb"], ["bbaa"]], [["bab"], ["abba"]][1:], [["abca"]]),
    "brackets": ([["(())"], ["()()"], ["((()))"]], [["(()())"]], [["(()("], ["())("]]),
    "no spaces around": ([["a b"], ["hello you"], ["x yz"]], [["you he"]], [[" ab "], ["a  b"]]),
    "a form": ([["2020-01-31"], ["1999-12-01"], ["2004-02-29"]], [["2021-11-30"]], [["2021/11/30"], ["202a-11-30"]]),
    "numbers as text": ([["12"], ["7"], ["400"]], [["35"]], [["035"], ["4-"], ["x"]]),
    "a vocabulary": ([[LONG], ["the dog saw the dog"]], [["the cat saw the cat"]], [["the fox saw the dog"]]),
    "below": ([[1, 5], [6, 9], [2, 4]], [[2, 8]], [[6, 5], [4, 4]]),
    "at most": ([[1, 5], [4, 4], [2, 3]], [[3, 3]], [[4, 3]]),
    "an index": ([[2, [1, 2, 3]], [0, [5]], [1, [7, 7]]], [[1, [4, 4, 4]]], [[2, [4, 4]]]),
    "an element": ([[2, [1, 2, 3]], [5, [5]], [7, [7, 7]]], [[4, [3, 4]]], [[6, [3, 4]]]),
    "one length": ([[[1], [4]], [[1, 2], [3, 4]], [[1, 2, 3], [9, 9, 9]]], [[[3, 3], [6, 6]]], [[[3], [6, 6]]]),
    "a part": ([["b", "abc"], ["ll", "hello"], ["yy", "xyyx"]], [["l", "llb"]], [["y", "abc"]]),
    "divides": ([[6, 3], [8, 2], [9, 9]], [[8, 4]], [[8, 3]]),
    "two arguments": ([[1, 2]], [[1, 2]], [[1], [1, 2, 3]]),
}  # fmt: skip


@pytest.mark.parametrize("what", TABLE)
def test_domain(what: str) -> None:
    seen, inside, outside = TABLE[what]
    domain = Domain(calls(*seen))
    assert [one for one in seen if not domain.admits((one, {}))] == [], "what was seen is inside"
    assert [one for one in inside if not domain.admits((one, {}))] == []
    assert [one for one in outside if domain.admits((one, {}))] == []


def test_names() -> None:
    domain = Domain([([1], {"k": 2}), ([3], {"k": 4})])
    assert domain.admits(([2], {"k": 3})), "between"
    assert not domain.admits(([2], {}))
    assert not domain.admits(([2], {"k": "3"}))
    assert not domain.admits(([2], {"j": 3}))


def test_odd_numbers() -> None:
    assert Domain(calls([float("nan")], [1.0])).admits(([float("inf")], {}))
    assert not Domain(calls([2.0], [1.0])).admits(([float("inf")], {}))
    assert Domain(calls([float("nan")])).admits(([2.0], {}))


def test_nothing_seen() -> None:
    assert not Domain([]).admits(([1], {}))
