"""Is the reference accepted, are other right solutions accepted, and are wrong ones rejected?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envbounty.environment import Compare, Kind, Solution
from envbounty.findings import Evidence, Finding, show
from envbounty.verify.bench import Instance, Reply, Trouble
from envbounty.verify.checks import scores
from envbounty.verify.context import Context, Scored, Stop, Trial
from envbounty.verify.rules import RULES
from envbounty.verify.runner import NOT_RUN


def run(context: Context) -> Iterator[Finding]:
    yield from _reference(context)
    context.bench.prepare([*context.env.good, *context.env.bad])
    yield from _equivalent(context)
    yield from _oracle(context)
    tried = _tried(context, [*context.env.good, *context.env.bad])
    for solution in context.env.good:
        yield from _good(context, solution, *tried[solution.path])
    for solution in context.env.bad:
        yield from _bad(context, solution, *tried[solution.path])
    good, bad, wanted = len(context.env.good), len(context.env.bad), context.policy.thresholds
    if good < wanted.good_solutions or bad < wanted.bad_solutions:
        yield RULES["few-solutions"].finding(f"There are {good} good and {bad} bad solutions.", path="solutions")


def _reference(context: Context) -> Iterator[Finding]:
    bench, path = context.bench, context.env.reference.path
    outputs = bench.expected
    if (index := _first_fault(outputs)) is not None:
        _slow_again(context, context.env.reference, bench.instances[index], outputs[index])
        yield _fault_finding(context, "reference-fails", path, bench.instances[index], outputs[index])
        raise Stop
    scored = context.score(
        [
            Trial(instance, reply.value, path, True, reply.value)
            for instance, reply in zip(bench.instances, outputs, strict=True)
        ]
    )
    rejected = [item for item in scored if not context.accepted(item)]
    if rejected:
        message = f"The reference is rejected on {len(rejected)} of {len(scored)} instances."
        yield context.prove("reference-rejected", message, rejected[0])
        # Why it is rejected may be that the verifier gives no score at all.
        if (rule := scores.judge(rejected[0])) is not None:
            yield context.accuse(rule, scores.message(rule, rejected[0]), rejected[0], confirmed=context.confirmations)
        raise Stop


def _equivalent(context: Context) -> Iterator[Finding]:
    """Everything that follows is judged by equivalent(), so it must at least know a right answer from itself."""
    if context.env.spec.scoring.answers.compare is not Compare.CUSTOM:
        return
    bench = context.bench
    triples = [
        (instance.value, reply.value, reply.value)
        for instance, reply in zip(bench.instances, bench.expected, strict=True)
    ]
    for instance, triple, reply in zip(bench.instances, triples, bench.equivalent(triples), strict=True):
        if reply.fault is not None or reply.value is not True:
            said = str(reply.fault) if reply.fault else show(reply.value)
            evidence = Evidence(
                instance=show(instance.value),
                seed=instance.seed,
                difficulty=instance.difficulty,
                output=show(triple[1]),
                expected=show(triple[1]),
                detail=said,
                reproduce=context.reproduce("equivalent-fails"),
            )
            last = said.strip().splitlines()[-1].strip()
            yield RULES["equivalent-fails"].finding(
                f"equivalent() said `{last}` of the reference's answer and itself.",
                path=context.env.entry,
                evidence=evidence,
            )
            raise Stop


def _oracle(context: Context) -> Iterator[Finding]:
    bench = context.bench
    if "reference" not in bench.author_has:
        return
    replies = bench.oracle(bench.instances)
    if (index := _first_fault(replies)) is not None:
        yield _fault_finding(context, "reference-fails", context.env.entry, bench.instances[index], replies[index])
        return
    cases = [
        (instance, expected.value, reply.value)
        for instance, expected, reply in zip(bench.instances, bench.expected, replies, strict=True)
    ]
    for (instance, expected, output), right in zip(cases, context.is_right(cases), strict=True):
        if right is False:
            trial = Trial(instance, output, "reference() in environment.py", False, expected)
            message = "reference() gives another answer than solutions/reference."
            yield context.accuse("oracle-disagrees", message, Scored(trial, Reply()))
            return


def _tried(context: Context, solutions: Sequence[Solution]) -> dict[str, tuple[list[Reply], list[Scored]]]:
    """Of each solution the outputs on all instances, and the scores of those that there are. Several at a time."""
    bench = context.bench

    def solve(solution: Solution) -> list[Reply]:
        return bench.solve(solution, bench.instances)

    if context.env.spec.kind is Kind.PROGRAM:
        outputs = [solve(solution) for solution in solutions]  # each of which spreads its instances
    else:
        outputs = bench.spread(solve, solutions)
    trials = bench.spread(lambda pair: _trials(context, *pair), list(zip(solutions, outputs, strict=True)))
    scored = context.score_each(trials)
    return {solution.path: (said, of) for solution, said, of in zip(solutions, outputs, scored, strict=True)}


def _trials(context: Context, solution: Solution, outputs: Sequence[Reply]) -> list[Trial]:
    bench = context.bench
    cases = [
        (instance, expected.value, reply.value)
        for instance, expected, reply in zip(bench.instances, bench.expected, outputs, strict=True)
        if reply.fault is None
    ]
    return [
        Trial(instance, output, solution.path, right, expected)
        for (instance, expected, output), right in zip(cases, context.is_right(cases), strict=True)
    ]


def _good(context: Context, solution: Solution, outputs: list[Reply], scored: list[Scored]) -> Iterator[Finding]:
    instances = context.bench.instances
    if (index := _first_fault(outputs)) is not None:
        _slow_again(context, solution, instances[index], outputs[index])
        yield _fault_finding(context, "good-rejected", solution.path, instances[index], outputs[index])
        return
    rejected = [item for item in scored if not context.accepted(item)]
    if rejected and not (context.env.spec.scoring.aggregate == "mean" and context.aggregate(scored, len(instances))):
        message = f"{solution.path} is rejected on {len(rejected)} of {len(scored)} instances."
        yield context.prove("good-rejected", message, rejected[0], path=solution.path)


def _bad(context: Context, solution: Solution, outputs: list[Reply], scored: list[Scored]) -> Iterator[Finding]:
    instances = context.bench.instances
    if not scored:
        index = _first_fault(outputs) or 0
        yield _fault_finding(context, "bad-does-not-run", solution.path, instances[index], outputs[index])
        return
    accepted = [item for item in scored if context.accepted(item)]
    if context.env.spec.kind in (Kind.FUNCTION, Kind.PROGRAM):
        if context.aggregate(scored, len(instances)):
            shown = next((item for item in accepted if item.trial.right is False), accepted[0])
            message = f"{solution.path} is accepted, although its author says: {solution.why}"
            yield context.prove("bad-accepted", message, shown, path=solution.path)
        return
    wrong = [item for item in accepted if item.trial.right is False]
    if wrong:
        message = f"{solution.path} is accepted where its answer is wrong, on {len(wrong)} of {len(scored)} instances."
        yield context.prove("bad-accepted", message, wrong[0], path=solution.path)
    elif 2 * len(accepted) > len(instances):
        message = f"{solution.path} is accepted on {len(accepted)} of {len(instances)} instances: {solution.why}"
        yield context.prove("bad-accepted", message, accepted[0], path=solution.path)


def _slow_again(context: Context, solution: Solution, instance: Instance, reply: Reply) -> None:
    """Try a right solution that ran out of time once more. Raises `Trouble` when it is in time now."""
    if reply.fault is not None and reply.fault.kind == "timeout":
        again = context.bench.solve(solution, [instance])[0]
        if again.fault is None or again.fault.kind != "timeout":
            why = "ran out of time once and not when tried again"
            raise Trouble(f"{solution.path} {why}: run again when less is running")


def _first_fault(replies: Sequence[Reply]) -> int | None:
    faults = [index for index, reply in enumerate(replies) if reply.fault is not None]
    # What was not run is the consequence of another fault, so that one is the one to show.
    return next((index for index in faults if replies[index].fault != NOT_RUN), faults[0] if faults else None)


def _fault_finding(context: Context, rule: str, path: str, instance: Instance, reply: Reply) -> Finding:
    fault = reply.fault
    assert fault is not None
    evidence = Evidence(
        submission=path,
        instance=show(instance.value),
        seed=instance.seed,
        difficulty=instance.difficulty,
        detail=str(fault),
        reproduce=context.reproduce(rule),
    )
    words = [line for line in fault.detail.strip().splitlines() if line.strip()]
    last = words[-1].strip() if words else fault.kind
    return RULES[rule].finding(f"{path} did not give an output ({fault.kind}): {last}", path=path, evidence=evidence)
