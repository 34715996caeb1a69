"""Whether the bot is well, from its database and its workers' last signs of life."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from bot import metrics
from bot.store import jobs, pulls
from bot.store.database import Store

#: Seconds without a sign of life after which a thread counts as dead or stuck. A pass may wait for GitHub's limits.
SILENCE = 300.0


@dataclass(frozen=True)
class Condition:
    problems: tuple[str, ...]
    threads: dict[str, float]  # seconds since each thread's last sign of life

    @property
    def well(self) -> bool:
        return not self.problems

    def body(self) -> dict[str, Any]:
        threads = {name: round(age, 1) for name, age in self.threads.items()}
        return {"well": self.well, "problems": list(self.problems), "threads": threads}


class Health:
    """Threads call `alive(name)`; `look` tells who went silent and whether the database answers."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._seen: dict[str, datetime] = {}
        self._lock = threading.Lock()

    def alive(self, name: str, now: datetime) -> None:
        with self._lock:
            self._seen[name] = now

    def gone(self, name: str) -> None:
        """The thread was stopped on purpose."""
        with self._lock:
            self._seen.pop(name, None)

    def look(self, now: datetime) -> Condition:
        with self._lock:
            ages = {name: (now - at).total_seconds() for name, at in self._seen.items()}
        problems = [f"{name} has been silent for {age:.0f} s" for name, age in sorted(ages.items()) if age > SILENCE]
        try:
            with self.store.read() as db:
                db.execute(sa.text("SELECT 1"))
        except SQLAlchemyError as error:
            problems.append(f"the database does not answer: {type(error).__name__}")
        return Condition(tuple(problems), ages)

    def gauge(self, now: datetime) -> None:
        """Bring the gauges up to date. What cannot be read keeps its last value."""
        try:
            with self.store.read() as db:
                waiting, oldest = pulls.waiting(db)
                metrics.QUEUE.set(waiting)
                metrics.QUEUE_AGE.set(max(0.0, (now - oldest).total_seconds()) if oldest else 0)
                metrics.JOBS_RUNNING.set(len(jobs.live_with_age(db)))
        except SQLAlchemyError:
            return
