"""The warm jail server. It runs inside the outer jail, forks one throw-away jail per job, and is the only code there
that is ours.

Standard library only, started as `python -c <this file> <config>`, so that any image with a Python will do. It imports
nothing of envbounty.

    server        never reads a job, an input or an output: it waits for a byte to arrive, forks, and waits. Its memory,
                  which every job inherits, is therefore the same for each of them and holds nothing of the others.
      supervisor  one per job, outside the job's namespaces: reads the job, bounds time and output, reports, exits.
        init      process 1 of the job's namespaces (mode ns): mounts, waits, kills what is left, brings back files.
          job     drops every privilege, then becomes the untrusted code.

Modes: `ns` makes fresh pid, mount, ipc and uts namespaces for each job and, where it is given `uids`, a fresh uid;
`uid` (inside a container, without the right to make namespaces) makes only a fresh uid and wipes the scratch; `none`
isolates nothing.

On the wire, both ways: 4 bytes, big endian, length of a JSON header; the header; then the raw blobs that it sizes.
"""

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
import tempfile
import time
import traceback

libc = ctypes.CDLL(None, use_errno=True)
libc.mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]

NEWNS, NEWUTS, NEWIPC, NEWPID = 0x20000, 0x04000000, 0x08000000, 0x20000000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_SECUREBITS, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 28, 36, 38, 47
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_REC_PRIVATE = 0x4000 | (1 << 18)

TMP, SHM, INPUTS, ROOT = "/tmp", "/dev/shm", "/job/in", "/job"
RESULT = 3  # the descriptor on which a job of Python code returns its result
OUT_OF_MEMORY = 86  # how our own wrapper says that Python raised MemoryError
HUNG_UP, BROKEN, DIRTY = 100, 101, 102  # how a supervisor ends when it could not answer
POLL_S = 0.02  # how often the memory of a job with several processes is summed
INODES = 4096


def call(what, value):
    if value != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def mount(kind, target, flags, data):
    call(f"mount {target}", libc.mount(kind, target.encode(), kind, flags, data.encode() if data else None))


def read_exactly(fd, count):
    chunks, left = [], count
    while left:
        chunk = os.read(fd, min(left, 1 << 20))
        if not chunk:
            raise EOFError
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


# --- the job's own process -------------------------------------------------------------------------------------------


def drop_capabilities():
    libc.prctl(PR_CAP_AMBIENT, 4, 0, 0, 0)
    for number in range(64):
        libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)  # fails past the last one, which is the end of the list
    libc.prctl(PR_SET_SECUREBITS, 0x2F, 0, 0, 0)  # uid 0 means nothing any more, locked


def clear_capabilities():
    header = struct.pack("Ii", 0x20080522, 0)
    call("capset", libc.capset(header, b"\0" * 24))


