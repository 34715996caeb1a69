"""Repositories, commits, files and rulesets as JSON."""

from __future__ import annotations

import base64
from typing import Any

from localhub.git import Commit, Entry
from localhub.model import Repo, Ruleset, User, node_id
from localhub.shapes.people import Place, stamp, user

_REPO_URLS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}


def repo(hub: Place, one: Repo, viewer: User | None = None, full: bool = False) -> dict[str, Any]:
    """A repository; with `full`, what `GET /repos/{owner}/{repo}` adds."""
    api, html = f"{hub.api}/repos/{one.full_name}", f"{hub.url}/{one.full_name}"
    opened = sum(issue.state == "open" for issue in one.issues.values())
    role = one.role(viewer)
    shown: dict[str, Any] = {
        "id": one.id,
        "node_id": node_id("R", one.id),
        "name": one.name,
        "full_name": one.full_name,
        "private": one.private,
        "owner": user(hub, one.owner),
        "html_url": html,
        "description": one.description,
        "fork": one.parent is not None,
        "url": api,
        **{key: api + tail for key, tail in _REPO_URLS.items()},
        "created_at": stamp(one.created_at),
        "updated_at": stamp(one.pushed_at or one.created_at),
        "pushed_at": stamp(one.pushed_at or one.created_at),
        "git_url": f"{html}.git",
        "ssh_url": f"{html}.git",
        "clone_url": f"{html}.git",
        "svn_url": html,
        "homepage": None,
        "size": 0,
        "stargazers_count": 0,
        "watchers_count": 0,
        "language": None,
        "has_issues": True,
        "has_projects": False,
        "has_downloads": False,
        "has_wiki": False,
        "has_pages": False,
        "has_discussions": False,
        "forks_count": 0,
        "mirror_url": None,
        "archived": one.archived,
        "disabled": False,
        "open_issues_count": opened,
        "license": None,
        "allow_forking": True,
        "is_template": False,
        "web_commit_signoff_required": False,
        "topics": [],
        "visibility": "private" if one.private else "public",
        "forks": 0,
        "open_issues": opened,
        "watchers": 0,
        "default_branch": one.default_branch,
        "permissions": {
            "admin": role == "admin",
            "maintain": role in ("admin", "maintain"),
            "push": role in ("admin", "maintain", "write"),
            "triage": role in ("admin", "maintain", "write", "triage"),
            "pull": role != "none",
        },
    }
    if full:
        shown |= {
            "network_count": 0,
            "subscribers_count": 0,
            "allow_merge_commit": one.allow["merge"],
            "allow_squash_merge": one.allow["squash"],
            "allow_rebase_merge": one.allow["rebase"],
            "allow_auto_merge": False,
            "delete_branch_on_merge": False,
        }
        if one.owner.type == "Organization":
            shown["organization"] = user(hub, one.owner)
        if one.parent:
            shown |= {"parent": repo(hub, one.parent, viewer), "source": repo(hub, one.parent, viewer)}
    return shown


def _signature(name: str, email: str, date: str) -> dict[str, str]:
    return {"name": name, "email": email, "date": date}


_UNSIGNED = {"verified": False, "reason": "unsigned", "signature": None, "payload": None, "verified_at": None}


def git_commit(hub: Place, one: Repo, it: Commit) -> dict[str, Any]:
    """`GET /git/commits/{sha}`."""
    api, html = f"{hub.api}/repos/{one.full_name}/git", f"{hub.url}/{one.full_name}"
    return {
        "sha": it.sha,
        "node_id": node_id("C", int(it.sha[:12], 16)),
        "url": f"{api}/commits/{it.sha}",
        "html_url": f"{html}/commit/{it.sha}",
        "author": _signature(it.author, it.author_email, it.author_date),
        "committer": _signature(it.committer, it.committer_email, it.committer_date),
        "message": it.message,
        "tree": {"sha": it.tree, "url": f"{api}/trees/{it.tree}"},
        "parents": [
            {"sha": sha, "url": f"{api}/commits/{sha}", "html_url": f"{html}/commit/{sha}"} for sha in it.parents
        ],
        "verification": _UNSIGNED,
    }


