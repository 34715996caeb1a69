"""The supervisor of one job, in each of the three modes. It makes the surroundings, and answers when all is over."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import struct
import time
from typing import NoReturn

from envbounty.sandbox.server.base import (
    DIRTY,
    GUARD,
    HUNG_UP,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_RDONLY,
    MS_REMOUNT,
    NEWNS,
    PR_SET_CHILD_SUBREAPER,
    PR_SET_PDEATHSIG,
    ROOT,
    SHM,
    TMP,
    Blobs,
    Json,
    call,
    libc,
    mount,
    read_exactly,
    write_message,
)
from envbounty.sandbox.server.job import (
    become_job,
    become_user,
)
from envbounty.sandbox.server.storage import (
    collect_outputs,
    place_inputs,
    wipe,
)
from envbounty.sandbox.server.watch import (
    Watch,
    other_processes,
)

CLEAN_S = 10.0  # how long it may take to end a job's processes and to wipe what it wrote; less than our caller waits
INODES = 4096


def supervise(config: Json, uid: int | None) -> int:
    """Read one job from standard input, run it, write its outcome to standard output. Returns the exit status."""
    wire = config["stdin"]
    try:
        (length,) = struct.unpack(">I", read_exactly(wire, 4))
        job: Json = json.loads(read_exactly(wire, length))
        job["stdin"] = read_exactly(wire, job["stdin"])
        job["inputs"] = [(name, read_exactly(wire, size)) for name, size in job["inputs"]]
    except EOFError:
        return HUNG_UP
    call("pdeathsig", libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0))
    head, blobs, clean = {"ns": run_in_namespaces, "uid": run_as_uid, "none": run_bare}[config["mode"]](
        job, config, uid
    )
    write_message(config["stdout"], head, blobs)
    return 0 if clean else DIRTY


def start_job(job: Json, config: Json, uid: int | None) -> tuple[Watch, int]:
    """Fork the job. Returns its watch, and the descriptor on which it says why it could not start."""
    pipes = {name: os.pipe() for name in ("trouble", "result", "stdout", "stderr")}
    pid = os.fork()
    if pid == 0:
        become_job(job, config, uid, pipes)
    for pair in pipes.values():
        os.close(pair[1])
    trouble = pipes.pop("trouble")[0]
    return Watch(pid, job, config, {name: pair[0] for name, pair in pipes.items()}), trouble


def check_started(trouble: int) -> None:
    """Raises when the job never got as far as its own code: that is not its fault."""
    os.set_blocking(trouble, False)
    try:
        words = os.read(trouble, 2000)
    except BlockingIOError:
        words = b""
    if words:
        raise RuntimeError(words.decode(errors="replace"))


def run_in_namespaces(job: Json, config: Json, uid: int | None) -> tuple[Json, Blobs, bool]:
    """As process 1 of a new pid namespace, which dies with it."""
    job["cwd"], job["in"], job["stdin_path"] = TMP, ROOT + "/in", "/dev/null"
    call("unshare", libc.unshare(NEWNS))
    # A job with the uid of its supervisor may not so much as see it: its files there would be the job's to write.
    mount(b"proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=2" if uid is None else None)
    size = job["limits"]["scratch_mb"] << 20
    if job["limits"]["processes"] > 1:  # shared memory and semaphores have nobody else to be shared with
        mount(b"tmpfs", SHM, MS_NOSUID | MS_NODEV | MS_NOEXEC, f"size={size // 4},nr_inodes=64,mode=1777")
        size -= size // 4
    mount(b"tmpfs", TMP, MS_NOSUID | MS_NODEV, f"size={size},nr_inodes={INODES},mode=1777")
    if job["inputs"] or job["stdin"]:
        mount(b"tmpfs", ROOT, MS_NOSUID | MS_NODEV, "mode=755")
        place_inputs(job, ROOT)
        mount(b"tmpfs", ROOT, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, None)
    watch, trouble = start_job(job, config, uid)
    watch.run()
    with contextlib.suppress(ProcessLookupError):  # nobody is left
        os.kill(-1, signal.SIGKILL)  # everything in this namespace but this process
    watch.reap(0)
    check_started(trouble)
    watch.drain()
    head, blobs = watch.answer()
    if job["outputs"]:
        if uid is not None:
            become_user(uid)  # reads what the job could read, no more and no less
        found, contents = collect_outputs(job)
        head.update(found)
        blobs += contents
    return head, blobs, True


def run_as_uid(job: Json, config: Json, uid: int | None) -> tuple[Json, Blobs, bool]:
    """For a container: the processes are told apart by uid, and the scratch is wiped instead of mounted afresh."""
    assert uid is not None
    job["cwd"], job["in"], job["stdin_path"] = TMP, ROOT + "/in", "/dev/null"
    given = bool(job["inputs"] or job["stdin"])
    if given:
        place_inputs(job, ROOT)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # old gVisor has none: the server, process 1, then reaps orphans
    kills = memory_kills(config)
    watch, trouble = start_job(job, config, uid)
    watch.run()
    if watch.status is None:
        os.kill(watch.pid, signal.SIGKILL)
    if job["limits"]["processes"] == 1:
        watch.reap(0)  # it was not able to start another
    found: Json = {}
    contents: Blobs = []
    clean = is_clean(config)
    if job["outputs"] or not clean:
        found, contents = clean_up(job, config, uid, watch)
        clean = is_clean(config)
    check_started(trouble)
    watch.drain()
    if watch.why is None and (watch.status or 0) < 0 and memory_kills(config) > kills:
        watch.why = "memory"
    head, blobs = watch.answer()
    head.update(found)
    if given:
        shutil.rmtree(ROOT + "/in")
        os.unlink(ROOT + "/stdin")
    return head, blobs + contents, clean


def is_clean(config: Json) -> bool:
    return not os.listdir(TMP) and not os.listdir(SHM) and not other_processes(config)


def clean_up(job: Json, config: Json, uid: int, watch: Watch) -> tuple[Json, Blobs]:
    """End all that a job started, wipe what it wrote, and return what was asked for. `is_clean` says if it worked."""
    control_r, control_w = os.pipe()
    helper = watch.helper = os.fork()
    if helper == 0:
        clean_as(uid, job, config, control_w)
    os.close(control_w)
    deadline = time.monotonic() + CLEAN_S
    control = bytearray()
    os.set_blocking(control_r, False)
    while select.select([control_r], [], [], max(0.0, deadline - time.monotonic()))[0]:
        chunk = os.read(control_r, 1 << 20)
        if not chunk:
            break
        control += chunk
    os.kill(helper, signal.SIGKILL)
    while not (watch.reap(os.WNOHANG) and not other_processes(config)) and time.monotonic() < deadline:
        time.sleep(0.0005)
    if len(control) < 4:
        return {"refused": dict.fromkeys(job["outputs"], "could not be read")}, []
    (length,) = struct.unpack(">I", control[:4])
    return json.loads(control[4 : 4 + length]), [bytes(memoryview(control)[4 + length :])]


def clean_as(uid: int, job: Json, config: Json, control: int) -> NoReturn:
    """End all processes of a job's user, bring back its outputs and wipe what it wrote. Never returns."""
    try:
        supervisor, guard = str(os.getppid()), config["uids"] + GUARD
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        # The job's user only in effect: so this may signal the job's processes, and they may not signal this one.
        os.setresuid(guard, uid, guard)
        for _ in range(1000):  # Linux ends all at once; under gVisor a child that is just being made escapes
            try:
                os.kill(-1, signal.SIGKILL)  # not this process itself: Linux leaves the caller out
            except (ProcessLookupError, PermissionError):
                break  # nobody is left
            rest = [pid for pid in other_processes(config) if str(pid) != supervisor]
            if not any(is_alive(config["proc"], pid) for pid in rest):
                break
            time.sleep(0.001)
        found, contents = collect_outputs(job)
        write_message(control, found, contents)
        for folder in (TMP, SHM):
            wipe(folder)
    finally:
        os._exit(0)  # whether it is clean is for the supervisor to see


