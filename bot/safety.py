"""What makes an installation unsafe to merge in, remembered for a while: asking takes many requests."""

from __future__ import annotations

import json

from bot.core import Scene
from bot.github import errors
from bot.logs import logger
from bot.store import pulls

log = logger(__name__)


def unsafe(scene: Scene) -> tuple[str, ...]:
    """Every problem that forbids merging here. What cannot be found out now is one, and is asked again next time."""
    with scene.store.read() as db:
        kept, at = pulls.unsafe(db, scene.repo.repo_id)
    if at is not None and scene.now - at < scene.bot.seconds(scene.settings.doctor_every):
        return tuple(json.loads(kept))
    try:
        found = scene.bot.examine(scene.reads.access)
    except errors.Later:
        raise
    except errors.GitHubError as error:
        log.warning("the settings could not be examined", error=str(error))
        return (f"the repository's settings could not be examined (status {error.status})",)
    with scene.store.write() as db:
        pulls.set_unsafe(db, scene.repo.repo_id, json.dumps(found), scene.now)
    return tuple(found)
