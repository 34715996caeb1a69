"""Which tiers a head needs, what is known of each, and which jobs to start or cancel.

`pass` and `fail` are final for one head and one policy: nobody can run again until it passes. What proves nothing (an
error, an unfinished run, a lost job) may be run again: by itself twice where a job got lost, else when somebody asks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from bot.state import Accepted, Ask, Cancel, Job, JobState, Start, State, Status, TierState
from bot.text import tiers as say
from envbounty.findings import Finding, Severity, Verdict
from envbounty.policy import Tier

#: In the order in which they run. Later ones cost money, so they wait for the first.
ORDER: tuple[Tier, ...] = ("verify", "attack", "gpu-bench")

#: A job that got lost is tried anew so often without anybody asking.
NEW_TRIES = 2

LIVE = (JobState.ASKED, JobState.RUNNING)
FINAL = (Verdict.PASS, Verdict.FAIL)


@dataclass(frozen=True)
class Tiers:
    """What is known of all tiers on the head, and what to do about their jobs."""

    states: tuple[TierState, ...]
    starts: tuple[Start, ...]
    cancels: tuple[Cancel, ...]


def tiers(state: State, environments: Sequence[str]) -> Tiers:
    """Judge every tier of `state` that is needed on its head. `environments`: the directories that it changes."""
    states: list[TierState] = []
    starts: list[Start] = []
    for tier in ORDER:
        if not _shown(state, tier, environments):
            continue
        known, start = _judge(state, tier, environments, states)
        states.append(known)
        if start is not None:
            starts.append(start)
    settled = {known.tier for known in states if known.status in (Status.PASSED, Status.FAILED)}
    return Tiers(tuple(states), tuple(starts), _cancels(state, settled))


def needed(state: State, tier: Tier, environments: Sequence[str]) -> bool:
    """Whether this tier has to pass before this head can be merged: by the policy, or because a maintainer asked."""
    if not environments:
        return False
    if tier == "verify" or asked(state, tier) is not None:
        return True
    if state.policy is None or tier not in state.policy.tiers.required:
        return False
    # What kind an environment is may be unreadable. Then it could be the one that needs a GPU.
    return tier != "gpu-bench" or any(state.kinds.get(directory, "cuda") == "cuda" for directory in environments)


def errors(state: State, report: Accepted) -> tuple[tuple[str, Finding], ...]:
    """The findings of a report that block: errors which no maintainer overrode for this head."""
    lifted = {override.rule for override in state.overrides if override.head == state.head}
    return tuple(
        (directory, finding)
        for directory, finding in report.findings
        if finding.severity is Severity.ERROR and finding.rule not in lifted
    )


def counting(state: State, environments: Sequence[str], tier: Tier | None = None) -> tuple[Accepted, ...]:
    """The reports that count, oldest first: for this head, weighed by today's policy, on every changed environment."""
    if state.policy is None:
        return ()
    digest = state.policy.digest
    found = (
        report
        for report in state.accepted
        if report.head == state.head
        and report.policy == digest
        and set(environments) <= set(report.environments)
        and tier in (None, report.tier)
    )
    return tuple(sorted(found, key=lambda report: (report.accepted_at, report.job_id)))


def _shown(state: State, tier: Tier, environments: Sequence[str]) -> bool:
    if tier == "verify" or needed(state, tier, environments):
        return True
    if state.policy is not None and tier in state.policy.tiers.required:
        return True  # to say that it is not needed here, and why
    return any(job.tier == tier and job.head == state.head for job in state.jobs) and bool(environments)


def _judge(
    state: State, tier: Tier, environments: Sequence[str], before: Sequence[TierState]
) -> tuple[TierState, Start | None]:
    if state.files is None:
        return TierState(tier, Status.WAITING, say.FILES_UNKNOWN), None
    if not environments:
        return TierState(tier, Status.UNNEEDED, say.NO_ENVIRONMENT), None
    if state.policy is None:
        return TierState(tier, Status.WAITING, say.no_policy(state.policy_problem)), None
    reports = counting(state, environments, tier)
    settled = _settled(state, tier, reports)
    if settled is not None:
        return settled, None
    live = [job for job in state.jobs if job.tier == tier and job.head == state.head and job.state in LIVE]
    if live:
        return TierState(tier, Status.RUNNING, say.running(min(live, key=_age))), None
    if not needed(state, tier, environments):
        return TierState(tier, Status.UNNEEDED, say.not_needed(tier)), None
    tried, why_again = _tried(state, tier, reports, environments)
    if tried is not None:
        return tried, None
    waiting = _waits(state, tier, before)
    if waiting:
        return TierState(tier, Status.WAITING, waiting), None
    why = why_again or say.first_run(tier)
    return TierState(tier, Status.WAITING, say.STARTS), Start(tier, state.head, state.base, why)


