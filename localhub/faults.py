"""What can go wrong between a client and GitHub, as data: seeded, switched at run time, counted.

hub.faults.add("error_after", "POST .*/comments", times=1)     the comment is made, the answer is 500
hub.faults.add("unauthorized", times=2, fresh=1)               the first use of a token is refused, twice in all
hub.faults.before("PUT .*/merge", lambda: ann.push(...))       the head moves just before the merge
hub.faults.lag = 3                                             a changed head or check list shows after 3 reads
hub.faults.webhooks = Webhooks(drop=0.05, double=0.1)
hub.faults.clear()
"""

from __future__ import annotations

import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Kind = Literal[
    "bad_gateway",  # 502, and nothing was done
    "error_after",  # 500, but it was done
    "unauthorized",  # 401 for a good token
    "primary_limit",  # 403, x-ratelimit-remaining: 0
    "secondary_limit",  # 403, with retry-after when one is given
    "too_many",  # 429, with retry-after when one is given
    "slow",  # the answer comes `seconds` later
]


@dataclass
class Fault:
    """One kind of failure for the calls it matches. `calls` is a regular expression over `METHOD /path`."""

    kind: Kind
    calls: str = ".*"
    times: int | None = None  # how often it strikes; None: until it is taken away
    skip: int = 0  # lets this many matching calls pass first
    chance: float = 1.0
    retry_after: int | None = None  # seconds
    seconds: float = 0.0
    fresh: int | None = None  # only for a token's first so many uses


@dataclass(frozen=True)
class Webhooks:
    """Chances, from 0 to 1, of what happens to a webhook. At most one thing happens to each."""

    drop: float = 0.0  # recorded as failed, so that it can be redelivered
    lose: float = 0.0  # not even recorded
    double: float = 0.0  # sent twice with one id
    hold: float = 0.0  # overtaken by up to `held` later ones
    tamper: float = 0.0  # a byte of the body changes on its way
    held: int = 3


@dataclass(frozen=True)
class Fate:
    """What happens to one webhook."""

    kind: Literal["send", "drop", "lose", "double", "hold", "tamper"] = "send"
    held: int = 0


@dataclass
class _Hook:
    calls: str
    do: Callable[[], Any]
    skip: int
    times: int | None


@dataclass
class Struck:
    """What strikes one call: at most one fault that answers, and a delay."""

    fault: Fault | None = None
    seconds: float = 0.0


@dataclass
class Faults:
    """All faults of one hub. With none set, everything works."""

    seed: int = 0
    lag: int = 0  # reads that still show the state before a change
    unweighed: int = 0  # reads after a head or a base moved that do not know yet whether it merges (mergeable: null)
    webhooks: Webhooks = Webhooks()
    counts: Counter[str] = field(default_factory=Counter)
    active: list[Fault] = field(default_factory=list)
    _hooks: list[_Hook] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stale: dict[Any, tuple[Any, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def add(self, kind: Kind, calls: str = ".*", **more: Any) -> Fault:
        """Add a `Fault`; gives it back so that it can be removed from `active`."""
        fault = Fault(kind, calls, **more)
        with self._lock:
            self.active.append(fault)
        return fault

    def before(self, calls: str, do: Callable[[], Any], skip: int = 0, times: int | None = 1) -> None:
        """Call `do` just before a matching call is handled. No lock is held, so it may do anything to the hub."""
        with self._lock:
            self._hooks.append(_Hook(calls, do, skip, times))

    def clear(self) -> None:
        """From now on everything works. Counts stay."""
        with self._lock:
            self.active.clear()
            self._hooks.clear()
            self._stale.clear()
            self.lag, self.unweighed, self.webhooks = 0, 0, Webhooks()

    # For the server

    def hooks_for(self, call: str) -> list[Callable[[], Any]]:
        with self._lock:
            return [hook.do for hook in self._hooks if self._due(hook, call)]

    def strike(self, call: str, token_uses: int | None) -> Struck:
        """What strikes `call` (`METHOD /path`) by a token used `token_uses` times before; None: without a token."""
        struck = Struck()
        with self._lock:
            for fault in self.active:
                if fault.fresh is not None and (token_uses is None or token_uses >= fault.fresh):
                    continue
                if fault.kind != "slow" and struck.fault:
                    continue
                if not self._due(fault, call):
                    continue
                self.counts[fault.kind] += 1
                if fault.kind == "slow":
                    struck.seconds += fault.seconds
                else:
                    struck.fault = replace(fault)
        return struck

    def _due(self, it: Fault | _Hook, call: str) -> bool:
        if it.times == 0 or not re.search(it.calls, call):
            return False
        if it.skip:
            it.skip -= 1
            return False
        if isinstance(it, Fault) and self._random.random() >= it.chance:
            return False
        if it.times is not None:
            it.times -= 1
        return True

    def fate(self) -> Fate:
        """What happens to the next webhook."""
        with self._lock:
            roll, wanted = self._random.random(), self.webhooks
            for kind in ("drop", "lose", "double", "hold", "tamper"):
                roll -= getattr(wanted, kind)
                if roll < 0:
                    self.counts[f"webhook_{kind}"] += 1
                    return Fate(kind, self._random.randint(1, wanted.held))
        return Fate()

    def changed(self, key: Any, before: Any, reads: int | None = None) -> None:
        """Something readers see has changed from `before`: the next `lag` (or `reads`) reads of `key` show that."""
        reads = self.lag if reads is None else reads
        with self._lock:
            if reads and key not in self._stale:
                self._stale[key] = (before, reads)

    def shown(self, key: Any, now: Any) -> Any:
        """What a read of `key` shows: `now`, or what was before while reads lag. Counts as one read."""
        with self._lock:
            before, left = self._stale.get(key, (now, 0))
            if not left:
                return now
            self.counts["stale_read"] += 1
            if left == 1:
                del self._stale[key]
            else:
                self._stale[key] = (before, left - 1)
            return before


def wait(seconds: float, step: float = 0.05, stop: Iterable[threading.Event] = ()) -> None:
    """Sleep, but not past a stop."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and not any(event.is_set() for event in stop):
        time.sleep(min(step, max(0.0, until - time.monotonic())))
