"""The independent judge: is an accepted submission wrong? It never asks the verifier.

For a found grader there is no generator. The referee records the calls that the grader itself makes to the reference,
makes more like them (`envbounty.verify.inputs`), keeps those on which the reference is well defined, and holds
submissions against the reference there, each in a jail of its own. Where results cannot be compared it abstains.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

from envbounty.environment import Environment
from envbounty.environment.spec import Answers, Compare
from envbounty.findings import clip, show
from envbounty.verify.bench import Bench, Reply
from envbounty.verify.inputs import Call, derive
from envbounty.verify.inputs.values import kind, shown_call
from envbounty.verify.values import Unreadable, canonical, read_json, same

#: Floats are held together as loosely as any test does, so that only a real difference accuses. This also stands for
#: a grader that declares nothing: most that are found compare with one right result.
LOOSE = Answers(compare=Compare.TOLERANCE, abs_tol=1e-6, rel_tol=1e-6)
#: So many of the grader's own calls are kept.
CALLS = 200
#: So many calls are made from them.
DERIVED = 120
#: A derived call on which the reference takes longer than this (seconds) would make every look expensive; and all of
#: them together take no longer than that.
QUICK_S, ALL_S = 0.05, 0.2
#: What programs give where they have nothing to give, as `canonical` writes it.
FALLBACKS = frozenset(map(canonical, (None, False, 0, 1, -1, 0.0, "", [], {})))
CAPTURED = "envbounty-calls.jsonl"

#: Put behind a reference, it notes the arguments of every call from outside before passing them on.
RECORDER = """

def _envbounty_record(function, path={path!r}, limit={limit}):
    import functools, json
    count, depth = [0], [0]
    def coded(value):
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, list):
            return [coded(item) for item in value]
        if isinstance(value, tuple):
            return {{"__tuple__": [coded(item) for item in value]}}
        if isinstance(value, (set, frozenset)):
            return {{"__set__": sorted((coded(item) for item in value), key=json.dumps)}}
        if isinstance(value, dict):
            if all(isinstance(key, str) for key in value):
                return {{key: coded(item) for key, item in value.items()}}
            return {{"__dict__": [[coded(key), coded(item)] for key, item in value.items()]}}
        raise TypeError
    @functools.wraps(function)
    def recorded(*args, **kwargs):
        if count[0] < limit and not depth[0]:
            count[0] += 1
            try:
                line = json.dumps([[coded(value) for value in args], coded(kwargs)])
                with open(path, "a") as file:
                    file.write(line + "\\n")
            except Exception:
                pass
        depth[0] += 1
        try:
            return function(*args, **kwargs)
        finally:
            depth[0] -= 1
    return recorded

