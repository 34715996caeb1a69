"""What a task's text says of its inputs: clear sentences both ways, and those that say nothing."""

# ruff: noqa: E501  (a table of sentences)

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envbounty.verify.partitions import candidates
from envbounty.verify.tasktext import number, says, sentences, statements

LIST, TEXT, NUMBER = {"values": "list"}, {"s": "text"}, {"n": "number"}
TWO = {"values": "list", "k": "number"}
YES, NO, OPEN = True, False, None

TABLE = [
    # bounds of a number
    (NUMBER, "1 ≤ n ≤ 100", {"n: zero": NO, "n: negative": NO, "n: one": YES, "n: 1000 or more": NO}),
    (NUMBER, "`n` is an integer, 0 <= n <= 10^9.", {"n: zero": YES, "n: negative": NO, "n: a million or more": YES, "n: beyond 2^31": NO}),
    (NUMBER, "-1000 <= n <= 1000", {"n: negative": YES, "n: zero": YES, "n: 1000 or more": YES, "n: a million or more": NO}),
    (NUMBER, "0 < n < 1000", {"n: zero": NO, "n: one": YES, "n: 1000 or more": NO}),
    (NUMBER, "n >= 0", {"n: zero": YES, "n: negative": NO, "n: one": OPEN, "n: beyond 2^31": OPEN}),
    (NUMBER, "`n` ≥ 2.", {"n: zero": NO, "n: one": NO, "n: negative": NO}),
    (NUMBER, "`n` is between 1 and 10**12.", {"n: zero": NO, "n: one": YES, "n: beyond 2^31": YES, "n: beyond 2^53": NO}),
    (NUMBER, "`n`: an integer from 0 to 9.", {"n: zero": YES, "n: negative": NO, "n: 1000 or more": NO}),
    (NUMBER, "`n` is a positive integer.", {"n: zero": NO, "n: negative": NO, "n: one": YES, "n: 1000 or more": OPEN}),
    (NUMBER, "`n` is a non-negative integer.", {"n: zero": YES, "n: negative": NO}),
    (NUMBER, "`n` is a nonnegative integer.", {"n: zero": YES, "n: negative": NO}),
    (NUMBER, "`n` may be negative.", {"n: negative": YES, "n: zero": OPEN}),
    (NUMBER, "`n` can be zero.", {"n: zero": YES, "n: negative": OPEN}),
    (NUMBER, "`n` is a nonzero integer.", {"n: zero": NO, "n: negative": OPEN}),
    (NUMBER, "`n` is a positive or negative integer.", {"n: negative": YES, "n: zero": OPEN}),
    (NUMBER, "`n` is an integer.", {"n: negative": OPEN, "n: zero": OPEN, "n: one": OPEN}),
    (NUMBER, "Return the n-th prime.", {"n: zero": OPEN, "n: negative": OPEN}),
    (NUMBER, "Return a positive integer.", {"n: zero": OPEN, "n: negative": OPEN}),
    (NUMBER, "1 <= m <= 100", {"n: zero": OPEN, "n: one": OPEN}),
    (TWO, "0 <= k <= 5 and 1 <= len(values) <= 64", {"k: zero": YES, "values: empty": NO, "values: single": YES, "values: 64 or longer": YES, "values: 256 or longer": NO}),
    (TWO, "1 <= k, j <= 5", {"k: zero": NO, "k: one": YES}),
    (TWO, "`k` is at most the length of `values`.", {"k: zero": OPEN, "values: empty": OPEN}),
    (TWO, "If k >= 5, stop.", {"k: zero": OPEN, "k: negative": OPEN}),
    # emptiness and length
    (LIST, "`values` may be empty.", {"values: empty": YES, "values: single": OPEN}),
    (LIST, "The list can be empty.", {"values: empty": YES}),
    (LIST, "`values` is a possibly empty list of integers.", {"values: empty": YES, "values[]: negative": OPEN}),
    (LIST, "An empty list is allowed.", {"values: empty": YES}),
    (LIST, "`values` is a non-empty list.", {"values: empty": NO, "values: single": YES}),
    (LIST, "`values` is never empty.", {"values: empty": NO}),
    (LIST, "`values` cannot be empty.", {"values: empty": NO}),
    (LIST, "`values` may not be empty.", {"values: empty": NO}),
    (LIST, "The list has at least one element.", {"values: empty": NO, "values: single": YES}),
    (LIST, "`values` holds at least two numbers.", {"values: empty": NO, "values: single": NO, "values: two": YES}),
    (LIST, "`values` holds 8 to 16 numbers.", {"values: empty": NO, "values: two": NO, "values: 16 or longer": YES, "values: 64 or longer": NO}),
    (LIST, "`values` is a list of 0 to 300 integers.", {"values: empty": YES, "values: 256 or longer": YES, "values: 1024 or longer": NO, "values[]: zero": OPEN}),
    (LIST, "`values` contains at most 100 numbers.", {"values: 64 or longer": YES, "values: 256 or longer": NO, "values: empty": OPEN}),
    (LIST, "`values` has exactly 5 numbers.", {"values: empty": NO, "values: single": NO, "values: 16 or longer": NO}),
    (LIST, "Return 0 if `values` is empty.", {"values: empty": YES}),
    (LIST, "For an empty list return None.", {"values: empty": YES}),
    (LIST, "Return an empty list if nothing is found in `values`.", {"values: empty": OPEN}),
    (LIST, "The result may be empty.", {"values: empty": OPEN}),
    (LIST, "The returned list is never empty.", {"values: empty": OPEN}),
    (TWO, "The list may be empty.", {"values: empty": OPEN}),
    (TWO, "`values` may be empty unless `k` is 0.", {"values: empty": OPEN}),
    (LIST, "`values` may be empty. `values` is never empty.", {"values: empty": OPEN}),
    (TEXT, "The string may be empty.", {"s: empty": YES}),
    (TEXT, "`s` has a length between 1 and 1000 characters.", {"s: empty": NO, "s: one character": YES, "s: 256 or longer": YES, "s: 1024 or longer": NO}),
    (TEXT, "1 <= len(s) <= 20", {"s: empty": NO, "s: one character": YES, "s: 64 or longer": NO}),
    (TEXT, "Given a non-empty string `s`, return it reversed.", {"s: empty": NO}),
    # signs and ranges of items
    (LIST, "`values` is a list of positive integers.", {"values[]: zero": NO, "values[]: negative": NO, "values: empty": OPEN}),
    (LIST, "Given a list of non-negative integers `values`, return their sum.", {"values[]: zero": YES, "values[]: negative": NO}),
    (LIST, "Every item of `values` is between 0 and 1000000.", {"values[]: zero": YES, "values[]: negative": NO, "values[]: a million or more": YES, "values: empty": OPEN}),
    (LIST, "`values` is an array of positive numbers.", {"values: all negative": NO, "values: mixed signs": NO, "values: all zero": NO}),
    (LIST, "The numbers in `values` may be negative.", {"values: all negative": OPEN, "values[]: negative": YES}),
    (LIST, "-10^9 <= values[i] <= 10^9", {"values[]: negative": YES, "values[]: zero": YES, "values[]: a million or more": YES, "values[]: beyond 2^31": NO}),
    (LIST, "`values` is a list of integers.", {"values[]: negative": OPEN, "values[]: zero": OPEN, "values: empty": OPEN, "values: duplicates": OPEN}),
    (LIST, "Return the number of negative values.", {"values[]: negative": OPEN}),
    # repeats
    (LIST, "The elements of `values` are distinct.", {"values: duplicates": NO, "values: all equal": NO, "values: tie for the largest": NO}),
    (LIST, "`values` contains no duplicates.", {"values: duplicates": NO}),
    (LIST, "`values` is a list of unique integers.", {"values: duplicates": NO}),
    (LIST, "`values` may contain duplicates.", {"values: duplicates": YES, "values: all equal": OPEN}),
    (LIST, "The items of `values` are not necessarily distinct.", {"values: duplicates": YES}),
    (LIST, "A number can occur more than once in `values`.", {"values: duplicates": YES}),
    (LIST, "Count the distinct numbers and return that.", {"values: duplicates": OPEN}),
    (LIST, "Return the distinct items of `values`.", {"values: duplicates": OPEN}),
    # order
    (LIST, "`values` is sorted in ascending order.", {"values: unsorted": NO, "values: ascending": OPEN}),
    (LIST, "`values` is a list of numbers, in no particular order.", {"values: unsorted": YES}),
    (LIST, "`values` is strictly increasing.", {"values: unsorted": NO, "values: duplicates": NO}),
    (LIST, "`values` is not necessarily sorted.", {"values: unsorted": YES}),
    (LIST, "Return `values` sorted in ascending order.", {"values: unsorted": OPEN}),
    # characters
    (TEXT, "`s` consists of lowercase English letters.", {"s: upper case": NO, "s: mixed case": NO, "s: digits only": NO, "s: non-ASCII": NO, "s: lower case": OPEN}),
    (TEXT, "`s` consists of lowercase and uppercase letters.", {"s: upper case": OPEN, "s: mixed case": YES}),
    (TEXT, "`s` contains only digits.", {"s: upper case": NO, "s: non-ASCII": NO, "s: digits only": OPEN}),
    (TEXT, "`s` may contain spaces.", {"s: inner space": YES, "s: edge space": OPEN}),
    (TEXT, "`s` is text of upper- and lowercase letters.", {"s: mixed case": YES}),
    (TEXT, "`s` can be any Unicode text.", {"s: non-ASCII": YES}),
    (TEXT, "`s` is printable, consisting of ASCII only.", {"s: non-ASCII": NO}),
    (TEXT, "Return `s` in lowercase letters only.", {"s: upper case": OPEN, "s: mixed case": OPEN}),
    (TEXT, "`s` is a word.", {"s: empty": OPEN, "s: upper case": OPEN}),
]  # fmt: skip


