"""What one environment costs: seconds and our own memory for each sample, as a user meets them, start-up included.

Each runs as a process of its own. The peak is the larger of our process and of the largest one that it waited for.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

from envbounty.environment import find_environments
from envbounty.samples import samples

COMMAND = [sys.executable, "-m", "envbounty.cli"]


def run(*arguments: str) -> tuple[float, float, int]:
    """(seconds, peak MB, exit status) of one run of the command line."""
    started = time.monotonic()
    process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)  # so that Popen does not wait for it again
    return time.monotonic() - started, usage.ru_maxrss / 1024, process.returncode


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks samples", description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="for a program to read")
    options = parser.parse_args(argv)
    found: dict[str, dict[str, float]] = {}
    worst = 0
    for path in find_environments([samples()]):
        seconds, peak, status = run("verify", str(path))
        found[path.name] = {"seconds": round(seconds, 2), "peak_mb": round(peak, 1), "exit": status}
        worst = max(worst, status)
        if not options.json:
            print(f"{path.name:24}{seconds:8.1f} s{peak:8.0f} MB   exit {status}", flush=True)
    helps = statistics.median(run("--help")[0] for _ in range(7))
    found["--help"] = {"seconds": round(helps, 3)}
    print(json.dumps(found) if options.json else f"{'envbounty --help':24}{helps:8.2f} s")
    return 1 if worst else 0
