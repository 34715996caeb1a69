"""How far do instances and answers differ, and how much does a submission earn that does not solve the task?

It lives on what earlier checks have paid for. Only the strategies' outputs are new to the verifier: at most a dozen for
each instance of one half, to choose the best, and one for each of the other half, to measure it there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from envbounty.environment import Compare, Kind, prompt
from envbounty.environment.spec import Answers
from envbounty.findings import Best, Finding, Scores, Severity, Spread, Strategy, show
from envbounty.findings import Evidence as Seen
from envbounty.verify import spread
from envbounty.verify.bench import Instance
from envbounty.verify.context import Context, Scored, Trial
from envbounty.verify.rules import RULES
from envbounty.verify.strategies import TRICKS, Known, Nothing, Question, Trick, known, said
from envbounty.verify.values import canonical, same

#: The half on which strategies are chosen holds no more than this; more would cost more than it tells.
CHOSEN_ON = 10
#: With fewer instances nothing is said of strategies.
LEAST = 4
#: How the results of a found grader's calls are held against each other, as the referee does it.
LOOSE = Answers(compare=Compare.TOLERANCE, abs_tol=1e-6, rel_tol=1e-6)


@dataclass(frozen=True)
class Case:
    """One instance with its right answer, and what a submission is shown of it."""

    instance: Instance
    expected: Any
    given: Sequence[Any]


@dataclass(frozen=True)
class Measured:
    """What one strategy earned on some cases: (accepted, share of pass_score) for each."""

    trick: Trick
    earned: Sequence[tuple[bool, float]]

    @property
    def accepted(self) -> int:
        return sum(accepted for accepted, _ in self.earned)

    @property
    def reward(self) -> float:
        return sum(share for _, share in self.earned) / len(self.earned)

    @property
    def partial(self) -> bool:
        """Whether some of it was earned by outputs that are not accepted."""
        return any(share > 0 and not accepted for accepted, share in self.earned)

    def words(self) -> dict[str, Any]:
        return {
            "name": self.trick.name,
            "tried": len(self.earned),
            "accepted": self.accepted,
            "reward": round(self.reward, 4),
        }


# --- an environment with a generator ---------------------------------------------------------------------------------


def run(context: Context) -> Iterator[Finding]:
    bench = context.bench
    cases = [
        Case(instance, reply.value, _given(context, instance))
        for instance, reply in zip(bench.instances, bench.expected, strict=True)
        if reply.fault is None
    ]
    context.spread = _described(context, [case.instance.value for case in cases], [case.expected for case in cases])
    places = [(case.instance.difficulty, case.instance.value) for case in cases]
    context.spread = context.spread.model_copy(
        update={"levels": spread.levels(places), "growth": spread.growth(places), "scores": _scores(context.scored)}
    )
    if len(cases) >= LEAST:
        yield from _strategies(context, context.spread, cases)


def _given(context: Context, instance: Instance) -> list[Any]:
    spec = context.env.spec
    if spec.kind is Kind.FUNCTION:
        return [instance.value.get(name) for name in spec.submission.parameters]
    if spec.kind is Kind.PROGRAM:
        return [instance.value.get("stdin")]
    return [instance.value[name] for name, _ in prompt.fields(context.env.task) if name in instance.value]


def _described(context: Context, instances: Sequence[Any], answers: Sequence[Any]) -> Spread:
    counts: dict[str, int] = {}
    for answer in map(canonical, answers):
        counts[answer] = counts.get(answer, 0) + 1
    return Spread(
        instances=len(instances),
        distinct=len(set(map(canonical, instances))),
        near_repeats=spread.near_repeats(instances),
        answers=len(counts),
        entropy_bits=round(spread.entropy_bits(counts.values()), 4),
        commonest=spread.commonest(answers),
    )


def _scores(scored: Sequence[Scored]) -> Scores:
    def of(right: bool | None) -> tuple[int, ...]:
        mine = [item.score for item in scored if item.trial.right is right]
        return spread.histogram(score for score in mine if score is not None)

    return Scores(right=of(True), wrong=of(False), unknown=of(None))


def _strategies(context: Context, base: Spread, cases: Sequence[Case]) -> Iterator[Finding]:
    seed = f"{context.bench.seed}:{context.env.spec.name}:spread"
    first, second = spread.halves(len(cases), Random(seed))
    chosen_on, held_out = first[:CHOSEN_ON], second + first[CHOSEN_ON:]
    learnt = known([cases[index].expected for index in chosen_on], seed)
    mine = [cases[index] for index in chosen_on]
    scored = _score(context, mine, TRICKS, learnt)
    measured = [_measured(context, trick, scored[trick.name]) for trick in TRICKS if any(scored[trick.name])]
    if not measured:
        return
    best = max(measured, key=lambda one: (one.reward, one.accepted))  # of equals the first, which is the simplest
    others = [cases[index] for index in held_out]
    again = _score(context, others, [best.trick], learnt)[best.trick.name]
    kept = _measured(context, best.trick, again)
    low, high = spread.wilson(kept.accepted, len(kept.earned))
    context.spread = base.model_copy(
        update={
            "strategies": tuple(Strategy(**one.words()) for one in measured),
            "best": Best(**kept.words(), low=round(low, 4), high=round(high, 4)),
        }
    )
    yield from _judge(context, kept, [*scored[best.trick.name], *again], low)


def _score(
    context: Context, cases: Sequence[Case], tricks: Sequence[Trick], learnt: Known
) -> dict[str, list[Scored | None]]:
    """What the verifier says of each strategy's output for each case, None where it has nothing to say.

    An output that several strategies have in common is shown to the verifier once.
    """
    kind, custom = context.env.spec.kind, context.env.spec.scoring.answers.compare is Compare.CUSTOM
    wanted: dict[tuple[int, str], Trial] = {}
    keys: dict[str, list[tuple[int, str] | None]] = {trick.name: [] for trick in tricks}
    for place, case in enumerate(cases):
        for trick in tricks:
            try:
                output = said(trick, Question(case.given, place), learnt, kind)
            except Nothing:
                keys[trick.name].append(None)
                continue
            key = (place, canonical(output))
            keys[trick.name].append(key)
            # equivalent() runs in a jail: it is only asked where something depends on it.
            right = None if custom else context.is_right([(case.instance, case.expected, output)])[0]
            wanted.setdefault(key, Trial(case.instance, output, trick.name, right, case.expected))
    found = dict(zip(wanted, context.score(list(wanted.values())), strict=True))
    return {name: [None if key is None else found[key] for key in mine] for name, mine in keys.items()}


def _measured(context: Context, trick: Trick, scored: Sequence[Scored | None]) -> Measured:
    needed = context.env.spec.scoring.pass_score
    earned = []
    for item in scored:
        score = item.score if item is not None else None
        share = min(1.0, max(0.0, score / needed)) if score is not None and score == score else 0.0
        earned.append((item is not None and context.accepted(item), share))
    return Measured(trick, earned)


def _judge(context: Context, best: Measured, both: Sequence[Scored | None], low: float) -> Iterator[Finding]:
    """What the best strategy's success amounts to. `both`: its outputs on all instances, `best`: on the other half."""
    lines = context.policy.thresholds
    scored = [item for item in both if item is not None]
    if len(scored) == len(both) and context.aggregate(scored, len(both)):
        yield from _passes(context, best.trick, scored)
        return
    tried, accepted = len(best.earned), best.accepted
    what = f"`{best.trick.name}` is accepted on {accepted} of {tried} instances on which it was not chosen"
    example = next((item for item in scored if context.accepted(item)), scored[0])
    if low > lines.trivial_share:
        message = f"{what}: with 95 % confidence on more than {low:.0%} of all. The policy's line is "
        yield context.accuse("trivial-strategy-pays", f"{message}{lines.trivial_share:.0%}.", example)
    elif best.partial and best.reward > lines.partial_credit:
        message = f"`{best.trick.name}` earns {best.reward:.0%} of the reward on the mean of {tried} instances on "
        message += f"which it was not chosen, and is accepted on {accepted} of them. "
        message += f"The policy's line is {lines.partial_credit:.0%}."
        yield context.accuse("partial-credit-farmed", message, _partial(context, scored))
    elif accepted > lines.trivial_share * tried:
        message = f"{what}. That may be luck: the 95 % interval begins at {low:.0%}."
        yield _note(context.accuse("trivial-strategy-pays", message, example))


