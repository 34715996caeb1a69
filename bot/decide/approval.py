"""Who agrees with this head. A review counts for one exact commit, and by what its author may do now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.state import Blocker, Review, State
from bot.text import gate as say

#: Whose approval is enough to merge.
APPROVERS = ("maintain", "admin")
#: Whose objection counts, and whose ownership of a file does: without write access GitHub makes nobody a code owner.
WRITERS = ("write", "maintain", "admin")


@dataclass(frozen=True)
class Approval:
    """The reviews that a merge would stand on, and what is missing."""

    reviews: tuple[Review, ...]
    blockers: tuple[Blocker, ...]


def approval(state: State, guarded: Sequence[str]) -> Approval:
    """Judge the reviews. `guarded`: the changed files that need a code owner each."""
    latest = standing(state.reviews)
    agreeing = [review for review in latest if _agrees(state, review)]
    approvers = [review for review in agreeing if review.role in APPROVERS]
    blockers = [
        say.changes_requested(review)
        for review in latest
        if review.state == "CHANGES_REQUESTED" and review.role in WRITERS
    ]
    if state.head in state.refused_merges:
        blockers.append(say.merge_refused(state.head))
    if not approvers:
        blockers.append(say.no_approval(state.head, _why_not(state, latest)))
    owned = {path for review in agreeing for path in review.owns}
    missing = [path for path in guarded if path not in owned]
    if missing:
        blockers.append(say.no_owner(missing))
    owners = [review for review in agreeing if set(review.owns) & set(guarded)]
    grounds = {review.id: review for review in [*approvers, *owners]}
    return Approval(tuple(grounds[number] for number in sorted(grounds)), tuple(blockers))


def standing(reviews: Sequence[Review]) -> list[Review]:
    """Each user's latest review that is more than a comment, in order of the users' ids."""
    latest: dict[int, Review] = {}
    for review in sorted(reviews, key=lambda review: (review.at, review.id)):
        if review.state in ("APPROVED", "CHANGES_REQUESTED", "DISMISSED"):
            latest[review.user_id] = review
    return [latest[user] for user in sorted(latest)]


def _agrees(state: State, review: Review) -> bool:
    return (
        review.state == "APPROVED"
        and review.commit == state.head
        and review.human
        and review.user_id != state.author_id
        and review.role in WRITERS
    )


def _why_not(state: State, latest: Sequence[Review]) -> list[str]:
    """Why the approvals that there are do not count."""
    told = []
    for review in latest:
        if review.state != "APPROVED":
            continue
        if not review.human:
            told.append(say.by_a_bot(review))
        elif review.user_id == state.author_id:
            told.append(say.by_the_author(review))
        elif review.role not in APPROVERS:
            told.append(say.by_role(review))
        elif review.commit != state.head:
            told.append(say.for_another_commit(review))
    return told