def load_filter(program):
    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    buffer = ctypes.create_string_buffer(program, len(program))
    filled = Program(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    call("seccomp", libc.prctl(PR_SET_SECCOMP, 2, ctypes.byref(filled), 0, 0))


def set_limits(limits, strict):
    mega = 1 << 20
    processes = limits["processes"]
    wanted = {
        "CPU": limits["cpu_s"],
        "AS": limits["memory_mb"] * mega,
        "FSIZE": limits["scratch_mb"] * mega,
        "NOFILE": 128,
        "CORE": 0,
        "STACK": 8 * mega,
        "MEMLOCK": 0,
        "MSGQUEUE": 0,
        # Linux counts threads here too. With one process fork is refused by the filter, and this bounds its threads.
        "NPROC": 32 if processes == 1 else processes,
    }
    for name, value in wanted.items():
        which = getattr(resource, "RLIMIT_" + name)
        hard = resource.getrlimit(which)[1]
        value = value if hard < 0 else min(value, hard)
        try:
            resource.setrlimit(which, (value, value + 1 if name == "CPU" and hard < 0 else value))
        except (ValueError, OSError):
            if strict or name in ("CPU", "AS"):
                raise


def become_job(job, config, uid, pipes, stdin_path):
    """Drop everything and run the untrusted code. Never returns."""
    code = 1
    try:
        os.setsid()
        for target, source in enumerate([os.open(stdin_path, os.O_RDONLY), pipes["stdout"][1], pipes["stderr"][1]]):
            os.dup2(source, target)
        os.dup2(pipes["result"][1], RESULT, inheritable=False)
        os.closerange(RESULT + 1, 4096)
        os.environ.clear()
        os.environ.update(config["environ"], HOME=job["cwd"], TMPDIR=job["cwd"])
        os.chdir(job["cwd"])
        os.umask(0o022)
        sealed = config["mode"] != "none"
        if config["mode"] == "ns":
            drop_capabilities()
        if uid is not None:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        if config["mode"] == "ns":
            clear_capabilities()
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        try:
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write("1000")
        except OSError:
            pass  # the kernel may then pick another process of the same jail; the job fails all the same
        set_limits(job["limits"], config["strict"])
        program = config["filters"]["one" if job["limits"]["processes"] == 1 else "many"]
        if sealed:
            load_filter(program)
        if job["argv"]:
            words = {"{in}": job["in"], "{python}": sys.executable}
            argv = list(job["argv"])
            for word, value in words.items():
                argv = [part.replace(word, value) for part in argv]
            try:
                os.execv(argv[0], argv)
            except OSError as error:
                os.write(2, f"cannot execute {argv[0]}: {error.strerror}\n".encode())
                os._exit(127)
        random = sys.modules.get("random")
        if random is not None:
            random.seed()  # every fork would otherwise draw the same numbers
        code = run_code(job)
    except BaseException:
        os.write(2, traceback.format_exc(limit=-8).encode("utf-8", "replace")[-4000:])
    finally:
        os._exit(code)


def run_code(job):
    """Execute a job's Python and return its exit status."""
    scope = {"__name__": "__main__", "__builtins__": __builtins__, "JOB_IN": job["in"], "RESULT": RESULT}
    try:
        exec(compile(job["code"], "<job>", "exec"), scope)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    except MemoryError:
        code = OUT_OF_MEMORY
    except BaseException:
        os.write(2, traceback.format_exc(limit=-8).encode("utf-8", "replace")[-8000:])
        code = 1
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass  # the reader may have closed it; the status is what counts
    return code & 0xFF


# --- files in and out ------------------------------------------------------------------------------------------------


def place_inputs(job, root):
    """Write the inputs and standard input below `root`, which must not be writable by the job afterwards."""
    os.makedirs(os.path.join(root, "in"), 0o755, exist_ok=True)
    for name, content in job["inputs"]:
        path = os.path.join(root, "in", name)
        os.makedirs(os.path.dirname(path), 0o755, exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        os.chmod(path, 0o555)
    with open(os.path.join(root, "stdin"), "wb") as file:
        file.write(job["stdin"])


def bring_back(name, folder, limit):
    """(content, None) for a plain file of at most `limit` bytes, else (None, why). Never follows, never blocks."""
    try:
        where = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError as error:
        return None, error.strerror
    try:
        try:
            fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY, dir_fd=where)
        except OSError as error:
            return None, "is a symbolic link" if error.errno == errno.ELOOP else error.strerror
        try:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode):
                return None, "is no regular file"
            if info.st_nlink != 1:
                return None, "is a hard link"
            if info.st_size > limit:
                return None, f"is larger than {limit} bytes"
            content = b""
            while len(content) <= limit:
                chunk = os.read(fd, min(1 << 16, limit + 1 - len(content)))
                if not chunk:
                    return content, None
                content += chunk
            return None, f"is larger than {limit} bytes"
        finally:
            os.close(fd)
    finally:
        os.close(where)


def report_outputs(job, fd):
    """Write what `bring_back` found for every wanted output, as one framed message."""
    limit = job["limits"]["scratch_mb"] << 20
    found, refused, blobs = [], {}, []
    for name in job["outputs"]:
        content, why = bring_back(name, job["cwd"], limit)
        if content is None:
            refused[name] = why
        else:
            found.append([name, len(content)])
            blobs.append(content)
    header = json.dumps({"files": found, "refused": refused}).encode()
    write_all(fd, struct.pack(">I", len(header)) + header + b"".join(blobs))


