"""Right solutions with one mistake in them: does the verifier reject their wrong answers, and does it ever ask?

Two ways to let a mutant through. `accepts-mutant`: check() is shown a wrong answer and passes it. `passes-mutant`:
check() is right each time, but a submission is judged on so few instances that the mutant passes, although it is wrong
on a share of all instances that matters (see `odds`). Where nobody can say what is wrong, nothing is said.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from envbounty.environment import Compare, Kind, Language, Solution
from envbounty.findings import Finding, Severity, clip, show
from envbounty.verify import odds
from envbounty.verify.bench import Instance, Reply
from envbounty.verify.context import Context, Scored, Trial
from envbounty.verify.mutants import Mutant, mutants, pairs
from envbounty.verify.rules import RULES
from envbounty.verify.values import canonical

#: So many mutants of the reference are tried, and of each good solution. A program is a process for each instance.
MOST = {Kind.FUNCTION: (120, 20), Kind.PROGRAM: (40, 5), Kind.ANSWER: (40, 8), Kind.ACTIONS: (40, 8)}
#: A compiled mutant costs a second before it runs.
MOST_COMPILED = 12
#: The first look is at so many instances; most mutants get no second one.
FIRST = {Kind.FUNCTION: 6, Kind.PROGRAM: 3, Kind.ANSWER: 8, Kind.ACTIONS: 8}
PAIRS = 12
#: A submission is judged so many times over, and must pass most of them.
DRAWS, PASSED = 3, 2
#: Whether it is wrong is seen on so many further instances, and on fewer nothing is said.
FRESH, LEAST_FRESH = 140, 60
#: Wall-clock seconds after which no further group of mutants is begun. The subtle ones have had their turn then.
SOFT_S = 20.0
#: Seconds that one instance may take a mutant; less where the reference is quick. Endless loops are common.
LONGEST_S, SHORTEST_S, TIMES_SLOWER = 1.0, 0.12, 10
#: Making the further instances and their right answers may cost so many seconds of processor time.
POOL_S = 6.0
#: Mutants named in one finding.
SHOWN = 5
GROUP = 12


@dataclass(frozen=True)
class Suspect:
    """A mutant of one of the environment's solutions."""

    parent: Solution
    mutant: Mutant

    @property
    def solution(self) -> Solution:
        return replace(self.parent, text=self.mutant.text, why="")

    @property
    def size(self) -> tuple[int, int, int]:
        """The easiest to read first."""
        edits = self.mutant.edits
        return len(edits), sum(edit.end - edit.start + len(edit.text) for edit in edits), len(self.parent.text)

    def __str__(self) -> str:
        where = f"{self.parent.path} line {self.mutant.line}"
        return f"{where} ({self.mutant.operator}): `{self.mutant.before}` is `{self.mutant.after}`"


@dataclass(frozen=True)
class Seen:
    """What a mutant did on one instance. None: not known."""

    reply: Reply
    right: bool | None
    passed: bool | None
    scored: Scored | None = None


@dataclass(frozen=True)
class Posed:
    """An instance and its right answer."""

    instance: Instance
    expected: object


@dataclass
class Leak:
    """A mutant that passes, and the instances on which it is wrong all the same."""

    suspect: Suspect
    wrong: list[tuple[Posed, Seen]]
    of: int
    rate: float  # at least, see `odds.leak`
    passed: list[list[tuple[Posed, Seen]]]  # the draws that it passes


def run(context: Context) -> Iterator[Finding]:
    env = context.env
    if env.spec.scoring.answers.compare is Compare.MANY:
        return  # nobody but the verifier can say what is wrong
    if any(item.trial.right is False and context.accepted(item) for item in context.scored):
        return  # wrong answers are accepted, and that is reported: mutants would say it a hundred times more
    hunt = Hunt(context)
    yield from hunt.run()


