"""Choosing a jail, and making sure that it holds before anything untrusted goes in."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from envbounty.sandbox.bubblewrap import Bubblewrap, why_not
from envbounty.sandbox.docker import Docker
from envbounty.sandbox.job import JailUnavailable, Job, Limits, Outcome
from envbounty.sandbox.pool import Backend, Pool

#: Tries what a jail must not allow, and says what it could do after all.
CANARY = """
import ctypes, hashlib, json, os, socket
got = []
canary = json.load(open(JOB_IN + "/canary"))
try:
    open(canary["file"]).read(); got.append("read a file of the host")
except OSError: pass
def seen(block):
    return any(hashlib.sha256(entry).hexdigest() in canary["environ"] for entry in block)
if seen(os.fsencode(f"{key}={value}") for key, value in os.environ.items()):
    got.append("saw the host's environment")
for entry in os.listdir("/proc"):
    if entry.isdigit():
        try:
            if seen(open(f"/proc/{entry}/environ", "rb").read().split(bytes(1))):
                got.append("saw the host's environment through /proc")
        except OSError: pass
try:
    socket.create_connection(("127.0.0.1", canary["port"]), 0.5).close(); got.append("reached the host's network")
except OSError: pass
for family, kind in ((2, 2), (40, 1), (16, 3)):
    try:
        socket.socket(family, kind).close(); got.append(f"opened a socket of family {family}")
    except OSError: pass
try:
    socket.socket(1, 1).connect(chr(0) + canary["name"]); got.append("reached an abstract socket of the host")
except OSError: pass
for folder in ("/", "/dev", "/usr", "/job", JOB_IN, "/etc", "/proc/sys/kernel"):
    try:
        open(folder + "/envbounty-canary", "x").close(); got.append("wrote to " + folder)
        os.unlink(folder + "/envbounty-canary")
    except OSError: pass
try:
    if os.fork() == 0: os._exit(0)
    os.wait(); got.append("started a process")
except OSError: pass
if ctypes.CDLL(None).unshare(0x10000000) == 0: got.append("made a user namespace")
if os.path.exists("/proc/self/status"):
    for line in open("/proc/self/status"):
        if line.startswith("CapEff:") and int(line.split()[1], 16): got.append("has capabilities")
os.write(RESULT, json.dumps(sorted(set(got))).encode())
"""

#: Entries of an environment that every process has, in a jail and out of it.
HARMLESS = frozenset(("PATH", "HOME", "LANG", "HOSTNAME", "PWD", "SHLVL", "TERM", "_"))


def prove(pool: Pool) -> None:
    """Let a known job try to break out. Raises `JailUnavailable` when it could, or could not be run."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="envbounty-canary-"))
        secret = Path(folder, "secret")
        secret.write_text("canary")
        os.chmod(folder, 0o755)
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        canary = {
            "file": str(secret),
            "port": listener.getsockname()[1],
            "name": f"envbounty-{secrets.token_hex(8)}",
        }
        if sys.platform == "linux":  # nobody else has abstract sockets
            abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
            abstract.bind("\0" + str(canary["name"]))
            abstract.listen()
        # Only hashes go in: what is to be kept from a job is not handed to it.
        entries = (f"{key}={value}" for key, value in os.environ.items() if key not in HARMLESS and len(value) > 1)
        canary["environ"] = [hashlib.sha256(os.fsencode(entry)).hexdigest() for entry in entries]
        outcome = pool.run(Job(code=CANARY, inputs={"canary": json.dumps(canary).encode()}, limits=Limits(wall_s=20)))
    _require_held(outcome, pool.name)


def _require_held(outcome: Outcome, name: str) -> None:
    if not outcome.ok:
        words = outcome.stderr.decode(errors="replace").strip()[-400:]
        raise JailUnavailable(f"the {name} jail did not run its own test: {outcome.detail} {words}".strip())
    broken = json.loads(outcome.result or b"null")
    if broken != []:
        raise JailUnavailable(f"the {name} jail does not hold: a test job {', '.join(map(str, broken or ['?']))}.")


def open_jail(name: str = "auto", size: int = 2, *, runtime: str | None = None, packages: Sequence[Path] = ()) -> Pool:
    """A proven jail for at most `size` jobs at once: `auto`, `bubblewrap` or `docker`.

    `auto` takes bubblewrap, and Docker where bubblewrap cannot work. Raises `JailUnavailable` with every reason and
    the commands that mend them; never falls back to running code without a jail.

    Jobs have the standard library alone, unless `packages` names folders of installed packages that they may read and
    import from as well (`ValueError` when one is no folder). They must fit the jail's Python. A container has the
    packages of its image, so Docker is refused with `packages`.
    """

    def bubblewrap() -> Backend:
        return Bubblewrap(packages=packages) if packages else Bubblewrap()

    def docker() -> Backend:
        if packages:
            raise JailUnavailable("a container has the packages of its image: install them there")
        return Docker(runtime=runtime)

    wanted: dict[str, Callable[[], Backend]] = {"bubblewrap": bubblewrap, "docker": docker}
    if name not in (*wanted, "auto"):
        raise ValueError(f"no such jail: {name}")
    reasons: list[str] = []
    for choice, make in wanted.items():
        if name not in ("auto", choice):
            continue
        pool = None
        try:
            pool = Pool(make(), size)
            prove(pool)
            return pool
        except JailUnavailable as error:
            reasons.append(f"{choice}: {_mend(choice, str(error))}")
            if pool is not None:
                pool.close()
        except BaseException:
            if pool is not None:
                pool.close()
            raise
    raise JailUnavailable("No jail can be used here, so nothing was run.\n\n" + "\n\n".join(reasons))


def _mend(choice: str, words: str) -> str:
    return f"{words}\n{why_not()}" if choice == "bubblewrap" and "did not run" in words else words
