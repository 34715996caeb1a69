"""Reviews of pull requests, and comments on lines of their diff."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from localhub import changes, diff, shapes
from localhub.diff import FileChange
from localhub.model import Pull, Refused, Review, ReviewComment, Thread, at_least
from localhub.rest.core import Answer, Call, Page, operation
from localhub.rest.issues import check_body, own_or_write, react, unreact
from localhub.rest.pulls import READ, WRITE

STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED"}
NOT_IN_DIFF = "pull_request_review_thread.line must be part of the diff"


def visible(call: Call, pull: Pull) -> list[Review]:
    """A draft review is seen by its author only."""
    me = call.token.user if call.token else None
    return [one for one in pull.reviews if one.state != "PENDING" or one.user is me]


@operation("GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews", app=READ)
def listing(call: Call) -> Any:
    return Page(visible(call, call.pull), lambda it: shapes.review(call.hub, it))


def _review(call: Call) -> Review:
    number = call.number("review_id")
    found = next((one for one in visible(call, call.pull) if one.id == number), None)
    if found is None:
        raise Refused(404, "Not Found")
    return found


@operation("GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}", app=READ)
def get(call: Call) -> Any:
    return shapes.review(call.hub, _review(call))


@operation("POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews", app=WRITE)
def create(call: Call) -> Any:
    """A review with its comments: all of them, or none where one line is not in the diff."""
    pull, hub, body = call.pull, call.hub, call.json
    event, wanted = body.get("event"), body.get("comments") or []
    if event is not None and event not in STATES:
        raise Refused(422, "Variable $event of type PullRequestReviewEvent was provided invalid value")
    if event in ("APPROVE", "REQUEST_CHANGES") and call.user is pull.user:
        word = "approve" if event == "APPROVE" else "request changes on"
        raise Refused(422, "Unprocessable Entity", [f"Can not {word} your own pull request"])
    text = check_body("PullRequestReview", body.get("body"), needed=False)
    if event == "REQUEST_CHANGES" and not text:
        raise Refused(422, "Unprocessable Entity", ["Body can't be blank"])
    if event == "COMMENT" and not text and not wanted:
        raise Refused(422, "Unprocessable Entity", ["Body can't be blank"])
    commit = body.get("commit_id") or pull.head
    if not changes.belongs(pull, commit):
        raise Refused(422, "Unprocessable Entity", ["commit_id is not part of the pull request"])
    changed = changes.files(pull, commit)
    places = [_place(one, changed) for one in wanted]
    for one in wanted:
        check_body("PullRequestReviewComment", one.get("body"))
    state = STATES[event] if event else "PENDING"
    review = Review(hub.next_id(), pull, call.user, text, state, commit, hub.now() if event else None)
    pull.reviews.append(review)
    if call.user in pull.requested and event:
        pull.requested.remove(call.user)
    for one, place in zip(wanted, places, strict=True):
        _start_thread(call, pull, review, one["path"], commit, place, one["body"], quiet=event is None)
    if event:
        _tell(call, review, "submitted")
    return shapes.review(hub, review)


def _tell(call: Call, review: Review, action: str) -> None:
    changes.tell_review(call.hub, review, action, call.user)


@dataclass(frozen=True)
class _Place:
    """Where a comment goes: checked against the diff. With no line, the whole file."""

    line: int | None = None
    side: str = "RIGHT"
    start: int | None = None
    start_side: str | None = None
    position: int = 0
    hunk: str = ""


def _place(wanted: dict[str, Any], changed: list[FileChange]) -> _Place:
    """Raises Refused (422) for a file or a line that is not in the diff; GitHub does not say which."""
    file = next((one for one in changed if one.path == wanted.get("path")), None)
    if file is None or file.patch is None:
        raise Refused(422, "Unprocessable Entity", ["Path could not be resolved" if file is None else NOT_IN_DIFF])
    side = wanted.get("side") or "RIGHT"
    if wanted.get("line") is None and wanted.get("position") is not None:
        found = diff.at_position(file.patch, int(wanted["position"]))
        if found is None:
            raise Refused(422, "Unprocessable Entity", ["Position could not be resolved"])
        side = "RIGHT" if found.new is not None else "LEFT"
        return _Place(found.number(side), side, None, None, found.position, diff.hunk_until(file.patch, found.position))
    line = wanted.get("line")
    found = diff.find(file.patch, line, side) if isinstance(line, int) else None
    if found is None:
        raise Refused(422, "Unprocessable Entity", [NOT_IN_DIFF])
    hunk = diff.hunk_until(file.patch, found.position)
    start, start_side = wanted.get("start_line"), wanted.get("start_side")
    if start is None or start == line:
        return _Place(line, side, None, None, found.position, hunk)
    first = diff.find(file.patch, start, start_side or side)
    if first is None or first.hunk != found.hunk:
        raise Refused(
            422,
            "Unprocessable Entity",
            ["pull_request_review_thread.start_line must be part of the same hunk as the line."],
        )
    if first.position > found.position:
        raise Refused(422, "Unprocessable Entity", ["pull_request_review_thread.start_line must precede the end line."])
    return _Place(line, side, start, start_side or side, found.position, hunk)


def _start_thread(
    call: Call, pull: Pull, review: Review, path: str, commit: str, place: _Place, body: str, quiet: bool
) -> ReviewComment:
    hub, now = call.hub, call.hub.now()
    thread = Thread(
        hub.next_id(),
        pull,
        path,
        commit,
        place.line,
        place.side,
        place.start,
        place.start_side,
        place.position,
        commit=commit,
    )
    comment = ReviewComment(hub.next_id(), thread, review, call.user, body, place.hunk, now, now)
    thread.comments.append(comment)
    pull.threads.append(thread)
    changes.place_thread(hub, thread)
    if not quiet:
        _tell_comment(call, comment, "created")
    return comment


def _tell_comment(call: Call, it: ReviewComment, action: str, **more: Any) -> None:
    hub, pull = call.hub, it.thread.pull
    hub.emit_pull(
        pull, "pull_request_review_comment", action, call.user, comment=shapes.review_comment(hub, it), **more
    )


@operation("POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/events", app=WRITE)
def submit(call: Call) -> Any:
    review, event = _review(call), call.need("event")
    if review.state != "PENDING" or review.user is not call.user or event not in STATES:
        raise Refused(422, "Unprocessable Entity", ["Can not submit this review"])
    if event == "APPROVE" and call.user is review.pull.user:
        raise Refused(422, "Unprocessable Entity", ["Can not approve your own pull request"])
    review.state, review.submitted_at = STATES[event], call.hub.now()
    review.body = check_body("PullRequestReview", call.json.get("body"), needed=False) or review.body
    _tell(call, review, "submitted")
    return shapes.review(call.hub, review)


@operation("PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}", app=WRITE)
def edit(call: Call) -> Any:
    review = _review(call)
    if review.user is not call.user:
        raise Refused(403, "Must be the author of the review")
    review.body = check_body("PullRequestReview", call.need("body"))
    _tell(call, review, "edited")
    return shapes.review(call.hub, review)


@operation("DELETE /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}", app=WRITE)
def delete_draft(call: Call) -> Any:
    """Only a draft can be deleted, and only by its author; its comments go with it."""
    review, pull = _review(call), call.pull
    if review.state != "PENDING":
        raise Refused(422, "Unprocessable Entity", ["Can not delete a non-pending pull request review"])
    shown = shapes.review(call.hub, review)
    pull.reviews.remove(review)
    pull.threads = [thread for thread in pull.threads if thread.comments[0].review is not review]
    return shown


@operation("PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals", app=WRITE, role="write")
def dismiss(call: Call) -> Any:
    review = _review(call)
    call.need("message")
    if review.state not in ("APPROVED", "CHANGES_REQUESTED"):
        raise Refused(422, "Unprocessable Entity", ["Can not dismiss a commented pull request review"])
    review.state = "DISMISSED"
    _tell(call, review, "dismissed")
    return shapes.review(call.hub, review)


@operation("GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments", app=READ)
def comments_of_review(call: Call) -> Any:
    review = _review(call)
    found = [one for one in review.pull.comments if one.review is review]
    return Page(found, lambda it: shapes.review_comment(call.hub, it))


# Comments on lines


@operation("GET /repos/{owner}/{repo}/pulls/{pull_number}/comments", app=READ)
def comments(call: Call) -> Any:
    found = sorted((one for one in call.pull.comments if one.review.state != "PENDING"), key=lambda one: one.id)
    return Page(found, lambda it: shapes.review_comment(call.hub, it))


@operation("POST /repos/{owner}/{repo}/pulls/{pull_number}/comments", app=WRITE)
def comment(call: Call) -> Any:
    """One comment, as a review of its own; `subject_type: file` makes it about the whole file."""
    pull, hub, body = call.pull, call.hub, call.json
    text = check_body("PullRequestReviewComment", call.need("body"))
    if body.get("in_reply_to"):
        return 201, shapes.review_comment(hub, _answer(call, pull, int(body["in_reply_to"]), text))
    commit, path = call.need("commit_id"), call.need("path")
    if not changes.belongs(pull, commit):
        raise Refused.invalid(
            "PullRequestReviewComment", "commit_id", "custom", "commit_id is not part of the pull request"
        )
    changed = changes.files(pull, commit)
    if body.get("subject_type") == "file":
        if all(one.path != path for one in changed):
            raise Refused.invalid("PullRequestReviewComment", "path")
        place = _Place()
    else:
        try:
            place = _place(body, changed)
        except Refused as why:
            raise Refused.invalid("PullRequestReviewComment", "line", "custom", str((why.errors or [""])[0])) from why
    review = Review(hub.next_id(), pull, call.user, "", "COMMENTED", commit, hub.now())
    pull.reviews.append(review)
    made = _start_thread(call, pull, review, path, commit, place, text, quiet=False)
    _tell(call, review, "submitted")
    return 201, shapes.review_comment(hub, made)


def _answer(call: Call, pull: Pull, to: int, text: str) -> ReviewComment:
    hub, now = call.hub, call.hub.now()
    thread = next((one for one in pull.threads if any(each.id == to for each in one.comments)), None)
    if thread is None:
        raise Refused(404, "Not Found")
    review = Review(hub.next_id(), pull, call.user, "", "COMMENTED", pull.head, now)
    pull.reviews.append(review)
    first = thread.comments[0]
    made = ReviewComment(hub.next_id(), thread, review, call.user, text, first.diff_hunk, now, now, first.id)
    thread.comments.append(made)
    _tell_comment(call, made, "created")
    return made


@operation("POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies", app=WRITE)
def reply(call: Call) -> Any:
    text = check_body("PullRequestReviewComment", call.need("body"))
    return 201, shapes.review_comment(call.hub, _answer(call, call.pull, call.number("comment_id"), text))


def _comment(call: Call) -> ReviewComment:
    number = call.number("comment_id")
    for pull in call.repo.pulls:
        for one in pull.comments:
            if one.id == number:
                return one
    raise Refused(404, "Not Found")


@operation("GET /repos/{owner}/{repo}/pulls/comments/{comment_id}", app=READ)
def get_comment(call: Call) -> Any:
    return shapes.review_comment(call.hub, _comment(call))


@operation("PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}", app=WRITE)
def edit_comment(call: Call) -> Any:
    it = _comment(call)
    own_or_write(call, it)
    before, it.body = it.body, check_body("PullRequestReviewComment", call.need("body"))
    it.updated_at = call.hub.now()
    _tell_comment(call, it, "edited", changes={"body": {"from": before}})
    return shapes.review_comment(call.hub, it)


@operation("DELETE /repos/{owner}/{repo}/pulls/comments/{comment_id}", app=WRITE)
def delete_comment(call: Call) -> Any:
    it = _comment(call)
    own_or_write(call, it)
    it.thread.comments.remove(it)
    if not it.thread.comments:
        it.thread.pull.threads.remove(it.thread)
    _tell_comment(call, it, "deleted")
    return Answer(204)


@operation("POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions", app=WRITE)
def react_to_comment(call: Call) -> Any:
    return react(call, _comment(call).reactions)


@operation("DELETE /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions/{reaction_id}", app=WRITE)
def unreact_to_comment(call: Call) -> Any:
    return unreact(call, _comment(call).reactions)


def may_resolve(call: Call, pull: Pull) -> bool:
    """Who may resolve a thread: the pull request's author and people with write access; an App needs contents:write."""
    if call.token is None:
        return False
    if call.token.is_app:
        return call.token.permissions.get("contents") == "write"
    return call.token.user is pull.user or at_least(pull.repo.role(call.token.user), "write")
