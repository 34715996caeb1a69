"""The workbench of one examination: what the author's code and submissions do, as facts.

Checks ask the bench for facts (instances, outputs, scores) and never meet a job, a jail or a byte.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any, TypeVar

from envbounty.environment import Environment, Kind, Language, Solution
from envbounty.findings import Stats
from envbounty.sandbox import Jail, Job, Limits, Outcome
from envbounty.verify import found
from envbounty.verify.found import Graded
from envbounty.verify.runner import NOT_RUN, TIMEOUTS, Fault, ImportFault, OutOfTime, Reply, Runner, Trouble, fault_of

__all__ = ["Bench", "Fault", "Graded", "ImportFault", "Instance", "OutOfTime", "Reply", "Trouble"]

T = TypeVar("T")
R = TypeVar("R")

#: At least so many fresh instances are tried, whatever the environment asks for.
MIN_INSTANCES = 20
#: A look at many programs handles so many in one process (what they say fits its limit) and takes so many seconds.
SCREENED, SCREEN_S = 25, 5.0
COMPILE = {
    Language.C: ("solution.c", "/usr/bin/gcc", "-std=c17"),
    Language.CPP: ("solution.cpp", "/usr/bin/g++", "-std=c++20"),
}
#: How the jail, or the compiler's front end, says that a compiler is not there. Errors in a program name its file.
_NO_COMPILER = re.compile(r"^(?:(?:gcc|g\+\+): fatal error: )?cannot execute ", re.MULTILINE)


@dataclass(frozen=True)
class Instance:
    """One instance and where it came from."""

    seed: int
    difficulty: int
    value: dict[str, Any]


@dataclass
class Bench:
    """See the module. Use from one thread; it spreads work over the jail's servers itself."""

    env: Environment
    jail: Jail
    seed: int = 0
    budget_s: float = 300.0
    threads: int = 2
    min_instances: int = MIN_INSTANCES
    checks: int = 0
    slowest_check_s: float = 0.0
    _compiled: dict[tuple[Language, str], bytes | Fault] = field(default_factory=dict)
    _has: frozenset[str] | None = None

    def __post_init__(self) -> None:
        self._runner = Runner(self.jail, self.budget_s, self.threads)

    # --- facts that every check may want -----------------------------------------------------------------------------

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """(seed, difficulty) of the instances used: drawn from the training range, spread over the levels."""
        spec = self.env.spec
        train = spec.seeds.train
        count = min(max(self.min_instances, spec.scoring.instances), train.count)
        draw = Random(f"{self.seed}:{spec.name}:instances")
        offsets = draw.sample(range(train.count), count)
        levels = spec.difficulty.levels(count)
        return [(train.first + offset, level) for offset, level in zip(offsets, levels, strict=True)]

    @cached_property
    def generated(self) -> list[Reply]:
        """What generate() gave for each of `places`."""
        return self.generate(self.places)

    @cached_property
    def instances(self) -> list[Instance]:
        """The instances that could be generated as JSON objects."""
        return [
            Instance(seed, level, reply.value)
            for (seed, level), reply in zip(self.places, self.generated, strict=True)
            if reply.fault is None and isinstance(reply.value, dict)
        ]

    @cached_property
    def expected(self) -> list[Reply]:
        """The reference solution's output for each of `instances`."""
        return self.solve(self.env.reference, self.instances)

    @property
    def author_has(self) -> frozenset[str]:
        """Which optional functions environment.py defines."""
        if self._has is None:
            self.author("generate", [])
        return self._has or frozenset()

    def stats(self) -> Stats:
        return Stats(
            seconds=round(time.monotonic() - self._runner.started, 3),
            runs=self._runner.runs,
            instances=len(self.instances) if "generated" in self.__dict__ else 0,
            checks=self.checks,
            slowest_check_s=round(self.slowest_check_s, 6),
        )

    # --- the author's code -------------------------------------------------------------------------------------------

    def generate(self, places: Sequence[tuple[int, int]], *, fresh: bool = False) -> list[Reply]:
        """generate() for each (seed, difficulty)."""
        return self.author("generate", [list(place) for place in places], fresh=fresh)

    def check(self, pairs: Sequence[tuple[Any, Any]], *, fresh: bool = False) -> list[Reply]:
        """check() for each (instance, output): the score as the verifier gave it, whatever that is."""
        replies = self.author("check", [list(pair) for pair in pairs], fresh=fresh)
        self._note(replies)
        return replies

    def check_each(self, groups: Sequence[Sequence[tuple[Any, Any]]]) -> list[list[Reply]]:
        """`check` for each group of pairs, several groups at a time."""

        def one(pairs: Sequence[tuple[Any, Any]]) -> list[Reply]:
            return self.author("check", [list(pair) for pair in pairs])

        found = self._runner.spread(one, groups)
        for replies in found:
            self._note(replies)
        return found

    def equivalent(self, triples: Sequence[tuple[Any, Any, Any]]) -> list[Reply]:
        """equivalent() for each (instance, output, output)."""
        return self.author("equivalent", [list(triple) for triple in triples])

    def oracle(self, instances: Sequence[Instance]) -> list[Reply]:
        """reference() for each instance."""
        return self.author("reference", [[instance.value] for instance in instances])

    def author(self, op: str, items: list[list[Any]], *, fresh: bool = False) -> list[Reply]:
        """One call of the author's code for each item. Raises `ImportFault` when environment.py does not load."""
        spec = self.env.spec
        wanted = ["generate", "check", *([op] if op in ("reference", "equivalent") else [])]
        task = {"op": op, "name": spec.name, "wanted": wanted, "seconds": spec.limits.check_s}
        limits = Limits(cpu_s=600, memory_mb=1024, output_kb=8192, scratch_mb=16)
        batch = self._runner.batch("author", task, self._code(), items, limits, fresh=fresh)
        self._has = batch.has
        return batch.replies

    def _code(self) -> dict[str, bytes]:
        return {f"env/{path}": content for path, content in self.env.code.items()}

    def _note(self, replies: Sequence[Reply | Graded]) -> None:
        self.checks += len(replies)
        self.slowest_check_s = max([self.slowest_check_s, *(reply.seconds for reply in replies)])

    # --- submissions -------------------------------------------------------------------------------------------------

    def solve(self, solution: Solution, instances: Sequence[Instance], *, quick_s: float | None = None) -> list[Reply]:
        """A solution's output for each instance.

        For kinds with tests, where one failed test settles it, what comes after a crash is `not-run`. With `quick_s`,
        an instance gets so many seconds; what comes after the first that took longer is `not-run`, and nothing else is.
        """
        kind = self.env.spec.kind
        if kind is Kind.FUNCTION:
            names = self.env.spec.submission.parameters
            calls: list[tuple[list[Any], dict[str, Any]]] = [
                ([case.value.get(name) for name in names], {}) for case in instances
            ]
            return self.call(solution.text, calls, seconds=quick_s, quick=quick_s is not None)
        if kind is Kind.PROGRAM:
            return self._programs(solution, instances, quick_s)
        return self._strategy(solution, instances, quick_s)

    @property
    def _one_failure_settles(self) -> bool:
        return self.env.spec.scoring.aggregate != "mean"

    def call(
        self,
        text: str,
        calls: Sequence[tuple[list[Any], dict[str, Any]]],
        *,
        loose: bool = False,
        seconds: float | None = None,
        quick: bool = False,
    ) -> list[Reply]:
        """Run submission `text`, calling its function with each (positional, named) arguments.

        A submission that does not load gives the same fault for every call. With `loose`, what JSON lacks (tuples,
        sets, bytes) goes in and comes back as a stand-in that compares as it would. `seconds` for each call. `quick`:
        see `quick_s` of `solve`.
        """
        spec = self.env.spec
        task = {
            "function": spec.submission.function,
            "seconds": min(seconds or spec.limits.wall_s, spec.limits.wall_s),
            "loose": loose,
        }
        inputs = {"submission.py": text.encode("utf-8", "surrogatepass")}
        items = [[positional, named] for positional, named in calls]
        limits = self._limits(len(items))
        try:
            stop = self._one_failure_settles and not quick
            batch = self._runner.batch(
                "function", task, inputs, items, limits, stop=stop, timeouts=1 if quick else TIMEOUTS
            )
        except ImportFault as error:
            return [Reply(fault=Fault("raise", str(error)))] * len(items)
        return batch.replies

    def screen(
        self, texts: Sequence[str], calls: Sequence[tuple[list[Any], dict[str, Any]]], seconds: float
    ) -> Iterator[Reply]:
        """A quick look at many programs in one process: for each a list with `{"v": value}` or `{"f": fault}` for each
        of `calls`, shorter where one took too long. They can reach one another, so this proves nothing.

        A right program takes about `seconds` for all calls. In all a look takes `SCREEN_S` at most; what is left out
        then is `not-run`. What one process said is let go before the next is started: it may be megabytes."""
        each_s, most_s = max(0.02, seconds / 2), max(0.1, 4 * seconds)
        task = {"function": self.env.spec.submission.function, "seconds": 5.0, "each_s": each_s, "most_s": most_s}
        inputs = {"calls.jsonl": "".join(json.dumps(call) + "\n" for call in calls).encode()}
        started = time.monotonic()
        for start in range(0, len(texts), SCREENED):
            items: list[list[Any]] = [[text] for text in texts[start : start + SCREENED]]
            if time.monotonic() - started > SCREEN_S:
                yield from [Reply(fault=NOT_RUN)] * len(items)
                continue
            yield from self._runner.batch("screen", task, inputs, items, self._limits(len(items))).replies

    def _strategy(self, solution: Solution, instances: Sequence[Instance], quick_s: float | None = None) -> list[Reply]:
        spec = self.env.spec
        inputs = {**self._code(), "strategy.py": solution.text.encode()}
        items = [[instance.value] for instance in instances]
        task = {"seconds": min(quick_s or spec.limits.wall_s, spec.limits.wall_s)}
        most = 1 if quick_s else TIMEOUTS
        try:
            replies = self._runner.batch(
                "strategy", task, inputs, items, self._limits(len(items)), timeouts=most
            ).replies
        except ImportFault as error:
            return [Reply(fault=Fault("raise", str(error)))] * len(items)
        wanted, name = (str, "text") if spec.kind is Kind.ANSWER else (list, "a list")
        wrong = Reply(fault=Fault("not-json", f"solve() did not return {name}"))
        return [reply if reply.fault or isinstance(reply.value, wanted) else wrong for reply in replies]

    def _limits(self, count: int) -> Limits:
        """The limits of a process that handles `count` instances, each of which has the environment's own limits."""
        own = self.env.spec.limits
        return Limits(
            cpu_s=min(own.cpu_s * max(1, count) + 10, 600),
            memory_mb=own.memory_mb,
            processes=own.processes,
            output_kb=min(own.output_kb * max(1, count), 16 << 10),
            scratch_mb=own.scratch_mb,
        )

    def _programs(self, solution: Solution, instances: Sequence[Instance], quick_s: float | None = None) -> list[Reply]:
        program = self._compile(solution)
        if isinstance(program, Fault):
            return [Reply(fault=program)] * len(instances)
        own = self.env.spec.limits
        wall_s = min(quick_s or own.wall_s, own.wall_s)
        limits = Limits(wall_s, own.cpu_s, own.memory_mb, own.processes, own.output_kb, own.scratch_mb)
        failed: list[bool] = []  # whether one did; a list, since several threads add to it
        settles = self._one_failure_settles and quick_s is None

        def ends(fault: Fault | None) -> bool:
            return (
                fault is not None
                and fault != NOT_RUN
                and (settles or (quick_s is not None and fault.kind == "timeout"))
            )

        def one(instance: Instance) -> Reply:
            if failed:
                return Reply(fault=NOT_RUN)
            stdin = str(instance.value.get("stdin", "")).encode("utf-8", "surrogatepass")
            if solution.language is Language.PYTHON:
                job = Job(code=solution.text, stdin=stdin, limits=limits)
            else:
                job = Job(argv=["{in}/program"], inputs={"program": program}, stdin=stdin, limits=limits)
            reply = _printed(self._runner.run(job))
            if ends(reply.fault):
                failed.append(True)
            return reply

        replies = self._runner.spread(one, instances)
        # Several ran at once: what came after the first failure counts as not run, however many that were.
        kept = next((index + 1 for index, reply in enumerate(replies) if ends(reply.fault)), len(replies))
        return replies[:kept] + [Reply(fault=NOT_RUN)] * (len(replies) - kept)

    def spread(self, work: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """`work`, which asks this bench, for each item; several at a time, in order."""
        return self._runner.spread(work, items)

    def prepare(self, solutions: Sequence[Solution]) -> None:
        """Compile what has to be compiled, several at a time; `solve` would do it one by one."""
        self._runner.spread(self._compile, [item for item in solutions if item.language is not Language.PYTHON])

    def _compile(self, solution: Solution) -> bytes | Fault:
        """The program to run: a compiled binary, or nothing for Python. Compiled once for each text."""
        if solution.language is Language.PYTHON:
            return b""
        key = (solution.language, solution.text)
        if (done := self._compiled.get(key)) is not None:
            return done
        name, compiler, standard = COMPILE[solution.language]
        outcome = self._runner.run(
            Job(
                argv=[compiler, "-O2", standard, f"{{in}}/{name}", "-o", "program", "-lm"],
                inputs={name: solution.text.encode()},
                outputs=["program"],
                limits=Limits(wall_s=60, cpu_s=60, memory_mb=1024, processes=16, output_kb=256, scratch_mb=64),
            )
        )
        fault = fault_of(outcome)
        if fault is not None and _NO_COMPILER.search(outcome.stderr.decode(errors="replace")):
            raise Trouble(f"the jail has no {compiler}: install gcc and g++, or use a jail image that has them")
        if fault is None and "program" not in outcome.files:
            fault = Fault("died", "the compiler wrote no program")
        done = Fault("raise", f"does not compile: {fault.detail}") if fault else outcome.files["program"]
        self._compiled[key] = done
        return done

    # --- found graders -----------------------------------------------------------------------------------------------

    def grade(self, texts: Sequence[str], *, fresh: bool = False, hurry_s: float | None = None) -> list[Graded]:
        """What the grader says about each submission text. Raises `ImportFault` when it does not load.

        With `hurry_s`, the grader waits for nothing longer than that: quick, and no more than a hint.
        """
        graded = self._runner.spread(
            lambda text: found.grade(self._runner, self.env, text, fresh=fresh, hurry_s=hurry_s)[0], texts
        )
        self._note(graded)
        return graded

    def grade_and_fetch(self, text: str, outputs: Sequence[str]) -> tuple[Graded, dict[str, bytes]]:
        """As `grade` for one text, with the files that the submission left in the working directory."""
        graded, outcome = found.grade(self._runner, self.env, text, outputs=outputs)
        self._note([graded])
        return graded, dict(outcome.files)


def _printed(outcome: Outcome) -> Reply:
    """What a program printed, as text."""
    if (fault := fault_of(outcome)) is not None:
        return Reply(fault=fault)
    try:
        return Reply(outcome.stdout.decode(), seconds=outcome.wall_s)
    except UnicodeDecodeError:
        return Reply(fault=Fault("output", "printed bytes that are not UTF-8"))
