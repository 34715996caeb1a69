"""Commands in comments: finding them, and who may give them. Pure.

A command counts only where a reader sees it as one: at the start of a line of a plain paragraph that is not inside
anything. Code, quotations, lists, tables, HTML and its comments, titles of links and headings hold none. A command that
names a commit gives at least its first 12 digits, and the head must begin with them: what was asked for one commit is
never done to another.
"""

from __future__ import annotations

import difflib
import enum
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.text import replies as say
from envbounty.policy import Tier

Name = Literal["verify", "attack", "bench", "explain", "override", "appeal", "hold", "release", "help"]
NAMES: tuple[Name, ...] = get_args(Name)

#: The tier that a command starts.
TIER: dict[Name, Tier] = {"verify": "verify", "attack": "attack", "bench": "gpu-bench"}

#: More in one comment is no conversation.
MOST = 5
#: Commands are short. A longer comment holds none, whatever stands in it: cutting it could open what hides a line.
MAX_BODY = 10_000

_SHA = re.compile(r"[0-9a-f]{12,40}")
_RULE = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_LINE = re.compile(r"/([A-Za-z]{1,20})(?:[ \t\x00]+(.*))?")
_REASON = (10, 500)
_MAYBE = re.compile(r"^[ ]{0,3}/[A-Za-z]", re.MULTILINE)

#: GitHub's Markdown with the constructs that it has beyond CommonMark and that can hide text.
#: Escapes and entities stay apart from plain text: `\\/hold` is how somebody writes about a command.
_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).disable("text_join")


@dataclass(frozen=True)
class Command:
    """A command as it was written. Whether its author may give it, and whether the commit is right, is not said yet."""

    name: Name
    sha: str = ""  # 12 to 40 hex digits; for attack and bench
    rule: str = ""  # for override
    reason: str = ""  # for override and appeal; as written, never to be shown raw
    line: str = ""  # the whole line as written, never to be shown raw


@dataclass(frozen=True)
class Mistake:
    """A line that looks like a command and is none. `what` is Markdown of ours."""

    line: str
    what: str


class Answer(enum.Enum):
    """What is to be done with a command."""

    FOLLOW = "follow"
    REFUSE = "refuse"  # and say why
    IGNORE = "ignore"  # without a word: strangers get no voice through the bot


@dataclass(frozen=True)
class Actor:
    """Who wrote the comment, by GitHub's word at this moment."""

    id: int
    human: bool
    role: str  # admin, maintain, write, triage, read, none
    is_author: bool  # of the pull request

    @property
    def maintains(self) -> bool:
        return self.role in ("maintain", "admin")


@dataclass(frozen=True)
class Ruling:
    """What to do with a command, and the reason in Markdown where it is refused."""

    answer: Answer
    why: str = ""


def parse(body: str) -> list[Command | Mistake]:
    """The commands in a comment, in order, and what looks like one but is a mistake. At most five, and a word on more.

    A line that is like no command of ours is passed over: it is a path, or for another bot. Never raises.
    """
    if len(body) > MAX_BODY or _MAYBE.search(body) is None:
        return []
    found = [read for line in _lines(body) if (read := _read(line)) is not None]
    if len(found) > MOST:
        return [*found[:MOST], Mistake(found[MOST].line, say.TOO_MANY)]
    return found


def matches(command: Command, head: str) -> bool:
    """Whether the commit that a command names, if any, is `head`."""
    return head.startswith(command.sha)


def allowed(command: Command | Mistake, actor: Actor, head: str, found: Collection[str] | None = None) -> Ruling:
    """Whether `actor` may do this to the pull request with this head, now.

    `found`: the rules of all findings on this head. Where it is given, an override of anything else is refused: a rule
    that is misspelt would lift nothing, and say that it did.
    """
    if not actor.human:
        return Ruling(Answer.IGNORE)  # two bots that answer each other never stop
    if not actor.maintains and not actor.is_author:
        return Ruling(Answer.IGNORE)
    if isinstance(command, Mistake):
        return Ruling(Answer.REFUSE, say.mistake(command.line, command.what))
    if not actor.maintains and command.name not in _AUTHORS:
        return Ruling(Answer.REFUSE, say.refused(command.name, say.MAINTAINERS_ONLY))
    if command.name == "appeal" and not actor.is_author:
        return Ruling(Answer.REFUSE, say.refused(command.name, say.AUTHOR_ONLY))
    if actor.is_author and command.name in _NOT_AUTHORS:
        return Ruling(Answer.REFUSE, say.refused(command.name, say.NOT_ON_OWN))
    if not matches(command, head):
        return Ruling(Answer.REFUSE, say.refused(command.name, say.other_head(command.sha, head)))
    if command.name == "override" and found is not None and command.rule not in found:
        near = difflib.get_close_matches(command.rule, sorted(found), n=1)
        return Ruling(Answer.REFUSE, say.refused(command.name, say.not_found(command.rule, near[0] if near else "")))
    return Ruling(Answer.FOLLOW)


