"""A tier's check run as GitHub wants it: its name, status, conclusion, and annotations in batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from bot.escape import plain
from bot.state import Accepted, Status
from envbounty.findings import Finding, Severity
from envbounty.policy import Tier
from envbounty.render.words import weight

#: The names of the checks. Rulesets require them by these, together with the App's id.
NAMES: dict[Tier, str] = {
    "verify": "envbounty/verify",
    "attack": "envbounty/attack",
    "gpu-bench": "envbounty/gpu-bench",
}

#: GitHub takes no more in one request, and appends those of the next.
PER_REQUEST = 50
#: More than this nobody reads, and annotations cannot be taken back.
MOST = 500

TITLE_UNITS = 255
MESSAGE_UNITS = 16_000  # GitHub's limit is 64 KB, of which a UTF-16 unit can fill three

_CONCLUSION: dict[Status, tuple[str, str | None]] = {
    Status.WAITING: ("queued", None),
    Status.RUNNING: ("in_progress", None),
    Status.PASSED: ("completed", "success"),
    Status.FAILED: ("completed", "failure"),
    Status.ERROR: ("completed", "action_required"),
    Status.UNNEEDED: ("completed", "neutral"),
}

_LEVEL: dict[Severity, Literal["failure", "warning", "notice"]] = {
    Severity.ERROR: "failure",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


class Annotation(TypedDict):
    """One annotation, in GitHub's words."""

    path: str
    start_line: int
    end_line: int
    annotation_level: Literal["failure", "warning", "notice"]
    title: str
    message: str


def conclusion(status: Status) -> tuple[str, str | None]:
    """(`status`, `conclusion`) of the check run. What could not be decided is never a success."""
    return _CONCLUSION[status]


def batches(report: Accepted) -> list[list[Annotation]]:
    """The findings as annotations, worst first, in batches of 50 for one request each."""
    worst = sorted(report.findings, key=lambda pair: weight(pair[1].severity))[:MOST]
    found = [_annotation(directory, finding) for directory, finding in worst]
    return [found[start : start + PER_REQUEST] for start in range(0, len(found), PER_REQUEST)]


def file_of(directory: str, finding: Finding) -> str:
    """A finding's file as a path in the repository. It never leaves its environment."""
    parts = [part for part in finding.path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    return "/".join([directory, *parts])


def _annotation(directory: str, finding: Finding) -> Annotation:
    return Annotation(
        path=file_of(directory, finding),
        start_line=finding.line,
        end_line=finding.line,
        annotation_level=_LEVEL[finding.severity],
        title=plain(finding.rule, TITLE_UNITS),
        message=plain(f"{finding.message} Fix: {finding.fix}", MESSAGE_UNITS),
    )


def names(tiers: Sequence[Tier]) -> list[str]:
    """The checks' names of these tiers, in the same order."""
    return [NAMES[tier] for tier in tiers]
