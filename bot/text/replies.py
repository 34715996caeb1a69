"""Answers to people: to commands, to mistakes in them, and the few comments that the bot makes by itself."""

from __future__ import annotations

from bot.escape import code, fit
from bot.state import Decision, Status
from bot.text.checks import blockers
from bot.text.words import login, sha

_SIGN = {
    Status.WAITING: "waits",
    Status.RUNNING: "runs",
    Status.PASSED: "passed",
    Status.FAILED: "failed",
    Status.ERROR: "undecided",
    Status.UNNEEDED: "not needed",
}

HELP = "\n".join(
    [
        "Commands stand at the start of a line of their own.",
        "",
        "| Command | Who | What it does |",
        "| --- | --- | --- |",
        "| `/verify` | author, maintainers | runs Tier 1 again where it gave no result |",
        "| `/attack SHA` | maintainers | starts Tier 2 on exactly this head |",
        "| `/bench SHA` | maintainers | starts the GPU bench on exactly this head |",
        "| `/explain` | author, maintainers | says what stands before a merge, and what ends it |",
        "| `/override RULE reason` | maintainers | findings of this rule do not block this head |",
        "| `/appeal reason` | author | asks a maintainer to look at the findings again |",
        "| `/hold` | maintainers | no merge until `/release` |",
        "| `/release` | maintainers | ends `/hold` |",
        "| `/help` | author, maintainers | this table |",
        "",
        "`SHA` is the head's first 12 digits or more. Maintainers have the role maintain or admin.",
    ]
)


def explain(decision: Decision) -> str:
    """The whole decision in words: every tier, everything that stands before a merge, and the notes."""
    tiers = [f"- {known.tier} **{_SIGN[known.status]}**: {known.why}" for known in decision.tiers]
    parts = ["\n".join(tiers)] if tiers else []
    parts.append(blockers(decision.blockers))
    if decision.notes:
        parts.append("\n".join(f"- {note}" for note in decision.notes))
    return fit(parts)


def note_no_environment() -> str:
    """The one comment on a pull request that changes no environment."""
    return "This changes no environment, so there is nothing to test here and the bot will not merge it."


def mistake(line: str, what: str) -> str:
    """A command that cannot be followed: the line as it was written, and what is wrong with it."""
    return f"{code(line, 200)}: {what} See {code('/help')}."


def refused(name: str, why: str) -> str:
    """A command that its author may not give."""
    return f"{code(f'/{name}')} was not followed: {why}"


def started(head: str, tier: str) -> str:
    return f"{tier} was asked for on {code(head)}."


def overridden(rule: str, head: str, name: str) -> str:
    return (
        f"{login(name)} overrode {code(rule)} for {code(head)}. "
        "The next commit is judged without it, and the findings stay in the report."
    )


def held(name: str) -> str:
    return f"{login(name)} put this on hold: no merge until a maintainer writes {code('/release')}."


def released(name: str) -> str:
    return f"{login(name)} ended the hold."


def appealed(name: str, head: str) -> str:
    who = login(name)
    return f"{who} appeals against the findings on {sha(head)}. A maintainer looks at them; nothing is lifted yet."


# --- what is wrong with a command, or with who gave it ---

TOO_MANY = "a comment holds at most five commands; the rest was not read."
NOT_PLAIN = "a command is plain text, without links, emphasis or HTML."
NEEDS_RULE = "it needs the id of a rule and a reason, such as `/override few-solutions the third one is on its way`."
MAINTAINERS_ONLY = "it needs the role maintain or admin."
AUTHOR_ONLY = "only the author of the pull request appeals; maintainers decide."
NOT_ON_OWN = "nobody overrides a finding on a pull request of their own."


HEAD_UNKNOWN = "the head was not known when this was written; write it again."


def unknown(near: str) -> str:
    return f"there is no such command. Did you mean {code(f'/{near}')}?"


def needs_sha(name: str) -> str:
    return f"it needs the head's first 12 digits or more, such as {code(f'/{name} 1a2b3c4d5e6f')}, and nothing else."


def needs_reason(least: int, most: int) -> str:
    return f"it needs a reason of {least} to {most} characters on the same line."


def takes_nothing(name: str) -> str:
    return f"{code(f'/{name}')} takes nothing after it."


def other_head(given: str, head: str) -> str:
    return f"{code(given)} is not the head, which is {code(head)}."


def not_found(rule: str, near: str) -> str:
    told = f" Did you mean {code(near, 100)}?" if near else ""
    return f"no finding of {code(rule, 100)} is known on this commit.{told}"