{name} = _envbounty_record({name})
"""


class Difference(NamedTuple):
    """Where a submission and the reference part: the call, and what each of them made of it."""

    call: str
    expected: str
    got: str


@dataclass(frozen=True)
class Screened:
    """On how many calls a program certainly differs from the reference, of how many on which both were run."""

    known: int  # of the grader's own calls
    of_known: int
    fresh: int  # of derived ones
    of_fresh: int
    slow: bool = False  # it ran out of time, so that the rest is unknown


@dataclass(frozen=True)
class _Case:
    call: Call
    expected: Any
    seconds: float  # that the reference took


class Referee:
    """Holds submissions of one environment against its reference. See the module."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._env: Environment = bench.env
        self._name = self._env.spec.submission.function or ""
        declared = self._env.spec.scoring.answers
        self._many = declared.compare is Compare.MANY and "compare" in declared.model_fields_set
        self._answers = LOOSE if declared.compare in (Compare.MANY, Compare.EXACT, Compare.CUSTOM) else declared

    # --- calls -------------------------------------------------------------------------------------------------------

    @cached_property
    def calls(self) -> list[Call]:
        """The calls that the grader makes to the reference, each once."""
        recorder = RECORDER.format(path=f"/tmp/{CAPTURED}", limit=CALLS, name=self._name)
        _, files = self._bench.grade_and_fetch(self._env.reference.text + recorder, [CAPTURED])
        return read_calls(files.get(CAPTURED, b""))

    @cached_property
    def known(self) -> list[_Case]:
        """The grader's own calls on which the reference is defined and gives the same twice."""
        return self._defined(self.calls, quick=False)

    @cached_property
    def fresh(self) -> list[_Case]:
        """Calls like those, which the grader does not make, and on which the reference is well defined."""
        if len(self.known) < 2:
            return []
        rng = Random(f"{self._bench.seed}:{self._env.spec.name}:derive")
        calls = derive([case.call for case in self.known], rng, DERIVED, constants(self._env.reference.text))
        calls.sort(key=_weight)  # what takes long comes late, and ends the run
        found = _like(self.known, self._defined(calls, quick=True))
        for good in self._env.good:  # where right programs part, the input is outside the task
            got = self._bench.call(good.text, [case.call for case in found], loose=True)
            found = [case for case, reply in zip(found, got, strict=True) if self._agrees(case, reply)]
        return found

    def _defined(self, calls: Sequence[Call], *, quick: bool) -> list[_Case]:
        if not calls:
            return []
        seconds = 0.25 if quick else None
        text = self._env.reference.text
        first, second = (self._bench.call(text, calls, loose=True, seconds=seconds) for _ in range(2))
        cases = []
        for call, reply, again in zip(calls, first, second, strict=True):
            if reply.fault is not None or again.fault is not None or reply.value != again.value:
                continue
            cases.append(_Case(call, reply.value, min(reply.seconds, again.seconds)))
        return _within(cases, ALL_S) if quick else cases

    def _agrees(self, case: _Case, reply: Reply) -> bool:
        return reply.fault is None and same(case.expected, reply.value, self._answers) is not False

    # --- judgements --------------------------------------------------------------------------------------------------

    def difference(self, text: str) -> Difference | None:
        """The first call on which submission `text` is certainly wrong; None where there is none, or none is known."""
        for cases in (self.known, self.fresh):
            for case, reply in zip(cases, self._run(text, cases), strict=True):
                if (found := self._part(case, reply)) is not None:
                    return found
        return None

    def differences(self, text: str) -> tuple[list[Difference], list[Difference]]:
        """Those of `known` and those of `fresh` on which `text` is certainly wrong."""
        known, fresh = (
            [self._part(case, reply) for case, reply in zip(cases, self._run(text, cases, seconds=2.0), strict=True)]
            for cases in (self.known, self.fresh)
        )
        return [one for one in known if one is not None], [one for one in fresh if one is not None]

    def _run(self, text: str, cases: Sequence[_Case], seconds: float | None = None) -> list[Reply]:
        return self._bench.call(text, [case.call for case in cases], loose=True, seconds=seconds) if cases else []

    def _part(self, case: _Case, reply: Reply) -> Difference | None:
        if reply.fault is None:
            if not self._differs(case.expected, reply.value):
                return None
            got = show(reply.value)
        elif reply.fault.kind in ("raise", "exit", "died"):
            got = str(reply.fault)[-300:]
        else:
            return None  # out of time or of memory here: that says nothing of there
        return Difference(clip(shown_call(self._name, case.call), 1000), show(case.expected), got)

    def _differs(self, right: Any, mine: Any) -> bool:
        if self._many and type(right) is type(mine):
            return False  # it is declared that several results are right, so another one of that type may be
        return same(right, mine, self._answers) is False

    @property
    def _screening(self) -> tuple[list[_Case], list[_Case]]:
        return _within(self.known, ALL_S), self.fresh

    def screen(self, texts: Sequence[str]) -> list[Screened | None]:
        """A quick look at many programs; None for one that could not be run. What it says must be seen again."""
        cases = [case for group in self._screening for case in group]
        seconds = sum(case.seconds for case in cases)
        replies = self._bench.screen(texts, [case.call for case in cases], seconds)
        return [None if reply.fault is not None else self._screened(reply.value) for reply in replies]

    def _screened(self, said: Any) -> Screened | None:
        if not isinstance(said, list):
            return None
        groups = self._screening
        cases = [(index, case) for index, group in enumerate(groups) for case in group]
        wrong, ran = [0, 0], [0, 0]
        slow = False
        for (group, case), one in zip(cases, said, strict=False):
            if not isinstance(one, dict):
                return None
            if one.get("f") == "timeout":
                slow = True
                break
            ran[group] += 1
            wrong[group] += "f" in one or self._differs(case.expected, one.get("v"))
        if not slow and len(said) < len(cases):  # it does not load, or it ended its process
            wrong = ran = [len(group) for group in groups]
        return Screened(wrong[0], ran[0], wrong[1], ran[1], slow)


def _like(known: Sequence[_Case], fresh: Sequence[_Case]) -> list[_Case]:
    """Those of `fresh` whose result is of the sort that the tests show.

    A result such as None, 0 or an empty list which no test shows, given again and again, is what a reference falls
    back to where its task does not go: such inputs are left out.
    """
    kinds = {kind(case.expected) for case in known}
    seen = {canonical(case.expected) for case in known}
    counts = Counter(canonical(case.expected) for case in fresh)
    return [
        case
        for case in fresh
        if kind(case.expected) in kinds
        and _finite(case.expected)
        and not (
            (text := canonical(case.expected)) in FALLBACKS and text not in seen and counts[text] >= 3
        )
    ]


def _within(cases: Sequence[_Case], seconds: float) -> list[_Case]:
    """The first of `cases` that are quick, as many as the reference does in so many seconds."""
    kept: list[_Case] = []
    for case in cases:
        seconds -= case.seconds
        if case.seconds <= QUICK_S and (seconds >= 0 or not kept):
            kept.append(case)
    return kept


def _weight(value: Any) -> float:
    """How much work an argument may be: its length and its numbers' sizes."""
    if isinstance(value, (list, tuple)):
        return 1 + sum(map(_weight, value))
    if isinstance(value, dict):
        return 1 + sum(map(_weight, value.values()))
    if isinstance(value, (int, float)):
        return abs(value) if math.isfinite(value) else 0.0
    return float(len(value)) if isinstance(value, str) else 1.0


def _finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def read_calls(data: bytes) -> list[Call]:
    """The calls that the recorder wrote, each once. Lines that are no call are left out."""
    found: dict[bytes, Call] = {}
    for line in data.splitlines()[: 2 * CALLS]:
        try:
            call = read_json(line)
        except Unreadable:
            continue
        if isinstance(call, list) and len(call) == 2 and isinstance(call[0], list) and isinstance(call[1], dict):
            found.setdefault(line, (call[0], call[1]))
    return list(found.values())


def constants(source: str, most: int = 40) -> list[Any]:
    """Numbers and short texts that a program names: where its behaviour changes is often there, or one beside it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            value = node.value
            if isinstance(value, bool) or (isinstance(value, str) and not 0 < len(value) <= 20):
                continue
            if isinstance(value, str) or (isinstance(value, (int, float)) and abs(value) < 10**6):
                found.setdefault(repr(value), value)
                if isinstance(value, int):
                    for beside in (value - 1, value + 1):
                        found.setdefault(repr(beside), beside)
    return list(found.values())[:most]
