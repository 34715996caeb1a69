"""Words by which a file says that it is somebody else's work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_YEAR = r"(?:19|20)\d\d"
_COPYRIGHT = re.compile(
    rf"(?:copyright[ \t]*(?:\(c\)|©)?|\(c\)|©)[ \t]*{_YEAR}(?:[ \t]*[-–,][ \t]*{_YEAR}){{0,20}},?[ \t]+(?:by[ \t]+)?"
    r"(?P<who>[^\n]{2,80})",
    re.I,
)
#: "copied from" alone is how an algorithm speaks of its arrays, so a source that can be looked up must follow.
_TAKEN = re.compile(
    r"\b(?:copied|taken|adapted|borrowed|ported|lifted|translated)\b[ \t]*(?:verbatim[ \t]+)?from\b(?P<where>.{0,120})",
    re.I,
)
_SOURCE = re.compile(
    r"https?://|\bwww\.|\b(?:github|gitlab|stack ?overflow|stack ?exchange|leet ?code|code ?forces|at ?coder|code ?chef"
    r"|hacker ?rank|top ?coder|project euler|rosetta ?code|advent of code|geeks ?for ?geeks|kattis|human ?eval|mbpp"
    r"|kaggle|wikipedia|euler)\b",
    re.I,
)
_COMMENT = re.compile(r"^\s*(?:#|//|/?\*|\"\"\"|''')|\s(?:#|//)\s")


@dataclass(frozen=True)
class Notice:
    line: int
    words: str  # the line, as the file has it


def notices(text: str, authors: Iterable[str]) -> Iterator[Notice]:
    """Copyright notices of others than `authors`, and comments that name a source on the net; in order."""
    own = [_plain(name) for name in authors]
    for number, line in enumerate(text.splitlines(), 1):
        line = line[:500]
        if (found := _COPYRIGHT.search(line)) is not None:
            who = _plain(found["who"])
            if not any(name and name in who for name in own) and "the authors" not in who:
                yield Notice(number, line.strip())
        elif _COMMENT.search(line) and (found := _TAKEN.search(line)) is not None and _SOURCE.search(found["where"]):
            yield Notice(number, line.strip())


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())
