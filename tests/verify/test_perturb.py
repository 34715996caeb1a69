"""Near misses: how they are made, and verifiers of each kind that take one."""

# ruff: noqa: E501  (tables of other people's code)

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envbounty.findings import Result, Severity, Verdict
from envbounty.verify.perturb import MOST, near_misses
from envbounty.verify.rules import perturb as rules
from envbounty.verify.values import canonical

Examine = Callable[..., Result]
#: The rules whose cases are here.
COVERED = ("accepts-near-miss", "outscores-reference")


def made(right: Any, **more: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for miss in near_misses(right, Random(3), most=500, **more):
        found.setdefault(miss.name, []).append(miss.output)
    return found


# --- how they are made -----------------------------------------------------------------------------------------------


def test_a_number() -> None:
    found = made(472)
    assert found["one more"] == [473] and found["one less"] == [471] and found["the sign changed"] == [-472]
    assert found["a tenth more"] == [519] and found["a tenth less"] == [424] and found["twice as much"] == [944]
    assert set(found["two digits swapped"]) <= {742, 427} and set(found["a digit left out"]) <= {72, 42, 47}
    assert found["rounded"] == [500]
    assert found.pop("a fraction further from zero") == [472.4] and made(-3)["a fraction further from zero"] == [-3.4]
    assert all(type(value) is int for values in found.values() for value in values)


def test_a_float() -> None:
    found = made(2.34)
    assert found["rounded"] == [2.0, 2.3] and found["the sign changed"] == [-2.34]
    assert found["a thousandth more"] == [pytest.approx(2.34234)]


def test_a_short_answer() -> None:
    found = made("blue whale", others=["red fox"], options=["blue whale", "red fox", "owl"])
    assert found["two words swapped"] == ["whale blue"] and found["the last word left out"] == ["blue"]
    assert "not blue whale" in found["denied"]
    assert "blue whale or red fox" in found["two answers, the other last"]
    assert "red fox\nblue whale" in found["two answers, the other first"]
    assert found["every answer there is"] == ["blue whale, red fox, owl", "blue whale\nowl\nred fox"]


def test_what_is_only_worded_otherwise_says_so() -> None:
    forms = {miss.name for miss in near_misses("42", Random(0), most=500) if miss.form}
    assert forms == {"in a sentence", "with a full stop", "with a question mark", "in quotes", "said twice"}
    assert any(miss.form and miss.output == "BLUE" for miss in near_misses("blue", Random(0), most=500))


def test_a_number_in_a_text() -> None:
    found = made("-17/3")
    assert "-18/3" in found["a number in it: one more"] and "-17/4" in found["a number in it: one more"]
    assert "17/3" in found["a number in it: the sign changed"]
    assert "3.5 m" in made("2.5 m")["a number in it: one more"]


def test_a_list() -> None:
    found = made([5, 7, 9], others=[[1, 2]])
    assert found["without one item"][:2] == [[7, 9], [5, 7]]
    assert [5, 5, 7, 9] in found["one item twice"] and [7, 5, 9] in found["two neighbouring items swapped"]
    assert (
        found["reversed"] == [[9, 7, 5]] and found["its first half"] == [[5]] and found["twice over"] == [[5, 7, 9] * 2]
    )
    assert found["another instance's answer behind it"] == [[5, 7, 9, 1, 2]]
    assert [6, 7, 9] in found["in one item, one more"] and [5, 7, 10] in found["in one item, one more"]
    assert found["a foreign item in the middle"] == [[5, "no such thing", 7, 9]]


def test_steps_of_a_plan_are_changed_inside() -> None:
    found = made([["load", 3], ["take"]])
    assert [["load", -3], ["take"]] in found["in one item, the sign changed"]
    assert [["load", 3], ["takx"]] in found["in one item, another word"]
    assert found["its first item again at the end"] == [[["load", 3], ["take"], ["load", 3]]]


PROOF = "1. p -> q : premise\n2. p : premise\n3. r : premise\n4. q : ->E 1 2\n5. q & r : &I 4 3"


def test_a_proof_line_by_line() -> None:
    found = made(PROOF)
    without = found["a step left out, the rest numbered anew"]
    assert "1. p : premise\n2. r : premise\n3. q : ->E 1 1\n4. q & r : &I 3 2" in without
    assert found["the end alone"] == ["5. q & r : &I 4 3"]
    assert found["the end at the beginning"][0].startswith("5. q & r : &I 4 3\n1. p -> q")
    assert len(found["two reasons swapped"]) == 1 and found["two reasons swapped"][0].count("\n") == 4
    assert any(text.count("\n") == 3 for text in found["without one line"])
    assert any("&I 4 2" in text or "&I 5 3" in text or "&I 4 4" in text for texts in found.values() for text in texts)


def test_lines_without_numbers_are_not_numbered_anew() -> None:
    assert "a step left out, the rest numbered anew" not in made("up\ndown\nup")
    assert "a step left out, the rest numbered anew" not in made("2. up\n1. down")


def test_other_values() -> None:
    assert made(True) == {"the other truth value": [False]} and made(None) == {"a zero for nothing": [0]}
    assert made("  ") == {"a word for nothing": ["nothing"]}
    assert made({"a": 1, "b": 2})["two values swapped"] == [{"a": 2, "b": 1}]
    assert {"a": 2} in made({"a": 1})["in one value, one more"]
    assert near_misses("x" * 300_000, Random(0)) == [] and near_misses([0] * 150_000, Random(0)) == []


def test_one_of_each_sort_comes_first() -> None:
    few = near_misses([5, 7, 9, 4], Random(0), others=[[1]], most=12)
    assert len({miss.name for miss in few}) == 12


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
JSON = st.recursive(
    SCALARS, lambda x: st.lists(x, max_size=4) | st.dictionaries(st.text(max_size=3), x, max_size=3), max_leaves=8
)


@settings(max_examples=200, deadline=None)
@given(JSON, st.lists(JSON, max_size=2), st.lists(st.text(max_size=5), max_size=3), st.integers(0, 99))
def test_near_misses_differ_and_never_raise(right: Any, others: list[Any], options: list[str], seed: int) -> None:
    found = near_misses(right, Random(seed), others=others, options=options)
    texts = [canonical(miss.output) for miss in found]
    assert canonical(right) not in texts and len(texts) == len(set(texts)) <= MOST
    assert found == near_misses(right, Random(seed), others=others, options=options)
    if isinstance(right, (str, list, dict)):
        assert found and all(type(miss.output) is type(right) for miss in found if not isinstance(right, dict))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=12), min_size=2, max_size=6), st.integers(0, 9))