def wipe(folder):
    """Remove everything below `folder` that this user may remove, whatever modes it was left with."""
    for parent, folders, files in os.walk(folder):
        for name in folders:
            try:
                os.chmod(os.path.join(parent, name), 0o700, follow_symlinks=False)
            except (OSError, NotImplementedError):
                pass  # not ours, or a link: the emptiness test afterwards decides
        for name in files:
            try:
                os.unlink(os.path.join(parent, name))
            except OSError:
                pass  # as above
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            try:
                os.unlink(entry.path)
            except OSError:
                pass  # as above


# --- process 1 of a job's namespaces ---------------------------------------------------------------------------------


def run_init(job, config, uid, pipes, control):
    """Mount, start the job, wait for it, end everything, report. Never returns."""
    code = BROKEN
    try:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        scratch = job["limits"]["scratch_mb"] << 20
        call("mount /", libc.mount(None, b"/", None, MS_REC_PRIVATE, None))
        mount(b"proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None)
        shm = scratch // 4
        options = f"size={scratch - shm},nr_inodes={INODES},mode=1777"
        mount(b"tmpfs", TMP, MS_NOSUID | MS_NODEV, options)
        mount(b"tmpfs", SHM, MS_NOSUID | MS_NODEV | MS_NOEXEC, f"size={shm},nr_inodes=64,mode=1777")
        if job["inputs"] or job["stdin"]:
            mount(b"tmpfs", ROOT, MS_NOSUID | MS_NODEV, "mode=755")
            place_inputs(job, ROOT)
            mount(b"tmpfs", ROOT, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, None)
        pid = os.fork()
        if pid == 0:
            stdin_path = ROOT + "/stdin" if job["inputs"] or job["stdin"] else "/dev/null"
            become_job(job, config, uid, pipes, stdin_path)
        for pair in pipes.values():
            for fd in pair:
                os.close(fd)
        while True:
            done, status, usage = os.wait4(-1, 0)
            if done == pid:
                break
        header = {
            "status": os.waitstatus_to_exitcode(status),
            "cpu_s": usage.ru_utime + usage.ru_stime,
            "peak_kb": usage.ru_maxrss,
        }
        kill_rest()
        text = json.dumps(header).encode()
        write_all(control, struct.pack(">I", len(text)) + text)
        report_outputs(job, control)
        code = 0
    except BaseException:
        os.write(2, traceback.format_exc(limit=-4).encode()[-2000:])
    finally:
        os._exit(code)


def kill_rest():
    """As process 1: end every other process of this namespace and wait until it is gone."""
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        pass  # nobody is left
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass  # all reaped


# --- the supervisor of one job ---------------------------------------------------------------------------------------


class Watch:
    """Collects what a job says, and ends it when it takes more than it may."""

    def __init__(self, pid, limits, streams):
        self.pid = pid
        self.limits = limits
        self.cap = limits["output_kb"] << 10
        self.buffers = {fd: bytearray() for fd in streams}
        self.caps = {fd: self.cap for fd in streams}
        self.open = set(streams)
        self.started = time.monotonic()
        self.why = None
        self.peak_kb = 0
        try:
            self.pidfd = os.pidfd_open(pid)
        except (AttributeError, OSError):
            self.pidfd = None  # old gVisor: poll for the end instead
        self.base_kb = resident_kb(os.getpid())
        self.known = {os.getpid(), os.getppid(), 1, pid}

    def run(self):
        """Wait for the end of `pid`. Afterwards it is reaped, and (status, usage) is returned."""
        poll = select.poll()
        for fd in self.buffers:
            os.set_blocking(fd, False)
            poll.register(fd, select.POLLIN)
        if self.pidfd is not None:
            poll.register(self.pidfd, select.POLLIN)
        deadline = self.started + self.limits["wall_s"]
        many = self.limits["processes"] > 1
        ended = None
        while self.why is None and ended is None:
            left = deadline - time.monotonic()
            if left <= 0:
                self.why = "wall"
                break
            step = POLL_S if many else 0.005 if self.pidfd is None else left
            for fd, _ in poll.poll(min(left, step) * 1000 + 1):
                if fd == self.pidfd:
                    ended = os.wait4(self.pid, 0)
                elif not self.read(fd):
                    poll.unregister(fd)
                    self.open.discard(fd)
            if self.pidfd is None:
                done = os.wait4(self.pid, os.WNOHANG)
                ended = done if done[0] else None
            if many and self.why is None and ended is None and self.too_much_memory():
                self.why = "memory"
        if ended is None:
            os.kill(self.pid, signal.SIGKILL)
            ended = os.wait4(self.pid, 0)
        for fd in list(self.open):
            while self.read(fd):  # only what is there already: somebody may hold the pipe open
                pass
        return ended[1], ended[2]

    def read(self, fd):
        """Take what is there. False at the end or when nothing is there."""
        room = self.caps[fd] + 1 - len(self.buffers[fd])
        if room <= 0:
            return False
        try:
            chunk = os.read(fd, min(room, 1 << 16))
        except BlockingIOError:
            return False
        self.buffers[fd] += chunk
        if len(self.buffers[fd]) > self.caps[fd] and self.why is None:
            self.why = "output"
        return bool(chunk)

    def too_much_memory(self):
        """Whether all processes of the job together hold more than they may.

        What each shares with the server it was forked from is taken off, so memory that exists once is not counted as
        often as there are processes.
        """
        total = 0
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) not in self.known:
                total += max(0, resident_kb(int(name)) - self.base_kb)
        self.peak_kb = max(self.peak_kb, total)
        return total > self.limits["memory_mb"] << 10


