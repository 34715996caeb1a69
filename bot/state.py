"""What is known of one pull request at one moment, and what is to be done about it. Values only.

`bot.snapshot` fills a `State` from GitHub and the database, `bot.decide` turns it into a `Decision`, `bot.reconcile`
carries that out. Everything that a decision depends on is in here, the time included.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from envbounty.findings import Finding, Verdict
from envbounty.policy import Policy, Tier


class JobState(enum.StrEnum):
    """Where a job is. The last three are final."""

    ASKED = "asked"  # the row is written; whether the dispatch arrived is not known
    RUNNING = "running"  # GitHub named the run
    REPORTED = "reported"  # its report was accepted
    LOST = "lost"  # it ended, or never began, and left no report that could be accepted
    CANCELLED = "cancelled"  # by us: the head moved, or the pull request closed


@dataclass(frozen=True)
class Job:
    """One dispatch of a tier's workflow: a row of our own, so a result can be bound to it."""

    id: str  # unguessable, 32 hex digits; an input of the workflow and part of the run's name
    tier: Tier
    head: str  # full SHA that is tested
    base: str  # full SHA whose policy and other environments it is tested against
    state: JobState
    asked_at: datetime
    run_id: int | None = None
    why: str = ""  # for LOST and CANCELLED: what happened, in words for a reader


@dataclass(frozen=True)
class Accepted:
    """A tier's report that was verified claim by claim and is bound to one of our jobs."""

    job_id: str
    tier: Tier
    head: str
    base: str
    policy: str  # digest of the policy that weighed it
    verdict: Verdict
    environments: tuple[str, ...]  # the directories that it covers, such as environments/two-sum
    findings: tuple[tuple[str, Finding], ...]  # (directory, finding): paths of findings are relative to it
    accepted_at: datetime
    reason: str = ""
    complete: bool = False  # every check ran to its end, so that overriding what failed leaves nothing untested


@dataclass(frozen=True)
class Review:
    """A review as GitHub holds it now; `role` is what its author may do at this moment."""

    id: int
    user_id: int
    login: str
    human: bool
    role: str  # admin, maintain, write, triage, read, none
    state: str  # APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED
    commit: str
    at: datetime
    owns: tuple[str, ...] = ()  # the guarded files of this pull request that they own by CODEOWNERS


@dataclass(frozen=True)
class Override:
    """A maintainer's recorded word that one rule's findings do not block one head."""

    rule: str
    head: str
    reason: str
    user_id: int
    login: str


@dataclass(frozen=True)
class Ask:
    """A maintainer's `/verify`, `/attack SHA` or `/bench SHA`: start this tier on this head."""

    tier: Tier
    head: str
    login: str
    at: datetime


@dataclass(frozen=True)
class State:
    """Everything a decision on one pull request depends on."""

    repo_id: int
    number: int
    now: datetime
    author_id: int
    author_login: str
    author_known: bool  # a pull request of theirs was merged here before
    open: bool
    merged: bool
    draft: bool
    head: str
    base: str  # SHA of the base branch now
    base_ref: str
    default_branch: str
    mergeable: bool | None  # None: GitHub has not worked it out yet
    files: tuple[str, ...] | None  # changed paths; None: more than GitHub lists
    policy: Policy | None  # the base branch's; None: it cannot be read
    policy_problem: str = ""
    kinds: Mapping[str, str] = field(default_factory=dict)  # environment directory → kind, as its env.yaml says
    removed: tuple[str, ...] = ()  # environment directories that the head no longer has
    reviews: tuple[Review, ...] = ()
    jobs: tuple[Job, ...] = ()
    accepted: tuple[Accepted, ...] = ()
    overrides: tuple[Override, ...] = ()
    asks: tuple[Ask, ...] = ()
    held_by: str = ""  # login of the maintainer who said /hold
    appealed: bool = False
    # Commits of the base branch whose environments are those that `base` has: what was tested against one of them was
    # tested against all that is there now. `base` itself need not be named.
    same_base: frozenset[str] = frozenset()
    unsafe: tuple[str, ...] = ()  # what `envbounty doctor` found that forbids merging
    refused_merges: tuple[str, ...] = ()  # heads that GitHub refused (409): their approvals are void


class Status(enum.StrEnum):
    """What a tier's check shows."""

    WAITING = "waiting"  # for something that the text names; nothing runs
    RUNNING = "running"
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"  # ours: not the contributor's fault
    UNNEEDED = "unneeded"


@dataclass(frozen=True)
class TierState:
    """One tier on the current head."""

    tier: Tier
    status: Status
    why: str  # a sentence
    report: Accepted | None = None


@dataclass(frozen=True)
class Blocker:
    """One reason why this is not merged, and what ends it. `code` is stable."""

    code: str
    why: str
    fix: str


@dataclass(frozen=True)
class Start:
    tier: Tier
    head: str
    base: str
    why: str


@dataclass(frozen=True)
class Cancel:
    job_id: str
    why: str


@dataclass(frozen=True)
class Merge:
    """Merge exactly `head` into `base_ref` while that is at `base`, on these grounds."""

    head: str
    reviews: tuple[int, ...]
    job_ids: tuple[str, ...]
    base_ref: str = ""
    base: str = ""


@dataclass(frozen=True)
class Decision:
    """What is so, why, and what is to be done. Merge only where there is no blocker at all."""

    tiers: tuple[TierState, ...]
    blockers: tuple[Blocker, ...]
    starts: tuple[Start, ...] = ()
    cancels: tuple[Cancel, ...] = ()
    merge: Merge | None = None
    notes: tuple[str, ...] = ()  # worth saying, block nothing: who approved, what was overridden
