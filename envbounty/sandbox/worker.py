"""The host's end of one warm jail server: framing, deadlines, and never trusting a length."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, Protocol

from envbounty.sandbox import server
from envbounty.sandbox.job import JailUnavailable, Job, Outcome, Status

#: Modules that are there already when a job starts, so that it need not import them. Each makes every fork dearer, so
#: what few solutions import (decimal, datetime, unittest.mock with its asyncio) is left to be imported when it is.
PRELOAD = (
    "json", "random", "re", "math", "itertools", "functools", "collections", "collections.abc", "heapq", "bisect",
    "operator", "traceback", "contextlib", "typing", "dataclasses", "enum", "copy", "string",
)  # fmt: skip

#: How long after a job's own deadline the server has to say so.
GRACE_S = 15.0
START_S = 60.0
MAX_HEADER = 1 << 20


class Broken(Exception):
    """The jail server is gone or talks nonsense. Ours, not the job's."""


#: What reading a header can raise when it is not what we expect.
NONSENSE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)


class Channel(Protocol):
    """A two-way stream to a jail server, and the power to end it."""

    def send(self, data: bytes, deadline: float) -> None: ...
    def receive(self, count: int, deadline: float) -> bytes: ...
    def kill(self) -> None:
        """End everything in the jail and wait until it has ended. From any thread, any number of times."""

    def close(self) -> None:
        """Kill, and let go of everything. From the thread that uses the channel, or when none does."""

    def words(self) -> str:
        """What the server last said on standard error, for a person."""

    def memory_kills(self) -> int:
        """How often the kernel killed a process of this jail for memory, where that can be known; else 0."""


@dataclass(frozen=True)
class Shape:
    """What the outer jail must be built for; a server serves only jobs of its own shape."""

    memory_mb: int
    processes: int
    scratch_mb: int


#: Uids that no system hands out by default. The kernel counts processes by uid, so no two servers may share any.
FIRST_UID, UIDS_PER_SERVER, UID_BLOCKS = 1_100_000_000, 1000, 700_000


def new_uids() -> int:
    """The first uid of a block for one server, drawn by chance: other programs on this machine start servers too."""
    return FIRST_UID + secrets.randbelow(UID_BLOCKS) * UIDS_PER_SERVER


