"""What follows when a branch moves: pull requests get a new head, threads go stale, mergeability is worked out anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from localhub import diff, rules, shapes
from localhub.diff import FileChange
from localhub.git import ZERO
from localhub.model import Pull, Repo, Review, Thread, User

if TYPE_CHECKING:
    from localhub.hub import Hub


def pushed(hub: Hub, repo: Repo, ref: str, old: str, new: str, user: User) -> None:
    """A ref of `repo` has moved from `old` to `new` (forty zeros: made or deleted). Sends the webhooks."""
    if old == new:
        return
    repo.pushed_at = hub.now()
    hub.emit(repo, "push", None, user, _push(hub, repo, ref, old, new, user))
    if not ref.startswith("refs/heads/"):
        return
    branch = ref.removeprefix("refs/heads/")
    for pull in [pull for one in list(hub.repos.values()) for pull in one.pulls if pull.open]:
        if pull.head_repo is repo and pull.head_ref == branch:
            if new == ZERO:
                close(hub, pull, user)
            else:
                _synchronize(hub, pull, new, user)
        elif pull.repo is repo and pull.base_ref == branch and new != ZERO:
            if repo.git.is_ancestor(pull.head, new):
                mark_merged(hub, pull, new, user)
            else:
                weigh(hub, pull)


def _push(hub: Hub, repo: Repo, ref: str, old: str, new: str, user: User) -> dict[str, Any]:
    git, html = repo.git, f"{hub.url}/{repo.full_name}"
    commits = git.log(new, *([f"^{old}"] if old != ZERO else []), limit=20) if new != ZERO else []

    def shape(sha: str) -> dict[str, Any]:
        it = git.commit(sha)
        paths: dict[str, list[str]] = {"added": [], "removed": [], "modified": []}
        for change in git.diff(it.parents[0], sha) if it.parents else []:
            paths["modified" if change.status == "renamed" else change.status].append(change.path)
        return {
            "id": sha,
            "tree_id": it.tree,
            "distinct": True,
            "message": it.message,
            "timestamp": it.committer_date,
            "url": f"{html}/commit/{sha}",
            "author": {"name": it.author, "email": it.author_email, "username": it.author},
            "committer": {"name": it.committer, "email": it.committer_email, "username": it.committer},
            **paths,
        }

    shown = [shape(it.sha) for it in reversed(commits)] if ref.startswith("refs/heads/") else []
    return {
        "ref": ref,
        "before": old,
        "after": new,
        "created": old == ZERO,
        "deleted": new == ZERO,
        "forced": ZERO not in (old, new) and not git.is_ancestor(old, new),
        "base_ref": None,
        "compare": f"{html}/compare/{old[:12]}...{new[:12]}",
        "commits": shown,
        "head_commit": shown[-1] if shown else (shape(new) if new != ZERO and git.type(new) == "commit" else None),
        "pusher": {"name": user.login, "email": user.email},
    }


def tip(repo: Repo, branch: str) -> str:
    """The SHA of a branch that is there. Raises KeyError."""
    found = repo.git.ref(f"refs/heads/{branch}")
    if found is None:
        raise KeyError(branch)
    return found


def opened(hub: Hub, pull: Pull) -> None:
    """A pull request was opened, or opened again: keep its head, ask for checks."""
    pull.repo.git.set_ref(f"refs/pull/{pull.number}/head", pull.head)
    weigh(hub, pull)
    _ask_for_checks(hub, pull)


def _synchronize(hub: Hub, pull: Pull, new: str, user: User) -> None:
    before = pull.head
    hub.faults.changed(("head", pull.id), before)
    pull.past_heads.append(before)
    pull.head, pull.last_pusher, pull.issue.updated_at = new, user, hub.now()
    pull.base_sha = tip(pull.repo, pull.base_ref)
    if any(rule.parameters.get("dismiss_stale_reviews_on_push") for rule in rules.in_force(pull.repo, pull.base_ref)):
        for review in [one for one in pull.reviews if one.state == "APPROVED"]:
            review.state = "DISMISSED"
            tell_review(hub, review, "dismissed", user)
    opened(hub, pull)
    for thread in pull.threads:
        place_thread(hub, thread)
    hub.emit_pull(pull, "pull_request", "synchronize", user, number=pull.number, before=before, after=new)


def tell_review(hub: Hub, review: Review, action: str, user: User) -> None:
    """The webhook about a review, where states are in lower case."""
    shown = shapes.review(hub, review) | {"state": review.state.lower()}
    hub.emit_pull(review.pull, "pull_request_review", action, user, review=shown)


def _ask_for_checks(hub: Hub, pull: Pull) -> None:
    """A check suite for every App that may write checks; of a fork's commit no branch is shown."""
    branch = pull.head_ref if pull.head_repo is pull.repo else None
    for installation in list(hub.installations.values()):
        if installation.covers(pull.repo) and installation.permissions.get("checks") == "write":
            suite, new = hub.suite(pull.repo, installation.app, pull.head, branch)
            if new:
                hub.emit(
                    pull.repo,
                    "check_suite",
                    "requested",
                    pull.last_pusher,
                    {"check_suite": shapes.check_suite(hub, suite, webhook=True)},
                    only=installation.app,
                )


