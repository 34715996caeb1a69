"""Does the environment load, and does its generator keep its word?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from envbounty.environment import Kind, prompt
from envbounty.findings import Evidence, Finding, show
from envbounty.verify.bench import Reply
from envbounty.verify.context import Context, Stop
from envbounty.verify.rules import RULES
from envbounty.verify.runner import NOT_RUN
from envbounty.verify.values import canonical


def run(context: Context) -> Iterator[Finding]:
    bench = context.bench
    replies = bench.generated
    broken = False
    for rule, message, index in judge_instances(replies):
        yield _finding(context, rule, message, index, replies[index])
        broken = True
    if broken:
        raise Stop
    yield from _lacking(context, replies)
    # Another process, another order, another hash seed: what may differ between two workers of a trainer.
    again = list(reversed(bench.generate(list(reversed(bench.places)), fresh=True)))
    for index, (first, second) in enumerate(zip(replies, again, strict=True)):
        if second.fault or canonical(first.value) != canonical(second.value):
            what = "failed in a second process" if second.fault else "gave another instance in a second process"
            other = str(second.fault) if second.fault else show(second.value)
            message = f"generate() {what} for the same seed."
            yield _finding(context, "generator-nondeterministic", message, index, first, other=other)
            break
    least = context.policy.thresholds.distinct_instances
    if (repeats := judge_distinct([reply.value for reply in replies], least)) is not None:
        yield _finding(context, "generator-repeats", repeats, 0, replies[0])


def judge_instances(replies: Sequence[Reply]) -> Iterator[tuple[str, str, int]]:
    """(rule, message, index of the first example) for what is wrong with instances. At most one of each rule."""
    seen: set[str] = set()
    for index, reply in enumerate(replies):
        rule = message = ""
        if reply.fault == NOT_RUN:
            continue
        if reply.fault is not None and reply.fault.kind != "not-json":
            rule, message = "generator-fails", f"generate() failed: {_last_line(str(reply.fault))}"
        elif reply.fault is not None:
            rule, message = "generator-not-json", f"generate() {reply.fault.detail}."
        elif not isinstance(reply.value, dict):
            rule, message = "generator-not-json", f"generate() gave {show(reply.value, 80)}, which is no object."
        elif not _finite(reply.value):
            rule, message = "generator-not-json", "generate() gave a NaN or an infinity, which JSON does not have."
        if rule and rule not in seen:
            seen.add(rule)
            yield rule, message, index


def judge_distinct(values: Sequence[Any], least: float = 0.9) -> str | None:
    """A message when fewer than the share `least` of the instances are different ones."""
    distinct = len({canonical(value) for value in values})
    if distinct >= least * len(values):
        return None
    return f"{len(values)} seeds gave only {distinct} different instances."


def _finite(value: Any) -> bool:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, float) and not math.isfinite(item):
            return False
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return True


def _lacking(context: Context, replies: Sequence[Reply]) -> Iterator[Finding]:
    spec = context.env.spec
    line = context.env.line("submission", "parameters")
    wanted = [(name, "env.yaml", line) for name in spec.submission.parameters]
    if spec.kind is Kind.PROGRAM:
        wanted.append(("stdin", context.env.entry, 1))
    wanted += [(name, "task.md", line) for name, line in prompt.fields(context.env.task)]
    stop = False
    for name, path, line in dict.fromkeys(wanted):
        text = spec.kind is Kind.PROGRAM and name == "stdin"
        for index, reply in enumerate(replies):
            if name not in reply.value:
                message = f"generate() gave an instance without the key `{name}`."
            elif text and not isinstance(reply.value[name], str):
                message = f"generate() gave an instance whose `{name}` is not text."
            else:
                continue
            evidence = _evidence(context, "instance-lacks-key", index, reply)
            yield RULES["instance-lacks-key"].finding(message, path=path, line=line, evidence=evidence)
            stop = True
            break
    if stop:
        raise Stop


def _evidence(context: Context, rule: str, index: int, reply: Reply, other: str | None = None) -> Evidence:
    seed, level = context.bench.places[index]
    return Evidence(
        instance=show(reply.value) if reply.fault is None else None,
        seed=seed,
        difficulty=level,
        detail=other if other is not None else str(reply.fault) if reply.fault else None,
        reproduce=context.reproduce(rule),
    )


def _finding(context: Context, rule: str, message: str, index: int, reply: Reply, other: str | None = None) -> Finding:
    return RULES[rule].finding(message, path=context.env.entry, evidence=_evidence(context, rule, index, reply, other))


def _last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip() if lines else "it said nothing"
