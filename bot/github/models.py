"""GitHub's answers, as far as they are used. What else is in them is not looked at."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class User(_Model):
    id: int
    login: str
    type: str = "User"

    @property
    def human(self) -> bool:
        return self.type == "User"


class RepoInfo(_Model):
    id: int
    name: str
    owner: User
    default_branch: str = ""


class _Side(_Model):
    ref: str
    sha: str
    repo: RepoInfo | None = None


class PullInfo(_Model):
    number: int
    state: str
    merged: bool = False
    merged_at: datetime | None = None
    merge_commit_sha: str | None = None
    draft: bool = False
    mergeable: bool | None = None
    changed_files: int | None = None
    user: User | None = None
    head: _Side
    base: _Side

    @property
    def is_merged(self) -> bool:
        return self.merged or self.merged_at is not None

    @property
    def default_branch(self) -> str:
        """The repository's, as of now. Empty, which equals no branch, if GitHub should not say."""
        return self.base.repo.default_branch if self.base.repo is not None else ""


class FileInfo(_Model):
    filename: str
    status: str
    previous_filename: str | None = None
    patch: str | None = None
    contents_url: str = ""  # ends in the commit that the list is about, which nothing else of it says


class ReviewInfo(_Model):
    id: int
    user: User | None = None
    state: str
    commit_id: str | None = None
    submitted_at: datetime | None = None
    body: str = ""


class Permission(_Model):
    role_name: str = "none"
    user: User | None = None


class CheckRun(_Model):
    id: int
    name: str
    head_sha: str
    status: str
    conclusion: str | None = None
    external_id: str | None = None
    app: _App | None = None


class _App(_Model):
    id: int
    slug: str = ""
    permissions: dict[str, str] = {}


class AppInfo(_App):
    name: str = ""
    events: list[str] = []


class RunInfo(_Model):
    id: int
    path: str = ""
    event: str = ""
    status: str | None = None
    conclusion: str | None = None
    display_title: str = ""
    head_branch: str | None = None
    head_sha: str = ""
    run_attempt: int = 1
    created_at: datetime | None = None
    actor: User | None = None
    triggering_actor: User | None = None
    repository: RepoInfo | None = None
    head_repository: RepoInfo | None = None
    html_url: str = ""

    @property
    def ended(self) -> bool:
        return self.status == "completed"


class Comment(_Model):
    id: int
    node_id: str = ""
    user: User | None = None
    body: str | None = ""
    path: str | None = None
    line: int | None = None
    created_at: datetime | None = None
    pull_request_review_id: int | None = None
    in_reply_to_id: int | None = None


class Artifact(_Model):
    id: int
    name: str
    size_in_bytes: int
    expired: bool = False
    digest: str | None = None


class Installation(_Model):
    id: int
    app_id: int | None = None
    suspended_at: datetime | None = None
    permissions: dict[str, str] = {}


class HookDelivery(_Model):
    id: int
    guid: str
    delivered_at: datetime
    redelivery: bool = False
    status_code: int = 0
    event: str = ""


class Thread(_Model):
    id: str
    is_resolved: bool = Field(alias="isResolved")
    comment_id: int | None = None


def thread(node: dict[str, Any]) -> Thread:
    """A review thread from GraphQL, with the REST id of its first comment."""
    first = ((node.get("comments") or {}).get("nodes") or [{}])[0] or {}
    return Thread.model_validate(node | {"comment_id": first.get("databaseId")})


CheckRun.model_rebuild()
