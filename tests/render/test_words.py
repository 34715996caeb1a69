"""A stranger's text, made harmless in one place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envbounty.render.words import clean, clean_lines, evidence_rows, file_of, worst_first

anything = st.text(st.characters(exclude_categories=()))  # lone surrogates as well


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain text, ümläut, 漢字, 🎲", "plain text, ümläut, 漢字, 🎲"),
        ("two\nlines\r", "two\\nlines\\r"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b31m", "\\x9b31m"),  # the one-byte form of the same escape
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("no\u00a0break", "no\\xa0break"),
        ("\ud800", "\\ud800"),
    ],
)
def test_what_does_not_print_is_spelled_out(raw: str, shown: str) -> None:
    assert clean(raw) == shown


@given(anything)
def test_a_clean_text_is_one_printable_line_and_stays_as_it_is(text: str) -> None:
    once = clean(text)
    assert once.isprintable()
    assert clean(once) == once
    once.encode("utf-8")


@given(anything, st.integers(1, 20))
def test_a_limit_says_how_much_it_cut(text: str, limit: int) -> None:
    shown = clean(text, limit)
    whole = clean(text)
    assert shown == whole or shown == f"{whole[:limit]}… ({len(whole) - limit} more characters)"


def test_a_long_traceback_keeps_its_last_line() -> None:
    lines = clean_lines("\n".join(f"line {n}" for n in range(1000)))
    assert len(lines) <= 61
    assert lines[-1] == "line 999"
    assert "more lines" in lines[30]


def test_findings_come_worst_first_and_otherwise_in_their_own_order(make: Any) -> None:
    found = [make.finding(s, m) for s, m in [("note", "a"), ("error", "b"), ("warning", "c"), ("error", "d")]]
    assert [f.message for f in worst_first(found)] == ["b", "d", "c", "a"]


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "..\\..\\x", "a/../../../b", "", "."])
def test_a_finding_cannot_point_outside_its_environment(make: Any, path: str) -> None:
    result = make.result(text="environments/e")
    where = file_of(result, make.finding(path=path))
    assert where.startswith("environments/e")
    assert ".." not in where.split("/")


def test_evidence_shows_all_there_is_and_nothing_that_is_not(make: Any) -> None:
    labels = [label for label, _ in evidence_rows(make.evidence("x"))]
    assert labels == [
        "submission",
        "instance",
        "made from",
        "output",
        "expected",
        "verifier said",
        "confirmed",
        "detail",
    ]
    bare = make.evidence("x", submission=None, instance=None, seed=None, difficulty=None, output=None)
    rows = dict(evidence_rows(bare.model_copy(update={"expected": None, "score": None, "detail": None})))
    assert rows == {"confirmed": ["2 more times in a clean jail"]}


def test_a_score_that_is_no_number_is_shown(make: Any) -> None:
    assert ("verifier said", ["nan"]) in evidence_rows(make.evidence(score=float("nan")))
