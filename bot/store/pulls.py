"""Repositories, their pull requests, and which of them want to be looked at."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from bot.store.database import Store, insert_into
from bot.store.schema import Instant, head_seen, pull, repo


@dataclass(frozen=True)
class Repo:
    repo_id: int
    owner: str
    name: str
    installation_id: int
    owner_id: int = 0
    active: bool = True

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"


@dataclass(frozen=True)
class Pull:
    repo_id: int
    number: int
    wanted: int
    settled: int
    due: datetime
    attempts: int
    error: str
    announced: str
    announced_at: datetime | None
    open: bool
    merged: bool
    head: str
    author_id: int | None
    passed_at: datetime | None

    @property
    def dirty(self) -> bool:
        return self.wanted > self.settled

    @property
    def key(self) -> str:
        return lock_key(self.repo_id, self.number)


def lock_key(repo_id: int, number: int) -> str:
    """The name of the lock under which one pull request is looked at."""
    return f"pull/{repo_id}/{number}"


def _at(repo_id: int, number: int) -> sa.ColumnElement[bool]:
    return (pull.c.repo_id == repo_id) & (pull.c.number == number)


def _moment(at: datetime) -> sa.ColumnElement[datetime]:
    return sa.literal(at, Instant())


def know_repo(store: Store, db: sa.Connection, it: Repo) -> None:
    """Remember a repository's present names and installation. Its id is what it is known by."""
    row = db.execute(_REPO, {"repo_id": it.repo_id}).mappings().first()
    same = row is not None and all(row[name] == getattr(it, name) for name in it.__dataclass_fields__)
    if same:
        return
    values = {name: getattr(it, name) for name in it.__dataclass_fields__}
    statement = store.insert(repo).values(**values)
    changed = {name: value for name, value in values.items() if name != "repo_id"}
    db.execute(statement.on_conflict_do_update(index_elements=["repo_id"], set_=changed))


def drop_repo(db: sa.Connection, repo_id: int) -> None:
    """The App can no longer see it. Its rows stay: they say what was decided."""
    db.execute(repo.update().where(repo.c.repo_id == repo_id).values(active=False))


def get_repo(db: sa.Connection, repo_id: int) -> Repo | None:
    row = db.execute(_REPO, {"repo_id": repo_id}).mappings().first()
    return None if row is None else _repo(row)


def repos(db: sa.Connection) -> list[Repo]:
    """Every repository that the App can see."""
    return [_repo(row) for row in db.execute(sa.select(repo).where(repo.c.active).order_by(repo.c.repo_id)).mappings()]


def _repo(row: sa.RowMapping) -> Repo:
    return Repo(**{name: row[name] for name in Repo.__dataclass_fields__})


def mark(
    store: Store,
    db: sa.Connection,
    repo_id: int,
    number: int,
    now: datetime,
    head: str = "",
    gather: timedelta = timedelta(0),
    at: datetime | None = None,
) -> None:
    """Say that a pull request wants to be looked at, after `gather`. `head`: the newest one, where it was named."""
    values = {
        "repo_id": repo_id,
        "number": number,
        "wanted": 1,
        "settled": 0,
        "due": now + gather,
        "attempts": 0,
        "error": "",
        "announced": head,
        # Events are late and out of order, so what counts is when it was so, rounded up from GitHub's whole seconds.
        "announced_at": (min(now, at + timedelta(seconds=1)) if at else now) if head else None,
        "open": True,
        "merged": False,
        "head": "",
    }
    if head:
        saw(store, db, repo_id, number, head, now)
    db.execute(_mark(store.sqlite, bool(head)), values)


@functools.cache
def _mark(sqlite: bool, announces: bool) -> Any:
    """Built once: marking is what the intake does most."""
    new = insert_into(pull, sqlite)
    # A pass that waits after failures is not brought forward by every event: an event storm is no reason to hurry. Nor
    # is one put off by events that keep coming.
    waits = (pull.c.attempts > 0) | ((pull.c.wanted > pull.c.settled) & (pull.c.due < new.excluded.due))
    again: dict[str, Any] = {"wanted": pull.c.wanted + 1, "due": sa.case((waits, pull.c.due), else_=new.excluded.due)}
    if announces:
        newer = pull.c.announced_at.is_(None) | (new.excluded.announced_at >= pull.c.announced_at)
        for name in ("announced", "announced_at"):
            again[name] = sa.case((newer, new.excluded[name]), else_=pull.c[name])
    return new.on_conflict_do_update(index_elements=["repo_id", "number"], set_=again)


_REPO = sa.select(repo).where(repo.c.repo_id == sa.bindparam("repo_id"))
_PULL = sa.select(pull).where((pull.c.repo_id == sa.bindparam("repo_id")) & (pull.c.number == sa.bindparam("number")))


@functools.cache
def _saw(sqlite: bool) -> Any:
    return insert_into(head_seen, sqlite).on_conflict_do_nothing()


def mark_open(db: sa.Connection, repo_id: int, now: datetime) -> int:
    """Mark every open pull request of a repository that is known. Returns how many there are."""
    where = (pull.c.repo_id == repo_id) & pull.c.open
    return db.execute(pull.update().where(where).values(wanted=pull.c.wanted + 1, due=now)).rowcount


