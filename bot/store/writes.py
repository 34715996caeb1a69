"""What the bot wrote to GitHub: check runs, comments, reviews with their findings, merges.

Every write begins as an intent that is committed before the request goes out. A row without GitHub's id therefore says
"this may be there": it is looked for before it is written again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bot.store.database import Store
from bot.store.schema import finding, merge_attempt, written
from envbounty.policy import Tier


@dataclass(frozen=True)
class Written:
    kind: str
    key: str
    remote_id: int | None
    shown: str
    at: datetime


@dataclass(frozen=True)
class Shown:
    """A finding that stands, or stood, as an inline comment."""

    fingerprint: str
    tier: Tier
    head: str
    comment_id: int | None
    thread_id: str
    state: str  # intended, live, resolved; told (in a summary); refused (not a line of the diff)
    body: str
    path: str
    line: int
    at: datetime


@dataclass(frozen=True)
class Attempt:
    id: int
    head: str
    reviews: tuple[int, ...]
    jobs: tuple[str, ...]
    state: str  # trying, merged, moved, blocked, forbidden
    sha: str
    why: str
    at: datetime


def _thing(repo_id: int, number: int, kind: str, key: str) -> sa.ColumnElement[bool]:
    mine = (written.c.repo_id == repo_id) & (written.c.number == number)
    return mine & (written.c.kind == kind) & (written.c.key == key)


def find(db: sa.Connection, repo_id: int, number: int, kind: str, key: str) -> Written | None:
    columns = [written.c.kind, written.c.key, written.c.remote_id, written.c.shown, written.c.at]
    row = db.execute(sa.select(*columns).where(_thing(repo_id, number, kind, key))).mappings().first()
    return None if row is None else Written(**row)


def all_of(db: sa.Connection, repo_id: int, number: int, kind: str) -> list[Written]:
    columns = [written.c.kind, written.c.key, written.c.remote_id, written.c.shown, written.c.at]
    where = (written.c.repo_id == repo_id) & (written.c.number == number) & (written.c.kind == kind)
    return [Written(**row) for row in db.execute(sa.select(*columns).where(where).order_by(written.c.at)).mappings()]


def intend(store: Store, db: sa.Connection, repo_id: int, number: int, kind: str, key: str, now: datetime) -> bool:
    """Note that this is about to be written for the first time. False when that was noted before."""
    values = {"repo_id": repo_id, "number": number, "kind": kind, "key": key, "shown": "", "at": now}
    return store.insert_new(db, written, values)


def wrote(
    db: sa.Connection, repo_id: int, number: int, kind: str, key: str, remote_id: int | None, shown: str
) -> None:
    """It is there, under this id, and shows this."""
    values = {"remote_id": remote_id, "shown": shown}
    db.execute(written.update().where(_thing(repo_id, number, kind, key)).values(**values))


def drop(db: sa.Connection, repo_id: int, number: int, kind: str, key: str) -> None:
    """It is gone from GitHub, or certainly never came to be there."""
    db.execute(written.delete().where(_thing(repo_id, number, kind, key)))


def findings(db: sa.Connection, repo_id: int, number: int) -> list[Shown]:
    columns = [finding.c[name] for name in Shown.__dataclass_fields__]
    where = (finding.c.repo_id == repo_id) & (finding.c.number == number)
    return [Shown(**row) for row in db.execute(sa.select(*columns).where(where).order_by(finding.c.at)).mappings()]


def put_finding(store: Store, db: sa.Connection, repo_id: int, number: int, it: Shown) -> None:
    values = {name: getattr(it, name) for name in Shown.__dataclass_fields__}
    statement = store.insert(finding).values(repo_id=repo_id, number=number, **values)
    changed = {name: value for name, value in values.items() if name != "fingerprint"}
    keys = ["repo_id", "number", "fingerprint"]
    db.execute(statement.on_conflict_do_update(index_elements=keys, set_=changed))


def change_finding(db: sa.Connection, repo_id: int, number: int, fingerprint: str, values: dict[str, Any]) -> None:
    where = (finding.c.repo_id == repo_id) & (finding.c.number == number) & (finding.c.fingerprint == fingerprint)
    db.execute(finding.update().where(where).values(**values))


def merging(db: sa.Connection, repo_id: int) -> list[int]:
    """The pull requests of a repository of which it is not known whether a merge happened."""
    where = (merge_attempt.c.repo_id == repo_id) & (merge_attempt.c.state == "trying")
    return list(db.execute(sa.select(merge_attempt.c.number).where(where).distinct()).scalars())


def last_merge(db: sa.Connection, repo_id: int) -> tuple[str, datetime] | None:
    """The commit of our newest merge in a repository, and when it was made."""
    done = merge_attempt.c
    where = (done.repo_id == repo_id) & (done.state == "merged") & (done.sha != "")
    row = db.execute(sa.select(done.sha, done.ended_at).where(where).order_by(done.id.desc()).limit(1)).first()
    return (str(row[0]), row[1]) if row is not None else None


def try_merge(
    db: sa.Connection, repo_id: int, number: int, head: str, reviews: Sequence[int], jobs: Sequence[str], now: datetime
) -> int:
    """Note that a merge is about to be asked for. Returns the attempt's id."""
    values = {"head": head, "reviews": json.dumps(list(reviews)), "jobs": json.dumps(list(jobs)), "at": now}
    statement = merge_attempt.insert().values(
        repo_id=repo_id, number=number, state="trying", sha="", why="", **values
    )
    return int(db.execute(statement.returning(merge_attempt.c.id)).scalar_one())


def end_merge(db: sa.Connection, attempt: int, state: str, sha: str, why: str, now: datetime) -> None:
    values = {"state": state, "sha": sha, "why": why[:500], "ended_at": now}
    db.execute(merge_attempt.update().where(merge_attempt.c.id == attempt).values(**values))


def merges(db: sa.Connection, repo_id: int, number: int) -> list[Attempt]:
    rows = db.execute(_MERGES, {"repo_id": repo_id, "number": number}).mappings()
    return [
        Attempt(**{**row, "reviews": tuple(json.loads(row["reviews"])), "jobs": tuple(json.loads(row["jobs"]))})
        for row in rows
    ]


_MERGES = (
    sa.select(*[merge_attempt.c[name] for name in Attempt.__dataclass_fields__])
    .where((merge_attempt.c.repo_id == sa.bindparam("repo_id")) & (merge_attempt.c.number == sa.bindparam("number")))
    .order_by(merge_attempt.c.id)
)
