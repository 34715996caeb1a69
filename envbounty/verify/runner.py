"""Runs harnesses in the jail and reads what they say, within bounds and a budget. Knows jobs, not environments.

What comes out of a jail was written by a stranger, who can also write to the harness's own channel. It is therefore
read as a list of claims, one for each item and in order; whatever does not fit is left out, and harms only its writer.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from envbounty.findings import clip
from envbounty.sandbox import Jail, Job, Limits, Outcome, Status
from envbounty.verify import harness
from envbounty.verify.values import Unreadable, read_json

T = TypeVar("T")
R = TypeVar("R")

#: How long untrusted code may take to load.
IMPORT_S = 10.0
#: One process handles items for about so long; then a new one goes on. Code that switches its own clock off ends here.
ROUND_S = 20.0
#: After so many items that ran out of time, or ended their process in any way, the rest is not run.
TIMEOUTS, DEATHS = 3, 10
#: A job is given so many bytes of items, and the rest in a later one.
CHUNK = 8 << 20
#: What a harness itself calls a fault. Anything else in its records is somebody else's word.
SAID = ("raise", "exit", "not-json")
SIGALRM = -14


class Trouble(Exception):
    """Something of ours failed, so nothing can be said about the environment."""


class OutOfTime(Exception):
    """The budget for this environment is used up."""


class ImportFault(Exception):
    """The code could not even be loaded. Its message is the traceback's end."""


@dataclass(frozen=True)
class Fault:
    """Why there is no value."""

    kind: str  # raise, exit, died, timeout, memory, output, not-json, not-run
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail.strip()}" if self.detail else self.kind


#: Not the item's own doing: an earlier one made it pointless to go on.
NOT_RUN = Fault("not-run", "an earlier one failed already")


@dataclass(frozen=True)
class Reply:
    """One value from a jail, or the reason that there is none."""

    value: Any = None
    fault: Fault | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Batch:
    """A reply for each item, and which optional functions the loaded code has."""

    replies: list[Reply]
    has: frozenset[str] = frozenset()


