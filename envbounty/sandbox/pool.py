"""A few warm jail servers, shared by all threads. This is the `Jail` that the rest of the program holds."""

from __future__ import annotations

import contextlib
import itertools
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Protocol

from envbounty.sandbox.job import Job, Outcome, Status
from envbounty.sandbox.worker import Broken, Shape, Worker

#: A server is replaced after this many jobs, whatever they did. Less than it has uids.
MAX_JOBS = 500
#: How often a job is tried when the jail breaks under it, before that is reported.
TRIES = 2
#: Idle servers kept for each that may work: a caller that alternates between shapes would else start one each time.
IDLE = 2


class Backend(Protocol):
    """Knows how to start a jail server; `Pool` does the rest."""

    name: str
    isolated: bool

    @property
    def detail(self) -> str: ...

    def start(self, shape: Shape, number: int) -> Worker: ...


class Pool:
    """At most `size` jobs at once. `run` waits for its turn."""

    def __init__(self, backend: Backend, size: int) -> None:
        self.backend = backend
        self.name = backend.name
        self.isolated = backend.isolated
        self.runs = 0
        self._idle = IDLE * size
        self._free: list[Worker] = []
        self._busy: set[Worker] = set()
        self._slots = threading.Semaphore(size)
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._closed = False
        # bubblewrap dies with the *thread* that started it, so threads that live as long as the pool start them all.
        self._starter = ThreadPoolExecutor(min(size, 4), thread_name_prefix="jail-starter")

    def run(self, job: Job, *, fresh: bool = False) -> Outcome:
        shape = Shape(job.limits.memory_mb, job.limits.processes, job.limits.scratch_mb)
        with self._slots:
            why = ""
            for attempt in range(TRIES):
                worker = None
                keep = False
                try:
                    # What ended one idle server may have ended the next one too: only a new one tells.
                    worker = self._take(shape, fresh or attempt > 0)
                    outcome = worker.run(job)
                    keep = not fresh and worker.jobs < MAX_JOBS
                    with self._lock:
                        self.runs += 1
                    return outcome
                except Broken as error:
                    why = str(error)
                finally:
                    if worker is not None:
                        self._give(worker, keep)
                if self._closed:
                    return Outcome(Status.INFRA, "the jail was closed")
            return Outcome(Status.INFRA, f"the jail failed {TRIES} times: {why}")

    def close(self) -> None:
        """Kill everything, also under jobs that run: their `run` then returns `infra`."""
        with self._lock:
            self._closed = True
            busy, free = list(self._busy), self._free
            self._free = []
        for worker in busy:
            worker.kill()  # the thread that uses it lets go of it
        for worker in free:
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
            for worker in [] if fresh else self._free:
                if worker.shape == shape:
                    self._free.remove(worker)
                    self._busy.add(worker)
                    return worker
            try:
                future = self._starter.submit(self._start, shape, next(self._numbers))
            except RuntimeError as error:  # the interpreter is shutting down
                raise Broken(f"the pool is closed: {error}") from None
        try:
            return future.result()
        except BaseException:
            future.add_done_callback(self._discard)  # Ctrl-C: somebody must let go of what is still being started
            raise

    def _start(self, shape: Shape, number: int) -> Worker:
        worker = self.backend.start(shape, number)
        with self._lock:
            if not self._closed:
                self._busy.add(worker)
                return worker
        worker.close()
        raise Broken("the pool is closed")

    def _discard(self, future: Future[Worker]) -> None:
        with contextlib.suppress(BaseException):
            self._give(future.result(), keep=False)

    def _give(self, worker: Worker, keep: bool) -> None:
        with self._lock:
            self._busy.discard(worker)
            gone = []
            if keep and not self._closed:
                self._free.append(worker)
                if len(self._free) > self._idle:
                    gone.append(self._free.pop(0))
            else:
                gone.append(worker)
        for one in gone:
            one.close()
