"""Ctrl-C and SIGTERM end everything that was started."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND

#: Never ends by itself. The marker tells its processes from those of other tests.
ENDLESS = """

def check(instance, output):
    MARK = "{mark}"
    while True:
        pass
"""


def processes_below(pid: int) -> set[int]:
    """All descendants of `pid` that live now."""
    parents: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                text = Path("/proc", name, "stat").read_text()
            except OSError:
                continue
            parents[int(name)] = int(text.rpartition(")")[2].split()[1])
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        for child, its in parents.items():
            if its == parent and child not in found:
                found.add(child)
                waiting.append(child)
    return found


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_running(sound: Path, how: signal.Signals) -> None:
    with (sound / "environment.py").open("a") as file:
        file.write(ENDLESS.format(mark=how.name))
    process = subprocess.Popen(
        [*COMMAND, "verify", str(sound), "--budget", "120"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # It is ignored when the tests run in a shell's background, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 60
    below: set[int] = set()
    # The server is there, and below it a supervisor, process 1 of the job and the job itself.
    while time.monotonic() < deadline and len(below) < 5:
        below = processes_below(process.pid)
        time.sleep(0.05)
    assert len(below) >= 5, "the verifier did not start"
    process.send_signal(how)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "nothing is left running" in err
    assert "Traceback" not in err
    assert out == "", "an interrupted run must not look like a report"
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline and any(Path("/proc", str(pid)).exists() for pid in below):
        time.sleep(0.05)
    assert [pid for pid in below if Path("/proc", str(pid)).exists()] == []
