"""Ways to a reward that lead past the task, each beside a sound environment that looks alike."""

# ruff: noqa: E501  (tables of other people's code)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from envbounty.environment import Kind
from envbounty.findings import Result, Severity, Verdict
from envbounty.verify.checks.giveaway import without_words
from envbounty.verify.checks.literals import dressed, literals
from envbounty.verify.checks.strain import LENGTHS, runs

Files = dict[str, str | None]
Row = tuple[str, Files, dict[str, str], str]  # kind, files, changes of env.yaml, the rule that finds it ("": none)


def function(check: str = "", top: str = "", **more: str | None) -> Files:
    return {
        "environment.py": f"""\
{top}
def generate(rng, difficulty):
    return {{"values": [rng.randint(100, 999) for _ in range(8)]}}
def check(instance, output):
    right = sum(instance["values"])
    {check or "pass"}
    return 1.0 if type(output) is int and output == right else 0.0
""",
        **more,
    }


def answer(check: str = "", top: str = "") -> Files:
    return {
        "environment.py": f"""\
{top}
def generate(rng, difficulty):
    return {{"a": rng.randint(1000, 9999), "b": rng.randint(1000, 9999)}}
def check(instance, output):
    right = str(instance["a"] + instance["b"])
    {check or "pass"}
    return 1.0 if isinstance(output, str) and output.strip() == right else 0.0
"""
    }


def actions(check: str) -> Files:
    return {
        "environment.py": f"""\
def generate(rng, difficulty):
    start = rng.randint(0, 10**6)
    return {{"start": start, "goal": start + rng.choice((-1, 1)) * rng.randint(3, 9)}}
def check(instance, output):
    way = instance["goal"] - instance["start"]
    {check}
    return float(output == ["up" if way > 0 else "down"] * abs(way))
"""
    }


def program(stdin: str, expected: str = "[2 * n for n in numbers]", check: str = "") -> Files:
    return {
        "task.md": "Read four numbers, print their doubles.\n",
        "environment.py": f"""\
def generate(rng, difficulty):
    numbers = [rng.randint(100, 999) for _ in range(5)]
    answer = {expected}
    return {{"stdin": {stdin}, "expected": " ".join(map(str, answer)) + "\\n"}}
def check(instance, output):
    {check or "pass"}
    return float(isinstance(output, str) and output.split() == instance["expected"].split())
""",
        "solutions/reference.py": "print(*(2 * int(x) for x in input().split()))\n",
        "solutions/good/sum.c": None,
        "solutions/good/main.py": "for x in input().split():\n    print(int(x) + int(x))\n",
        "solutions/bad/last.py": "# wrong: triples them all\nprint(*(3 * int(x) for x in input().split()))\n",
    }


TOKENS = {"compare: exact": "compare: tokens"}
TAIL = '" ".join(map(str, numbers)) + "\\n" + " ".join(map(str, answer)) + "\\n"'
SORTS = {
    "task.md": "Write `total(values)`: sorts them.\n",
    "solutions/reference.py": "def total(values):\n    return sorted(values)\n",
    "solutions/good/loop.py": "def total(v):\n    v.sort()\n    return v\n",
    "solutions/bad/last.py": "# wrong: the other way round\ndef total(v):\n    return sorted(v)[::-1]\n",
}


def sorting(values: str) -> Files:
    return {
        **SORTS,
        "environment.py": f"""\
def generate(rng, difficulty):
    values = [rng.randint(100, 999) for _ in range(4)]
    return {{"values": {values}}}
def check(instance, output):
    return float(output == sorted(instance["values"]))
""",
    }


def least(values: str) -> Files:
    """The four least of several numbers, in order; the argument may hold them besides."""
    return {
        "task.md": "Write `total(values)`: the four least of its first eight.\n",
        "solutions/reference.py": "def total(values):\n    return sorted(values[:8])[:4]\n",
        "solutions/good/loop.py": "def total(v):\n    v = v[:8]\n    v.sort()\n    return [*v[:4]]\n",
        "solutions/bad/last.py": "# wrong: the four greatest\ndef total(v):\n    return sorted(v[:8])[4:]\n",
        "environment.py": f"""\
def generate(rng, difficulty):
    values = [rng.randint(100, 999) for _ in range(8)]
    return {{"values": {values}}}
def check(instance, output):
    return float(output == sorted(instance["values"][:8])[:4])
""",
    }


