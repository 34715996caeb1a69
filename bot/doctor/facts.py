"""What is known of an installation and of its repository's settings. Values only."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from envbounty.policy import Tier


class Severity(enum.StrEnum):
    FORBIDS = "forbids"  # the bot merges nothing while this stands
    ADVICE = "advice"


@dataclass(frozen=True)
class Problem:
    """One thing that is unsafe. `code` is stable; `what` and `fix` are plain text of one line."""

    code: str
    severity: Severity
    what: str
    fix: str


@dataclass(frozen=True)
class Unread:
    """A fact that could not be read. `permission`: what the App would need; empty where that was not the reason."""

    why: str
    permission: str = ""


@dataclass(frozen=True)
class Rule:
    """One rule that is in force on the default branch, of a repository's or an organisation's ruleset."""

    type: str
    ruleset_id: int
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ruleset:
    """Who can bypass a ruleset. GitHub shows `bypass_actors` only to those who may change the ruleset: else None."""

    id: int
    name: str
    can_bypass: str | None  # always, pull_requests_only, exempt, never: the App itself; None: not shown
    bypass_actors: tuple[Mapping[str, Any], ...] | None


@dataclass(frozen=True)
class ActionsSettings:
    """The repository's settings of GitHub Actions. None: not shown."""

    enabled: bool
    pinning_required: bool | None
    default_token: str  # read or write
    can_approve: bool
    fork_approval: str


@dataclass(frozen=True)
class RunnerGroup:
    """A group of an organisation's self-hosted runners."""

    name: str
    public_allowed: bool
    restricted_to: tuple[str, ...] | None  # the workflows that alone may use it; None: every workflow


@dataclass(frozen=True)
class Facts:
    """Everything that the doctor looks at."""

    repository: str  # owner/name
    app_id: int
    organisation: bool  # whether an organisation owns the repository
    public: bool
    default_branch: str
    granted: Mapping[str, str] | Unread
    rules: tuple[Rule, ...] | Unread
    rulesets: tuple[Ruleset, ...] | Unread
    codeowners: str | Unread | None  # the file's text on the default branch; None: there is none
    actions: ActionsSettings | Unread
    workflows: Mapping[str, str] | Unread  # path → text of everything in .github/workflows on the default branch
    runner_groups: tuple[RunnerGroup, ...] | Unread
    required: tuple[Tier, ...] | Unread = ("verify",)  # tiers that the policy requires
    trusted: frozenset[str] = frozenset()  # reusable workflows whose jobs may report: org/repo/path@SHA
