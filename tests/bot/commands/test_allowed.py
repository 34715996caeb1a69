"""Who may say what. The role is the one that GitHub gives at this moment; strangers are not answered at all."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from bot.commands import NAMES, Actor, Answer, Command, Mistake, Name, allowed
from bot.text.replies import HELP

HEAD = "1a2b3c4d5e6f" + "0" * 28
SHA = HEAD[:12]

MAINTAINER = Actor(200, True, "maintain", False)
ADMIN = replace(MAINTAINER, role="admin")
AUTHOR = Actor(100, True, "read", True)
OWN = Actor(100, True, "admin", True)  # a maintainer on a pull request of their own
STRANGER = Actor(300, True, "read", False)
TRIAGE = replace(STRANGER, role="triage")
WRITER = replace(STRANGER, role="write")
BOT = Actor(400, False, "admin", False)

FOLLOW, REFUSE, IGNORE = Answer.FOLLOW, Answer.REFUSE, Answer.IGNORE


def command(name: Name) -> Command:
    return Command(
        name, sha=SHA if name in ("attack", "bench") else "", rule="flaky-check", reason="seen twice by hand"
    )


#: What becomes of each command, by who gives it.
TABLE: dict[Name, dict[str, Answer]] = {
    "verify": {"maintainer": FOLLOW, "author": FOLLOW, "own": FOLLOW},
    "attack": {"maintainer": FOLLOW, "author": REFUSE, "own": FOLLOW},
    "bench": {"maintainer": FOLLOW, "author": REFUSE, "own": FOLLOW},
    "explain": {"maintainer": FOLLOW, "author": FOLLOW, "own": FOLLOW},
    "override": {"maintainer": FOLLOW, "author": REFUSE, "own": REFUSE},
    "appeal": {"maintainer": REFUSE, "author": FOLLOW, "own": FOLLOW},
    "hold": {"maintainer": FOLLOW, "author": REFUSE, "own": FOLLOW},
    "release": {"maintainer": FOLLOW, "author": REFUSE, "own": FOLLOW},
    "help": {"maintainer": FOLLOW, "author": FOLLOW, "own": FOLLOW},
}


def test_the_table_has_every_command() -> None:
    assert set(TABLE) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_who_may_give_a_command(name: Name) -> None:
    asked = command(name)
    for actor, key in ((MAINTAINER, "maintainer"), (ADMIN, "maintainer"), (AUTHOR, "author"), (OWN, "own")):
        ruling = allowed(asked, actor, HEAD)
        assert ruling.answer is TABLE[name][key], (name, key)
        assert bool(ruling.why) is (ruling.answer is REFUSE)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "actor", [STRANGER, TRIAGE, WRITER, BOT, replace(STRANGER, role=""), replace(BOT, is_author=True)]
)
def test_strangers_and_bots_get_no_word(name: Name, actor: Actor) -> None:
    """Not even a refusal: whoever could make the bot speak could make it flood."""
    assert allowed(command(name), actor, HEAD).answer is IGNORE
    assert allowed(Mistake("/verfy", "what"), actor, HEAD).answer is IGNORE


@pytest.mark.parametrize("role", ["Maintain", "ADMIN", "maintainer", "owner", "MEMBER", "OWNER", "CONTRIBUTOR", "none"])
def test_no_other_word_for_a_role_counts(role: str) -> None:
    """An `author_association` such as OWNER or MEMBER is no role: it says nothing about what somebody may do here."""
    assert allowed(command("hold"), replace(MAINTAINER, role=role), HEAD).answer is IGNORE


def test_a_command_for_another_commit_is_refused_and_names_the_head() -> None:
    for sha in ("2" * 12, HEAD[:11] + "9", "0" * 40):
        ruling = allowed(Command("attack", sha=sha), MAINTAINER, HEAD)
        assert ruling.answer is REFUSE
        assert HEAD in ruling.why
    assert allowed(Command("attack", sha=HEAD), MAINTAINER, HEAD).answer is FOLLOW


def test_an_override_that_would_lift_nothing_is_refused_with_the_right_name() -> None:
    misspelt = Command("override", rule="flaky-chek", reason="seen twice by hand")
    ruling = allowed(misspelt, MAINTAINER, HEAD, {"flaky-check", "accepts-nothing"})
    assert ruling.answer is REFUSE and "`flaky-check`" in ruling.why
    assert allowed(misspelt, MAINTAINER, HEAD, set()).answer is REFUSE
    assert allowed(command("override"), MAINTAINER, HEAD, {"flaky-check"}).answer is FOLLOW
    assert allowed(command("hold"), MAINTAINER, HEAD, set()).answer is FOLLOW


def test_mistakes_are_explained_to_those_who_may_give_commands() -> None:
    for actor in (MAINTAINER, AUTHOR):
        ruling = allowed(Mistake("/verfy @octocat", "there is no such command."), actor, HEAD)
        assert ruling.answer is REFUSE
        assert "`/verfy @octocat`" in ruling.why and "`/help`" in ruling.why


def test_the_documentation_and_the_help_list_every_command() -> None:
    document = (Path(__file__).parents[3] / "docs/commands.md").read_text()
    for text in (document, HELP):
        listed = re.findall(r"^\| `/([a-z]+)[^`]*` \| ([^|]+) \|", text, re.MULTILINE)
        assert [name for name, _ in listed] == list(NAMES)
        for name, who in listed:
            followed = {key for key, answer in TABLE[name].items() if answer is FOLLOW}  # type: ignore[index]
            assert ("author" in who) is ("author" in followed), name
            assert ("maintainers" in who) is ("maintainer" in followed), name
