"""Check runs within GitHub's limits, and no success for what was not decided."""

from __future__ import annotations

from typing import Any

import pytest

from bot.checks import MOST, NAMES, PER_REQUEST, batches, conclusion, names
from bot.decide.tiers import ORDER
from bot.escape import units
from bot.state import Status
from envbounty.findings import Severity


def test_only_what_passed_or_is_not_needed_lets_a_required_check_through() -> None:
    """GitHub takes success, neutral and skipped for a required check; everything else keeps the merge shut."""
    through = {status for status in Status if conclusion(status)[1] in ("success", "neutral", "skipped")}
    assert through == {Status.PASSED, Status.UNNEEDED}


@pytest.mark.parametrize("status", Status)
def test_a_check_has_a_conclusion_exactly_when_it_is_complete(status: Status) -> None:
    shown, result = conclusion(status)
    assert shown in ("queued", "in_progress", "completed")
    assert (result is not None) is (shown == "completed")
    assert result in (None, "success", "failure", "neutral", "action_required")


def test_every_tier_has_a_check_of_its_own() -> None:
    assert set(NAMES) == set(ORDER)
    assert names(["verify", "attack"]) == ["envbounty/verify", "envbounty/attack"]
    assert len(set(NAMES.values())) == len(NAMES)


@pytest.mark.parametrize(("count", "sizes"), [(0, []), (1, [1]), (50, [50]), (51, [50, 1]), (120, [50, 50, 20])])
def test_annotations_come_in_batches_that_github_takes(make: Any, count: int, sizes: list[int]) -> None:
    report = make.report(*[make.finding("x", path="environment.py", line=n + 1) for n in range(count)])
    assert [len(batch) for batch in batches(report)] == sizes


def test_an_annotation_is_within_every_limit_whatever_it_holds(make: Any, hostile: str) -> None:
    ((one,),) = batches(make.report(make.finding(hostile * 200, path="solutions/bad/x.py", line=7)))
    assert one["path"] == "environments/two-sum/solutions/bad/x.py"
    assert one["start_line"] == one["end_line"] == 7
    assert one["annotation_level"] == "failure"
    assert units(one["title"]) <= 255 and one["title"].isprintable()
    assert len(one["message"].encode()) <= 64 * 1024 and one["message"].isprintable()


def test_a_message_of_wide_characters_stays_below_64_kilobytes(make: Any) -> None:
    ((one,),) = batches(make.report(make.finding("\U0001f600" * 60_000)))
    assert len(one["message"].encode()) <= 64 * 1024


def test_the_worst_are_annotated_first_and_not_without_end(make: Any) -> None:
    mild = [make.finding("note", Severity.NOTE) for _ in range(600)]
    found = [one for batch in batches(make.report(*mild, make.finding("error"))) for one in batch]
    assert found[0]["annotation_level"] == "failure"
    assert len(found) == MOST
    assert all(len(batch) <= PER_REQUEST for batch in batches(make.report(*mild)))


def test_levels_are_githubs(make: Any) -> None:
    report = make.report(*[make.finding("x", severity) for severity in Severity])
    assert [one["annotation_level"] for one in batches(report)[0]] == ["failure", "warning", "notice"]