@dataclass
class Runner:
    """Runs jobs for one environment and keeps count. Use from one thread; it spreads work over the jail's servers."""

    jail: Jail
    budget_s: float
    threads: int
    runs: int = 0
    started: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, job: Job, *, fresh: bool = False) -> Outcome:
        """One job, within what is left of the budget. Raises `OutOfTime`, and `Trouble` when the jail broke."""
        left = self.budget_s - (time.monotonic() - self.started)
        over = OutOfTime(f"the budget of {self.budget_s:g} s was used up")
        if left <= 0:
            raise over
        cut = job.limits.wall_s > left
        outcome = self.jail.run(replace(job, limits=replace(job.limits, wall_s=left)) if cut else job, fresh=fresh)
        with self._lock:
            self.runs += 1
        if outcome.status is Status.INFRA:
            raise Trouble(outcome.detail)
        if cut and outcome.status is Status.WALL:
            raise over
        return outcome

    def batch(
        self,
        name: str,
        task: Mapping[str, Any],
        inputs: Mapping[str, bytes],
        items: list[list[Any]],
        limits: Limits,
        *,
        fresh: bool = False,
        stop: bool = False,
        timeouts: int = TIMEOUTS,
    ) -> Batch:
        """One reply for each item from the harness `name`. Raises `ImportFault` when the code does not load.

        When the process ends early, the item it was at is to blame and the rest goes on in a new one (with `stop`, is
        not run). Where the limit that it met is the whole process's, only an item that meets it alone is to blame.
        After `timeouts` items that ran out of time the rest is not run.
        """
        replies: list[Reply] = []
        has: frozenset[str] = frozenset()
        alone, slow, deaths = False, 0, 0
        each_s = float(task["seconds"])
        while True:
            todo = lines_of(items, len(replies), 1 if alone else len(items))
            wall_s = IMPORT_S + (each_s + 2 if alone else max(ROUND_S, 2 * each_s))
            job = Job(
                code=harness.source(name),
                inputs={
                    **inputs,
                    "task.json": json.dumps({**task, "import_s": IMPORT_S}).encode(),
                    "items.jsonl": "".join(todo).encode(),
                },
                limits=replace(limits, wall_s=wall_s),
            )
            outcome = self.run(job, fresh=fresh)
            head, said = claims(outcome.result, len(todo))
            if head is None:
                raise ImportFault(_unloaded(outcome))
            if head.get("import") != "ok":
                raise ImportFault(clip(str(head.get("detail")), 2000))
            has = frozenset(str(one) for one in head["has"]) if isinstance(head.get("has"), list) else has
            replies += said
            if len(said) >= len(todo):
                if len(replies) >= len(items):
                    return Batch(replies, has)
                alone = False
                continue
            fault = fault_of(outcome) or Fault("exit", "ended the process with status 0")
            if outcome.exit_code == SIGALRM:  # the harness's own clock, which is set for each item
                fault = Fault("timeout", f"took longer than {each_s:g} s")
            elif said and fault.kind in ("timeout", "memory", "output"):
                alone = True
                continue
            replies.append(Reply(fault=fault))
            alone = False
            slow += fault.kind == "timeout"
            deaths += 1
            if stop or slow >= timeouts or deaths >= DEATHS:
                return Batch(replies + [Reply(fault=NOT_RUN)] * (len(items) - len(replies)), has)

    def spread(self, work: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """`work` for each item, several at a time, in order."""
        items = list(items)
        if self.threads < 2 or len(items) < 2:
            return [work(item) for item in items]
        with ThreadPoolExecutor(self.threads) as threads:
            return list(threads.map(work, items))


def lines_of(items: list[list[Any]], start: int, most: int) -> list[str]:
    """The next items as lines of JSON: at least one where there are any, and about `CHUNK` bytes in all."""
    lines: list[str] = []
    size = 0
    for item in items[start : start + most]:
        lines.append(json.dumps(item) + "\n")
        size += len(lines[-1])
        if size > CHUNK:
            break
    return lines


def claims(result: bytes, count: int) -> tuple[dict[str, Any] | None, list[Reply]]:
    """What a harness said of its import (None: nothing), and its replies to the first so many of `count` items."""
    head: dict[str, Any] | None = None
    replies: list[Reply] = []
    for record in records(result, 2 * count + 8):
        if len(replies) >= count and head is not None:
            break
        if head is None:
            head = record if record is not None and record.get("import") in ("ok", "fault") else None
        elif record is None:
            what = "gave something nested too deeply, or with a number too long"
            replies.append(Reply(fault=Fault("not-json", what)))
        elif record.get("i") == len(replies):
            replies.append(reply_of(record))
    return head, replies


def records(data: bytes, most: int) -> Iterator[dict[str, Any] | None]:
    """The first `most` lines as JSON objects; None for one that is none. A line cut off in its middle is left out."""
    start = 0
    for _ in range(most):
        end = data.find(b"\n", start)
        if end < 0:
            return
        try:
            record = read_json(data[start:end])
        except Unreadable:
            record = None
        yield record if isinstance(record, dict) else None
        start = end + 1


def reply_of(record: Mapping[str, Any]) -> Reply:
    """A harness's record of one item as a reply."""
    if "fault" in record:
        kind = str(record["fault"])
        return Reply(fault=Fault(kind if kind in SAID else "died", clip(str(record.get("detail", "")), 2000)))
    if "value" not in record:
        return Reply(fault=Fault("not-json", "gave a record that holds no value"))
    return Reply(record["value"], seconds=seconds_of(record.get("s")))


def seconds_of(value: Any) -> float:
    """A duration as claimed, 0 for nonsense."""
    return float(value) if isinstance(value, float) and math.isfinite(value) and value >= 0 else 0.0


def _unloaded(outcome: Outcome) -> str:
    """Why a process said nothing of its import."""
    if outcome.exit_code == SIGALRM or outcome.status is Status.WALL:
        return f"it took longer than {IMPORT_S:g} s to load"
    fault = fault_of(outcome)
    return f"its process ended while it was loading: {fault.detail if fault else 'with status 0'}"


def fault_of(outcome: Outcome) -> Fault | None:
    """A job's bad end as a fault, or None."""
    kinds = {
        Status.WALL: "timeout",
        Status.CPU: "timeout",
        Status.MEMORY: "memory",
        Status.OUTPUT: "output",
        Status.EXITED: "exit",
        Status.SIGNALLED: "died",
    }
    kind = kinds.get(outcome.status)
    if kind is None:
        return None
    words = outcome.stderr.decode(errors="replace").strip()[-1500:]
    return Fault(kind, f"{outcome.detail}\n{words}".strip())