@pytest.mark.parametrize(("kinds", "text", "wanted"), TABLE, ids=[text for _, text, _ in TABLE])
def test_what_a_sentence_says(kinds: dict[str, str], text: str, wanted: dict[str, bool | None]) -> None:
    found = statements(text, kinds)
    assert {name: says(found, name) for name in wanted} == wanted, found


def test_the_table_is_long_enough_both_ways() -> None:
    verdicts = [verdict for _, _, wanted in TABLE for verdict in wanted.values()]
    assert len(TABLE) >= 60 and min(verdicts.count(YES), verdicts.count(NO), verdicts.count(OPEN)) >= 40


def test_examples_and_code_say_nothing() -> None:
    task = """\
# Task

`values` is a list.

    n = 3, 1 <= len(values) <= 5

```
values may be empty. 0 <= values[i] <= 3
```

## Example

`values` may be empty. 1 <= len(values) <= 2

## Limits

`values` holds 3 to 9 numbers.
"""
    found = statements(task, LIST)
    assert says(found, "values: empty") is False and says(found, "values[]: zero") is None
    assert says(found, "values: 16 or longer") is False
    assert all("```" not in one for one in sentences(task))


@pytest.mark.parametrize(
    ("text", "value"),
    [("10^5", 10**5), ("10**9", 10**9), ("1,000", 1000), ("2^31 - 1", 2**31 - 1), ("-10^9", -(10**9)), ("1e6", 10**6), ("−5", -5),
     ("x", None), ("9^999", None), ("1.5", None), ("9" * 40, None)],
)  # fmt: skip
def test_a_number_is_read(text: str, value: int | None) -> None:
    assert number(text) == value


