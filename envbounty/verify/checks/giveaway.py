"""Does the input that a submission is given hold the answer, where the task has no need of it?

That an answer occurs in its input is natural (the longest word of a text). So the part that equals the answer is cut
out of the input, and the reference is run again: where it answers as before, nobody needs that part to solve the task.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from envbounty.environment import Kind
from envbounty.findings import Evidence, Finding, show
from envbounty.verify.bench import Instance
from envbounty.verify.context import Context
from envbounty.verify.rules import RULES
from envbounty.verify.values import canonical

#: Shorter answers stand in an input by chance: so many words, or characters of JSON.
WORDS, CHARACTERS = 4, 12
#: On so many instances, with so many different answers, it is no coincidence.
SHARE, DISTINCT = 0.8, 3
#: So many inputs are cut.
CUT = 6


def run(context: Context) -> Iterator[Finding]:
    kind = context.env.spec.kind
    if kind not in (Kind.FUNCTION, Kind.PROGRAM):
        return  # what a model is shown of other instances is the task's text, which has a check of its own
    bench = context.bench
    known = list(zip(bench.instances, (reply.value for reply in bench.expected), strict=True))
    cut: list[tuple[Instance, Instance, Any]] = []
    for instance, expected in known:
        value = _program(instance, expected) if kind is Kind.PROGRAM else _function(context, instance, expected)
        if value is not None:
            cut.append((instance, replace(instance, value=value), expected))
    if len(cut) < SHARE * len(known) or len({canonical(expected) for _, _, expected in cut}) < DISTINCT:
        return
    cut = cut[:CUT]
    for _ in range(1 + context.confirmations):
        replies = bench.solve(context.env.reference, [without for _, without, _ in cut])
        cases = [(instance, expected, reply.value) for (instance, _, expected), reply in zip(cut, replies, strict=True)]
        if any(reply.fault is not None for reply in replies) or not all(context.is_right(cases)):
            return
    instance, without, expected = cut[0]
    evidence = Evidence(
        submission=context.env.reference.path,
        instance=show(instance.value),
        seed=instance.seed,
        difficulty=instance.difficulty,
        output=show(expected),
        expected=show(expected),
        detail=f"the input without it, on which the reference answers the same:\n{show(without.value)}",
        confirmed=context.confirmations,
        reproduce=context.reproduce("input-holds-answer"),
    )
    message = (
        f"On {len(cut)} of {len(cut)} instances tried, the right answer stands in the input, and the reference gives "
        "the same answer without that part."
    )
    yield RULES["input-holds-answer"].finding(message, path=context.env.entry, evidence=evidence)


def _program(instance: Instance, expected: Any) -> dict[str, Any] | None:
    """The instance with the words of the answer cut out of standard input, at their last place; None: not there."""
    text = without_words(str(instance.value.get("stdin", "")), str(expected))
    return None if text is None else {**instance.value, "stdin": text}


def without_words(text: str, answer: str) -> str | None:
    """`text` without the last run of words that are the words of `answer`; None where there is none."""
    spans = [match.span() for match in re.finditer(r"\S+", text)]
    words = [text[start:end] for start, end in spans]
    wanted = answer.split()
    if len(wanted) < WORDS:
        return None
    for at in range(len(words) - len(wanted), -1, -1):
        if words[at] == wanted[0] and words[at : at + len(wanted)] == wanted:
            return text[: spans[at][0]] + text[spans[at + len(wanted) - 1][1] :].lstrip("\r\n")
    return None


def _function(context: Context, instance: Instance, expected: Any) -> dict[str, Any] | None:
    """The instance with the argument, or the item of one, that equals the answer taken away; None: there is none."""
    wanted = canonical(expected)
    if len(wanted) < CHARACTERS:
        return None
    for name in context.env.spec.submission.parameters:
        value = instance.value.get(name)
        if canonical(value) == wanted:
            return {**instance.value, name: None}
        if isinstance(value, dict):
            kept = {key: item for key, item in value.items() if canonical(item) != wanted}
            if len(kept) < len(value):
                return {**instance.value, name: kept}
        if isinstance(value, list) and value and canonical(value[-1]) == wanted:
            return {**instance.value, name: value[:-1]}
    return None
