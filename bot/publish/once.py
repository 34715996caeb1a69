"""Writing a thing exactly once, across crashes and lost answers.

The intent is committed, the thing is sent, its id is committed. Whoever finds an intent without an id looks on GitHub
for the thing, among what the App itself wrote; only when it is certainly not there is it sent again. GitHub may take a
while to show what it has, so right after an intent "not there" means "wait".
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

from bot import crash
from bot.core import NotYet, Scene
from bot.store import writes


def digest(shown: Any) -> str:
    """What a thing shows, in short, to see whether it must be written anew."""
    return hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()


def once(
    scene: Scene,
    kind: str,
    key: str,
    shown: str,
    *,
    find: Callable[[writes.Written], int | None],
    create: Callable[[], int],
) -> tuple[int, bool]:
    """The thing's id, and whether it was made just now. `find` looks on GitHub for one that was made before."""
    with scene.store.write() as db:
        new = writes.intend(scene.store, db, *scene.key, kind, key, scene.bot.clock())
        row = writes.find(db, *scene.key, kind, key)
    assert row is not None
    if row.remote_id is not None:
        return row.remote_id, False
    if not new:
        found = find(row)
        if found is not None:
            # What it shows is not known for certain: it is written over, which harms nothing.
            with scene.store.write() as db:
                writes.wrote(db, *scene.key, kind, key, found, "")
            return found, False
        age = scene.bot.clock() - row.at
        wait = scene.bot.seconds(scene.settings.read_back)
        if age < wait:
            raise NotYet(f"it is not known whether a {kind} was written", wait - age)
    crash.point(f"before {kind}")
    made = create()
    crash.point(f"after {kind}")
    with scene.store.write() as db:
        writes.wrote(db, *scene.key, kind, key, made, shown)
    return made, True
