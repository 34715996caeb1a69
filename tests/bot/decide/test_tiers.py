"""What is tested, when, and how often. A result counts only for this head, today's policy and all that was changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.decide import decide
from bot.state import Decision, JobState, Start, Status, TierState
from envbounty.findings import Severity, Verdict


def tier(decision: Decision, name: str = "verify") -> TierState:
    return next(known for known in decision.tiers if known.tier == name)


def started(decision: Decision) -> list[str]:
    return [start.tier for start in decision.starts]


def test_a_new_pull_request_is_verified_at_its_head(make: Any) -> None:
    decision = decide(make.new())
    assert [(s.tier, s.head, s.base) for s in decision.starts] == [("verify", make.head, make.base)]
    assert tier(decision).status is Status.WAITING


@pytest.mark.parametrize(
    ("change", "starts"),
    [
        ({}, True),
        ({"draft": True}, True),  # a draft is tested, only not merged
        ({"held_by": "mia"}, True),
        ({"unsafe": ("something",)}, True),
        ({"open": False}, False),
        ({"merged": True, "open": False}, False),
        ({"base_ref": "release"}, False),
        ({"files": None}, False),
        ({"files": ("README.md",)}, False),
        ({"files": ("environments/README.md",)}, False),
        ({"policy": None, "policy_problem": "line 3: what?"}, False),
    ],
)
def test_when_verify_starts(make: Any, change: dict[str, Any], starts: bool) -> None:
    decision = decide(make.new(**change))
    assert bool(decision.starts) is starts
    assert tier(decision).status in (Status.WAITING, Status.UNNEEDED)
    assert tier(decision).why


def test_one_live_job_for_each_tier_is_enough(make: Any) -> None:
    for live in (JobState.ASKED, JobState.RUNNING):
        decision = decide(make.new(jobs=(make.job(state=live),)))
        assert not decision.starts and not decision.cancels
        assert tier(decision).status is Status.RUNNING


def test_a_second_live_job_of_a_tier_is_cancelled_and_the_first_goes_on(make: Any) -> None:
    jobs = (make.job(2, state=JobState.RUNNING), make.job(1, state=JobState.ASKED))
    assert [cancel.job_id for cancel in decide(make.new(jobs=jobs)).cancels] == [make.job(2).id]


def test_a_job_on_an_old_head_is_cancelled_and_the_new_head_is_tested(make: Any) -> None:
    decision = decide(make.new(jobs=(make.job(state=JobState.RUNNING, head=make.old_head),)))
    assert [cancel.job_id for cancel in decision.cancels] == [make.job(1).id]
    assert [start.head for start in decision.starts] == [make.head]


@pytest.mark.parametrize("change", [{"open": False}, {"merged": True, "open": False}])
def test_every_job_of_a_closed_pull_request_is_cancelled(make: Any, change: dict[str, Any]) -> None:
    jobs = (make.job(1, state=JobState.RUNNING), make.job(2, "attack", state=JobState.ASKED), make.job(3))
    assert [one.job_id for one in decide(make.new(jobs=jobs, **change)).cancels] == [jobs[0].id, jobs[1].id]


@pytest.mark.parametrize(
    ("report", "counts"),
    [
        ({}, True),
        ({"environments": ("environments/other", "environments/two-sum")}, True),
        ({"head": "2" * 40}, False),
        ({"policy": "0" * 64}, False),
        ({"environments": ("environments/other",)}, False),
        ({"environments": ()}, False),
        ({"tier": "attack"}, False),
    ],
)
def test_which_report_counts(make: Any, report: dict[str, Any], counts: bool) -> None:
    decision = decide(make.state(accepted=(make.report(**report),)))
    assert (tier(decision).status is Status.PASSED) is counts
    assert (decision.merge is not None) is counts


@pytest.mark.parametrize(("verdict", "status"), [(Verdict.PASS, Status.PASSED), (Verdict.FAIL, Status.FAILED)])
def test_pass_and_fail_are_final_whoever_asks(make: Any, verdict: Verdict, status: Status) -> None:
    findings = ((make.environment, make.finding()),) if verdict is Verdict.FAIL else ()
    decision = decide(
        make.new(jobs=(make.job(),), accepted=(make.report(verdict=verdict, findings=findings),), asks=(make.ask(),))
    )
    assert tier(decision).status is status
    assert not decision.starts


@pytest.mark.parametrize("verdict", [Verdict.ERROR, Verdict.INCOMPLETE])
def test_no_result_waits_until_somebody_asks(make: Any, verdict: Verdict) -> None:
    state = make.new(jobs=(make.job(),), accepted=(make.report(verdict=verdict, reason="no jail"),))
    assert tier(decide(state)).status is Status.ERROR
    assert not decide(state).starts
    asked = replace(state, asks=(make.ask(),))
    assert started(decide(asked)) == ["verify"]
    # … and asking once is asking once: the new job may again give no result.
    jobs = (*state.jobs, make.job(70))
    again = replace(asked, jobs=jobs, accepted=(*state.accepted, make.report(70, verdict=verdict)))
    assert tier(decide(again)).status is Status.ERROR
    assert not decide(again).starts


def test_asking_for_another_commit_or_tier_starts_nothing(make: Any) -> None:
    state = make.new(jobs=(make.job(),), accepted=(make.report(verdict=Verdict.ERROR),))
    for ask in (make.ask(head=make.old_head), make.ask("attack")):
        assert not decide(replace(state, asks=(ask,))).starts


def test_a_lost_job_is_tried_twice_more_and_then_waits_for_somebody(make: Any) -> None:
    def lost(number: int) -> Any:
        return make.job(number, state=JobState.LOST, why="the runner went away")

    assert started(decide(make.new(jobs=(lost(1),)))) == ["verify"]
    assert started(decide(make.new(jobs=(lost(1), lost(2))))) == ["verify"]
    assert "the runner went away" in decide(make.new(jobs=(lost(1),))).starts[0].why
    worn = make.new(jobs=(lost(1), lost(2), lost(3)))
    assert tier(decide(worn)).status is Status.ERROR
    assert "the runner went away" in tier(decide(worn)).why
    assert not decide(worn).starts
    asked = replace(worn, asks=(make.ask(),))
    assert started(decide(asked)) == ["verify"]
    # Asked for, it again gets three tries in all.
    more = replace(asked, jobs=(*worn.jobs, lost(61), lost(62)))
    assert started(decide(more)) == ["verify"]
    assert not decide(replace(more, jobs=(*more.jobs, lost(63)))).starts


def test_a_report_that_never_counts_cannot_make_the_bot_dispatch_for_ever(make: Any) -> None:
    """A workflow that weighs by the wrong policy, against this very base, is a fault of ours like a lost job."""
    jobs = tuple(make.job(number) for number in (1, 2, 3))
    reports = tuple(make.report(number, policy="0" * 64) for number in (1, 2, 3))
    assert started(decide(make.new(jobs=jobs[:2], accepted=reports[:2]))) == ["verify"]
    worn = decide(make.new(jobs=jobs, accepted=reports))
    assert not worn.starts
    assert tier(worn).status is Status.ERROR


def test_a_changed_policy_makes_every_tier_run_anew(make: Any) -> None:
    state = make.state(policy=make.policy("attack"), jobs=(make.job(base=make.old_base),))
    decision = decide(state)
    assert started(decision) == ["verify"]
    assert decision.merge is None


def test_a_policy_may_change_as_often_as_it_likes(make: Any) -> None:
    """What was tested under an older policy is no fault of anybody, so it does not use up tries."""
    jobs = tuple(make.job(number, base=f"{number:040x}") for number in range(1, 6))
    reports = tuple(make.report(number, policy=f"{number:064x}") for number in range(1, 6))
    assert started(decide(make.new(jobs=jobs, accepted=reports))) == ["verify"]


def test_a_report_that_leaves_something_out_uses_up_a_try_wherever_the_base_is(make: Any) -> None:
    jobs = tuple(make.job(number, base=make.old_base) for number in (1, 2, 3))
    reports = tuple(make.report(number, base=make.old_base, environments=("environments/x",)) for number in (1, 2, 3))
    assert started(decide(make.new(jobs=jobs[:2], accepted=reports[:2]))) == ["verify"]
    assert started(decide(make.new(jobs=jobs, accepted=reports))) == []


def test_one_tiers_lost_jobs_are_not_anothers(make: Any) -> None:
    lost = tuple(make.job(number, "attack", state=JobState.LOST) for number in (1, 2, 3))
    assert started(decide(make.new(jobs=lost))) == ["verify"]
    old = tuple(make.job(number, head=make.old_head, state=JobState.LOST) for number in (1, 2, 3))
    assert started(decide(make.new(jobs=old))) == ["verify"]


def test_a_base_with_the_same_environments_changes_nothing(make: Any) -> None:
    old = {"jobs": (make.job(base=make.old_base),), "accepted": (make.report(base=make.old_base),)}
    assert decide(make.state(same_base=frozenset({make.old_base}), **old)).merge is not None


def test_a_base_with_other_environments_is_tested_against_before_the_merge(make: Any) -> None:
    """Two pull requests may bring the same environment, and each passed while the other was not there."""
    job, report = make.job(base=make.old_base), make.report(base=make.old_base)
    decision = decide(make.state(jobs=(job,), accepted=(report,)))
    assert decision.merge is None and [blocker.code for blocker in decision.blockers] == ["base-moved"]
    assert [(start.tier, start.head, start.base) for start in decision.starts] == [("verify", make.head, make.base)]
    assert tier(decision).status is Status.PASSED

    running = make.job(2, state=JobState.RUNNING)
    decision = decide(make.state(jobs=(job, running), accepted=(report,)))
    assert decision.merge is None and not decision.starts and not decision.cancels

    again = make.job(2)
    assert decide(make.state(jobs=(job, again), accepted=(report, make.report(2)))).merge is not None
    decision = decide(make.state(jobs=(job, again), accepted=(report, make.failed(2))))
    assert decision.merge is None and tier(decision).status is Status.FAILED


def test_what_cannot_be_merged_anyway_is_not_tested_against_every_new_base(make: Any) -> None:
    old = {"jobs": (make.job(base=make.old_base),), "accepted": (make.report(base=make.old_base),)}
    for held in ({"reviews": ()}, {"held_by": "mia"}, {"draft": True}):
        decision = decide(make.state(**old, **held))
        assert not decision.starts and "base-moved" not in [blocker.code for blocker in decision.blockers]


def test_a_second_test_that_comes_to_nothing_waits_for_somebody(make: Any) -> None:
    job, report = make.job(base=make.old_base), make.report(base=make.old_base)
    lost = tuple(make.job(number, state=JobState.LOST) for number in (2, 3, 4))
    decision = decide(make.state(jobs=(job, *lost), accepted=(report,)))
    assert decision.merge is None and not decision.starts
    assert "/verify" in decision.blockers[0].fix
    decision = decide(make.state(jobs=(job, *lost), accepted=(report,), asks=(make.ask(),)))
    assert [start.base for start in decision.starts] == [make.base]


def test_a_cancelled_job_counts_for_nothing(make: Any) -> None:
    jobs = tuple(make.job(number, state=JobState.CANCELLED) for number in range(1, 6))
    assert started(decide(make.new(jobs=jobs))) == ["verify"]


def test_a_failure_stands_beside_a_pass_in_any_order(make: Any) -> None:
    for first, second in ((1, 2), (2, 1)):
        accepted = (make.failed(first), make.report(second))
        decision = decide(make.state(jobs=(make.job(1), make.job(2)), accepted=accepted))
        assert tier(decision).status is Status.FAILED
        assert decision.merge is None


# --- later tiers ---


def attacking(make: Any, **changes: Any) -> Any:
    wanted = make.policy("attack")
    return make.state(policy=wanted, accepted=(make.report(policy=wanted.digest),), **changes)


def test_attack_starts_once_verify_passed_on_this_head(make: Any) -> None:
    assert started(decide(attacking(make))) == ["attack"]
    wanted = make.policy("attack")
    for accepted in (
        (),
        (make.failed(policy=wanted.digest),),
        (make.report(policy=wanted.digest, verdict=Verdict.ERROR),),
        (make.report(policy=wanted.digest, head=make.old_head),),
    ):
        decision = decide(make.state(policy=wanted, accepted=accepted))
        assert "attack" not in started(decision)
        assert tier(decision, "attack").status is Status.WAITING
        assert decision.merge is None


def test_a_newcomers_attack_waits_for_a_maintainer(make: Any) -> None:
    state = attacking(make, author_known=False)
    assert not decide(state).starts
    assert make.head[:12] in tier(decide(state), "attack").why
    assert started(decide(replace(state, asks=(make.ask("attack"),)))) == ["attack"]
    assert not decide(replace(state, asks=(make.ask("attack", head=make.old_head),))).starts


def test_a_draft_costs_no_money_unless_a_maintainer_says_so(make: Any) -> None:
    state = attacking(make, draft=True)
    assert not decide(state).starts
    assert started(decide(replace(state, asks=(make.ask("attack"),)))) == ["attack"]


def test_a_tier_that_the_policy_does_not_require_is_not_there(make: Any) -> None:
    assert [known.tier for known in decide(make.state()).tiers] == ["verify"]


def test_a_tier_that_a_maintainer_asked_for_has_to_pass_on_that_head(make: Any) -> None:
    asked = make.state(asks=(make.ask("attack"),))
    assert started(decide(asked)) == ["attack"]
    assert decide(asked).merge is None
    passed = replace(
        asked, jobs=(*asked.jobs, make.job(70, "attack")), accepted=(*asked.accepted, make.report(70, "attack"))
    )
    assert decide(passed).merge is not None


def test_the_gpu_bench_runs_only_where_an_environment_of_its_kind_is_changed(make: Any) -> None:
    wanted = make.policy("gpu-bench")
    state = make.state(policy=wanted, accepted=(make.report(policy=wanted.digest),))
    assert tier(decide(state), "gpu-bench").status is Status.UNNEEDED
    assert decide(state).merge is not None
    cuda = replace(state, kinds={make.environment: "cuda"})
    assert started(decide(cuda)) == ["gpu-bench"]
    assert decide(cuda).merge is None


def test_a_kind_that_cannot_be_read_may_be_the_one_that_needs_a_gpu(make: Any) -> None:
    wanted = make.policy("gpu-bench")
    state = make.state(policy=wanted, accepted=(make.report(policy=wanted.digest),), kinds={})
    assert started(decide(state)) == ["gpu-bench"]


def test_every_required_tier_has_to_pass(make: Any) -> None:
    wanted = make.policy("attack", "gpu-bench")
    names = ("verify", "attack", "gpu-bench")
    jobs = tuple(make.job(number, name) for number, name in enumerate(names, 1))
    accepted = tuple(make.report(number, name, policy=wanted.digest) for number, name in enumerate(names, 1))
    state = make.state(policy=wanted, kinds={make.environment: "cuda"}, jobs=jobs, accepted=accepted)
    merge = decide(state).merge
    assert merge is not None
    assert merge.job_ids == tuple(job.id for job in jobs)
    for missing in range(3):
        left = tuple(report for number, report in enumerate(accepted) if number != missing)
        assert decide(replace(state, accepted=left)).merge is None


# --- overrides ---


def test_an_override_lifts_one_rule_on_one_head(make: Any) -> None:
    state = make.state(accepted=(make.failed(),))
    assert decide(state).merge is None
    lifted = replace(state, overrides=(make.override(),))
    assert tier(decide(lifted)).status is Status.PASSED
    assert decide(lifted).merge is not None
    assert any("we looked at it by hand" in note for note in decide(lifted).notes)
    for other in (make.override(head=make.old_head), make.override("another-rule")):
        decision = decide(replace(state, overrides=(other,)))
        assert decision.merge is None
        assert not any("by hand" in note for note in decision.notes), "what lifts nothing is not worth a note"


def test_an_override_of_one_rule_leaves_the_others(make: Any) -> None:
    state = make.state(accepted=(make.failed(1, make.finding(), make.finding("flaky-check")),))
    decision = decide(replace(state, overrides=(make.override(),)))
    assert [blocker.code for blocker in decision.blockers] == ["verify-failed", "finding"]
    assert "flaky-check" in decision.blockers[1].why


def test_what_was_not_looked_at_cannot_be_overridden(make: Any) -> None:
    """Broken files fail the contract, and then nothing runs: lifting that finding would merge what nobody tested."""
    state = make.state(accepted=(make.failed(complete=False),), overrides=(make.override(),))
    assert tier(decide(state)).status is Status.FAILED
    assert decide(state).merge is None


def test_a_failure_without_findings_cannot_be_overridden(make: Any) -> None:
    state = make.state(accepted=(make.report(verdict=Verdict.FAIL),), overrides=(make.override(),))
    assert tier(decide(state)).status is Status.FAILED


def test_warnings_and_notes_block_nothing(make: Any) -> None:
    mild = tuple((make.environment, make.finding(severity=one)) for one in (Severity.WARNING, Severity.NOTE))
    assert decide(make.state(accepted=(make.report(findings=mild),))).merge is not None


def test_running_again_never_clears_a_finding(make: Any) -> None:
    """Even a report that failed on an earlier try keeps its findings against the merge."""
    state = make.state(jobs=(make.job(1), make.job(2)), accepted=(make.failed(1), make.report(2)))
    codes = [blocker.code for blocker in decide(state).blockers]
    assert "finding" in codes


def test_what_a_start_says_names_who_asked(make: Any) -> None:
    state = make.new(jobs=(make.job(),), accepted=(make.report(verdict=Verdict.ERROR),), asks=(make.ask(),))
    (start,) = decide(state).starts
    assert isinstance(start, Start) and "`mia`" in start.why
