"""Pull requests: open, read, change, merge."""

from __future__ import annotations

from typing import Any

from localhub import changes, shapes
from localhub.model import Issue, Pull, Refused, Repo
from localhub.rest.commits import shown as shown_commit
from localhub.rest.core import Answer, Call, Page, operation
from localhub.rest.issues import author_or, check_body, number, paged_by_state, set_state, tell

#: GitHub lists no more files of a pull request than this, and no more commits.
MAX_FILES, MAX_COMMITS = 3000, 250
READ, WRITE = "pull_requests:read", "pull_requests:write"


def full(call: Call, pull: Pull) -> dict[str, Any]:
    """The form of a single pull request; its head as a lagging read shows it."""
    hub = call.hub
    head = hub.faults.shown(("head", pull.id), pull.head)
    return shapes.pull(hub, pull, head, hub.totals(pull), changes.state(hub, pull))


@operation("GET /repos/{owner}/{repo}/pulls", app=READ)
def listing(call: Call) -> Any:
    hub, query = call.hub, call.query
    found = [one.pull for one in paged_by_state(call, list(call.repo.issues.values())) if one.pull]
    if head := query.get("head"):
        owner, _, ref = head.rpartition(":")
        found = [
            one
            for one in found
            if one.head_ref == ref and (not owner or (one.head_repo and one.head_repo.owner.login == owner))
        ]
    if base := query.get("base"):
        found = [one for one in found if one.base_ref == base]
    return Page(found, lambda pull: shapes.pull(hub, pull, hub.faults.shown(("head", pull.id), pull.head)))


@operation("POST /repos/{owner}/{repo}/pulls", app=WRITE)
def create(call: Call) -> Any:
    repo, hub, body = call.repo, call.hub, call.json
    title, head, base = call.need("title"), call.need("head"), call.need("base")
    owner, _, ref = head.rpartition(":")
    source = _source(call, repo, owner, body.get("head_repo"))
    sha = source.git.ref(f"refs/heads/{ref}") if source else None
    if source is None or sha is None:
        raise Refused.invalid("PullRequest", "head")
    base_sha = repo.git.ref(f"refs/heads/{base}")
    if base_sha is None:
        raise Refused.invalid("PullRequest", "base")
    label = f"{source.owner.login}:{ref}"
    if any(one.open and one.head_repo is source and one.head_ref == ref and one.base_ref == base for one in repo.pulls):
        raise Refused.invalid("PullRequest", "", "custom", f"A pull request already exists for {label}.")
    if repo.git.is_ancestor(sha, base_sha):
        raise Refused.invalid("PullRequest", "", "custom", f"No commits between {repo.owner.login}:{base} and {label}")
    now, text = hub.now(), check_body("PullRequest", body.get("body"), needed=False)
    issue = Issue(hub.next_id(), repo, number(repo), call.user, title, text or None, now, now)
    pull = Pull(
        hub.next_id(), issue, source, ref, sha, base, base_sha, call.user, source.owner, bool(body.get("draft"))
    )
    issue.pull, repo.issues[issue.number] = pull, issue
    changes.opened(hub, pull)
    hub.emit_pull(pull, "pull_request", "opened", call.user, number=issue.number)
    return 201, full(call, pull)


def _source(call: Call, repo: Repo, owner: str, name: str | None) -> Repo | None:
    """The repository that `head` is in: the repository itself or a fork of it."""
    if not owner or owner.lower() == repo.owner.login.lower():
        return repo
    forks = (one for one in call.hub.repos.values() if one.parent is repo and one.owner.login.lower() == owner.lower())
    return next((one for one in forks if name in (None, one.name, one.full_name)), None)


@operation("GET /repos/{owner}/{repo}/pulls/{pull_number}", app=READ)
def get(call: Call) -> Any:
    pull, accept = call.pull, call.headers.get("accept", "")
    if "diff" in accept or "patch" in accept:
        start = pull.repo.git.merge_base(changes.tip(pull.repo, pull.base_ref), pull.head) or pull.base_sha
        return Answer(
            200, pull.repo.git.diff_text(start, pull.head).encode(), type="application/vnd.github.diff; charset=utf-8"
        )
    return full(call, pull)


@operation("PATCH /repos/{owner}/{repo}/pulls/{pull_number}", app=WRITE)
def update(call: Call) -> Any:
    pull, body, hub = call.pull, call.json, call.hub
    issue = pull.issue
    author_or(call, issue, "write")
    edited: dict[str, Any] = {}
    if "title" in body and body["title"] != issue.title:
        edited["title"], issue.title = {"from": issue.title}, str(body["title"])
    if "body" in body and body["body"] != issue.body:
        text = check_body("PullRequest", body["body"], needed=False) or None
        edited["body"], issue.body = {"from": issue.body or ""}, text
    if body.get("base") not in (None, pull.base_ref):
        sha = pull.repo.git.ref(f"refs/heads/{body['base']}")
        if sha is None:
            raise Refused.invalid("PullRequest", "base")
        edited["base"] = {"ref": {"from": pull.base_ref}, "sha": {"from": pull.base_sha}}
        pull.base_ref, pull.base_sha = body["base"], sha
        changes.weigh(hub, pull)
    issue.updated_at = hub.now()
    if edited:
        tell(call, issue, "edited", changes=edited)
    set_state(call, issue, body.get("state"))
    return full(call, pull)


