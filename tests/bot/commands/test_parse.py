"""Which lines of a comment are commands: those that a reader sees as such, and nothing that is quoted or hidden."""

from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.commands import MAX_BODY, MOST, Command, Mistake, parse

SHA = "1a2b3c4d5e6f"


def names(body: str) -> list[str]:
    return [one.name if isinstance(one, Command) else "?" for one in parse(body)]


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("/verify", Command("verify", line="/verify")),
        ("/explain", Command("explain", line="/explain")),
        ("/hold", Command("hold", line="/hold")),
        ("/release", Command("release", line="/release")),
        ("/help", Command("help", line="/help")),
        ("/appeal", Command("appeal", line="/appeal")),
        (f"/attack {SHA}", Command("attack", sha=SHA, line=f"/attack {SHA}")),
        (f"/bench {'a' * 40}", Command("bench", sha="a" * 40, line=f"/bench {'a' * 40}")),
        (
            "/override few-solutions the third one is on its way",
            Command(
                "override",
                rule="few-solutions",
                reason="the third one is on its way",
                line="/override few-solutions the third one is on its way",
            ),
        ),
        (
            "/appeal the verifier is right",
            Command("appeal", reason="the verifier is right", line="/appeal the verifier is right"),
        ),
    ],
)
def test_every_command(line: str, command: Command) -> None:
    assert parse(line) == [command]
    assert parse(f"Thank you!\r\n\r\n{line}\r\n") == [command]
    assert parse(f"Thank you!\n{line}\nBye.") == [command]


@pytest.mark.parametrize(
    "body",
    [
        "/verify",
        "  /verify  ",
        "text\n/verify",
        "text  \n/verify",
        "text\\\n/verify",
        "/verify\n\n> and a quotation",
        "<!-- a comment that the form left -->\n\n/verify",
        "# Heading\n/verify",
        "```\ncode\n```\n/verify",
        "- list\n\n/verify",
        "**bold** and `code`\n/verify",
        "/verify\n<details>\nmore\n</details>",
    ],
)
def test_a_command_at_the_start_of_a_plain_line(body: str) -> None:
    assert names(body) == ["verify"]


#: Every way to write a line that is no command to a reader, or that a reader does not see.
HIDDEN = {
    "in the middle of a line": "please /hold",
    "fenced code": "```\n/hold\n```",
    "fence with tildes": "~~~\n/hold\n~~~",
    "fence never closed": "```\n/hold",
    "indented code": "x\n\n    /hold",
    "a code span over lines": "`\n/hold\n`",
    "a code span with escapes before it": "\\` ``\n/hold\n``",
    "a quotation": "> /hold",
    "a quotation's lazy line": "> quoted\n/hold",
    "a list": "- /hold",
    "a numbered list": "1. /hold",
    "a list's lazy line": "- item\n/hold",
    "a task list": "- [ ] /hold",
    "a heading": "# /hold",
    "an underlined heading": "/hold\n---",
    "a table": "| a |\n| - |\n| /hold |",
    "a table's lazy row": "a | b\n- | -\n/hold | x",
    "an HTML comment": "<!--\n/hold\n-->",
    "an HTML comment never closed": "<!--\n/hold",
    "an HTML comment within a paragraph": "x <!--\n/hold\n-->",
    "an HTML block": "<div>\n/hold\n</div>",
    "details": "<details>\n\n/hold\n\n</details>",
    "a hidden element": "<div hidden>\n\n/hold\n\n</div>",
    "an inline element over lines": "x <b hidden>\n/hold\n</b>",
    "preformatted": "<pre>\n/hold\n</pre>",
    "a processing instruction": "<?php\n/hold\n?>",
    "a declaration": "<!DOCTYPE\n/hold\n>",
    "CDATA": "<![CDATA[\n/hold\n]]>",
    "a link's title": '[a](/x "\n/hold\n")',
    "a link's address": "[a](\n/hold\n)",
    "a link's text": "[\n/hold](https://example.org)",
    "an image's description": "![\n/hold\n](/x)",
    "a reference definition": "[a]:\n/hold",
    "a reference definition's title": '[a]: /x "\n/hold\n"',
    "emphasis over lines": "*a\n/hold\nb*",
    "struck out": "~~a\n/hold\nb~~",
    "emphasis around it": "**/hold**",
    "code around it": "`/hold`",
    "an escape": "\\/hold",
    "an entity": "&#47;hold",
    "an entity inside": "/h&#111;ld",
    "a wide slash": "\uff0fhold",
    "an invisible character before it": "\u200b/hold",
    "a no-break space before it": "\xa0/hold",
    "a line separator": "x\u2028/hold",
    "a next-line character": "x\x85/hold",
    "capitals": "/HOLD now",
    "two slashes": "//hold",
    "a footnote": "x[^1]\n\n[^1]:\n    /hold",
    "a footnote that nothing refers to, which is not shown": "[^1]: note\n/hold",
    "a footnote in the middle of a paragraph": "x\n[^1]: note\n/hold",
    "a quotation that ends in a definition": "> [a]: /x\n/hold",
    "a code span whose first mark is part of an address": "http://example.org/` `\n/hold\n`",
    "an element whose escape is part of an address": "http://example.org/\\<details>\n/hold",
    "an element after an address, further down": "http://example.org/\\<details>\n\n/hold",
    "a declaration that could be a table": "<!X | a\n|---|---|\n\n/hold",
    "code that could be a table": "```a | b\n|---|---|\n\n/hold",
    "code with tildes that could be a table": "~~~a | b\n|---|---|\n\n/hold",
    "a table whose second line begins with a form feed": "/hold\n\x0c---",
    "a table whose head is indented": "x\n\t| a |\n|---|\n/hold",
    "a null character": "\x00\n/hold",
    "a formula": "$\n/hold\n$",
    "a formula after code": "`a` $\n/hold\n$",
}


