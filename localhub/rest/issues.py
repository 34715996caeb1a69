"""Issues, comments on issues and pull requests, labels, reactions."""

from __future__ import annotations

from typing import Any

from localhub import changes, shapes
from localhub.model import Comment, Issue, Reaction, Refused, Repo, at_least
from localhub.rest.core import Answer, Call, Page, operation

#: Longest body of an issue, a comment or a review, characters.
MAX_BODY = 65_536
FACES = ("+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes")
EITHER_READ, EITHER_WRITE = "issues:read|pull_requests:read", "issues:write|pull_requests:write"


def check_body(resource: str, text: str | None, needed: bool = True) -> str:
    """The body if it is one. Raises Refused (422)."""
    if not text or not text.strip():
        if needed:
            raise Refused.invalid(resource, "body", "missing_field")
        return text or ""
    if len(text) > MAX_BODY:
        raise Refused.invalid(resource, "body", "custom", f"body is too long (maximum is {MAX_BODY} characters)")
    return text


def _sender_event(issue: Issue) -> str:
    return "pull_request" if issue.pull else "issues"


def tell(call: Call, issue: Issue, action: str, **more: Any) -> None:
    """Send the webhook about an issue, or about the pull request that it is."""
    if issue.pull:
        call.hub.emit_pull(issue.pull, "pull_request", action, call.user, number=issue.number, **more)
    else:
        call.hub.emit(issue.repo, "issues", action, call.user, {"issue": shapes.issue(call.hub, issue), **more})


def paged_by_state(call: Call, issues: list[Issue]) -> list[Issue]:
    """Filter and sort a list of issues or pull requests as the query says."""
    state = call.query.get("state", "open")
    chosen = [issue for issue in issues if state in ("all", issue.state)]
    key = {"updated": lambda issue: issue.updated_at}.get(call.query.get("sort", ""), lambda issue: issue.number)
    return sorted(chosen, key=key, reverse=call.query.get("direction", "desc") == "desc")


@operation("GET /repos/{owner}/{repo}/issues", app="issues:read|pull_requests:read")
def listing(call: Call) -> Any:
    found = paged_by_state(call, list(call.repo.issues.values()))
    for name in filter(None, call.query.get("labels", "").split(",")):
        found = [issue for issue in found if any(label.name.lower() == name.lower() for label in issue.labels)]
    creator = call.query.get("creator")
    return Page([one for one in found if creator in (None, one.user.login)], lambda it: shapes.issue(call.hub, it))


@operation("POST /repos/{owner}/{repo}/issues", app="issues:write")
def create(call: Call) -> Any:
    repo, hub, title = call.repo, call.hub, call.need("title")
    body = check_body("Issue", call.json.get("body"), needed=False)
    now = hub.now()
    issue = Issue(hub.next_id(), repo, number(repo), call.user, str(title), body or None, now, now)
    if call.acting_app or at_least(call.role, "triage"):  # others' labels are dropped without a word
        issue.labels = [hub.label(repo, _name(one)) for one in call.json.get("labels") or []]
    repo.issues[issue.number] = issue
    tell(call, issue, "opened")
    return 201, shapes.issue(hub, issue)


def number(repo: Repo) -> int:
    """The next number: issues and pull requests share one sequence."""
    return max(repo.issues, default=0) + 1


def _name(label: Any) -> str:
    return str(label["name"] if isinstance(label, dict) else label)


@operation("GET /repos/{owner}/{repo}/issues/{issue_number}", app=EITHER_READ)
def get(call: Call) -> Any:
    return shapes.issue(call.hub, call.issue)


@operation("PATCH /repos/{owner}/{repo}/issues/{issue_number}", app=EITHER_WRITE)
def update(call: Call) -> Any:
    issue, body, hub = call.issue, call.json, call.hub
    author_or(call, issue, "triage")
    before = {"title": issue.title, "body": issue.body}
    issue.title = str(body.get("title") or issue.title)
    if "body" in body:
        issue.body = check_body("Issue", body["body"], needed=False) or None
    if body.get("labels") is not None:
        issue.labels = [hub.label(issue.repo, _name(one)) for one in body["labels"]]
    issue.updated_at = hub.now()
    changed = {key: {"from": old or ""} for key, old in before.items() if old != getattr(issue, key)}
    if changed:
        tell(call, issue, "edited", changes=changed)
    set_state(call, issue, body.get("state"), body.get("state_reason"))
    return shapes.issue(hub, issue)


