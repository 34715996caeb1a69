"""Kinds of input that the instances never show."""

from __future__ import annotations

from envbounty.findings import Severity
from envbounty.verify.rules.rule import Rule

RULES = [
    Rule(
        "blind-spot", "generator", Severity.ERROR,
        "The instances never show a kind of input that the task allows",
        "A submission that is wrong on just that kind passes every time, so nothing ever teaches the model to mind it.",
        "Let generate() make such instances now and then, or say in task.md or `domain` that they do not occur.",
        "`rng.randint(1, 50)` numbers where the task says that the list may be empty",
        "`rng.choice((0, 1, 2, rng.randint(3, 50)))` numbers",
    ),
    Rule(
        "instance-outside-domain", "generator", Severity.ERROR,
        "generate() gives an instance outside the domain that env.yaml declares",
        "Right submissions rely on what is declared, and fail where it does not hold.",
        "Correct generate(), or widen `domain` in env.yaml (and what task.md says).",
        "`domain: {properties: {n: {maximum: 100}}}` and `rng.randint(1, 1000)`",
        "`rng.randint(1, 100)`",
    ),
]  # fmt: skip
