"""Carrying out commands: what a comment asks for becomes a recorded ruling, then an answer.

A comment is read once, as it was when it was created. Its author counts by numeric id and by what that user may do at
this moment. What names no commit is about the head that was known when the comment arrived. A ruling is recorded once,
however often its comment is judged; the answer is kept before it is sent, and found again after a crash.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from bot import crash
from bot.commands import TIER, Actor, Answer, Command, allowed, parse
from bot.core import Scene
from bot.github import errors
from bot.logs import bound, logger
from bot.publish import talk
from bot.state import Decision, State
from bot.store import rulings
from bot.store.rulings import Ruling, Said
from bot.text import explain
from bot.text import replies as say

log = logger(__name__)

FOLLOWED, REFUSED = "+1", "confused"

#: These are about the head that was known when they were written, though they do not name it.
BOUND_TO_HEAD = ("verify", "override", "appeal")


@dataclass
class Verdict:
    """What one comment comes to."""

    role: str
    rulings: list[Ruling] = field(default_factory=list)
    releases: bool = False
    answers: list[str] = field(default_factory=list)
    explains: bool = False
    reaction: str = ""

    @property
    def ignored(self) -> bool:
        return not self.reaction


def take(scene: Scene, state: State, decide: Callable[[State], Decision], recall: Callable[[State], State]) -> State:
    """Rule on every new comment, in order. Returns `state` with the rulings in it. Writes nothing to GitHub."""
    with scene.store.read() as db:
        heard = rulings.unanswered(db, *scene.key)
    for said in heard:
        with bound(comment=said.comment_id, by=said.login):
            verdict = judge(scene, said, state)
            with scene.store.write() as db:
                if verdict.releases:
                    rulings.end(db, *scene.key, "hold", said.login, scene.bot.clock())
                for ruling in verdict.rulings:
                    rulings.rule(scene.store, db, *scene.key, ruling)
            state = recall(state)
            if verdict.explains:
                verdict.answers.append(explain(decide(state)))
            _close(scene, said, verdict)
            log.info("a command was judged", reaction=verdict.reaction, role=verdict.role, sha=state.head)
    return state


def judge(scene: Scene, said: Said, state: State) -> Verdict:
    """What a comment comes to, by who its author is now."""
    verdict = Verdict(scene.reads.role(said.login, said.user_id))
    # Bots were left out at the intake: only comments of users are kept.
    actor = Actor(said.user_id, True, verdict.role, said.user_id == state.author_id)
    for command in parse(said.body):
        found = {finding.rule for one in state.accepted if one.head == state.head for _, finding in one.findings}
        ruling = allowed(command, actor, state.head, found)
        if ruling.answer is Answer.IGNORE:
            continue
        if ruling.answer is Answer.REFUSE or not isinstance(command, Command):
            _refuse(verdict, ruling.why)
        elif command.name in BOUND_TO_HEAD and said.head != state.head:
            why = say.other_head(said.head[:12], state.head) if said.head else say.HEAD_UNKNOWN
            _refuse(verdict, say.refused(command.name, why))
        else:
            _follow(verdict, command, said, state)
    return verdict


def _refuse(verdict: Verdict, why: str) -> None:
    verdict.reaction = REFUSED
    if why:
        verdict.answers.append(why)


def _follow(verdict: Verdict, command: Command, said: Said, state: State) -> None:
    verdict.reaction = verdict.reaction or FOLLOWED

    def rule(kind: str, what: str = "", head: str = state.head) -> None:
        ruling = Ruling(
            kind, head, what, command.reason, said.user_id, said.login, said.comment_id, said.received_at
        )
        verdict.rulings.append(ruling)

    if command.name in TIER:
        rule("ask", TIER[command.name])
        if command.name != "verify":
            verdict.answers.append(say.started(state.head, TIER[command.name]))
    elif command.name == "override":
        rule("override", command.rule)
        verdict.answers.append(say.overridden(command.rule, state.head, said.login))
    elif command.name == "appeal":
        rule("appeal")
        verdict.answers.append(say.appealed(said.login, state.head))
    elif command.name == "hold":
        rule("hold", head="")
        verdict.answers.append(say.held(said.login))
    elif command.name == "release":
        # In one comment, the later of `/hold` and `/release` is the one that stands.
        verdict.rulings = [ruling for ruling in verdict.rulings if ruling.kind != "hold"]
        verdict.releases = True
        verdict.answers.append(say.released(said.login))
    elif command.name == "explain":
        verdict.explains = True
    elif command.name == "help":
        verdict.answers.append(say.HELP)


def _close(scene: Scene, said: Said, verdict: Verdict) -> None:
    """The comment is dealt with, and what is to be answered is safe."""
    state = "ignored" if verdict.ignored else "done" if verdict.reaction == FOLLOWED else "refused"
    outcome = json.dumps({"reaction": verdict.reaction, "reply": "\n\n".join(verdict.answers)})
    with scene.store.write() as db:
        rulings.answered(db, said.comment_id, state, verdict.role, outcome, scene.bot.clock())


def answer(scene: Scene) -> None:
    """Send the answers that are still owed: a reaction, and words where there are any."""
    with scene.store.read() as db:
        owed = rulings.unsent(db, *scene.key)
    for comment_id, outcome in owed:
        told = json.loads(outcome)
        if told["reply"]:
            talk.say(scene, "reply", str(comment_id), told["reply"])
        if told["reaction"]:
            try:
                scene.writes.react(comment_id, told["reaction"])
            except (errors.Gone, errors.Invalid, errors.Forbidden) as error:
                log.info("no reaction is possible", error=str(error))  # the comment was deleted, or locked
        crash.point("after answer")
        with scene.store.write() as db:
            rulings.sent(db, comment_id)
