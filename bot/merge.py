"""Merging exactly the head that was tested and approved, at most once.

The attempt is committed before GitHub is asked. With `sha`, GitHub itself refuses when the head is another by then. An
outcome that did not arrive is read back, never asked for again before that.

A repository gets one merge at a time, and only while its base branch is where it was when the decision was made: each
environment was held against those that were there, so the next one has to see this one first.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from bot import crash, metrics
from bot.core import NotYet, Scene
from bot.github import errors
from bot.github.models import PullInfo
from bot.logs import logger
from bot.state import Merge
from bot.store import pulls, writes
from bot.store.writes import Attempt
from bot.text import merge_message, merge_title

log = logger(__name__)

METHOD = "merge"
#: The longest pause between two tries of a merge that GitHub does not allow.
MOST_WAIT = timedelta(minutes=30)
#: Seconds until it is tried again where another merge came first.
SOON = 1.0


def read_back(scene: Scene, pull: PullInfo) -> None:
    """Find out what became of attempts whose answer never came. Raises `NotYet` while that cannot be said."""
    with scene.store.read() as db:
        open_ = [it for it in writes.merges(db, *scene.key) if it.state == "trying"]
    for attempt in open_:
        if pull.is_merged:
            _end(scene, attempt.id, "merged", pull.merge_commit_sha or "", "read back")
            continue
        age = scene.bot.clock() - attempt.at
        wait = scene.bot.seconds(scene.settings.read_back)
        if age < wait:
            raise NotYet("it is not known whether a merge happened", wait - age)
        _end(scene, attempt.id, "blocked", "", "the answer never came, and it is not merged")


def give_up(scene: Scene) -> None:
    """The pull request is gone, so nobody will ever say what became of an attempt. It must not hold up the others."""
    with scene.store.read() as db:
        open_ = [it for it in writes.merges(db, *scene.key) if it.state == "trying"]
    for attempt in open_:
        _end(scene, attempt.id, "blocked", "", "the pull request is gone")


def merge(scene: Scene, it: Merge) -> datetime | None:
    """Ask GitHub to merge. Returns when to try again, where GitHub does not allow it now; None when it is over."""
    with scene.store.read() as db:
        before = [attempt for attempt in writes.merges(db, *scene.key) if attempt.head == it.head]
    if (until := _pause(before)) is not None and until > scene.bot.clock():
        return until
    with scene.store.write() as db:
        scene.store.alone(db, f"merge:{scene.repo.repo_id}")
        others = [number for number in writes.merging(db, scene.repo.repo_id) if number != scene.number]
        if others:
            log.info("another merge is under way", numbers=others)
            return scene.bot.clock() + scene.bot.seconds(SOON)
        number = writes.try_merge(db, *scene.key, it.head, it.reviews, it.job_ids, scene.bot.clock())
    crash.point("before merge")
    if not _base_stands(scene, it):
        _end(scene, number, "outrun", "", "the base branch moved since the decision")
        return scene.bot.clock() + scene.bot.seconds(SOON)
    try:
        sha = scene.writes.merge(scene.number, it.head, METHOD, merge_title(scene.number), merge_message(it))
    except errors.HeadMoved as error:
        _end(scene, number, "moved", "", str(error))
        return scene.bot.clock()
    except (errors.NotMergeable, errors.Forbidden, errors.Invalid, errors.Gone, errors.Unauthorized) as error:
        state = "blocked" if isinstance(error, errors.NotMergeable) else "forbidden"
        _end(scene, number, state, "", str(error))
        with scene.store.read() as db:
            tried = [attempt for attempt in writes.merges(db, *scene.key) if attempt.head == it.head]
        return _pause(tried)
    except errors.Later as error:
        _end(scene, number, "blocked", "", str(error))
        raise
    crash.point("after merge")
    _end(scene, number, "merged", sha, "")
    with scene.store.write() as db:
        pulls.merged(db, *scene.key)
    return None


def _base_stands(scene: Scene, it: Merge) -> bool:
    """Whether the base branch is where the decision saw it, and that is no old answer from before our last merge."""
    if scene.reads.branch(it.base_ref) != it.base:
        return False
    with scene.store.read() as db:
        last = writes.last_merge(db, scene.repo.repo_id)
    if last is None or scene.bot.clock() - last[1] > scene.bot.seconds(scene.settings.lag_limit):
        return True
    return it.base == last[0] or scene.reads.leads_to(last[0], it.base)


def _pause(attempts: list[Attempt]) -> datetime | None:
    """Not before then: each refusal of the same head doubles the pause."""
    refused = [attempt for attempt in attempts if attempt.state in ("blocked", "forbidden")]
    if not refused:
        return None
    wait = timedelta(seconds=15) * 2 ** min(len(refused) - 1, 10)
    until: datetime = refused[-1].at + min(wait, MOST_WAIT)
    return until


def _end(scene: Scene, attempt: int, state: str, sha: str, why: str) -> None:
    with scene.store.write() as db:
        writes.end_merge(db, attempt, state, sha, why, scene.bot.clock())
    metrics.MERGES.labels(state).inc()
    log.info("merge", outcome=state, merge_sha=sha, why=why)