def author_or(call: Call, issue: Issue, role: str) -> None:
    """Raises Refused (403) unless the caller wrote the issue or has a role; an App's right was checked before."""
    if call.acting_app or call.user is issue.user or at_least(call.role, role):
        return
    raise Refused(403, "Must have push access to repository")


def set_state(call: Call, issue: Issue, state: str | None, reason: str | None = None) -> None:
    """Close or open again."""
    if state in (None, issue.state):
        return
    if state not in ("open", "closed"):
        raise Refused.invalid("Issue", "state")
    hub = call.hub
    if state == "closed":
        if issue.pull:
            changes.close(hub, issue.pull, call.user)
            return
        issue.closed_at, issue.closed_by, issue.state_reason = hub.now(), call.user, reason or "completed"
    else:
        pull = issue.pull
        if pull and (pull.merged or pull.repo.git.commit_sha(pull.head) is None or pull.head_repo is None):
            raise Refused.invalid("PullRequest", "state", "custom", "state cannot be changed.")
        issue.closed_at = issue.closed_by = None
        issue.state_reason = None if pull else "reopened"
        if pull:
            tip = pull.head_repo.git.ref(f"refs/heads/{pull.head_ref}") if pull.head_repo else None
            if tip is None:
                raise Refused.invalid(
                    "PullRequest",
                    "state",
                    "custom",
                    f"state cannot be changed. The {pull.head_ref} branch has been deleted.",
                )
            pull.head = tip
            issue.state = state
            changes.opened(hub, pull)
    issue.state, issue.updated_at = state, hub.now()
    tell(call, issue, "closed" if state == "closed" else "reopened")


# Labels


@operation("GET /repos/{owner}/{repo}/labels", app=EITHER_READ)
def labels(call: Call) -> Any:
    return Page(list(call.repo.labels.values()), lambda it: shapes.label(call.hub, call.repo, it))


@operation("POST /repos/{owner}/{repo}/labels", app=EITHER_WRITE, role="write")
def create_label(call: Call) -> Any:
    repo, name = call.repo, call.need("name")
    if name.lower() in repo.labels:
        raise Refused.invalid("Label", "name", "already_exists")
    label = call.hub.label(repo, name)
    label.color, label.description = call.json.get("color", label.color), call.json.get("description")
    return 201, shapes.label(call.hub, repo, label)


@operation("GET /repos/{owner}/{repo}/issues/{issue_number}/labels", app=EITHER_READ)
def issue_labels(call: Call) -> Any:
    return Page(call.issue.labels, lambda it: shapes.label(call.hub, call.repo, it))


@operation("POST /repos/{owner}/{repo}/issues/{issue_number}/labels", app=EITHER_WRITE, role="triage")
def add_labels(call: Call) -> Any:
    issue, hub = call.issue, call.hub
    for name in call.json.get("labels") or []:
        label = hub.label(issue.repo, _name(name))
        if label not in issue.labels:
            issue.labels.append(label)
            tell(call, issue, "labeled", label=shapes.label(hub, issue.repo, label))
    return [shapes.label(hub, issue.repo, it) for it in issue.labels]


@operation("DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}", app=EITHER_WRITE, role="triage")
def remove_label(call: Call) -> Any:
    issue, hub = call.issue, call.hub
    label = next((one for one in issue.labels if one.name.lower() == call.params["name"].lower()), None)
    if label is None:
        raise Refused(404, "Label does not exist")
    issue.labels.remove(label)
    tell(call, issue, "unlabeled", label=shapes.label(hub, issue.repo, label))
    return [shapes.label(hub, issue.repo, it) for it in issue.labels]


# Comments