def server_config(mode: str, filters: Mapping[str, str], hash_seed: int, **more: Any) -> str:
    """The one argument of the server. `hash_seed` fixes the order of sets, so that runs can be repeated."""
    config: dict[str, Any] = {
        "mode": mode,
        "filters": dict(filters),
        "preload": PRELOAD,
        "packages": [],
        "strict": True,
        "uids": None,
        "uid_count": UIDS_PER_SERVER,
        "environ": {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "PYTHONHASHSEED": str(hash_seed),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
    }
    config.update(more)
    if config["packages"]:
        config["environ"]["PYTHONPATH"] = ":".join(config["packages"])  # for a Python that a job starts
    return json.dumps(config)


def encode(job: Job) -> bytes:
    limits = job.limits
    header = {
        "code": job.code,
        "argv": list(job.argv),
        "stdin": len(job.stdin),
        "inputs": [[name, len(content)] for name, content in job.inputs.items()],
        "outputs": list(job.outputs),
        "limits": {
            "wall_s": limits.wall_s,
            "cpu_s": limits.cpu_s,
            "memory_mb": limits.memory_mb,
            "processes": limits.processes,
            "output_kb": limits.output_kb,
            "scratch_mb": limits.scratch_mb,
        },
    }
    text = json.dumps(header).encode()
    return struct.pack(">I", len(text)) + text + job.stdin + b"".join(job.inputs.values())


class Worker:
    """One warm server. Use from one thread at a time."""

    def __init__(self, channel: Channel, shape: Shape) -> None:
        self.channel = channel
        self.shape = shape
        self.jobs = 0
        hello = self._header(time.monotonic() + START_S)
        if not hello.get("ready"):
            raise Broken(f"the jail server did not greet: {channel.words()}")
        self.python = str(hello.get("python"))

    def run(self, job: Job) -> Outcome:
        """Run one job. Raises `Broken` when the server failed; it must then be thrown away."""
        self.jobs += 1
        kills = self.channel.memory_kills()
        try:
            return self._run(job, kills)
        except NONSENSE as error:
            raise Broken(f"the jail server talks nonsense: {error!r}") from None
        except Broken:
            if self.channel.memory_kills() > kills:  # the kernel took the whole jail: gVisor is one process to it
                return Outcome(Status.MEMORY, f"used more than {job.limits.memory_mb} MB of memory")
            raise

    def _run(self, job: Job, kills: int) -> Outcome:
        limits = job.limits
        deadline = time.monotonic() + limits.wall_s + GRACE_S
        self.channel.send(encode(job), deadline)
        head = self._header(deadline)
        cap = limits.output_kb << 10
        sizes = [int(size) for size in head["sizes"]]
        if len(sizes) != 3 or any(not 0 <= size <= cap for size in sizes):
            raise Broken("the jail server sent more than it may")
        result, stdout, stderr = (self.channel.receive(size, deadline) for size in sizes)
        files: dict[str, bytes] = {}
        left = limits.scratch_mb << 20
        for name, size in head["files"]:
            if name not in job.outputs or name in files or not 0 <= int(size) <= left:
                raise Broken("the jail server sent a file nobody asked for")
            files[name] = self.channel.receive(int(size), deadline)
            left -= int(size)
        exit_code = int(head["exit_code"])
        status, detail = judge(head["why"], exit_code, float(head["cpu_s"]), job)
        if status is Status.SIGNALLED and self.channel.memory_kills() > kills:
            status, detail = Status.MEMORY, f"used more than {limits.memory_mb} MB of memory"
        return Outcome(
            status=status,
            detail=detail,
            exit_code=exit_code,
            result=result,
            stdout=stdout,
            stderr=stderr,
            files=files,
            refused={str(name): str(why) for name, why in head["refused"].items()},
            wall_s=float(head["wall_s"]),
            cpu_s=float(head["cpu_s"]),
            peak_mb=int(head["peak_kb"]) / 1024,
        )

    def kill(self) -> None:
        self.channel.kill()

    def close(self) -> None:
        self.channel.close()

    def _header(self, deadline: float) -> dict[str, Any]:
        (length,) = struct.unpack(">I", self.channel.receive(4, deadline))
        if length > MAX_HEADER:
            raise Broken("the jail server sent a header that is too long")
        text = self.channel.receive(length, deadline)
        try:
            head = json.loads(text)
        except NONSENSE as error:
            raise Broken(f"the jail server talks nonsense: {error!r}") from None
        if not isinstance(head, dict):
            raise Broken("the jail server sent no header")
        return head


OUT_OF_MEMORY = 86  # what the server's own wrapper exits with when Python raised MemoryError
SIGKILL, SIGXCPU, SIGXFSZ = -9, -24, -25


def judge(why: str | None, code: int, cpu_s: float, job: Job) -> tuple[Status, str]:
    """How a job ended, in one word and one sentence."""
    limits = job.limits
    slow = f"used more than {limits.cpu_s} s of processor time"
    match why:
        case None:
            pass
        case "wall":
            return Status.WALL, f"still ran after {limits.wall_s:g} s"
        case "output":
            return Status.OUTPUT, f"printed or returned more than {limits.output_kb} KB"
        case "memory":
            return Status.MEMORY, f"its processes together used more than {limits.memory_mb} MB of memory"
        case "cpu":
            return Status.CPU, slow
        case "processes":
            return Status.SIGNALLED, f"was killed for starting more than {limits.processes} processes"
        case _:
            raise ValueError(why)
    if code == 0:
        return Status.OK, ""
    if code == SIGXCPU or (code == SIGKILL and cpu_s >= limits.cpu_s):
        return Status.CPU, slow
    if code == SIGXFSZ:
        return Status.OUTPUT, f"wrote a file larger than {limits.scratch_mb} MB"
    if job.code and code == OUT_OF_MEMORY:
        return Status.MEMORY, f"used more than {limits.memory_mb} MB of memory"
    if code < 0:
        return Status.SIGNALLED, f"was killed by signal {-code}"
    return Status.EXITED, f"exited with status {code}"


class PipeChannel:
    """A jail server as a child process."""

    def __init__(
        self,
        argv: list[str],
        environ: Mapping[str, str],
        user: int | None = None,
        pass_fds: Sequence[int] = (),
    ) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the channel)
        self.process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=dict(environ),  # never ours: /proc/1/environ inside would show it
            start_new_session=True,
            pass_fds=pass_fds,
            bufsize=0,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
        assert self.process.stdin and self.process.stdout
        self._in = self.process.stdin.fileno()
        self._out = self.process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)

    def send(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            self._wait(self._in, select.POLLOUT, deadline)
            try:
                view = view[os.write(self._in, view) :]
            except BlockingIOError:
                continue
            except OSError as error:
                raise Broken(f"the jail server is gone ({error.strerror}): {self.words()}") from None

    def receive(self, count: int, deadline: float) -> bytes:
        data = bytearray()
        while len(data) < count:
            self._wait(self._out, select.POLLIN, deadline)
            try:
                chunk = os.read(self._out, min(count - len(data), 1 << 20))
            except BlockingIOError:
                continue
            if not chunk:
                raise Broken(f"the jail server ended: {self.words()}")
            data += chunk
        return bytes(data)

    def _wait(self, fd: int, event: int, deadline: float) -> None:
        poll = select.poll()
        poll.register(fd, event)
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise Broken("the jail server did not answer in time")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        self.kill()
        for stream in (self.process.stdin, self.process.stdout, self._errors):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()

    def words(self) -> str:
        with contextlib.suppress(OSError, ValueError):
            size = os.fstat(self._errors.fileno()).st_size
            return os.pread(self._errors.fileno(), 2000, max(0, size - 2000)).decode(errors="replace").strip()
        return ""

    def memory_kills(self) -> int:
        return 0


def server_argv(python: str, config: str) -> list[str]:
    """How the server is started: nothing of the user's site, environment or working directory can reach it."""
    return [python, "-s", "-S", "-P", "-B", "-c", server.source(), config]


def real_python() -> str:
    """The interpreter itself, not a virtual environment's link or a version manager's shim."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


__all__ = ["Broken", "Channel", "JailUnavailable", "PipeChannel", "Shape", "Worker"]
