"""Commits, comparisons, commit statuses, and git's own objects."""

from __future__ import annotations

import base64
from typing import Any

from localhub import shapes
from localhub.git import Commit, GitError
from localhub.model import CommitStatus, Refused, Repo, node_id
from localhub.rest.core import Answer, Call, Page, operation

#: The comparison lists no more files than this.
MAX_FILES = 300


def shown(call: Call, repo: Repo, it: Commit) -> dict[str, Any]:
    return shapes.commit(call.hub, repo, it, call.hub.by_email(it.author_email))


@operation("GET /repos/{owner}/{repo}/commits", app="contents:read")
def listing(call: Call) -> Any:
    repo = call.repo
    start = call.query.get("sha") or repo.default_branch
    sha = repo.git.commit_sha(start)
    if sha is None:
        raise Refused(404, "Not Found")
    return Page(repo.git.log(sha, limit=1000, path=call.query.get("path")), lambda it: shown(call, repo, it))


@operation("GET /repos/{owner}/{repo}/commits/{ref}/pulls", app="pull_requests:read")
def pulls_of_commit(call: Call) -> Any:
    repo, sha = call.repo, call.sha("ref")
    found = [pull for pull in repo.pulls if sha in (pull.head, pull.merge_commit)]
    return Page(found, lambda pull: shapes.pull(call.hub, pull))


@operation("GET /repos/{owner}/{repo}/commits/{ref}/status", app="statuses:read")
def combined(call: Call) -> Any:
    repo, sha, hub = call.repo, call.sha("ref"), call.hub
    newest = {one.context: one for one in repo.statuses if one.sha == sha}
    states = {one.state for one in newest.values()}
    state = "failure" if states & {"failure", "error"} else "success" if states == {"success"} else "pending"
    own = f"{hub.api}/repos/{repo.full_name}/commits/{sha}"
    return {
        "state": state,
        "statuses": [_status(call, repo, one, simple=True) for one in newest.values()],
        "sha": sha,
        "total_count": len(newest),
        "repository": shapes.repo(hub, repo),
        "commit_url": own,
        "url": own + "/status",
    }


def _status(call: Call, repo: Repo, it: CommitStatus, simple: bool = False) -> dict[str, Any]:
    when, user = shapes.stamp(it.created_at), shapes.user(call.hub, it.creator)
    return {
        "id": it.id,
        "node_id": node_id("SC", it.id),
        "url": f"{call.hub.api}/repos/{repo.full_name}/statuses/{it.sha}",
        "avatar_url": user["avatar_url"],
        "state": it.state,
        "description": it.description,
        "target_url": it.target_url,
        "context": it.context,
        "created_at": when,
        "updated_at": when,
    } | ({} if simple else {"creator": user})


@operation("POST /repos/{owner}/{repo}/statuses/{sha}", app="statuses:write", role="write")
def set_status(call: Call) -> Any:
    repo, hub, body = call.repo, call.hub, call.json
    sha, state = call.sha("sha"), call.need("state")
    if state not in ("error", "failure", "pending", "success"):
        raise Refused.invalid("Status", "state")
    it = CommitStatus(
        hub.next_id(),
        sha,
        body.get("context") or "default",
        state,
        body.get("description"),
        body.get("target_url"),
        call.user,
        hub.now(),
    )
    repo.statuses.append(it)
    return 201, _status(call, repo, it)


@operation("GET /repos/{owner}/{repo}/commits/{ref*}", app="contents:read")
def get(call: Call) -> Any:
    repo = call.repo
    it = repo.git.commit(call.sha("ref"))
    if "sha" in call.headers.get("accept", "").split(".")[-1]:
        return Answer(200, it.sha.encode(), type="application/vnd.github.sha; charset=utf-8")
    changed = repo.git.diff(it.parents[0], it.sha) if it.parents else []
    added, removed = sum(one.additions for one in changed), sum(one.deletions for one in changed)
    return shown(call, repo, it) | {
        "stats": {"additions": added, "deletions": removed, "total": added + removed},
        "files": [shapes.file_change(call.hub, repo, one, it.sha) for one in changed[:MAX_FILES]],
    }


@operation("GET /repos/{owner}/{repo}/compare/{basehead*}", app="contents:read")
def compare(call: Call) -> Any:
    repo, hub = call.repo, call.hub
    old, _, new = call.params["basehead"].partition("...")
    base, head = repo.git.commit_sha(old), repo.git.commit_sha(new.split(":", 1)[-1])
    start = repo.git.merge_base(base, head) if base and head else None
    if base is None or head is None or start is None:
        raise Refused(404, "Not Found")
    ahead, behind = repo.git.ahead_behind(base, head)
    own = f"{hub.api}/repos/{repo.full_name}/compare/{call.params['basehead']}"
    page = f"{hub.url}/{repo.full_name}/compare/{call.params['basehead']}"
    commits = list(reversed(repo.git.log(head, f"^{base}")))
    return {
        "url": own,
        "html_url": page,
        "permalink_url": page,
        "diff_url": page + ".diff",
        "patch_url": page + ".patch",
        "base_commit": shown(call, repo, repo.git.commit(base)),
        "merge_base_commit": shown(call, repo, repo.git.commit(start)),
        "status": "identical" if base == head else "diverged" if ahead and behind else "ahead" if ahead else "behind",
        "ahead_by": ahead,
        "behind_by": behind,
        "total_commits": len(commits),
        "commits": [shown(call, repo, it) for it in commits],
        "files": [shapes.file_change(hub, repo, one, head) for one in repo.git.diff(start, head)[:MAX_FILES]],
    }


@operation("GET /repos/{owner}/{repo}/git/commits/{commit_sha}", app="contents:read")
def git_commit(call: Call) -> Any:
    repo, sha = call.repo, call.params["commit_sha"]
    if repo.git.commit_sha(sha) != sha:
        raise Refused(404, "Not Found")
    return shapes.git_commit(call.hub, repo, repo.git.commit(sha))


@operation("GET /repos/{owner}/{repo}/git/trees/{tree_sha*}", app="contents:read")
def tree(call: Call) -> Any:
    repo, name, hub = call.repo, call.params["tree_sha"], call.hub
    sha = repo.git.commit_sha(name) or name
    kind = None if sha.startswith("-") else repo.git.type(sha)
    if kind not in ("commit", "tree"):
        raise Refused(404, "Not Found")
    top = repo.git.text("rev-parse", f"{sha}^{{tree}}")
    try:
        entries = repo.git.tree(top, recursive=bool(call.query.get("recursive")))
    except GitError as why:
        raise Refused(404, "Not Found") from why
    return {
        "sha": top,
        "url": f"{hub.api}/repos/{repo.full_name}/git/trees/{top}",
        "tree": [shapes.tree_entry(hub, repo, it) for it in entries],
        "truncated": False,
    }


@operation("GET /repos/{owner}/{repo}/git/blobs/{file_sha}", app="contents:read")
def blob(call: Call) -> Any:
    repo, sha = call.repo, call.params["file_sha"]
    if repo.git.type(sha) != "blob":
        raise Refused(404, "Not Found")
    data = repo.git.blob(sha)
    if "raw" in call.headers.get("accept", ""):
        return Answer(200, data, type="application/vnd.github.raw")
    return {
        "sha": sha,
        "node_id": node_id("B", int(sha[:12], 16)),
        "size": len(data),
        "url": f"{call.hub.api}/repos/{repo.full_name}/git/blobs/{sha}",
        "content": base64.b64encode(data).decode(),
        "encoding": "base64",
    }
