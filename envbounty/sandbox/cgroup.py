"""A memory and process cap on a whole jail, where we may make control groups (as root; version 1 or 2)."""

from __future__ import annotations

import contextlib
import itertools
import os
from pathlib import Path

_numbers = itertools.count()
ROOT = Path("/sys/fs/cgroup")


class Group:
    """Control groups of one jail. With none writable it does nothing, and the job's own limits stand alone."""

    def __init__(self, memory_bytes: int, processes: int) -> None:
        name = f"envbounty-{os.getpid()}-{next(_numbers)}"
        self._folders: list[Path] = []
        unified = (ROOT / "cgroup.controllers").exists()
        files = {
            "memory": {"memory.max": memory_bytes, "memory.swap.max": 0} if unified else {
                "memory.limit_in_bytes": memory_bytes,
            },
            "pids": {"pids.max": processes},
        }  # fmt: skip
        for controller, values in files.items():
            folder = _own(controller, unified)
            if folder is None:
                continue
            folder = folder / name
            try:
                folder.mkdir(exist_ok=True)
                for file, value in values.items():
                    with contextlib.suppress(FileNotFoundError):  # no swap accounting on this kernel
                        (folder / file).write_text(str(value))
                if folder not in self._folders:
                    self._folders.append(folder)
            except OSError:
                # Not ours to use (an ordinary user, a read-only mount, a controller not delegated).
                with contextlib.suppress(OSError):
                    folder.rmdir()

    def add(self, pid: int) -> None:
        """Put a process, and all that it will start, into the group."""
        for folder in self._folders:
            with contextlib.suppress(OSError):
                (folder / "cgroup.procs").write_text(str(pid))

    def memory_kills(self) -> int:
        """How many processes the kernel has killed here for want of memory."""
        for folder in self._folders:
            for file in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    for line in (folder / file).read_text().splitlines():
                        key, _, value = line.partition(" ")
                        if key == "oom_kill":
                            return int(value)
        return 0

    def close(self) -> None:
        for folder in self._folders:
            with contextlib.suppress(OSError):
                folder.rmdir()


def _own(controller: str, unified: bool) -> Path | None:
    """Our own group's folder for a controller."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if unified and controllers == "":
                return ROOT / path.lstrip("/")
            if not unified and controller in controllers.split(","):
                return ROOT / controller / path.lstrip("/")
    return None
