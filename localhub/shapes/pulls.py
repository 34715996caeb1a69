"""Issues, pull requests, reviews and comments as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from localhub.diff import FileChange
from localhub.model import App, Comment, Issue, Label, Pull, Reaction, Repo, Review, ReviewComment, User, node_id
from localhub.shapes import people
from localhub.shapes.people import Place, stamp
from localhub.shapes.repos import repo


def label(hub: Place, one: Repo, it: Label) -> dict[str, Any]:
    return {
        "id": it.id,
        "node_id": node_id("LA", it.id),
        "url": f"{hub.api}/repos/{one.full_name}/labels/{quote(it.name)}",
        "name": it.name,
        "color": it.color,
        "default": False,
        "description": it.description,
    }


_FACES = {
    "+1": "+1",
    "-1": "-1",
    "laugh": "laugh",
    "hooray": "hooray",
    "confused": "confused",
    "heart": "heart",
    "rocket": "rocket",
    "eyes": "eyes",
}


def reactions(url: str, given: Sequence[Reaction]) -> dict[str, Any]:
    counts = {face: sum(one.content == face for one in given) for face in _FACES}
    return {"url": f"{url}/reactions", "total_count": len(given), **counts}


def reaction(hub: Place, it: Reaction) -> dict[str, Any]:
    return {
        "id": it.id,
        "node_id": node_id("REA", it.id),
        "user": people.user(hub, it.user),
        "content": it.content,
        "created_at": stamp(it.created_at),
    }


def issue(hub: Place, it: Issue) -> dict[str, Any]:
    one = it.repo
    own = f"{hub.api}/repos/{one.full_name}/issues/{it.number}"
    page = f"{hub.url}/{one.full_name}/{'pull' if it.pull else 'issues'}/{it.number}"
    shown: dict[str, Any] = {
        "url": own,
        "repository_url": f"{hub.api}/repos/{one.full_name}",
        "labels_url": own + "/labels{/name}",
        "comments_url": own + "/comments",
        "events_url": own + "/events",
        "html_url": page,
        "id": it.id,
        "node_id": node_id("PR" if it.pull else "I", it.id),
        "number": it.number,
        "title": it.title,
        "user": people.user(hub, it.user),
        "labels": [label(hub, one, each) for each in it.labels],
        "state": it.state,
        "locked": False,
        "assignee": people.user(hub, it.assignees[0]) if it.assignees else None,
        "assignees": [people.user(hub, each) for each in it.assignees],
        "milestone": None,
        "comments": len(it.comments),
        "created_at": stamp(it.created_at),
        "updated_at": stamp(it.updated_at),
        "closed_at": stamp(it.closed_at),
        "author_association": one.association(it.user),
        "active_lock_reason": None,
        "body": it.body,
        "closed_by": people.user(hub, it.closed_by) if it.closed_by else None,
        "reactions": reactions(own, it.reactions),
        "timeline_url": own + "/timeline",
        "performed_via_github_app": None,
        "state_reason": it.state_reason,
    }
    if it.pull:
        pull_url = f"{hub.api}/repos/{one.full_name}/pulls/{it.number}"
        shown["draft"] = it.pull.draft
        shown["pull_request"] = {
            "url": pull_url,
            "html_url": page,
            "diff_url": page + ".diff",
            "patch_url": page + ".patch",
            "merged_at": stamp(it.pull.merged_at),
        }
    return shown


def issue_comment(hub: Place, it: Comment) -> dict[str, Any]:
    one = it.issue.repo
    own = f"{hub.api}/repos/{one.full_name}/issues/comments/{it.id}"
    page = f"{hub.url}/{one.full_name}/{'pull' if it.issue.pull else 'issues'}/{it.issue.number}"
    return {
        "url": own,
        "html_url": f"{page}#issuecomment-{it.id}",
        "issue_url": f"{hub.api}/repos/{one.full_name}/issues/{it.issue.number}",
        "id": it.id,
        "node_id": node_id("IC", it.id),
        "user": people.user(hub, it.user),
        "created_at": stamp(it.created_at),
        "updated_at": stamp(it.updated_at),
        "author_association": one.association(it.user),
        "body": it.body,
        "reactions": reactions(own, it.reactions),
        "performed_via_github_app": _app(hub, it.app),
    }


def _app(hub: Place, app: App | None) -> dict[str, Any] | None:
    return people.app(hub, app) if app else None


def _end(hub: Place, owner: User | None, ref: str, sha: str, where: Repo | None) -> dict[str, Any]:
    return {
        "label": f"{owner.login}:{ref}" if owner else ref,
        "ref": ref,
        "sha": sha,
        "user": people.user(hub, owner) if owner else None,
        "repo": repo(hub, where) if where else None,
    }


def pull(
    hub: Place,
    it: Pull,
    head: str | None = None,
    totals: dict[str, int] | None = None,
    state: tuple[bool | None, str] = (None, "unknown"),
) -> dict[str, Any]:
    """A pull request. `head` is what a lagging read still shows. With `totals` (commits, additions, deletions,
    changed_files) the full form of a single pull request, where `state` is mergeable and mergeable_state."""
    one, number = it.repo, it.number
    own, page = f"{hub.api}/repos/{one.full_name}/pulls/{number}", f"{hub.url}/{one.full_name}/pull/{number}"
    issue_url, sha = f"{hub.api}/repos/{one.full_name}/issues/{number}", head or it.head
    links = {
        "self": own,
        "html": page,
        "issue": issue_url,
        "comments": issue_url + "/comments",
        "review_comments": own + "/comments",
        "review_comment": f"{hub.api}/repos/{one.full_name}/pulls/comments{{/number}}",
        "commits": own + "/commits",
        "statuses": f"{hub.api}/repos/{one.full_name}/statuses/{sha}",
    }
    shown: dict[str, Any] = {
        "url": own,
        "id": it.id,
        "node_id": node_id("PR", it.id),
        "html_url": page,
        "diff_url": page + ".diff",
        "patch_url": page + ".patch",
        "issue_url": issue_url,
        "number": number,
        "state": it.issue.state,
        "locked": False,
        "title": it.issue.title,
        "user": people.user(hub, it.user),
        "body": it.issue.body,
        "created_at": stamp(it.issue.created_at),
        "updated_at": stamp(it.issue.updated_at),
        "closed_at": stamp(it.issue.closed_at),
        "merged_at": stamp(it.merged_at),
        "merge_commit_sha": it.merge_commit,
        "assignee": people.user(hub, it.issue.assignees[0]) if it.issue.assignees else None,
        "assignees": [people.user(hub, each) for each in it.issue.assignees],
        "requested_reviewers": [people.user(hub, each) for each in it.requested],
        "requested_teams": [],
        "labels": [label(hub, one, each) for each in it.issue.labels],
        "milestone": None,
        "draft": it.draft,
        "commits_url": links["commits"],
        "review_comments_url": links["review_comments"],
        "review_comment_url": links["review_comment"],
        "comments_url": links["comments"],
        "statuses_url": links["statuses"],
        "head": _end(hub, it.head_repo.owner if it.head_repo else it.head_owner, it.head_ref, sha, it.head_repo),
        "base": _end(hub, one.owner, it.base_ref, it.base_sha, one),
        "_links": {name: {"href": url} for name, url in links.items()},
        "author_association": one.association(it.user),
        "auto_merge": None,
        "active_lock_reason": None,
    }
    if totals is not None:
        shown |= {
            "merged": it.merged,
            "mergeable": state[0],
            "rebaseable": state[0],
            "mergeable_state": state[1],
            "merged_by": people.user(hub, it.merged_by) if it.merged_by else None,
            "comments": len(it.issue.comments),
            "review_comments": sum(1 for _ in it.comments),
            "maintainer_can_modify": False,
            **totals,
        }
    return shown


def review(hub: Place, it: Review) -> dict[str, Any]:
    one, pull = it.pull.repo, it.pull
    page = f"{hub.url}/{one.full_name}/pull/{pull.number}#pullrequestreview-{it.id}"
    own = f"{hub.api}/repos/{one.full_name}/pulls/{pull.number}"
    shown = {
        "id": it.id,
        "node_id": node_id("PRR", it.id),
        "user": people.user(hub, it.user),
        "body": it.body,
        "state": it.state,
        "html_url": page,
        "pull_request_url": own,
        "author_association": one.association(it.user),
        "_links": {"html": {"href": page}, "pull_request": {"href": own}},
        "commit_id": it.commit,
    }
    return shown | ({"submitted_at": stamp(it.submitted_at)} if it.submitted_at else {})


def review_comment(hub: Place, it: ReviewComment) -> dict[str, Any]:
    thread, one, number = it.thread, it.thread.pull.repo, it.thread.pull.number
    own = f"{hub.api}/repos/{one.full_name}/pulls/comments/{it.id}"
    pull_url = f"{hub.api}/repos/{one.full_name}/pulls/{number}"
    page = f"{hub.url}/{one.full_name}/pull/{number}#discussion_r{it.id}"
    span = (thread.original_line or 0) - (thread.original_start_line or thread.original_line or 0)
    shown: dict[str, Any] = {
        "url": own,
        "pull_request_review_id": it.review.id,
        "id": it.id,
        "node_id": node_id("PRRC", it.id),
        "diff_hunk": it.diff_hunk,
        "path": thread.path,
        "commit_id": thread.commit,
        "original_commit_id": thread.original_commit,
        "user": people.user(hub, it.user),
        "body": it.body,
        "created_at": stamp(it.created_at),
        "updated_at": stamp(it.updated_at),
        "html_url": page,
        "pull_request_url": pull_url,
        "author_association": one.association(it.user),
        "_links": {"self": {"href": own}, "html": {"href": page}, "pull_request": {"href": pull_url}},
        "reactions": reactions(own, it.reactions),
        "start_line": thread.line - span if span and thread.line else None,
        "original_start_line": thread.original_start_line,
        "start_side": thread.start_side,
        "line": thread.line,
        "original_line": thread.original_line or 1,
        "side": thread.side,
        "original_position": thread.original_position or 1,
        "position": thread.position or (1 if thread.original_line is None and not thread.outdated else None),
        "subject_type": "line" if thread.original_line else "file",
    }
    return shown | ({"in_reply_to_id": it.in_reply_to} if it.in_reply_to else {})


def file_change(hub: Place, one: Repo, it: FileChange, ref: str) -> dict[str, Any]:
    path = quote(it.path)
    shown: dict[str, Any] = {
        "sha": it.sha,
        "filename": it.path,
        "status": it.status,
        "additions": it.additions,
        "deletions": it.deletions,
        "changes": it.additions + it.deletions,
        "blob_url": f"{hub.url}/{one.full_name}/blob/{ref}/{path}",
        "raw_url": f"{hub.url}/{one.full_name}/raw/{ref}/{path}",
        "contents_url": f"{hub.api}/repos/{one.full_name}/contents/{path}?ref={ref}",
    }
    if it.patch is not None:
        shown["patch"] = it.patch
    return shown | ({"previous_filename": it.previous} if it.previous else {})
