"""A posted result: reading it, binding it to one of our jobs, and making of it what a decision may rest on. Pure.

The body comes from a job that ran no contributor's byte, but what it carries was written by one that did. So the form
is strict, nothing in it is believed about who and when, and its text is data to the end.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bot.decide.touched import environment_of
from bot.oidc import Claims
from bot.state import Accepted, Job, JobState
from bot.text import trouble as say
from envbounty.findings import Report, Result, Verdict
from envbounty.policy import Tier

#: Bytes. The largest report that the sandbox job may upload fits with room to spare.
MAX_BODY = 4 * 1024 * 1024

#: Trouble is one line.
MAX_TROUBLE = 500

#: The states of a job in which a report may come.
REPORTABLE = (JobState.ASKED, JobState.RUNNING)


class Refused(Exception):
    """A post that is not taken: the HTTP `status` to answer with, a stable `code`, and in `str()` why."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


Sha = Annotated[str, Field(pattern=r"\A[0-9a-f]{40}\z")]


class Artifact(_Model):
    """The file that the report was taken from, as GitHub stores it."""

    id: int = Field(ge=1)
    digest: str = Field(pattern=r"\Asha256:[0-9a-f]{64}\z")
    size: int = Field(ge=0, le=MAX_BODY)


class _Body(_Model):
    schema_version: int = Field(alias="schema", ge=1, le=1)
    job_id: str = Field(pattern=r"\A[0-9a-f]{32}\z")
    tier: Tier
    head_sha: Sha
    base_sha: Sha
    artifact: Artifact | None = None
    report: dict[str, Any] | None
    trouble: str = Field("", max_length=MAX_TROUBLE)

    @model_validator(mode="after")
    def _one_of_both(self) -> _Body:
        if (self.report is None) == (not self.trouble.strip()):
            raise ValueError("either a report or trouble is to be given")
        if self.report is not None and self.artifact is None:
            raise ValueError("a report needs the artifact that it is from")
        return self


@dataclass(frozen=True)
class Posted:
    """A body that keeps the form. Whether it belongs to a job of ours is not said yet."""

    job_id: str
    tier: Tier
    head: str
    base: str
    artifact: Artifact | None
    report: Report | None
    trouble: str = ""


@dataclass(frozen=True)
class Lost:
    """A post from the right job that holds no report which could be accepted; `why` in one line, to be escaped."""

    why: str


@dataclass(frozen=True)
class Run:
    """A workflow run as GitHub's REST API shows it now."""

    id: int
    attempt: int
    path: str
    event: str
    head_branch: str
    head_sha: str
    repository_id: int
    head_repository_id: int
    actor_id: int
    triggering_actor_id: int
    title: str = ""


def read(body: bytes) -> Posted:
    """The post in `body`. Raises `Refused` with 413 or 422."""
    if len(body) > MAX_BODY:
        raise Refused(413, "too-large", f"a report has at most {MAX_BODY} bytes")
    try:
        value = json.loads(body, object_pairs_hook=_no_doubles, parse_constant=_no_constant)
        parsed = _Body.model_validate(value)
    except RecursionError:
        raise Refused(422, "form", "a report is not nested this deeply") from None
    except ValidationError as error:
        raise Refused(422, "form", _first(error)) from None
    except ValueError as error:
        raise Refused(422, "form", f"this is no JSON: {type(error).__name__}") from None
    return Posted(
        job_id=parsed.job_id,
        tier=parsed.tier,
        head=parsed.head_sha,
        base=parsed.base_sha,
        artifact=parsed.artifact,
        report=_report(parsed.report) if parsed.report is not None else None,
        trouble=parsed.trouble.strip(),
    )