def resident_kb(pid):
    try:
        with open(f"/proc/{pid}/statm") as file:
            return int(file.read().split()[1]) * (resource.getpagesize() >> 10)
    except (OSError, IndexError, ValueError):
        return 0  # it has just ended


def supervise(config, uid):
    """Read one job from standard input, run it, write its outcome to standard output. Returns the exit status."""
    try:
        (length,) = struct.unpack(">I", read_exactly(config["stdin"], 4))
        job = json.loads(read_exactly(config["stdin"], length))
        job["stdin"] = read_exactly(config["stdin"], job["stdin"])
        job["inputs"] = [(name, read_exactly(config["stdin"], size)) for name, size in job["inputs"]]
    except EOFError:
        return HUNG_UP
    run = {"ns": run_in_namespaces, "uid": run_as_uid, "none": run_bare}[config["mode"]]
    head, blobs, clean = run(job, config, uid)
    text = json.dumps(head).encode()
    write_all(config["stdout"], struct.pack(">I", len(text)) + text + b"".join(blobs))
    return 0 if clean else DIRTY


def open_pipes():
    return {name: os.pipe() for name in ("result", "stdout", "stderr")}


def close_ends(pipes, which):
    for pair in pipes.values():
        os.close(pair[which])


def answer(watch, pipes, status, cpu_s, peak_kb, control=b""):
    """The header and blobs of an outcome."""
    names = ("result", "stdout", "stderr")
    blobs = [bytes(watch.buffers[pipes[name][0]][: watch.cap]) for name in names]
    head = {
        "why": watch.why,
        "exit_code": status,
        "wall_s": time.monotonic() - watch.started,
        "cpu_s": cpu_s,
        "peak_kb": max(peak_kb, watch.peak_kb),
        "sizes": [len(blob) for blob in blobs],
        "files": [],
        "refused": {},
    }
    if control:
        (length,) = struct.unpack(">I", control[:4])
        found = json.loads(control[4 : 4 + length])
        head.update(found)
        blobs.append(control[4 + length :])
    return head, blobs


def run_in_namespaces(job, config, uid):
    job["cwd"], job["in"] = TMP, INPUTS
    pipes = open_pipes()
    control_r, control_w = os.pipe()
    call("unshare", libc.unshare(NEWNS | NEWPID | NEWIPC | NEWUTS))
    pid = os.fork()
    if pid == 0:
        run_init(job, config, uid, pipes, control_w)
    close_ends(pipes, 1)
    os.close(control_w)
    watch = Watch(pid, job["limits"], [pipes[name][0] for name in pipes] + [control_r])
    watch.caps[control_r] = (job["limits"]["scratch_mb"] << 20) * max(1, len(job["outputs"])) + (1 << 20)
    status, _ = watch.run()
    control = bytes(watch.buffers[control_r])
    if len(control) < 4:  # killed at a limit, or process 1 could not set the jail up
        code = os.waitstatus_to_exitcode(status)
        if watch.why is None and code == BROKEN:
            watch.why = "infra"
        return (*answer(watch, pipes, code, 0.0, 0), True)
    (length,) = struct.unpack(">I", control[:4])
    ended = json.loads(control[4 : 4 + length])
    head, blobs = answer(watch, pipes, ended["status"], ended["cpu_s"], ended["peak_kb"], control[4 + length :])
    return head, blobs, True


