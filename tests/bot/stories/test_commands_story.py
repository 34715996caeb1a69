"""Commands: who may, what follows, and what is answered."""

from __future__ import annotations

import pytest
from town import Town, finding, opened

from bot.store import rulings
from localhub.model import Comment, Pull


def reactions(comment: Comment) -> list[str]:
    return [it.content for it in comment.reactions]


def verified(town: Town, *findings: object) -> Pull:
    pull = opened(town)
    town.report(town.run(), findings)  # type: ignore[arg-type]
    town.settle()
    return pull


@pytest.mark.both_databases
def test_a_hold_keeps_everything_back_until_it_is_released(town: Town) -> None:
    pull = verified(town)
    said = town.max.comment(pull, "/hold")
    town.max.approve(pull)
    town.settle()
    assert not pull.merged and reactions(said) == ["+1"]
    town.pia.comment(pull, "/release")
    town.settle()
    assert pull.merged


def test_an_override_lets_one_rule_pass_on_one_head(town: Town) -> None:
    pull = verified(town, finding("accepts-wrong"))
    town.max.approve(pull)
    town.max.comment(pull, "/override accepts-wrong the finding is a known fault of the check")
    town.settle()
    assert pull.merged
    with town.bot.store.read() as db:
        (ruling,) = rulings.standing(db, town.repo.id, pull.number)
    assert (ruling.kind, ruling.what, ruling.login, ruling.head) == ("override", "accepts-wrong", "max", pull.head)


def test_an_override_for_a_head_that_moved_is_refused(town: Town) -> None:
    pull = verified(town, finding("accepts-wrong"))
    said = town.max.comment(pull, "/override accepts-wrong the finding is a known fault of the check")
    town.ann.push_to(pull, {"environments/sums/task.md": "Else.\n"})  # before the bot looks
    town.settle()
    assert reactions(said) == ["confused"]
    with town.bot.store.read() as db:
        assert rulings.standing(db, town.repo.id, pull.number) == []


def test_the_author_overrides_nothing(town: Town) -> None:
    pull = verified(town, finding("accepts-wrong"))
    said = town.ann.comment(pull, "/override accepts-wrong I am quite sure that it is right")
    town.max.approve(pull)
    town.settle()
    assert not pull.merged and reactions(said) == ["confused"]


def test_a_stranger_gets_no_word(town: Town) -> None:
    pull = verified(town)
    said = town.hub.user("eve").comment(pull, "/hold\n\n/help")
    town.max.approve(pull)
    town.settle()
    assert pull.merged and reactions(said) == [] and town.mine(pull) == []


def test_a_comment_that_becomes_a_command_later_is_none(town: Town) -> None:
    pull = verified(town)
    said = town.max.comment(pull, "Nice work.")
    town.settle()
    town.max.edit_comment(said, "/hold")
    town.max.approve(pull)
    town.settle()
    assert pull.merged


def test_a_command_is_followed_as_it_was_written_whatever_it_becomes(town: Town) -> None:
    pull = verified(town)
    said = town.max.comment(pull, "/hold")
    town.max.edit_comment(said, "/release")
    town.max.approve(pull)
    town.settle()
    assert not pull.merged


def test_explain_says_what_stands_before_a_merge(town: Town) -> None:
    pull = verified(town)
    said = town.ann.comment(pull, "/explain")
    town.settle()
    (answer,) = town.mine(pull)
    assert "No maintainer approved exactly" in answer and reactions(said) == ["+1"]
    town.look(pull)
    assert len(town.mine(pull)) == 1


def test_the_answer_is_not_given_twice_when_its_own_answer_is_lost(town: Town) -> None:
    pull = verified(town)
    # ann's own comment is the first to match; the bot's answer is the second
    town.hub.faults.add("error_after", "POST .*/issues/.*/comments", times=1, skip=1)
    town.ann.comment(pull, "/help")
    town.settle()
    town.wait(30)
    assert sum("Commands stand at the start" in body for body in town.mine(pull)) == 1


ATTACK = {"policies/policy.yaml": "schema: 1\ntiers:\n  required: [verify, attack]\n"}


def test_attack_waits_for_a_maintainer_where_the_author_is_new(town: Town) -> None:
    town.max.push(town.repo, "main", ATTACK)
    town.settle()
    town.policy_text = ATTACK["policies/policy.yaml"]
    pull = verified(town)
    assert town.checks(pull) == {"envbounty/verify": "success", "envbounty/attack": "queued"}
    assert town.runs("attack") == []
    wrong = town.max.comment(pull, "/attack 0123456789ab")
    town.ann.comment(pull, f"/attack {pull.head[:12]}")
    town.settle()
    assert town.runs("attack") == [] and reactions(wrong) == ["confused"]
    town.max.comment(pull, f"/attack {pull.head[:12]}")
    town.settle()
    assert len(town.runs("attack")) == 1
    town.report(town.run("attack"))
    town.max.approve(pull)
    town.settle()
    assert pull.merged

    # whoever had a pull request merged is no newcomer
    again = town.ann.open_pull(town.repo, {"environments/sums/task.md": "Do it well.\n"}, branch="second")
    town.settle()
    town.report(town.run())
    town.settle()
    assert len(town.runs("attack")) == 2 and not again.merged
