"""What GitHub shows, and that a contributor can put nothing live into it.

The strongest test compares skeletons: whatever the text, the parsed document has the tokens, HTML and plain
words of the same report with harmless text, and differs only inside code.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from envbounty.findings import Report
from envbounty.render.markdown import MAX_BYTES, code, render_markdown

anything = st.text(st.characters(exclude_categories=()), min_size=1, max_size=80)
nasty = st.text(st.sampled_from("`|\\\n<>[]()!@#*_~&;: a1-$\t"), min_size=1, max_size=60)
IN_CODE = ("code_inline", "fence")


def tokens(markdown: str) -> Iterator[Token]:
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown):
        yield token
        yield from token.children or []


def skeleton(markdown: str) -> list[tuple[str, str]]:
    """Every token and what it says, but for what stands in code."""
    return [
        (token.type, "" if token.type in IN_CODE or token.children else token.content)
        for token in tokens(markdown)
    ]


def quoted(markdown: str) -> str:
    return "\n".join(token.content for token in tokens(markdown) if token.type in IN_CODE)


def test_a_failure_tells_the_whole_story(make: Any) -> None:
    markdown = render_markdown(make.story())
    assert markdown.startswith("## ❌ envbounty: fail\n")
    assert "Exit 1: at least one environment is proved wrong." in markdown
    assert "| `environments/two-sum` | `function` | ❌ fail | 1 | 1 | 3.2 |" in markdown
    assert "**error** `bad-accepted` in `environments/two-sum/solutions/bad/greedy.py:1`" in markdown
    assert "Fix: `Compare the whole list.`" in markdown
    said = quoted(markdown)
    for part in ('{"n": 4}', "[1, 2]", "[2, 1]", "2 more times", "--seed 11", "seed 11, difficulty 2"):
        assert part in said
    assert markdown.count("<details>") == markdown.count("</details>") == 1
    assert markdown.index("bad-accepted` in") < markdown.index("slow-check` in"), "worst first"


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("pass", "## ✅ envbounty: pass"),
        ("error", "## 💥 envbounty: error"),
        ("incomplete", "## ⏳ envbounty: incomplete"),
        ("nothing", "## 💥 envbounty: error"),
    ],
)
def test_the_heading_says_how_it_ended(reports: Any, name: str, head: str) -> None:
    assert render_markdown(reports[name]()).startswith(head + "\n")


def test_a_reason_is_given_for_what_could_not_be_checked(reports: Any) -> None:
    assert "error: `the jail did not start`" in render_markdown(reports["error"]())
    assert "incomplete: `out of time`" in render_markdown(reports["incomplete"]())


def test_a_run_without_a_jail_says_so(reports: Any) -> None:
    assert "> [!CAUTION]\n> NOT ISOLATED" in render_markdown(reports["unjailed"]())


@given(anything | nasty)
@example("`")
@example(" ` ")
@example("\\|")
@example("a\n\n# h\n\n<b>")
@example("``` \n```")
@settings(max_examples=300, deadline=None)
def test_nothing_that_a_stranger_writes_comes_alive(make: Any, text: str) -> None:
    markdown = render_markdown(make.full(text))
    assert skeleton(markdown) == skeleton(render_markdown(make.full("x")))
    assert all(line.isprintable() for line in markdown.split("\n"))


def test_hostile_text_is_shown_and_does_nothing(make: Any) -> None:
    markdown = render_markdown(make.full(make.hostile))
    assert skeleton(markdown) == skeleton(render_markdown(make.full("x")))
    for token in tokens(markdown):
        assert token.type not in ("link_open", "image", "s_open")
        if token.type in ("text", "html_block", "html_inline"):
            assert "@" not in token.content
            assert "#" not in token.content
            assert "http" not in token.content
            assert "script" not in token.content
    said = quoted(markdown)
    for part in ("@octocat", "#1", "<script>", "![i](http://evil/i.png)", "\\x1b[2J", "\\u202e"):
        assert part in said, "evidence is shown as it is"


@given(anything | nasty)
@settings(max_examples=300)
def test_a_code_span_shows_its_text_exactly(text: str) -> None:
    from envbounty.render.words import clean

    inline = MarkdownIt("commonmark").parseInline(code(text, 10_000))[0].children or []
    assert [token.type for token in inline] == ["code_inline"]
    if text.strip(" "):
        assert inline[0].content == clean(text)


def size(markdown: str) -> int:
    return len(markdown.encode("utf-8"))


def test_what_does_not_fit_is_cut_least_severe_first_and_counted(make: Any) -> None:
    wide = "漢" * 900
    many = [make.finding(s, wide) for s in ("note", "warning", "error") for _ in range(25)]
    report = make.report(make.result(*many, text="e"))
    markdown = render_markdown(report)
    assert 0.9 * MAX_BYTES < size(markdown) <= MAX_BYTES
    shown = {severity: markdown.count(f"**{severity}**") for severity in ("error", "warning", "note")}
    assert shown["error"] == 25
    assert shown["note"] == 0
    assert f"no room for {25 - shown['warning']} warnings, 25 notes." in markdown


def test_errors_are_cut_last_across_environments(make: Any) -> None:
    wide = "漢" * 900
    noisy = make.result(make.finding("error"), *[make.finding("warning", wide) for _ in range(200)])
    late = make.result(make.finding("error", "the late error"), text="late")
    markdown = render_markdown(make.report(noisy, late))
    assert "the late error" in quoted(markdown)
    assert size(markdown) <= MAX_BYTES


def test_thousands_of_environments_still_fit_and_the_worst_are_named(make: Any) -> None:
    results = [make.result(verdict="pass", text=f"{n:0200}") for n in range(8000)]
    report: Report = make.report(*results, make.result(verdict="error", text="broken", reason="no compiler"))
    markdown = render_markdown(report)
    assert size(markdown) <= MAX_BYTES
    assert "| `broken` |" in markdown
    assert "error: `no compiler`" in markdown
    assert "environments more, none of them worse." in markdown


def test_thousands_of_failures_still_fit(make: Any) -> None:
    results = [make.result(make.finding("error", "漢" * 500), text=f"{n:0200}") for n in range(6000)]
    markdown = render_markdown(make.report(*results))
    assert size(markdown) <= MAX_BYTES
    assert "no room for" in markdown
