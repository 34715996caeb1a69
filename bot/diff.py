"""Which lines of a pull request can bear a comment. GitHub refuses a whole review for one line outside of the diff."""

from __future__ import annotations

import re
from collections.abc import Mapping

_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")


def hunks(patch: str | None) -> frozenset[int]:
    """The lines of the new file (side RIGHT, from 1) that `patch` shows, added and unchanged ones alike.

    `patch` is what GitHub lists for a changed file: hunks without the file's header. None (a binary file, or one too
    large) and anything that is no patch give no line at all.
    """
    found: set[int] = set()
    line = left = 0
    for text in (patch or "").split("\n"):
        header = _HUNK.match(text) if left <= 0 else None
        if header:
            line, left = int(header[1]), int(header[2] or 1)
            continue
        if left <= 0:
            continue
        if text.startswith(("+", " ")):
            found.add(line)
            line, left = line + 1, left - 1
        elif text == "" and left:
            break  # cut off by GitHub, or no patch: what follows cannot be placed
    return frozenset(found)


def commentable(patches: Mapping[str, str | None]) -> dict[str, frozenset[int]]:
    """`hunks` of every file, by path."""
    return {path: hunks(patch) for path, patch in patches.items()}
