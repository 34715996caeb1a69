"""Outputs that are almost right: does the verifier look closely enough?

A near miss may be right (a proof without a step that nobody needs), so it accuses only where the declared comparison,
or the environment's own equivalent(), says that it is another answer, and never where only its wording is other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from envbounty.environment import Compare, Kind
from envbounty.findings import Finding, Severity, show
from envbounty.verify.bench import Instance
from envbounty.verify.checks import probes
from envbounty.verify.context import Context, Scored, Trial
from envbounty.verify.perturb import NearMiss, near_misses
from envbounty.verify.values import canonical

#: Near misses are made on so many instances, and so many on each.
INSTANCES, EACH = 6, 40
#: Answers longer than this are no options that one could list.
OPTION = 40
RULE = "accepts-near-miss"


def run(context: Context) -> Iterator[Finding]:
    planned = trials(context)
    scored = context.score([trial for _, trial in planned])
    yield from _accepted(context, [(miss, item) for (miss, _), item in zip(planned, scored, strict=True)])
    yield from _outscoring(context, scored)


def trials(context: Context) -> list[tuple[NearMiss, Trial]]:
    """Near misses of the reference's outputs that no earlier check has shown, with what is known of each."""
    bench = context.bench
    before = {(item.trial.instance.seed, canonical(item.trial.output)) for item in context.scored}
    expected = [reply.value for reply in bench.expected]
    options = sorted({one for one in expected if isinstance(one, str) and 0 < len(one.strip()) <= OPTION})
    step = max(1, len(bench.instances) // probes.INSTANCES)  # those that the probes were tried on
    chosen = list(range(0, len(bench.instances), step))[:INSTANCES]
    planned: list[tuple[NearMiss, Instance, Any]] = []
    for index in chosen:
        instance = bench.instances[index]
        others = [expected[(index + shift) % len(expected)] for shift in (1, 2)]
        rng = Random(f"{bench.seed}:{index}:near misses")
        made = near_misses(expected[index], rng, others=others, options=options, most=EACH)
        for miss in made:
            if fits(context.env.spec.kind, miss.output) and (instance.seed, canonical(miss.output)) not in before:
                planned.append((miss, instance, expected[index]))
    rights = context.is_right([(instance, right, miss.output) for miss, instance, right in planned])
    return [
        (miss, Trial(instance, miss.output, f"a right answer: {miss.name}", right, value))
        for (miss, instance, value), right in zip(planned, rights, strict=True)
    ]


def fits(kind: Kind, output: Any) -> bool:
    """Whether a submission of this kind could give the output."""
    if kind in (Kind.ANSWER, Kind.PROGRAM):
        return isinstance(output, str)
    return isinstance(output, list) if kind is Kind.ACTIONS else True


def _accepted(context: Context, tried: Sequence[tuple[NearMiss, Scored]]) -> Iterator[Finding]:
    wrong = [(miss, item) for miss, item in tried if item.trial.right is False and context.accepted(item)]
    meant = _smallest([item for miss, item in wrong if not miss.form])
    if meant:
        kept = context.confirmed(meant[:3])
        first = kept[0] if kept else meant[0]
        message = f"The verifier accepts {first.trial.source}: {show(first.trial.output, 80)}"
        message += f" for {show(first.trial.expected, 80)}"
        if len(meant) > 1:
            kinds = len({item.trial.source for item in meant})
            message += f" ({len(meant)} such outputs of {kinds} sort{'s' if kinds > 1 else ''})"
        if kept:
            yield context.accuse(RULE, message + ".", first, confirmed=context.confirmations)
        else:
            yield context.prove(RULE, message + ".", first)
        return
    forms = _smallest([item for miss, item in wrong if miss.form])
    if forms and context.env.spec.scoring.answers.compare is not Compare.MANY:
        first = forms[0]
        message = (
            f"The verifier accepts {first.trial.source}: {show(first.trial.output, 80)}, which by scoring.answers is "
            "another answer. If that is meant, declare a comparison that says so."
        )
        yield context.accuse(RULE, message, first).model_copy(update={"severity": Severity.NOTE})


def _smallest(items: Sequence[Scored]) -> list[Scored]:
    """The easiest to read first."""
    return sorted(items, key=lambda item: len(show(item.trial.output, 10_000)) + len(show(item.trial.instance.value)))


def _outscoring(context: Context, scored: Sequence[Scored]) -> Iterator[Finding]:
    """A near miss that earns more than the right answer it was made from."""
    path = context.env.reference.path
    own = {item.trial.instance.seed: item.score for item in context.scored if item.trial.source == path}
    for item in _smallest(scored):
        best, mine = own.get(item.trial.instance.seed), item.score
        if best is not None and mine is not None and best < mine <= 1 and item.trial.right is not True:
            kept = context.confirmed([item])
            if kept:
                message = f"{item.trial.source} scores {mine:g}, and the reference's own output {best:g}."
                yield context.accuse("outscores-reference", message, item, confirmed=context.confirmations)
                return
