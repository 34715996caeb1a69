"""Kinds of input that no instance is of: found with a submission that is wrong there alone, or left alone."""

# ruff: noqa: E501  (tables of other people's code)

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from random import Random
from typing import Any

import pytest

from envbounty.findings import Finding, Result, Severity, Verdict
from envbounty.verify.checks.blindspots import _nearest, _thought_of, sort
from envbounty.verify.partitions import Class, candidates, classes_of, members
from envbounty.verify.partitions.stdin import rewrite, view
from envbounty.verify.rules import blindspots as rules
from envbounty.verify.spoiled import spoiled_function, spoiled_program

#: The rules whose cases are here.
COVERED = ("blind-spot", "instance-outside-domain")
Row = tuple[str, dict[str, str | None], dict[str, str]]


def summing(
    task: str = "", generate: str = "rng.randint(100, 999) for _ in range(8)", more: str = ""
) -> dict[str, str | None]:
    """The base kind `function`, the sum of a list, with other instances and another sentence in its task."""
    return {
        "task.md": f"Write `total(values)`, the sum of a list of whole numbers.\n\n{task}\n",
        "environment.py": f"""\
def generate(rng, difficulty):
    return {{"values": [{generate}]}}

def check(instance, output):
    return 1.0 if type(output) is int and output == sum(instance["values"]) else 0.0

{more}
""",
    }


def greatest(task: str) -> dict[str, str | None]:
    """The greatest of a list: right programs part where it is empty."""
    return {
        **summing(task),
        "environment.py": """\
def generate(rng, difficulty):
    return {"values": [rng.randint(-999, 999) for _ in range(rng.randint(1, 8))]}

def check(instance, output):
    return 1.0 if type(output) is int and output == max(instance["values"]) else 0.0
""",
        "solutions/reference.py": "def total(values):\n    return max(values, default=0)\n",
        "solutions/good/loop.py": "def total(v):\n    best = v[0]\n    for x in v:\n        best = max(best, x)\n    return best\n",
        "solutions/bad/last.py": "# wrong: takes the last one\ndef total(v):\n    return v[-1]\n",
    }


def domain(text: str) -> dict[str, str]:
    return {"licence: Apache-2.0": f"licence: Apache-2.0\ndomain: {text}"}


VALUES = "{properties: {values: {type: array, %s, items: {type: integer, minimum: %d, maximum: %d}}}}"
RECURSIVE = {
    "solutions/reference.py": "def total(values):\n    return values[0] + total(values[1:]) if values else 0\n",
}

#: name → (environment, severity, what the message says, what it does not say)
FOUND: dict[str, tuple[Row, Severity, tuple[str, ...], tuple[str, ...]]] = {
    "nothing is said": (("function", summing(), {}), Severity.NOTE, ("values is empty", "values has one item"), ()),
    "the task allows an empty list": (
        ("function", summing("`values` may be empty."), {}), Severity.ERROR, ("values is empty",), ("one item", "negative"),
    ),
    "the task allows negative numbers and zero": (
        ("function", summing("-1000 <= values[i] <= 1000"), {}), Severity.ERROR,
        ("an item of values is negative", "an item of values is 0", "an item of values is 1"), ("empty",),
    ),
    "the task allows duplicates": (
        ("function", summing("`values` may contain duplicates.", "*rng.sample(range(100, 999), 8)"), {}), Severity.ERROR,
        ("values has an item twice",), (),
    ),
    "the task allows much longer lists": (
        ("function", summing("1 <= len(values) <= 1000"), {}), Severity.ERROR,
        ("values has one item", "values has a length of 16 or more"), ("64 or more",),
    ),
    "what the task rules out is left out": (
        ("function", summing("`values` is a non-empty list of positive integers."), {}), Severity.ERROR,
        ("values has one item",), ("empty", "negative", "is 0"),
    ),
    "the domain allows an empty list": (
        ("function", summing(), domain(VALUES % ("minItems: 0, maxItems: 8", 100, 999))), Severity.ERROR, ("values is empty",), ("negative",),
    ),
    "a reference that calls itself is spoiled only from outside": (
        ("function", {**summing("`values` may be empty."), **RECURSIVE}, {}), Severity.ERROR, ("values is empty",), (),
    ),
    "an oracle is a second voice": (
        ("function", {**summing("The list may be empty.", more="def reference(instance):\n    return sum(instance['values'])"), "solutions/good/loop.py": None}, {}),
        Severity.ERROR, ("values is empty",), (),
    ),
    "program": (("program", {}, {}), Severity.NOTE, ("an item of numbers is negative", "numbers has one item"), ()),
}  # fmt: skip

