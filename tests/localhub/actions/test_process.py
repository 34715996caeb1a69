"""One process, watched: however it ends, nothing that it started is left."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from localhub.actions.process import MAX_LOG, tail, watch

#: Starts two that would like to stay: one in a session of its own, one that does not listen to a polite word.
FAMILY = """
setsid bash -c 'echo $$ >"$0/one"; exec sleep 600' "$PWD" &
bash -c 'trap "" TERM; echo $$ >"$0/two"; while :; do sleep 600; done' "$PWD" &
while [[ ! -s one || ! -s two ]]; do sleep 0.01; done
touch ready
wait
"""


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def run(folder: Path, script: str, seconds: float = 60, stop: threading.Event | None = None) -> str:
    command = ["/bin/bash", "-c", script]
    return watch(command, folder, {"PATH": "/usr/bin:/bin"}, seconds, stop or threading.Event(), folder / "log")


def test_one_that_is_done(tmp_path: Path) -> None:
    assert run(tmp_path, "echo out; echo err >&2; exit 3") == "done"
    assert tail(tmp_path / "log") == "out\nerr\n"


@pytest.mark.parametrize("why", ["cancelled", "timed_out"])
def test_one_that_is_ended_takes_all_of_its_family_with_it(tmp_path: Path, why: str) -> None:
    stop, ended = threading.Event(), []
    seconds = 60.0 if why == "cancelled" else 2.0

    thread = threading.Thread(target=lambda: ended.append(run(tmp_path, FAMILY, seconds, stop)))
    thread.start()
    if why == "cancelled":
        while not (tmp_path / "ready").exists():
            time.sleep(0.01)
        stop.set()
    thread.join(60)

    assert ended == [why]
    for name in ("one", "two"):
        file = tmp_path / name
        if file.exists() and file.read_text().strip():  # a slow machine may not have come so far in time
            pid, until = int(file.read_text()), time.monotonic() + 10
            while alive(pid):
                assert time.monotonic() < until, f"{name} is left"
                time.sleep(0.02)


def test_a_long_log_keeps_its_end(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"x" * MAX_LOG + b"the end")

    assert tail(tmp_path / "log").endswith("the end")
    assert tail(tmp_path / "log").startswith("… (7 bytes before)")
    assert tail(tmp_path / "none") == ""