def run_as_uid(job, config, uid):
    """For a container: the processes are told apart by uid, and the scratch is wiped instead of mounted afresh."""
    job["cwd"], job["in"] = TMP, INPUTS
    pipes = open_pipes()
    place_inputs(job, ROOT)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    pid = os.fork()
    if pid == 0:
        become_job(job, config, uid, pipes, ROOT + "/stdin")
    close_ends(pipes, 1)
    watch = Watch(pid, job["limits"], [pipes[name][0] for name in pipes])
    status, usage = watch.run()
    control_r, control_w = os.pipe()
    helper = os.fork()
    if helper == 0:
        clean_as(uid, job, control_w)
    os.close(control_w)
    control = bytearray()
    limit = time.monotonic() + 20
    while time.monotonic() < limit:
        if not select.select([control_r], [], [], max(0.0, limit - time.monotonic()))[0]:
            break
        chunk = os.read(control_r, 1 << 16)
        if not chunk:
            break
        control += chunk
    os.kill(helper, signal.SIGKILL)
    reap_all()
    for name in os.listdir(ROOT):
        path = os.path.join(ROOT, name)
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
    clean = not os.listdir(TMP) and not os.listdir(SHM)
    cpu_s = usage.ru_utime + usage.ru_stime
    code = os.waitstatus_to_exitcode(status)
    head, blobs = answer(watch, pipes, code, cpu_s, usage.ru_maxrss, bytes(control))
    return head, blobs, clean


def clean_as(uid, job, control):
    """As the job's own user: end all of its processes, bring back its outputs, wipe what it wrote. Never returns."""
    code = 1
    try:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        try:
            os.kill(-1, signal.SIGKILL)  # not this process itself: Linux leaves the caller out
        except (ProcessLookupError, PermissionError):
            pass  # nobody is left
        report_outputs(job, control)
        for folder in (TMP, SHM):
            wipe(folder)
        code = 0
    finally:
        os._exit(code)


def reap_all():
    try:
        while True:
            os.waitpid(-1, 0)
    except ChildProcessError:
        pass  # all reaped


def run_bare(job, config, uid):
    folder = tempfile.mkdtemp(prefix="envbounty-")
    job["cwd"], job["in"] = os.path.join(folder, "work"), os.path.join(folder, "in")
    os.mkdir(job["cwd"])
    place_inputs(job, folder)
    pipes = open_pipes()
    pid = os.fork()
    if pid == 0:
        become_job(job, config, None, pipes, os.path.join(folder, "stdin"))
    close_ends(pipes, 1)
    watch = Watch(pid, dict(job["limits"], processes=1), [pipes[name][0] for name in pipes])
    status, usage = watch.run()
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # nobody is left
    control_r, control_w = os.pipe()
    helper = os.fork()
    if helper == 0:
        report_outputs(job, control_w)
        os._exit(0)
    os.close(control_w)
    with open(control_r, "rb") as stream:
        control = stream.read()
    os.waitpid(helper, 0)
    shutil.rmtree(folder, ignore_errors=True)
    cpu_s = usage.ru_utime + usage.ru_stime
    return (*answer(watch, pipes, os.waitstatus_to_exitcode(status), cpu_s, usage.ru_maxrss, control), True)


# --- the server ------------------------------------------------------------------------------------------------------


def serve(config):
    for name in config["preload"]:
        __import__(name)
    for name, program in config["filters"].items():
        config["filters"][name] = bytes.fromhex(program)
    config["stdin"], config["stdout"] = os.dup(0), os.dup(1)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # no ptrace, no /proc/PID/mem, also not by a job with the same uid
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the caller's to handle: it ends this whole jail
    gc.collect()
    gc.freeze()
    hello = json.dumps({"ready": True, "python": sys.version.split()[0], "uid": os.getuid()}).encode()
    write_all(config["stdout"], struct.pack(">I", len(hello)) + hello)
    count = 0
    while True:
        select.select([config["stdin"]], [], [])
        uid = config["uids"] + count if config["uids"] is not None else None
        count += 1
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
