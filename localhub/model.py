"""What the hub remembers: people, repositories, pull requests, checks, tokens. Plain values, no HTTP, no git.

Objects are compared by identity, and point at each other. All changes are made under `Hub.lock`.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from localhub.runs import ActionsSettings, Run, Workflow

if TYPE_CHECKING:
    from localhub.git import Git

#: Roles on a repository, from the least to the most.
ROLES = ("none", "read", "triage", "write", "maintain", "admin")
LEVELS = ("none", "read", "write", "admin")


def at_least(have: str, want: str) -> bool:
    """Whether role `have` includes role `want`."""
    return ROLES.index(have) >= ROLES.index(want)


def node_id(kind: str, number: int) -> str:
    """A global id as GraphQL and `node_id` show it: opaque, but stable."""
    return f"{kind}_" + base64.urlsafe_b64encode(f"{kind}{number}".encode()).decode().rstrip("=")


class Refused(Exception):
    """An answer other than success, with GitHub's status, message and list of errors."""

    def __init__(self, status: int, message: str, errors: list[Any] | None = None) -> None:
        super().__init__(f"{status} {message}")
        self.status, self.message, self.errors = status, message, errors

    @classmethod
    def invalid(cls, resource: str, field: str, code: str = "invalid", message: str | None = None) -> Refused:
        """422 as GitHub words it for one bad field."""
        error = {"resource": resource, "field": field, "code": code}
        return cls(422, "Validation Failed", [error | ({"message": message} if message else {})])


@dataclass(eq=False)
class User:
    """A person, an organisation, or the bot account of an App."""

    id: int
    login: str
    created_at: datetime
    type: str = "User"  # User, Organization, Bot
    members: dict[int, str] = field(default_factory=dict)  # of an organisation: user id → role
    runner_groups: list[dict[str, Any]] = field(default_factory=list)  # of an organisation, as the API shows them

    @property
    def email(self) -> str:
        return f"{self.id}+{self.login}@users.noreply.localhub"


@dataclass(eq=False)
class App:
    """A GitHub App. `key` is the public half; the private half is given out once."""

    id: int
    slug: str
    name: str
    client_id: str
    owner: User
    bot: User
    key: Any
    webhook_url: str
    webhook_secret: str
    hook_id: int
    permissions: dict[str, str]
    events: tuple[str, ...]
    created_at: datetime
    private_key: str = ""  # PEM


@dataclass(eq=False)
class Installation:
    """An App's place in one account."""

    id: int
    app: App
    account: User
    permissions: dict[str, str]
    repo_ids: set[int]
    created_at: datetime
    all_repos: bool = False
    suspended_at: datetime | None = None

    def covers(self, repo: Repo) -> bool:
        return repo.owner is self.account and (self.all_repos or repo.id in self.repo_ids)


@dataclass(eq=False)
class Token:
    """What a bearer may do. A person's token carries the person's roles; an App's carries permissions."""

    value: str
    user: User
    created_at: datetime
    expires_at: datetime | None = None
    installation: Installation | None = None
    permissions: dict[str, str] = field(default_factory=dict)
    repo_ids: frozenset[int] | None = None  # None: all that the installation covers
    run: Run | None = None  # a job's GITHUB_TOKEN
    uses: int = 0

    @property
    def is_app(self) -> bool:
        return self.installation is not None or self.run is not None


@dataclass(eq=False)
class Label:
    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass(eq=False)
class Reaction:
    id: int
    user: User
    content: str
    created_at: datetime


@dataclass(eq=False)
class Comment:
    """A comment on an issue or in a pull request's conversation."""

    id: int
    issue: Issue
    user: User
    body: str
    created_at: datetime
    updated_at: datetime
    app: App | None = None
    minimized: str = ""  # the classifier given, such as OUTDATED
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(eq=False)
class Issue:
    """An issue, or the conversation of a pull request: they share one sequence of numbers."""

    id: int
    repo: Repo
    number: int
    user: User
    title: str
    body: str | None
    created_at: datetime
    updated_at: datetime
    state: str = "open"
    state_reason: str | None = None
    closed_at: datetime | None = None
    closed_by: User | None = None
    labels: list[Label] = field(default_factory=list)
    assignees: list[User] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)
    pull: Pull | None = None


@dataclass(eq=False)
class ReviewComment:
    """A comment on a line of the diff. `side` and lines are those it was written on; where it is now is worked out."""

    id: int
    thread: Thread
    review: Review
    user: User
    body: str
    diff_hunk: str
    created_at: datetime
    updated_at: datetime
    in_reply_to: int | None = None
    minimized: str = ""
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(eq=False)
class Thread:
    """A conversation at one place of the diff."""

    id: int
    pull: Pull
    path: str
    original_commit: str
    original_line: int | None  # None: about the whole file
    side: str
    original_start_line: int | None = None
    start_side: str | None = None
    original_position: int | None = None
    comments: list[ReviewComment] = field(default_factory=list)
    resolved_by: User | None = None
    line: int | None = None  # on the present head; None with `outdated`
    position: int | None = None
    commit: str = ""  # the newest head on which the place still exists
    outdated: bool = False

    @property
    def resolved(self) -> bool:
        return self.resolved_by is not None


