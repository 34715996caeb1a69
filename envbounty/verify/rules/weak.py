"""Tests that let wrong programs through."""

from __future__ import annotations

from envbounty.findings import Severity
from envbounty.verify.rules.rule import Rule

E = Severity.ERROR

RULES = [
    Rule(
        "accepts-wrong-program", "mutants", E,
        "The grader accepts a wrong program",
        "A program that is right on the tests and wrong on inputs like them is what a model learns to write: whatever "
        "the tests do not look at is not rewarded.",
        "Add the input shown as a test, and others of its kind; better, draw inputs at random and compare with the "
        "reference.",
        "three tests, each with a list of three numbers",
        "the same, and lists that are empty, long, unsorted, with equal numbers",
    ),
    Rule(
        "tests-are-examples", "mutants", E,
        "Every test is an example of the task's text",
        "A table of the examples passes, and solves nothing.",
        "Test on inputs that the text does not show.",
        "`assert f(3) == 6` where the text says that f(3) is 6",
        "`assert f(17) == 34` beside it",
    ),
]  # fmt: skip
