"""Locks between threads and processes. All of them die with their holder: none expires under one that is only slow."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

#: So many lock files there are at most. Two pull requests that share one wait for each other, which is only slower.
FILES = 4096


class FileLocks:
    """For SQLite: `flock` on files beside the database. The kernel lets go of them when the process ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextmanager
    def hold(self, number: int) -> Iterator[bool]:
        file = os.open(self.folder / f"{number % FILES:03x}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
            else:
                yield True
        finally:
            os.close(file)

    def close(self) -> None:
        """Nothing is kept open."""


class PostgresLocks:
    """For PostgreSQL: session advisory locks, each on a connection of its own. The server drops them with it."""

    def __init__(self, engine: sa.Engine) -> None:
        # Not from the pool of the transactions: a pass holds its lock while it waits for GitHub.
        self.engine = sa.create_engine(engine.url, poolclass=sa.NullPool, isolation_level="AUTOCOMMIT")

    @contextmanager
    def hold(self, number: int) -> Iterator[bool]:
        with self.engine.connect() as db:
            yield bool(db.execute(sa.text("SELECT pg_try_advisory_lock(:number)"), {"number": number}).scalar())

    def close(self) -> None:
        self.engine.dispose()