#: What the author of a pull request may do. `/verify` of theirs runs only what gave no result, as everybody's does.
_AUTHORS = frozenset({"verify", "explain", "appeal", "help"})
#: What nobody may do on a pull request of their own, maintainer or not.
_NOT_AUTHORS = frozenset({"override"})


def _lines(body: str) -> Iterator[str]:
    """The lines of plain top-level paragraphs that begin with a slash.

    HTML can hide all that follows it (`<details>`, `<div hidden>`), so nothing after it is read, save after a comment.
    """
    text = body.replace("\r\n", "\n").replace("\r", "\n")
    if _CONTROL.search(text) is not None:
        return  # nobody types these, and parsers differ in what they take for a space
    raw = text.split("\n")
    depth = 0
    tokens = _MARKDOWN.parse(text)
    for number, token in enumerate(tokens):
        if token.type == "html_block" and _COMMENT.fullmatch(token.content.strip()) is None:
            return
        if token.type == "table_open" and token.map and raw[token.map[0]].lstrip().startswith(("<", "```", "~~~")):
            return  # HTML or code to GitHub, which looks for them before it looks for tables
        if token.type == "inline" and depth == 1 and tokens[number - 1].type == "paragraph_open":
            if _ADDRESS.search(token.content):
                return
            if not _doubtful(raw, token):
                yield from _plain_lines(token.children or [])
        if any(child.type == "html_inline" for child in token.children or []):
            return
        depth += token.nesting


def _doubtful(raw: list[str], paragraph: Token) -> bool:
    """Whether GitHub may see something else here than a paragraph of its own: a footnote, a table, a quotation."""
    first = paragraph.map[0] if paragraph.map else 0
    above = raw[first - 1] if first else ""
    return _NOTE.search(paragraph.content) is not None or _CONTAINER.match(above) is not None


#: GitHub makes links of bare addresses, and takes into them what would be markup elsewhere: then a code span or an
#: element begins where CommonMark sees none.
_ADDRESS = re.compile(r"(?:://|www\.|mailto:|xmpp:)\S*[`\\<]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_NOTE = re.compile(r"^\s*\[\^|^[ \t]*[|:-][ \t|:-]*$", re.MULTILINE)
_CONTAINER = re.compile(r"\s*(?:[>\-+*\[|]|\d+[.)])")


def _plain_lines(children: list[Token]) -> Iterator[str]:
    """The lines of one paragraph that begin with a slash and with nothing before it, up to the first HTML."""
    line: list[str] | None = []  # None: the line began with something that is no plain text
    depth, formula = 0, False
    for child in children:
        depth += child.nesting
        formula = formula or (line is None and "$" in child.content)
        if child.type == "html_inline":
            yield from _command([*line, _BROKEN] if line else None)
            return
        if child.type in ("softbreak", "hardbreak"):
            yield from _command(line)
            # Formulas are GitHub's own, and may go over lines.
            formula = formula or "$" in "".join(line or [])
            line = [] if depth == 0 and not formula else None
        elif line is None or not (child.content or child.nesting):
            continue
        elif child.type == "text":
            line.append(child.content)
        elif not line:
            line = None  # a code span, an escape, emphasis or a link stands where the slash should
        elif child.type in ("code_inline", "text_special") and " " in "".join(line):
            line.append(child.content)  # in a reason, both are only a way of writing
        else:
            line.append(_BROKEN)
    yield from _command(line)


_BROKEN = "\x00"
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def _command(line: list[str] | None) -> Iterator[str]:
    text = "".join(line or [])
    if text.startswith("/"):
        yield text


def _read(line: str) -> Command | Mistake | None:
    """None for what is no attempt at a command of ours: a path, or another bot's command."""
    match = _LINE.fullmatch(line.rstrip())
    if match is None:
        return None
    name, rest = match[1], (match[2] or "").strip()
    known = next((one for one in NAMES if one == name), None)
    if known is None:
        near = difflib.get_close_matches(name.lower(), NAMES, n=1, cutoff=0.75)
        return Mistake(line.replace(_BROKEN, "…"), say.unknown(near[0])) if near else None
    if _BROKEN in line:
        return Mistake(line.replace(_BROKEN, "…"), say.NOT_PLAIN)
    return _arguments(known, rest, line)


def _arguments(name: Name, rest: str, line: str) -> Command | Mistake:
    if name in ("attack", "bench"):
        if _SHA.fullmatch(rest) is None:
            return Mistake(line, say.needs_sha(name))
        return Command(name, sha=rest, line=line)
    if name == "override":
        rule, _, reason = rest.partition(" ")
        reason = reason.strip()
        if _RULE.fullmatch(rule) is None:
            return Mistake(line, say.NEEDS_RULE)
        if not _REASON[0] <= len(reason) <= _REASON[1]:
            return Mistake(line, say.needs_reason(*_REASON))
        return Command(name, rule=rule, reason=reason, line=line)
    if name == "appeal":
        return Command(name, reason=rest[: _REASON[1]], line=line)
    if rest:
        return Mistake(line, say.takes_nothing(name))
    return Command(name, line=line)