def test_lines_of_any_text(lines: list[str], seed: int) -> None:
    numbered = "\n".join(f"{i}. {line}: r {i}" for i, line in enumerate(lines, 1))
    for miss in near_misses(numbered, Random(seed), most=500):
        assert isinstance(miss.output, str) and miss.output != numbered


# --- verifiers that take one -----------------------------------------------------------------------------------------


def answering(check: str, generate: str = "") -> dict[str, str]:
    """environment.py of the base kind `answer`: the sum of two numbers."""
    return {
        "environment.py": f"""\
def generate(rng, difficulty):
    {generate or "pass"}
    return {{"a": rng.randint(1000, 9999), "b": rng.randint(1000, 9999)}}

def check(instance, output):
    right = str(instance["a"] + instance["b"])
    if not isinstance(output, str) or len(output) > 200:
        return 0.0
    return float({check})
"""
    }


def totals(check: str) -> dict[str, str]:
    """environment.py of the base kind `function`: the sum of a list."""
    return {
        "environment.py": f"""\
def generate(rng, difficulty):
    return {{"values": [rng.randint(100, 999) for _ in range(8)]}}

def check(instance, output):
    right = sum(instance["values"])
    return float(type(output) is int and ({check}))
"""
    }


def plans(check: str, more: str = "") -> dict[str, str]:
    """environment.py of the base kind `actions`: up or down to a goal."""
    return {
        "environment.py": f"""\
def generate(rng, difficulty):
    start = rng.randint(0, 10**6)
    return {{"start": start, "goal": start + rng.choice((-1, 1)) * rng.randint(3, 9)}}

def check(instance, output):
    way = instance["goal"] - instance["start"]
    right = ["up" if way > 0 else "down"] * abs(way)
    if not isinstance(output, list) or len(output) > 100:
        return 0.0
    {check}
{more}
"""
    }


SORTING: dict[str, str | None] = {
    "task.md": "Write `total(values)`, which sorts a list of numbers.\n",
    "environment.py": """\
def generate(rng, difficulty):
    return {"values": [rng.randint(100, 999) for _ in range(8)]}

def check(instance, output):
    right = sorted(instance["values"])
    return float(isinstance(output, list) and len(output) < 12 and set(map(str, right)) <= set(map(str, output)) and output[:4] == right[:4])
""",
    "solutions/reference.py": "def total(values):\n    return sorted(values)\n",
    "solutions/good/loop.py": "def total(v):\n    v.sort()\n    return v\n",
    "solutions/bad/last.py": "# wrong: leaves the last one out\ndef total(v):\n    return sorted(v)[:-1]\n",
}
CUSTOM = {"compare: exact": "compare: custom"}
MANY = {"compare: exact": "compare: many"}
OWN = "def equivalent(instance, a, b):\n    return sorted(map(str, a)) == sorted(map(str, b))\n"

