"""One check run for each tier on the pull request's head, with the findings as annotations."""

from __future__ import annotations

from typing import Any

from bot import checks, crash
from bot.core import Scene
from bot.publish.once import digest, once
from bot.state import Accepted, Decision, TierState
from bot.store import writes
from bot.text import check_output


def publish(scene: Scene, head: str, decision: Decision) -> None:
    """Bring every tier's check up to date. Writes nothing where it shows already what it should."""
    for known in decision.tiers:
        _one(scene, head, known, decision)


def _one(scene: Scene, head: str, known: TierState, decision: Decision) -> None:
    body = shown(known, decision)
    want = digest(body)
    key = f"{known.tier}:{head}"
    name = checks.NAMES[known.tier]
    # Two pull requests can have one head. Neither may take the other's check for its own when an answer is lost.
    mark = f"{known.tier}:{scene.number}:{head}"

    def find(row: writes.Written) -> int | None:
        mine = [run for run in scene.reads.check_runs(head) if run.external_id == mark and run.name == name]
        return max((run.id for run in mine), default=None)

    number, new = once(
        scene, "check", key, want, find=find, create=lambda: scene.writes.create_check(head, name, mark, body).id
    )
    if not new:
        with scene.store.read() as db:
            row = writes.find(db, *scene.key, "check", key)
        if row is None or row.shown != want:
            scene.writes.update_check(number, body)
            with scene.store.write() as db:
                writes.wrote(db, *scene.key, "check", key, number, want)
    if known.report is not None:
        _annotate(scene, number, known.report, body)


def shown(known: TierState, decision: Decision) -> dict[str, Any]:
    """What the check run says, in GitHub's words."""
    status, conclusion = checks.conclusion(known.status)
    output = check_output(known, decision)
    body: dict[str, Any] = {"status": status, "output": {"title": output.title, "summary": output.summary}}
    if output.text:
        body["output"]["text"] = output.text
    if conclusion is not None:
        body["conclusion"] = conclusion
    return body


def _annotate(scene: Scene, number: int, report: Accepted, body: dict[str, Any]) -> None:
    """Append the annotations of a report, once. GitHub only ever appends, so what it has is counted, not guessed."""
    batches = checks.batches(report)
    if not batches:
        return
    with scene.store.read() as db:
        row = writes.find(db, *scene.key, "annotations", report.job_id)
    if row is not None and row.shown == "all":
        return
    there = scene.reads.annotation_count(number)
    if row is None:
        before, done = there, 0
        with scene.store.write() as db:
            writes.intend(scene.store, db, *scene.key, "annotations", report.job_id, scene.bot.clock())
            writes.wrote(db, *scene.key, "annotations", report.job_id, 0, str(before))
    else:
        # Interrupted: what is there beyond the annotations of earlier reports are batches of this one.
        before = int(row.shown)
        added = there - before
        done = len(batches) if added >= sum(map(len, batches)) else max(row.remote_id or 0, added // checks.PER_REQUEST)
    for index in range(done, len(batches)):
        output = {**body["output"], "annotations": batches[index]}
        scene.writes.update_check(number, {**body, "output": output})
        crash.point("after annotations")
        with scene.store.write() as db:
            writes.wrote(db, *scene.key, "annotations", report.job_id, index + 1, str(before))
    with scene.store.write() as db:
        writes.wrote(db, *scene.key, "annotations", report.job_id, len(batches), "all")
