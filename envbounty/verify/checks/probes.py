"""Answers that nobody should accept: nothing, noise, another type, a constant, the question itself, a part, …

A probe accuses only where somebody other than the verifier knows that its output is wrong: by the declared rule for
answers, or because of what it is (noise is no answer to anything). Where neither holds it stays silent.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from envbounty.environment import Compare, Kind, prompt
from envbounty.findings import Finding, Severity, show
from envbounty.verify.bench import Instance
from envbounty.verify.context import Context, Scored, Trial
from envbounty.verify.values import canonical, is_number, number_in

#: Each probe is tried on so many instances; more would only repeat itself.
INSTANCES = 8


@dataclass(frozen=True)
class Case:
    """What a probe may look at to make its outputs for one instance."""

    kind: Kind
    instance: dict[str, Any]
    expected: Any
    others: Sequence[Any]  # right answers of other instances
    commonest: Any  # the commonest right answer
    shown: Sequence[Any]  # what the task text shows of the instance
    parameters: Sequence[str]
    prompt: str
    rng: Random


@dataclass(frozen=True)
class Probe:
    """Outputs of one sort. `by_nature`: wrong whatever the task is, unless right answers are of the same make."""

    rule: str
    name: str
    outputs: Callable[[Case], list[Any]]
    by_nature: bool


def _fits(kind: Kind, outputs: list[Any]) -> list[Any]:
    """Only what a submission of this kind can be: text, a list, or anything."""
    if kind in (Kind.ANSWER, Kind.PROGRAM):
        return [output for output in outputs if isinstance(output, str)]
    if kind is Kind.ACTIONS:
        return [output for output in outputs if isinstance(output, list)]
    return outputs


def empty(case: Case) -> list[Any]:
    return ["", [], {}, None]


def whitespace(case: Case) -> list[Any]:
    return [" ", "\n", "\t \r\n\u00a0", [" "]]


def junk(case: Case) -> list[Any]:
    noise = "".join(chr(case.rng.randrange(1, 0x100)) for _ in range(48))
    return [noise, [noise], [case.rng.randrange(2**31) for _ in range(9)]]


def wrong_type(case: Case) -> list[Any]:
    right = case.expected
    if case.kind is Kind.ACTIONS:
        return [[None], [[]], [{}], [True] * 3, [[right]], [0.5]]
    wrapped: list[Any] = [[right], {"answer": right}, {"": right}]
    if not isinstance(right, str):
        wrapped += ["x", f"{show(right, 200)}?"]
    if not isinstance(right, (int, float)):
        wrapped += [7, -0.5]
    return wrapped


CONSTANTS: tuple[Any, ...] = (
    *(0, 1, -1, 2, 0.5, True, False),
    *("0", "1", "-1", "yes", "no", "YES", "NO", "true", "A"),
    *([0], [1], [0, 1]),
)


def constant(case: Case) -> list[Any]:
    return [*CONSTANTS, case.commonest]


def echo(case: Case) -> list[Any]:
    if case.kind is Kind.PROGRAM:
        return [case.instance.get("stdin")]
    if case.kind is Kind.FUNCTION:
        given = [case.instance.get(name) for name in case.parameters]
        return [*given, given]
    return [case.prompt, *(value for value in case.shown if isinstance(value, (str, list)))]


def other_answer(case: Case) -> list[Any]:
    return list(case.others)


def truncated(case: Case) -> list[Any]:
    """The right answer without its end, its second half, or one of its parts."""
    right = case.expected
    if isinstance(right, (str, list)) and len(right) > 1:
        return [right[:-1], right[: len(right) // 2], right[1:]]
    if isinstance(right, dict) and right:
        return [{key: value for key, value in right.items() if key != gone} for gone in list(right)[:2]]
    if isinstance(right, float) and not right.is_integer() and math.isfinite(right):
        return [int(right)]
    if isinstance(right, int) and not isinstance(right, bool) and abs(right) > 9:
        return [right // 10]
    return []


def nonfinite(case: Case) -> list[Any]:
    bad: list[Any] = [math.nan, math.inf, -math.inf]
    texts = ["nan", "NaN", "inf", "-inf", "Infinity", "1e999"]
    if isinstance(case.expected, list):
        return [[value] * len(case.expected) for value in bad] + texts
    if isinstance(case.expected, str):  # as many of them as there are numbers, where numbers are
        texts += [re.sub(r"-?[0-9]+(?:\.[0-9]+)?", word, case.expected) for word in ("nan", "inf")]
    return [*bad, *texts, [math.nan]]


def huge(case: Case) -> list[Any]:
    deep: Any = 0
    for _ in range(150):
        deep = [deep]
    return ["9" * 100_000, [0] * 50_000, deep, 10**3000, "((((" * 5000, {"a": deep}]


def repeated(case: Case) -> list[Any]:
    """The right answer, over and over: it holds the right part somewhere."""
    right = case.expected
    if isinstance(right, str) and right.strip():
        return [right + ("\n" + right) * max(1, min(2000, 100_000 // (len(right) + 1)))]
    if isinstance(right, list) and right:
        return [right * (1 + 5000 // len(right))]
    return []


PROBES = (
    Probe("accepts-nothing", "an empty output", empty, by_nature=True),
    Probe("accepts-nothing", "white space", whitespace, by_nature=True),
    Probe("accepts-junk", "random bytes", junk, by_nature=True),
    Probe("accepts-wrong-type", "an output of another type", wrong_type, by_nature=True),
    Probe("accepts-nonfinite", "NaN or infinity", nonfinite, by_nature=True),
    Probe("accepts-huge", "a huge or deeply nested output", huge, by_nature=True),
    Probe("accepts-huge", "a right answer repeated", repeated, by_nature=False),
    Probe("accepts-constant", "a constant", constant, by_nature=False),
    Probe("accepts-echo", "the input itself", echo, by_nature=False),
    Probe("accepts-other-answer", "another instance's right answer", other_answer, by_nature=False),
    Probe("accepts-truncated", "a right answer cut short", truncated, by_nature=False),
)


def cases(context: Context) -> list[tuple[Instance, Case]]:
    """The instances that probes are tried on, with what they may look at."""
    bench, spec = context.bench, context.env.spec
    expected = [reply.value for reply in bench.expected]
    commonest = Counter(map(canonical, expected)).most_common(1)
    value = next(item for item in expected if canonical(item) == commonest[0][0])
    step = max(1, len(bench.instances) // INSTANCES)
    chosen = list(range(0, len(bench.instances), step))[:INSTANCES]
    out = []
    for index in chosen:
        instance = bench.instances[index]
        # The neighbours in the order of judging too: a verifier may remember what it has just seen.
        at = chosen.index(index)
        others = [expected[chosen[(at + shift) % len(chosen)]] for shift in (-1, 1, 2)]
        task = context.env.task
        case = Case(
            kind=spec.kind,
            instance=instance.value,
            expected=expected[index],
            others=others,
            commonest=value,
            shown=[instance.value[name] for name, _ in prompt.fields(task)],
            parameters=spec.submission.parameters,
            prompt=prompt.render(task, instance.value),
            rng=Random(f"{bench.seed}:{index}"),
        )
        out.append((instance, case))
    return out


def trials(context: Context) -> list[tuple[Probe, Trial]]:
    """Every output of every probe that is not the right answer, with whether it is known to be wrong."""
    planned: list[tuple[Probe, Instance, Any, Any]] = []
    chosen = cases(context)
    # What the reference itself answers somewhere is a possible answer by nature, here or elsewhere.
    answers = {canonical(reply.value) for reply in context.bench.expected}
    for probe in PROBES:
        for instance, case in chosen:
            seen = {canonical(case.expected)}
            for output in _fits(case.kind, probe.outputs(case)):
                text = canonical(output)
                if text not in seen:
                    seen.add(text)
                    planned.append((probe, instance, case.expected, output))
    rights = context.is_right([(instance, expected, output) for _, instance, expected, output in planned])
    out = []
    for (probe, instance, expected, output), right in zip(planned, rights, strict=True):
        if right is None and probe.by_nature and canonical(output) not in answers:
            right = None if of_a_make(probe.rule, expected, output) else False
        out.append((probe, Trial(instance, output, probe.name, right, expected)))
    return out


def of_a_make(rule: str, expected: Any, output: Any) -> bool:
    """Whether an output is of the same make as a right one, so that its nature alone does not make it wrong."""
    if isinstance(expected, str) and isinstance(output, str):
        if not output.strip():
            return not expected.strip()
        if rule == "accepts-nonfinite":
            return number_in(expected) is None  # among words, "nan" is one more word
        return rule != "accepts-junk"
    if _finite(expected) and _finite(output):
        return True
    return type(expected) is type(output) and not isinstance(output, float)


def _finite(value: Any) -> bool:
    """Whether a value is a finite number, or a text that spells one."""
    if isinstance(value, str):
        return number_in(value) is not None
    return is_number(value) and bool(abs(value) < math.inf)


def run(context: Context) -> Iterator[Finding]:
    planned = trials(context)
    scored = context.score([trial for _, trial in planned])
    compare = context.env.spec.scoring.answers.compare
    for rule in dict.fromkeys(probe.rule for probe in PROBES):
        mine = [item for (probe, _), item in zip(planned, scored, strict=True) if probe.rule == rule]
        accepted = [item for item in mine if context.accepted(item)]
        proved = [item for item in accepted if item.trial.right is False]
        kept = context.confirmed(_smallest(proved)[:3])
        if kept:
            message = f"The verifier accepts {kept[0].trial.source}: {show(kept[0].trial.output, 80)}"
            if len(proved) > 1:
                message += f" (and {len(proved) - 1} more such outputs)"
            yield context.accuse(rule, message + ".", kept[0], confirmed=context.confirmations)
            continue
        if proved:  # what is wrong was accepted once and not again: that is a fault too, and never silence
            first = _smallest(proved)[0]
            what = f"{first.trial.source}: {show(first.trial.output, 80)}"
            yield context.prove(rule, f"The verifier accepts {what}.", first)
            continue
        open_ones = [item for item in accepted if item.trial.right is None]
        tried = [item for item in mine if item.trial.right is not True]
        if compare is Compare.MANY and open_ones and 2 * len(open_ones) >= len(tried):
            first = _smallest(open_ones)[0]
            message = (
                f"The verifier accepts {first.trial.source} on {len(open_ones)} of {len(tried)} tries. Whether it is "
                "wrong cannot be known, since scoring.answers declares nothing: a reviewer should look."
            )
            finding = context.accuse(rule, message, first)
            yield finding.model_copy(update={"severity": Severity.WARNING})
    yield from _equivalence(context, planned)


def _smallest(items: Sequence[Scored]) -> list[Scored]:
    """The easiest to read first."""

    def size(item: Scored) -> int:
        return len(show(item.trial.output, 10_000)) + len(show(item.trial.instance.value, 10_000))

    return sorted(items, key=size)


def _equivalence(context: Context, planned: Sequence[tuple[Probe, Trial]]) -> Iterator[Finding]:
    """Does equivalent() call noise the same as a right answer?"""
    if context.env.spec.scoring.answers.compare is not Compare.CUSTOM:
        return
    nonsense = [
        trial
        for probe, trial in planned
        if probe.rule in ("accepts-nothing", "accepts-junk", "accepts-nonfinite") and trial.right is True
    ]
    if nonsense:
        trial = nonsense[0]
        scored = Scored(trial, context.bench.check([(trial.instance.value, trial.output)])[0])
        message = f"equivalent() says that {show(trial.output, 60)} is the same answer as {show(trial.expected, 60)}."
        yield context.accuse("equivalent-too-wide", message, scored)