class Hunt:
    """The mutants of one environment, tried round by round on more and more instances."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._bench = context.bench
        self._spec = context.env.spec
        left = self._bench.budget_s - self._bench.stats().seconds
        self._ends = time.monotonic() + min(SOFT_S, left / 2)
        expected = [reply.value for reply in self._bench.expected]
        self._own = [Posed(*pair) for pair in zip(self._bench.instances, expected, strict=True)]
        slowest = max((reply.seconds for reply in self._bench.expected), default=0.0)
        self._quick_s = min(LONGEST_S, max(SHORTEST_S, TIMES_SLOWER * slowest))
        self.lenient: list[tuple[Suspect, Scored]] = []

    def run(self) -> Iterator[Finding]:
        looked = self._own_instances(self._suspects())
        found = self._leaks(looked)
        if not found and not self.lenient:
            found = self._leaks(self._own_instances(self._pairs(looked)))
        if self.lenient:
            yield self._accepts()
        elif found and (finding := self._passes(found)) is not None:
            yield finding

    # --- who and on what ---------------------------------------------------------------------------------------------

    def _suspects(self) -> list[Suspect]:
        env = self._context.env
        own, other = MOST[self._spec.kind]
        sources = [(env.reference, own)]
        compiled = env.reference.language is not Language.PYTHON
        # To compile mutants of other solutions as well would cost more than it can tell.
        sources += [(good, other) for good in env.good if good.language is Language.PYTHON]
        name = self._spec.submission.function if self._spec.kind is Kind.FUNCTION else None
        # What is only slower is never wrong, and a strategy's parameter is an instance, which is of no such class.
        pointless = ["slower"]
        if self._spec.kind in (Kind.ANSWER, Kind.ACTIONS):
            name = "solve"
            pointless.append("input-class")
        out = []
        for solution, most in sources:
            made = mutants(solution.text, name, language=solution.language)
            if compiled and solution is env.reference:
                most = MOST_COMPILED
            out += [Suspect(solution, mutant) for mutant in made if mutant.operator not in pointless][:most]
        if compiled:
            self._bench.prepare([suspect.solution for suspect in out])
        return out

    @cached_property
    def _pool(self) -> list[Posed]:
        """`DRAWS` times the instances of one judgement, the first being the bench's own, and further ones after them.

        Fewer, or none, where they would cost too much or there are no more seeds.
        """
        bench, spec = self._bench, self._spec
        tests = spec.scoring.instances
        own = self._own[: DRAWS * tests]
        cost = sum(reply.seconds for reply in [*bench.generated, *bench.expected]) / max(1, len(bench.instances))
        cost += 0.02 if spec.kind is Kind.PROGRAM else 0.002
        want = min(DRAWS * tests + FRESH - len(own), int(POOL_S / cost))
        used = {seed for seed, _ in bench.places}
        train = spec.seeds.train
        draw = Random(f"{bench.seed}:{spec.name}:mutants")
        offsets = draw.sample(range(train.count), min(train.count, want + len(used)))
        seeds = [train.first + offset for offset in offsets if train.first + offset not in used][:want]
        if len(own) + len(seeds) < DRAWS * tests + LEAST_FRESH:
            return []
        places = list(zip(seeds, spec.difficulty.levels(len(seeds)), strict=True))
        made = [
            Instance(seed, level, reply.value)
            for (seed, level), reply in zip(places, bench.generate(places), strict=True)
            if reply.fault is None and isinstance(reply.value, dict)
        ]
        replies = bench.solve(self._context.env.reference, made)
        fresh = [Posed(one, reply.value) for one, reply in zip(made, replies, strict=True) if reply.fault is None]
        trials = [Trial(one.instance, one.expected, "the reference", True, one.expected) for one in fresh]
        scored = self._context.score(trials)
        # Where the verifier and the reference part ways nothing can be said about a third one.
        kept = [one for one, item in zip(fresh, scored, strict=True) if self._context.accepted(item)]
        return own + kept

    def _pairs(self, looked: dict[Suspect, list[Seen]]) -> list[Suspect]:
        """Two mistakes in one: of those that passed or nearly did."""
        near: dict[Solution, list[tuple[int, int, Mutant]]] = {}
        for index, (suspect, seen) in enumerate(looked.items()):
            failed = sum(one.passed is not True for one in seen)
            if 4 * failed <= len(seen):
                near.setdefault(suspect.parent, []).append((-failed, index, suspect.mutant))
        out: list[Suspect] = []
        for parent, rows in near.items():
            first = [mutant for _, _, mutant in sorted(rows, key=lambda row: row[:2])]
            out += [Suspect(parent, one) for one in pairs(parent.text, first, PAIRS, language=parent.language)]
        return out[:PAIRS]

    # --- looking -----------------------------------------------------------------------------------------------------

    def _look(self, suspects: Sequence[Suspect], posed: Sequence[Posed]) -> dict[Suspect, list[Seen]]:
        """What each did on each instance, as long as there is time; wrong answers that passed go to `lenient`."""
        out: dict[Suspect, list[Seen]] = {}
        for start in range(0, len(suspects), GROUP):
            if time.monotonic() > self._ends:
                break
            group = suspects[start : start + GROUP]
            for suspect, seen in zip(group, self._judged(group, posed), strict=True):
                out[suspect] = seen
                for one in seen:
                    if one.right is False and one.passed and one.scored is not None:
                        self.lenient.append((suspect, one.scored))
        return out

    def _judged(self, group: Sequence[Suspect], posed: Sequence[Posed]) -> list[list[Seen]]:
        context = self._context
        instances = [one.instance for one in posed]

        def solve(suspect: Suspect) -> list[Reply]:
            return self._bench.solve(suspect.solution, instances, quick_s=self._quick_s)

        if self._spec.kind is Kind.PROGRAM:
            replies = [solve(suspect) for suspect in group]  # each of which spreads its instances
        else:
            replies = self._bench.spread(solve, group)
        # Many say the same; what says the right thing in the reference's own words need not be shown to anybody.
        answers: dict[tuple[int, str], tuple[Posed, object, str]] = {}
        known = [canonical(one.expected) for one in posed]
        for suspect, row in zip(group, replies, strict=True):
            for at, reply in enumerate(row):
                if reply.fault is None and (text := canonical(reply.value)) != known[at]:
                    answers.setdefault((at, text), (posed[at], reply.value, str(suspect)))
        cases = [(one.instance, one.expected, value) for one, value, _ in answers.values()]
        rights = context.is_right(cases) if cases else []
        trials = [
            Trial(one.instance, value, source, right, one.expected)
            for (one, value, source), right in zip(answers.values(), rights, strict=True)
        ]
        scored = dict(zip(answers, context.score(trials) if trials else [], strict=True))

        def seen(at: int, reply: Reply) -> Seen:
            if reply.fault is not None:
                crashed = reply.fault.kind in ("raise", "exit", "died", "not-json")
                return Seen(reply, False, False) if crashed else Seen(reply, None, None)
            item = scored.get((at, canonical(reply.value)))
            return (
                Seen(reply, True, True) if item is None else Seen(reply, item.trial.right, context.accepted(item), item)
            )

        return [[seen(at, reply) for at, reply in enumerate(row)] for row in replies]

    def _own_instances(self, suspects: Sequence[Suspect]) -> dict[Suspect, list[Seen]]:
        """What each did on the bench's first instances; of submissions with tests, those that passed did on as many as
        one judgement has. Where that is few, to pass all of the bench's would be asking for too much."""
        count = FIRST[self._spec.kind]
        if self._spec.kind in (Kind.ANSWER, Kind.ACTIONS):
            return self._look(suspects, self._own[:count])  # a strategy does not pass or fail as a whole
        tests = self._spec.scoring.instances
        looked = self._look(suspects, self._own[: min(count, tests)])
        if self.lenient:
            return looked
        left = [suspect for suspect, seen in looked.items() if self._may_pass(seen)]
        more = self._look(left, self._own[count:tests])
        return {suspect: seen + more.get(suspect, []) for suspect, seen in looked.items()}

    def _may_pass(self, seen: Sequence[Seen]) -> bool:
        if any(one.passed is None for one in seen):
            return False  # it ran out of time or memory, which says nothing about what it would have said
        failed = sum(not one.passed for one in seen)
        if self._spec.scoring.aggregate == "mean":
            return failed * 2 <= len(seen)
        return failed == 0

    # --- passing though wrong ----------------------------------------------------------------------------------------

    def _leaks(self, looked: dict[Suspect, list[Seen]]) -> list[Leak]:
        """Those that pass most draws and are wrong on further instances, more than could be chance."""
        tests = self._spec.scoring.instances
        if self.lenient or self._spec.kind not in (Kind.FUNCTION, Kind.PROGRAM) or not odds.can_leak(tests):
            return []
        passing = [suspect for suspect, seen in looked.items() if self._may_pass(seen)]
        if not passing or not self._pool:
            return []
        judged, fresh = self._pool[: DRAWS * tests], self._pool[DRAWS * tests :]
        # Most are the reference in other words, and end here.
        half = len(fresh) // 2
        begun = {suspect: seen for suspect, seen in self._look(passing, fresh[:half]).items() if not _all_right(seen)}
        ended = self._look(list(begun), judged + fresh[half:])
        found = []
        for suspect, rest in ended.items():
            seen = rest[: len(judged)] + begun[suspect] + rest[len(judged) :]
            if any(one.passed is None for one in seen):
                continue
            rows = list(zip(self._pool, seen, strict=True))
            draws = [rows[start : start + tests] for start in range(0, DRAWS * tests, tests)]
            passed = [draw for draw in draws if self._passes_draw([what for _, what in draw])]
            wrong = [row for row in rows[DRAWS * tests :] if row[1].right is False]
            rate, _ = odds.leak(len(wrong), len(fresh), tests)
            if len(passed) >= PASSED and rate >= odds.LINE:
                found.append(Leak(suspect, wrong, len(fresh), rate, passed))
        return sorted(found, key=lambda leak: (leak.rate < odds.FAULT, leak.suspect.size))

    def _passes_draw(self, draw: Sequence[Seen]) -> bool:
        """Whether a submission that did this passes."""
        scoring = self._spec.scoring
        scores = [1.0 if one.scored is None and one.passed else (one.scored.score if one.scored else 0) for one in draw]
        values = [score or 0.0 for score in scores]
        if scoring.aggregate == "mean":
            return sum(values) / len(values) >= scoring.pass_score
        return min(values) >= scoring.pass_score

    def _confirmed(self, leak: Leak) -> tuple[Posed, Reply] | None:
        """An instance on which the mutant, run alone on it and again, is wrong each time, and everybody says so."""
        context, bench = self._context, self._bench
        for draw in leak.passed:
            # In a process of its own: what it did there was not the doing of an instance before.
            replies = bench.solve(leak.suspect.solution, [one.instance for one, _ in draw], quick_s=self._quick_s)
            if [reply.value for reply in replies] != [what.reply.value for _, what in draw]:
                return None
        by_size = sorted(leak.wrong, key=lambda row: len(show(row[0].instance.value, 10_000)))
        for one, _ in by_size[:SHOWN]:
            cases = [one.instance]
            right = [reply.value for reply in bench.solve(context.env.reference, cases)]
            if "reference" in bench.author_has:
                right += [reply.value for reply in bench.oracle(cases)]
            replies = [
                bench.solve(leak.suspect.solution, cases, quick_s=self._quick_s)[0]
                for _ in range(context.confirmations)
            ]
            if any(reply.fault and reply.fault.kind in ("timeout", "memory", "not-run") for reply in replies):
                continue
            said = [reply.value for reply in replies if reply.fault is None]
            agreed = context.is_right([(one.instance, one.expected, other) for other in right])
            wrong = context.is_right([(one.instance, one.expected, other) for other in said]) if said else []
            if all(agreed) and all(verdict is False for verdict in wrong):
                return one, replies[0]
        return None

    # --- saying so ---------------------------------------------------------------------------------------------------

    def _accepts(self) -> Finding:
        context = self._context
        first = min(self.lenient, key=lambda row: (row[0].size, len(show(row[1].trial.instance.value, 10_000))))
        suspect, scored = first
        others = {str(other) for other, _ in self.lenient} - {str(suspect)}
        scored = replace(scored, trial=replace(scored.trial, source=str(suspect)))
        said = f"A wrong answer of a mutant is accepted: {show(scored.trial.output, 80)}. {suspect}"
        if others:
            said += f" ({len(others)} more such mutants)"
        finding = context.prove("accepts-mutant", f"{said}.", scored)
        return _with_detail(finding, [suspect, *_distinct(self.lenient, suspect)])

    def _passes(self, found: Sequence[Leak]) -> Finding | None:
        """The finding on the first of these that is seen again; none where nothing is."""
        spec = self._spec
        for leak in found:
            if (again := self._confirmed(leak)) is None:
                continue
            posed, reply = again
            # With `mean` some wrong answers are allowed, so that it passes may be what the author wants.
            certain = leak.rate >= odds.FAULT and spec.scoring.aggregate != "mean"
            others = [other for other in found if other is not leak]
            message = (
                f"A wrong submission passes: {leak.suspect}. It passes {len(leak.passed)} of {DRAWS} draws of "
                f"{spec.scoring.instances} instances, and is wrong on {len(leak.wrong)} of {leak.of} others"
            )
            message += f" ({len(others)} more such mutants)." if others else "."
            trial = Trial(posed.instance, reply.value, str(leak.suspect), False, posed.expected)
            scored = Scored(trial, Reply(fault=reply.fault))
            evidence = self._context.evidence(scored, "passes-mutant", confirmed=self._context.confirmations)
            finding = RULES["passes-mutant"].finding(
                message,
                path=self._context.env.entry,
                evidence=evidence.model_copy(update={"score": None}),
                severity=None if certain else Severity.WARNING,
            )
            return _with_detail(finding, [leak.suspect, *(other.suspect for other in others)])
        return None


def _all_right(seen: Sequence[Seen]) -> bool:
    return all(one.right for one in seen)


def _distinct(lenient: Sequence[tuple[Suspect, Scored]], first: Suspect) -> list[Suspect]:
    return sorted({suspect for suspect, _ in lenient if suspect != first}, key=lambda suspect: suspect.size)


def _with_detail(finding: Finding, suspects: Sequence[Suspect]) -> Finding:
    """The finding with the changes of the first few mutants, each to be made by hand in a moment."""
    assert finding.evidence is not None
    lines = []
    for suspect in suspects[:SHOWN]:
        mutant = suspect.mutant
        lines += [f"{suspect.parent.path}, line {mutant.line}:", f"- {mutant.before}", f"+ {mutant.after}"]
    words = "\n".join(filter(None, [finding.evidence.detail, *lines]))
    return finding.model_copy(update={"evidence": finding.evidence.model_copy(update={"detail": clip(words, 3000)})})