@dataclass(eq=False)
class Review:
    """A review bound to one commit. `state` PENDING is a draft that only its author sees."""

    id: int
    pull: Pull
    user: User
    body: str
    state: str  # PENDING, COMMENTED, APPROVED, CHANGES_REQUESTED, DISMISSED
    commit: str
    submitted_at: datetime | None


@dataclass(eq=False)
class Pull:
    """A pull request. `head` is the truth; what a read shows may lag behind it (see `localhub.faults`)."""

    id: int
    issue: Issue
    head_repo: Repo | None  # None: the fork was deleted
    head_ref: str
    head: str
    base_ref: str
    base_sha: str  # tip of the base branch when the pull request was opened or last pushed to, as on GitHub
    last_pusher: User
    head_owner: User | None = None
    draft: bool = False
    merged_at: datetime | None = None
    merged_by: User | None = None
    merge_commit: str | None = None
    reviews: list[Review] = field(default_factory=list)
    threads: list[Thread] = field(default_factory=list)
    requested: list[User] = field(default_factory=list)
    mergeable: bool | None = None
    weighed: tuple[str, str] | None = None  # (head, tip of base) that `mergeable` is about
    past_heads: list[str] = field(default_factory=list)

    @property
    def repo(self) -> Repo:
        return self.issue.repo

    @property
    def number(self) -> int:
        return self.issue.number

    @property
    def user(self) -> User:
        return self.issue.user

    @property
    def open(self) -> bool:
        return self.issue.state == "open"

    @property
    def merged(self) -> bool:
        return self.merged_at is not None

    @property
    def comments(self) -> Iterator[ReviewComment]:
        for thread in self.threads:
            yield from thread.comments


@dataclass(eq=False)
class CheckSuite:
    id: int
    repo: Repo
    app: App
    head_sha: str
    head_branch: str | None
    created_at: datetime
    updated_at: datetime


@dataclass(eq=False)
class CheckRun:
    id: int
    suite: CheckSuite
    name: str
    status: str
    conclusion: str | None
    started_at: datetime | None
    completed_at: datetime | None
    external_id: str | None = None
    details_url: str | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[dict[str, Any]] = field(default_factory=list)
    actions: list[dict[str, Any]] = field(default_factory=list)


@dataclass(eq=False)
class CommitStatus:
    """The older kind of check: anyone with write access may set one under any name."""

    id: int
    sha: str
    context: str
    state: str
    description: str | None
    target_url: str | None
    creator: User
    created_at: datetime


@dataclass(eq=False)
class Ruleset:
    """Rules for branches, kept as they were given; `localhub.rules` weighs them."""

    id: int
    repo: Repo
    name: str
    target: str
    enforcement: str
    conditions: dict[str, Any]
    rules: list[dict[str, Any]]
    bypass_actors: list[dict[str, Any]]
    created_at: datetime
    updated_at: datetime


@dataclass(eq=False)
class Repo:
    id: int
    owner: User
    name: str
    git: Git
    created_at: datetime
    private: bool = False
    description: str | None = None
    default_branch: str = "main"
    parent: Repo | None = None
    pushed_at: datetime | None = None
    archived: bool = False
    collaborators: dict[int, str] = field(default_factory=dict)  # user id → role
    issues: dict[int, Issue] = field(default_factory=dict)
    labels: dict[str, Label] = field(default_factory=dict)
    suites: list[CheckSuite] = field(default_factory=list)
    checks: list[CheckRun] = field(default_factory=list)
    statuses: list[CommitStatus] = field(default_factory=list)
    rulesets: dict[int, Ruleset] = field(default_factory=dict)
    workflows: dict[str, Workflow] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    actions: ActionsSettings = field(default_factory=ActionsSettings)
    allow: dict[str, bool] = field(default_factory=lambda: {"merge": True, "squash": True, "rebase": False})

    @property
    def full_name(self) -> str:
        return f"{self.owner.login}/{self.name}"

    @property
    def pulls(self) -> Iterator[Pull]:
        return (issue.pull for issue in self.issues.values() if issue.pull)

    def role(self, user: User | None) -> str:
        """What `user` may do here: one of ROLES."""
        public = "none" if self.private else "read"
        if user is None:
            return public
        if user is self.owner or self.owner.members.get(user.id) == "admin":
            return "admin"
        given = self.collaborators.get(user.id, "none")
        return max(given, public, key=ROLES.index)

    def association(self, user: User) -> str:
        """`author_association` of `user`: a hint for readers, no permission."""
        if user is self.owner:
            return "OWNER"
        if user.id in self.owner.members:
            return "MEMBER"
        if user.id in self.collaborators:
            return "COLLABORATOR"
        theirs = [pull for pull in self.pulls if pull.user is user]
        if any(pull.merged for pull in theirs):
            return "CONTRIBUTOR"
        return "FIRST_TIME_CONTRIBUTOR" if theirs and user.type == "User" else "NONE"
