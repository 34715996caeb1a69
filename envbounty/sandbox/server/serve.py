"""The server's own loop."""

from __future__ import annotations

import gc
import json
import os
import resource
import select
import signal
import sys
import traceback

from envbounty.sandbox.server.base import (
    BROKEN,
    HUNG_UP,
    MS_REC_PRIVATE,
    NEWPID,
    PLAIN,
    PR_CAP_AMBIENT,
    PR_CAPBSET_DROP,
    PR_SET_CHILD_SUBREAPER,
    PR_SET_DUMPABLE,
    PR_SET_SECUREBITS,
    TMP,
    Json,
    call,
    libc,
    write_message,
)
from envbounty.sandbox.server.job import (
    Filter,
)
from envbounty.sandbox.server.modes import (
    open_events,
    supervise,
)


def drop_capabilities() -> None:
    """Make what this process has the most that it and its children can ever have."""
    libc.prctl(PR_CAP_AMBIENT, 4, 0, 0, 0)
    number = 0
    while libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0) == 0:  # fails past the last one
        number += 1
    # uid 0 means nothing any more, and a change of uid drops nothing by itself; both locked.
    call("securebits", libc.prctl(PR_SET_SECUREBITS, 0x2F, 0, 0, 0))


def first_uid(wanted: int, count: int, uid_map: str) -> int:
    """`wanted`, or, where this user namespace has not so many uids (rootless engines), the highest block it has."""
    ranges = [tuple(map(int, line.split())) for line in uid_map.splitlines()]
    if any(inside <= wanted and wanted + count <= inside + length for inside, _, length in ranges):
        return wanted
    inside, _, length = max(ranges, key=lambda one: one[2])
    if length < 2 * count:
        raise RuntimeError(f"only {length} uids here: a uid for each job needs more (see subuid(5))")
    return inside + length - count


def serve(config: Json) -> int:
    for name in config["preload"]:
        __import__(name)
    sys.path += config.get("packages", [])  # behind the standard library, which nothing of theirs can then stand in for
    for name, program in config["filters"].items():
        config["filters"][name] = Filter(bytes.fromhex(program))
    # What every job needs is made here, once: what a job makes for itself it pays for in copied pages.
    config["rlimits"] = {}
    for name in ("CPU", "AS", "FSIZE", "NOFILE", "CORE", "STACK", "MEMLOCK", "MSGQUEUE", "NPROC"):
        which = getattr(resource, "RLIMIT_" + name)
        config["rlimits"][name] = (which, resource.getrlimit(which)[1])
    os.environ.clear()
    os.environ.update(config["environ"], HOME=TMP, TMPDIR=TMP)
    sys.argv[:] = ["job"]
    config["stdin"], config["stdout"] = os.dup(0), os.dup(1)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    config["pid"], config["proc"] = os.getpid(), os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
    config["events"] = open_events() if config["mode"] == "uid" else -1
    own_pids = -1
    if config["mode"] == "ns":
        call("mount /", libc.mount(None, b"/", None, MS_REC_PRIVATE, None))
        own_pids = os.open("/proc/self/ns/pid", os.O_RDONLY)
        drop_capabilities()
    if config["uids"] is not None:
        with open("/proc/self/uid_map") as file:
            config["uids"] = first_uid(config["uids"], config["uid_count"], file.read())
    os.umask(0o022)  # jobs have another uid, and must be able to read their inputs
    call("dumpable", libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))  # no ptrace, no /proc/PID/mem, also not by the same uid
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the caller's to handle: it ends this whole jail
    gc.collect()
    gc.freeze()
    write_message(config["stdout"], {"ready": True, "python": sys.version.split()[0], "uid": os.getuid()}, [])
    count = 0
    while True:
        select.select([config["stdin"]], [], [])
        uid = config["uids"] + PLAIN + count if config["uids"] is not None else None
        count += 1
        if own_pids >= 0:
            # Only what is forked from here on is in the new namespace; the next one must again be made from our own.
            call("setns", libc.setns(own_pids, NEWPID))
            call("unshare", libc.unshare(NEWPID))
        pid = os.fork()
        if pid == 0:
            code = BROKEN
            try:
                code = supervise(config, uid)
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        while True:
            done, status = os.waitpid(-1, 0)  # also reaps what was orphaned to us
            if done == pid:
                break
        code = os.waitstatus_to_exitcode(status)
        if code != 0:  # it could not answer, or left something behind: this jail is not used again
            return 0 if code == HUNG_UP else code


if __name__ == "__main__":
    sys.exit(serve(json.loads(sys.argv[1])))
