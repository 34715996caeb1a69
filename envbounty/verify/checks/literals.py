"""Does the verifier accept a word of its own source?

Every text, number and literal container in the environment's code is given back as an output. An accusation is made
only where the declared comparison, or equivalent(), says that it is not the answer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from envbounty.environment import Compare, Kind
from envbounty.findings import Finding, show
from envbounty.verify.context import Context, Trial
from envbounty.verify.values import canonical, depth

#: So many literals are tried, each on so many instances; longer ones are prose.
MOST, INSTANCES, LONGEST = 150, 2, 200
#: A file larger than this is not read.
LARGEST = 200_000


def run(context: Context) -> Iterator[Finding]:
    if context.env.spec.scoring.answers.compare is Compare.MANY:
        return
    kind = context.env.spec.kind
    found = [value for text in context.env.code.values() for value in literals(text)]
    outputs = {canonical(output): output for value in found for output in dressed(value, kind)}
    pairs = list(zip(context.bench.instances, context.bench.expected, strict=True))[:INSTANCES]
    cases = [
        (instance, reply.value, output)
        for output in list(outputs.values())[: MOST * 2]
        for instance, reply in pairs
        if canonical(reply.value) != canonical(output)
    ]
    trials = [
        Trial(instance, output, "a literal of the environment's code", False, expected)
        for (instance, expected, output), right in zip(cases, context.is_right(cases), strict=True)
        if right is False
    ]
    accepted = [item for item in context.score(trials) if context.accepted(item)]
    if accepted:
        first = min(accepted, key=lambda item: len(show(item.trial.output)))
        message = f"The verifier accepts {show(first.trial.output, 80)}, which stands in its own source."
        yield context.prove("accepts-own-literal", message, first)


def literals(source: bytes) -> list[Any]:
    """Texts, numbers, and lists and objects of them, that a Python file names. Empty for what is no Python."""
    if len(source) > LARGEST:
        return []
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        if id(node) in prose or not isinstance(node, (ast.Constant, ast.List, ast.Tuple, ast.Dict)):
            continue
        try:
            value = ast.literal_eval(node)
            text = canonical(value)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        if len(text) <= LONGEST and depth(value) < 5 and value not in (None, True, False, ""):
            found.setdefault(text, value)
    return list(found.values())[:MOST]


def dressed(value: Any, kind: Kind) -> list[Any]:
    """A literal as outputs that a submission of this kind could give."""
    if isinstance(value, tuple):
        value = list(value)
    if kind in (Kind.ANSWER, Kind.PROGRAM):
        return [value] if isinstance(value, str) else [str(value)] if isinstance(value, (int, float)) else []
    if kind is Kind.ACTIONS:
        return [value] if isinstance(value, list) else [[value], [[value]]]
    return [value, [value], {value: True}] if isinstance(value, str) else [value]
