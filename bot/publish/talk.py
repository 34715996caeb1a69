"""Comments in the conversation: the one note of a pull request without environments, and answers to commands."""

from __future__ import annotations

from bot.core import Scene
from bot.github.models import Comment
from bot.publish.once import digest, once
from bot.store import writes


def say(scene: Scene, kind: str, key: str, body: str) -> None:
    """Have a comment with this text in the conversation: post it once, edit it in place when the text is another."""
    want = digest(body)

    def find(row: writes.Written) -> int | None:
        since = row.at - scene.bot.seconds(120)  # clocks differ
        mine: list[Comment] = scene.reads.my_comments(scene.number, since)
        with scene.store.read() as db:
            taken = {it.remote_id for name in ("comment", "reply") for it in writes.all_of(db, *scene.key, name)}
        # Only what is ours, and belongs to no other row, is taken for it; a stranger's copy of the text never is.
        return next((it.id for it in mine if it.body == body and it.id not in taken), None)

    number, new = once(
        scene, kind, key, want, find=find, create=lambda: scene.writes.comment(scene.number, body).id
    )
    if new:
        return
    with scene.store.read() as db:
        row = writes.find(db, *scene.key, kind, key)
    if row is not None and row.shown != want:
        scene.writes.edit_comment(number, body)
        with scene.store.write() as db:
            writes.wrote(db, *scene.key, kind, key, number, want)
