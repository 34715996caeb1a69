"""What a review says: the comments beside the code, and the summary of what has no line there."""

from __future__ import annotations

from collections.abc import Sequence

from bot.escape import fit
from bot.state import Accepted
from bot.text.checks import tally
from bot.text.findings import body, comment, where
from bot.text.words import plural, sha
from envbounty.findings import Finding
from envbounty.policy import Tier


def inline(tier: Tier, finding: Finding, path: str, head: str) -> str:
    """The comment beside a finding's line."""
    return comment(tier, finding, where(path, finding.line), head)


def summary(reports: Sequence[Accepted], beside: int, rest: Sequence[tuple[Tier, Finding, str]]) -> str:
    """The body of a review: what each tier found, and every finding that is not beside the code."""
    parts = [
        f"{report.tier} on {sha(report.head)}: {report.verdict.value}, {tally(report.findings) or 'no findings'}."
        for report in reports
    ]
    if beside:
        parts.append(f"{plural(beside, 'comment')} beside the code.")
    if rest:
        parts.append("Not on a line of the diff, or more than fit beside it:")
        parts.extend(body(finding, where(path, finding.line)) for _, finding, path in rest)
    return fit(parts)