def is_alive(proc: int, pid: int) -> bool:
    """False for a process that has ended, also when nobody has reaped it yet."""
    try:
        fd = os.open(f"{pid}/stat", os.O_RDONLY, dir_fd=proc)
        try:
            return os.read(fd, 4096).rpartition(b")")[2].split()[0] not in b"ZX"
        finally:
            os.close(fd)
    except OSError:
        return False


def open_events() -> int:
    """A descriptor of what the kernel counts for this container; -1 where there is no such thing."""
    for path in ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"):
        with contextlib.suppress(OSError):  # the other version of control groups, or none
            return os.open(path, os.O_RDONLY)
    return -1


def memory_kills(config: Json) -> int:
    """How many processes of this container the kernel has killed for want of memory, where that can be known."""
    words = os.pread(config["events"], 4096, 0).split() if config["events"] >= 0 else []
    return int(words[words.index(b"oom_kill") + 1]) if b"oom_kill" in words else 0


def run_bare(job: Json, config: Json, uid: int | None) -> tuple[Json, Blobs, bool]:
    import tempfile  # every other mode does without, and every fork is the cheaper for it

    folder = tempfile.mkdtemp(prefix="envbounty-")
    try:
        job["cwd"], job["in"] = os.path.join(folder, "work"), os.path.join(folder, "in")
        os.mkdir(job["cwd"])
        place_inputs(job, folder)
        watch, trouble = start_job(job, config, None)
        watch.run()
        with contextlib.suppress(ProcessLookupError):  # nobody is left
            os.killpg(watch.pid, signal.SIGKILL)
        watch.reap(0)
        check_started(trouble)
        watch.drain()
        head, blobs = watch.answer()
        found, contents = collect_outputs(job)
        head.update(found)
        return head, blobs + contents, True
    finally:
        shutil.rmtree(folder, ignore_errors=True)
