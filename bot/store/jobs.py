"""Jobs that we dispatched, the reports that came back for them, and tokens that were used once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bot.state import Job, JobState
from bot.store.database import Store
from bot.store.schema import job, jti, report
from envbounty.policy import Tier

#: A job in one of these may still report.
LIVE = (JobState.ASKED, JobState.RUNNING)


@dataclass(frozen=True)
class JobRow:
    """A job with what only the bot's edges need to know of it."""

    id: str
    repo_id: int
    number: int
    tier: Tier
    head: str
    base: str
    ref: str
    policy: str
    environments: tuple[str, ...]
    state: JobState
    why: str
    asked_at: datetime
    run_id: int | None = None
    ended_at: datetime | None = None
    closed_at: datetime | None = None
    cancel_sent: bool = False

    @property
    def live(self) -> bool:
        return self.state in LIVE

    def value(self) -> Job:
        return Job(
            id=self.id,
            tier=self.tier,
            head=self.head,
            base=self.base,
            state=self.state,
            asked_at=self.asked_at,
            run_id=self.run_id,
            why=self.why,
        )


@dataclass(frozen=True)
class ReportRow:
    job_id: str
    body: dict[str, Any]
    claims: dict[str, Any]
    state: str  # received, accepted, refused
    why: str
    received_at: datetime
    accepted_at: datetime | None
    accepted: dict[str, Any]


def _job(row: sa.RowMapping) -> JobRow:
    values = dict(row) | {"state": JobState(row["state"]), "environments": tuple(json.loads(row["environments"]))}
    return JobRow(**values)


def add(db: sa.Connection, it: JobRow) -> None:
    values = {name: getattr(it, name) for name in JobRow.__dataclass_fields__}
    values |= {"state": it.state.value, "environments": json.dumps(it.environments)}
    db.execute(job.insert().values(**values))


def get(db: sa.Connection, job_id: str) -> JobRow | None:
    row = db.execute(sa.select(job).where(job.c.id == job_id)).mappings().first()
    return None if row is None else _job(row)


def of_pull(db: sa.Connection, repo_id: int, number: int) -> list[JobRow]:
    """Every job of a pull request, oldest first."""
    return [_job(row) for row in db.execute(_OF_PULL, {"repo_id": repo_id, "number": number}).mappings()]


# Built once: every look at a pull request runs these, and building them takes longer than running them.
_MINE = (job.c.repo_id == sa.bindparam("repo_id")) & (job.c.number == sa.bindparam("number"))
_OF_PULL = sa.select(job).where(_MINE).order_by(job.c.asked_at, job.c.id)
_REPORTS = sa.select(report).join(job, job.c.id == report.c.job_id).where(_MINE).order_by(report.c.received_at)


def by_run(db: sa.Connection, repo_id: int, run_id: int) -> JobRow | None:
    where = (job.c.repo_id == repo_id) & (job.c.run_id == run_id)
    row = db.execute(sa.select(job).where(where)).mappings().first()
    return None if row is None else _job(row)


def running(db: sa.Connection, job_id: str, run_id: int) -> None:
    """GitHub named the run. Nothing changes where the job is through already, but for the run's id."""
    db.execute(job.update().where(job.c.id == job_id).values(run_id=run_id))
    where = (job.c.id == job_id) & (job.c.state == JobState.ASKED.value)
    db.execute(job.update().where(where).values(state=JobState.RUNNING.value))


def ended(db: sa.Connection, job_id: str, at: datetime) -> None:
    """Its run was seen to have ended. Its report may still be on the way."""
    db.execute(job.update().where((job.c.id == job_id) & job.c.ended_at.is_(None)).values(ended_at=at))


def close(db: sa.Connection, job_id: str, state: JobState, why: str, at: datetime) -> bool:
    """Bring a live job to a final state. False when it was in one already: final stays final."""
    assert state not in LIVE
    where = (job.c.id == job_id) & job.c.state.in_([live.value for live in LIVE])
    values = {"state": state.value, "why": why[:500], "closed_at": at}
    return db.execute(job.update().where(where).values(**values)).rowcount == 1


def drop(db: sa.Connection, job_id: str) -> None:
    """Its dispatch certainly did not happen."""
    db.execute(job.delete().where((job.c.id == job_id) & (job.c.state == JobState.ASKED.value)))


def cancel_sent(db: sa.Connection, job_id: str) -> None:
    db.execute(job.update().where(job.c.id == job_id).values(cancel_sent=True))


def live_with_age(db: sa.Connection) -> list[tuple[str, datetime]]:
    """Tier and start of every job that may still report, for the metrics."""
    where = job.c.state.in_([live.value for live in LIVE])
    return [(row[0], row[1]) for row in db.execute(sa.select(job.c.tier, job.c.asked_at).where(where))]


def receive(
    store: Store, db: sa.Connection, job_id: str, body: dict[str, Any], claims: dict[str, Any], now: datetime
) -> bool:
    """Store a report as it came. False when there is one for this job already: the first stands."""
    values = {
        "job_id": job_id,
        "body": json.dumps(body),
        "claims": json.dumps(claims),
        "state": "received",
        "why": "",
        "received_at": now,
        "accepted": "",
    }
    return store.insert_new(db, report, values)


def report_of(db: sa.Connection, job_id: str) -> ReportRow | None:
    row = db.execute(sa.select(report).where(report.c.job_id == job_id)).mappings().first()
    return None if row is None else _report(row)


def reports_of(db: sa.Connection, repo_id: int, number: int) -> list[ReportRow]:
    return [_report(row) for row in db.execute(_REPORTS, {"repo_id": repo_id, "number": number}).mappings()]


def _report(row: sa.RowMapping) -> ReportRow:
    accepted = json.loads(row["accepted"]) if row["accepted"] else {}
    values = dict(row) | {"body": json.loads(row["body"]), "claims": json.loads(row["claims"]), "accepted": accepted}
    return ReportRow(**values)


def judge(
    db: sa.Connection, job_id: str, state: str, why: str, accepted: dict[str, Any] | None, at: datetime
) -> None:
    """What became of a report that had been received."""
    values = {
        "state": state,
        "why": why[:500],
        "accepted": "" if accepted is None else json.dumps(accepted),
        "accepted_at": at if accepted is not None else None,
    }
    db.execute(report.update().where((report.c.job_id == job_id) & (report.c.state == "received")).values(**values))


def use_once(store: Store, db: sa.Connection, token: str, expires: datetime) -> bool:
    """Remember that a token was used. False when it was used before: it is a replay."""
    return store.insert_new(db, jti, {"jti": token, "expires": expires})


def forget_tokens(db: sa.Connection, before: datetime) -> None:
    """Drop the tokens that nobody would accept any more."""
    db.execute(jti.delete().where(jti.c.expires < before))
