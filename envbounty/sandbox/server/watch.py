"""Watching one job: its time, memory and output, until it has ended or has taken more than it may."""

from __future__ import annotations

import os
import resource
import select
import time

from envbounty.sandbox.server.base import (
    Blobs,
    Json,
)
from envbounty.sandbox.server.job import (
    tasks_allowed,
)

TICK_S = 0.02  # how often the memory and processor time of a job with several processes are summed


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