def saw(store: Store, db: sa.Connection, repo_id: int, number: int, sha: str, now: datetime) -> None:
    """Remember when a head was first seen: GitHub's API does not say when it was pushed."""
    db.execute(_saw(store.sqlite), {"repo_id": repo_id, "number": number, "sha": sha, "at": now})


def seen_at(db: sa.Connection, repo_id: int, number: int, sha: str) -> datetime | None:
    """When this head was first seen; None when it never was."""
    where = (head_seen.c.repo_id == repo_id) & (head_seen.c.number == number) & (head_seen.c.sha == sha)
    return db.execute(sa.select(head_seen.c.at).where(where)).scalar()


def with_head(db: sa.Connection, repo_id: int, sha: str) -> list[int]:
    """The pull requests that had this head: GitHub does not say so for forks."""
    where = (head_seen.c.repo_id == repo_id) & (head_seen.c.sha == sha)
    return list(db.execute(sa.select(head_seen.c.number).where(where)).scalars())


def due(db: sa.Connection, now: datetime, limit: int = 50) -> list[Pull]:
    """Dirty pull requests whose time has come, longest waiting first."""
    return [Pull(**row) for row in db.execute(_DUE, {"now": now, "most": limit}).mappings()]


_DUE = (
    sa.select(pull)
    .join(repo, repo.c.repo_id == pull.c.repo_id)
    .where((pull.c.wanted > pull.c.settled) & (pull.c.due <= sa.bindparam("now")) & repo.c.active)
    .order_by(pull.c.due)
    .limit(sa.bindparam("most", type_=sa.Integer))
)


def waiting(db: sa.Connection) -> tuple[int, datetime | None]:
    """How many pull requests are dirty, and when the first of them was or will be due."""
    dirty = (pull.c.wanted > pull.c.settled) & repo.c.active
    found = sa.select(sa.func.count(), sa.func.min(pull.c.due)).join(repo, repo.c.repo_id == pull.c.repo_id)
    row = db.execute(found.where(dirty)).one()
    return int(row[0]), row[1]


def next_due(db: sa.Connection) -> datetime | None:
    statement = (
        sa.select(pull.c.due)
        .join(repo, repo.c.repo_id == pull.c.repo_id)
        .where((pull.c.wanted > pull.c.settled) & repo.c.active)
        .order_by(pull.c.due)
        .limit(1)
    )
    return db.execute(statement).scalar()


def get(db: sa.Connection, repo_id: int, number: int) -> Pull | None:
    row = db.execute(_PULL, {"repo_id": repo_id, "number": number}).mappings().first()
    return None if row is None else Pull(**row)


def settle(db: sa.Connection, it: Pull, now: datetime, again_at: datetime | None) -> None:
    """A pass that began from `it` is through. `again_at`: look once more then, without being told to."""
    wanted = pull.c.wanted if again_at is None else pull.c.wanted + 1
    # Where a mark came in during the pass, the pull request is due at once, not only at `again_at`.
    due_at = sa.case((pull.c.wanted > it.wanted, _moment(now)), else_=_moment(again_at or now))
    values = {"settled": it.wanted, "wanted": wanted, "due": due_at, "attempts": 0, "error": "", "passed_at": now}
    db.execute(pull.update().where(_at(it.repo_id, it.number)).values(**values))


def postpone(db: sa.Connection, it: Pull, until: datetime, error: str, *, failed: bool = True) -> None:
    """A pass could not finish. It stays dirty and is tried again at `until`."""
    attempts = pull.c.attempts + 1 if failed else pull.c.attempts
    values = {"due": until, "error": error[:500], "attempts": attempts}
    db.execute(pull.update().where(_at(it.repo_id, it.number)).values(**values))


def observe(
    db: sa.Connection, repo_id: int, number: int, *, open_: bool, merged: bool, head: str, author_id: int
) -> None:
    """What GitHub showed of it."""
    values = {"open": open_, "merged": merged, "head": head, "author_id": author_id}
    db.execute(pull.update().where(_at(repo_id, number)).values(**values))


def merged(db: sa.Connection, repo_id: int, number: int) -> None:
    """We merged it."""
    db.execute(pull.update().where(_at(repo_id, number)).values(open=False, merged=True))


def closed(db: sa.Connection, repo_id: int, number: int) -> None:
    db.execute(pull.update().where(_at(repo_id, number)).values(open=False))


def merged_before(db: sa.Connection, repo_id: int, author_id: int) -> bool:
    """Whether a pull request of this author was merged here, as far as we saw."""
    where = (pull.c.repo_id == repo_id) & (pull.c.author_id == author_id) & pull.c.merged
    return db.execute(sa.select(pull.c.number).where(where).limit(1)).first() is not None


def known_open(db: sa.Connection, repo_id: int) -> set[int]:
    where = (pull.c.repo_id == repo_id) & pull.c.open
    return set(db.execute(sa.select(pull.c.number).where(where)).scalars())


def unsafe(db: sa.Connection, repo_id: int) -> tuple[str, datetime | None]:
    """JSON list of what forbids merging here, and when that was found out."""
    row = db.execute(sa.select(repo.c.unsafe, repo.c.unsafe_at).where(repo.c.repo_id == repo_id)).first()
    return ("[]", None) if row is None else (row[0], row[1])


def set_unsafe(db: sa.Connection, repo_id: int, found: str, now: datetime | None) -> None:
    db.execute(repo.update().where(repo.c.repo_id == repo_id).values(unsafe=found, unsafe_at=now))
