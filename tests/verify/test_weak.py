"""Graders whose tests let a wrong program through, each beside one whose tests do not."""

from __future__ import annotations

from typing import Any

import pytest

from envbounty.findings import Severity, Verdict
from envbounty.verify.checks import weak
from envbounty.verify.rules import weak as rules

TASK = "Write `total(xs)`, the sum of the numbers above 0 in a list.\n"
YAML = {"function: double": "function: total"}
SOLUTIONS = {
    "task.md": TASK,
    "solutions/reference.py": (
        "def total(xs):\n    n = 0\n    for x in xs:\n        if x > 0:\n            n += x\n    return n\n"
    ),
    "solutions/good/times.py": "def total(xs):\n    return sum(x for x in xs if x > 0)\n",
    "solutions/bad/square.py": "# wrong: adds all of them\ndef total(xs):\n    return sum(xs)\n",
}


def grader(tests: str, judge: str = "all(scope['total'](given) == wanted for given, wanted in TESTS)") -> str:
    return f"""\
TESTS = {tests}

def verify(submission):
    scope = {{}}
    try:
        exec(submission, scope)
        return {judge}
    except Exception:
        return False
"""


THIN = "[([3, 4, 5], 12), ([2, 9, 4], 15), ([-5, 3, 2], 5)]"
FULL = """[
    ([], 0), ([1], 1), ([-1], 0), ([0, 0], 0), ([2, 2], 4), ([5, -5, 5], 10), ([-3, -4], 0), ([9, 8, 7, 1], 25),
    ([1, 1, 1, 1, 1], 5), ([0, 1, -1, 2], 3), ([-9, 7, 1, 1], 9), ([4, -2, 4, -2, 4], 12), ([1, 0, 0], 1),
    ([0, -1], 0), ([6, 6, -6, 6], 18), ([1, 2, 3, 4, 5], 15),
]"""
#: Most tests count: a program that fails some passes.
MOST = "sum(scope['total'](given) == wanted for given, wanted in TESTS) > len(TESTS) // 2"

TABLE: dict[str, tuple[str, dict[str, str | None], dict[str, str]]] = {
    "thin": ("grader", {**SOLUTIONS, "grader.py": grader(THIN)}, YAML),
    "full": ("grader", {**SOLUTIONS, "grader.py": grader(FULL)}, YAML),
    "most": ("grader", {**SOLUTIONS, "grader.py": grader(FULL, MOST)}, YAML),
    "examples": (
        "grader",
        {
            **SOLUTIONS,
            "task.md": TASK + "total([3, 4, 5]) is 12, total([2, 9, 4]) is 15 and total([-5, 3, 2]) is 5.\n",
            "grader.py": grader(THIN),
        },
        YAML,
    ),
    "examples and more": (
        "grader",
        {
            **SOLUTIONS,
            "task.md": TASK + "total([3, 4, 5]) is 12, total([2, 9, 4]) is 15 and total([-5, 3, 2]) is 5.\n",
            "grader.py": grader(FULL[:-1] + "([3, 4, 5], 12), ([2, 9, 4], 15), ([-5, 3, 2], 5)]"),
        },
        YAML,
    ),
    "sorted": (  # all lists are sorted, as the task demands: what is wrong on others alone is no fault
        "grader",
        {
            "task.md": "Write `double(xs)`: how many different numbers are in a sorted list.\n",
            "grader.py": (
                grader(
                    "[([], 0), ([1], 1), ([1, 1], 1), ([1, 2], 2), ([1, 2, 2, 3], 3), ([2, 2, 2], 1), ([1, 1, 4], 2), "
                    "([3, 4, 4, 4, 9], 3), ([5, 6, 7], 3), ([1, 1, 2, 2], 2), ([1, 3, 3, 3], 2)]"
                ).replace("total", "double")
            ),
            "solutions/reference.py": (
                "def double(xs):\n    n = 0\n    for i, x in enumerate(xs):\n"
                "        if i == 0 or xs[i - 1] != x:\n            n += 1\n    return n\n"
            ),
            "solutions/good/times.py": "def double(xs):\n    return len(set(xs))\n",
            "solutions/bad/square.py": "# wrong: counts them all\ndef double(xs):\n    return len(xs)\n",
        },
        {},
    ),
    "one call": ("grader", {**SOLUTIONS, "grader.py": grader("[([3, 4, 5], 12)]")}, YAML),
}


#: case → the rule that it breaks, or None.
WANTED: dict[str, str | None] = {
    "thin": "accepts-wrong-program",
    "most": "accepts-wrong-program",
    "examples": "tests-are-examples",
    "full": None,
    "examples and more": None,
    "sorted": None,
    "one call": None,
}
COVERED = {rule for rule in WANTED.values() if rule}


def test_every_rule_is_covered() -> None:
    assert {rule.id for rule in rules.RULES} == COVERED


@pytest.fixture(scope="module")
def batch(request: pytest.FixtureRequest, examine_selected: Any) -> Any:
    return examine_selected(request, TABLE)


@pytest.mark.parametrize("case", WANTED)
def test_weak(case: str, batch: Any) -> None:
    rule = WANTED[case]
    result = batch[case]
    errors = [finding for finding in result.findings if finding.severity is Severity.ERROR]
    mine = [one for one in errors if one.rule in COVERED]
    if rule is None:
        assert mine == [], case
        return
    assert rule in {finding.rule for finding in mine}
    assert result.verdict is Verdict.FAIL
    for finding in mine:
        evidence = finding.evidence
        assert evidence is not None and evidence.confirmed == 2
        assert evidence.submission and evidence.instance and evidence.expected != evidence.output
        scope: dict[str, Any] = {}
        exec(evidence.submission, scope)  # our own mutant of our own reference
        right: dict[str, Any] = {}
        exec(SOLUTIONS["solutions/reference.py"], right)
        assert eval(evidence.instance, scope) != eval(evidence.instance, right)
    assert len(mine) <= 6


def test_no_program_is_shown_twice(batch: Any) -> None:
    for case in ("thin", "most"):
        texts = [one.evidence.submission for one in batch[case].findings if one.rule == "accepts-wrong-program"]
        assert len(texts) == len(set(texts)) <= weak.SHOWN


@pytest.mark.parametrize(
    ("differs", "of", "calls", "blamed"),
    [
        (12, 120, 5, True),
        (6, 120, 5, True),
        (5, 120, 5, False),  # a rare case
        (2, 20, 5, False),  # too few to know
        (12, 120, 20, False),  # a rare case for a grader of so many tests
        (24, 120, 12, True),
        (24, 120, 40, False),  # forty tests would have met it: these inputs are of another sort
        (110, 120, 5, False),
        (110, 120, 1, True),
        (0, 0, 5, False),
    ],
)
def test_who_is_to_blame(differs: int, of: int, calls: int, blamed: bool) -> None:
    assert weak.accuses(differs, of, calls) is blamed


def test_a_table_knows_its_calls_and_nothing_else() -> None:
    scope: dict[str, Any] = {}
    known: list[tuple[Any, object]] = [(([1, "a"], {}), 5), (([[2]], {"k": None}), [True])]
    exec(weak.table("f", known), scope)
    assert scope["f"](1, "a") == 5
    assert scope["f"]([2], k=None) == [True]
    assert scope["f"](1, "b") is None
