"""What a job must not reach: network, the host's files and environment, odd corners of the kernel, our processes."""

from __future__ import annotations

import os
import platform
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jail_support import PRELUDE, assert_refused, runner, told

from envbounty.sandbox.job import Job, Limits, Status
from envbounty.sandbox.pool import Pool


@pytest.fixture(scope="module")
def listeners() -> Iterator[dict[str, Any]]:
    """Servers of the host, all of which a process outside of a jail can reach."""
    name = f"envbounty-test-{os.getpid()}"
    folder = tempfile.mkdtemp(prefix="envbounty-test-")
    os.chmod(folder, 0o755)
    with socket.create_server(("0.0.0.0", 0)) as inet, socket.socket(socket.AF_UNIX) as abstract, \
            socket.socket(socket.AF_UNIX) as path:  # fmt: skip
        abstract.bind("\0" + name)
        abstract.listen(16)
        path.bind(folder + "/socket")
        path.listen(16)
        os.chmod(folder + "/socket", 0o777)
        yield {"port": inet.getsockname()[1], "name": name, "path": folder + "/socket"}
    shutil.rmtree(folder)


NETWORK = """
for host in ("127.0.0.1", "172.17.0.1", "169.254.169.254"):
    attempt(host, lambda: socket.create_connection((host, {port}), 1))
attempt("abstract", lambda: socket.socket(socket.AF_UNIX).connect(chr(0) + {name!r}))
attempt("path", lambda: socket.socket(socket.AF_UNIX).connect({path!r}))
attempt("inet", lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
attempt("inet6", lambda: socket.socket(socket.AF_INET6))
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1))
attempt("packet", lambda: socket.socket(17, socket.SOCK_RAW))
attempt("netlink", lambda: socket.socket(16, socket.SOCK_RAW))
attempt("vsock", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("crypto", lambda: socket.socket(38, socket.SOCK_SEQPACKET))
attempt("bluetooth", lambda: socket.socket(31, socket.SOCK_RAW, 1))
attempt("tipc pair", lambda: socket.socketpair(30, socket.SOCK_STREAM))
"""
NETWORK_NAMES = ("127.0.0.1", "172.17.0.1", "169.254.169.254", "abstract", "path", "inet", "inet6", "raw", "packet",
                 "netlink", "vsock", "crypto", "bluetooth", "tipc pair")  # fmt: skip


def test_no_network(run: Any, listeners: dict[str, Any]) -> None:
    assert_refused(run(NETWORK.format(**listeners)), *NETWORK_NAMES)


def test_without_a_jail_the_same_code_reaches_the_network(bare: Pool, listeners: dict[str, Any]) -> None:
    verdicts = {name: verdict for name, verdict, _ in told(runner(bare)(NETWORK.format(**listeners)))}
    assert [verdicts[name] for name in ("127.0.0.1", "abstract", "path", "inet", "netlink")] == ["REACHED"] * 5


def test_local_sockets_work_inside(run: Any) -> None:
    outcome = run("a, b = socket.socketpair(); a.send(b'x'); tell(b.recv(1).decode())")
    assert told(outcome) == ["x"]


ENVIRONMENT = """
found = [key for key in os.environ if "SECRET" in key]
for entry in os.listdir("/proc"):
    for file in ("environ", "cmdline"):
        try:
            if b"ENVBOUNTY_SECRET" in open(f"/proc/{entry}/{file}", "rb").read(): found.append(f"{entry}/{file}")
        except OSError: pass
tell(found)
"""


