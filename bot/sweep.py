"""What webhooks missed: every open pull request is looked at now and then, and lost deliveries are asked for again."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy.exc import SQLAlchemyError

from bot import ledger, metrics
from bot.core import Bot
from bot.github import errors
from bot.github.client import Access
from bot.github.models import HookDelivery
from bot.github.reads import Reads
from bot.logs import bound, logger
from bot.store import clocks, deliveries, jobs, pulls
from bot.store.pulls import Repo

log = logger(__name__)

#: GitHub keeps deliveries for three days, and sends no older one again.
KEPT = timedelta(days=3)
#: A delivery that failed so often is not asked for any more: the sweep knows the pull requests anyway.
MOST_TRIES = 3


class Sweeper:
    """A thread that sweeps at start and from then on; one process does it at a time."""

    def __init__(self, bot: Bot, wake: Callable[[], None]) -> None:
        self.bot = bot
        self.wake = wake
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="sweep", daemon=True)
        self._thread.start()

    def stop(self, timeout: float = 30) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout)

    def _run(self) -> None:
        first = True
        while not self._stop.is_set():
            self.bot.health.alive("sweep", self.bot.clock())
            try:
                self.turn(force=first)
                first = False
            except (errors.GitHubError, SQLAlchemyError) as error:
                log.warning("a sweep could not be finished", error=str(error)[:300])
            except Exception:
                log.exception("a sweep failed")
            self._stop.wait(min(30.0, self.bot.settings.sweep_every, self.bot.settings.redeliver_every))
        self.bot.health.gone("sweep")

    def turn(self, *, force: bool = False) -> None:
        """Whatever is due: failed deliveries, lost ones, a sweep. `force`: a sweep in any case."""
        with self.bot.store.exclusive("sweep") as mine:
            if not mine:
                return
            now, settings = self.bot.clock(), self.bot.settings
            if force or self._due("sweep", settings.sweep_every, now):
                retry_failed(self.bot, now)
                sweep(self.bot, now)
                tidy(self.bot, now)
                self._done("sweep", now)
                self.wake()
            if self._due("redeliver", settings.redeliver_every, now):
                redeliver(self.bot, now)
                self._done("redeliver", now)

    def _due(self, name: str, every: float, now: datetime) -> bool:
        with self.bot.store.read() as db:
            last = clocks.last(db, name)
        return last is None or now - last >= timedelta(seconds=every)

    def _done(self, name: str, now: datetime) -> None:
        with self.bot.store.write() as db:
            clocks.set_last(self.bot.store, db, name, now)


def sweep(bot: Bot, now: datetime) -> None:
    """Learn anew which repositories there are, and mark every pull request that is open here or on GitHub."""
    seen: set[int] = set()
    for installation in bot.app.installations():
        if installation.suspended_at is not None:
            continue
        for it in bot.app.repositories(installation.id):
            repo = Repo(it.id, it.owner.login, it.name, installation.id, it.owner.id)
            seen.add(repo.repo_id)
            with bot.store.write() as db:
                pulls.know_repo(bot.store, db, repo)
            with bound(repo=repo.full_name, repo_id=repo.repo_id):
                try:
                    mark_all(bot, repo, now)
                except errors.GitHubError as error:
                    log.warning("a repository could not be swept", error=str(error))
    with bot.store.write() as db:
        for known in pulls.repos(db):
            if known.repo_id not in seen:
                pulls.drop_repo(db, known.repo_id)
    metrics.SWEPT.set(now.timestamp())
    log.info("swept", repositories=len(seen))


def mark_all(bot: Bot, repo: Repo, now: datetime) -> None:
    """Mark what is open on GitHub, and what is only open here: that was closed meanwhile."""
    listed = {pull.number: pull.head.sha for pull in Reads(Access(bot.app, repo)).open_pulls()}
    with bot.store.write() as db:
        # The list may lag behind what a webhook announced, so it announces nothing itself.
        for number in sorted(set(listed) | pulls.known_open(db, repo.repo_id)):
            pulls.mark(bot.store, db, repo.repo_id, number, now)


def retry_failed(bot: Bot, now: datetime) -> None:
    """Try deliveries again that could not be understood: this may be a newer version than the one that failed."""
    with bot.store.read() as db:
        waiting = deliveries.failed(db)
    for it in waiting:
        ledger.again(bot.store, it, now)


def redeliver(bot: Bot, now: datetime) -> int:
    """Ask GitHub for what never arrived here, or was not acknowledged. Returns how many were asked for."""
    sent: dict[str, list[HookDelivery]] = defaultdict(list)
    for it in bot.app.deliveries():
        if it.delivered_at < now - KEPT:
            break
        sent[it.guid].append(it)
    with bot.store.read() as db:
        missing = deliveries.missing(db, sent)
    asked = 0
    for guid in lost(sent, missing):
        newest = max(sent[guid], key=lambda it: (it.delivered_at, it.id))
        with bound(delivery=guid):
            try:
                bot.app.redeliver(newest.id)
            except (errors.Gone, errors.Invalid, errors.Conflict) as error:
                log.warning("a delivery cannot be had again", error=str(error))
                continue
            log.info("asked for a delivery again", event_name=newest.event)
        metrics.REDELIVERIES.inc()
        asked += 1
    return asked


def lost(sent: dict[str, list[HookDelivery]], missing: set[str]) -> list[str]:
    """Which deliveries to ask for again: not in our ledger, and not tried too often. Pure."""
    return [guid for guid, tries in sent.items() if guid in missing and len(tries) < MOST_TRIES]


def tidy(bot: Bot, now: datetime) -> None:
    """Forget what nobody needs any more."""
    with bot.store.write() as db:
        deliveries.forget(db, now - timedelta(days=bot.settings.keep_days))
        jobs.forget_tokens(db, now)
