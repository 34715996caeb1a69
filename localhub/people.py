"""Somebody at the keyboard: what a person does on GitHub, done over HTTP with the person's own token.

So every step of a test is checked as GitHub would check it, permissions and all. A refusal raises `Refused`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import httpx

from localhub import changes
from localhub.model import Comment, Issue, Pull, Refused, Repo, Review, Thread, User, node_id

if TYPE_CHECKING:
    from localhub.hub import Hub

Files = Mapping[str, str | bytes | None]


class Person:
    """One account and its token."""

    def __init__(self, hub: Hub, user: User, token: str) -> None:
        self.hub, self.user, self.token = hub, user, token
        headers = {"Authorization": f"Bearer {token}"}
        # Only ever to the hub itself, over plain HTTP; loading certificates would take longer than most tests.
        self._client = httpx.Client(timeout=60, trust_env=False, headers=headers, verify=False)

    @property
    def login(self) -> str:
        return self.user.login

    def close(self) -> None:
        self._client.close()

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None, **query: str) -> Any:
        """One request to the API as this person; the answer's JSON, None when it has none. Raises Refused."""
        answer = self._client.request(method, self.hub.api + path, json=body, params=query)
        parsed = answer.json() if answer.headers.get("content-type", "").startswith("application/json") else None
        if answer.status_code >= 400:
            parsed = parsed or {"message": answer.text}
            raise Refused(answer.status_code, parsed["message"], parsed.get("errors"))
        return parsed

    def graphql(self, query: str, **variables: Any) -> Any:
        """The `data` of a GraphQL answer. Raises Refused with the first error."""
        answer = self._client.post(self.hub.graphql, json={"query": query, "variables": variables}).json()
        if answer.get("errors"):
            raise Refused(200, answer["errors"][0]["message"], answer["errors"])
        return answer["data"]

    # Code

    def fork(self, repo: Repo) -> Repo:
        """This person's fork, made on first use."""
        name = self.call("POST", f"/repos/{repo.full_name}/forks")["full_name"]
        return self._repo(name)

    def _repo(self, name: str) -> Repo:
        found = self.hub.find_repo(name)
        assert found is not None
        return found

    def push(
        self, repo: Repo, branch: str, files: Files, message: str = "", force: bool = False, onto: str = ""
    ) -> str:
        """Commit `files` on top of a branch and push; gives the new SHA. A new branch starts at the default branch.

        With `force` the commit is made on top of `onto` (a SHA, or the default branch) and replaces what was there.
        """
        hub = self.hub
        with hub.lock:
            old = repo.git.ref(f"refs/heads/{branch}")
            start = onto or (old if old and not force else repo.git.ref(f"refs/heads/{repo.default_branch}"))
            text = message or f"Change {', '.join(files) or 'nothing'}"
            new = repo.git.write([start] if start else [], files, text, self.login, self.user.email, hub.now())
        self.push_commit(repo, branch, new, force)
        return new

    def push_commit(self, repo: Repo, branch: str, sha: str, force: bool = False) -> None:
        """Point a branch at a commit that the repository (or one it shares objects with) already has."""
        path = f"/repos/{repo.full_name}/git"
        if repo.git.ref(f"refs/heads/{branch}") is None:
            self.call("POST", f"{path}/refs", {"ref": f"refs/heads/{branch}", "sha": sha})
        else:
            self.call("PATCH", f"{path}/refs/heads/{branch}", {"sha": sha, "force": force})

    def delete_branch(self, repo: Repo, branch: str) -> None:
        self.call("DELETE", f"/repos/{repo.full_name}/git/refs/heads/{branch}")

    # Pull requests

    def open_pull(
        self,
        repo: Repo,
        files: Files | None = None,
        title: str = "",
        branch: str = "topic",
        body: str = "",
        draft: bool = False,
        base: str = "main",
        same_repo: bool = False,
    ) -> Pull:
        """Push `files` to a branch of this person's fork (`same_repo`: of the repository) and open a pull request."""
        source = repo if same_repo else self.fork(repo)
        if files is not None:
            fresh = source.git.ref(f"refs/heads/{branch}") is None
            self.push(source, branch, files, onto=changes.tip(repo, base) if fresh else "")
        head = branch if same_repo else f"{self.login}:{branch}"
        words = {
            "title": title or f"Add {', '.join(files or ())}",
            "head": head,
            "base": base,
            "body": body,
            "draft": draft,
        }
        return self.pull(repo, self.call("POST", f"/repos/{repo.full_name}/pulls", words)["number"])

    def pull(self, repo: Repo, number: int) -> Pull:
        found = repo.issues[number].pull
        assert found is not None
        return found

    def push_to(self, pull: Pull, files: Files, message: str = "", force: bool = False) -> str:
        """Another commit on a pull request's head branch; gives the new head."""
        assert pull.head_repo is not None
        onto = pull.repo.git.merge_base(pull.base_sha, pull.head) or "" if force else ""
        return self.push(pull.head_repo, pull.head_ref, files, message, force, onto)

    def _at(self, issue: Issue | Pull, kind: str = "issues") -> str:
        return f"/repos/{issue.repo.full_name}/{kind}/{issue.number}"

    def edit_pull(self, pull: Pull, **fields: Any) -> None:
        self.call("PATCH", self._at(pull, "pulls"), fields)

    def close_issue(self, issue: Issue | Pull) -> None:
        """Close an issue, or a pull request without merging it."""
        self.call("PATCH", self._at(issue), {"state": "closed"})

    def reopen(self, issue: Issue | Pull) -> None:
        self.call("PATCH", self._at(issue), {"state": "open"})

    def merge(self, pull: Pull, sha: str = "", method: str = "merge") -> str:
        """Merge; gives the merge commit's SHA."""
        body = {"merge_method": method} | ({"sha": sha} if sha else {})
        return str(self.call("PUT", self._at(pull, "pulls") + "/merge", body)["sha"])

    # Talking

    def open_issue(self, repo: Repo, title: str, body: str = "", labels: Sequence[str] = ()) -> Issue:
        made = self.call(
            "POST", f"/repos/{repo.full_name}/issues", {"title": title, "body": body, "labels": list(labels)}
        )
        return repo.issues[made["number"]]

    def comment(self, issue: Issue | Pull, body: str) -> Comment:
        """A comment on an issue or in a pull request's conversation."""
        made = self.call("POST", self._at(issue) + "/comments", {"body": body})
        comments = (issue.issue if isinstance(issue, Pull) else issue).comments
        return next(one for one in comments if one.id == made["id"])

    def edit_comment(self, comment: Comment, body: str) -> None:
        self.call("PATCH", f"/repos/{comment.issue.repo.full_name}/issues/comments/{comment.id}", {"body": body})

    def delete_comment(self, comment: Comment) -> None:
        self.call("DELETE", f"/repos/{comment.issue.repo.full_name}/issues/comments/{comment.id}")

    def label(self, issue: Issue | Pull, *names: str) -> None:
        self.call("POST", self._at(issue) + "/labels", {"labels": list(names)})

    # Reviewing

    def review(
        self,
        pull: Pull,
        event: str | None = "COMMENT",
        body: str = "",
        commit: str = "",
        comments: Sequence[Mapping[str, Any]] = (),
    ) -> Review:
        """A review; `event` is APPROVE, REQUEST_CHANGES, COMMENT, None for a draft; `commit` the head by default."""
        words: dict[str, Any] = {"body": body, "comments": list(comments), "commit_id": commit or pull.head}
        made = self.call("POST", self._at(pull, "pulls") + "/reviews", words | ({"event": event} if event else {}))
        return next(one for one in pull.reviews if one.id == made["id"])

    def approve(self, pull: Pull, commit: str = "", body: str = "Looks right.") -> Review:
        return self.review(pull, "APPROVE", body, commit)

    def request_changes(self, pull: Pull, body: str = "Please change this.") -> Review:
        return self.review(pull, "REQUEST_CHANGES", body)

    def dismiss(self, review: Review, message: str = "Out of date.") -> None:
        path = f"{self._at(review.pull, 'pulls')}/reviews/{review.id}/dismissals"
        self.call("PUT", path, {"message": message})

    def comment_line(self, pull: Pull, path: str, line: int, body: str, side: str = "RIGHT") -> Thread:
        """A comment on a line of the diff, which starts a thread."""
        words = {"body": body, "commit_id": pull.head, "path": path, "line": line, "side": side}
        made = self.call("POST", self._at(pull, "pulls") + "/comments", words)
        return next(thread for thread in pull.threads if thread.comments[0].id == made["id"])

    def resolve(self, thread: Thread) -> None:
        """Resolve a review thread."""
        query = "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }"
        self.graphql(query, id=node_id("PRRT", thread.id))

    # Running a repository

    def add_ruleset(self, repo: Repo, ruleset: Mapping[str, Any]) -> int:
        """Install a ruleset as JSON (the form that GitHub's own export has); gives its id."""
        return int(self.call("POST", f"/repos/{repo.full_name}/rulesets", ruleset)["id"])

    def set_role(self, repo: Repo, person: Person, role: str) -> None:
        """Give somebody a role, at once and without an invitation; `none` takes it away. Needs the role admin."""
        if repo.role(self.user) != "admin":
            raise Refused(403, "Must have admin rights to Repository.")
        self.hub.set_role(repo, person.user, role, self.user)

    def delete_fork(self, repo: Repo) -> None:
        """Delete this person's repository; pull requests from it stay, with no head repository."""
        hub = self.hub
        with hub.lock:
            if repo.role(self.user) != "admin":
                raise Refused(403, "Must have admin rights to Repository.")
            for pull in [pull for other in hub.repos.values() for pull in other.pulls if pull.head_repo is repo]:
                if pull.open:
                    changes.close(hub, pull, self.user)
                pull.head_repo = None
            del hub.repos[repo.full_name.lower()]