@pytest.mark.parametrize("body", HIDDEN.values(), ids=HIDDEN)
def test_what_a_reader_does_not_see_as_a_command_is_none(body: str) -> None:
    assert "hold" not in names(body)


def test_html_hides_only_what_follows_it() -> None:
    assert names("/verify\n\n<details>\n\n/hold\n\n</details>\n\n/release") == ["verify"]


def test_a_hidden_command_cannot_be_let_out_by_a_long_comment() -> None:
    """Cutting a long comment would take the closing mark away that hides the line, so a long one holds none at all."""
    body = "`\n/hold\n" + "x " * MAX_BODY + "`"
    assert names(body) == []
    assert names("/hold\n" + "x" * (MAX_BODY - 6)) == ["hold"]
    assert names("/hold\n" + "x" * (MAX_BODY - 5)) == []


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("/attack", "12 digits"),
        ("/attack 1a2b3c4d5e6", "12 digits"),
        ("/attack HEAD", "12 digits"),
        (f"/attack {SHA.upper()}", "12 digits"),
        (f"/attack {SHA} please", "12 digits"),
        (f"/attack {'a' * 41}", "12 digits"),
        (f"/bench #{SHA}", "12 digits"),
        ("/override", "a rule"),
        ("/override Few_Solutions because it is so", "a rule"),
        ("/override few-solutions", "reason"),
        ("/override few-solutions too short", "reason"),
        (f"/override few-solutions {'x' * 501}", "reason"),
        ("/verify now", "takes nothing"),
        ("/hold the line", "takes nothing"),
        ("/verfy", "/verify"),
        ("/Hold", "/hold"),
        ("/overide few-solutions because it is so", "/override"),
        (f"/attack [{SHA}](https://example.org)", "plain text"),
        ("/override few-solutions because **I** say so", "plain text"),
        ("/hold<b>", "plain text"),
    ],
)
def test_a_mistake_is_explained(line: str, word: str) -> None:
    (found,) = parse(line)
    assert isinstance(found, Mistake)
    assert word in found.what


@pytest.mark.parametrize("line", ["/usr/bin/python fails", "/etc is full", "/lgtm", "/", "/ verify", "/1", "/merge"])
def test_a_path_or_another_bots_command_is_none_of_ours(line: str) -> None:
    assert parse(line) == []


def test_several_commands_are_read_in_order_and_not_without_end() -> None:
    assert names("/hold\n/explain\n\ntext\n\n/release") == ["hold", "explain", "release"]
    many = parse("\n".join(["/explain"] * 30))
    assert len(many) == MOST + 1
    assert isinstance(many[-1], Mistake) and "five" in many[-1].what


def test_a_reason_keeps_what_was_written_for_the_record() -> None:
    (found,) = parse("/override flaky-check seen `twice` & judged @octocat's way #1")
    assert isinstance(found, Command)
    assert found.reason == "seen twice & judged @octocat's way #1"


pieces = st.sampled_from(
    ["/hold", "/verify", "/attack 1a2b3c4d5e6f", "\n", "\n\n", " ", "    ", "```", "`", "``", "> ", "- ", "# ", "|",
     "---", "<!--", "-->", "<b>", "</b>", "<details>", "[", "](", ")", '"', "*", "**", "~~", "\\", "&#47;", "x", "\r\n",
     "\t", "!"]
)  # fmt: skip


class Page(HTMLParser):
    """The lines that a reader sees in paragraphs, and in nothing else: no quotation, list, code, or open element."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag == "br":
            return
        self.open.append(tag)
        self.text += "\n" if tag == "p" else "\0"

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            del self.open[len(self.open) - 1 - self.open[::-1].index(tag) :]
        self.text += "\n" if tag == "p" else "\0"

    def handle_data(self, data: str) -> None:
        if self.open == ["p"]:
            self.text += data

    @property
    def lines(self) -> list[str]:
        return [line.strip() for line in self.text.split("\n")]


@settings(max_examples=200, deadline=None)
@given(st.lists(pieces, max_size=14).map("".join))
def test_every_command_that_is_read_is_seen_at_the_start_of_a_line(body: str) -> None:
    """Held against the page that a reader sees: HTML made from the same comment, read by a parser of HTML."""
    read = [one.line.strip() for one in parse(body) if isinstance(one, Command)]
    page = Page(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(body))
    for line in read:
        assert any(seen.startswith(line.split()[0]) for seen in page.lines), (read, page.lines)


@given(st.text(max_size=200))
def test_no_comment_raises(body: str) -> None:
    parse(body)


@pytest.mark.parametrize(
    "unit", ["[", "![](", "*a ", "`a``", "> ", "- ", "[a](", "<!--", "~~a", "|", "&#", "_a*", "<a ", "a\n", "/hold\n"]
)
def test_a_comment_made_to_be_slow_is_read_in_a_moment(unit: str) -> None:
    body = "/hold\n" + unit * (MAX_BODY // len(unit))
    began = time.process_time()
    parse(body[:MAX_BODY])
    assert time.process_time() - began < 2
