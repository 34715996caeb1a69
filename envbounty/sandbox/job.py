"""What runs in a jail and what comes out: the one interface behind which every backend stands."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable


class Status(enum.StrEnum):
    """How a job ended. Everything but `infra` is the job's own doing."""

    OK = "ok"  # exited with status 0
    EXITED = "exited"  # exited with another status
    SIGNALLED = "signalled"  # killed by a signal that was not ours
    WALL = "wall"  # out of wall-clock time
    CPU = "cpu"  # out of processor time
    MEMORY = "memory"  # out of memory
    OUTPUT = "output"  # printed, returned or wrote more than it may
    INFRA = "infra"  # the jail broke: never held against the job


#: The most that a job may be given, all inputs and standard input together.
INPUTS_MB = 64


@dataclass(frozen=True)
class Limits:
    """The most that one job may use. Everything is enforced outside the job's own process."""

    wall_s: float = 10.0
    cpu_s: int = 10
    memory_mb: int = 512  # each process's address space, and the sum of resident memory over all of them
    processes: int = 1  # 1: fork is refused; threads are allowed within 32
    output_kb: int = 256  # result, standard output, standard error: each
    scratch_mb: int = 16  # all that it can write, together; also the largest single file


@dataclass(frozen=True)
class Job:
    """One untrusted thing to run, with nothing but what is named here.

    Either `code`, Python source run inside the warm server's fork (it finds `JOB_IN`, the directory of its inputs, and
    `RESULT`, a file descriptor to write its result to), or `argv`, a command to execute (`{in}` stands for the
    directory of its inputs; `{python}` for the jail's Python).
    """

    code: str = ""
    argv: Sequence[str] = ()
    stdin: bytes = b""
    inputs: Mapping[str, bytes] = field(default_factory=dict)  # relative path → content, read-only
    outputs: Sequence[str] = ()  # plain file names to bring back from the working directory
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if bool(self.code) == bool(self.argv):
            raise ValueError("a job is either code or argv")
        if len(self.stdin) + sum(map(len, self.inputs.values())) > INPUTS_MB << 20:
            raise ValueError(f"the inputs of a job are larger than {INPUTS_MB} MB")
        for name in self.inputs:
            parts = name.split("/")
            if name.startswith("/") or "\0" in name or any(part in ("", ".", "..") for part in parts):
                raise ValueError(f"not a relative path inside the inputs: {name!r}")
        for name in self.outputs:
            if "/" in name or "\0" in name or name in ("", ".", ".."):
                raise ValueError(f"not a plain file name: {name!r}")


@dataclass(frozen=True)
class Outcome:
    """What a job left behind. Bytes are the job's own words: never trust, always bound (they are)."""

    status: Status
    detail: str = ""  # ours, for a person: why it ended so
    exit_code: int | None = None  # as `subprocess` reports it: negative for a signal
    result: bytes = b""
    stdout: bytes = b""
    stderr: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)  # output name → why it was not brought back
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0  # the largest process's resident memory

    @property
    def ok(self) -> bool:
        return self.status is Status.OK


@runtime_checkable
class Jail(Protocol):
    """Runs jobs, each in a fresh jail, from any thread. Everything of a job is dead when `run` returns."""

    name: str  # bubblewrap, docker, docker+runsc, none
    isolated: bool  # false only for the unsafe stand-in

    def run(self, job: Job, *, fresh: bool = False) -> Outcome:
        """Run one job. `fresh` asks for a jail server that has run nothing yet. Never raises for what the job does."""

    def close(self) -> None:
        """Kill everything. Safe to call twice."""


class JailUnavailable(Exception):
    """No backend can isolate here. The message names what is missing and the command that mends it."""