#: name → (kind, files, changes of env.yaml)
FOUND: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
    "function: within one": ("function", totals("abs(output - right) <= 1"), {}),
    "function: the sign is ignored": ("function", totals("abs(output) == right"), {}),
    "function: within a tenth": ("function", totals("10 * abs(output - right) <= right"), {}),
    "function: the same digits in any order": ("function", totals("sorted(str(output)) == sorted(str(right))"), {}),
    "function: the first half is looked at, and the items": ("function", SORTING, {}),
    "program: the number is among the words": (
        "program",
        {
            "environment.py": """\
def generate(rng, difficulty):
    return {"stdin": " ".join(str(rng.randint(100, 999)) for _ in range(8)) + "\\n"}

def check(instance, output):
    words = output.split() if isinstance(output, str) else []
    return float(len(words) <= 3 and str(sum(map(int, instance["stdin"].split()))) in words[-2:])
"""
        },
        {},
    ),
    "answer: the right word is somewhere": ("answer", answering("right in output.split() and len(output) < 30"), {}),
    "answer: the end is enough": ("answer", answering("output.strip().endswith(right) and len(output) < 24"), {}),
    "answer: one letter is forgiven": (
        "answer", answering("len(output.strip()) == len(right) and sum(x != y for x, y in zip(output.strip(), right)) < 2"), {}
    ),
    "actions: as a set": ("actions", plans("return float(set(map(str, output)) == set(right) and len(output) >= len(right))"), {}),
    "actions: unknown steps are passed over": (
        "actions", plans("return float([step for step in output if step in ('up', 'down')] == right)"), {}
    ),
    "actions: what follows the goal is not looked at": (
        "actions", plans("return float(output[: len(right)] == right)", OWN), CUSTOM
    ),
}  # fmt: skip
#: Sound, or such that nobody can say: nothing may be found.
SILENT: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
    "function": ("function", {}, {}),
    "program": ("program", {}, {}),
    "answer": ("answer", {}, {}),
    "actions": ("actions", {}, {}),
    "function: within what is declared": (
        "function", totals("100 * abs(output - right) <= 16 * right"), {"compare: exact": "compare: tolerance, rel_tol: 0.17"}
    ),
    "function: declared without order": (
        "function",
        {**SORTING, "environment.py": str(SORTING["environment.py"]).replace(
            "set(map(str, right)) <= set(map(str, output)) and output[:4] == right[:4]", "all(type(x) is int for x in output) and sorted(output) == right"
        )},
        {"compare: exact": "compare: unordered"},
    ),
    "answer: within one, and many are right": ("answer", answering("output.strip().isdigit() and abs(int(output) - int(right)) <= 1"), MANY),
    "actions: any way that is as short": (
        "actions",
        plans("return float(sorted(map(str, output)) == right)", OWN),
        CUSTOM,
    ),
}  # fmt: skip
OTHERS: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
    "answer: quotes are forgiven": ("answer", answering("output.strip().strip(chr(34)) == right"), {}),
    "actions: longer is better": (
        "actions",
        plans("return 1.0 if output == right + right[:1] else 0.75 if output == right else 0.0"),
        {**MANY, "pass_score: 1.0": "pass_score: 0.5"},
    ),
}


@pytest.fixture(scope="module")
def batch(request: pytest.FixtureRequest, examine_selected: Callable[..., Any]) -> Any:
    return examine_selected(request, FOUND | {f"silent {name}": row for name, row in SILENT.items()} | OTHERS)


def findings(result: Result, rule: str) -> list[Any]:
    return [finding for finding in result.findings if finding.rule == rule]


@pytest.mark.parametrize("case", FOUND)
def test_a_verifier_that_takes_a_near_miss_is_found(case: str, batch: Any) -> None:
    result = batch[case]
    (finding,) = findings(result, "accepts-near-miss")
    assert finding.severity is Severity.ERROR and result.verdict is Verdict.FAIL
    evidence = finding.evidence
    assert evidence.score == 1.0 and evidence.confirmed == 2 and evidence.seed is not None
    assert evidence.submission.startswith("a right answer: ") and evidence.output != evidence.expected
    assert evidence.reproduce.endswith("--only accepts-near-miss")


@pytest.mark.parametrize("case", [f"silent {name}" for name in SILENT])
def test_a_sound_one_is_not_accused(case: str, batch: Any) -> None:
    result = batch[case]
    assert not findings(result, "accepts-near-miss") and not findings(result, "outscores-reference"), result
    assert not [finding for finding in result.findings if finding.severity is Severity.ERROR], result


@pytest.mark.parametrize("case", ["answer: quotes are forgiven"])
def test_another_wording_is_a_note(case: str, batch: Any) -> None:
    (finding,) = findings(batch[case], "accepts-near-miss")
    assert finding.severity is Severity.NOTE and "in quotes" in finding.message
    assert batch[case].verdict is Verdict.PASS


@pytest.mark.parametrize("case", ["actions: longer is better"])
def test_what_earns_more_than_the_reference_is_told(case: str, batch: Any) -> None:
    (finding,) = findings(batch[case], "outscores-reference")
    assert finding.severity is Severity.WARNING and finding.evidence.score == 1.0 and finding.evidence.confirmed == 2
    assert "0.75" in finding.message


def test_every_rule_of_this_family_has_a_case() -> None:
    assert tuple(rule.id for rule in rules.RULES) == COVERED
