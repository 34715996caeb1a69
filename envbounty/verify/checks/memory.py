"""Does the verifier judge an output by the instance alone, or by what it was shown before?

A right answer of one instance is shown for another one, where it is wrong: after it was accepted where it is right, and
alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envbounty.findings import Finding, show
from envbounty.verify.context import Context, Scored, Trial
from envbounty.verify.rules import RULES
from envbounty.verify.values import canonical

#: So many pairs of instances.
PAIRS = 8


def run(context: Context) -> Iterator[Finding]:
    planned = pairs(context)
    scored = context.score([trial for pair in planned for trial in pair])
    for pair, late in zip(planned, scored[1::2], strict=True):
        if not context.accepted(late):
            continue
        # The same verdict without the history is another fault, which other checks name.
        alone = context.score([late.trial], fresh=True)[0]
        if alone.reply.fault is None and not context.accepted(alone) and _again(context, pair, late):
            yield _finding(context, late, alone)
            return


def pairs(context: Context) -> list[list[Trial]]:
    """(a right answer where it is wrong, the same where it is right) for several instances."""
    bench = context.bench
    known = list(zip(bench.instances, bench.expected, strict=True))
    cases = []
    for at, (instance, reply) in enumerate(known):
        for shift in range(1, len(known)):
            other, answer = known[(at + shift) % len(known)]
            if canonical(answer.value) != canonical(reply.value) and _alike(answer.value, reply.value):
                cases.append((instance, reply.value, other, answer.value))
                break
    cases = cases[:PAIRS]
    rights = context.is_right([(instance, expected, output) for instance, expected, _, output in cases])
    return [
        [
            Trial(other, output, "another instance's right answer", True, output),
            Trial(instance, output, "another instance's right answer, once it was accepted there", False, expected),
        ]
        for (instance, expected, other, output), right in zip(cases, rights, strict=True)
        if right is False
    ]


def _alike(a: object, b: object) -> bool:
    """Whether two answers are of one shape, so that a verifier looks at both of them closely."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b)
    return type(a) is type(b)


def _again(context: Context, trials: Sequence[Trial], late: Scored) -> bool:
    """Whether clean jails that are shown the same in the same order say the same, each time."""
    again = (context.score(trials, fresh=True)[-1] for _ in range(context.confirmations))
    return all(item.says() == late.says() for item in again)


def _finding(context: Context, late: Scored, alone: Scored) -> Finding:
    evidence = context.evidence(late, "verifier-remembers", confirmed=context.confirmations)
    shown = show(late.trial.output, 80)
    detail = f"alone: {alone.says()}; after the same output was accepted for another instance: {late.says()}"
    return RULES["verifier-remembers"].finding(
        f"The verifier rejects {shown} for an instance, and accepts it there once it was right for another one.",
        path=context.env.entry,
        evidence=evidence.model_copy(update={"detail": detail}),
    )
