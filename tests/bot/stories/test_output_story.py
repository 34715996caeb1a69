"""What people see: said once, edited in place, and taken back when the finding is gone."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt
from town import PYTHON, Town, environment, finding, opened

from bot import checks
from envbounty.findings import Severity
from localhub.model import Pull

PLACE = "environments/sums/environment.py"


def quiet(town: Town, pull: Pull) -> None:
    """A second look in a row writes nothing."""
    before = len(town.writes())
    town.look(pull)
    assert town.writes()[before:] == []


def reviews(pull: Pull) -> list[str]:
    return [it.state for it in pull.reviews if it.user.type == "Bot"]


def test_findings_are_shown_beside_the_code_and_as_annotations(town: Town) -> None:
    pull = opened(town)
    town.report(town.run(), [finding("accepts-wrong", 3), finding("few-solutions", 5, Severity.NOTE)])
    town.settle()
    assert town.checks(pull) == {"envbounty/verify": "failure"}
    assert town.inline(pull) == [f"{PLACE}:3", f"{PLACE}:5"]
    assert reviews(pull) == ["COMMENTED"]  # one, and it approves or blocks nothing by itself
    (check,) = [it for it in town.repo.checks if it.name == "envbounty/verify"]
    assert [it["start_line"] for it in check.annotations] == [3, 5]
    quiet(town, pull)


def test_a_finding_off_the_diff_is_in_the_summary(town: Town) -> None:
    pull = opened(town)
    town.report(town.run(), [finding("accepts-wrong", 400)])
    town.settle()
    assert town.inline(pull) == []
    (review,) = [it for it in pull.reviews if it.user.type == "Bot"]
    assert "accepts-wrong" in review.body
    quiet(town, pull)


def test_what_is_mended_is_resolved_and_what_stays_is_edited_not_repeated(town: Town) -> None:
    pull = opened(town)
    town.report(town.run(), [finding("accepts-wrong", 3), finding("rejects-right", 5)])
    town.settle()
    town.ann.push_to(pull, {PLACE: PYTHON + "more = 1\n"})
    town.settle()
    assert not any(thread.resolved for thread in pull.threads)  # nobody knows yet what the new head is worth
    town.report(town.run(), [finding("rejects-right", 5)])
    town.settle()
    assert town.inline(pull) == [f"{PLACE}:3", f"{PLACE}:5"]
    assert [thread.resolved for thread in pull.threads] == [True, False]
    quiet(town, pull)
    town.ann.push_to(pull, {PLACE: PYTHON})
    town.settle()
    town.report(town.run(), [finding("accepts-wrong", 3)])
    town.settle()
    assert [thread.resolved for thread in pull.threads] == [False, True]
    assert len(town.inline(pull)) == 2
    quiet(town, pull)


def test_many_findings_make_batches_of_fifty_and_no_more_than_25_comments(town: Town) -> None:
    many = [finding(f"rule-{number}", 1 + number % 60, Severity.WARNING) for number in range(120)]
    pull = opened(town, python="".join(f"line_{number} = {number}\n" for number in range(1, 61)))
    town.report(town.run(), many)
    town.settle()
    (check,) = [it for it in town.repo.checks if it.name == "envbounty/verify"]
    assert len(check.annotations) == 120 and checks.PER_REQUEST == 50
    assert len(town.inline(pull)) == 25 and len(reviews(pull)) == 1
    quiet(town, pull)


def test_a_comment_that_somebody_deleted_stays_deleted(town: Town) -> None:
    pull = opened(town)
    town.report(town.run(), [finding()])
    town.settle()
    path = f"/repos/{town.repo.full_name}/pulls/comments/{next(iter(pull.comments)).id}"
    town.max.call("DELETE", path)
    town.ann.push_to(pull, {PLACE: PYTHON + "more = 1\n"})
    town.settle()
    town.report(town.run(), [finding()])
    town.settle()
    assert town.inline(pull) == []
    quiet(town, pull)


def test_a_stranger_who_posts_a_finding_beforehand_suppresses_nothing(town: Town) -> None:
    pull = opened(town)
    town.report(town.run(), [finding()])
    town.settle()
    copied = next(iter(pull.comments)).body
    other = town.hub.user("eve").open_pull(town.repo, environment("sums"), branch="copy")
    town.hub.user("eve").comment_line(other, PLACE, 3, copied)
    town.settle()
    town.report(town.run(), [finding()])
    town.settle()
    assert len([it for it in other.comments if it.user.type == "Bot"]) == 1


@pytest.mark.both_databases
def test_nothing_that_a_stranger_wrote_is_live(town: Town) -> None:
    pull = opened(town)
    nasty = "@lab/owners fixes #1 <!-- x --> <img src=x> [a](https://evil.example) ```\n**approved** by @max"
    town.report(town.run(), [finding(message=nasty, fix=nasty)])
    town.settle()
    (comment,) = [it.body for it in pull.comments if it.user.type == "Bot"]
    (review,) = [it.body for it in pull.reviews if it.user.type == "Bot"]
    for body in (comment, review):
        tokens = [child for token in MarkdownIt().parse(body) for child in token.children or [token]]
        live = "".join(token.content for token in tokens if token.type not in ("code_inline", "fence"))
        assert "@" not in live and "#1" not in live and "<img" not in live and "<!--" not in live and "http" not in live


def test_a_refused_review_is_posted_without_the_culprit(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    # Lines that our own reading of the patch would never let through.
    monkeypatch.setattr("bot.publish.review.commentable", lambda patches: {PLACE: frozenset(range(1, 100))})
    pull = opened(town)
    town.report(town.run(), [finding("rule-a", 3), finding("rule-b", 70), finding("rule-c", 5), finding("rule-d", 80)])
    town.settle()
    assert sorted(town.inline(pull)) == [f"{PLACE}:3", f"{PLACE}:5"]
    assert reviews(pull) == ["COMMENTED"]
    body = next(it.body for it in pull.reviews if it.user.type == "Bot")
    assert "rule-b" in body and "rule-d" in body and "rule-a" not in body
    monkeypatch.undo()
    quiet(town, pull)


def test_without_the_right_to_resolve_the_bot_goes_on(town: Town) -> None:
    pull = opened(town)
    town.report(town.run(), [finding()])
    town.settle()
    (installation,) = town.hub.installations.values()
    installation.permissions["contents"] = "read"
    town.ann.push_to(pull, {PLACE: PYTHON + "more = 1\n"})
    town.settle()
    town.report(town.run())
    town.settle()
    assert town.checks(pull) == {"envbounty/verify": "success"}