def _passes(context: Context, trick: Trick, scored: Sequence[Scored]) -> Iterator[Finding]:
    """A strategy that passes as a whole: proved wrong, beyond knowing, or simply what the task asks for."""
    rights = [item.trial.right for item in scored]
    if context.env.spec.scoring.answers.compare is Compare.CUSTOM:
        rights = context.is_right([(item.trial.instance, item.trial.expected, item.trial.output) for item in scored])
    what = f"`{trick.name}` passes: it is accepted on {sum(map(context.accepted, scored))} of {len(scored)} instances"
    shown = next((item for item, right in zip(scored, rights, strict=True) if right is False), scored[0])
    # Where many answers are right, one may be right everywhere: then nobody but the verifier says that it should not.
    blind = trick.blind and context.env.spec.scoring.answers.compare is not Compare.MANY
    if not blind and False not in rights:
        if all(rights):
            message = f"{what} and right on each, so the task asks for no more than that."
            yield _note(context.accuse("trivial-strategy-pays", message, shown))
        else:
            message = f"{what}. Whether it is right cannot be known: a reviewer should look."
            yield context.accuse("trivial-strategy-pays", message, shown)
        return
    for _ in range(context.confirmations):
        again = context.score([item.trial for item in scored], fresh=True)
        for before, after in zip(scored, again, strict=True):
            if before.says() != after.says():
                yield context.unstable(before, after)
                return
    why = "although it never looks at the instance" if trick.blind else "although its answers are not all right"
    message = f"{what}, {why}."
    yield context.accuse("trivial-strategy-passes", message, shown, confirmed=context.confirmations)


