"""What every check is given: the bench, and the few judgements that several of them share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from envbounty.environment import Compare, Environment
from envbounty.findings import Evidence, Finding, Spread, clip, show
from envbounty.policy import BUILT_IN, Policy
from envbounty.provenance.surroundings import Surroundings
from envbounty.verify.bench import Bench, Instance, Reply, Trouble
from envbounty.verify.referee import Referee
from envbounty.verify.rules import RULES
from envbounty.verify.smells import Look, Scanner, look
from envbounty.verify.values import same


class Stop(Exception):
    """What was found leaves nothing for the later checks to stand on."""


@dataclass(frozen=True)
class Trial:
    """One output shown to the verifier. `right` is what anybody but the verifier can say about it."""

    instance: Instance
    output: Any
    source: str  # a file of the environment, or what the output is ("an empty text")
    right: bool | None  # None: cannot be known
    expected: Any = None


@dataclass(frozen=True)
class Scored:
    """A trial and what the verifier said."""

    trial: Trial
    reply: Reply

    @property
    def score(self) -> float | None:
        """The score, when it is a number (booleans count: True is 1.0)."""
        value = self.reply.value
        if self.reply.fault is not None or not isinstance(value, (int, float)):
            return None
        try:
            return float(value)
        except OverflowError:  # an integer beyond any float
            return math.inf if value > 0 else -math.inf

    def says(self) -> str:
        """What the verifier said, in a word: to hold two answers of it against each other."""
        return f"fault: {self.reply.fault.kind}" if self.reply.fault else show(self.reply.value)


@dataclass
class Context:
    """One environment on the bench, and all that its verifier has said so far."""

    bench: Bench
    command: str  # how a person runs this examination again
    policy: Policy = BUILT_IN
    surroundings: Surroundings | None = None  # None: the folder that the environment lies in
    scored: list[Scored] = field(default_factory=list)
    spread: Spread | None = None  # what the check of that name measured
    scanner: Scanner = field(default_factory=Scanner)

    @property
    def env(self) -> Environment:
        return self.bench.env

    @cached_property
    def referee(self) -> Referee:
        """The independent judge of a found grader's submissions."""
        return Referee(self.bench)

    @cached_property
    def look(self) -> Look:
        """What Semgrep's rules find in the author's code. Raises `Trouble` when that did not come to its end."""
        return look(self.env, self.scanner.read(self.env.code))

    @cached_property
    def hints(self) -> frozenset[str]:
        """The ids of the smells (`smell-…`) in the author's code: which attacks are likely to work.

        Only to choose what is tried first. They may be wrong, and there are none where the code could not be looked at,
        so nothing may be left out, accused or cleared because of them.
        """
        try:
            return self.look.rules
        except Trouble:
            return frozenset()

    def reproduce(self, rule: str) -> str:
        return f"{self.command} --seed {self.bench.seed} --only {rule}"

    def accepted(self, scored: Scored) -> bool:
        score = scored.score
        return score is not None and score >= self.env.spec.scoring.pass_score

    def aggregate(self, scored: Sequence[Scored], count: int) -> bool:
        """Whether a submission with these scores, on `count` instances, passes. What gave no score counts 0."""
        scoring = self.env.spec.scoring
        scores = [item.score or 0.0 for item in scored] + [0.0] * (count - len(scored))
        if scoring.aggregate == "mean":
            return sum(scores) / len(scores) >= scoring.pass_score
        return min(scores) >= scoring.pass_score

    def score(self, trials: Sequence[Trial], *, fresh: bool = False) -> list[Scored]:
        """Show outputs to the verifier. What it says is kept for the checks on scores."""
        replies = self.bench.check([(trial.instance.value, trial.output) for trial in trials], fresh=fresh)
        found = [Scored(trial, reply) for trial, reply in zip(trials, replies, strict=True)]
        if not fresh:
            self.scored += found
        return found

    def score_each(self, groups: Sequence[Sequence[Trial]]) -> list[list[Scored]]:
        """`score` for each group, several at a time."""
        pairs = [[(trial.instance.value, trial.output) for trial in trials] for trials in groups]
        replies = self.bench.check_each(pairs)
        found = [[Scored(*pair) for pair in zip(*group, strict=True)] for group in zip(groups, replies, strict=True)]
        self.scored += [item for group in found for item in group]
        return found

    def is_right(self, cases: Sequence[tuple[Instance, Any, Any]]) -> list[bool | None]:
        """For (instance, expected, output): whether the output is the expected answer, None when nobody can say."""
        answers = self.env.spec.scoring.answers
        if answers.compare is not Compare.CUSTOM:
            return [same(expected, output, answers) for _, expected, output in cases]
        replies = self.bench.equivalent([(case.value, expected, output) for case, expected, output in cases])
        return [None if reply.fault else bool(reply.value) for reply in replies]

    @property
    def confirmations(self) -> int:
        """How often an accusation must have been seen again in a clean jail."""
        return self.policy.thresholds.confirmations

    def confirmed(self, scored: Sequence[Scored]) -> list[Scored]:
        """Those of `scored` that a clean jail scores the same, each time over."""
        kept = list(scored)
        for _ in range(self.confirmations if kept else 0):
            again = self.score([item.trial for item in kept], fresh=True)
            kept = [item for item, repeat in zip(kept, again, strict=True) if repeat.says() == item.says()]
        return kept

    def prove(self, rule: str, message: str, scored: Scored, *, path: str | None = None) -> Finding:
        """The finding `rule`, once a clean jail has shown it again and again; else that the verifier is unstable.

        Raises `Trouble` when the verifier was too slow only sometimes: that may be this machine.
        """
        for _ in range(self.confirmations):
            again = self.score([scored.trial], fresh=True)[0]
            if again.says() != scored.says():
                return self.unstable(scored, again)
        return self.accuse(rule, message, scored, path=path, confirmed=self.confirmations)

    def unstable(self, first: Scored, second: Scored) -> Finding:
        """That the verifier said two things about one output. Raises `Trouble` when it was only slow once."""
        kinds = {item.reply.fault.kind for item in (first, second) if item.reply.fault}
        if "timeout" in kinds:
            limit = f"{self.env.spec.limits.check_s:g} s"
            raise Trouble(f"check() took more than {limit} once and less another time: run again when less is running")
        got = str(second.reply.fault) if second.reply.fault else second.says()
        evidence = self.evidence(first, "score-unstable")
        said = f"the first time: {first.reply.fault or first.says()}\nanother time: {got}"
        return RULES["score-unstable"].finding(
            f"check() gave {clip(first.says(), 40)} and then {clip(second.says(), 40)} for the same output.",
            path=self.env.entry,
            evidence=evidence.model_copy(update={"detail": clip(said, 2000)}),
        )

    def evidence(self, scored: Scored, rule: str, *, confirmed: int = 0) -> Evidence:
        trial, reply = scored.trial, scored.reply
        return Evidence(
            submission=trial.source,
            instance=show(trial.instance.value),
            seed=trial.instance.seed,
            difficulty=trial.instance.difficulty,
            output=show(trial.output),
            expected=show(trial.expected),
            score=scored.score,
            detail=str(reply.fault) if reply.fault else None,
            confirmed=confirmed,
            reproduce=self.reproduce(rule),
        )

    def accuse(
        self, rule: str, message: str, scored: Scored, *, path: str | None = None, confirmed: int = 0
    ) -> Finding:
        evidence = self.evidence(scored, rule, confirmed=confirmed)
        return RULES[rule].finding(message, path=path or self.env.entry, evidence=evidence)
