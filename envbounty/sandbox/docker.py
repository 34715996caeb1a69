"""The outer jail for runners, servers and other systems than Linux: a hardened container, gVisor where there is one.

In a container the server has no right to make namespaces, so jobs are told apart by a uid of their own, and the scratch
is wiped after each.
"""

from __future__ import annotations

import contextlib
import os
import platform
import select
import socket
import struct
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from envbounty.sandbox.job import INPUTS_MB, JailUnavailable
from envbounty.sandbox.seccomp import filters
from envbounty.sandbox.worker import Broken, Shape, Worker, new_uids, server_argv, server_config

if TYPE_CHECKING:
    from docker.models.containers import Container

    from docker import DockerClient

#: Holds Python and a C and C++ compiler. Built by docker/jail/.
DEFAULT_IMAGE = os.environ.get("ENVBOUNTY_JAIL_IMAGE", "envbounty-jail:1")
#: By these labels what a killed run left behind is found and removed: who started it, and on what machine that is.
LABEL, MACHINE_LABEL = "envbounty.jail", "envbounty.machine"

OVERHEAD_MB, OVERHEAD_PROCESSES = 256, 16
#: The gVisor kernel's own threads count as processes of the container.
GVISOR_PROCESSES = 1024
STDOUT, STDERR = 1, 2
MAX_WORDS = 4000
#: How long the engine may take to end a container.
REMOVE_S = 30.0


