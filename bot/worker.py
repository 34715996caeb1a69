"""Who looks at marked pull requests: threads that take whatever is due, one of them on one pull request at a time.

The queue is the mark on the pull request's own row. It is set in the transaction that records a delivery, many marks
are one look, it survives any crash, and a look that fails leaves it standing. A queue of tasks beside it would be a
second truth that can disagree with the first: it has no place for "once more, something came while you were looking",
and it would still need the lock below, because nothing may depend on order or on one process being alone.
"""

from __future__ import annotations

import random
import threading
import time
from datetime import datetime, timedelta

from sqlalchemy.exc import SQLAlchemyError

from bot import metrics
from bot.core import Bot, HeadChanged, NotYet, Scene
from bot.github import errors
from bot.logs import bound, logger
from bot.reconcile import Outcome, backoff, reconcile
from bot.store import pulls
from bot.store.pulls import Pull

log = logger(__name__)

#: Other processes mark pull requests too, and nobody wakes us for those.
POLL = 1.0
#: What all wait for, a limit of GitHub's for example, is not ended for all at once.
MOST_SPREAD = timedelta(seconds=20)


class Worker:
    """The threads of one process. `wake()` when there may be something to do."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self._stop = threading.Event()
        self._wake = threading.Condition()
        self._busy: set[str] = set()
        self._next = 0.0  # when the next look may begin, by the monotonic clock
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        for number in range(self.bot.settings.workers):
            name = f"worker-{number}"
            thread = threading.Thread(target=self._run, args=(name,), name=name, daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self, timeout: float = 30) -> None:
        """Let every pass under way come to its end."""
        self._stop.set()
        with self._wake:
            self._wake.notify_all()
        for thread in self._threads:
            thread.join(timeout)

    def wake(self) -> None:
        """One thread at a time: while there is more to do, it goes on by itself and the others join in."""
        with self._wake:
            self._wake.notify()

    def _run(self, name: str) -> None:
        while not self._stop.is_set():
            self.bot.health.alive(name, self.bot.clock())
            if self._stop.wait(self._pause()):
                break
            try:
                worked = self.turn()
            except SQLAlchemyError as error:
                log.error("the database does not answer", error=type(error).__name__)
                worked = False
            if not worked:
                with self._wake:
                    self._wake.wait(POLL)
        self.bot.health.gone(name)

    def _pause(self) -> float:
        """Seconds until this thread may look, so that the looks of all of them are `pass_spacing` apart.

        They wait for GitHub together, but should not compute together: each would take the interpreter from the thread
        that acknowledges webhooks. GitHub's limits allow for far fewer looks than this in the long run.
        """
        now = time.monotonic()
        with self._wake:
            mine = max(self._next, now)
            self._next = mine + self.bot.settings.pass_spacing
        return mine - now

    def turn(self) -> bool:
        """Look at one pull request that is due and that nobody else is looking at. False when there is none."""
        with self.bot.store.read() as db:
            waiting = pulls.due(db, self.bot.clock())
        for row in waiting:
            with self._wake:
                if row.key in self._busy:
                    continue
                self._busy.add(row.key)
            try:
                if self.look(row.repo_id, row.number):
                    return True
            finally:
                with self._wake:
                    self._busy.discard(row.key)
        return False

    def look(self, repo_id: int, number: int) -> bool:
        """One pass over a pull request that is due. False when another holds it or it is not due any more."""
        store = self.bot.store
        with store.exclusive(pulls.lock_key(repo_id, number)) as mine:
            if not mine:
                return False
            with store.read() as db:
                row, repo = pulls.get(db, repo_id, number), pulls.get_repo(db, repo_id)
            now = self.bot.clock()
            if row is None or repo is None or not row.dirty or row.due > now:
                return False
            scene = Scene(self.bot, repo, number, now)
            with bound(pull=scene.name, repo_id=repo_id), metrics.PASS_SECONDS.time():
                outcome = self._guarded(scene, row)
            metrics.PASSES.labels(outcome).inc()
            return True

    def _guarded(self, scene: Scene, row: Pull) -> str:
        """A pass, and what to do with however it ends. Returns a word for the metrics."""
        try:
            done = reconcile(scene, row)
        except NotYet as early:
            log.info("not yet", why=str(early), wait=early.wait.total_seconds())
            return self._again(scene, row, early.wait, str(early), failed=False, word="not-yet")
        except HeadChanged as moved:
            log.info("the head moved", why=str(moved))
            return self._again(scene, row, timedelta(0), str(moved), failed=False, word="moved")
        except errors.Later as limit:
            log.warning("GitHub asks to wait", until=limit.at.isoformat(), error=str(limit))
            wait = max(limit.at - self.bot.clock(), timedelta(0))
            return self._again(scene, row, wait, str(limit), failed=False, word="limited")
        except (errors.Unavailable, errors.Unknown, errors.Conflict) as error:
            log.warning("GitHub did not answer as it should", error=str(error))
            return self._again(scene, row, backoff(row.attempts), str(error), word="unavailable")
        except errors.GitHubError as error:
            log.error("GitHub refused", error=str(error), status=error.status)
            return self._again(scene, row, backoff(row.attempts + 3), str(error), word="refused")
        except Exception as error:  # a fault of this program must not stop the work on other pull requests
            log.exception("a pass failed")
            return self._again(scene, row, backoff(row.attempts + 3), type(error).__name__, word="crashed")
        self._settle(scene, row, done)
        return "done"

    def _settle(self, scene: Scene, row: Pull, done: Outcome) -> None:
        with scene.store.write() as db:
            pulls.settle(db, row, self.bot.clock(), done.again_at)
        codes = [blocker.code for blocker in done.decision.blockers] if done.decision else []
        log.info("pass", blockers=codes, merged=done.merged, again_at=done.again_at and done.again_at.isoformat())

    def _again(
        self, scene: Scene, row: Pull, wait: timedelta, why: str, *, failed: bool = True, word: str
    ) -> str:
        wait += min(wait * 0.2, MOST_SPREAD) * random.random()  # not all of them at the same instant
        until: datetime = self.bot.clock() + wait
        with scene.store.write() as db:
            pulls.postpone(db, row, until, why, failed=failed)
        return word
