"""One review for each newly accepted report: comments beside the code, the rest in its summary.

Comments are known by the ids in the database, never by their text, so nobody can post a finding beforehand and have it
passed over. A thread is resolved when the newest accepted report no longer has its finding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bot import crash
from bot.core import HeadChanged, Scene
from bot.diff import commentable
from bot.github import errors
from bot.github.models import Comment, ReviewInfo
from bot.logs import logger
from bot.publish.once import digest, once
from bot.review import Inline, Live, ReviewPlan, demote, plan
from bot.state import Accepted, Decision
from bot.store import writes
from bot.store.writes import Shown, Written

log = logger(__name__)

LIVE = ("live", "resolved")


def publish(scene: Scene, head: str, decision: Decision, patches: Mapping[str, str | None]) -> None:
    """Say what the accepted reports of this head found, edit what was said before, resolve what is gone."""
    reports = [known.report for known in decision.tiers if known.report is not None]
    if not reports:
        return
    with scene.store.read() as db:
        rows = writes.findings(db, *scene.key)
    live = [_live(row) for row in rows if row.state in LIVE and row.comment_id is not None]
    told = {row.fingerprint for row in rows if row.state == "told"}
    planned = plan(reports, commentable(patches), live, told)
    if planned.summary:
        _post(scene, head, planned, reports)
    for edit in planned.edits:
        _edit(scene, edit.fingerprint, edit.comment_id, edit.body)
    if planned.resolve or planned.reopen:
        _threads(scene, planned)


def _live(row: Shown) -> Live:
    assert row.comment_id is not None
    return Live(row.fingerprint, row.tier, row.comment_id, row.thread_id, row.body, row.state == "resolved")


def _post(scene: Scene, head: str, planned: ReviewPlan, reports: Sequence[Accepted]) -> None:
    """Post the review and note its comments' ids. After a crash it is found: the App writes no other reviews."""
    key = f"{head}:{digest(sorted(report.job_id for report in reports))[:16]}"
    posted: list[ReviewPlan] = [planned]

    def find(row: Written) -> int | None:
        since = row.at - scene.bot.seconds(120)  # clocks differ
        with scene.store.read() as db:
            taken = {it.remote_id for it in writes.all_of(db, *scene.key, "review")}
        for review in scene.reads.my_reviews(scene.number):
            fits = review.commit_id == head and review.submitted_at is not None and review.submitted_at >= since
            if fits and review.state != "PENDING" and review.id not in taken:
                return review.id
        return None

    def create() -> int:
        posted[0], review = _send(scene, head, planned, reports)
        return review.id

    number, _ = once(scene, "review", key, "", find=find, create=create)
    _note(scene, head, number, posted[0])
    with scene.store.write() as db:
        writes.wrote(db, *scene.key, "review", key, number, "noted")


def _send(
    scene: Scene, head: str, planned: ReviewPlan, reports: Sequence[Accepted]
) -> tuple[ReviewPlan, ReviewInfo]:
    comments = [_comment(it) for it in planned.inline]
    try:
        return planned, scene.writes.review(scene.number, head, planned.summary, comments)
    except errors.OffDiff:
        # One of the lines is not in the difference after all. If that is because the head moved, all of this is about
        # another commit; else the culprits are found by halving.
        if scene.reads.pull(scene.number).head.sha != head:
            raise HeadChanged("the head moved while a review was posted") from None
    culprits = _culprits(scene, head, planned.inline)
    log.warning("GitHub refused comments", count=len(culprits))
    less = demote(planned, culprits, reports)
    return less, scene.writes.review(scene.number, head, less.summary, [_comment(it) for it in less.inline])


def _culprits(scene: Scene, head: str, inline: Sequence[Inline]) -> list[str]:
    """The fingerprints of the comments that GitHub refuses, by drafts that nobody else sees."""
    for review in scene.reads.my_reviews(scene.number):
        if review.state == "PENDING":  # left over from an interrupted search; there can be only one
            scene.writes.delete_review(scene.number, review.id)
    found: list[str] = []

    def search(part: Sequence[Inline], *, known_bad: bool) -> None:
        if not known_bad:
            try:
                draft = scene.writes.draft_review(scene.number, head, [_comment(it) for it in part])
            except errors.OffDiff:
                pass
            else:
                scene.writes.delete_review(scene.number, draft.id)
                return
        if len(part) == 1:
            found.append(part[0].fingerprint)
            return
        half = len(part) // 2
        before = len(found)
        search(part[:half], known_bad=False)
        search(part[half:], known_bad=len(found) == before)

    search(inline, known_bad=True)
    return found


def _comment(it: Inline) -> dict[str, Any]:
    return {"path": it.path, "line": it.line, "side": "RIGHT", "body": it.body}


def _note(scene: Scene, head: str, review_id: int, planned: ReviewPlan) -> None:
    """Pair the review's comments with the findings that they are about, and keep the ids."""
    there = _comments_of(scene, review_id, planned)
    now = scene.bot.clock()
    rows: list[Shown] = []
    for it in planned.inline:
        mine = next((c for c in there if c.path == it.path and c.body == it.body), None)
        if mine is not None:
            there.remove(mine)
            rows.append(_row(it.fingerprint, it.tier, head, mine.id, "live", it.body, it.path, it.line, now))
        else:
            # It was refused at that time, or somebody deleted it since: it was told once, which is enough.
            rows.append(_row(it.fingerprint, it.tier, head, None, "told", "", it.path, it.line, now))
    for other in planned.demoted:
        rows.append(_row(other.fingerprint, other.tier, head, None, "told", "", other.path, other.finding.line, now))
    with scene.store.write() as db:
        for row in rows:
            writes.put_finding(scene.store, db, *scene.key, row)


def _comments_of(scene: Scene, review_id: int, planned: ReviewPlan) -> list[Comment]:
    if not planned.inline:
        return []
    return [it for it in scene.reads.review_comments(scene.number) if it.pull_request_review_id == review_id]


def _row(
    fingerprint: str, tier: Any, head: str, comment: int | None, state: str, body: str, path: str, line: int, now: Any
) -> Shown:
    return Shown(fingerprint, tier, head, comment, "", state, body, path, line, now)


def _edit(scene: Scene, fingerprint: str, comment_id: int, body: str) -> None:
    try:
        scene.writes.edit_review_comment(comment_id, body)
    except errors.Gone:
        _change(scene, fingerprint, state="told", comment_id=None)  # somebody deleted it, and that stands
        return
    _change(scene, fingerprint, body=body)


def _threads(scene: Scene, planned: ReviewPlan) -> None:
    """Resolve threads whose finding is gone, and open those again whose finding came back."""
    threads = {thread.comment_id: thread for thread in scene.reads.threads(scene.number)}
    for live, done in [*((it, True) for it in planned.resolve), *((it, False) for it in planned.reopen)]:
        thread = threads.get(live.comment_id)
        try:
            if thread is not None and thread.is_resolved is not done:
                (scene.writes.resolve if done else scene.writes.unresolve)(thread.id)
                crash.point("after resolve")
        except errors.Forbidden as error:
            log.warning("a thread could not be resolved", error=str(error))
        _change(scene, live.fingerprint, state="resolved" if done else "live")


def _change(scene: Scene, fingerprint: str, **values: Any) -> None:
    with scene.store.write() as db:
        writes.change_finding(db, *scene.key, fingerprint, values)