@operation("GET /repos/{owner}/{repo}/pulls/{pull_number}/files", app=READ)
def files(call: Call) -> Any:
    pull, hub = call.pull, call.hub
    head = hub.faults.shown(("head", pull.id), pull.head)
    return Page(changes.files(pull, head)[:MAX_FILES], lambda it: shapes.file_change(hub, pull.repo, it, head))


@operation("GET /repos/{owner}/{repo}/pulls/{pull_number}/commits", app=READ)
def commits(call: Call) -> Any:
    pull = call.pull
    found = pull.repo.git.log(pull.head, f"^{pull.base_sha}", limit=MAX_COMMITS)
    return Page(list(reversed(found)), lambda it: shown_commit(call, pull.repo, it))


@operation("POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers", app=WRITE, role="write")
def request_review(call: Call) -> Any:
    pull, hub = call.pull, call.hub
    for login in call.json.get("reviewers") or []:
        who = hub.users.get(str(login).lower())
        if who is None or pull.repo.role(who) in ("none", "read") or who is pull.user:
            raise Refused(422, "Reviews may only be requested from collaborators.")
        if who not in pull.requested:
            pull.requested.append(who)
            hub.emit_pull(
                pull,
                "pull_request",
                "review_requested",
                call.user,
                number=pull.number,
                requested_reviewer=shapes.user(hub, who),
            )
    return 201, shapes.pull(hub, pull)


@operation("GET /repos/{owner}/{repo}/pulls/{pull_number}/merge", app=READ)
def merged(call: Call) -> Any:
    if not call.pull.merged:
        raise Refused(404, "Not Found")
    return Answer(204)


@operation("PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge", app="contents:write", role="write")
def merge(call: Call) -> Any:
    """Merge, if the head is still the one that the caller means and no rule is against it."""
    pull, hub, body = call.pull, call.hub, call.json
    repo, method, app = pull.repo, body.get("merge_method") or "merge", call.acting_app
    if method not in repo.allow:
        raise Refused(422, "Invalid request.\n\nmerge_method is none of merge, squash, rebase.")
    if not pull.open or pull.merged:
        raise Refused(405, "Pull Request is not mergeable")
    if pull.draft:
        raise Refused(405, "Pull Request is still a draft")
    if not repo.allow[method]:
        raise Refused(405, f"{method.capitalize()} merges are not allowed on this repository.")
    if body.get("sha") not in (None, pull.head):
        raise Refused(409, "Head branch was modified. Review and try the merge again.")
    changes.weigh(hub, pull)
    if not pull.mergeable:
        raise Refused(405, "Pull Request is not mergeable")
    reasons = changes.unmet(hub, pull, call.user, app.id if app else None, method)
    if reasons:
        raise Refused(405, "Repository rule violations found\n\n" + "\n".join(reasons) + "\n\n")
    base = changes.tip(repo, pull.base_ref)
    tree = repo.git.merged_tree(base, pull.head)
    assert tree is not None
    owner = pull.head_owner.login if pull.head_owner else "ghost"
    default = f"Merge pull request #{pull.number} from {owner}/{pull.head_ref}"
    headline = body.get("commit_title") or (f"{pull.issue.title} (#{pull.number})" if method == "squash" else default)
    message = f"{headline}\n\n{body.get('commit_message') or ('' if method == 'squash' else pull.issue.title)}".strip()
    parents = [base] if method == "squash" else [base, pull.head]
    sha = repo.git.commit_tree(tree, parents, message, call.user.login, call.user.email, hub.now())
    ref = f"refs/heads/{pull.base_ref}"
    repo.git.set_ref(ref, sha, base)
    changes.mark_merged(hub, pull, sha, call.user)
    changes.pushed(hub, repo, ref, base, sha, call.user)
    return {"sha": sha, "merged": True, "message": "Pull Request successfully merged"}


@operation("PUT /repos/{owner}/{repo}/pulls/{pull_number}/update-branch", app=WRITE)
def update_branch(call: Call) -> Any:
    """Merge the base branch into the head: this moves the head."""
    pull, hub = call.pull, call.hub
    if call.json.get("expected_head_sha") not in (None, pull.head):
        raise Refused(422, "expected head sha didn't match current head ref.")
    source = pull.head_repo
    base = changes.tip(pull.repo, pull.base_ref)
    if source is None or not pull.open or pull.repo.git.is_ancestor(base, pull.head):
        raise Refused(422, "There are no new commits on the base branch.")
    tree = pull.repo.git.merged_tree(pull.head, base)
    if tree is None:
        raise Refused(422, "merge conflict between base and head")
    text = f"Merge branch '{pull.base_ref}' into {pull.head_ref}"
    new = source.git.commit_tree(tree, [pull.head, base], text, call.user.login, call.user.email, hub.now())
    ref, old = f"refs/heads/{pull.head_ref}", pull.head
    source.git.set_ref(ref, new, old)
    changes.pushed(hub, source, ref, old, new, call.user)
    return 202, {
        "message": "Updating pull request branch.",
        "url": f"{hub.url}/{pull.repo.full_name}/pull/{pull.number}",
    }
