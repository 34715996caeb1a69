"""How far an environment's instances and answers differ, and what a submission earns that does not solve the task."""

# ruff: noqa: E501  (tables of other people's code)

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from envbounty.environment import Kind
from envbounty.findings import Jail, Report, Result, Severity, Verdict, report_schema
from envbounty.verify.rules import RULES
from envbounty.verify.rules import spread as family
from envbounty.verify.spread import (
    commonest,
    entropy_bits,
    growth,
    halves,
    histogram,
    levels,
    near_repeats,
    wilson,
)
from envbounty.verify.strategies import TRICKS, Nothing, Question, known, said

Examine = Callable[..., Result]

# --- statistics ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("successes", "tried", "low", "high"),
    # By the formula of Wilson (1927) with z = 1.959964, worked out apart from the code.
    [
        (0, 10, 0.0, 0.277533),
        (10, 10, 0.722467, 1.0),
        (9, 10, 0.595850, 0.982124),
        (5, 10, 0.236593, 0.763407),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilson_is_what_the_formula_gives(successes: int, tried: int, low: float, high: float) -> None:
    assert wilson(successes, tried) == pytest.approx((low, high), abs=1e-6)


@given(st.integers(1, 500).flatmap(lambda tried: st.tuples(st.integers(0, tried), st.just(tried))))
def test_wilson_holds_the_share_and_narrows_with_more_tries(pair: tuple[int, int]) -> None:
    successes, tried = pair
    low, high = wilson(successes, tried)
    assert 0 <= low <= successes / tried <= high <= 1
    more_low, more_high = wilson(successes * 10, tried * 10)
    assert more_high - more_low < high - low


def test_entropy() -> None:
    assert entropy_bits([]) == entropy_bits([7]) == 0
    assert entropy_bits([5, 5]) == 1
    assert entropy_bits([1] * 8) == 3
    assert 0 < entropy_bits([19, 1]) < 0.5


def test_the_histogram_takes_both_ends_and_leaves_out_what_is_no_score() -> None:
    assert histogram([0, 0.05, 0.1, 0.55, 0.999, 1, 1.0]) == (2, 1, 0, 0, 0, 1, 0, 0, 0, 3)
    assert histogram([math.nan, math.inf, -1, 2]) == (0,) * 10


def test_growth_knows_up_down_and_neither() -> None:
    wider = [(level, {"n": [0] * 10 * level}) for level in (1, 2, 3, 1, 2, 3)]
    assert growth(wider) == 1
    assert growth([(-level, value) for level, value in wider]) == -1
    assert growth([(1, value) for _, value in wider]) is None  # one level
    assert growth([(level, {"n": 5}) for level in range(6)]) is None  # one size
    # Two of one size share their rank: 0, 1.5, 1.5, 3 against 0, 1, 2, 3.
    assert growth([(0, "a"), (1, "bb"), (2, "cc"), (3, "ddd")]) == pytest.approx(3 / math.sqrt(10), abs=1e-4)


def test_levels_hold_the_five_numbers_of_each() -> None:
    found = levels([(2, "x" * 8), (1, "x"), (2, "x" * 18), (2, "x" * 28)])
    assert [(level.difficulty, level.instances) for level in found] == [(1, 1), (2, 3)]
    assert found[0].sizes == (3,) * 5
    assert found[1].sizes == (10, 15, 20, 25, 30)


def test_near_repeats_are_counted_once_each() -> None:
    row = list(range(20))
    close = [*row[:-1], 99]
    far = [*row[:10], *range(50, 60)]
    assert near_repeats([{"v": row}, {"v": close}, {"v": row}]) == 2
    assert near_repeats([{"v": row}, {"v": far}, {"v": row[:19]}]) == 0
    assert near_repeats([{"v": [1, 2]}, {"v": [1, 3]}]) == 0, "of a small instance one part is much"
    words = " ".join(map(str, row))
    assert near_repeats([words, words.replace("19", "77")]) == 1


def test_the_commonest_answers_come_first_and_are_cut_for_reading() -> None:
    found = commonest([3, 1, 3, "x" * 500, 3, 1])
    assert [(answer.text, answer.count) for answer in found[:2]] == [("3", 3), ("1", 2)]
    assert len(found[2].text) < 100
    assert len(commonest(list(range(50)))) == 12


@given(st.integers(0, 200), st.integers())
def test_halves_share_nothing_and_lose_nothing(count: int, seed: int) -> None:
    first, second = halves(count, Random(seed))
    assert sorted(first + second) == list(range(count))
    assert len(first) <= len(second) <= len(first) + 1


# --- strategies ------------------------------------------------------------------------------------------------------


def answers_of(given_: list[Any], expected: list[Any], kind: Kind = Kind.FUNCTION) -> dict[str, Any]:
    out = {}
    for trick in TRICKS:
        try:
            out[trick.name] = said(trick, Question(given_, 0), known(expected, "seed"), kind)
        except Nothing:
            continue
    return out


def test_each_strategy_says_what_its_name_says() -> None:
    got = answers_of([[3, 1, 2], "second"], [7, 7, 5])
    assert got.pop("an answer drawn by lot") in (7, 5)
    assert got == {
        "always the commonest answer": 7,
        "a blank of the answer's form": 0,
        "the answer of another instance": 7,
        "the input itself": [3, 1, 2],
        "the second input itself": "second",
        "the first element of the input": 3,
        "the last element of the input": 2,
        "the input, sorted": [1, 2, 3],
        "the length of the input": 3,
    }


def test_programs_speak_text_and_actions_lists_only() -> None:
    got = answers_of(["3 1 2\n"], ["6\n", "7\n"], Kind.PROGRAM)
    assert got["the input, sorted"] == "1 2 3\n"
    assert got["the length of the input"] == "3\n"
    assert got["a blank of the answer's form"] == "0\n"
    moves = answers_of([5, 9], [["up"] * 3], Kind.ACTIONS)
    assert moves["a blank of the answer's form"] == ["0"] * 3
    assert all(isinstance(value, list) for value in moves.values())
    assert "the input itself" not in moves


def test_what_cannot_be_done_is_not_said() -> None:
    got = answers_of([None, [[1], "a"]], [None])
    assert "the input, sorted" not in got, "a list and a text have no order"
    assert got["the first element of the input"] == [1]
    assert "the first element of the input" not in answers_of([4], [5])


# --- the check: what is found, beside what is not --------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """What breaks a rule, and the same, mended."""

    kind: str
    files: dict[str, str | None]
    mended: dict[str, str | None]
    yaml: dict[str, str] = field(default_factory=dict)


def environment(generate: str, check: str = "pass") -> dict[str, str | None]:
    return {
        "environment.py": f"""\
def generate(rng, difficulty):
    values = [rng.randint(100, 999) for _ in range(8)]
    {generate}
    return {{"values": values}}

def check(instance, output):
    right = sum(instance["values"])
    {check}
    return 1.0 if type(output) is int and output == right else 0.0
"""
    }


CASES: dict[str, Case] = {
    "trivial-strategy-passes": Case(
        "function",
        environment("values.append(9000 - sum(values))"),
        environment("values.append(9000 - sum(values) + rng.randint(0, 50))"),
    ),
    "trivial-strategy-pays": Case(
        "function",
        environment("values.append(9000 - sum(values) + (rng.random() < 0.04))"),
        environment("values.append(9000 - sum(values) + rng.randint(0, 5))"),
    ),
    "partial-credit-farmed": Case(
        "function",
        environment("pass", "if type(output) is int and output != right: return 0.6"),
        environment("pass", "if type(output) is int and output != right: return 0.4"),
    ),
}


def test_every_rule_of_the_family_has_a_case() -> None:
    assert set(CASES) == {rule.id for rule in family.RULES} <= set(RULES)


YES_NO = """\
def generate(rng, difficulty):
    return {"values": [rng.randint(100, 999) for _ in range(8)]}

def check(instance, output):
    return 1.0 if type(output) is int and output == (sum(instance["values"]) % 10 < %d) else 0.0
"""


def yes_no(of_ten: int) -> dict[str, str | None]:
    """A question with two answers, one of which is right so many times in ten."""
    body = f"def total(values):\n    return int(sum(values) % 10 < {of_ten})\n"
    return {
        "environment.py": YES_NO.replace("%d", str(of_ten)),
        "solutions/reference.py": body,
        "solutions/good/loop.py": body.replace("sum(values)", "sum(list(values))"),
        "solutions/bad/last.py": f"# wrong: leaves the last one out\ndef total(v):\n    return int(sum(v[:-1]) % 10 < {of_ten})\n",
    }


SORT: dict[str, str | None] = {
    "task.md": "Write `total(values)`, the values in order.\n",
    "environment.py": """\
def generate(rng, difficulty):
    return {"values": [rng.randint(100, 999) for _ in range(8)]}

def check(instance, output):
    return 1.0 if output == sorted(instance["values"]) else 0.0
""",
    "solutions/reference.py": "def total(values):\n    return sorted(values)\n",
    "solutions/good/loop.py": "def total(v):\n    v = list(v)\n    v.sort()\n    return v\n",
    "solutions/bad/last.py": "# wrong: leaves the last one out\ndef total(v):\n    return sorted(v[:-1])\n",
}
MEAN = {"aggregate: all, pass_score: 1.0": "aggregate: mean, pass_score: 0.5"}
#: name → (kind, files, yaml)
OTHERS: dict[str, tuple[str, dict[str, str | None], dict[str, str]]] = {
    "two answers, as good as balanced": ("function", yes_no(5), {}),
    "the mean of two answers is a pass": ("function", yes_no(7), MEAN),
    "the task is to sort": ("function", SORT, {}),
    "answer": ("answer", {}, {}),
    "actions": ("actions", {}, {}),
    "program": ("program", {}, {}),
    "grader": ("grader", {}, {}),
}


@pytest.fixture(scope="module")
def batch(request: pytest.FixtureRequest, examine_selected: Callable[..., Any]) -> Any:
    table = {f"{rule}: broken": (case.kind, case.files, case.yaml) for rule, case in CASES.items()}
    table |= {f"{rule}: mended": (case.kind, case.mended, case.yaml) for rule, case in CASES.items()}
    return examine_selected(request, table | OTHERS)


def of_the_family(result: Result) -> list[tuple[str, Severity]]:
    mine = {rule.id for rule in family.RULES}
    return [(finding.rule, finding.severity) for finding in result.findings if finding.rule in mine]


@pytest.mark.parametrize("case", [f"{rule}: broken" for rule in CASES])
def test_a_broken_one_is_found(case: str, batch: Any) -> None:
    rule, result = case.partition(":")[0], batch[case]
    assert of_the_family(result) == [(rule, RULES[rule].severity)], result
    assert result.verdict is (Verdict.FAIL if RULES[rule].severity is Severity.ERROR else Verdict.PASS), result
    finding = next(finding for finding in result.findings if finding.rule == rule)
    evidence = finding.evidence
    assert evidence is not None
    assert evidence.seed is not None and evidence.instance
    assert evidence.reproduce.endswith(f"--seed 0 --only {rule}")
    if RULES[rule].severity is Severity.ERROR:
        assert evidence.confirmed == 2 and evidence.score == 1.0 and evidence.submission


@pytest.mark.parametrize("case", [f"{rule}: mended" for rule in CASES])
def test_the_same_mended_is_not(case: str, batch: Any) -> None:
    assert of_the_family(batch[case]) == []
    assert batch[case].verdict is Verdict.PASS, batch[case]


@pytest.mark.parametrize("case", ["two answers, as good as balanced"])
def test_a_guess_between_two_answers_is_no_fault(case: str, batch: Any) -> None:
    result = batch[case]
    # That five tests of two answers let mutants through is another rule's to say.
    assert {finding.rule for finding in result.findings if finding.severity is Severity.ERROR} <= {"passes-mutant"}
    assert set(of_the_family(result)) <= {("trivial-strategy-pays", Severity.NOTE)}
    assert result.spread.answers == 2 and 0.5 < result.spread.entropy_bits <= 1


@pytest.mark.parametrize("case", ["the mean of two answers is a pass"])
def test_a_constant_that_passes_on_the_mean_is_proof(case: str, batch: Any) -> None:
    result = batch[case]
    assert ("trivial-strategy-passes", Severity.ERROR) in of_the_family(result)
    (finding,) = [finding for finding in result.findings if finding.rule == "trivial-strategy-passes"]
    assert "although it never looks at the instance" in finding.message
    assert finding.evidence is not None and finding.evidence.expected != finding.evidence.output


@pytest.mark.parametrize("case", ["the task is to sort"])
def test_a_trivial_task_is_worth_a_note_and_no_more(case: str, batch: Any) -> None:
    result = batch[case]
    assert result.verdict is Verdict.PASS, result
    assert of_the_family(result) == [("trivial-strategy-pays", Severity.NOTE)]
    (finding,) = [finding for finding in result.findings if finding.rule == "trivial-strategy-pays"]
    assert "the task asks for no more than that" in finding.message


@pytest.mark.parametrize("case", ["answer", "actions", "program", "grader"])
def test_every_kind_is_measured_and_its_report_keeps_the_schema(case: str, batch: Any) -> None:
    result = batch[case]
    assert of_the_family(result) == [] and "spread" in result.checks
    measured = result.spread
    assert measured is not None and measured.best is not None
    assert measured.distinct == measured.instances >= 5
    assert measured.best.accepted <= 1
    assert sum(answer.count for answer in measured.commonest) <= measured.instances
    if case != "grader":
        assert measured.scores is not None
        assert sum(measured.scores.right) >= 20 == measured.scores.right[9] - (sum(measured.scores.right) - 20)
        assert sum(measured.scores.wrong[5:]) == 0 < sum(measured.scores.wrong)
        assert [level.instances for level in measured.levels] == [20]
    report = Report(jail=Jail(backend="bubblewrap", isolated=True), policy=result.policy, results=(result,))
    text = report.to_json()
    Draft202012Validator(report_schema()).validate(json.loads(text))
    assert Report.from_json(text).results[0].spread == measured


def test_the_same_seed_measures_the_same(examined: Examine, tmp_path: Any) -> None:
    first = examined("actions")
    second = examined("actions")
    assert first.spread is not None
    assert first.spread == second.spread