def commit(hub: Place, one: Repo, it: Commit, author: User | None) -> dict[str, Any]:
    """`GET /commits/{ref}` without its files; `author` is the account that the author's address belongs to."""
    api, html = f"{hub.api}/repos/{one.full_name}", f"{hub.url}/{one.full_name}"
    inner = git_commit(hub, one, it)
    who = user(hub, author) if author else None
    return {
        "sha": it.sha,
        "node_id": inner["node_id"],
        "commit": {
            "author": inner["author"],
            "committer": inner["committer"],
            "message": it.message,
            "tree": inner["tree"],
            "url": inner["url"],
            "comment_count": 0,
            "verification": _UNSIGNED,
        },
        "url": f"{api}/commits/{it.sha}",
        "html_url": f"{html}/commit/{it.sha}",
        "comments_url": f"{api}/commits/{it.sha}/comments",
        "author": who,
        "committer": who,
        "parents": [
            {"sha": sha, "url": f"{api}/commits/{sha}", "html_url": f"{html}/commit/{sha}"} for sha in it.parents
        ],
    }


def tree_entry(hub: Place, one: Repo, it: Entry, prefix: str = "") -> dict[str, Any]:
    """One entry of `GET /git/trees/{sha}`."""
    kind = "blobs" if it.type == "blob" else "trees"
    shown: dict[str, Any] = {"path": it.path, "mode": it.mode, "type": it.type, "sha": it.sha}
    if it.size is not None:
        shown["size"] = it.size
    return shown | {"url": f"{hub.api}/repos/{one.full_name}/git/{kind}/{it.sha}"}


def content(hub: Place, one: Repo, it: Entry, ref: str, data: bytes | None) -> dict[str, Any]:
    """An entry of the contents API: with `data`, a file and its bytes."""
    api, html = f"{hub.api}/repos/{one.full_name}", f"{hub.url}/{one.full_name}"
    kind = {"blob": "file", "tree": "dir", "commit": "submodule"}[it.type]
    own, view = f"{api}/contents/{it.path}?ref={ref}", f"{html}/{'tree' if kind == 'dir' else 'blob'}/{ref}/{it.path}"
    git = f"{api}/git/{'trees' if kind == 'dir' else 'blobs'}/{it.sha}"
    raw = f"{html}/raw/{ref}/{it.path}" if kind == "file" else None
    shown: dict[str, Any] = {
        "type": kind,
        "size": it.size or 0,
        "name": it.path.rsplit("/", 1)[-1],
        "path": it.path,
        "sha": it.sha,
        "url": own,
        "git_url": git,
        "html_url": view,
        "download_url": raw,
        "_links": {"git": git, "self": own, "html": view},
    }
    if data is not None:
        # Above 1 MiB GitHub sends no content, only the raw media type has it.
        big = len(data) > 1 << 20
        shown |= {"content": "" if big else encoded(data), "encoding": "none" if big else "base64"}
    return shown


def encoded(data: bytes) -> str:
    """Base64 in lines of 60 characters, as GitHub sends it."""
    text = base64.b64encode(data).decode()
    return "".join(text[at : at + 60] + "\n" for at in range(0, len(text), 60))


def ruleset(hub: Place, one: Ruleset, full: bool = True) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": one.id,
        "name": one.name,
        "target": one.target,
        "source_type": "Repository",
        "source": one.repo.full_name,
        "enforcement": one.enforcement,
        "node_id": node_id("RRS", one.id),
        "_links": {
            "self": {"href": f"{hub.api}/repos/{one.repo.full_name}/rulesets/{one.id}"},
            "html": {"href": f"{hub.url}/{one.repo.full_name}/rules/{one.id}"},
        },
        "created_at": stamp(one.created_at),
        "updated_at": stamp(one.updated_at),
    }
    if full:
        shown |= {"conditions": one.conditions, "rules": one.rules, "bypass_actors": one.bypass_actors}
    return shown
