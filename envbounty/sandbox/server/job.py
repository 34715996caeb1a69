"""The job's own process: it gives up every privilege, then becomes the untrusted code."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
import traceback
import types
from typing import NoReturn

from envbounty.sandbox.server.base import (
    CAPABILITIES_3,
    NO_CAPABILITIES,
    OUT_OF_MEMORY,
    PR_SET_NO_NEW_PRIVS,
    PR_SET_SECCOMP,
    RESULT,
    TMP,
    TROUBLE,
    Json,
    call,
    libc,
)

THREADS = 32  # of a job that may not start processes


class Filter(ctypes.Structure):
    """A program of the kernel's: how many instructions, and where they are."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]

    def __init__(self, program: bytes) -> None:
        self.kept = ctypes.create_string_buffer(program, len(program))
        super().__init__(len(program) // 8, ctypes.cast(self.kept, ctypes.c_void_p))


def tasks_allowed(limits: Json) -> int:
    """Linux counts threads as processes. With one process the filter refuses fork, and this bounds its threads."""
    return THREADS if limits["processes"] == 1 else int(limits["processes"])


def set_limits(limits: Json, config: Json, uid: int | None) -> None:
    mega = 1 << 20
    tasks = tasks_allowed(limits)
    wanted = {
        "CPU": limits["cpu_s"],
        "AS": limits["memory_mb"] * mega,
        "FSIZE": limits["scratch_mb"] * mega,
        "NOFILE": 128,
        "CORE": 0,
        "STACK": 8 * mega,
        "MEMLOCK": 0,
        "MSGQUEUE": 0,
        # A job without a uid of its own is counted together with its supervisor, the server, and the outer jail's init.
        "NPROC": tasks if uid is not None else tasks + 3,
    }
    for name, value in wanted.items():
        which, hard = config["rlimits"][name]
        value = value if hard < 0 else min(value, hard)
        try:
            # A second between the soft limit, whose signal can be ignored, and the hard one, which kills.
            resource.setrlimit(which, (value, value + 1 if name == "CPU" and hard < 0 else value))
        except (ValueError, OSError):
            if config["strict"] or name in ("CPU", "AS"):
                raise


def become_user(uid: int) -> None:
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def become_job(job: Json, config: Json, uid: int | None, pipes: dict[str, tuple[int, int]]) -> NoReturn:
    """Drop everything and run the untrusted code. Never returns."""
    code = 1
    os.dup2(pipes["trouble"][1], TROUBLE, inheritable=False)
    try:
        prepare_job(job, config, uid, pipes)
    except BaseException:
        os.write(TROUBLE, traceback.format_exc(limit=-4).encode("utf-8", "replace")[-2000:])
        os._exit(code)
    try:
        if job["argv"]:
            for number in (signal.SIGPIPE, signal.SIGINT):  # ignored by Python and by the server, and that is inherited
                signal.signal(number, signal.SIG_DFL)
            argv = [part.replace("{in}", job["in"]).replace("{python}", sys.executable) for part in job["argv"]]
            try:
                os.execv(argv[0], argv)
            except (OSError, ValueError) as error:
                os.write(2, f"cannot execute {argv[0]}: {error}\n".encode("utf-8", "replace"))
                os._exit(127)
        os.close(TROUBLE)
        code = run_code(job)
    except BaseException:
        os.write(2, traceback.format_exc(limit=-8).encode("utf-8", "replace")[-4000:])
    finally:
        os._exit(code)


def prepare_job(job: Json, config: Json, uid: int | None, pipes: dict[str, tuple[int, int]]) -> None:
    """All that is done to a process before the untrusted code gets it."""
    os.setsid()
    for target, source in (
        (0, os.open(job["stdin_path"], os.O_RDONLY)),
        (1, pipes["stdout"][1]),
        (2, pipes["stderr"][1]),
        (RESULT, pipes["result"][1]),
    ):
        os.dup2(source, target, inheritable=target < RESULT)
    os.closerange(TROUBLE + 1, 4096)
    try:
        fd = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(fd, b"1000")  # of all in this jail the kernel is to pick the job
        os.close(fd)
    except OSError:
        pass  # it may then pick another process of the same jail; the job fails all the same
    if job["cwd"] != TMP:
        os.environ.update(HOME=job["cwd"], TMPDIR=job["cwd"])
    os.chdir(job["cwd"])
    os.umask(0o022)
    if uid is not None:
        become_user(uid)
    if config["mode"] == "ns":  # in a container the change of uid has dropped them
        call("capset", libc.capset(CAPABILITIES_3, NO_CAPABILITIES))
    call("no_new_privs", libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    set_limits(job["limits"], config, uid)
    if config["mode"] != "none":
        chosen = config["filters"]["one" if job["limits"]["processes"] == 1 else "many"]
        call("seccomp", libc.prctl(PR_SET_SECCOMP, 2, ctypes.byref(chosen), 0, 0))


def run_code(job: Json) -> int:
    """Execute a job's Python and return its exit status."""
    random = sys.modules.get("random")
    if random is not None:
        random.seed()  # every fork would otherwise draw the same numbers
    main = types.ModuleType("__main__")
    main.__dict__.update({"JOB_IN": job["in"], "RESULT": RESULT})
    sys.modules["__main__"] = main  # pickle and dataclasses look there for what the code defines
    try:
        exec(compile(job["code"], "<job>", "exec"), main.__dict__)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except MemoryError:
        code = OUT_OF_MEMORY
    except BaseException:
        os.write(2, traceback.format_exc(limit=-8).encode("utf-8", "replace")[-8000:])
        code = 1
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # the reader may have closed it; the status is what counts
            stream.flush()
    return code & 0xFF