def test_nothing_of_the_hosts_environment(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVBOUNTY_SECRET", "token")  # before the server of a new shape is started
    assert told(run(ENVIRONMENT, fresh=True)) == [[]]
    kept = told(run("tell(sorted(os.environ))", fresh=True))[0]
    assert set(kept) <= {
        "PATH",
        "LANG",
        "HOME",
        "TMPDIR",
        "PYTHONHASHSEED",
        "PYTHONDONTWRITEBYTECODE",
        "LC_CTYPE",
    }


@pytest.fixture
def host_files() -> Iterator[list[str]]:
    """A file that anybody may read in each place where a host keeps what matters."""
    made = []
    for folder in (
        "/tmp",
        "/dev/shm",
        "/var/tmp",
        "/opt",
        "/etc",
        "/var/lib",
        "/usr/local",
        str(Path.home()),
    ):
        try:
            path = Path(folder, f"envbounty-test-{os.getpid()}")
            path.write_text("secret")
            path.chmod(0o644)
            made.append(path)
        except OSError:
            continue  # not root, or no such place
    yield [str(path) for path in made]
    for path in made:
        path.unlink()


def test_no_files_of_the_host(run: Any, bare: Pool, host_files: list[str]) -> None:
    code = f"for path in {host_files!r}: attempt(path, lambda: open(path).read())"
    assert len(host_files) >= 3
    assert_refused(run(code), *host_files)
    assert {verdict for _, verdict, _ in told(runner(bare)(code))} == {"REACHED"}


def test_no_homes_and_no_accounts(run: Any) -> None:
    # The interpreter itself may lie in a home: the folders above it are there, and nothing beside it.
    outcome = run("""
def list_all(folder):
    names = set(os.listdir(folder)) - set(sys.base_prefix.split("/"))
    if not names: raise OSError("empty")
    return names
for folder in ("/root", "/home", "/var/lib/docker", "/run/docker.sock", "/mnt", "/media", "/srv", "/opt"):
    attempt(folder, lambda: list_all(folder))
attempt("shadow", lambda: open("/etc/shadow").read())
attempt("mem", lambda: open("/dev/mem"))
attempt("kmsg", lambda: open("/dev/kmsg"))
attempt("kcore", lambda: open("/proc/kcore", "rb").read(4).index(b"ELF"))  # an empty device in a container
attempt("sysrq", lambda: open("/proc/sysrq-trigger", "w"))
attempt("core_pattern", lambda: open("/proc/sys/kernel/core_pattern", "w"))
""")
    assert outcome.ok and all(verdict == "refused" for _, verdict, _ in told(outcome)), outcome


def test_inputs_can_be_read_and_not_changed(run: Any) -> None:
    outcome = run("""
tell([open(JOB_IN + "/a").read(), open(JOB_IN + "/deep/er/b").read(), sys.stdin.read()])
attempt("write", lambda: open(JOB_IN + "/a", "w"))
attempt("append", lambda: open(JOB_IN + "/a", "a"))
attempt("create", lambda: open(JOB_IN + "/new", "w"))
attempt("chmod", lambda: os.chmod(JOB_IN + "/a", 0o777))
attempt("rename", lambda: os.rename(JOB_IN + "/a", JOB_IN + "/c"))
attempt("rename folder", lambda: os.rename(JOB_IN, "/tmp/in"))
attempt("unlink", lambda: os.unlink(JOB_IN + "/a"))
attempt("replace", lambda: os.symlink("/tmp", "/job/x"))
attempt("stdin", lambda: open("/job/stdin", "w"))
attempt("stdin descriptor", lambda: os.write(0, b"x"))
attempt("remount", lambda: syscall(165, b"none", b"/job", b"tmpfs", 32, 0))
attempt("unmount", lambda: syscall(166, b"/job", 2))
tell(open(JOB_IN + "/a").read())
""", inputs={"a": b"A", "deep/er/b": b"B"}, stdin=b"S")  # fmt: skip
    assert outcome.ok, outcome
    first, *verdicts, last = told(outcome)
    assert (first, last) == (["A", "B", "S"], "A")
    assert {verdict for _, verdict, _ in verdicts} == {"refused"}, verdicts


def test_an_input_can_be_executed(jail: Pool) -> None:
    job = Job(argv=["{in}/run", "{in}"], inputs={"run": b"#!/bin/sh\nread line; echo $line $1\n"}, stdin=b"hello\n")
    assert jail.run(job).stdout == b"hello /job/in\n"


def test_inputs_of_the_largest_size(jail: Pool) -> None:
    size = 60 << 20
    outcome = runner(jail)("tell(os.stat(JOB_IN + '/big').st_size)", inputs={"big": bytes(size)}, memory_mb=128)
    assert (outcome.status, told(outcome)) == (Status.OK, [size]), outcome.detail
    with pytest.raises(ValueError, match="larger than 64 MB"):
        Job(code="pass", inputs={"big": bytes(65 << 20)})


KERNEL = """
attempt("unshare user", lambda: libc.unshare(0x10000000) and syscall(272, 0x10000000))
attempt("unshare mount", lambda: syscall(272, 0x20000))
attempt("mount", lambda: syscall(165, b"none", b"/tmp", b"tmpfs", 0, 0))
attempt("bpf", lambda: syscall(321, 5, 0, 0))
attempt("perf", lambda: syscall(298, 0, 0, -1, -1, 0))
attempt("keyctl", lambda: syscall(250, 0, -3, 1))
attempt("add_key", lambda: syscall(248, b"user", b"a", b"b", 1, -3))
attempt("io_uring", lambda: syscall(425, 1, 0))
attempt("userfaultfd", lambda: syscall(323, 1))
attempt("memfd", lambda: os.memfd_create("x"))
attempt("ptrace", lambda: syscall(101, 16, 1, 0, 0))
attempt("pidfd_getfd", lambda: syscall(438, os.pidfd_open(os.getpid()), 0, 0))
attempt("setuid", lambda: os.setuid(0) if os.getuid() else syscall(126, 0, 0))
attempt("chroot", lambda: os.chroot("/tmp"))
attempt("mknod", lambda: os.mknod("/tmp/disk", 0o60666, os.makedev(8, 0)))
attempt("msgget", lambda: syscall(68, 0, 0o1666))
attempt("shmget", lambda: syscall(29, 0, 4096, 0o1666))
attempt("nice", lambda: os.nice(-5))
attempt("hostname", lambda: socket.sethostname("x"))
attempt("clock", lambda: time.clock_settime(time.CLOCK_REALTIME, 0))
"""
KERNEL_NAMES = ("unshare user", "unshare mount", "mount", "bpf", "perf", "keyctl", "add_key", "io_uring", "userfaultfd",
                "memfd", "ptrace", "pidfd_getfd", "setuid", "chroot", "mknod", "msgget", "shmget", "nice", "hostname",
                "clock")  # fmt: skip


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the system-call numbers here are those of x86_64")
def test_no_odd_corners_of_the_kernel(jail: Pool) -> None:
    code, names = KERNEL, KERNEL_NAMES
    if jail.name == "docker+runsc":  # whose priorities are its own affair: the host never hears of them
        code, names = code.replace('attempt("nice", lambda: os.nice(-5))\n', ""), tuple(set(names) - {"nice"})
    assert_refused(runner(jail)(code), *names)


#: getpid by an instruction, `ret`: through the 32-bit table, and through that of x32.
FOREIGN = {"ia32": "b814000000cd80c3", "x32": "b8270000400f05c3"}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86_64 has other system-call tables")
@pytest.mark.parametrize("table", FOREIGN)
def test_no_other_system_call_table(run: Any, table: str) -> None:
    outcome = run(f"""
import mmap
page = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=7)
page.write(bytes.fromhex({FOREIGN[table]!r}))
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
got = ctypes.CFUNCTYPE(ctypes.c_long)(address)()
tell([got, os.getpid()])
""")
    if outcome.status is Status.OK:  # not every kernel has these tables; then the call fails by itself
        got, pid = told(outcome)[0]
        assert got != pid and got < 0
    else:
        assert outcome.status is Status.SIGNALLED, outcome


def test_only_its_own_descriptors(run: Any) -> None:
    outcome = run("tell(sorted(int(name) for name in os.listdir('/proc/self/fd')))")
    opened = max(told(outcome)[0])  # the listing itself
    assert set(told(outcome)[0]) - {opened} == {0, 1, 2, 3}
    outcome = run("""
for fd in range(4, 1024):
    try: os.fstat(fd)
    except OSError: continue
    tell(fd)
""")
    assert told(outcome) == []


def test_no_terminal(run: Any) -> None:
    outcome = run("""
import fcntl, termios
attempt("tty", lambda: open("/dev/tty"))
attempt("inject", lambda: fcntl.ioctl(0, termios.TIOCSTI, b"x"))
attempt("inject elsewhere", lambda: fcntl.ioctl(os.open("/dev/null", os.O_RDWR), termios.TIOCSTI, b"x"))
tell([os.isatty(fd) for fd in range(3)])
""")
    *verdicts, terminals = told(outcome)
    assert [verdict for _, verdict, _ in verdicts] == ["refused"] * 3
    assert terminals == [False] * 3


def test_our_own_processes_are_out_of_reach(jail: Pool) -> None:
    outcome = runner(jail)("""
def others(): return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
for pid in {1, os.getppid(), *others()} - {0}:
    attempt(f"mem {pid}", lambda: open(f"/proc/{pid}/mem", "r+b"))
    for fd in range(16):
        attempt(f"fd {fd} of {pid}", lambda: os.close(os.open(f"/proc/{pid}/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK)))
    attempt(f"environ {pid}", lambda: open(f"/proc/{pid}/environ", "rb").read())
    attempt(f"cwd {pid}", lambda: os.listdir(f"/proc/{pid}/cwd"))
    attempt(f"root {pid}", lambda: os.listdir(f"/proc/{pid}/root"))
    attempt(f"limits {pid}", lambda: __import__("resource").prlimit(pid, 7, (0, 0)))
    attempt(f"priority {pid}", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
    attempt(f"class {pid}", lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
    attempt(f"processor {pid}", lambda: os.sched_setaffinity(pid, {0}))
attempt("priority of the user", lambda: os.setpriority(os.PRIO_USER, 0, 19))
attempt("priority of the group", lambda: os.setpriority(os.PRIO_PGRP, 0, 19))
""")
    verdicts = told(outcome)
    assert outcome.ok and len(verdicts) >= 10
    reached = {name for name, verdict, _ in verdicts if verdict == "REACHED"}
    if jail.name == "docker+runsc":
        # Debian's old gVisor shows the environment of other users' processes, in which there is nothing but
        # our own few words, and lets their /dev/null be opened.
        reached = {name for name in reached if not name.startswith(("environ", "fd 0", "fd 1 ", "fd 5"))}
    assert reached == set(), verdicts


def test_signals_do_not_reach_our_own_processes(run: Any) -> None:
    code = """
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGSTOP, signal.SIGKILL):
    for pid in {1, os.getppid()} - {0}:
        try: os.kill(pid, number)
        except OSError: pass
tell("alive")
"""
    assert told(run(code)) == ["alive"]


def test_its_privileges_are_gone(run: Any) -> None:
    outcome = run("""
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
tell({key: int(status.get(key, "0"), 16) for key in ("CapEff", "CapPrm", "CapInh", "CapAmb")})
tell([status.get("NoNewPrivs", "1").strip(), status.get("Seccomp", "2").strip(), os.getgroups()])
""")
    capabilities, rest = told(outcome)
    assert set(capabilities.values()) == {0}
    assert rest[:2] == ["1", "2"]
    assert rest[2] in ([], [65534], [0])  # an ordinary user has no right to drop the groups it came with


def test_a_setuid_program_gives_nothing(jail: Pool) -> None:
    code = (
        PRELUDE
        + """
import subprocess
for path in ("/usr/bin/su", "/usr/bin/passwd", "/usr/bin/mount"):
    if os.path.exists(path):
        try: subprocess.run([path, "--help"], capture_output=True, timeout=20)
        except OSError: pass
tell(os.getresuid())
"""
    )
    outcome = jail.run(Job(code=code, limits=Limits(processes=8, wall_s=60)))
    assert outcome.ok and len(set(told(outcome)[0])) == 1


def test_of_all_in_the_jail_the_kernel_would_end_the_job(run: Any) -> None:
    assert told(run("tell(int(open('/proc/self/oom_score_adj').read()))")) == [1000]
