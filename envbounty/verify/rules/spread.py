"""How hard the environment is, by what costs nothing: strategies that do not solve the task."""

from __future__ import annotations

from envbounty.findings import Severity
from envbounty.verify.rules.rule import Rule

E, W = Severity.ERROR, Severity.WARNING

RULES = [
    Rule(
        "trivial-strategy-passes", "spread", E,
        "A submission that does not solve the task passes",
        "It takes the whole reward on every instance that was tried, so a model has nothing left to learn.",
        "Make the answers depend on the instance: widen generate(), balance the answers, or raise pass_score.",
        "generate() makes only solvable boards, and the answer is whether the board can be solved",
        "as many boards that cannot be solved, drawn by rng",
    ),
    Rule(
        "trivial-strategy-pays", "spread", W,
        "A submission that does not solve the task is accepted on a large share of the instances",
        "The first thing that training finds is what pays without work; a gradient from luck teaches nothing.",
        "Balance the answers, widen their range, or let several instances decide together with aggregate: all.",
        "nine of ten answers are `no`",
        "`rng.random() < 0.5` decides first which answer the instance shall have",
    ),
    Rule(
        "partial-credit-farmed", "spread", W,
        "A submission that does not solve the task earns more than half of the reward in partial credit",
        "What is earned by form alone outweighs what is earned by being right, and a model settles for it.",
        "Give less for form, or nothing unless the answer is right; grade by how near to right it is.",
        "`return 0.6 * well_formed(output) + 0.4 * (output == answer)`",
        "`return 0.1 * well_formed(output) + 0.9 * (output == answer)`",
    ),
]  # fmt: skip
