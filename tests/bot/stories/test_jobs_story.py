"""Jobs: dispatched once, cancelled in time, lost without harm, and believed only when they prove who they are."""

from __future__ import annotations

from typing import Any

import pytest
from town import Town, environment, finding, opened

from bot.state import JobState
from bot.store import jobs
from envbounty.findings import Severity, Verdict
from localhub.model import Pull
from localhub.oidc import claims_of


def states(town: Town, pull: Pull) -> list[JobState]:
    with town.bot.store.read() as db:
        return [job.state for job in jobs.of_pull(db, town.repo.id, pull.number)]


def dispatches(town: Town) -> int:
    return sum("/dispatches" in call for call in town.writes())


def test_a_dispatch_whose_answer_is_lost_is_found_and_not_sent_again(town: Town) -> None:
    town.hub.faults.add("error_after", "POST .*/dispatches", times=1)
    pull = opened(town)
    town.wait(10)
    assert len(town.runs()) == 1 and dispatches(town) == 1
    assert states(town, pull) == [JobState.RUNNING]
    town.report(town.run())
    town.settle()
    assert town.checks(pull) == {"envbounty/verify": "success"}


def test_a_dispatch_that_never_arrived_is_lost_and_another_job_starts(town: Town) -> None:
    town.hub.faults.add("bad_gateway", "POST .*/dispatches", times=1)
    pull = opened(town)
    town.wait(10)
    assert town.runs() == [] and states(town, pull) == [JobState.ASKED]
    town.wait(town.settings.dispatch_grace)
    assert len(town.runs()) == 1 and states(town, pull) == [JobState.LOST, JobState.RUNNING]


def test_a_rate_limited_dispatch_did_not_happen(town: Town) -> None:
    town.hub.faults.add("secondary_limit", "POST .*/dispatches", times=1, retry_after=30)
    pull = opened(town)
    assert town.runs() == [] and states(town, pull) == []
    town.wait(20)
    assert town.runs() == []
    town.wait(20)
    assert states(town, pull) == [JobState.RUNNING]


def test_a_run_without_report_is_lost_after_a_grace_and_given_up_after_three(town: Town) -> None:
    pull = opened(town)
    for number in (1, 2, 3):
        assert len(town.runs()) == number
        town.hub.finish_run(town.run(), "failure")
        town.settle()
        assert len(town.runs()) == number  # the report may still be on its way
        town.wait(town.settings.report_grace + 1)
        town.wait(1)
    assert states(town, pull) == [JobState.LOST] * 3
    assert town.checks(pull) == {"envbounty/verify": "action_required"}
    town.ann.comment(pull, "/verify")
    town.settle()
    assert len(town.runs()) == 4
    town.report(town.run())
    town.settle()
    assert town.checks(pull) == {"envbounty/verify": "success"}


def test_a_missing_workflow_is_an_error_that_says_so(town: Town) -> None:
    town.max.push(town.repo, "main", {".github/workflows/verify.yml": None})
    pull = opened(town)
    for _ in range(4):
        town.wait(10)
    assert states(town, pull) == [JobState.LOST] * 3
    assert town.checks(pull) == {"envbounty/verify": "action_required"}


def test_a_new_head_cancels_the_old_run(town: Town) -> None:
    pull = opened(town)
    first = town.run()
    town.ann.push_to(pull, {"environments/sums/task.md": "Do it.\n"})
    town.settle()
    assert first.conclusion == "cancelled"
    assert states(town, pull) == [JobState.CANCELLED, JobState.RUNNING]
    assert town.report(first).status_code == 409  # it reports all the same
    town.settle()
    assert town.checks(pull) == {"envbounty/verify": "in_progress"}


def test_a_closed_pull_request_costs_nothing_more(town: Town) -> None:
    pull = opened(town)
    town.ann.close_issue(pull)
    town.settle()
    assert town.run().conclusion == "cancelled" and states(town, pull) == [JobState.CANCELLED]
    town.ann.reopen(pull)
    town.settle()
    assert states(town, pull) == [JobState.CANCELLED, JobState.RUNNING]


def test_a_failure_is_final_for_its_head(town: Town) -> None:
    pull = opened(town)
    town.report(town.run(), [finding()])
    town.settle()
    town.max.approve(pull)
    town.ann.comment(pull, "/verify")
    town.settle()
    assert town.checks(pull) == {"envbounty/verify": "failure"}
    assert len(town.runs()) == 1 and not pull.merged


def test_an_error_can_be_run_again(town: Town) -> None:
    pull = opened(town)
    town.report(town.run(), verdict=Verdict.ERROR)
    town.settle()
    assert town.checks(pull) == {"envbounty/verify": "action_required"}
    town.ann.comment(pull, "/verify")
    town.settle()
    assert len(town.runs()) == 2
    assert town.checks(pull) == {"envbounty/verify": "in_progress"}


