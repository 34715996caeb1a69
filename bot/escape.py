"""The one place where a stranger's text is made harmless for GitHub.

One rule keeps it simple: text that we did not write stands inside a code span or a fenced block, never anywhere else.
Markdown and HTML are inert there, and GitHub looks for mentions, references, closing keywords, addresses and emoji only
outside code, so nothing has to be known about what it makes live today. What does not print (line breaks, terminal
escapes, characters that reorder a line) is spelled out first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from envbounty.render.markdown import code as _code
from envbounty.render.markdown import fence as _fence
from envbounty.render.words import clean, clean_lines

#: GitHub refuses comments and reviews above 65,536 characters and check texts above 65,535. Which kind of character it
#: counts is not written down, so the largest count is kept below that: UTF-16 units, with room to spare.
MAX_UNITS = 64_000

CUT = "\n\n(There was no room for the rest.)\n"


def units(text: str) -> int:
    """The length of `text` in UTF-16 code units; a character above U+FFFF counts twice."""
    return len(text) + sum(character > "\uffff" for character in text)


def code(text: str, limit: int = 1000) -> str:
    """`text` on one line as an inert code span, cut to `limit` characters."""
    return _code(text, limit)


def cell(text: str, limit: int = 200) -> str:
    """`text` as an inert code span for a table: no pipe in it can end the cell."""
    return _code(text, limit, in_table=True)


def block(text: str, limit: int = 4000, lines: int = 60) -> str:
    """`text` as an inert fenced block, whose fence is longer than any run of backticks inside."""
    return _fence(clean_lines(text, limit, lines))


def plain(text: str, limit: int) -> str:
    """`text` on one line for a field that GitHub shows as plain text, such as an annotation; `limit` in UTF-16 units.

    GitHub turns no Markdown live there, and a title too long is an error, so only what does not print is spelled out.
    """
    return cut(clean(text), limit)


def cut(text: str, limit: int) -> str:
    """`text` at no more than `limit` UTF-16 units, with an ellipsis where something is missing. For plain text only."""
    if units(text) <= limit:
        return text
    room = limit - 1
    for number, character in enumerate(text):
        room -= 1 + (character > "\uffff")
        if room < 0:
            return f"{text[:number]}…" if limit > 0 else ""
    raise AssertionError("a text longer than its limit has an end beyond it")


def names(found: Sequence[str], most: int = 10, limit: int = 200) -> str:
    """Names as inert code spans with commas, and how many more there are."""
    shown = ", ".join(code(name, limit) for name in found[:most])
    return f"{shown} and {len(found) - most} more" if len(found) > most else shown


def fit(parts: Iterable[str], limit: int = MAX_UNITS) -> str:
    """Whole parts joined by blank lines as far as they fit into `limit` UTF-16 units, and a line that says if not all.

    A part is never cut in two: half a fenced block would bring its content to life.
    """
    kept: list[str] = []
    room = limit - units(CUT)
    for part in parts:
        size = units(part) + 2
        if size > room:
            return "\n\n".join(kept) + CUT
        kept.append(part)
        room -= size
    return "\n\n".join(kept) + ("\n" if kept else "")
