"""Which lines can bear a comment, held against git itself."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest

from bot.diff import commentable, hunks


def git(folder: Path, *arguments: str) -> str:
    config = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.autocrlf=false"]
    command = ["git", "-C", str(folder), *config, *arguments]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8", errors="replace").stdout


def patch_of(diff: str) -> str:
    """What GitHub lists as `patch`: the hunks without the file's header."""
    start = diff.find("@@ ")
    return diff[start:].removesuffix("\n") if start >= 0 else ""


def near_changes(bare: str, length: int) -> set[int]:
    """The lines of the new file within three of a change, from what git says of the changes alone (`-U0`)."""
    found: set[int] = set()
    for start, count in re.findall(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", bare, re.MULTILINE):
        first, size = int(start), int(count or 1)
        if size == 0:  # only taken away, after line `first`
            found |= set(range(first - 2, first + 4))
        else:
            found |= set(range(first - 3, first + size + 3))
    return {line for line in found if 1 <= line <= length}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    return tmp_path


def test_against_real_patches(folder: Path) -> None:
    """The lines that our reading of a patch gives are those that git shows: three around every change."""
    luck = random.Random(7)
    odd = ["--- x", "+++ y", "@@ -1,3 +9,9 @@", "", " ", "\\ No newline at end of file", "-", "+"]
    tried = 0
    for _ in range(40):
        old = [luck.choice([*odd, f"line {number}"]) for number in range(luck.randint(1, 40))]
        new = list(old)
        for _ in range(luck.randint(1, 5)):
            place = luck.randrange(len(new) + 1)
            if luck.random() < 0.5 or not new:
                new.insert(place, luck.choice([*odd, "more"]))
            else:
                new.pop(min(place, len(new) - 1))
        file = folder / "f"
        file.write_text("".join(f"{line}\n" for line in old))
        git(folder, "add", "f")
        file.write_text("".join(f"{line}\n" for line in new).removesuffix(luck.choice(["", "\n"])))
        if diff := git(folder, "diff", "--no-color", "f"):
            tried += 1
            length = len(file.read_text().splitlines())
            assert hunks(patch_of(diff)) == near_changes(git(folder, "diff", "--no-color", "-U0", "f"), length)
    assert tried > 30


def test_a_new_file_can_bear_comments_on_all_its_lines_and_a_deleted_one_on_none() -> None:
    assert hunks("@@ -0,0 +1,3 @@\n+a\n+b\n+c") == {1, 2, 3}
    assert hunks("@@ -1,3 +0,0 @@\n-a\n-b\n-c") == frozenset()
    assert hunks("@@ -0,0 +1 @@\n+a\n\\ No newline at end of file") == {1}


def test_two_hunks_and_what_looks_like_a_header() -> None:
    patch = "@@ -1,3 +1,4 @@ def f():\n a\n-b\n+@@ -9,9 +9,9 @@\n+--- c\n d\n@@ -20 +21,2 @@\n x\n+y"
    assert hunks(patch) == {1, 2, 3, 4, 21, 22}


def test_hunks_of_one_line_each() -> None:
    assert hunks("@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d") == {1, 9}


@pytest.mark.parametrize("patch", [None, "", "nonsense", "@@", "@@ -a +b @@\n+x", "+x\n+y", "Binary files differ"])
def test_what_is_no_patch_gives_no_line(patch: str | None) -> None:
    assert hunks(patch) == frozenset()


def test_a_patch_that_was_cut_gives_what_it_still_shows() -> None:
    assert hunks("@@ -1,3 +1,9 @@\n a\n+b") == {1, 2}


def test_by_path() -> None:
    assert commentable({"a": "@@ -0,0 +1 @@\n+a", "b": None}) == {"a": {1}, "b": frozenset()}
