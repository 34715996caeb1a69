"""A memory and process cap on a whole jail, where we may make control groups (version 1 or 2)."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
PREFIX = "envbounty-"
#: How long the kernel may take to let go of a group whose processes have been killed.
EMPTY_S = 5.0


class Group:
    """Control groups of one jail. With none writable it does nothing, and the job's own limits stand alone."""

    def __init__(self, memory_bytes: int, processes: int) -> None:
        name = f"{PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
        if (ROOT / "cgroup.controllers").exists():
            places = {"memory pids": {"memory.max": memory_bytes, "memory.swap.max": 0, "pids.max": processes}}
        else:
            places = {
                "memory": {
                    "memory.limit_in_bytes": memory_bytes,
                    "memory.memsw.limit_in_bytes": memory_bytes,
                },
                "pids": {"pids.max": processes},
            }
        made = (_make(controllers, name, values) for controllers, values in places.items())
        self.folders = [folder for folder in made if folder is not None]
        self._events = self._open_events()

    def add(self, pid: int) -> None:
        """Put a process, and all that it will start, into the group."""
        for folder in self.folders:
            with contextlib.suppress(OSError):
                (folder / "cgroup.procs").write_text(str(pid))

    def memory_kills(self) -> int:
        """How many processes the kernel has killed here for want of memory. Asked before and after every job."""
        if self._events >= 0:
            with contextlib.suppress(OSError):
                words = os.pread(self._events, 4096, 0).split()
                return int(words[words.index(b"oom_kill") + 1]) if b"oom_kill" in words else 0
        return 0

    def _open_events(self) -> int:
        for folder in self.folders:
            for file in ("memory.events", "memory.oom_control"):
                with contextlib.suppress(OSError):
                    return os.open(folder / file, os.O_RDONLY | os.O_CLOEXEC)
        return -1

    def close(self) -> None:
        """Remove the groups. Their processes must have been killed, and may still be on their way out."""
        if self._events >= 0:
            os.close(self._events)
            self._events = -1
        deadline = time.monotonic() + EMPTY_S
        for folder in self.folders:
            while not _remove(folder) and time.monotonic() < deadline:
                time.sleep(0.002)
        self.folders = []


def _make(controllers: str, name: str, values: dict[str, int]) -> Path | None:
    """A group with these controllers as near to our own as we may make one; None where we may not."""
    for parent in _places(controllers):
        folder = parent / name
        try:
            folder.mkdir()
            _sweep(parent)
            for file, value in values.items():
                with contextlib.suppress(FileNotFoundError):  # no swap accounting, or only one of two controllers
                    (folder / file).write_text(str(value))
            return folder
        except OSError:
            # Not ours to use: an ordinary user, a read-only mount, a controller that was not delegated.
            _remove(folder)
    return None


def _places(controllers: str) -> list[Path]:
    """Folders whose children have these controllers, nearest first."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, kinds, path = line.split(":", 2)
            if kinds == "" and " " in controllers:
                # Version 2 gives no controllers to the children of a group that has processes, such as our own.
                folder = ROOT / path.lstrip("/")
                above = [folder, *(parent for parent in folder.parents if parent.is_relative_to(ROOT))]
                return [parent for parent in above if _hands_down(parent, controllers)]
            if controllers in kinds.split(","):
                return [ROOT / controllers / path.lstrip("/")]
    return []


def _hands_down(folder: Path, controllers: str) -> bool:
    with contextlib.suppress(OSError):
        return set(controllers.split()) <= set((folder / "cgroup.subtree_control").read_text().split())
    return False


def _remove(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _sweep(parent: Path) -> None:
    """Remove the empty groups of runs that were killed."""
    for folder in parent.glob(PREFIX + "*"):
        pid = folder.name.removeprefix(PREFIX).partition("-")[0]
        if not Path("/proc", pid).exists():
            _remove(folder)
