"""Reading a stranger's directory: regular files only, bounded, never through a link."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from envbounty.environment.problems import ContractError, Problem

MAX_FILES = 400
MAX_FILE_BYTES = 1 << 20
MAX_TOTAL_BYTES = 8 << 20

#: What an editor or an interpreter leaves behind; never part of an environment.
IGNORED = frozenset({"__pycache__", ".git", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".DS_Store"})


def read_tree(root: Path) -> dict[str, bytes]:
    """Every file below `root`, as {relative path with forward slashes: content}, in sorted order.

    Raises `ContractError` for links, special files, and anything past the limits.
    """
    files: dict[str, bytes] = {}
    problems: list[Problem] = []
    count = total = 0
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
        except OSError as error:
            if not folder:
                raise
            problems.append(Problem(folder, 1, "", f"cannot be read: {error.strerror}.", "Take the folder out."))
            continue
        for entry in entries:
            if entry.name in IGNORED:
                continue
            path = f"{folder}{entry.name}"
            count += 1
            if any(ord(char) < 32 or ord(char) == 127 or 0xD800 <= ord(char) < 0xE000 for char in path):
                problems.append(Problem(ascii(path), 1, "", "has a control character in its name.", "Rename the file."))
            elif entry.is_dir(follow_symlinks=False):
                pending.append(path + "/")
            else:
                try:
                    content = read_file(root / path, MAX_FILE_BYTES)
                except (OSError, ValueError) as error:
                    why = f"cannot be taken: {error}."
                    problems.append(Problem(path, 1, "", why, "Put a plain file there, or take it out."))
                    continue
                files[path] = content
                total += len(content)
            if count > MAX_FILES or total > MAX_TOTAL_BYTES:
                limit = f"{MAX_FILES} files and folders or {MAX_TOTAL_BYTES >> 20} MiB"
                raise ContractError(
                    [Problem(".", 1, "", f"the environment holds more than {limit}.", "Generate data in code.")]
                )
    if problems:
        raise ContractError(problems)
    return dict(sorted(files.items()))


def read_file(path: Path, limit: int) -> bytes:
    """One regular file of at most `limit` bytes; never a link, never blocks. Raises `OSError`, `ValueError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ValueError("it is no regular file")
        content = stream.read(limit + 1)
    if len(content) > limit:
        raise ValueError(f"it is larger than {limit >> 10} KiB")
    return content


def digest(files: dict[str, bytes]) -> str:
    """SHA-256 over names and contents, in sorted order: an environment's identity."""
    total = hashlib.sha256()
    for path, content in sorted(files.items()):
        name = path.encode()
        total.update(len(name).to_bytes(8, "big") + name + len(content).to_bytes(8, "big") + content)
    return total.hexdigest()
