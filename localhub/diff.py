"""Reading what git says of a change: files, patches, lines that can be commented on, where they are later. Pure."""

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


#: Above these sizes GitHub leaves a file's patch out.
MAX_PATCH_BYTES, MAX_PATCH_LINES = 1_000_000, 20_000


@dataclass(frozen=True)
class FileChange:
    """One file of a diff. `patch` begins at the first hunk; None where GitHub would leave it out."""

    path: str
    status: str  # added, removed, modified, renamed
    sha: str  # of the blob after the change, or before it for a removed file
    additions: int
    deletions: int
    patch: str | None
    previous: str | None = None


_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "T": "modified", "C": "added"}


def file_changes(raw: str, patches: list[str]) -> list[FileChange]:
    """Join `--raw --numstat -z` with the patches, which come in the same order."""
    fields = raw.split("\0")
    heads: list[tuple[str, str, str, str | None]] = []  # path, status, blob, previous path
    at = 0
    while at < len(fields) and fields[at].startswith(":"):
        _, _, before, after, letter = fields[at][1:].split(" ")
        if letter[0] in "RC":
            heads.append((fields[at + 2], _STATUS[letter[0]], after, fields[at + 1]))
            at += 3
        else:
            heads.append((fields[at + 1], _STATUS[letter[0]], before if letter == "D" else after, None))
            at += 2
    counts = []
    while at < len(fields) and fields[at]:
        added, removed, path = fields[at].split("\t")
        counts.append((0 if added == "-" else int(added), 0 if removed == "-" else int(removed)))
        at += 1 if path else 3  # a rename has its two paths in fields of their own
    changes = []
    for (path, status, blob, previous), (more, less), text in zip(heads, counts, patches, strict=True):
        start = re.search(r"^@@ ", text, flags=re.M)
        patch = text[start.start() :].rstrip("\n") if start else None
        if patch is not None and (len(patch) > MAX_PATCH_BYTES or patch.count("\n") > MAX_PATCH_LINES):
            patch = None
        changes.append(FileChange(path, status, blob, more, less, patch, previous))
    return changes
