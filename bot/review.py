"""What to say beside the code: a plan of one review, of edits in place, and of threads that are done. Pure.

A finding is known by its fingerprint, which the database keeps together with the ids of its comment and thread. Nothing
is read from a comment's text, so nobody can pretend that a finding was posted before.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.checks import file_of
from bot.state import Accepted
from bot.text import reviews as say
from envbounty.findings import Finding
from envbounty.policy import Tier
from envbounty.render.words import weight

#: So many comments one review may have; the rest goes to its summary.
INLINE = 25
#: … and so many one line of it: a verifier that accepts everything breaks a dozen rules at its first line.
PER_LINE = 2


@dataclass(frozen=True)
class Placed:
    """A finding with its fingerprint and the file in the repository that it is about."""

    fingerprint: str
    tier: Tier
    directory: str
    path: str
    finding: Finding


@dataclass(frozen=True)
class Live:
    """A finding's comment that exists on GitHub, as our database knows it."""

    fingerprint: str
    tier: Tier
    comment_id: int
    thread_id: str
    body: str  # as it was last written; to edit only what changed
    resolved: bool = False


@dataclass(frozen=True)
class Inline:
    """A comment to post on a line of the diff, side RIGHT."""

    fingerprint: str
    tier: Tier
    path: str
    line: int
    body: str


@dataclass(frozen=True)
class Edit:
    """A comment of ours to write anew in place."""

    fingerprint: str
    comment_id: int
    body: str


@dataclass(frozen=True)
class ReviewPlan:
    """What to post, edit and resolve. `summary` is the review's body; nothing is posted when it is empty."""

    inline: tuple[Inline, ...] = ()
    demoted: tuple[Placed, ...] = ()  # told in the summary, for want of a line in the diff or of room beside it
    summary: str = ""
    edits: tuple[Edit, ...] = ()
    resolve: tuple[Live, ...] = ()
    reopen: tuple[Live, ...] = ()


def plan(
    reports: Sequence[Accepted],
    lines: Mapping[str, frozenset[int]],
    live: Iterable[Live],
    told: Collection[str] = frozenset(),
) -> ReviewPlan:
    """What to say about `reports`, at most one for each tier: the newest accepted ones of one head.

    `lines`: what `bot.diff` says can bear a comment on that head, by path. `live`: the comments that there are, of
    earlier heads too; `told`: fingerprints that a summary named before, which are not told again. A thread is resolved
    only when a report of the same tier no longer has its finding; one whose tier has not reported yet is left alone.
    """
    found = [placed for report in reports for placed in place(report)]
    heads = {report.tier: report.head for report in reports}
    there = {comment.fingerprint: comment for comment in live}
    inline: list[Inline] = []
    beside: Counter[tuple[str, int]] = Counter()
    rest: list[Placed] = []
    edits: list[Edit] = []
    reopen: list[Live] = []
    for placed in sorted(found, key=lambda one: weight(one.finding.severity)):
        body = say.inline(placed.tier, placed.finding, placed.path, heads[placed.tier])
        old = there.get(placed.fingerprint)
        if old is not None:
            if old.body != body:
                edits.append(Edit(old.fingerprint, old.comment_id, body))
            if old.resolved:
                reopen.append(old)
        elif placed.fingerprint in told:
            pass
        elif _fits(placed, lines) and len(inline) < INLINE and beside[placed.path, placed.finding.line] < PER_LINE:
            beside[placed.path, placed.finding.line] += 1
            inline.append(Inline(placed.fingerprint, placed.tier, placed.path, placed.finding.line, body))
        else:
            rest.append(placed)
    present = {placed.fingerprint for placed in found}
    gone = tuple(
        comment
        for comment in there.values()
        if comment.tier in heads and comment.fingerprint not in present and not comment.resolved
    )
    if not inline and not rest:
        return ReviewPlan(edits=tuple(edits), resolve=gone, reopen=tuple(reopen))
    summary = say.summary(reports, len(inline), [(one.tier, one.finding, one.path) for one in rest])
    return ReviewPlan(tuple(inline), tuple(rest), summary, tuple(edits), gone, tuple(reopen))


def _fits(placed: Placed, lines: Mapping[str, frozenset[int]]) -> bool:
    return placed.finding.line in lines.get(placed.path, frozenset())


def demote(planned: ReviewPlan, refused: Collection[str], reports: Sequence[Accepted]) -> ReviewPlan:
    """The plan without the inline comments whose fingerprints GitHub refused: they move to the summary."""
    kept = tuple(one for one in planned.inline if one.fingerprint not in refused)
    moved = [one for report in reports for one in place(report) if one.fingerprint in refused]
    rest = (*planned.demoted, *moved)
    summary = say.summary(reports, len(kept), [(one.tier, one.finding, one.path) for one in rest])
    return replace(planned, inline=kept, demoted=rest, summary=summary)


def place(report: Accepted) -> list[Placed]:
    """The findings of a report, each with a fingerprint that no other finding of it has."""
    seen: Counter[str] = Counter()
    found = []
    for directory, finding in report.findings:
        path = file_of(directory, finding)
        key = fingerprint(report.tier, directory, finding)
        seen[key] += 1
        # Two that say the same of the same file are told apart by their order.
        name = key if seen[key] == 1 else hashlib.sha256(f"{key} {seen[key]}".encode()).hexdigest()[:32]
        found.append(Placed(name, report.tier, directory, path, finding))
    return found


def fingerprint(tier: Tier, directory: str, finding: Finding) -> str:
    """32 hex digits that stay the same while a finding stays the same, though lines and numbers move."""
    said = re.sub(r"\d+", "0", finding.message)
    parts = [tier, finding.rule, directory, file_of(directory, finding), said]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
