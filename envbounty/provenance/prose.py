"""Fingerprints of a task's text: runs of five words, so that layout, punctuation and numbers do not count."""

from __future__ import annotations

import re
from collections.abc import Iterator

from envbounty.provenance.streams import Stream, Unit

#: Mercor's and our own measurements on public task sets both use runs of five words.
WIDTH = 5
_WORD = re.compile(r"[^\W\d_]+|\d+")
_PARAGRAPH = re.compile(r"\n[^\S\n]*\n")


def units(path: str, text: str) -> list[Unit]:
    """A unit for each paragraph of at least `WIDTH` words; a paragraph moved elsewhere stays the same unit."""
    found = []
    for first, paragraph in _paragraphs(text):
        stream = Stream(reach=1)
        for word in _WORD.findall(paragraph):
            if word.isdecimal():
                stream.constant("0", word)
            else:
                stream.word(word.casefold())
        if len(stream.tokens) >= WIDTH:
            found.append(stream.unit(path, first, first + paragraph.count("\n"), WIDTH))
    return found


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    line, start = 1, 0
    for gap in _PARAGRAPH.finditer(text):
        yield line, text[start : gap.start()]
        line += text.count("\n", start, gap.end())
        start = gap.end()
    yield line, text[start:]