def test_trouble_is_no_pass(town: Town) -> None:
    pull = opened(town)
    town.report(town.run(), report=None, artifact=None, trouble="no report.json was left")
    town.settle()
    assert states(town, pull) == [JobState.LOST, JobState.RUNNING]


def test_the_same_report_twice_is_one_and_another_one_is_refused(town: Town) -> None:
    opened(town)
    run = town.run()
    body = town.posted(run, [], None, ["sums"])
    job = run.start_job("report")

    def token() -> str:
        return town.issuer.sign(claims_of(job), town.settings.audience)

    first = token()
    assert town.post(body, first).json() == {"outcome": "accepted"}
    assert town.post(body, first).json() == {"outcome": "again"}  # the answer was lost, so it is sent again
    assert town.post(body, token()).json() == {"outcome": "again"}
    other = town.post(body | {"artifact": body["artifact"] | {"size": 1}}, token())
    assert (other.status_code, other.json()["error"]) == (409, "job-state")


@pytest.mark.parametrize(
    ("claims", "code"),
    [
        ({"repository_id": "1"}, "repository"),
        ({"run_id": "1"}, "run"),
        ({"run_attempt": "2"}, "attempt"),
        ({"event_name": "pull_request"}, "event"),
        ({"ref": "refs/pull/1/merge"}, "ref"),
        ({"actor_id": "1"}, "actor"),
        ({"aud": "https://elsewhere.example"}, "audience"),
        ({"iss": "https://elsewhere.example"}, "issuer"),
        ({"runner_environment": "self-hosted"}, "runner"),
        ({"workflow_ref": "lab/bounties/.github/workflows/own.yml@refs/heads/main"}, "workflow"),
        ({"exp": 1}, "expired"),
    ],
)
def test_a_token_of_another_job_is_refused(town: Town, claims: dict[str, Any], code: str) -> None:
    pull = opened(town)
    answer = town.report(town.run(), claims=claims, finish=False)
    assert (answer.status_code, answer.json()["error"]) == (401, code)
    town.settle()
    assert states(town, pull) == [JobState.RUNNING]
    assert town.report(town.run()).status_code == 202  # a refused token uses nothing up


def test_a_stranger_learns_nothing(town: Town) -> None:
    answers = [town.post({}, "x"), town.post({}, "x.y.z"), town.client.post(f"{town.url}/report", json={})]
    assert [answer.status_code for answer in answers] == [401, 401, 401]


def test_a_report_that_names_another_artifact_is_refused(town: Town) -> None:
    pull = opened(town)
    run = town.run()
    body = town.posted(run, [], None, ["sums"])
    answer = town.report(run, artifact=body["artifact"] | {"digest": "sha256:" + "0" * 64})
    assert answer.status_code == 202  # who sent it is beyond doubt; what it says is not
    town.settle()
    assert states(town, pull) == [JobState.LOST, JobState.RUNNING]


def test_a_forged_pull_request_run_reports_nothing(town: Town) -> None:
    """The fork's own workflow run mints no token of ours; even with all else right its event gives it away."""
    pull = opened(town)
    real = town.run()
    body = town.posted(real, [], None, ["sums"])
    forged = town.issuer.sign(claims_of(real.start_job("report")), town.settings.audience, event_name="pull_request")
    assert town.post(body, forged).status_code == 401
    town.settle()
    assert states(town, pull) == [JobState.RUNNING]


def test_a_report_that_comes_before_the_run_is_known_is_kept(town: Town) -> None:
    town.hub.faults.add("error_after", "POST .*/dispatches", times=1)
    pull = opened(town)
    assert states(town, pull) == [JobState.ASKED]
    assert town.report(town.run()).status_code == 202
    town.wait(10)
    assert states(town, pull) == [JobState.REPORTED]
    assert town.checks(pull) == {"envbounty/verify": "success"}


def test_warnings_pass_and_are_shown(town: Town) -> None:
    pull = opened(town)
    town.report(town.run(), [finding("few-solutions", severity=Severity.WARNING)])
    town.settle()
    assert town.checks(pull) == {"envbounty/verify": "success"}
    assert town.inline(pull) == ["environments/sums/environment.py:3"]


def test_a_removed_environment_is_not_tested_and_not_merged(town: Town) -> None:
    town.max.push(town.repo, "main", environment("old"))
    town.settle()
    gone = dict.fromkeys(environment("old"))
    pull = town.ann.open_pull(town.repo, gone)
    town.max.approve(pull)
    town.settle()
    assert town.runs() == [] and not pull.merged
