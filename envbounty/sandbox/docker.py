"""The outer jail for runners, servers and systems other than Linux: a hardened container, gVisor where the engine has it.

In a container the server has no right to make namespaces, so jobs are told apart by a uid of their own, and the scratch
is wiped after each.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import select
import socket
import struct
import time
from typing import TYPE_CHECKING, Any

from envbounty.sandbox.job import JailUnavailable
from envbounty.sandbox.seccomp import filters
from envbounty.sandbox.worker import Broken, Shape, Worker, server_argv, server_config

if TYPE_CHECKING:
    from docker import DockerClient
    from docker.models.containers import Container

#: Holds Python and a C and C++ compiler. Built by docker/jail/.
DEFAULT_IMAGE = os.environ.get("ENVBOUNTY_JAIL_IMAGE", "envbounty-jail:1")
#: By this label what a killed run left behind can be found and removed.
LABEL = "envbounty.jail"

OVERHEAD_MB, OVERHEAD_PROCESSES = 192, 16
#: The gVisor kernel's own threads count as processes of the container.
GVISOR_PROCESSES = 1024
STDOUT, STDERR = 1, 2
MAX_WORDS = 4000

_numbers = itertools.count()


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
        self._socket.setblocking(False)

    def send(self, data: bytes, deadline: float) -> None:
        view = memoryview(data)
        while view:
            # An attach stream that nobody reads blocks the engine itself, so whatever arrives is taken at once.
            readable, writable = self._wait(True, deadline)
            if readable:
                self._take()
            if writable:
                try:
                    view = view[self._socket.send(view) :]
                except BlockingIOError:
                    continue
                except OSError as error:
                    raise Broken(f"the container is gone ({error}): {self.words()}") from None

    def receive(self, count: int, deadline: float) -> bytes:
        while len(self._ready) < count:
            self._wait(False, deadline)
            self._take()
        data = bytes(self._ready[:count])
        del self._ready[:count]
        return data

    def _wait(self, writing: bool, deadline: float) -> tuple[bool, bool]:
        left = deadline - time.monotonic()
        want = [self._socket] if writing else []
        readable, writable, _ = select.select([self._socket], want, [], max(0.0, left))
        if not readable and not writable:
            raise Broken(f"the container did not answer in time: {self.words()}")
        return bool(readable), bool(writable)

    def _take(self) -> None:
        try:
            chunk = self._socket.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError as error:
            raise Broken(f"the container is gone ({error}): {self.words()}") from None
        if not chunk:
            raise Broken(f"the container ended: {self.words()}")
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
        return 0

    def kill(self) -> None:
        with contextlib.suppress(Exception):
            self._socket.close()
            self._stream.close()
        remove(self._container)


def remove(container: Container) -> None:
    """Force a container away. A second try after a moment, since the engine may still be busy ending it."""
    for pause in (0.5, 2.0, 0.0):
        try:
            container.remove(force=True, v=True)
            return
        except Exception as error:
            if getattr(getattr(error, "response", None), "status_code", None) == 404:
                return
            time.sleep(pause)


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
            raise JailUnavailable("Docker's SDK is not installed. Install it with: pip install 'envbounty[docker]'") from None
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

    @property
    def detail(self) -> str:
        return f"image {self.image} ({self.digest[:19]}), runtime {self.runtime or 'default'}, a uid per job"

    def start(self, shape: Shape, number: int) -> Worker:
        """A warm server for jobs of `shape`. Raises `Broken` when it does not come up."""
        uids = 1_000_000_000 + (os.getpid() * 37 + next(_numbers)) % 8000 * 100_000
        config = server_config("uid", self._filters, number, uids=uids, strict=not self.gvisor)
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
            channel.kill() if channel else remove(container)
            raise
        except BaseException as error:
            channel.kill() if channel else remove(container)
            if isinstance(error, Exception):
                raise Broken(f"the container did not start: {error}") from None
            raise

    def _settings(self, shape: Shape, number: int, config: str) -> dict[str, Any]:
        from docker.types import LogConfig, Ulimit

        scratch = shape.scratch_mb << 20
        shm = scratch // 4
        memory = (shape.memory_mb + shape.scratch_mb + OVERHEAD_MB) << 20
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
                "/job": "size=64m,mode=755,nosuid,nodev,exec",
                "/dev/shm": f"size={shm},nr_inodes=64,mode=1777,nosuid,nodev,noexec",
            },
            "working_dir": "/",
            "hostname": "jail",
            "environment": {"PYTHONHASHSEED": str(number), "LANG": "C.UTF-8"},
            "stdin_open": True,
            "tty": False,
            "log_config": LogConfig(type="none"),  # logs of a chatty job fill the host's disk
            "labels": {LABEL: "1"},
        }
        if self.gvisor:
            settings["runtime"] = self.runtime
        else:
            if self.runtime:
                settings["runtime"] = self.runtime
            settings["ulimits"] = [Ulimit(name="core", soft=0, hard=0)]
        return settings
