"""The ledger of deliveries: what arrived, and what became of it. Seen again is done again only where it failed."""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bot.store.database import Store, insert_into
from bot.store.schema import delivery


class DeliveryState(enum.StrEnum):
    DONE = "done"  # whatever it concerns is marked
    IGNORED = "ignored"  # it concerns nothing that we look at
    FAILED = "failed"  # it could not be understood; the sweep tries again


@dataclass(frozen=True)
class Delivery:
    guid: str
    hook_id: int
    event: str
    action: str
    repo_id: int | None
    subject: str
    payload: str
    state: DeliveryState
    received_at: datetime
    error: str = ""
    attempts: int = 1


def known(db: sa.Connection, guid: str, hook_id: int) -> DeliveryState | None:
    """What became of this delivery when it came before; None when it is new."""
    state = db.execute(_KNOWN, {"guid": guid, "hook_id": hook_id}).scalar()
    return None if state is None else DeliveryState(state)


def record(store: Store, db: sa.Connection, it: Delivery) -> None:
    """Write down what became of a delivery, over an earlier failure of the same one."""
    values = {
        name: getattr(it, name)
        for name in ("guid", "hook_id", "event", "action", "repo_id", "subject", "payload", "error", "attempts")
    }
    values |= {"state": it.state.value, "received_at": it.received_at}
    db.execute(_record(store.sqlite), values)


# Statements of the intake are built once: building one anew takes longer than running it.
_KNOWN = sa.select(delivery.c.state).where(
    (delivery.c.guid == sa.bindparam("guid")) & (delivery.c.hook_id == sa.bindparam("hook_id"))
)


@functools.cache
def _record(sqlite: bool) -> Any:
    new = insert_into(delivery, sqlite)
    again = {"state": new.excluded.state, "error": new.excluded.error, "attempts": delivery.c.attempts + 1}
    return new.on_conflict_do_update(index_elements=["guid", "hook_id"], set_=again)


def failed(db: sa.Connection, *, most: int = 5, limit: int = 200) -> list[Delivery]:
    """Deliveries that could not be handled and were tried fewer than `most` times, oldest first."""
    rows = db.execute(
        sa.select(delivery)
        .where((delivery.c.state == "failed") & (delivery.c.attempts < most))
        .order_by(delivery.c.received_at)
        .limit(limit)
    ).mappings()
    return [Delivery(**{**row, "state": DeliveryState(row["state"])}) for row in rows]


def missing(db: sa.Connection, guids: Iterable[str]) -> set[str]:
    """Those of `guids` that never arrived here, or arrived and failed."""
    guids = set(guids)
    rows = db.execute(
        sa.select(delivery.c.guid).where(delivery.c.guid.in_(guids) & (delivery.c.state != "failed"))
    ).scalars()
    return guids - set(rows)


def forget(db: sa.Connection, before: datetime) -> None:
    """Empty the payloads of deliveries from before then. The rows stay: they say what was done."""
    old = (delivery.c.received_at < before) & (delivery.c.payload != "") & (delivery.c.state != "failed")
    db.execute(delivery.update().where(old).values(payload=""))


def counts(db: sa.Connection) -> dict[str, int]:
    rows = db.execute(sa.select(delivery.c.state, sa.func.count()).group_by(delivery.c.state))
    return {str(row[0]): int(row[1]) for row in rows}
