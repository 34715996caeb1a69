"""One look at one pull request: read, decide, apply the difference. A second look in a row writes nothing.

Runs under the pull request's lock. It does not matter why it runs, how often, or what was missed: everything it needs
is on GitHub and in the database. Whatever fails leaves the pull request marked, and it is looked at again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot import commands_apply, dispatch, merge, safety, snapshot
from bot.core import HeadChanged, Scene
from bot.decide import decide
from bot.github import errors
from bot.github.models import PullInfo
from bot.logs import bound, logger
from bot.publish import check, review, talk
from bot.snapshot import Snapshot
from bot.state import Cancel, Decision, State
from bot.store import jobs, pulls
from bot.store.pulls import Pull
from bot.text import note_no_environment

log = logger(__name__)


@dataclass(frozen=True)
class Outcome:
    """How a pass ended. `again_at`: look once more then, though nothing arrives. `decision`: None if none was made."""

    again_at: datetime | None = None
    decision: Decision | None = None
    merged: bool = False


def reconcile(scene: Scene, row: Pull) -> Outcome:
    """The whole pass. Raises `NotYet`, `HeadChanged` and `GitHubError`: nothing is lost, the pass is to be repeated."""
    try:
        pull = snapshot.look(scene, row)
    except errors.Gone:
        return _gone(scene)
    with bound(sha=pull.head.sha):
        merge.read_back(scene, pull)
        dispatch.settle(scene, pull.default_branch)
        if pull.is_merged or pull.state != "open":
            return _closed(scene, pull)
        return _open(scene, pull)


def _open(scene: Scene, pull: PullInfo) -> Outcome:
    taken = snapshot.take(scene, pull, safety.unsafe(scene))
    state = commands_apply.take(scene, taken.state, decide, lambda known: snapshot.recall(scene, known))
    commands_apply.answer(scene)
    decision = decide(state)
    if decision.cancels or decision.starts:
        state, decision = _jobs(scene, taken, state, decision)
    _publish(scene, taken, state, decision)
    again = [dispatch.look_again(scene)]
    if decision.starts:
        again.append(scene.now + scene.bot.seconds(scene.settings.lag))  # a start failed: decide anew soon
    if state.mergeable is None:
        again.append(scene.now + scene.bot.seconds(scene.settings.lag))
    merged = False
    if decision.merge is not None:
        until = merge.merge(scene, decision.merge)
        merged = until is None
        again.append(until)
    times = [at for at in again if at is not None]
    return Outcome(min(times, default=None), decision, merged)


def _jobs(scene: Scene, taken: Snapshot, state: State, decision: Decision) -> tuple[State, Decision]:
    """Stop and start what was decided, then decide again with the jobs as they are now. Starts nothing twice."""
    for cancel in decision.cancels:
        dispatch.stop(scene, cancel)
    if decision.starts and scene.reads.pull(scene.number).head.sha != state.head:
        raise HeadChanged("the head moved before a job was started")
    for start in decision.starts:
        digest = state.policy.digest if state.policy is not None else ""
        dispatch.start(scene, start, state.default_branch, digest, taken.environments)
    state = snapshot.recall(scene, state)
    return state, decide(state)


def _publish(scene: Scene, taken: Snapshot, state: State, decision: Decision) -> None:
    check.publish(scene, state.head, decision)
    review.publish(scene, state.head, decision, taken.patches)
    if any(blocker.code == "no-environment" for blocker in decision.blockers):
        talk.say(scene, "comment", "no-environment", note_no_environment())


def _closed(scene: Scene, pull: PullInfo) -> Outcome:
    """Nothing is said on a closed pull request; its jobs are stopped, and commands wait until it is opened again."""
    for job in _live(scene):
        dispatch.stop(scene, Cancel(job, "the pull request is closed"))
    log.info("closed", merged=pull.is_merged)
    return Outcome(dispatch.look_again(scene), merged=pull.is_merged)


def _gone(scene: Scene) -> Outcome:
    """GitHub knows no such pull request, or shows it to us no more."""
    for job in _live(scene):
        dispatch.stop(scene, Cancel(job, "the pull request is gone"))
    merge.give_up(scene)
    with scene.store.write() as db:
        pulls.closed(db, *scene.key)
    return Outcome()


def _live(scene: Scene) -> list[str]:
    with scene.store.read() as db:
        return [job.id for job in jobs.of_pull(db, *scene.key) if job.live]


def backoff(attempts: int) -> timedelta:
    """The pause after so many failed passes in a row: 2 s, doubled each time, ten minutes at most."""
    wait: timedelta = timedelta(seconds=2) * 2 ** min(attempts, 12)
    return min(wait, timedelta(minutes=10))