def close(hub: Hub, pull: Pull, user: User) -> None:
    """Close without merging."""
    issue = pull.issue
    issue.state, issue.closed_at, issue.closed_by, issue.updated_at = "closed", hub.now(), user, hub.now()
    hub.emit_pull(pull, "pull_request", "closed", user, number=pull.number)


def mark_merged(hub: Hub, pull: Pull, commit: str, user: User) -> None:
    """The base branch now holds the pull request, as `commit`."""
    now = hub.now()
    pull.merged_at, pull.merged_by, pull.merge_commit, pull.mergeable = now, user, commit, None
    issue = pull.issue
    issue.state, issue.closed_at, issue.closed_by, issue.updated_at = "closed", now, user, now
    hub.emit_pull(pull, "pull_request", "closed", user, number=pull.number)


def weigh(hub: Hub, pull: Pull) -> None:
    """Work out whether the pull request merges without conflict, and keep `refs/pull/N/merge` as GitHub does."""
    git, base = pull.repo.git, tip(pull.repo, pull.base_ref)
    if pull.merged or pull.weighed == (pull.head, base):
        return
    tree = git.merged_tree(base, pull.head)
    pull.mergeable, pull.weighed, pull.merge_commit = tree is not None, (pull.head, base), None
    hub.faults.changed(("mergeable", pull.id), False, hub.faults.unweighed)
    if tree:
        who = hub.ghost
        message = f"Merge {pull.head} into {base}"
        pull.merge_commit = git.commit_tree(tree, [base, pull.head], message, who.login, who.email, hub.now())
        git.set_ref(f"refs/pull/{pull.number}/merge", pull.merge_commit)


def belongs(pull: Pull, sha: str) -> bool:
    """Whether a commit is one of the pull request's: its head, an earlier head, or on the way to them."""
    if sha in (pull.head, *pull.past_heads):
        return True
    git = pull.repo.git
    return git.commit_sha(sha) == sha and git.is_ancestor(sha, pull.head) and not git.is_ancestor(sha, pull.base_sha)


def files(pull: Pull, head: str | None = None) -> list[FileChange]:
    """What the pull request changes: its head against where it left the base branch."""
    git = pull.repo.git
    head = head or pull.head
    base = pull.base_sha if pull.merged else tip(pull.repo, pull.base_ref)
    start = git.merge_base(base, head) or base
    return git.diff(start, head)


def place_thread(hub: Hub, thread: Thread) -> None:
    """Work out where a thread's line is on the present head; `outdated` when it is no more in the diff."""
    pull = thread.pull
    shown = next((one for one in files(pull) if one.path == thread.path), None)
    if thread.original_line is None:
        thread.outdated = shown is None
        thread.commit = pull.head if shown else thread.commit
        return
    line: int | None = thread.original_line
    if thread.side == "RIGHT":
        since = pull.repo.git.diff(thread.original_commit, pull.head, thread.path)
        line = diff.moved(since[0].patch, thread.original_line) if since else line
        if since and since[0].status == "removed":
            line = None
    place = diff.find(shown.patch, line, thread.side) if shown and shown.patch and line else None
    thread.line, thread.position = (line, place.position) if place else (None, None)
    thread.outdated = place is None
    if place:
        thread.commit = pull.head


def unmet(hub: Hub, pull: Pull, user: User, app_id: int | None, method: str = "merge") -> list[str]:
    """What the rulesets hold against merging this pull request now, for this actor."""
    repo, base = pull.repo, tip(pull.repo, pull.base_ref)
    text = b""
    for path in (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"):
        if found := repo.git.file(base, path):
            text = found
            break
    evidence = rules.Evidence(
        pull,
        [run for run in repo.checks if run.suite.head_sha == pull.head],
        [status for status in repo.statuses if status.sha == pull.head],
        [change.path for change in files(pull)],
        text.decode(errors="replace"),
        behind=not repo.git.is_ancestor(base, pull.head),
    )
    return rules.unmet(rules.for_actor(repo, pull.base_ref, repo.role(user), app_id), evidence, method)


def state(hub: Hub, pull: Pull) -> tuple[bool | None, str]:
    """`mergeable` and `mergeable_state` as a read shows them."""
    if pull.merged or not pull.open:
        return None, "unknown"
    weigh(hub, pull)
    if not hub.faults.shown(("mergeable", pull.id), True):
        return None, "unknown"
    if not pull.mergeable:
        return False, "dirty"
    if pull.draft:
        return True, "draft"
    if unmet(hub, pull, hub.ghost, None):
        return True, "blocked"
    newest = {(run.suite.app.id, run.name): run for run in pull.repo.checks if run.suite.head_sha == pull.head}
    bad = any(run.conclusion not in rules.PASSING for run in newest.values())
    return True, "unstable" if bad else "clean"
