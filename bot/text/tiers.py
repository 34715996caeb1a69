"""Why a tier stands where it stands, and why jobs start and end."""

from __future__ import annotations

from collections.abc import Sequence

from bot.escape import code, names
from bot.state import Accepted, Job
from bot.text.words import TIER, command, login, plural, sha
from envbounty.findings import Finding, Verdict
from envbounty.policy import Tier

FILES_UNKNOWN = "Waits: the pull request changes more files than GitHub lists, so what to test is not known."
NO_ENVIRONMENT = "Not needed: the pull request changes no environment."
CLOSED = "Waits: the pull request is closed."
STARTS = "Starts now."
VERIFY_FIRST = "Waits for verify to pass on this commit."
PASSED = "Passed: no finding that blocks."
OVERRIDDEN = "Passed by a maintainer's word: each finding that would block was overridden for this commit."
OVERRIDDEN_UNFINISHED = (
    "Failed. The findings were overridden, but because of them not every check ran, and what was not looked at cannot "
    "be overridden. Push a commit that mends them."
)
CANCEL_CLOSED = "the pull request is closed"
CANCEL_SETTLED = "this commit has its result"
CANCEL_DOUBLE = "another job tests the same commit"


def no_policy(problem: str) -> str:
    told = f": {code(problem, 300)}" if problem else ""
    return f"Waits: the policy of the base branch cannot be read{told}."


def other_branch(default: str) -> str:
    return f"Waits: only pull requests into {code(default, 100)} are tested."


def draft(tier: Tier, head: str) -> str:
    return f"Waits until this is no draft any more, or a maintainer writes {command(tier, head)}."


def newcomer(head: str) -> str:
    return (
        "Waits for a maintainer: this is the author's first pull request here, and this tier costs money. "
        f"A maintainer starts it with {command('attack', head)}."
    )


def not_needed(tier: Tier) -> str:
    if tier == "gpu-bench":
        return "Not needed: no environment of kind `cuda` is changed."
    return "Not needed: the policy does not require it."


def first_run(tier: Tier) -> str:
    return f"{tier} has not run on this commit under today's policy"


def asked(name: str) -> str:
    return f"{login(name)} asked for it"


def once_more(job: Job) -> str:
    return f"the last job left no report ({code(job.why or 'nobody knows why', 300)})"


def cancel_moved(old: str, new: str) -> str:
    return f"the head moved from {sha(old)} to {sha(new)}"


def running(job: Job) -> str:
    return f"Job {code(job.id[:8])} is running." if job.run_id is not None else f"Job {code(job.id[:8])} was asked for."


def failed(blocking: Sequence[tuple[str, Finding]]) -> str:
    rules = sorted({finding.rule for _, finding in blocking})
    return f"Failed: {plural(len(blocking), 'finding')} that block{'s' if len(blocking) == 1 else ''} ({names(rules)})."


def failed_without_findings(reason: str) -> str:
    return f"Failed: {code(reason or 'the report gives no reason', 400)}"


def no_result(tier: Tier, head: str, report: Accepted) -> str:
    what = "It did not finish" if report.verdict is Verdict.INCOMPLETE else "It could not be run"
    reason = f" ({code(report.reason, 400)})" if report.reason else ""
    return f"{what}{reason}. That is neither pass nor fail; {command(tier, head)} runs it again."


def lost(tier: Tier, head: str, jobs: Sequence[Job]) -> str:
    why = code(jobs[-1].why or "nobody knows why", 400)
    return (
        f"{plural(len(jobs), 'job')} in a row left no report that counts; the last one: {why}. "
        f"{command(tier, head)} tries again."
    )


def about(tier: Tier) -> str:
    return f"This is {TIER[tier]}."