def _partial(context: Context, scored: Sequence[Scored]) -> Scored:
    unaccepted = [item for item in scored if item.score and not context.accepted(item)]
    return max(unaccepted, key=lambda item: item.score or 0.0)


def _note(finding: Finding) -> Finding:
    return finding.model_copy(update={"severity": Severity.NOTE})


# --- a found grader --------------------------------------------------------------------------------------------------


def run_grader(context: Context) -> Iterator[Finding]:
    """The calls that the grader was seen to make stand for instances. It is not asked: it takes whole programs."""
    cases = context.referee.known
    calls: list[list[Any]] = [list(case.call) for case in cases]
    answers = [case.expected for case in cases]
    context.spread = _described(context, calls, answers)
    if len(cases) < LEAST:
        return
    seed = f"{context.bench.seed}:{context.env.spec.name}:spread"
    chosen_on, held_out = spread.halves(len(cases), Random(seed))
    learnt = known([answers[index] for index in chosen_on], seed)

    def measure(trick: Trick, places: Sequence[int]) -> Measured:
        earned = []
        for place, index in enumerate(places):
            try:
                output = said(trick, Question(calls[index][0], place), learnt, Kind.FUNCTION)
                right = same(answers[index], output, LOOSE) is True
            except Nothing:
                right = False
            earned.append((right, float(right)))
        return Measured(trick, earned)

    measured = [measure(trick, chosen_on) for trick in TRICKS]
    best = max(measured, key=lambda one: one.reward)
    kept = measure(best.trick, held_out)
    low, high = spread.wilson(kept.accepted, len(held_out))
    context.spread = context.spread.model_copy(
        update={
            "strategies": tuple(Strategy(**one.words()) for one in measured),
            "best": Best(**kept.words(), low=round(low, 4), high=round(high, 4)),
        }
    )
    line = context.policy.thresholds.trivial_share
    if low > line:
        message = f"A function that returns `{best.trick.name}` is right on {kept.accepted} of {len(held_out)} calls "
        message += f"that the grader makes; the policy's line is {line:.0%}, with 95 % confidence."
        index = held_out[0]
        yield RULES["trivial-strategy-pays"].finding(
            message,
            path=context.env.entry,
            evidence=Seen(
                submission=f"a function that returns {best.trick.name}",
                instance=show(calls[index]),
                expected=show(answers[index]),
                reproduce=context.reproduce("trivial-strategy-pays"),
            ),
        )
