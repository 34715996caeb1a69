"""What is read of a repository. Every call is a read and may be repeated."""

from __future__ import annotations

import base64
import binascii
from datetime import datetime
from typing import Any
from urllib.parse import quote

from bot.github import errors
from bot.github.client import Access, parse
from bot.github.models import (
    Artifact,
    CheckRun,
    Comment,
    FileInfo,
    Permission,
    PullInfo,
    ReviewInfo,
    RunInfo,
    Thread,
    User,
    thread,
)
from bot.github.tokens import READ

#: GitHub lists no more changed files of a pull request than this.
MOST_FILES = 3000
#: The largest file that is read: policies, CODEOWNERS and env.yaml are small.
MOST_BYTES = 512 * 1024

THREADS = """
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 100, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { id isResolved comments(first: 1) { nodes { databaseId } } }
    } } }
}
"""


class Reads:
    def __init__(self, access: Access) -> None:
        self.access = access

    def user_id(self, login: str) -> int:
        """The numeric id behind a login at this moment."""
        return parse(User, self.access.get(f"//users/{quote(login, safe='')}", READ)).id

    def pull(self, number: int) -> PullInfo:
        return parse(PullInfo, self.access.get(f"/pulls/{number}", READ))

    def open_pulls(self) -> list[PullInfo]:
        return self._list(PullInfo, "/pulls", {"state": "open"})

    def files(self, number: int) -> list[FileInfo]:
        """The changed files, no more than GitHub lists."""
        return self._list(FileInfo, f"/pulls/{number}/files")

    def reviews(self, number: int) -> list[ReviewInfo]:
        return self._list(ReviewInfo, f"/pulls/{number}/reviews")

    def role(self, login: str, user_id: int) -> str:
        """What a user may do here at this moment; `none` for who is no collaborator, or is no longer that user."""
        try:
            found = parse(Permission, self.access.get(f"/collaborators/{quote(login, safe='')}/permission", READ))
        except errors.Gone:
            return "none"
        if found.user is None or found.user.id != user_id:
            return "none"  # the login belongs to somebody else by now
        return found.role_name

    def in_team(self, team: str, login: str) -> bool:
        """Whether a user is in a team `org/slug`. False when the App may not know."""
        org, _, slug = team.partition("/")
        path = f"//orgs/{quote(org, safe='')}/teams/{quote(slug, safe='')}/memberships/{quote(login, safe='')}"
        try:
            return bool(self.access.get(path, {"members": "read"}).get("state") == "active")
        except (errors.Gone, errors.Forbidden, errors.Invalid, errors.Unauthorized):
            return False

    def branch(self, ref: str) -> str:
        """The SHA that a branch points to now."""
        return str(self.access.get(f"/git/ref/heads/{quote(ref)}", READ)["object"]["sha"])

    def file(self, path: str, sha: str) -> str | None:
        """A text file at a full SHA; None when there is none. Raises `Invalid` for what is no small text file."""
        key = (self.access.repo.repo_id, sha, path)
        if (have := self.access.app.fixed.get(key)) is not None:
            return str(have)
        try:
            found = self.access.get(f"/contents/{quote(path)}", READ, {"ref": sha})
        except errors.Gone:
            return None
        if not isinstance(found, dict) or found.get("type") != "file" or found.get("encoding") != "base64":
            raise errors.Invalid(f"{path} is not a plain file")
        if int(found.get("size", 0)) > MOST_BYTES:
            raise errors.Invalid(f"{path} is larger than {MOST_BYTES // 1024} KiB")
        try:
            text = base64.b64decode(found["content"]).decode("utf-8")
        except (ValueError, binascii.Error):
            raise errors.Invalid(f"{path} is not UTF-8 text") from None
        self.access.app.fixed.put(key, text)
        return text

    def folder(self, path: str, sha: str) -> list[str] | None:
        """The names in a folder at a full SHA; None when there is no such folder."""
        key = (self.access.repo.repo_id, sha, path + "/")
        if (have := self.access.app.fixed.get(key)) is not None:
            return list(have)
        try:
            found = self.access.get(f"/contents/{quote(path)}", READ, {"ref": sha})
        except errors.Gone:
            return None
        names = [str(item.get("name")) for item in found] if isinstance(found, list) else None
        if names is not None:
            self.access.app.fixed.put(key, names)
        return names

    def tree(self, name: str, sha: str) -> str | None:
        """The id of a folder at the top of the repository at a full SHA: it changes with anything inside."""
        key = (self.access.repo.repo_id, sha, f"{name}#tree")
        if (have := self.access.app.fixed.get(key)) is not None:
            return str(have)
        found = self.access.get("/contents/", READ, {"ref": sha})
        if not isinstance(found, list):
            raise errors.Invalid("GitHub's list of files has another form")
        ids = [str(item["sha"]) for item in found if item.get("name") == name and item.get("type") == "dir"]
        if ids:
            self.access.app.fixed.put(key, ids[0])
        return ids[0] if ids else None

    def leads_to(self, older: str, newer: str) -> bool:
        """Whether the commit `newer` has `older` among those before it, or is it."""
        found = self.access.get(f"/compare/{older}...{newer}", READ)
        return found.get("status") in ("ahead", "identical")

    def check_runs(self, sha: str) -> list[CheckRun]:
        """The check runs on a commit that this App made."""
        mine = self.access.app.me().id
        found: list[CheckRun] = []
        query = {"filter": "all", "app_id": mine}
        for page in self.access.pages(f"/commits/{sha}/check-runs", READ, query):
            found += [parse(CheckRun, item) for item in page["check_runs"]]
        return [run for run in found if run.app is not None and run.app.id == mine]

    def annotation_count(self, check_run_id: int) -> int:
        """How many annotations a check run has."""
        return int(self.access.get(f"/check-runs/{check_run_id}", READ)["output"]["annotations_count"])

    def run(self, run_id: int) -> RunInfo:
        return parse(RunInfo, self.access.get(f"/actions/runs/{run_id}", READ))

    def run_raw(self, run_id: int) -> dict[str, Any]:
        """The run as GitHub gives it."""
        found = self.access.get(f"/actions/runs/{run_id}", READ)
        if not isinstance(found, dict):
            raise errors.Invalid("GitHub's run is not an object")
        return found

    def dispatched(self, since: datetime, most_pages: int = 5) -> list[RunInfo]:
        """Runs that a dispatch started since then, newest first."""
        query = {"event": "workflow_dispatch", "created": f">={since:%Y-%m-%dT%H:%M:%SZ}"}
        found: list[RunInfo] = []
        for page in self.access.pages("/actions/runs", READ, query, most=most_pages):
            found += [parse(RunInfo, item) for item in page["workflow_runs"]]
        return found

    def artifacts(self, run_id: int) -> list[Artifact]:
        found: list[Artifact] = []
        for page in self.access.pages(f"/actions/runs/{run_id}/artifacts", READ):
            found += [parse(Artifact, item) for item in page["artifacts"]]
        return found

    def my_comments(self, number: int, since: datetime) -> list[Comment]:
        """The App's own comments in the conversation, by their author and not by what stands in them."""
        query = {"since": f"{since:%Y-%m-%dT%H:%M:%SZ}"}
        return [it for it in self._list(Comment, f"/issues/{number}/comments", query) if self._mine(it)]

    def review_comments(self, number: int) -> list[Comment]:
        """The App's own inline comments."""
        return [it for it in self._list(Comment, f"/pulls/{number}/comments") if self._mine(it)]

    def my_reviews(self, number: int) -> list[ReviewInfo]:
        login = self.access.app.login
        return [it for it in self.reviews(number) if it.user is not None and _same(it.user.login, login)]

    def threads(self, number: int) -> list[Thread]:
        """Every review thread, with the id of its first comment."""
        found: list[Thread] = []
        variables: dict[str, Any] = {"owner": self.access.repo.owner, "name": self.access.repo.name, "number": number}
        while True:
            data = self.access.query(THREADS, variables, READ)
            listed = data["repository"]["pullRequest"]["reviewThreads"]
            found += [thread(node) for node in listed["nodes"]]
            if not listed["pageInfo"]["hasNextPage"]:
                return found
            variables["after"] = listed["pageInfo"]["endCursor"]

    def _mine(self, comment: Comment) -> bool:
        user = comment.user
        return user is not None and user.type == "Bot" and _same(user.login, self.access.app.login)

    def _list(self, model: Any, path: str, query: dict[str, Any] | None = None) -> list[Any]:
        return [parse(model, item) for page in self.access.pages(path, READ, query) for item in page]


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()
