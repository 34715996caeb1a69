"""Filing a delivery: one transaction notes what became of it and marks what it concerns. No network."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import sqlalchemy as sa

from bot import crash, intake, metrics
from bot.intake import Effect, Envelope, Odd
from bot.logs import bound, logger
from bot.store import deliveries, jobs, pulls, rulings
from bot.store.database import Store
from bot.store.deliveries import Delivery, DeliveryState
from bot.store.rulings import Said

log = logger(__name__)


def file(store: Store, envelope: Envelope, now: datetime, gather: timedelta = timedelta(0)) -> str:
    """Record a delivery and mark what it concerns. Returns `done`, `ignored`, `failed`, `unknown` or `again`.

    One that came before is done again only when it failed then. Where it cannot be understood it is kept as failed,
    with its payload, for a later version of this program.
    """
    with bound(delivery=envelope.guid, event_name=envelope.event, action=envelope.action):
        effect, error = Effect(), ""
        try:
            effect = intake.route(envelope)
        except Odd as odd:
            error = str(odd)
        with store.write() as db:
            before = deliveries.known(db, envelope.guid, envelope.hook_id)
            if before not in (None, DeliveryState.FAILED):
                metrics.DELIVERIES.labels("again").inc()
                return "again"
            if not error:
                apply(store, db, effect, now, gather)
            deliveries.record(store, db, _row(envelope, effect, error, now))
        crash.point("after ledger")
        outcome = _outcome(effect, error)
        metrics.DELIVERIES.labels(outcome).inc()
        if not effect.known:
            metrics.UNKNOWN_EVENTS.inc()
        if error:
            log.error("a delivery cannot be understood", error=error)
        else:
            numbers = [mark.number for mark in effect.marks]
            log.info("delivery", outcome=outcome, pulls=numbers, sha=next((m.head for m in effect.marks), ""))
        return outcome


def again(store: Store, it: Delivery, now: datetime) -> str:
    """Try a failed delivery anew, from the payload that was kept."""
    return file(store, Envelope(it.guid, it.hook_id, it.event, json.loads(it.payload), it.payload), now)


def apply(store: Store, db: sa.Connection, effect: Effect, now: datetime, gather: timedelta = timedelta(0)) -> None:
    """Mark what a delivery concerns. Events come in bunches, so a look waits for `gather` before it begins."""
    for repo in (effect.repo, *effect.gained):
        if repo is not None:
            pulls.know_repo(store, db, repo)
    for repo_id in effect.lost:
        pulls.drop_repo(db, repo_id)
    if effect.repo is None:
        return
    repo_id = effect.repo.repo_id
    if effect.settings:
        pulls.set_unsafe(db, repo_id, "[]", None)
    for mark in effect.marks:
        pulls.mark(store, db, repo_id, mark.number, now, mark.head, gather, mark.at)
    if effect.every_open:
        pulls.mark_open(db, repo_id, now)
    if effect.head:
        for number in pulls.with_head(db, repo_id, effect.head):
            pulls.mark(store, db, repo_id, number, now)
    if effect.run_id is not None and (job := jobs.by_run(db, repo_id, effect.run_id)) is not None:
        pulls.mark(store, db, repo_id, job.number, now)
    if (comment := effect.comment) is not None:
        known = pulls.get(db, repo_id, comment.number)
        head = known.announced or known.head if known is not None else ""
        who = (comment.user_id, comment.login)
        rulings.hear(store, db, Said(comment.comment_id, repo_id, comment.number, *who, comment.body, head, now))


def _row(envelope: Envelope, effect: Effect, error: str, now: datetime) -> Delivery:
    state = DeliveryState.FAILED if error else DeliveryState.IGNORED if effect.nothing else DeliveryState.DONE
    return Delivery(
        guid=envelope.guid,
        hook_id=envelope.hook_id,
        event=envelope.event,
        action=envelope.action,
        repo_id=effect.repo.repo_id if effect.repo else None,
        subject=",".join(str(mark.number) for mark in effect.marks),
        # What concerns nobody is not worth keeping; GitHub has it for three days.
        payload="" if state is DeliveryState.IGNORED else envelope.text or json.dumps(envelope.payload),
        state=state,
        received_at=now,
        error=error[:500],
    )


def _outcome(effect: Effect, error: str) -> str:
    if error:
        return "failed"
    if not effect.known:
        return "unknown"
    return "ignored" if effect.nothing else "done"
