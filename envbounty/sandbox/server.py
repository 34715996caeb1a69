"""The warm jail server. It runs inside the outer jail, forks one throw-away jail per job, and is the only code there
that is ours.

Standard library only, started as `python -c <this file> <config>`, so that any image with a Python will do. It imports
nothing of envbounty.

    server        never reads a job, an input or an output: it waits for a byte to arrive, forks, and waits. Its memory,
                  which every job inherits, is therefore the same for each of them and holds nothing of the others.
      supervisor  one per job: reads the job, makes its surroundings, bounds its time, memory and output, ends all that
                  it started, brings back files, answers, exits.
        job       drops every privilege, then becomes the untrusted code.

Modes: `ns` makes a pid and a mount namespace for each job, of which the supervisor is process 1, and, where it is given
`uids`, a fresh uid (the outer jail has namespaces of its own for network, IPC and host name, and the system-call filter
forbids whatever could outlive a job in them); `uid` (inside a container, without the right to make namespaces) makes
only a fresh uid and wipes the scratch; `none` isolates nothing.

On the wire, both ways: 4 bytes, big endian, length of a JSON header; the header; then the raw blobs that it sizes.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import gc
import json
import os
import resource
import select
import shutil
import signal
import stat
import struct
import sys
import time
import traceback
import types
from typing import Any, NoReturn

Json = dict[str, Any]
Blobs = list[bytes]

libc = ctypes.CDLL(None, use_errno=True)
libc.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]

NEWNS, NEWPID = 0x20000, 0x20000000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_SECUREBITS, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 28, 36, 38, 47
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_REC_PRIVATE = 0x4000 | (1 << 18)

CAPABILITIES_3, NO_CAPABILITIES = struct.pack("Ii", 0x20080522, 0), bytes(24)

TMP, SHM, ROOT = "/tmp", "/dev/shm", "/job"
RESULT = 3  # the descriptor on which a job of Python code returns its result
TROUBLE = 4  # the one on which a job says why it could not be started; closed before its code runs
OUT_OF_MEMORY = 86  # how our own wrapper says that Python raised MemoryError
HUNG_UP, BROKEN, DIRTY = (
    100,
    101,
    102,
)  # how a supervisor ends when it could not answer, or could not clean up
TICK_S = 0.02  # how often the memory and processor time of a job with several processes are summed
CLEAN_S = 10.0  # how long it may take to end a job's processes and to wipe what it wrote; less than our caller waits
INODES = 4096
THREADS = 32  # of a job that may not start processes
PLAIN, GUARD = 1, 0  # offsets in a server's block of uids: the first job's, and the one that ends jobs


def call(what: str, value: int) -> None:
    if value != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def mount(kind: bytes, target: str, flags: int, data: str | None) -> None:
    call(f"mount {target}", libc.mount(kind, target.encode(), kind, flags, data.encode() if data else None))


def read_exactly(fd: int, count: int) -> bytes:
    chunks, left = [], count
    while left:
        chunk = os.read(fd, min(left, 1 << 20))
        if not chunk:
            raise EOFError
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_message(fd: int, head: Json, blobs: Blobs) -> None:
    text = json.dumps(head).encode()
    write_all(fd, struct.pack(">I", len(text)) + text)
    for blob in blobs:
        write_all(fd, blob)


# --- the job's own process -------------------------------------------------------------------------------------------


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


# --- files in and out ------------------------------------------------------------------------------------------------


def place_inputs(job: Json, root: str) -> None:
    """Write the inputs and standard input below `root`, which must not be writable by the job afterwards."""
    os.makedirs(job["in"], 0o755, exist_ok=True)
    for name, content in job["inputs"]:
        path = os.path.join(job["in"], name)
        os.makedirs(os.path.dirname(path), 0o755, exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, 0o555)
    job["stdin_path"] = os.path.join(root, "stdin")
    with open(job["stdin_path"], "wb") as file:
        file.write(job["stdin"])
    job["inputs"] = job["stdin"] = None  # the job needs no second copy in its memory


def bring_back(name: str, folder: str, limit: int) -> tuple[bytes, str]:
    """(content, "") of a plain file of at most `limit` bytes, else (b"", why not). Never follows, never blocks."""
    try:
        where = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        return b"", os.strerror(error.errno or 0)
    try:
        try:
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY, dir_fd=where)
        except OSError as error:
            return b"", "is a symbolic link" if error.errno == errno.ELOOP else os.strerror(error.errno or 0)
        try:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode):
                return b"", "is no regular file"
            if info.st_nlink != 1:
                return b"", "is a hard link"
            if info.st_size > limit:
                return b"", f"is larger than the {limit} bytes left for outputs"
            content = bytearray()
            while len(content) <= limit:
                chunk = os.read(fd, min(1 << 20, limit + 1 - len(content)))
                if not chunk:
                    return bytes(content), ""
                content += chunk
            return b"", f"is larger than the {limit} bytes left for outputs"
        except OSError as error:
            return b"", os.strerror(error.errno or 0)
        finally:
            os.close(fd)
    finally:
        os.close(where)


def collect_outputs(job: Json) -> tuple[Json, Blobs]:
    """What `bring_back` found for every wanted output; together not more than the job could write."""
    left = job["limits"]["scratch_mb"] << 20  # sparse files can claim more, in every one of many names
    found: list[tuple[str, int]] = []
    refused: dict[str, str] = {}
    blobs: Blobs = []
    for name in job["outputs"]:
        content, why = bring_back(name, job["cwd"], left)
        if why:
            refused[name] = why
        else:
            found.append((name, len(content)))
            blobs.append(content)
            left -= len(content)
    return {"files": found, "refused": refused}, blobs


def wipe(folder: str) -> None:
    """Remove everything below `folder` that this user may remove, whatever modes it was left with."""
    for parent, folders, files in os.walk(folder):
        for name in folders:
            # Not ours, or a link: the test for emptiness afterwards decides.
            with contextlib.suppress(OSError, NotImplementedError):
                os.chmod(os.path.join(parent, name), 0o700, follow_symlinks=False)
        for name in files:
            with contextlib.suppress(OSError):  # as above
                os.unlink(os.path.join(parent, name))
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):  # as above
                os.unlink(entry.path)


# --- the supervisor of one job ---------------------------------------------------------------------------------------


class Watch:
    """Collects what a job says, and decides when it has taken more than it may."""

    def __init__(self, pid: int, job: Json, config: Json, streams: dict[str, int]) -> None:
        self.pid = pid
        self.config = config
        self.limits = job["limits"]
        self.cap = self.limits["output_kb"] << 10
        self.streams = streams
        self.buffers = {fd: bytearray() for fd in streams.values()}
        self.started = time.monotonic()
        self.why: str | None = None
        self.status: int | None = None
        self.cpu_s = 0.0  # of processes that are gone
        self.peak_kb = 0
        self.helper = -1  # a child that is ours and not the job's
        # A lone process is held by its own limits. Without all of those (gVisor), or with several, they are summed.
        self.count = config["mode"] != "none" and (self.limits["processes"] > 1 or not config["strict"])
        # What each of them shares with this process, and has not got of its own.
        self.base_kb = usage_of(config["proc"], own_pid(config["proc"]))[0] if self.count else 0
        try:
            self.pidfd = os.pidfd_open(pid)
        except (AttributeError, OSError):
            self.pidfd = -1  # old gVisor: look for the end instead

    def run(self) -> None:
        """Wait until the job has ended or has to be ended; says which in `why` (ours) and `status` (its own)."""
        poll = select.poll()
        for fd in self.buffers:
            os.set_blocking(fd, False)
            poll.register(fd, select.POLLIN)
        if self.pidfd >= 0:
            poll.register(self.pidfd, select.POLLIN)
        deadline = self.started + self.limits["wall_s"]
        step = TICK_S if self.count else float("inf")
        if self.pidfd < 0:
            step = min(step, 0.005)
        next_sum = self.started
        while self.why is None and self.status is None:
            now = time.monotonic()
            if now >= deadline:
                self.why = "wall"
                return
            if self.count and now >= next_sum:
                self.why = self.too_much()
                next_sum = now + TICK_S
            ready = poll.poll(min(deadline - now, step) * 1000 + 1) if self.why is None else ()
            for fd, _ in ready:
                if fd != self.pidfd and self.read(fd) == 0:
                    poll.unregister(fd)
            if self.count or self.pidfd < 0 or any(fd == self.pidfd for fd, _ in ready):
                self.reap(os.WNOHANG)

    def read(self, fd: int) -> int:
        """Take what is there. Returns how much that was; 0 at the end and -1 when nothing is there for now."""
        buffer = self.buffers[fd]
        try:
            chunk = os.read(fd, min(self.cap + 1 - len(buffer), 1 << 16))
        except BlockingIOError:
            return -1
        buffer += chunk
        if len(buffer) > self.cap:
            self.why = self.why or "output"
        return len(chunk)

    def drain(self) -> None:
        """Take what is in the pipes already. Somebody may still hold them open."""
        for fd in self.buffers:
            while len(self.buffers[fd]) <= self.cap and self.read(fd) > 0:
                pass

    def reap(self, flags: int) -> bool:
        """Reap the children that have ended; with no flags, wait for all. True when there is none left."""
        try:
            while True:
                pid, status, usage = os.wait4(-1, flags)
                if pid == 0:
                    return False
                if pid != self.helper:
                    self.cpu_s += usage.ru_utime + usage.ru_stime
                    self.peak_kb = max(self.peak_kb, usage.ru_maxrss)
                if pid == self.pid:
                    self.status = os.waitstatus_to_exitcode(status)
        except ChildProcessError:
            return True

    def too_much(self) -> str | None:
        """What all processes of the job together have more of than they may: memory, cpu, processes or nothing.

        What each shares with the server it was forked from is taken off its memory, so that what exists once is not
        counted as often as there are processes.
        """
        memory_kb, cpu_s, tasks = 0, self.cpu_s, 0
        for pid in other_processes(self.config):
            used = usage_of(self.config["proc"], pid)
            memory_kb += max(0, used[0] - self.base_kb)
            cpu_s += used[1]
            tasks += used[2]
        self.peak_kb = max(self.peak_kb, memory_kb)
        if memory_kb > self.limits["memory_mb"] << 10:
            return "memory"
        if cpu_s > self.limits["cpu_s"] + 1:  # the limit on each process comes first, and says more
            return "cpu"
        return "processes" if tasks > tasks_allowed(self.limits) else None

    def answer(self) -> tuple[Json, Blobs]:
        """The header and blobs of an outcome, without its files."""
        blobs = [bytes(self.buffers[self.streams[name]][: self.cap]) for name in ("result", "stdout", "stderr")]
        head: Json = {
            "why": self.why,
            "exit_code": self.status,
            "wall_s": time.monotonic() - self.started,
            "cpu_s": self.cpu_s,
            "peak_kb": self.peak_kb,
            "sizes": [len(blob) for blob in blobs],
            "files": [],
            "refused": {},
        }
        return head, blobs


def own_pid(proc: int) -> int:
    """What this process is called in the jail's own /proc."""
    return int(os.readlink("self", dir_fd=proc))


def other_processes(config: Json) -> list[int]:
    """All in this jail but its first process, the server and this one."""
    ours = {1, config["pid"], own_pid(config["proc"])}
    return [int(name) for name in os.listdir(config["proc"]) if name.isdigit() and int(name) not in ours]


def usage_of(proc: int, pid: int) -> tuple[int, float, int]:
    """Resident memory in KB, processor seconds (with those of children that are gone), and threads of a process."""
    try:
        fd = os.open(f"{pid}/stat", os.O_RDONLY, dir_fd=proc)
        try:
            words = os.read(fd, 4096).rpartition(b")")[2].split()
        finally:
            os.close(fd)
    except OSError:
        return 0, 0.0, 0  # it has just ended
    ticks = sum(int(word) for word in words[11:15])
    return int(words[21]) * (resource.getpagesize() >> 10), ticks / os.sysconf("SC_CLK_TCK"), int(words[17])


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


# --- the server ------------------------------------------------------------------------------------------------------


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
