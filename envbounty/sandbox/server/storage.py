"""Files in and out of a jail: inputs that cannot be changed, outputs that cannot deceive, and nothing left over."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat

from envbounty.sandbox.server.base import (
    Blobs,
    Json,
)


def place_inputs(job: Json, root: str) -> None:
    """Write the inputs and standard input below `root`, which must not be writable by the job afterwards."""
    os.makedirs(job["in"], 0o755, exist_ok=True)
    for name, content in job["inputs"]:
        path = os.path.join(job["in"], name)
        os.makedirs(os.path.dirname(path), 0o755, exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, 0o555)
    job["stdin_path"] = os.path.join(root, "stdin")
    with open(job["stdin_path"], "wb") as file:
        file.write(job["stdin"])
    job["inputs"] = job["stdin"] = None  # the job needs no second copy in its memory


def bring_back(name: str, folder: str, limit: int) -> tuple[bytes, str]:
    """(content, "") of a plain file of at most `limit` bytes, else (b"", why not). Never follows, never blocks."""
    try:
        where = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        return b"", os.strerror(error.errno or 0)
    try:
        try:
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY, dir_fd=where)
        except OSError as error:
            return b"", "is a symbolic link" if error.errno == errno.ELOOP else os.strerror(error.errno or 0)
        try:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode):
                return b"", "is no regular file"
            if info.st_nlink != 1:
                return b"", "is a hard link"
            if info.st_size > limit:
                return b"", f"is larger than the {limit} bytes left for outputs"
            content = bytearray()
            while len(content) <= limit:
                chunk = os.read(fd, min(1 << 20, limit + 1 - len(content)))
                if not chunk:
                    return bytes(content), ""
                content += chunk
            return b"", f"is larger than the {limit} bytes left for outputs"
        except OSError as error:
            return b"", os.strerror(error.errno or 0)
        finally:
            os.close(fd)
    finally:
        os.close(where)


def collect_outputs(job: Json) -> tuple[Json, Blobs]:
    """What `bring_back` found for every wanted output; together not more than the job could write."""
    left = job["limits"]["scratch_mb"] << 20  # sparse files can claim more, in every one of many names
    found: list[tuple[str, int]] = []
    refused: dict[str, str] = {}
    blobs: Blobs = []
    for name in job["outputs"]:
        content, why = bring_back(name, job["cwd"], left)
        if why:
            refused[name] = why
        else:
            found.append((name, len(content)))
            blobs.append(content)
            left -= len(content)
    return {"files": found, "refused": refused}, blobs


def wipe(folder: str) -> None:
    """Remove everything below `folder` that this user may remove, whatever modes it was left with."""
    for parent, folders, files in os.walk(folder):
        for name in folders:
            # Not ours, or a link: the test for emptiness afterwards decides.
            with contextlib.suppress(OSError, NotImplementedError):
                os.chmod(os.path.join(parent, name), 0o700, follow_symlinks=False)
        for name in files:
            with contextlib.suppress(OSError):  # as above
                os.unlink(os.path.join(parent, name))
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):  # as above
                os.unlink(entry.path)
