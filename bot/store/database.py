"""Opening the database: engine, transactions, schema version, and locks that die with whoever holds them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from bot.store import schema
from bot.store.locks import FileLocks, PostgresLocks, number


class StoreError(RuntimeError):
    """The database cannot be used as it is. The message never holds its address."""


def _create(db: sa.Connection) -> None:
    schema.metadata.create_all(db)


#: Step n brings a database from version n to n + 1. A step that has shipped is never edited.
STEPS: tuple[Callable[[sa.Connection], None], ...] = (_create,)

_MIGRATION = 0x656E7662  # an arbitrary advisory lock, for changes of the schema only


class Store:
    """One database. `write()` and `read()` are transactions; `exclusive(key)` is a lock that other processes see.

    On SQLite one thread of a process writes at a time: waiting in a queue of our own is fair, waiting in SQLite is not.
    Raises `StoreError`, whose words are fit to be shown, when it cannot be opened or is of a later version.
    """

    def __init__(self, url: str, *, pool: int = 12, steps: tuple[Callable[[sa.Connection], None], ...] = STEPS) -> None:
        self.sqlite = url.startswith("sqlite")
        self._turn = threading.Lock()
        self.steps = steps
        try:
            self._open(url, pool)
            self._migrate()
        except (OSError, ValueError, ImportError, sa.exc.SQLAlchemyError) as error:
            raise StoreError(f"{_where(url)} cannot be opened: {_why(error)}. Is DATABASE_URL right?") from error

    def _open(self, url: str, pool: int) -> None:
        if self.sqlite:
            database = sa.make_url(url).database
            if not database or database == ":memory:":
                raise StoreError("the database must be a file: nothing else outlives a crash")
            self.engine = sa.create_engine(url, pool_size=pool, max_overflow=pool, connect_args={"timeout": 30})
            sa.event.listen(self.engine, "connect", _pragmas)
            sa.event.listen(self.engine, "begin", _begin)
            self.locks: FileLocks | PostgresLocks = FileLocks(Path(database + ".locks"))
        else:
            self.engine = sa.create_engine(url, pool_size=pool, max_overflow=pool, pool_pre_ping=True)
            self.locks = PostgresLocks(self.engine)

    def insert(self, table: sa.Table) -> Any:
        """An INSERT that can say what to do on a conflict, which is each database's own dialect."""
        return insert_into(table, self.sqlite)

    def insert_new(self, db: sa.Connection, table: sa.Table, values: dict[str, Any]) -> bool:
        """Insert a row unless one with its key is there. Says whether it was inserted."""
        statement = self.insert(table).values(**values).on_conflict_do_nothing()
        return db.execute(statement.returning(*table.primary_key.columns)).first() is not None

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction that is committed at the end of the block and rolled back when the block raises."""
        turn: AbstractContextManager[Any] = self._turn if self.sqlite else nullcontext()
        with turn, self.engine.begin() as db:
            yield db

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        with self.engine.connect() as raw:
            yield raw.execution_options(reading=True)

    def exclusive(self, key: str) -> AbstractContextManager[bool]:
        """Hold `key` against every thread and process; the block is told whether it was got. Never waits."""
        return self.locks.hold(key)

    def alone(self, db: sa.Connection, key: str) -> None:
        """Wait until no other transaction that asked for `key` is open. On SQLite one writes at a time anyway."""
        if not self.sqlite:
            db.execute(sa.text("SELECT pg_advisory_xact_lock(:number)"), {"number": number(f"alone:{key}")})

    def close(self) -> None:
        self.locks.close()
        self.engine.dispose()

    def _migrate(self) -> None:
        with self.write() as db:
            if not self.sqlite:
                db.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION})
            schema.version.create(db, checkfirst=True)
            have = db.execute(sa.select(schema.version.c.version)).scalar()
            if have is not None and have > len(self.steps):
                raise StoreError(f"the database is of version {have}, this program knows {len(self.steps)}: update it")
            if have is None:
                db.execute(schema.version.insert().values(version=0))
            for step in self.steps[have or 0 :]:
                step(db)
            db.execute(schema.version.update().values(version=len(self.steps)))


def _where(url: str) -> str:
    """The database in words, without anything that may be secret."""
    try:
        parts = sa.make_url(url)
    except (ValueError, sa.exc.ArgumentError):
        return "the database"
    return f"the database {parts.database} at {parts.host}" if parts.host else f"the database {parts.database}"


def _why(error: Exception) -> str:
    if isinstance(error, ValueError | sa.exc.ArgumentError):
        return "this is no address of a database"  # its own words would show the password
    told = str(getattr(error, "orig", None) or error).strip().splitlines()
    return told[0].rstrip(".") if told else type(error).__name__


def insert_into(table: sa.Table, sqlite: bool) -> Any:
    """`Store.insert` for who builds statements only once."""
    return sqlite_insert(table) if sqlite else postgres_insert(table)


def _pragmas(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # the driver's own idea of when a transaction begins is not ours
    cursor = connection.cursor()
    # In WAL mode NORMAL loses no committed transaction when the process dies, only when the machine does; what a power
    # cut takes, GitHub still knows, and the sweep finds.
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "busy_timeout=30000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin(db: sa.Connection) -> None:
    # A transaction that reads first and writes later could be refused midway: take the writer's place at once.
    db.exec_driver_sql("BEGIN" if db.get_execution_options().get("reading") else "BEGIN IMMEDIATE")
