"""One process of `act`, watched: it ends when it is done, when its time is up, or when somebody asks for it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

LOOK_S, GRACE_S = 0.05, 3.0
MAX_LOG = 1_000_000


def watch(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
    stop: threading.Event,
    log: Path,
) -> str:
    """Run `command` in `folder` and say how it ended: "done", "timed_out" or "cancelled". Its output goes to `log`."""
    with log.open("wb") as stream:
        process = subprocess.Popen(
            command, cwd=folder, env=dict(environment), stdin=subprocess.DEVNULL, stdout=stream,
            stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        until, how = time.monotonic() + seconds, "done"
        while process.poll() is None:
            if stop.wait(LOOK_S):
                how = "cancelled"
            elif time.monotonic() > until:
                how = "timed_out"
            else:
                continue
            end(process)
            break
        return how


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process and everything that it started, whatever sessions and groups they are in."""
    family = {process.pid, *below(process.pid)}
    _signal(family, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(GRACE_S)
    # Children of those that are gone now belong to somebody else, so they are remembered from before.
    for member in list(family):
        family.update(below(member))
    _signal(family, signal.SIGKILL)
    process.wait()


def below(pid: int) -> set[int]:
    """All processes that `pid` started, directly or not. Empty where there is no /proc."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            parent = int(entry.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.parent.name))
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        new = [child for child in children.get(waiting.pop(), []) if child not in found]
        found.update(new)
        waiting += new
    return found


def _signal(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def tail(log: Path) -> str:
    """The end of a log, as text."""
    data = log.read_bytes() if log.exists() else b""
    cut = "" if len(data) <= MAX_LOG else f"… ({len(data) - MAX_LOG} bytes before)\n"
    return cut + data[-MAX_LOG:].decode("utf-8", "replace")
