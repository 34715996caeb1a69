"""What a tier's check run shows: a title, a summary, and every finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.checks import file_of
from bot.escape import cut, fit
from bot.state import Accepted, Blocker, Decision, Status, TierState
from bot.text.findings import body, where
from bot.text.tiers import about
from bot.text.words import plural, sha
from envbounty.findings import Finding, Severity
from envbounty.render.words import weight

#: GitHub cuts longer ones.
TITLE_UNITS = 255

_TITLE = {
    Status.WAITING: "Waiting",
    Status.RUNNING: "Running",
    Status.PASSED: "Passed",
    Status.FAILED: "Failed",
    Status.ERROR: "Could not be decided: not the author's fault",
    Status.UNNEEDED: "Not needed",
}

#: These come and go by themselves within seconds; a check that shows them would be written again and again.
_FLEETING = ("mergeable-unknown",)


@dataclass(frozen=True)
class CheckOutput:
    """`output` of a check run: `title` is plain text, the others are Markdown of at most 64,000 UTF-16 units."""

    title: str
    summary: str
    text: str


def check_output(known: TierState, decision: Decision) -> CheckOutput:
    """What the check of `known.tier` shows. The check of verify also lists everything that stands before a merge."""
    report = known.report
    parts = [known.why, about(known.tier)]
    if report is not None:
        parts.append(_counts(report))
    if known.tier == "verify" and known.status is not Status.UNNEEDED:
        parts.append(blockers(decision.blockers))
        parts.extend(f"- {note}" for note in decision.notes)
    found = sorted(report.findings, key=lambda pair: weight(pair[1].severity)) if report is not None else []
    text = fit(body(finding, where(file_of(directory, finding), finding.line)) for directory, finding in found)
    return CheckOutput(_title(known), fit(parts), text)


def _title(known: TierState) -> str:
    title = _TITLE[known.status]
    if known.report is not None and known.report.findings:
        title += f": {tally(known.report.findings)}"
    return cut(title, TITLE_UNITS)


def tally(findings: Sequence[tuple[str, Finding]]) -> str:
    """`2 errors, 1 note`."""
    counted = [(severity, sum(f.severity is severity for _, f in findings)) for severity in Severity]
    return ", ".join(plural(number, severity.value) for severity, number in counted if number)


def _counts(report: Accepted) -> str:
    what = tally(report.findings) or "no findings"
    return f"Commit {sha(report.head)}, {plural(len(report.environments), 'environment')}: {what}."


def blockers(found: Sequence[Blocker]) -> str:
    """Everything that stands before a merge, as a list."""
    shown = [blocker for blocker in found if blocker.code not in _FLEETING]
    if not shown:
        return "Nothing stands against a merge."
    return "\n".join(["Before it is merged:", "", *(f"- {one.why} {one.fix}" for one in shown)])
