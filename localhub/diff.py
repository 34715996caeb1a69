"""Reading patches: which lines can be commented on, and where a line is in a later version. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADER = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


@dataclass(frozen=True)
class Line:
    """One line of a patch. `position` counts from 1 below the first hunk's header, as `position` in the API does."""

    position: int
    hunk: int
    old: int | None
    new: int | None

    def number(self, side: str) -> int | None:
        """Its line number on a side: LEFT is the file before, RIGHT the file after."""
        return self.old if side == "LEFT" else self.new


def lines(patch: str) -> list[Line]:
    """Every line of a patch that can be commented on: context, added and removed ones."""
    found: list[Line] = []
    hunk = old = new = -1
    for position, text in enumerate(patch.split("\n")):
        if match := _HEADER.match(text):
            hunk, old, new = hunk + 1, int(match[1]), int(match[2])
        elif text.startswith("+"):
            found.append(Line(position, hunk, None, new))
            new += 1
        elif text.startswith("-"):
            found.append(Line(position, hunk, old, None))
            old += 1
        elif not text.startswith("\\"):
            found.append(Line(position, hunk, old, new))
            old, new = old + 1, new + 1
    return found


def find(patch: str, line: int, side: str) -> Line | None:
    """The line of the patch that has this number on this side."""
    return next((one for one in lines(patch) if one.number(side) == line), None)


def at_position(patch: str, position: int) -> Line | None:
    return next((one for one in lines(patch) if one.position == position), None)


def hunk_until(patch: str, position: int) -> str:
    """`diff_hunk` of a comment: its hunk's header and the lines down to the commented one."""
    rows = patch.split("\n")[: position + 1]
    start = max(at for at, text in enumerate(rows) if _HEADER.match(text))
    return "\n".join(rows[start:])


def moved(patch: str | None, line: int) -> int | None:
    """Where line `line` of the old file is in the new one; None when it was changed or removed.

    `patch` is the diff of that file between the two versions, None when there is none.
    """
    if patch is None:
        return line
    shift = 0
    for one in lines(patch):
        if one.old == line:
            return one.new
        if one.old is not None and one.old > line:
            break
        if one.old is None:
            shift += 1
        elif one.new is None:
            shift -= 1
    return line + shift
