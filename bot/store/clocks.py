"""When something was last done, by whichever process."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from bot.store.database import Store
from bot.store.schema import clock


def last(db: sa.Connection, name: str) -> datetime | None:
    return db.execute(sa.select(clock.c.at).where(clock.c.name == name)).scalar()


def set_last(store: Store, db: sa.Connection, name: str, at: datetime) -> None:
    statement = store.insert(clock).values(name=name, at=at)
    db.execute(statement.on_conflict_do_update(index_elements=["name"], set_={"at": at}))