@settings(max_examples=150, deadline=500)
@given(st.text(st.sampled_from("`ns <=≤0159^[]i.,-\nvalues empty between and may be not at least "), max_size=120))
def test_any_text_is_taken(text: str) -> None:
    kinds = {"values": "list", "s": "text", "n": "number"}
    found = statements(text, kinds)
    for one in candidates([{"values": [1, 2], "s": "ab", "n": 3}]):
        assert says(found, one.name) in (True, False, None)


@pytest.mark.parametrize(
    "word",
    ["if ", "```\n", "`values` ", "at least ", "1 <= ", "`", "a, ", "9", "# example\n", "values[", "^9", "\n ", "- 1 "],
)
def test_a_hostile_text_takes_a_moment(word: str) -> None:
    started = time.process_time()
    for text in (word * (60_000 // len(word)), ("`values` " + word * (480 // len(word)) + "\n\n") * 100):
        statements(text, TWO)
    assert time.process_time() - started < 5


@pytest.mark.parametrize("name", ["fewest-patrols", "storm-bridges"])
def test_the_samples_texts(name: str) -> None:
    task = (Path(__file__).parents[2] / "environments" / name / "task.md").read_text()
    found = statements(task, {"sectors": "lists"} if name == "fewest-patrols" else {"stdin": "text"})
    if name == "fewest-patrols":
        assert says(found, "sectors: empty") is False and says(found, "sectors: 64 or longer") is False
    else:
        assert found == []
