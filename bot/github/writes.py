"""What is written to a repository. Nothing here repeats itself: an unclear outcome is `Unknown`, for the caller."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.github import errors
from bot.github.client import Access, parse
from bot.github.models import CheckRun, Comment, ReviewInfo
from bot.github.tokens import CHECKS, DISPATCH, MERGE, RESOLVE, TALK

RESOLVE_THREAD = """
mutation($thread: ID!) { resolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } } }
"""
UNRESOLVE_THREAD = """
mutation($thread: ID!) { unresolveReviewThread(input: {threadId: $thread}) { thread { id isResolved } } }
"""
MINIMIZE = """
mutation($subject: ID!) {
  minimizeComment(input: {subjectId: $subject, classifier: RESOLVED}) { minimizedComment { isMinimized } }
}
"""


class Writes:
    def __init__(self, access: Access) -> None:
        self.access = access

    def create_check(self, head: str, name: str, external_id: str, body: dict[str, Any]) -> CheckRun:
        sent = {"name": name, "head_sha": head, "external_id": external_id, **body}
        return parse(CheckRun, self.access.send("POST", "/check-runs", CHECKS, sent).json())

    def update_check(self, check_run_id: int, body: dict[str, Any]) -> None:
        self.access.send("PATCH", f"/check-runs/{check_run_id}", CHECKS, body)

    def comment(self, number: int, body: str) -> Comment:
        answer = self.access.send("POST", f"/issues/{number}/comments", TALK, {"body": body})
        return parse(Comment, answer.json())

    def edit_comment(self, comment_id: int, body: str) -> None:
        self.access.send("PATCH", f"/issues/comments/{comment_id}", TALK, {"body": body})

    def react(self, comment_id: int, content: str) -> None:
        """An acknowledgement that notifies nobody. The same reaction twice is one."""
        self.access.send("POST", f"/issues/comments/{comment_id}/reactions", TALK, {"content": content})

    def review(self, number: int, head: str, body: str, comments: Sequence[dict[str, Any]]) -> ReviewInfo:
        """One review that approves nothing. Raises `OffDiff` when GitHub refuses the comments, all of them."""
        sent = {"commit_id": head, "body": body, "event": "COMMENT", "comments": list(comments)}
        try:
            return parse(ReviewInfo, self.access.send("POST", f"/pulls/{number}/reviews", TALK, sent).json())
        except errors.Invalid as error:
            if error.status == 422 and comments:
                raise errors.OffDiff(str(error), 422) from None
            raise

    def draft_review(self, number: int, head: str, comments: Sequence[dict[str, Any]]) -> ReviewInfo:
        """A review that only the App sees, to find out which comments GitHub takes. To be deleted. Raises `OffDiff`."""
        sent = {"commit_id": head, "comments": list(comments)}
        try:
            return parse(ReviewInfo, self.access.send("POST", f"/pulls/{number}/reviews", TALK, sent).json())
        except errors.Invalid as error:
            if error.status == 422:
                raise errors.OffDiff(str(error), 422) from None
            raise

    def delete_review(self, number: int, review_id: int) -> None:
        self.access.send("DELETE", f"/pulls/{number}/reviews/{review_id}", TALK)

    def edit_review_comment(self, comment_id: int, body: str) -> None:
        self.access.send("PATCH", f"/pulls/comments/{comment_id}", TALK, {"body": body})

    def reply(self, number: int, comment_id: int, body: str) -> None:
        self.access.send("POST", f"/pulls/{number}/comments/{comment_id}/replies", TALK, {"body": body})

    def resolve(self, thread_id: str) -> None:
        self.access.query(RESOLVE_THREAD, {"thread": thread_id}, RESOLVE, write=True)

    def unresolve(self, thread_id: str) -> None:
        self.access.query(UNRESOLVE_THREAD, {"thread": thread_id}, RESOLVE, write=True)

    def minimize(self, node_id: str) -> None:
        self.access.query(MINIMIZE, {"subject": node_id}, TALK, write=True)

    def dispatch(self, workflow: str, ref: str, inputs: dict[str, str]) -> int | None:
        """Start a workflow. Returns the run's id, or None where GitHub did not name it."""
        sent = {"ref": ref, "inputs": inputs, "return_run_details": True}
        answer = self.access.send("POST", f"/actions/workflows/{workflow}/dispatches", DISPATCH, sent)
        found = answer.json()
        run_id = found.get("workflow_run_id") if isinstance(found, dict) else None
        return int(run_id) if run_id is not None else None

    def cancel(self, run_id: int) -> None:
        """Ask a run to stop. One that has ended already is no error."""
        try:
            self.access.send("POST", f"/actions/runs/{run_id}/cancel", DISPATCH)
        except errors.Conflict:
            return

    def merge(self, number: int, head: str, method: str, title: str, message: str) -> str:
        """Merge exactly `head`. Returns the merge commit's SHA.

        Raises `HeadMoved`, `NotMergeable`, `Forbidden`, or `Unknown` when the answer did not come.
        """
        sent = {"sha": head, "merge_method": method, "commit_title": title, "commit_message": message}
        try:
            found = self.access.send("PUT", f"/pulls/{number}/merge", MERGE, sent).json()
        except errors.Conflict as error:
            raise errors.HeadMoved(str(error), 409) from None
        if not isinstance(found, dict) or not found.get("merged") or not found.get("sha"):
            raise errors.Unknown("GitHub answered a merge without saying that it merged")
        return str(found["sha"])
