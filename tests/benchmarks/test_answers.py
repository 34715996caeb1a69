"""When two texts are the same answer: lenient in form, strict in what is said."""

from __future__ import annotations

import pytest

from benchmarks.answers import numbers, same

CASES = [
    ("numbers 0 0", "1,234 and -5", "1234, -5", True),
    ("numbers 0 0", "1 2 3", "1 3 2", False),
    ("numbers 0 0", "1 2", "1 2 2", False),
    ("numbers 0 0", "00:34:28", "0:34:28", True),
    ("numbers 0 0", "7", "", False),
    ("numbers 0 0", "7", "nan", False),
    ("numbers 0.01 0", "-15.0 + 3.0i", "-15 + 3i", True),
    ("numbers 0.01 0", "-15.0 + 3.0i", "-15 - 3i", False),
    ("numbers 0.01 0", "-15.0 + 3.0i", "nan", False),
    ("numbers 0.01 0", "['52.2', '30.0']", '["52.2", "30"]', True),
    ("numbers 0.01 0", "['52.2', '30.0']", "['52.9', '30.0']", False),
    ("numbers 0.001 0.01", "-0.0013674811612376526", "-1.37e-3", True),
    ("some order 0.01 0.001", "-3.625, 0.0", "0, -3.625", True),
    ("some order 0.01 0.001", "", "there is none", True),
    ("some order 0.01 0.001", "-3.625, 0.0", "-3.625", False),
    ("one number", "288", "288 apples", True),
    ("one number", "288", "The answer is 288.", True),
    ("one number", "288", "288 or 289", False),
    ("one number", "288", "many", False),
    ("fraction", "0.3125", "5/16", True),
    ("fraction", "0.3125", "0", False),
    ("fraction", "0.3125", "1/0", False),
    ("hexadecimal", "0x5b993", "5B993", True),
    ("hexadecimal", "0x5b993", "375187", False),
    ("json", "[[0,1]]", "[[0, 1]]", True),
    ("json", "[[0,1]]", "[[0, 1], [2]]", False),
    ("json", "[[0,1]]", "no", False),
    ("words", "Sun, moon", "sun,moon", True),
    ("words", "Sun, moon", "moon, sun", False),
    ("words", "Sun, moon", "sun, moon, star", False),
    ("arithmetic", "10*(8 - 5) - 6", "(8-5)*10-6", True),
    ("arithmetic", "10*(8 - 5) - 6", "6*4 - 10 + 10", False),
    ("arithmetic", "10*(8 - 5) - 6", "10*(8 - + 5) - 6", True),
    ("arithmetic", "10*(8 - 5) - 6", "24", False),
    ("arithmetic", "10*(8 - 5) - 6", "__import__('os')", False),
    ("arithmetic", "10*(8 - 5) - 6", "9**9**9", False),
    ("palindrome", "oucuo", "UOCOU", True),
    ("palindrome", "oucuo", "ouuco", False),
    ("palindrome", "oucuo", "ouo", False),
]


@pytest.mark.parametrize(("rule", "right", "other", "wanted"), CASES)
def test_same(rule: str, right: str, other: str, wanted: bool) -> None:
    assert same(rule, right, right) is True
    assert same(rule, right, other) is wanted


@pytest.mark.parametrize("rule", sorted({rule for rule, *_ in CASES}))
def test_what_is_no_text_is_no_answer(rule: str) -> None:
    for value in (None, 7, ["7"]):
        assert same(rule, "7", value) is False


@pytest.mark.parametrize("rule", sorted({rule for rule, *_ in CASES}))
def test_nothing_that_a_stranger_writes_raises(rule: str) -> None:
    for text in ("", "(" * 5000, "9" * 5000, "[" * 5000, "\0", "\ud800", "1e999", "0x", "/"):
        assert same(rule, "7", text) in (True, False)
        assert same(rule, text, "7") in (True, False)


def test_numbers() -> None:
    assert numbers("a1 2b -3 - 4 5e2 .5 1,000") == [2, -3, -4, 500, 0.5, 1000]
