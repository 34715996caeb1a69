"""The tamper battery: submissions that want to be accepted without being right.

For graders that run the submission themselves, so that its code meets theirs. Every payload is data, and each holds
one mechanism and no answer: where its mechanism finds nothing to hold on to, it is plainly wrong. Nothing here was
learnt by watching the grader call a right submission, except how often it calls: a grader that only knows its own tests
could not tell a copy of their answers from a solution, and is not to blame for that.

`BATTERY` is all of it. Which of it is tried, and in which order, is `plan`.
"""

from __future__ import annotations

from envbounty.verify.smells.steering import leads
from envbounty.verify.tamper import leave, look, loose, meddle, say, spoof, trapdoor
from envbounty.verify.tamper.payload import Attempt, Facts, Group, Payload, wrong
from envbounty.verify.tamper.signs import Signs, signs

__all__ = ["BATTERY", "CONTROL", "GROUPS", "Attempt", "Facts", "Group", "Payload", "Signs", "plan", "signs"]

GROUPS: tuple[Group, ...] = (look.GROUP,)

BATTERY: tuple[Payload, ...] = (
    *look.LOOKS,
    *look.PAYLOADS,
    *spoof.PAYLOADS,
    *leave.PAYLOADS,
    *say.PAYLOADS,
    *trapdoor.PAYLOADS,
    *meddle.PAYLOADS,
    *loose.PAYLOADS,
)

#: What every payload answers where its mechanism fails. A grader that accepts this needs no mechanism.
CONTROL = Payload(
    "answers the same wrong thing to everything",
    "accepts-constant",
    "The function does not look at what it is asked.",
    (3,),
    lambda facts, items: wrong(facts),
)

#: Where a group's one submission stands among the others: it is cheap, and the likeliest of all.
GROUP_RANK = 75
#: How far a smell in the grader's source moves what it leads to.
HINTED = 20


def plan(facts: Facts) -> list[tuple[int, Attempt | Group]]:
    """What to try and its rank, likeliest first, the slow ones last. Members of a group are tried by their group."""
    likely = leads(facts.signs.hints)
    grouped = {payload.name for group in GROUPS for payload in group.members}
    ranked: list[tuple[int, Attempt | Group]] = [(GROUP_RANK, group) for group in GROUPS if group.applicable(facts)]
    for payload in BATTERY:
        if payload.name in grouped or not payload.applies(facts):
            continue
        rank = payload.rank(facts) - (1000 if payload.slow else 0) + (HINTED if payload.rule in likely else 0)
        ranked += [(rank - index // 4, attempt) for index, attempt in enumerate(payload.attempts(facts))]
    return sorted(ranked, key=lambda pair: -pair[0])