def _settled(state: State, tier: Tier, reports: Sequence[Accepted]) -> TierState | None:
    """What the final reports say, if there is one. A failure stands whatever else was reported."""
    final = [report for report in reports if report.verdict in FINAL]
    failed = [report for report in final if report.verdict is Verdict.FAIL]
    if not final:
        return None
    if not failed:
        return TierState(tier, Status.PASSED, say.PASSED, final[0])
    for report in failed:
        blocking = errors(state, report)
        if blocking:
            return TierState(tier, Status.FAILED, say.failed(blocking), report)
        if not any(finding.severity is Severity.ERROR for _, finding in report.findings):
            return TierState(tier, Status.FAILED, say.failed_without_findings(report.reason), report)
        if not report.complete:
            # An override says that a finding is no reason; it says nothing of what has not been looked at.
            return TierState(tier, Status.FAILED, say.OVERRIDDEN_UNFINISHED, report)
    return TierState(tier, Status.PASSED, say.OVERRIDDEN, failed[0])


def _tried(
    state: State, tier: Tier, reports: Sequence[Accepted], environments: Sequence[str]
) -> tuple[TierState | None, str]:
    """What earlier tries without a result mean: an error that waits for somebody, or why to start again."""
    ask = asked(state, tier)
    jobs = sorted((job for job in state.jobs if job.tier == tier and job.head == state.head), key=_age)
    if ask is not None:
        jobs = [job for job in jobs if job.asked_at >= ask.at]
    by_job = {report.job_id: report for report in reports}
    fruitless = []
    for job in jobs:
        if job.id in by_job:  # an error or unfinished: what is final was settled before
            return TierState(tier, Status.ERROR, say.no_result(tier, state.head, by_job[job.id]), by_job[job.id]), ""
        if job.state is JobState.LOST or (job.state is JobState.REPORTED and not _outdated(state, job)):
            fruitless.append(job)
    if len(fruitless) > NEW_TRIES:
        return TierState(tier, Status.ERROR, say.lost(tier, state.head, fruitless)), ""
    if fruitless:
        return None, say.once_more(fruitless[-1])
    return None, say.asked(ask.login) if ask is not None else ""


def _outdated(state: State, job: Job) -> bool:
    """Whether a job's report does not count only because the policy was changed since."""
    if state.policy is None or job.base == state.base:
        return False
    return any(report.job_id == job.id and report.policy != state.policy.digest for report in state.accepted)


def _waits(state: State, tier: Tier, before: Sequence[TierState]) -> str:
    """Why a tier that has to run cannot start yet; empty when it can."""
    if state.merged or not state.open:
        return say.CLOSED
    if state.base_ref != state.default_branch:
        return say.other_branch(state.default_branch)
    if tier == "verify":
        return ""
    verify = next((known for known in before if known.tier == "verify"), None)
    if verify is None or verify.status is not Status.PASSED:
        return say.VERIFY_FIRST
    if asked(state, tier) is not None:
        return ""
    if state.draft:
        return say.draft(tier, state.head)
    if tier == "attack" and not state.author_known:
        return say.newcomer(state.head)
    return ""


def asked(state: State, tier: Tier) -> Ask | None:
    """The newest word of a maintainer to start this tier on this head."""
    asks = [ask for ask in state.asks if ask.tier == tier and ask.head == state.head]
    return max(asks, key=lambda ask: ask.at, default=None)


def _age(job: Job) -> tuple[object, str]:
    return job.asked_at, job.id


def _current(state: State, job: Job) -> bool:
    """Whether a job of verify is about the environments that the base branch has now, and no final report is yet."""
    here = state.same_base | {state.base}
    reports = (one for one in state.accepted if one.tier == "verify" and one.head == state.head and one.base in here)
    return job.tier == "verify" and job.base in here and not any(one.verdict in FINAL for one in reports)


def _cancels(state: State, settled: Collection[Tier]) -> tuple[Cancel, ...]:
    """Live jobs that nobody waits for: on an old head or a closed pull request, of a settled tier, or second ones."""
    found: list[Cancel] = []
    seen: set[Tier] = set()
    for job in sorted(state.jobs, key=_age):
        if job.state not in LIVE:
            continue
        if state.merged or not state.open:
            found.append(Cancel(job.id, say.CANCEL_CLOSED))
        elif job.head != state.head:
            found.append(Cancel(job.id, say.cancel_moved(job.head, state.head)))
        elif job.tier in settled and not _current(state, job):
            found.append(Cancel(job.id, say.CANCEL_SETTLED))
        elif job.tier in seen:
            found.append(Cancel(job.id, say.CANCEL_DOUBLE))
        else:
            seen.add(job.tier)
    return tuple(found)
