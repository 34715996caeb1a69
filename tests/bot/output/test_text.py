"""Whatever strangers write, what the bot shows has the same structure as if they had written `harmless`.

The strongest test compares skeletons: of every text that the bot has, with hostile words in every place where somebody
else's go, the parsed document differs from the harmless one only inside code.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot import text as texts
from bot.decide import decide
from bot.escape import MAX_UNITS, block, code, cut, fit, names, plain, units
from bot.state import (
    Accepted,
    Blocker,
    Decision,
    Job,
    JobState,
    Merge,
    Override,
    Review,
    State,
    Status,
    TierState,
)
from bot.text import checks, findings, gate, merges, replies, reviews, tiers, words
from envbounty.findings import Evidence, Finding, Overridden, Severity, Verdict
from envbounty.policy import Policy

NOW = datetime(2026, 11, 29, tzinfo=UTC)
HEAD = "1" * 40


def finding(text: str) -> Finding:
    return Finding(
        rule="accepts-nothing",
        severity=Severity.ERROR,
        message=text,
        path=text,
        line=3,
        fix=text,
        overridden=Overridden(severity=Severity.WARNING, reason=text),
        evidence=Evidence(submission=text, instance=text, output=text, expected=text, detail=text, reproduce=text),
    )


def report(text: str) -> Accepted:
    pairs = ((f"environments/{text}", finding(text)),)
    return Accepted(
        "f" * 32, "verify", HEAD, HEAD, "e" * 64, Verdict.FAIL, (f"environments/{text}",), pairs, NOW, reason=text
    )


def review(text: str) -> Review:
    return Review(1, 2, text, True, text, "APPROVED", text, NOW)


def job(text: str) -> Job:
    return Job("f" * 32, "verify", HEAD, HEAD, JobState.LOST, NOW, why=text)


def override(text: str) -> Override:
    return Override(text, text, text, 2, text)


def decision(text: str) -> Decision:
    """A real decision about a pull request in which everything that can be hostile is."""
    policy = Policy(schema=1)
    state = State(
        repo_id=1, number=7, now=NOW, author_id=1, author_login=text, author_known=True, open=True, merged=False,
        draft=False, head=HEAD, base=HEAD, base_ref=text, default_branch=text + "x", mergeable=True,
        files=("environments/a/env.yaml", f"x/{text}"), policy=policy, policy_problem=text,
        kinds={"environments/a": text},
        reviews=(review(text), Review(2, 3, text, True, "write", "CHANGES_REQUESTED", text, NOW)),
        jobs=(job(text),),
        accepted=(Accepted("e" * 32, "verify", HEAD, HEAD, policy.digest, Verdict.FAIL, ("environments/a",),
                           (("environments/a", finding(text)),), NOW, reason=text),),
        overrides=(Override("flaky-check", HEAD, text, 2, text),),
        held_by=text, appealed=True, unsafe=(text,),
    )  # fmt: skip
    return decide(state)


def shown(made: Decision) -> str:
    known = next(iter(made.tiers))
    output = checks.check_output(known, made)
    return "\n\n".join([output.summary, output.text])


def said(blocker: Blocker) -> str:
    return f"{blocker.why} {blocker.fix}"


#: Every text of the bot that holds somebody else's words, as a function of those words.
TEXTS: dict[str, Callable[[str], str]] = {
    "tiers.no_policy": tiers.no_policy,
    "tiers.other_branch": tiers.other_branch,
    "tiers.draft": lambda text: tiers.draft("attack", text),
    "tiers.newcomer": tiers.newcomer,
    "tiers.asked": tiers.asked,
    "tiers.once_more": lambda text: tiers.once_more(job(text)),
    "tiers.cancel_moved": lambda text: tiers.cancel_moved(text, text),
    "tiers.running": lambda text: tiers.running(job(text)),
    "tiers.failed": lambda text: tiers.failed([("x", finding(text))]),
    "tiers.failed_without_findings": tiers.failed_without_findings,
    "tiers.no_result": lambda text: tiers.no_result("attack", text, report(text)),
    "tiers.lost": lambda text: tiers.lost("verify", text, [job(text)]),
    "gate.base_branch": lambda text: said(gate.base_branch(text)),
    "gate.held": lambda text: said(gate.held(text)),
    "gate.no_policy": lambda text: said(gate.no_policy(text)),
    "gate.removed": lambda text: said(gate.removed([text, text])),
    "gate.tier": lambda text: said(gate.tier(TierState("verify", Status.ERROR, tiers.no_policy(text)))),
    "gate.finding": lambda text: said(gate.finding("flaky-check", [text], text)),
    "gate.unsafe": lambda text: said(gate.unsafe(text)),
    "gate.no_approval": lambda text: said(gate.no_approval(text, [gate.by_role(review(text))])),
    "gate.by_a_bot": lambda text: gate.by_a_bot(review(text)),
    "gate.by_the_author": lambda text: gate.by_the_author(review(text)),
    "gate.by_role": lambda text: gate.by_role(review(text)),
    "gate.for_another_commit": lambda text: gate.for_another_commit(review(text)),
    "gate.changes_requested": lambda text: said(gate.changes_requested(review(text))),
    "gate.merge_refused": lambda text: said(gate.merge_refused(text)),
    "gate.outrun": lambda text: said(gate.outrun(text, gate.OUTRUN_AGAIN)),
    "gate.no_owner": lambda text: said(gate.no_owner([text, text])),
    "gate.approved_by": lambda text: gate.approved_by(text, text),
    "gate.overridden": lambda text: gate.overridden(override(text)),
    "findings.where": lambda text: findings.where(text, 3),
    "findings.headline": lambda text: findings.headline(finding(text)),
    "findings.body": lambda text: findings.body(finding(text), findings.where(text, 3)),
    "findings.comment": lambda text: findings.comment("verify", finding(text), findings.where(text, 3), text),
    "checks.check_output": lambda text: shown(decision(text)),
    "checks.tally": lambda text: checks.tally([(text, finding(text))]),
    "checks.blockers": lambda text: checks.blockers(decision(text).blockers),
    "replies.explain": lambda text: replies.explain(decision(text)),
    "replies.mistake": lambda text: replies.mistake(text, "what"),
    "replies.refused": lambda text: replies.refused("hold", replies.other_head(text, text)),
    "replies.started": lambda text: replies.started(text, "attack"),
    "replies.overridden": lambda text: replies.overridden(text, text, text),
    "replies.held": replies.held,
    "replies.released": replies.released,
    "replies.appealed": lambda text: replies.appealed(text, text),
    "replies.unknown": replies.unknown,
    "replies.not_found": lambda text: replies.not_found(text, text),
    "replies.needs_sha": replies.needs_sha,
    "replies.takes_nothing": replies.takes_nothing,
    "replies.other_head": lambda text: replies.other_head(text, text),
    "reviews.inline": lambda text: reviews.inline("verify", finding(text), text, text),
    "reviews.summary": lambda text: reviews.summary([report(text)], 1, [("verify", finding(text), text)]),
    "words.sha": words.sha,
    "words.login": words.login,
    "words.command": lambda text: words.command("attack", text),
}

#: Texts that hold nobody else's words, only numbers and names of ours.
OURS = {
    "tiers.not_needed", "tiers.first_run", "tiers.about", "replies.note_no_environment", "replies.needs_reason",
    "words.plural", "merges.merge_title", "merges.merge_message",
}  # fmt: skip

anything = st.text(st.characters(exclude_categories=()), min_size=1, max_size=60)
nasty = st.text(st.sampled_from("`|\\\n<>[]()!@#*_~&;:/ a1-$\t\r"), min_size=1, max_size=50)


def test_every_text_is_tried_here() -> None:
    """Whoever adds a sentence adds it above."""
    found = {
        f"{module.__name__.rpartition('.')[2]}.{name}"
        for module in (tiers, gate, findings, checks, replies, reviews, words, merges)
        for name, member in vars(module).items()
        if inspect.isfunction(member) and member.__module__ == module.__name__ and not name.startswith("_")
    }
    assert found == set(TEXTS) | OURS


@pytest.mark.parametrize("name", TEXTS)
@settings(max_examples=8, deadline=None)
@given(text=anything | nasty)
def test_nobody_can_change_the_structure_of_what_the_bot_says(look: Any, name: str, text: str) -> None:
    assert look.skeleton(TEXTS[name](text)) == look.skeleton(TEXTS[name]("harmless"))


@pytest.mark.parametrize("name", TEXTS)
def test_nothing_hostile_comes_to_life(look: Any, hostile: str, name: str) -> None:
    markdown = TEXTS[name](hostile)
    assert look.skeleton(markdown) == look.skeleton(TEXTS[name]("harmless"))
    alive = look.alive(markdown)
    for mark in ("@", "#", "http", "www.", ":tada:", "script", "evil", "::"):
        assert mark not in alive, mark
    assert not re.search(r"(?i)\b(close[sd]?|fix(e[sd])?|resolve[sd]?)\b.{0,4}\d", alive)
    assert not look.kinds(markdown) & {"link_open", "image", "html_inline", "code_block"}
    assert markdown.replace("\n", "").isprintable(), "what does not print is spelled out"


def test_the_only_html_is_ours(look: Any, hostile: str, make: Any) -> None:
    markdown = findings.body(make.finding(hostile), "`x`")
    assert re.findall(r"<[^>]*>", look.alive(markdown)) == ["<details>", "<summary>", "</summary>", "</details>"]


@given(text=anything | nasty, limit=st.integers(1, 30))
@example(text="\U0001f600" * 40, limit=7)
def test_plain_text_keeps_to_its_length(text: str, limit: int) -> None:
    assert units(plain(text, limit)) <= limit
    assert plain(text, limit).isprintable()


@given(st.lists(anything | nasty, max_size=8), st.integers(60, 300))
def test_what_does_not_fit_is_left_out_whole_and_said(look: Any, parts: list[str], limit: int) -> None:
    markdown = fit([block(part) for part in parts], limit)
    assert units(markdown) <= limit
    everything = fit([block(part) for part in parts])
    assert markdown == everything or "no room for the rest" in look.alive(markdown)


def test_length_is_counted_in_utf16_units() -> None:
    assert units("a\U0001f600") == 3
    assert cut("\U0001f600\U0001f600", 3) == "\U0001f600…"
    assert cut("abc", 3) == "abc"
    assert cut("abc", 0) == ""


def test_a_check_of_thousands_of_findings_keeps_to_githubs_limits(make: Any) -> None:
    worst = "\U0001f600" * 4000
    many = make.report(*[make.finding(worst) for _ in range(300)])
    output = checks.check_output(TierState("verify", Status.FAILED, "why", many), Decision((), ()))
    assert units(output.title) <= 255
    assert units(output.summary) <= MAX_UNITS and units(output.text) <= MAX_UNITS
    assert "no room for the rest" in output.text


def test_one_comment_is_short_enough_whatever_it_holds(make: Any) -> None:
    assert units(reviews.inline("verify", make.finding("`\U0001f600" * 3000), "x" * 5000, HEAD)) < MAX_UNITS


def test_names_of_many_are_cut_with_their_number(look: Any) -> None:
    assert names(["a", "b"]) == "`a`, `b`"
    assert names([str(n) for n in range(12)]).endswith("and 2 more")


def test_a_merge_commit_holds_no_strangers_word_and_closes_nothing() -> None:
    """GitHub reads closing keywords in commit messages, so no title of a pull request and no branch is in it."""
    message = merges.merge_message(Merge(HEAD, (1, 2), ("f" * 32,)))
    assert message.splitlines() == [
        f"Head: {HEAD}",
        "Approving review: 1",
        "Approving review: 2",
        f"Report of job: {'f' * 32}",
    ]
    assert merges.merge_title(7) == "Merge pull request #7"
    assert inspect.signature(merges.merge_message).parameters.keys() == {"merge"}


def test_explain_tells_every_tier_and_every_blocker_with_its_end() -> None:
    made = decision("harmless")
    told = texts.explain(made)
    for blocker in made.blockers:
        assert blocker.why in told and blocker.fix in told
    for known in made.tiers:
        assert known.why in told


def test_a_check_is_not_written_again_for_what_passes_by_itself() -> None:
    made = Decision((), (gate.MERGEABLE_UNKNOWN,))
    calm = Decision((), ())
    known = TierState("verify", Status.PASSED, "why")
    assert checks.check_output(known, made) == checks.check_output(known, calm)


def test_code_spans_survive_backticks_and_edges(look: Any) -> None:
    for text in ("`", "``", " ", " a ", "`a`", "a`b``c"):
        assert look.kinds(code(text)) == {"paragraph_open", "inline", "code_inline", "paragraph_close"}