@operation("GET /repos/{owner}/{repo}/issues/{issue_number}/comments", app=EITHER_READ)
def comments(call: Call) -> Any:
    return Page(list(call.issue.comments), lambda it: shapes.issue_comment(call.hub, it))


@operation("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", app=EITHER_WRITE)
def comment(call: Call) -> Any:
    issue, hub = call.issue, call.hub
    body = check_body("IssueComment", call.need("body"))
    now = hub.now()
    made = Comment(hub.next_id(), issue, call.user, body, now, now, call.acting_app)
    issue.comments.append(made)
    issue.updated_at = now
    _tell_comment(call, made, "created")
    return 201, shapes.issue_comment(hub, made)


def _tell_comment(call: Call, it: Comment, action: str, **more: Any) -> None:
    payload = {"issue": shapes.issue(call.hub, it.issue), "comment": shapes.issue_comment(call.hub, it), **more}
    call.hub.emit(it.issue.repo, "issue_comment", action, call.user, payload)


def _comment(call: Call) -> Comment:
    number = call.number("comment_id")
    for issue in call.repo.issues.values():
        for one in issue.comments:
            if one.id == number:
                return one
    raise Refused(404, "Not Found")


@operation("GET /repos/{owner}/{repo}/issues/comments/{comment_id}", app=EITHER_READ)
def get_comment(call: Call) -> Any:
    return shapes.issue_comment(call.hub, _comment(call))


@operation("PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}", app=EITHER_WRITE)
def edit_comment(call: Call) -> Any:
    it = _comment(call)
    own_or_write(call, it)
    before, it.body = it.body, check_body("IssueComment", call.need("body"))
    it.updated_at = call.hub.now()
    _tell_comment(call, it, "edited", changes={"body": {"from": before}})
    return shapes.issue_comment(call.hub, it)


@operation("DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}", app=EITHER_WRITE)
def delete_comment(call: Call) -> Any:
    it = _comment(call)
    own_or_write(call, it)
    it.issue.comments.remove(it)
    _tell_comment(call, it, "deleted")
    return Answer(204)


def own_or_write(call: Call, it: Any) -> None:
    """Raises Refused (403) unless the caller wrote the comment or may write to the repository."""
    if call.user is not it.user and not call.acting_app and not at_least(call.role, "write"):
        raise Refused(403, "Must have push access to repository")


# Reactions


def react(call: Call, given: list[Reaction]) -> Any:
    """Add a reaction; the same one twice is one, and then the status is 200."""
    content = call.need("content")
    if content not in FACES:
        raise Refused.invalid("Reaction", "content")
    for one in given:
        if one.user is call.user and one.content == content:
            return 200, shapes.reaction(call.hub, one)
    made = Reaction(call.hub.next_id(), call.user, content, call.hub.now())
    given.append(made)
    return 201, shapes.reaction(call.hub, made)


def unreact(call: Call, given: list[Reaction]) -> Any:
    found = next((one for one in given if one.id == call.number("reaction_id")), None)
    if found is None:
        raise Refused(404, "Not Found")
    if found.user is not call.user:
        raise Refused(403, "Not allowed")
    given.remove(found)
    return Answer(204)


@operation("GET /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions", app=EITHER_READ)
def comment_reactions(call: Call) -> Any:
    return Page(_comment(call).reactions, lambda it: shapes.reaction(call.hub, it))


@operation("POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions", app=EITHER_WRITE)
def react_to_comment(call: Call) -> Any:
    return react(call, _comment(call).reactions)


@operation("DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}", app=EITHER_WRITE)
def unreact_to_comment(call: Call) -> Any:
    return unreact(call, _comment(call).reactions)


@operation("GET /repos/{owner}/{repo}/issues/{issue_number}/reactions", app=EITHER_READ)
def issue_reactions(call: Call) -> Any:
    return Page(call.issue.reactions, lambda it: shapes.reaction(call.hub, it))


@operation("POST /repos/{owner}/{repo}/issues/{issue_number}/reactions", app=EITHER_WRITE)
def react_to_issue(call: Call) -> Any:
    return react(call, call.issue.reactions)
