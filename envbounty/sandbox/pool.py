"""A few warm jail servers, shared by all threads. This is the `Jail` that the rest of the program holds."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from envbounty.sandbox.job import Job, Outcome, Status
from envbounty.sandbox.worker import Broken, Shape, Worker

#: A server is replaced after this many jobs, whatever they did.
MAX_JOBS = 500
#: How often a job is tried when the jail breaks under it, before that is reported.
TRIES = 2


class Backend(Protocol):
    """Knows how to start a jail server; `Pool` does the rest."""

    name: str
    isolated: bool

    @property
    def detail(self) -> str: ...

    def start(self, shape: Shape, number: int) -> Worker: ...


class Pool:
    """At most `size` servers at once. `run` waits for a free one."""

    def __init__(self, backend: Backend, size: int) -> None:
        self.backend = backend
        self.name = backend.name
        self.isolated = backend.isolated
        self.runs = 0
        self._free: list[Worker] = []
        self._all: set[Worker] = set()
        self._slots = threading.Semaphore(size)
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._closed = False
        # bubblewrap dies with the *thread* that started it, so one that lives as long as the pool starts them all.
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="jail-starter")

    def run(self, job: Job, *, fresh: bool = False) -> Outcome:
        shape = Shape(job.limits.memory_mb, job.limits.processes, job.limits.scratch_mb)
        with self._slots:
            why = ""
            for _ in range(TRIES):
                try:
                    worker = self._take(shape, fresh)
                except Broken as error:
                    why = str(error)
                    continue
                keep = False
                try:
                    outcome = worker.run(job)
                    keep = not fresh and worker.jobs < MAX_JOBS
                    with self._lock:
                        self.runs += 1
                    return outcome
                except Broken as error:
                    why = str(error)
                finally:
                    self._give(worker, keep)
            return Outcome(Status.INFRA, f"the jail failed {TRIES} times: {why}")

    def close(self) -> None:
        with self._lock:
            self._closed = True
            workers, self._all, self._free = list(self._all), set(), []
        for worker in workers:
            worker.close()
        self._starter.shutdown(wait=True)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _take(self, shape: Shape, fresh: bool) -> Worker:
        with self._lock:
            if self._closed:
                raise Broken("the pool is closed")
            if not fresh:
                for worker in self._free:
                    if worker.shape == shape:
                        self._free.remove(worker)
                        return worker
            # A slot is ours, so the servers that exist and are free are too many by one at the most.
            surplus = self._free.pop(0) if self._free else None
            if surplus is not None:
                self._all.discard(surplus)
        if surplus is not None:
            surplus.close()
        try:
            worker = self._starter.submit(self.backend.start, shape, next(self._numbers)).result()
        except RuntimeError as error:
            raise Broken(f"the pool is closed: {error}") from None
        with self._lock:
            if not self._closed:
                self._all.add(worker)
                return worker
        worker.close()
        raise Broken("the pool is closed")

    def _give(self, worker: Worker, keep: bool) -> None:
        with self._lock:
            keep = keep and not self._closed
            if keep:
                self._free.append(worker)
            else:
                self._all.discard(worker)
        if not keep:
            worker.close()
