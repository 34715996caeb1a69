"""Locks between threads and processes. All of them die with their holder: none expires under one that is only slow.

A lock's name is `KIND` or `KIND/WHICH`. Who holds a lock of one kind may ask for one of another: a pass over a pull
request takes the writer's lock as well. So two kinds never share anything, or a pass would wait for itself.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

#: So many lock files there are of one kind at most. Two pull requests that share one wait for each other, which is only
#: slower.
FILES = 4096


def number(key: str) -> int:
    """A lock's number: 63 bits of its name's hash."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") >> 1


class FileLocks:
    """For SQLite: `flock` on files beside the database. The kernel lets go of them when the process ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextmanager
    def hold(self, key: str) -> Iterator[bool]:
        name = f"{key.partition('/')[0]}-{number(key) % FILES:03x}"
        file = os.open(self.folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
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
    def hold(self, key: str) -> Iterator[bool]:
        with self.engine.connect() as db:
            yield bool(db.execute(sa.text("SELECT pg_try_advisory_lock(:number)"), {"number": number(key)}).scalar())

    def close(self) -> None:
        self.engine.dispose()
