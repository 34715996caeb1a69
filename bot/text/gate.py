"""What stands against a merge: for each blocker its stable code, why it is there, and what ends it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.escape import code, names
from bot.state import Blocker, Override, Review, Status, TierState
from bot.text.words import COMMAND, login, plural, sha

MERGED = Blocker("merged", "It is merged already.", "Nothing: this is done.")
CLOSED = Blocker("closed", "It is closed.", "Reopen it.")
DRAFT = Blocker("draft", "It is a draft.", "Mark it as ready for review.")
MERGEABLE_UNKNOWN = Blocker(
    "mergeable-unknown", "GitHub has not worked out yet whether it can be merged.", "Waiting: that takes seconds."
)
CONFLICT = Blocker(
    "conflict", "It conflicts with the base branch.", "Merge or rebase onto the base branch; the tiers then run anew."
)
FILES_UNKNOWN = Blocker(
    "files-unknown",
    "It changes more files than GitHub lists, so nobody can say what they are.",
    "Split it into smaller pull requests.",
)
NO_ENVIRONMENT = Blocker(
    "no-environment",
    "It changes no environment, so the tiers prove nothing about it.",
    "A maintainer reviews and merges it by hand; the bot never does.",
)
APPEALED = "The author appealed; a maintainer answers."


def base_branch(default: str) -> Blocker:
    where = code(default, 100)
    return Blocker("base-branch", f"It goes into another branch than {where}.", f"Change its base to {where}.")


def held(name: str) -> Blocker:
    return Blocker("held", f"{login(name)} put it on hold.", f"A maintainer writes {code('/release')}.")


def no_policy(problem: str) -> Blocker:
    told = f": {code(problem, 300)}" if problem else "."
    return Blocker(
        "policy-unreadable",
        f"The policy of the base branch cannot be read{told}",
        f"A maintainer mends {code('policies/policy.yaml')} on the base branch.",
    )


def removed(directories: Sequence[str]) -> Blocker:
    return Blocker(
        "environment-removed",
        f"It takes away {names(directories)}, and there is nothing left to test.",
        "A maintainer reviews and merges it by hand; the bot never takes an environment away.",
    )


def tier(known: TierState) -> Blocker:
    fix = {
        Status.WAITING: "What it waits for is said there.",
        Status.RUNNING: "Waiting: its report comes by itself.",
        Status.FAILED: f"Push a commit that mends it, or write {code('/appeal')}.",
        Status.ERROR: f"Write {code(COMMAND[known.tier])}{'' if known.tier == 'verify' else ' with the commit'}.",
    }.get(known.status, "A new commit.")
    return Blocker(f"{known.tier}-{known.status.value}", f"{known.tier}: {known.why}", fix)


def outrun(base: str, fix: str) -> Blocker:
    return Blocker(
        "base-moved",
        f"Since it was tested, other environments came to the base branch, which is at {sha(base)} now: it could be a "
        "copy of one of them.",
        fix,
    )


OUTRUN_AGAIN = "Waiting: verify runs once more on the same commit, and approvals stay."
OUTRUN_ASK = f"Write {code(COMMAND['verify'])}: verify was run again on the same commit and came to no result."
OUTRUN_WHY = "other environments came to the base branch since"


def finding(rule: str, directories: Sequence[str], head: str) -> Blocker:
    return Blocker(
        "finding",
        f"{code(rule)} is found in {names(directories)}.",
        f"Push a commit that mends it, write {code('/appeal')}, or a maintainer writes "
        f"{code(f'/override {rule} and why')} for {sha(head)}.",
    )


def unsafe(problem: str) -> Blocker:
    return Blocker(
        "unsafe-installation",
        f"The installation is unsafe: {code(problem, 400)}",
        f"An operator runs {code('envbounty doctor')} and does what it says.",
    )


def no_approval(head: str, because: Sequence[str]) -> Blocker:
    told = "".join(f" {reason}" for reason in because[:5])
    return Blocker(
        "approval-missing",
        f"No maintainer approved exactly {sha(head)}.{told}",
        "Somebody with the role maintain or admin, other than the author, approves this commit.",
    )


def by_a_bot(review: Review) -> str:
    return f"The approval of {login(review.login)} does not count: it is no human."


def by_the_author(review: Review) -> str:
    return f"The approval of {login(review.login)} does not count: it is the author's."


def by_role(review: Review) -> str:
    role = code(review.role or "none", 40)
    return f"The approval of {login(review.login)} does not count: the role is {role}, not maintain or admin."


def for_another_commit(review: Review) -> str:
    return f"The approval of {login(review.login)} is for {sha(review.commit)}."


def changes_requested(review: Review) -> Blocker:
    who = login(review.login)
    return Blocker(
        "changes-requested", f"{who} asked for changes.", f"{who} approves, or somebody dismisses that review."
    )


def merge_refused(head: str) -> Blocker:
    return Blocker(
        "merge-refused",
        f"GitHub refused to merge {sha(head)} because the head had moved, so its approvals are void.",
        "Push a new commit and have it approved.",
    )


def no_owner(paths: Sequence[str]) -> Blocker:
    return Blocker(
        "owner-missing",
        f"{plural(len(paths), 'file')} outside the environments {'has' if len(paths) == 1 else 'have'} no approval "
        f"of a code owner for this commit: {names(paths)}.",
        f"A code owner of each (see {code('CODEOWNERS')}) approves this commit, or the change is taken out.",
    )


def approved_by(name: str, head: str) -> str:
    return f"{login(name)} approved {sha(head)}."


def overridden(override: Override) -> str:
    return (
        f"{login(override.login)} overrode {code(override.rule, 100)} for {sha(override.head)}: "
        f"{code(override.reason, 500)}"
    )
