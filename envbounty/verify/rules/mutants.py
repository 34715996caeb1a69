"""Right solutions with one mistake in them that the verifier lets through."""

from __future__ import annotations

from envbounty.findings import Severity
from envbounty.verify.rules.rule import Rule

E = Severity.ERROR

RULES = [
    Rule(
        "accepts-mutant", "mutants", E,
        "The verifier accepts a wrong answer of a right solution with one mistake",
        "Mistakes such as one bound too low or one tie broken the other way are what a model makes; where their wrong "
        "answers are rewarded, it has no reason to stop making them.",
        "Make check() compare the whole output with the right answer by the rule that env.yaml declares, or declare "
        "there what else is right.",
        "`return 1.0 if abs(len(output) - len(right)) <= 1 else 0.0`",
        "`return 1.0 if output == right else 0.0`",
    ),
    Rule(
        "passes-mutant", "mutants", E,
        "A wrong submission passes, because too few of its tests can tell",
        "A submission is judged on few instances, and on those this one is right: a model that writes it is paid in "
        "full, again and again, and never learns what is wrong.",
        "Make generate() put the case shown into nearly every instance, or raise scoring.instances.",
        "`scoring: {instances: 5}` with a list that has equal elements one time in ten",
        "`scoring: {instances: 20}` with equal elements in every other list",
    ),
]  # fmt: skip
