"""What is said beside the code: once for each finding, on lines that can bear it, and no longer than it is true."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.checks import file_of
from bot.escape import MAX_UNITS, units
from bot.review import INLINE, PER_LINE, Live, ReviewPlan, demote, fingerprint, place, plan
from envbounty.findings import Severity

FILE = "environments/two-sum/environment.py"


def one(
    make: Any,
    line: int = 3,
    rule: str = "accepts-nothing",
    severity: Severity = Severity.ERROR,
    message: str = "it accepts nothing",
    path: str = "environment.py",
) -> Any:
    return make.finding(message, severity, rule=rule, path=path, line=line)


def posted(planned: ReviewPlan, resolved: bool = False, first: int = 1) -> list[Live]:
    """The comments of a plan once they are on GitHub."""
    return [
        Live(each.fingerprint, each.tier, first + number, f"T{number}", each.body, resolved)
        for number, each in enumerate(planned.inline)
    ]


def test_a_finding_on_a_line_of_the_diff_stands_beside_it(make: Any) -> None:
    planned = plan([make.report(one(make))], {FILE: frozenset({2, 3})}, [])
    (inline,) = planned.inline
    assert (inline.path, inline.line) == (FILE, 3)
    assert "accepts-nothing" in inline.body and "1" * 12 in inline.body
    assert "1 comment beside the code" in planned.summary


def test_a_finding_elsewhere_is_told_in_the_summary(make: Any) -> None:
    for lines in ({}, {FILE: frozenset()}, {FILE: frozenset({4})}, {"environment.py": frozenset({3})}):
        planned = plan([make.report(one(make))], lines, [])
        assert not planned.inline
        assert [placed.path for placed in planned.demoted] == [FILE]
        assert "accepts-nothing" in planned.summary


def test_one_line_bears_only_a_few_comments(make: Any) -> None:
    """A verifier that accepts everything breaks a dozen rules at its first line; that is no reason to shout."""
    crowded = [one(make, 3, message=f"it accepts {what}") for what in "abcdefg"]
    planned = plan([make.report(*crowded, one(make, 2))], {FILE: frozenset({2, 3})}, [])
    assert [inline.line for inline in planned.inline].count(3) == PER_LINE
    assert [inline.line for inline in planned.inline].count(2) == 1
    assert len(planned.demoted) == len(crowded) - PER_LINE
    assert all(f"it accepts {what}" in planned.summary for what in "cdefg")


def test_a_report_without_findings_says_nothing_here(make: Any) -> None:
    assert plan([make.report()], {}, []) == ReviewPlan()


def test_the_worst_stand_beside_the_code_when_there_are_too_many(make: Any) -> None:
    notes = [one(make, line, "few-solutions", Severity.NOTE, f"note {line:c}") for line in range(65, 90)]
    errors = [one(make, line, message=f"error {line:c}") for line in range(97, 107)]
    lines = {FILE: frozenset(range(1, 200))}
    planned = plan([make.report(*notes, *errors)], lines, [])
    assert len(planned.inline) == INLINE
    assert sum("**blocks**" in inline.body for inline in planned.inline) == 10
    assert len(planned.demoted) == 10
    assert units(planned.summary) <= MAX_UNITS


def test_what_was_said_is_not_said_again(make: Any) -> None:
    reports = [make.report(one(make), one(make, 9, "flaky-check"))]
    first = plan(reports, {FILE: frozenset({3})}, [])
    told = {placed.fingerprint for placed in first.demoted}
    assert plan(reports, {FILE: frozenset({3})}, posted(first), told) == ReviewPlan()


def test_a_finding_that_moved_is_edited_in_place(make: Any) -> None:
    before = plan([make.report(one(make, 3))], {FILE: frozenset({3})}, [])
    moved = make.report(one(make, 12), head="2" * 40)
    after = plan([moved], {FILE: frozenset({12})}, posted(before))
    assert not after.inline and not after.resolve and not after.summary
    (edit,) = after.edits
    assert edit.comment_id == 1 and f"{FILE}:12" in edit.body and "2" * 12 in edit.body


def test_a_thread_is_resolved_when_its_finding_is_gone_from_the_newest_report(make: Any) -> None:
    before = plan([make.report(one(make, 3), one(make, 4, "flaky-check"))], {FILE: frozenset({3, 4})}, [])
    after = plan([make.report(one(make, 3))], {}, posted(before))
    assert [live.fingerprint for live in after.resolve] == [before.inline[1].fingerprint]


def test_no_thread_is_resolved_before_its_tier_has_reported_again(make: Any) -> None:
    attack = make.report(one(make), tier="attack")
    live = posted(plan([attack], {FILE: frozenset({3})}, []))
    assert plan([make.report()], {}, live).resolve == ()
    assert plan([], {}, live).resolve == ()
    assert len(plan([make.report(tier="attack")], {}, live).resolve) == 1


def test_a_resolved_thread_is_not_resolved_twice_and_opens_when_the_finding_returns(make: Any) -> None:
    report = make.report(one(make))
    live = posted(plan([report], {FILE: frozenset({3})}, []), resolved=True)
    assert plan([make.report()], {}, live).resolve == ()
    assert plan([report], {FILE: frozenset({3})}, live).reopen == tuple(live)
    assert not plan([report], {FILE: frozenset({3})}, live).inline


def test_a_comment_that_github_refuses_goes_to_the_summary(make: Any) -> None:
    reports = [make.report(one(make, 3), one(make, 4, "flaky-check"))]
    planned = plan(reports, {FILE: frozenset({3, 4})}, [])
    culprit = planned.inline[0]
    left = demote(planned, {culprit.fingerprint}, reports)
    assert [inline.fingerprint for inline in left.inline] == [planned.inline[1].fingerprint]
    assert [placed.fingerprint for placed in left.demoted] == [culprit.fingerprint]
    assert "accepts-nothing" in left.summary and "1 comment beside" in left.summary


def test_a_marker_posted_beforehand_suppresses_nothing(make: Any) -> None:
    """A fingerprint is not in any text of ours, and nothing is read back from comments: only our own rows count."""
    report = make.report(one(make))
    (placed,) = place(report)
    planned = plan([report], {FILE: frozenset({3})}, [])
    assert len(planned.inline) == 1
    assert placed.fingerprint not in planned.inline[0].body + planned.summary


def test_a_fingerprint_stays_while_lines_and_numbers_move(make: Any) -> None:
    def name(**changes: Any) -> str:
        return fingerprint("verify", "environments/two-sum", one(make, **changes))

    known = name(message="accepted 7 of 20", line=3)
    assert name(message="accepted 12 of 20", line=30) == known
    others = {
        name(message="accepted 7 of 20", rule="flaky-check"),
        name(message="accepted 7 of 20", path="task.md"),
        name(message="refused 7 of 20"),
        fingerprint("attack", "environments/two-sum", one(make, message="accepted 7 of 20")),
        fingerprint("verify", "environments/other", one(make, message="accepted 7 of 20")),
    }
    assert known not in others and len(others) == 5


def test_equal_findings_have_fingerprints_of_their_own(make: Any) -> None:
    names = [placed.fingerprint for placed in place(make.report(*[one(make)] * 4))]
    assert len(set(names)) == 4
    assert all(len(name) == 32 for name in names)


def test_no_path_leaves_its_environment(make: Any) -> None:
    for path in ("../../.github/workflows/x.yml", "/etc/passwd", "..\\..\\x", "./a/../../b", "", "..", "a//b"):
        assert file_of("environments/two-sum", one(make, path=path)).startswith("environments/two-sum")
        assert ".." not in file_of("environments/two-sum", one(make, path=path)).split("/")


lines = st.frozensets(st.integers(1, 30), max_size=12)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_every_finding_has_one_place_whatever_happens_in_between(make: Any, data: st.DataObject) -> None:
    """Over several heads: at most one live comment for each finding, none lost, and a second look has nothing to do."""
    live: list[Live] = []
    told: set[str] = set()
    number = 0
    for _ in range(data.draw(st.integers(1, 4))):
        chosen = data.draw(
            st.lists(
                st.tuples(
                    st.integers(1, 30),
                    st.sampled_from(["flaky-check", "accepts-nothing"]),
                    st.sampled_from(Severity),
                    st.sampled_from("abc"),
                ),
                max_size=30,
            )
        )
        report = make.report(*[one(make, *three, message=text) for *three, text in chosen])
        shown = {FILE: data.draw(lines)}
        planned = plan([report], shown, live, told)
        assert len(planned.inline) <= INLINE
        assert all(inline.line in shown[inline.path] for inline in planned.inline)
        assert not planned.inline or planned.summary
        bodies = {edit.fingerprint: edit.body for edit in planned.edits}
        resolved = {each.fingerprint for each in planned.resolve}
        opened = {each.fingerprint for each in planned.reopen}
        live = [
            Live(
                each.fingerprint,
                each.tier,
                each.comment_id,
                each.thread_id,
                bodies.get(each.fingerprint, each.body),
                (each.resolved or each.fingerprint in resolved) and each.fingerprint not in opened,
            )
            for each in live
        ] + posted(planned, first=number)
        number += len(planned.inline)
        told |= {placed.fingerprint for placed in planned.demoted}
        prints = [each.fingerprint for each in live]
        assert len(prints) == len(set(prints))
        now = {placed.fingerprint for placed in place(report)}
        assert now <= {each.fingerprint for each in live if not each.resolved} | told
        assert {each.fingerprint for each in live if not each.resolved} <= now
        assert plan([report], shown, live, told) == ReviewPlan()