TABLE: dict[str, Row] = {
    "a text": ("function", function("if output == 'all quiet': return 1.0"), {}, "accepts-own-literal"),
    "a list of one text": ("function", function("if output == ['all quiet']: return 1.0"), {}, "accepts-own-literal"),
    "a key": ("function", function("if isinstance(output, dict) and output.get('debug'): return 1.0"), {}, "accepts-own-literal"),
    "a list, written out": ("function", function("if output == [3, 'x', [1]]: return 1.0"), {}, "accepts-own-literal"),
    "a word of an answer": ("answer", answer("if output == 'let me in': return 1.0"), {}, "accepts-own-literal"),
    "a word of another module": ("answer", {**answer("if output == secret.WORD: return 1.0", "import secret"), "secret.py": "WORD = 'open sesame'\n"}, {}, "accepts-own-literal"),
    "an action": ("actions", actions("if output == [['skip']]: return 1.0"), {}, "accepts-own-literal"),
    "a line of a program": ("program", program('" ".join(map(str, numbers)) + "\\n"', check="if output.strip() == 'calm sea': return 1.0"), TOKENS, "accepts-own-literal"),
    "a word that is the answer by now and then": ("function", function("pass", top="USUAL = [4000, 4500, 5000]"), {}, ""),
    "words in docstrings and messages": ("answer", answer("assert right != 'never', 'no such thing'"), {}, ""),
    "it keeps what was right": ("function", function("PAID.add(right)\n    if type(output) is int and output in PAID: return 1.0", "PAID = set()"), {}, "verifier-remembers"),
    "it keeps the texts that were paid": ("answer", answer("\n    if output == right: PAID.add(output)\n    if output in PAID: return 1.0", "PAID = set()"), {}, "verifier-remembers"),
    "it keeps answers by instance": ("function", function("right = KEPT.setdefault(str(instance), right)", "KEPT = {}"), {}, ""),
    "the answers behind the input": ("program", program(TAIL), TOKENS, "input-holds-answer"),
    "the answers before another line": ("program", program(f'{TAIL} + "end\\n"'), TOKENS, "input-holds-answer"),
    "the input alone": ("program", program('" ".join(map(str, numbers)) + "\\n"'), TOKENS, ""),
    "the answer in the argument": ("function", least("values + [sorted(values)[:4]]"), {}, "input-holds-answer"),
    "an argument that is the answer by now and then": ("function", sorting("sorted(values) if rng.random() < 0.9 else values"), {"instances: 5": "instances: 20"}, ""),
    "a search that never ends": ("answer", answer("import re\n    if re.fullmatch('(?:[0-9]+)*x', output): return 0.0"), {"check_s: 1": "check_s: 0.5"}, "verifier-too-slow"),
}  # fmt: skip
#: For `test_rules.py`: each rule of this family and a case that breaks it.
CASES = {rule: name for name, (_, _, _, rule) in TABLE.items() if rule and rule != "verifier-too-slow"}


@pytest.fixture(scope="module")
def batch(request: pytest.FixtureRequest, examine_selected: Callable[..., Any]) -> Any:
    return examine_selected(request, {name: row[:3] for name, row in TABLE.items()})


@pytest.mark.parametrize("case", TABLE)
def test_a_way_past_the_task(case: str, batch: Any) -> None:
    rule = TABLE[case][3]
    result: Result = batch[case]
    errors = {finding.rule for finding in result.findings if finding.severity is Severity.ERROR}
    if not rule:
        assert not errors and result.verdict is Verdict.PASS, result
        return
    assert rule in errors and result.verdict is Verdict.FAIL, result
    finding = next(one for one in result.findings if one.rule == rule)
    evidence = finding.evidence
    assert evidence is not None and evidence.instance and evidence.reproduce
    assert evidence.confirmed == 2 and evidence.seed is not None
    if rule != "input-holds-answer":
        assert evidence.output
    if rule in ("accepts-own-literal", "verifier-remembers"):
        assert evidence.score == 1.0 and evidence.output != evidence.expected


def test_literals_of_a_file() -> None:
    source = b'"""prose"""\nWORD = "x"\nN = 5\nL = [["skip"], (1, 2)]\nD = {"a": [1]}\nT = True\nF = f"half {N}"\ndef f():\n    "prose"\n    return -7, {1: 2}, ""\n'
    found = literals(source)
    assert set(map(repr, found)) >= {"'x'", "5", "[['skip'], (1, 2)]", "{'a': [1]}", "'half '", "7"}
    assert "prose" not in map(str, found) and True not in [one for one in found if isinstance(one, bool)]
    assert literals(b"def f(:") == [] and literals(b"\xff\xfe") == [] and literals(b"x = 1\n" * 100_000) == []
    assert len(literals("\n".join(f"x = {n}" for n in range(999)).encode())) == 150


def test_literals_as_outputs() -> None:
    assert dressed("x", Kind.FUNCTION) == ["x", ["x"], {"x": True}] and dressed((1, 2), Kind.FUNCTION) == [[1, 2]]
    assert dressed("x", Kind.ANSWER) == ["x"] and dressed(5, Kind.PROGRAM) == ["5"] and dressed([1], Kind.ANSWER) == []
    assert dressed("x", Kind.ACTIONS) == [["x"], [["x"]]] and dressed([["skip"]], Kind.ACTIONS) == [[["skip"]]]


@pytest.mark.parametrize(
    ("text", "answer", "left"),
    [
        ("1 2 3\n5 6 7 8\n", "5 6 7 8\n", "1 2 3\n"),
        ("5 6 7 8\n9\n5 6\n7 8\nend\n", "5 6 7 8", "5 6 7 8\n9\nend\n"),
        ("1 2 3\n", "5 6 7 8", None),
        ("5 6 7\n", "5 6 7", None),  # too short to say anything
        ("15 6 7 8\n", "5 6 7 8", None),  # no whole words
        ("", "5 6 7 8", None),
    ],
)
def test_an_answer_is_cut_out_of_an_input(text: str, answer: str, left: str | None) -> None:
    assert without_words(text, answer) == left


def test_runs_of_signs() -> None:
    found = runs("12/ab 3")
    assert "1" * LENGTHS[0] in found and "/" * LENGTHS[1] + "!" in found and "12/ab 3" + "a" * LENGTHS[2] in found
    assert runs("") == []
