"""Characters that make code or a task look different from what it is.

Bidirectional controls and look-alike names are the attacks of "Trojan Source" (Boucher and Anderson, 2021,
CVE-2021-42574 and CVE-2021-42694); tag characters carry text that a model reads and a person cannot see.
"""

from __future__ import annotations

import builtins
import io
import keyword
import re
import tokenize
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

#: Embeddings, overrides and isolates: they reorder what is shown. Marks (200E, 200F, 061C) only help a script along.
_BIDI = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
#: Nothing is seen of these. The joiners 200C and 200D belong to scripts and emoji, so they count in code alone.
_UNSEEN = "\u200b\u2060\u2061\u2062\u2063\u2064\u00ad\u180e\u115f\u1160\u3164\uffa0\ufeff"
_JOINERS = "\u200c\u200d"
#: A flag of England is a black flag, five tags and an end.
_FLAG = re.compile("\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{1,6}\U000e007f")
_HIDDEN = re.compile(f"[{_BIDI}{_UNSEEN}{_JOINERS}\U000e0000-\U000e007f\U000e0100-\U000e01ef]")
_SAFE_JOINER = re.compile(f"(?<=[^\x00-\u024f])[{_JOINERS}]")

#: Letters of other scripts that most fonts draw like a Latin one (from Unicode's confusables, UTS 39).
_LATIN = str.maketrans(
    "аеорсухіјѕԁԛԝһգ" "АВЕКМНОРСТХІЈЅҮ" "αορνιγ" "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ" "օոսհցյ" "ıℓ",
    "aeopcyxijsdqwhq" "ABEKMHOPCTXIJSY" "aopviy" "ABEZHIKMNOPTYX" "onuhgj" "il",
)  # fmt: skip
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class Hidden:
    """A character that cannot be seen, or that reorders what is seen."""

    line: int
    what: str  # its number and name
    kind: str  # bidi, tag, unseen


@dataclass(frozen=True)
class Lookalike:
    """A name that is not what it looks like. `like`: the name that it passes for, if there is one."""

    line: int
    name: str
    like: str | None


def hidden(text: str, *, code: bool) -> Iterator[Hidden]:
    """Characters that hide something, at most one a line and kind; the mark that may begin a file is none."""
    plain = _FLAG.sub("", text.removeprefix("\ufeff"))
    seen = set()
    for match in _HIDDEN.finditer(plain):
        char = match[0]
        if char in _JOINERS and (not code or _SAFE_JOINER.match(plain, match.start())):
            continue
        if char >= "\U000e0100" and unicodedata.name(plain[match.start() - 1 : match.start()] or "?", "").startswith(
            "CJK"
        ):
            continue  # one form of a Chinese character
        kind = "bidi" if char in _BIDI else "tag" if char >= "\U000e0000" else "unseen"
        if not code and kind == "unseen" and char == "\u00ad":
            continue  # a soft hyphen is how prose is set
        line = plain.count("\n", 0, match.start()) + 1
        if (line, kind) not in seen:
            seen.add((line, kind))
            yield Hidden(line, f"U+{ord(char):04X} {unicodedata.name(char, 'unnamed').lower()}", kind)


def lookalikes(names: Iterable[tuple[str, int]]) -> Iterator[Lookalike]:
    """Names (each with its line) that pass for another name, or mix scripts that look alike; each once.

    Python folds compatibility forms (NFKC), so a name written in full-width letters *is* the plain one.
    """
    first: dict[str, int] = {}
    for name, line in names:
        first.setdefault(name, line)
    known = set(first) | set(keyword.kwlist) | set(dir(builtins))
    for name, line in first.items():
        if name.isascii():
            continue
        folded = unicodedata.normalize("NFKC", name)
        plain = folded.translate(_LATIN)
        if folded != unicodedata.normalize("NFC", name) or (plain != name and plain.isascii() and plain in known):
            yield Lookalike(line, name, plain)
        elif len({script for char in folded if (script := _script(char))}) > 1:
            yield Lookalike(line, name, None)


def python_names(text: str) -> list[tuple[str, int]]:
    """The names in a Python text, as they are written, with their lines; what comes after an error is left out."""
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                found.append((token.string, token.start[0]))
    except (tokenize.TokenError, SyntaxError, ValueError, RecursionError, MemoryError):
        pass
    return found


def words(text: str) -> list[tuple[str, int]]:
    """The words of a text in another language, with their lines."""
    return [(match[0], number) for number, line in enumerate(text.splitlines(), 1) for match in _WORD.finditer(line)]


def _script(char: str) -> str | None:
    """The script of a letter, of those that can be taken for one another."""
    word = unicodedata.name(char, "").partition(" ")[0]
    return word if word in ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN") else None