class DockerChannel:
    """A jail server as process 1 of a container, spoken to over the engine's attach stream.

    That stream interleaves standard output and error in frames of 8 bytes (stream, 3 zeros, length) and a payload.
    """

    def __init__(self, container: Container, api: Any) -> None:
        self._container = container
        self._api = api
        # Attached before the start, so nothing is lost.
        stream = api.attach_socket(container.id, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
        self._stream = stream  # owns the connection
        self._socket: socket.socket = getattr(stream, "_sock", stream)
        self._ready = bytearray()
        self._raw = bytearray()
        self._words = bytearray()
        self._ended = False
        self._socket.setblocking(False)

    def send(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            # An attach stream that nobody reads blocks the engine itself, so whatever arrives is taken at once.
            ready = self._wait(select.POLLIN | select.POLLOUT, deadline)
            if ready & ~select.POLLOUT:
                self._take()
            if ready & select.POLLOUT:
                try:
                    view = view[self._socket.send(view) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise self._gone(str(error)) from None

    def receive(self, count: int, deadline: float) -> bytes:
        while len(self._ready) < count:
            self._wait(select.POLLIN, deadline)
            self._take()
        data = bytes(self._ready[:count])
        del self._ready[:count]
        return data

    def _wait(self, events: int, deadline: float) -> int:
        poll = select.poll()
        poll.register(self._socket, events)
        ready = poll.poll(max(0.0, deadline - time.monotonic()) * 1000)
        if not ready:
            raise Broken(f"the container did not answer in time: {self.words()}")
        return ready[0][1]

    def _gone(self, how: str) -> Broken:
        self._ended = True
        return Broken(f"the container is gone ({how}): {self.words()}")

    def _take(self) -> None:
        try:
            chunk = self._socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError as error:
            raise self._gone(str(error)) from None
        if not chunk:
            raise self._gone("it ended")
        self._raw += chunk
        while len(self._raw) >= 8:
            kind, length = struct.unpack(">BxxxI", self._raw[:8])
            if len(self._raw) < 8 + length:
                break
            payload = self._raw[8 : 8 + length]
            del self._raw[: 8 + length]
            if kind == STDOUT:
                self._ready += payload
            elif kind == STDERR:
                self._words = (self._words + payload)[-MAX_WORDS:]

    def words(self) -> str:
        return self._words.decode(errors="replace").strip()[-2000:]

    def memory_kills(self) -> int:
        """Inside the container its server counts them; this says whether the container itself was killed so."""
        if not self._ended:
            return 0
        with contextlib.suppress(Exception):
            for _ in range(20):  # the stream ends a moment before the engine knows why
                self._container.reload()
                state = self._container.attrs["State"]
                if not state["Running"]:
                    return int(state["OOMKilled"])
                time.sleep(0.05)
        return 0

    def kill(self) -> None:
        self._ended = True
        remove(self._container)

    def close(self) -> None:
        with contextlib.suppress(Exception):
            self._socket.close()
            self._stream.close()
        self.kill()


def remove(container: Container) -> None:
    """Force a container away, and wait until it is: the engine may be busy starting, ending or removing it."""
    deadline = time.monotonic() + REMOVE_S
    while time.monotonic() < deadline:
        try:
            container.remove(force=True, v=True)
        except Exception as error:
            if getattr(getattr(error, "response", None), "status_code", None) == 404:
                return
        time.sleep(0.02)


def machine() -> str:
    """Names the machine, and the view of its processes, in which our process id means something."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}:{os.stat('/proc/self/ns/pid').st_ino}"
    except OSError:
        return platform.node()


def owner(pid: int) -> str:
    """Names a running process so that no later one has the same name; empty when there is none."""
    try:
        started = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
        return f"{pid}:{started}"
    except OSError:
        pass  # no such process, or no /proc
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return ""
    except OSError:
        pass  # there is one, of another user
    return "" if os.path.isdir("/proc/self") else f"{pid}:"


def sweep(client: DockerClient) -> None:
    """Remove the containers of runs that were killed before they could. Others' are told from ours by their labels."""
    label = f"{MACHINE_LABEL}={machine()}"
    for container in client.containers.list(all=True, filters={"label": label}, ignore_removed=True):
        name = container.labels.get(LABEL, "")
        pid = name.partition(":")[0]
        if pid.isdigit() and owner(int(pid)) != name:
            remove(container)


class Docker:
    """Starts jail servers in containers."""

    isolated = True

    def __init__(self, image: str = DEFAULT_IMAGE, runtime: str | None = None) -> None:
        """`runtime` names the engine's runtime; by default gVisor's `runsc` where the engine offers it.

        Raises `JailUnavailable` when there is no SDK, no engine or no image.
        """
        try:
            import docker
        except ImportError:
            raise JailUnavailable(
                "Docker's SDK is not installed. Install it with: pip install 'envbounty[docker]'"
            ) from None
        try:
            self._client: DockerClient = docker.from_env(timeout=60)
            info = self._client.info()
        except Exception as error:
            raise JailUnavailable(
                f"no Docker engine answers ({type(error).__name__}). Start one (on Debian and Ubuntu: sudo apt-get "
                "install docker.io && sudo systemctl start docker), and let this user reach it."
            ) from None
        try:
            found = self._client.images.get(image)
        except Exception:
            raise JailUnavailable(
                f"the engine has no image {image}. Build it with: docker build -t {image} docker/jail "
                "(or, without a container registry: sudo docker/jail/build.sh)"
            ) from None
        self.image = image
        self.digest = str(found.id)
        runtimes = info.get("Runtimes", {})
        if runtime is not None and runtime not in runtimes:
            raise JailUnavailable(f"the engine has no runtime {runtime}; it has {', '.join(sorted(runtimes))}.")
        self.gvisor = runtime == "runsc" or (runtime is None and "runsc" in runtimes)
        self.runtime = "runsc" if self.gvisor else runtime
        self.name = "docker+runsc" if self.gvisor else "docker"
        self._filters = filters(info.get("Architecture"))
        with contextlib.suppress(Exception):  # others may be sweeping too; what is left is left for the next time
            sweep(self._client)

    @property
    def detail(self) -> str:
        return f"image {self.image} ({self.digest[:19]}), runtime {self.runtime or 'default'}, a uid per job"

    def start(self, shape: Shape, number: int) -> Worker:
        """A warm server for jobs of `shape`. Raises `Broken` when it does not come up."""
        config = server_config("uid", self._filters, number, uids=new_uids(), strict=not self.gvisor)
        try:
            container = self._client.containers.create(**self._settings(shape, number, config))
        except Exception as error:
            raise Broken(f"the engine would not make a container: {error}") from None
        channel = None
        try:
            channel = DockerChannel(container, self._client.api)
            container.start()
            return Worker(channel, shape)
        except Broken:
            channel.close() if channel else remove(container)
            raise
        except BaseException as error:
            channel.close() if channel else remove(container)
            if isinstance(error, Exception):
                raise Broken(f"the container did not start: {error}") from None
            raise

    def _settings(self, shape: Shape, number: int, config: str) -> dict[str, Any]:
        from docker.types import LogConfig, Ulimit

        scratch = shape.scratch_mb << 20
        shm = scratch // 4
        memory = (shape.memory_mb + 3 * shape.scratch_mb + OVERHEAD_MB) << 20
        processes = max(shape.processes, 32) + OVERHEAD_PROCESSES
        settings: dict[str, Any] = {
            "image": self.image,
            "command": server_argv("/usr/bin/python3", config),
            "entrypoint": [],
            "user": "0:0",  # the server; every job becomes a uid of its own before its code runs
            "network_mode": "none",
            "read_only": True,
            "cap_drop": ["ALL"],
            "cap_add": ["SETUID", "SETGID", "KILL"],
            "security_opt": ["no-new-privileges:true"],
            "pids_limit": max(processes, GVISOR_PROCESSES) if self.gvisor else processes,
            "mem_limit": memory,
            "memswap_limit": memory,
            "ipc_mode": "private",
            "shm_size": shm,
            "tmpfs": {
                "/tmp": f"size={scratch - shm},nr_inodes=4096,mode=1777,nosuid,nodev,exec",
                "/job": f"size={INPUTS_MB + 4}m,mode=755,nosuid,nodev,exec",
                "/dev/shm": f"size={shm},nr_inodes=64,mode=1777,nosuid,nodev,noexec",
            },
            "working_dir": "/",
            "hostname": "jail",
            "environment": {"PYTHONHASHSEED": str(number), "LANG": "C.UTF-8"},
            # The engine shuts the server's input when we are gone; it then ends, and the engine removes it. One of
            # gVisor is kept until we remove it, since only the engine knows whether memory was what ended it.
            "stdin_open": True,
            "auto_remove": not self.gvisor,
            "tty": False,
            "log_config": LogConfig(type="none"),  # logs of a chatty job fill the host's disk
            "labels": {LABEL: owner(os.getpid()), MACHINE_LABEL: machine()},
        }
        if self.runtime:
            settings["runtime"] = self.runtime
        if not self.gvisor:  # which refuses to set these
            settings["ulimits"] = [Ulimit(name="core", soft=0, hard=0)]
        return settings