#: Nothing may be said of these.
SILENT: dict[str, Row] = {
    "everything is visited": (
        "function", summing("`values` may be empty.", "rng.choice((-1, 1)) * rng.choice((0, 1, rng.randint(0, 9), rng.randint(0, 10**7), 2**40)) for _ in range(rng.choice((0, 1, 2, 3, 8, 16, 70)))", ), {},
    ),
    "the domain rules the rest out": ("function", summing(), domain(VALUES % ("minItems: 8, maxItems: 8", 100, 999))),
    "the task rules them out": (
        "function", summing("`values` holds exactly 8 numbers. 100 <= values[i] <= 999"), {},
    ),
    "nobody but the verifier can say": ("function", summing("`values` may be empty."), {"compare: exact": "compare: many"}),
    "one right program alone is no evidence": (
        "function", {**summing("`values` may be empty."), "solutions/good/loop.py": None}, {},
    ),
    "right programs part there": ("function", greatest("`values` may be empty. `values` may contain duplicates."), {}),
    "answer": ("answer", {}, {}),
    "actions": ("actions", {}, {}),
}  # fmt: skip

OUTSIDE: dict[str, Row] = {
    "a number beyond the domain": ("function", summing(), domain(VALUES % ("minItems: 0", 100, 500))),
    "answers have a domain too": ("answer", {}, domain("{properties: {a: {maximum: 5}}}")),
}


@pytest.fixture(scope="module")
def batch(request: pytest.FixtureRequest, examine_selected: Callable[..., Any]) -> Any:
    return examine_selected(request, {**{name: row for name, (row, *_) in FOUND.items()}, **SILENT, **OUTSIDE})


def spots(result: Result) -> list[Finding]:
    return [finding for finding in result.findings if finding.rule == "blind-spot"]


@pytest.mark.parametrize("case", FOUND)
def test_a_blind_spot_is_shown(case: str, batch: Any) -> None:
    _, severity, said, unsaid = FOUND[case]
    (finding,) = spots(batch[case])
    assert finding.severity is severity, finding
    assert batch[case].verdict is (Verdict.FAIL if severity is Severity.ERROR else Verdict.PASS)
    assert all(words in finding.message for words in said) and not any(words in finding.message for words in unsaid), (
        finding.message
    )
    assert finding.message.count(";") < 5
    evidence = finding.evidence
    assert evidence is not None and evidence.score == 1.0 and evidence.confirmed == 2
    assert evidence.output != evidence.expected and evidence.instance and evidence.detail
    assert evidence.submission is not None and "in_these_classes" in evidence.submission


@pytest.mark.parametrize("case", SILENT)
def test_nothing_is_said_without_evidence(case: str, batch: Any) -> None:
    result = batch[case]
    found = spots(result)
    assert not [finding for finding in found if finding.severity is Severity.ERROR], found
    if case == "right programs part there":  # of the empty list; other kinds are another matter
        assert all("values is empty" not in finding.message for finding in found)
    else:
        assert not found
    assert "blindspots" in result.checks


@pytest.mark.parametrize("case", OUTSIDE)
def test_an_instance_outside_the_domain(case: str, batch: Any) -> None:
    (finding,) = [one for one in batch[case].findings if one.rule == "instance-outside-domain"]
    assert finding.severity is Severity.ERROR and batch[case].verdict is Verdict.FAIL
    assert finding.evidence is not None and finding.evidence.seed is not None and finding.evidence.detail


def test_every_rule_of_this_family_has_a_case() -> None:
    assert tuple(rule.id for rule in rules.RULES) == COVERED


# --- its parts -------------------------------------------------------------------------------------------------------


def test_of_classes_within_one_another_only_the_widest() -> None:
    found = candidates([{"v": [1, 2], "n": 5, "m": 6}])
    names = [one.name for one in _nearest(found)]
    assert "v: 16 or longer" in names and "v: 64 or longer" not in names
    assert "n: 1000 or more" in names and "n: beyond 2^31" not in names and "m: 1000 or more" in names
    assert {"n: zero", "n & v: more than its length", "v: empty"} <= set(names)
    assert [one.name for one in _nearest([Class("n: beyond 2^31", ""), Class("n: beyond 2^53", "")])] == [
        "n: beyond 2^31"
    ]


