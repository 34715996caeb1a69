"""What makes an installation unsafe to merge in, remembered for a while: asking takes many requests."""

from __future__ import annotations

import json

from bot.core import Scene
from bot.store import pulls


def unsafe(scene: Scene) -> tuple[str, ...]:
    """Every problem that forbids merging here. Raises `GitHubError` when that cannot be found out now."""
    with scene.store.read() as db:
        kept, at = pulls.unsafe(db, scene.repo.repo_id)
    if at is not None and scene.now - at < scene.bot.seconds(scene.settings.doctor_every):
        return tuple(json.loads(kept))
    found = scene.bot.examine(scene.reads.access)
    with scene.store.write() as db:
        pulls.set_unsafe(db, scene.repo.repo_id, json.dumps(found), scene.now)
    return tuple(found)
