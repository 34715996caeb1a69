"""A posted result: strict in form, bound to one job and one run, and never taken for more than it proves."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot import ingest
from bot.ingest import Lost, Posted, Refused, Run, accept, bind, read
from bot.oidc import Claims
from bot.settings import MAX_REPORT
from bot.state import Accepted, Job, JobState
from envbounty.findings import Environment, Finding, Halted, Jail, Report, Result, Severity, Verdict

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
HEAD, BASE, SHA, POLICY = "1" * 40, "2" * 40, "d" * 40, "e" * 64
JOB = Job("f" * 32, "verify", HEAD, BASE, JobState.RUNNING, NOW, run_id=30433642)
ENVIRONMENT = "environments/two-sum"
PATH = ".github/workflows/verify.yml"

CLAIMS = Claims("jti", 30433642, 1, 74, 12345, SHA, "octo/b/" + PATH + "@refs/heads/main", "x", 0)
RUN = Run(
    id=30433642,
    attempt=1,
    path=f"{PATH}@main",
    event="workflow_dispatch",
    head_branch="main",
    head_sha=SHA,
    repository_id=74,
    head_repository_id=74,
    actor_id=12345,
    triggering_actor_id=12345,
    title=f"envbounty verify job={JOB.id}",
)


def result(path: str = ENVIRONMENT, verdict: Verdict = Verdict.PASS, **changes: Any) -> Result:
    environment = Environment(name=path.rpartition("/")[2], path=path, kind="function", dialect="native")
    return Result(environment=environment, verdict=verdict, policy=POLICY, **changes)


def report(*results: Result, **changes: Any) -> Report:
    return Report(policy=POLICY, jail=Jail(backend="docker", isolated=True), results=results or (result(),), **changes)


def body(**changes: Any) -> dict[str, Any]:
    return {
        "schema": 1,
        "job_id": JOB.id,
        "tier": "verify",
        "head_sha": HEAD,
        "base_sha": BASE,
        "artifact": {"id": 5, "digest": "sha256:" + "a" * 64, "size": 1000},
        "report": json.loads(report().to_json()),
        **changes,
    }


def posted(*results: Result, **changes: Any) -> Posted:
    return read(json.dumps(body(report=json.loads(report(*results, **changes).to_json()))).encode())


def taken(
    *results: Result, job: Job = JOB, environments: Any = (ENVIRONMENT,), policy: str | None = POLICY, **changes: Any
) -> Accepted | Lost:
    return accept(posted(*results, **changes), job, environments, policy, NOW)


# --- the form ---


def test_a_body_that_keeps_the_form() -> None:
    read_back = read(json.dumps(body()).encode())
    assert (read_back.job_id, read_back.tier, read_back.head, read_back.base) == (JOB.id, "verify", HEAD, BASE)
    assert read_back.report is not None and read_back.report.verdict is Verdict.PASS
    assert read_back.artifact is not None and read_back.artifact.digest == "sha256:" + "a" * 64


def test_trouble_instead_of_a_report() -> None:
    read_back = read(json.dumps(body(report=None, artifact=None, trouble="timed out")).encode())
    assert read_back.report is None and read_back.trouble == "timed out"


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2},
        {"schema": "1"},
        {"schema": True},
        {"job_id": "f" * 31},
        {"job_id": "F" * 32},
        {"job_id": "f" * 32 + "\n"},
        {"job_id": 7},
        {"tier": "merge"},
        {"tier": None},
        {"head_sha": "main"},
        {"head_sha": "1" * 40 + "\n"},
        {"base_sha": "2" * 41},
        {"artifact": None},
        {"artifact": {"id": 5, "digest": "md5:" + "a" * 32, "size": 1}},
        {"artifact": {"id": 0, "digest": "sha256:" + "a" * 64, "size": 1}},
        {"artifact": {"id": "5", "digest": "sha256:" + "a" * 64, "size": 1}},
        {"artifact": {"id": 5, "digest": "sha256:" + "a" * 64, "size": 5 * 1024 * 1024}},
        {"artifact": {"id": 5, "digest": "sha256:" + "a" * 64, "size": 1, "path": "../x"}},
        {"report": None},
        {"report": []},
        {"report": "{}"},
        {"report": {}},
        {"trouble": "both a report and trouble"},
        {"trouble": None},
        {"report": None, "trouble": " "},
        {"report": None, "trouble": "x" * 501},
        {"extra": 1},
        {"verdict": "pass"},
    ],
)
def test_a_body_that_breaks_the_form_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(Refused) as caught:
        read(json.dumps(body(**change)).encode())
    assert caught.value.status == 422


@pytest.mark.parametrize("name", ["schema", "job_id", "tier", "head_sha", "base_sha", "report"])
def test_nothing_may_be_missing(name: str) -> None:
    left = body()
    del left[name]
    with pytest.raises(Refused) as caught:
        read(json.dumps(left).encode())
    assert caught.value.status == 422


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b"\xff",
        b"[" * 100_000,
        b'{"schema": NaN}',
        b'{"a":' * 5000 + b"1" + b"}" * 5000,
        b'{"schema": ' + b"9" * 10_000 + b"}",
    ],
)
def test_what_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(Refused) as caught:
        read(text)
    assert caught.value.status == 422


def test_a_key_that_is_given_twice_is_refused_at_any_depth() -> None:
    """Readers differ in which one they believe. A verdict that only some of them see is a lie for the others."""
    text = json.dumps(body())
    for found, doubled in (
        ('"schema": 1', '"schema": 1, "schema": 1'),
        ('"verdict": "pass"', '"verdict": "fail", "verdict": "pass"'),
    ):
        assert found in text
        with pytest.raises(Refused) as caught:
            read(text.replace(found, doubled, 1).encode())
        assert caught.value.status == 422


def test_a_body_too_large_is_not_even_read() -> None:
    assert ingest.MAX_BODY == MAX_REPORT == 4 * 1024 * 1024
    with pytest.raises(Refused) as caught:
        read(b"x" * (ingest.MAX_BODY + 1))
    assert (caught.value.status, caught.value.code) == (413, "too-large")


def forged(**changes: Any) -> bytes:
    text = json.loads(report(result(verdict=Verdict.FAIL, findings=(error(),))).to_json())
    text["results"][0].update(changes.pop("result", {}))
    return json.dumps(body(report={**text, **changes})).encode()


def error(rule: str = "accepts-nothing", **changes: Any) -> Finding:
    told = {"severity": Severity.ERROR, "message": "it accepts nothing", "path": "environment.py", "fix": "mend it"}
    return Finding(rule=rule, **{**told, **changes})


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "pass"},
        {"result": {"verdict": "pass"}, "verdict": "pass"},
        {"result": {"policy": "0" * 64}},
        {"result": {"verdict": "great"}},
        {"result": {"surprise": 1}},
        {"results": []},
    ],
)
def test_a_report_whose_verdict_does_not_follow_from_its_findings_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(Refused) as caught:
        read(forged(**change))
    assert (caught.value.status, caught.value.code) == (422, "report")


def test_a_refusal_does_not_repeat_what_was_posted() -> None:
    for change in ({"tier": "@octocat"}, {"head_sha": "@octocat"}, {"report": {"@octocat": "@octocat"}}):
        with pytest.raises(Refused) as caught:
            read(json.dumps(body(**change)).encode())
        assert len(str(caught.value)) < 600


@settings(max_examples=200, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from([*body(), "results", "jail", "x"]), inner, max_size=5)
        ),
        max_leaves=20,
    )
)
def test_any_json_is_read_or_refused(value: Any) -> None:
    with pytest.raises(Refused):
        read(json.dumps(value).encode())


# --- whose run it is ---


def bound(job: Job = JOB, claims: Claims = CLAIMS, run: Run = RUN) -> None:
    bind(claims, job, run, path=PATH, branch="main")


def test_our_run_is_bound() -> None:
    bound()
    bound(run=replace(RUN, path=PATH))  # older API versions give the path alone
    # The report can arrive before the answer to our dispatch was written down.
    bound(job=replace(JOB, state=JobState.ASKED, run_id=None))


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"id": 1}, "run"),
        ({"attempt": 2}, "attempt"),
        ({"repository_id": 75}, "repository"),
        ({"head_repository_id": 75}, "head-repository"),
        ({"event": "pull_request"}, "event"),
        ({"event": "workflow_run"}, "event"),
        ({"path": ".github/workflows/lint.yml@main"}, "path"),
        ({"path": f"{PATH}@evil"}, "path"),
        ({"path": ""}, "path"),
        ({"head_branch": "evil"}, "branch"),
        ({"head_sha": "e" * 40}, "sha"),
        ({"actor_id": 666}, "actor"),
        ({"triggering_actor_id": 666}, "triggering-actor"),
        ({"title": "envbounty verify job=" + "0" * 32}, "title"),
        ({"title": ""}, "title"),
    ],
)
def test_github_has_to_show_the_same_run_as_the_token(change: dict[str, Any], code: str) -> None:
    with pytest.raises(Refused) as caught:
        bound(run=replace(RUN, **change))
    assert (caught.value.status, caught.value.code) == (409, code)


@pytest.mark.parametrize("state", [JobState.REPORTED, JobState.LOST, JobState.CANCELLED])
def test_a_job_that_has_ended_takes_no_report(state: JobState) -> None:
    with pytest.raises(Refused) as caught:
        bound(job=replace(JOB, state=state))
    assert (caught.value.status, caught.value.code) == (409, "job-state")


def test_one_jobs_run_cannot_report_for_another_job() -> None:
    other = replace(JOB, id="0" * 32, run_id=7)
    with pytest.raises(Refused) as caught:
        bound(job=other)
    assert (caught.value.status, caught.value.code) == (409, "run")
    with pytest.raises(Refused) as caught:
        bound(job=replace(other, run_id=None))
    assert (caught.value.status, caught.value.code) == (409, "title")


# --- what it is worth ---


def test_a_report_that_covers_everything_is_accepted() -> None:
    accepted = taken()
    assert isinstance(accepted, Accepted)
    assert (accepted.job_id, accepted.tier, accepted.head, accepted.base) == (JOB.id, "verify", HEAD, BASE)
    assert (accepted.verdict, accepted.policy, accepted.complete) == (Verdict.PASS, POLICY, True)
    assert accepted.environments == (ENVIRONMENT,)
    assert accepted.accepted_at == NOW


def test_findings_keep_the_directory_that_they_are_about() -> None:
    accepted = taken(result(verdict=Verdict.FAIL, findings=(error(),)), result("environments/other"))
    assert isinstance(accepted, Accepted)
    assert [(directory, one.rule) for directory, one in accepted.findings] == [(ENVIRONMENT, "accepts-nothing")]
    assert accepted.verdict is Verdict.FAIL
    assert accepted.environments == ("environments/other", ENVIRONMENT)


@pytest.mark.parametrize(
    "change",
    [
        {"contract": False},
        {"halted": Halted(verdict=Verdict.INCOMPLETE, reason="out of time")},
    ],
)
def test_a_report_of_checks_that_did_not_all_run_is_not_complete(change: dict[str, Any]) -> None:
    accepted = taken(result(verdict=Verdict.FAIL, findings=(error(),), **change))
    assert isinstance(accepted, Accepted) and not accepted.complete


@pytest.mark.parametrize("change", [{"id": "0" * 32}, {"tier": "attack"}, {"head": "3" * 40}, {"base": "3" * 40}])
def test_a_post_about_another_job_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(Refused) as caught:
        accept(posted(), replace(JOB, **change), (ENVIRONMENT,), POLICY, NOW)
    assert (caught.value.status, caught.value.code) == (409, "job")


def test_what_proves_nothing_is_lost_and_never_a_pass() -> None:
    unjailed = report().model_copy(update={"jail": Jail(backend="none", isolated=False)})
    lost = {
        "a run without a jail": accept(replace(posted(), report=unjailed), JOB, (ENVIRONMENT,), POLICY, NOW),
        "another tier": taken(tier="attack"),
        "an environment is missing": taken(environments=(ENVIRONMENT, "environments/other")),
        "an environment twice": taken(result(), result()),
        "another policy": taken(policy="0" * 64),
        "no environment at all": taken(result("environments")),
        "a place outside": taken(result("environments/../policies"), environments=()),
        "a place inside an environment": taken(result(ENVIRONMENT + "/solutions"), environments=()),
        "an absolute place": taken(result("/environments/two-sum"), environments=()),
    }
    for what, outcome in lost.items():
        assert isinstance(outcome, Lost), what
        assert outcome.why and "\n" not in outcome.why


def test_no_policy_and_no_results_are_lost() -> None:
    bare = Report(jail=Jail(backend="docker", isolated=True), results=(result().model_copy(update={"policy": ""}),))
    for empty in (bare, report().model_copy(update={"results": ()})):
        outcome = accept(replace(posted(), report=empty), JOB, (), None, NOW)
        assert isinstance(outcome, Lost)


def test_trouble_is_lost_with_its_words() -> None:
    told = read(json.dumps(body(report=None, artifact=None, trouble="timed out after 300 s")).encode())
    outcome = accept(told, JOB, (ENVIRONMENT,), POLICY, NOW)
    assert isinstance(outcome, Lost) and "timed out after 300 s" in outcome.why


def test_an_error_is_accepted_as_an_error() -> None:
    halted = Halted(verdict=Verdict.ERROR, reason="no jail")
    accepted = taken(result(verdict=Verdict.ERROR, reason="no jail", halted=halted))
    assert isinstance(accepted, Accepted)
    assert (accepted.verdict, accepted.reason) == (Verdict.ERROR, "no jail")
