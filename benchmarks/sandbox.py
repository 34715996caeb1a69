"""Candidates a second: our warm jails beside a new bubblewrap, and a new container, for each.

Everything runs in short slices, in turn, so that whatever else the machine does falls on all of them alike.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from envbounty.sandbox.bubblewrap import Bubblewrap, arguments
from envbounty.sandbox.docker import DEFAULT_IMAGE, Docker
from envbounty.sandbox.job import JailUnavailable, Job
from envbounty.sandbox.pool import Backend, Pool
from envbounty.sandbox.seccomp import filters
from envbounty.sandbox.worker import real_python

ROUNDS = 5
#: What a candidate does: nothing, so that only the jail is measured, or the least that a real one does.
CANDIDATES = {"pass": "pass", "json": "import json, random, re\nprint(json.dumps(json.loads('[1, 2]')))"}
#: Shown beside each other: what is ours, what it is compared with, and how many times faster it has to be.
COMPARED = (
    ("bubblewrap, warm", "bubblewrap, cold", 4),
    ("bubblewrap, warm", "container, cold", 30),
    ("container, warm", "container, cold", 30),
)

ENVIRON = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}

Runner = Callable[[], None]


@contextlib.contextmanager
def warm(backend: Backend, workers: int, code: str) -> Iterator[Runner]:
    with Pool(backend, workers) as pool:

        def one() -> None:
            outcome = pool.run(Job(code=code))
            if not outcome.ok:
                raise RuntimeError(f"{pool.name}: {outcome.detail}")

        yield one


@contextlib.contextmanager
def cold_bubblewrap(backend: Bubblewrap, code: str) -> Iterator[Runner]:
    """What one would do without a server, for the same guarantees: namespaces, mounts, filter and limits made anew."""
    python = real_python()
    line = arguments(backend.bwrap, python, root=False)
    line = line[: line.index("--cap-add")] + line[line.index("CAP_SETPCAP") + 1 : -1]  # a job has no capabilities
    for flag in ("--uid", "--gid"):
        line[line.index(flag) + 1] = "65534"
    line += [
        "--disable-userns",
        "--size",
        str(12 << 20),
        "--tmpfs",
        "/tmp",
        "--size",
        str(4 << 20),
        "--tmpfs",
        "/dev/shm",
    ]
    program = bytes.fromhex(filters()["one"])
    limits = ["prlimit", "--as=536870912", "--cpu=10", "--nproc=64", "--nofile=128", "--fsize=16777216", "--core=0"]

    def one() -> None:
        # A pipe and not a file: bwrap reads it from where it stands, and threads would move it for one another.
        end, start = os.pipe()
        try:
            os.write(start, program)
            os.close(start)
            argv = [*limits, *line, "--seccomp", str(end), "--", python, "-s", "-S", "-P", "-B", "-c", code]
            subprocess.run(
                argv, env=ENVIRON, pass_fds=(end,), check=True, stdin=subprocess.DEVNULL, capture_output=True
            )
        finally:
            os.close(end)

    yield one


@contextlib.contextmanager
def cold_container(image: str, runtime: str, code: str) -> Iterator[Runner]:
    import docker

    client: Any = docker.from_env()

    def one() -> None:
        container = client.containers.create(
            image,
            ["/usr/bin/python3", "-s", "-S", "-P", "-B", "-c", code],
            network_mode="none",
            read_only=True,
            cap_drop=["ALL"],
            security_opt=["no-new-privileges:true"],
            pids_limit=64,
            mem_limit="256m",
            memswap_limit="256m",
            user="65534:65534",
            tmpfs={"/tmp": "size=16m"},
            log_config={"Type": "none"},
            runtime=runtime,
        )
        try:
            container.start()
            if (status := container.wait()["StatusCode"]) != 0:
                raise RuntimeError(f"the container ended with {status}")
        finally:
            container.remove(force=True, v=True)

    yield one


def rate(one: Runner, workers: int, seconds: float) -> float:
    """How many a second `workers` threads get done in about `seconds`."""
    done, failed = [0] * workers, list[BaseException]()
    began = time.monotonic()

    def work(number: int) -> None:
        try:
            while time.monotonic() < began + seconds:
                one()
                done[number] += 1
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return sum(done) / (time.monotonic() - began)


def measure(workers: int, seconds: float, gvisor: bool, code: str) -> tuple[dict[str, list[float]], list[str]]:
    """Rates of each round, and what could not be measured here."""
    rates: dict[str, list[float]] = {}
    missing: list[str] = []
    with contextlib.ExitStack() as stack:
        runners: dict[str, Runner] = {}
        try:
            backend = Bubblewrap()
            runners["bubblewrap, warm"] = stack.enter_context(warm(backend, workers, code))
            runners["bubblewrap, cold"] = stack.enter_context(cold_bubblewrap(backend, code))
        except JailUnavailable as error:
            missing.append(f"bubblewrap: {error}")
        for runtime, suffix in (("runc", ""), ("runsc", " (gVisor)")) if gvisor else (("runc", ""),):
            try:
                runners["container, warm" + suffix] = stack.enter_context(warm(Docker(runtime=runtime), workers, code))
                runners["container, cold" + suffix] = stack.enter_context(cold_container(DEFAULT_IMAGE, runtime, code))
            except JailUnavailable as error:
                missing.append(f"docker: {error}")
        for name, one in runners.items():
            rate(one, workers, 0.0 if "cold" in name else 0.5)  # the servers start, the files come into memory
            rates[name] = []
        slice_s = seconds / ROUNDS / max(1, len(runners))
        for _ in range(ROUNDS):
            for name, one in runners.items():
                rates[name].append(rate(one, workers, slice_s))
                if sys.stderr.isatty():
                    print(f"\r{name}: {rates[name][-1]:.0f}/s    ", end="", file=sys.stderr)
        if sys.stderr.isatty():
            print("\r" + " " * 50 + "\r", end="", file=sys.stderr)
    return rates, missing


def ratios(rates: dict[str, list[float]]) -> list[dict[str, Any]]:
    """Of the rounds' own ratios the median: a slice is compared with the one beside it."""
    found = []
    for ours, other, wanted in COMPARED:
        if ours in rates and other in rates:
            each = [mine / theirs for mine, theirs in zip(rates[ours], rates[other], strict=True)]
            found.append({"ours": ours, "other": other, "wanted": wanted, "times": statistics.median(each)})
    return found


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks sandbox", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for all of it together (60)")
    parser.add_argument("--workers", type=int, default=2, help="candidates at once (2)")
    parser.add_argument("--candidate", choices=CANDIDATES, default="json", help="what each of them does (json)")
    parser.add_argument("--gvisor", action="store_true", help="containers under runsc too")
    parser.add_argument("--json", action="store_true", help="for a program to read")
    options = parser.parse_args(words)
    rates, missing = measure(options.workers, options.seconds, options.gvisor, CANDIDATES[options.candidate])
    compared = ratios(rates)
    if options.json:
        print(json.dumps({"workers": options.workers, "rates": rates, "ratios": compared, "missing": missing}))
        return 0
    print(f"{'candidates a second':28}{'median':>8}{'lowest':>8}{'highest':>8}   {options.workers} workers")
    for name, each in rates.items():
        print(f"{name:28}{statistics.median(each):8.1f}{min(each):8.1f}{max(each):8.1f}")
    print()
    for one in compared:
        print(f"{one['ours']} is {one['times']:.1f} times as fast as {one['other']} (wanted: {one['wanted']})")
    for line in missing:
        print(f"not measured: {line}")
    return 0