def bind(claims: Claims, job: Job, run: Run, *, path: str, branch: str) -> None:
    """Check that the token's run is the one that GitHub shows, and that it is this job's. Raises `Refused` with 409.

    `path`: the tier's workflow file, such as .github/workflows/verify.yml; `branch`: the default branch. GitHub's own
    word is asked on top of the token, because a token is a statement about the past: a run can be started again.
    """
    if job.state not in REPORTABLE:
        raise Refused(409, "job-state", f"the job is {job.state.value}, so it takes no report")
    if job.run_id is not None and job.run_id != claims.run_id:
        raise Refused(409, "run", "the job belongs to another run")
    shown_path, _, shown_ref = run.path.partition("@")
    same = (
        (run.id, claims.run_id, "run", "GitHub shows another run"),
        (run.attempt, claims.run_attempt, "attempt", "the run was started again since"),
        (run.repository_id, claims.repository_id, "repository", "the run is of another repository"),
        (run.head_repository_id, claims.repository_id, "head-repository", "the run is of a fork's commit"),
        (run.event, "workflow_dispatch", "event", "the run was not dispatched"),
        (shown_path, path, "path", "the run is of another workflow file"),
        (shown_ref or branch, branch, "path", "the run's workflow file is from another branch"),
        (run.head_branch, branch, "branch", "the run is not on the default branch"),
        (run.head_sha, claims.sha, "sha", "the run is of another commit than the token says"),
        (run.actor_id, claims.actor_id, "actor", "the run was started by somebody else"),
        (run.triggering_actor_id, claims.actor_id, "triggering-actor", "the run was started again by somebody else"),
    )
    for seen, wanted, code, message in same:
        if seen != wanted:
            raise Refused(409, code, message)
    if job.id not in run.title:
        raise Refused(409, "title", "the run does not bear the job's id")


def accept(
    posted: Posted, job: Job, environments: Collection[str], policy: str | None, now: datetime
) -> Accepted | Lost:
    """What a bound post is worth. `environments`: the directories that the pull request changes on the job's head.

    `policy`: the digest of the policy at the job's base; None where that is not known any more, and then the report's
    own stands (a decision takes it only while it is the base branch's). Raises `Refused` with 409 where the post is
    about another job; a post from the right job that proves nothing is `Lost`, never a pass.
    """
    if posted.job_id != job.id:
        raise Refused(409, "job", "the post names another job")
    if posted.tier != job.tier or posted.head != job.head or posted.base != job.base:
        raise Refused(409, "job", "the post is about another tier or commit than its job")
    if posted.report is None:
        return Lost(say.ended(posted.trouble))
    report = posted.report
    why = _unfit(report, job, environments, policy)
    if why:
        return Lost(why)
    return Accepted(
        job_id=job.id,
        tier=job.tier,
        head=job.head,
        base=job.base,
        policy=report.policy,
        verdict=report.verdict,
        environments=tuple(sorted(result.environment.path for result in report.results)),
        findings=tuple((result.environment.path, finding) for result in report.results for finding in result.findings),
        accepted_at=now,
        reason=_reason(report.results, report.verdict),
        complete=all(result.contract and result.halted is None for result in report.results),
    )


def _unfit(report: Report, job: Job, environments: Collection[str], policy: str | None) -> str:
    """Why a report proves nothing about its job; empty when it does."""
    if report.tier != job.tier:
        return say.OTHER_TIER
    if not report.results:
        return say.NO_RESULTS
    if not report.policy:
        return say.NO_POLICY
    if policy is not None and report.policy != policy:
        return say.other_policy()
    if not report.jail.isolated:
        return say.NO_JAIL
    seen: set[str] = set()
    for result in report.results:
        path = result.environment.path
        if environment_of(f"{path}/env.yaml") != path:
            return say.NO_PATH
        if path in seen:
            return say.doubled(path)
        seen.add(path)
    if missing := sorted(set(environments) - seen):
        return say.missing(missing)
    return ""


def _reason(results: Sequence[Result], verdict: Verdict) -> str:
    """Why the report's verdict is what it is: the first reason of a result that has it."""
    return next((result.reason for result in results if result.verdict is verdict and result.reason), "")


def _report(value: dict[str, Any]) -> Report:
    try:
        return Report.from_json(json.dumps(value))
    except ValidationError as error:
        raise Refused(422, "report", _first(error)) from None
    except (ValueError, RecursionError) as error:
        raise Refused(422, "report", str(error)[:MAX_TROUBLE]) from None


def _no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Two keys of one name: which one counts differs from reader to reader, so neither does."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _first(error: ValidationError) -> str:
    """The first thing that is wrong, without what was written there."""
    detail = error.errors(include_input=False, include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in detail["loc"][:6])[:200]
    return f"{place or 'body'}: {detail['msg'][:200]}"
