"""Commands as they arrived, and what maintainers decided by them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from bot.store.database import Store
from bot.store.schema import command, ruling


@dataclass(frozen=True)
class Said:
    """A comment that may hold commands, as it was when it was created. Later edits are never read."""

    comment_id: int
    repo_id: int
    number: int
    user_id: int
    login: str
    body: str
    head: str
    received_at: datetime
    state: str = "new"


@dataclass(frozen=True)
class Ruling:
    kind: str  # override, ask, hold, appeal
    head: str
    what: str
    reason: str
    user_id: int
    login: str
    comment_id: int
    at: datetime
    ended_at: datetime | None = None


def hear(store: Store, db: sa.Connection, it: Said) -> bool:
    """Keep a comment for the next pass. False when it is known already."""
    values = {name: getattr(it, name) for name in Said.__dataclass_fields__}
    values |= {"body_sha256": hashlib.sha256(it.body.encode()).hexdigest(), "role": "", "outcome": "", "sent": False}
    return store.insert_new(db, command, values)


def unanswered(db: sa.Connection, repo_id: int, number: int) -> list[Said]:
    where = (command.c.repo_id == repo_id) & (command.c.number == number) & (command.c.state == "new")
    columns = [command.c[name] for name in Said.__dataclass_fields__]
    rows = db.execute(sa.select(*columns).where(where).order_by(command.c.comment_id)).mappings()
    return [Said(**row) for row in rows]


def answered(db: sa.Connection, comment_id: int, state: str, role: str, outcome: str, now: datetime) -> None:
    values = {"state": state, "role": role, "outcome": outcome, "done_at": now}
    db.execute(command.update().where(command.c.comment_id == comment_id).values(**values))


def unsent(db: sa.Connection, repo_id: int, number: int) -> list[tuple[int, str]]:
    """Comments that were dealt with and not answered yet, with the JSON of the answer."""
    where = (command.c.repo_id == repo_id) & (command.c.number == number) & command.c.sent.is_(False)
    where &= command.c.state.in_(["done", "refused"])
    columns = [command.c.comment_id, command.c.outcome]
    return [(row[0], row[1]) for row in db.execute(sa.select(*columns).where(where).order_by(command.c.comment_id))]


def sent(db: sa.Connection, comment_id: int) -> None:
    db.execute(command.update().where(command.c.comment_id == comment_id).values(sent=True))


def rule(store: Store, db: sa.Connection, repo_id: int, number: int, it: Ruling) -> None:
    """Record a decision once: the same comment decides the same thing only one time."""
    values = {name: getattr(it, name) for name in Ruling.__dataclass_fields__}
    statement = store.insert(ruling).values(repo_id=repo_id, number=number, ended_by="", **values)
    db.execute(statement.on_conflict_do_nothing(index_elements=["comment_id", "kind", "what"]))


def end(db: sa.Connection, repo_id: int, number: int, kind: str, by: str, now: datetime) -> int:
    """End every standing decision of a kind, such as a hold. Returns how many stood."""
    where = (ruling.c.repo_id == repo_id) & (ruling.c.number == number) & (ruling.c.kind == kind)
    values = {"ended_at": now, "ended_by": by}
    return db.execute(ruling.update().where(where & ruling.c.ended_at.is_(None)).values(**values)).rowcount


def standing(db: sa.Connection, repo_id: int, number: int) -> list[Ruling]:
    """Decisions that nobody ended, oldest first."""
    where = (ruling.c.repo_id == repo_id) & (ruling.c.number == number) & ruling.c.ended_at.is_(None)
    columns = [ruling.c[name] for name in Ruling.__dataclass_fields__]
    return [Ruling(**row) for row in db.execute(sa.select(*columns).where(where).order_by(ruling.c.id)).mappings()]
