"""What somebody at a terminal reads."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envbounty.render.text import render_text

anything = st.text(st.characters(exclude_categories=()), max_size=80)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def test_a_failure_tells_the_whole_story(make: Any) -> None:
    text = render_text(make.story(), colour=False, width=100)
    for part in (
        "FAIL  environments/two-sum  function",
        "1 proved: bad-accepted",
        "error  bad-accepted  environments/two-sum/solutions/bad/greedy.py:1",
        "A wrong solution scored 1.",
        "warning  slow-check  environments/two-sum/environment.py:40",
        "PASS  environments/crafting  actions",
    ):
        assert part in text
    for label, value in {
        "submission": "solutions/bad/greedy.py",
        "instance": '{"n": 4}',
        "made from": "seed 11, difficulty 2",
        "output": "[1, 2]",
        "expected": "[2, 1]",
        "verifier said": "1.0",
        "confirmed": "2 more times in a clean jail",
        "fix": "Compare the whole list.",
        "reproduce": "envbounty verify environments/two-sum --seed 11",
    }.items():
        assert re.search(rf"^ +{label} +{re.escape(value)}$", text, re.M), label
    assert text.index("bad-accepted  env") < text.index("slow-check  env"), "worst first"


def test_it_ends_with_a_table_and_what_the_exit_code_means(make: Any) -> None:
    lines = render_text(make.story(), colour=False, width=100).rstrip("\n").split("\n")
    assert lines[-1] == "exit 1: at least one environment is proved wrong"
    assert lines[-2] == "2 environments: 1 pass, 1 fail"
    assert any(re.fullmatch(r" *two-sum +function +fail +1 +1 +3\.2 *", line) for line in lines)
    assert any(re.fullmatch(r" *crafting +actions +pass +0 +0 +0\.5 *", line) for line in lines)


@pytest.mark.parametrize(
    ("name", "last"),
    [
        ("pass", "exit 0: every environment passed"),
        ("error", "exit 4: something could not be checked, which is not a pass"),
        ("incomplete", "exit 3: some checks did not finish, so nothing is settled"),
        ("nothing", "exit 4: no environment was examined, which is not a pass"),
    ],
)
def test_the_last_line_says_how_it_ended(reports: Any, name: str, last: str) -> None:
    assert render_text(reports[name](), colour=False, width=80).rstrip("\n").split("\n")[-1] == last


def test_a_run_without_a_jail_says_so_first(reports: Any) -> None:
    assert render_text(reports["unjailed"](), colour=False, width=80).startswith("NOT ISOLATED")
    assert "NOT ISOLATED" not in render_text(reports["pass"](), colour=False, width=80)


def test_commands_are_never_broken_and_all_else_fits(make: Any) -> None:
    command = "envbounty verify " + "long/" * 40
    finding = make.finding(evidence=make.evidence("word " * 60, reproduce=command))
    text = render_text(make.report(make.result(finding)), colour=False, width=60)
    assert command in text
    assert all(len(line) <= 60 for line in text.split("\n") if "reproduce" not in line)


@pytest.mark.parametrize("colour", [True, False])
@given(text=anything)
@settings(max_examples=40, deadline=None)
def test_no_text_reaches_the_terminal_as_a_command(make: Any, colour: bool, text: str) -> None:
    shown = render_text(make.full(text), colour=colour, width=90)
    if colour:
        shown = COLOUR.sub("", shown)
    assert all(line.isprintable() for line in shown.split("\n"))


def test_hostile_text_is_shown_and_does_nothing(make: Any) -> None:
    shown = render_text(make.full(make.hostile), colour=False, width=4000)
    assert "[bold]x[/bold]" in shown  # rich would have eaten its own markup
    assert "\\x1b[2J" in shown
    assert not any(line.startswith(("FAKE", "::")) for line in shown.split("\n")), "a forged line"


@pytest.mark.parametrize(
    "text", ["::error::all is well", "x " * 47 + "::stop-commands::x", "a ##[error]b", "##[group]"]
)
@pytest.mark.parametrize("width", [40, 60, 100])
def test_no_text_is_an_order_to_githubs_runner(make: Any, text: str, width: int) -> None:
    shown = render_text(make.full(text + "\n" + text), colour=False, width=width)
    assert not any(line.strip().startswith("::") for line in shown.split("\n"))
    assert "##[" not in shown


@given(text=st.text(st.sampled_from(": #[a"), max_size=60))
@settings(max_examples=60, deadline=None)
def test_no_wrapping_makes_one(make: Any, text: str) -> None:
    shown = render_text(make.full(text), colour=False, width=40)
    assert not any(line.strip().startswith("::") for line in shown.split("\n"))
    assert "##[" not in shown


def test_wrapped_text_cannot_pass_for_a_line_of_ours(make: Any) -> None:
    shown = render_text(
        make.full("x " * 30 + "exit 0: every environment passed " * 4), colour=False, width=60
    )
    ours = [line for line in shown.split("\n") if line.startswith("exit")]
    assert ours == ["exit 1: at least one environment is proved wrong"]


def test_colour_is_the_callers_choice_and_not_the_environments(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "20")
    assert "\x1b" not in render_text(make.story(), colour=False, width=100)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    assert COLOUR.search(render_text(make.story(), colour=True, width=100))


def test_colour_changes_nothing_but_colour(make: Any) -> None:
    plain = render_text(make.story(), colour=False, width=100)
    coloured = COLOUR.sub("", render_text(make.story(), colour=True, width=100))
    assert [line.rstrip() for line in coloured.split("\n")] == plain.split("\n")


def test_many_findings_take_seconds_at_most(make: Any) -> None:
    report = make.report(make.result(*[make.finding(line=n + 1) for n in range(2000)]))
    start = time.perf_counter()
    render_text(report, colour=True, width=100)
    assert time.perf_counter() - start < 20