def test_a_wide_schema_admits_nothing_in_particular() -> None:
    schema = {
        "properties": {
            "v": {"type": "array", "maxItems": 9, "items": {"type": "integer", "minimum": 0}},
            "n": {"type": "integer"},
        }
    }
    assert (
        _thought_of(schema, "v: empty") and _thought_of(schema, "v[]: zero") and _thought_of(schema, "v: 16 or longer")
    )
    assert not _thought_of(schema, "n: zero") and not _thought_of(schema, "v: duplicates")
    assert not _thought_of(schema, "v[]: beyond 2^31") and not _thought_of(schema, "n & v: its length")


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ([1], "list"),
        ([], "list"),
        ([[1]], "lists"),
        ([{}], "lists"),
        ("", "text"),
        ({}, "dict"),
        (1.5, "number"),
        (True, "other"),
        (None, "other"),
    ],
)
def test_sorts(value: Any, name: str) -> None:
    assert sort(value) == name


STDIN = [
    ("3 5 7\n", {"numbers": [3, 5, 7]}, {"numbers": [0]}, "0\n"),
    ("3\n4 5 6\n", {"numbers": [4, 5, 6]}, {"numbers": [4]}, "1\n4\n"),
    ("3\n4 5 6", {"numbers": [4, 5, 6]}, {"numbers": [4, 5, 6, 7]}, "4\n4 5 6 7"),
    ("2 2\n1 2\n3\n", {"tokens": [2, 2, 1, 2, 3]}, {"tokens": [2, 2, 1, 0, 3]}, "2 2\n1 0\n3\n"),
    ("2 2\n1 2\n3\n", {"tokens": [2, 2, 1, 2, 3]}, {"tokens": [2]}, None),
    ("hello world\n", {"line": "hello world"}, {"line": "HELLO"}, "HELLO\n"),
    ("two\nlines\n", {}, {}, None),
    ("", {}, {"numbers": []}, None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "seen", "changed", "made"), STDIN)
def test_standard_input_as_arguments(
    text: str, seen: dict[str, Any], changed: dict[str, Any], made: str | None
) -> None:
    assert view(text) == seen
    assert rewrite(text, changed) == made
    if made is not None:
        assert view(made) == changed


def run_function(text: str, *given: Any) -> Any:
    scope: dict[str, Any] = {}
    exec(text, scope)
    return scope["f"](*given)


def test_a_spoiled_function_is_wrong_in_its_classes_alone() -> None:
    text = spoiled_function("def f(v, k):\n    return sum(v) * k\n", "f", ["v", "k"], ["v: empty", "k: zero"])
    assert run_function(text, [1, 2], 3) == 9 and run_function(text, [], 3) != 0 and run_function(text, [5], 0) != 0


@pytest.mark.parametrize("right", [True, False, 0, 7, -3, 2.5, "", "ab", [], [1, 2], {}, {"a": 1}, None])
def test_what_a_spoiled_function_answers_is_wrong(right: Any) -> None:
    text = spoiled_function(f"def f(n):\n    return {right!r}\n", "f", ["n"], ["n: zero"])
    assert run_function(text, 5) == right
    wrong = run_function(text, 0)
    assert wrong != right or type(wrong) is not type(right)


def test_a_reference_that_calls_itself_or_changes_its_argument_is_spoiled_rightly() -> None:
    text = spoiled_function("def f(v):\n    return v.pop() + f(v) if v else 0\n", "f", ["v"], ["v: empty", "v: single"])
    assert run_function(text, [1, 2, 3]) == 6 and run_function(text, [4]) == 9 and run_function(text, []) == 1


def test_a_spoiled_program(monkeypatch: pytest.MonkeyPatch) -> None:
    text = spoiled_program("print(sum(map(int, input().split())))\n", ["numbers[]: zero"])

    def printed(stdin: str) -> str:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with redirect_stdout(io.StringIO()) as out, suppress(SystemExit):
            exec(text, {})
        return out.getvalue()

    assert printed("3 4\n") == "7\n" and printed("3 0\n") == "wrong\n"


def test_members_of_a_program_keep_the_form_of_its_input() -> None:
    text = "4\n5 6 7 8\n"
    for one in candidates([view(text)]):
        for made in members(one.name, view(text), Random(0)):
            stdin = rewrite(text, made)
            assert stdin is None or (view(stdin) == made and one.name in classes_of(view(stdin)))
