"""The check: environments that let a mutant through beside the same mended, and odd sound ones."""

# ruff: noqa: E501  (tables of other people's code)

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from envbounty.environment import load
from envbounty.findings import Finding, Severity
from envbounty.sandbox.pool import Pool
from envbounty.verify.bench import Bench
from envbounty.verify.checks import mutants as check
from envbounty.verify.context import Context, Trial
from envbounty.verify.rules.mutants import RULES

Make = Callable[..., Path]


def environment(values: str, right: str, test: str = "output == right", more: str = "") -> str:
    """environment.py: how the list `values` is drawn, the right answer, and when an output passes."""
    return f"""\
def generate(rng, difficulty):
    values = [rng.randint(100, 999) for _ in range(rng.randint(3, 9))]
    {values}
    return {{"values": values}}

def check(instance, output):
    values = instance["values"]
    right = {right}
    return 1.0 if ({test}) else 0.0

{more}
"""


def solution(body: str) -> dict[str, str | None]:
    """solutions/: the reference, and no other right one."""
    return {
        "solutions/reference.py": "def total(values):\n" + "".join(f"    {line}\n" for line in body.splitlines()),
        "solutions/good/loop.py": None,
    }


COUNT = solution("return len(set(values))")
FIRST_LARGEST = solution(
    "best = 0\nfor at, value in enumerate(values):\n    if value > values[best]:\n        best = at\nreturn best"
)
GUARDED = solution("if not values:\n    return -1\nreturn values[0] - values[-1]")
SORTED = solution("out = []\nfor value in values:\n    out.append(value)\nout.sort()\nreturn out")

TWENTY = {"instances: 5": "instances: 20"}
#: name → (kind, files, changes of env.yaml, rule, operator named first); beside each failing one the same mended.
FAILING = {
    "equal elements are rare": (
        "function", COUNT | {"environment.py": environment("if rng.random() < 0.15: values.append(values[0])", "len(set(values))")},
        {}, "passes-mutant", "len",
    ),
    "ties are rare": (
        "function", FIRST_LARGEST | {"environment.py": environment("if rng.random() < 0.15: values.append(max(values))", "values.index(max(values))")},
        {}, "passes-mutant", "value >= values[best]",
    ),
    "the empty list is rare": (
        "function", GUARDED | {"environment.py": environment("if rng.random() < 0.15: values = []", "values[0] - values[-1] if values else -1")},
        {}, "passes-mutant", "return",
    ),
    "one too few is near enough": (
        "function", COUNT | {"environment.py": environment("values += values[:3]", "len(set(values))", "type(output) is int and abs(output - right) <= 3")},
        TWENTY, "accepts-mutant", "len",
    ),
    "only the end is looked at, so that state may be kept": (
        "function", SORTED | {"environment.py": environment("pass", "sorted(values)", "type(output) is list and output[-2:] == right[-2:]")},
        TWENTY, "accepts-mutant", "",
    ),
    "a program of which the first word is read": (
        "program",
        {
            "environment.py": """\
def generate(rng, difficulty):
    return {"stdin": " ".join(str(rng.randint(100, 999)) for _ in range(8)) + "\\n"}
def check(instance, output):
    right = sum(map(int, instance["stdin"].split()))
    return float(isinstance(output, str) and output.split()[:1] == [str(right)])
""",
            "solutions/reference.py": "xs = [int(x) for x in input().split()]\nprint(sum(xs), max(xs))\n",
            "solutions/good/sum.c": None,
        },
        TWENTY, "accepts-mutant", "",
    ),
    "an answer of which the first word is read": (
        "answer",
        {
            "environment.py": """\
def generate(rng, difficulty):
    return {"a": rng.randint(1000, 9999), "b": rng.randint(1000, 9999)}
def check(instance, output):
    return float(isinstance(output, str) and output.split()[:1] == [str(instance["a"] + instance["b"])])
""",
            "solutions/reference.py": "def solve(i):\n    return str(i['a'] + i['b']) + ' ' + str(i['a'] - i['b'])\n",
            "solutions/good/line.py": None,
        },
        TWENTY, "accepts-mutant", "",
    ),
    "actions that only have to begin well": (
        "actions",
        {
            "environment.py": """\
def generate(rng, difficulty):
    start = rng.randint(0, 10**6)
    return {"start": start, "goal": start + rng.choice((-1, 1)) * rng.randint(3, 9)}
def check(instance, output):
    way = instance["goal"] - instance["start"]
    return float(type(output) is list and output[:1] == ["up" if way > 0 else "down"] and len(output) > 1)
""",
        },
        TWENTY, "accepts-mutant", "",
    ),
}  # fmt: skip


#: The rules that this file has a failing case for.
COVERED = {row[3] for row in FAILING.values()}


def often(name: str, **changes: str) -> tuple[str, dict[str, str | None], dict[str, str]]:
    """A failing environment with a better environment.py."""
    kind, files, yaml, _, _ = FAILING[name]
    return kind, {**files, "environment.py": environment(**changes)}, dict(yaml)


SOUND = {
    "equal elements every other time": often(
        "equal elements are rare", values="if rng.random() < 0.5: values.append(values[0])", right="len(set(values))"
    ),
    "ties every other time": often(
        "ties are rare", values="if rng.random() < 0.5: values.append(max(values))", right="values.index(max(values))"
    ),
    "the empty list every other time": often(
        "the empty list is rare", values="if rng.random() < 0.5: values = []", right="values[0] - values[-1] if values else -1"
    ),
    "the count itself": often("one too few is near enough", values="values += values[:3]", right="len(set(values))"),
    "the whole list": often("only the end is looked at, so that state may be kept", values="pass", right="sorted(values)"),
    "one time in a thousand is nobody's fault": often(
        "equal elements are rare", values="values = sorted(set(values)) + ([100] if rng.random() < 0.001 else [])", right="len(set(values))"
    ),
    "many answers are right, and nobody else can say which": (
        "function", FAILING["one too few is near enough"][1], {"compare: exact": "compare: many"},
    ),
    "any order is right, and it says so": (
        "function", {**SORTED, "environment.py": environment("pass", "sorted(values)", "type(output) is list and sorted(output) == right")},
        {"compare: exact": "compare: unordered", **TWENTY},
    ),
    "equivalent() says what is right": (
        "function",
        {**SORTED, "environment.py": environment("pass", "sorted(values)", "type(output) is list and sorted(output) == right", "def equivalent(instance, a, b):\n    return sorted(a) == sorted(b)\n")},
        {"compare: exact": "compare: custom", **TWENTY},
    ),
    "twenty seeds are all there are": (
        "function", FAILING["equal elements are rare"][1], {"scoring:": "seeds: {train: {first: 0, count: 20}, test: {first: 50, count: 20}}\nscoring:"},
    ),
    "one wrong in twelve passes by declaration": (
        "function", {**COUNT, "environment.py": environment("if rng.random() < 0.08: values.append(values[0])", "len(set(values))")},
        {"aggregate: all, pass_score: 1.0": "aggregate: mean, pass_score: 0.8"},
    ),
    "the reference does not stop when one sign of it is changed": (
        "function",
        {**solution("n = 0\nat = 0\nwhile at < len(values):\n    n += values[at]\n    at += 1\nreturn n"), "environment.py": environment("values += values[:2]", "sum(values)")},
        TWENTY,
    ),
    "the reference depends on the order of a set, which is right in any order": (
        "function",
        {**solution("return list(set(map(str, values)))"), "environment.py": environment("values += values[:2]", "sorted(set(map(str, values)))", "type(output) is list and sorted(output) == right")},
        {"compare: exact": "compare: unordered", **TWENTY},
    ),
    "the reference is no Python that this tool can read": (
        "program", {"solutions/reference.py": None, "solutions/reference.c": '#include <stdio.h>\nint main(void) { int x, n = 0; while (scanf("%d", &x) == 1) n += x; printf("%d\\n", n); }\n', "solutions/good/sum.c": None}, TWENTY,
    ),
}  # fmt: skip


def findings(path: Path, jail: Pool) -> list[Finding]:
    bench = Bench(load(path), jail, budget_s=120, threads=2)
    return list(check.run(Context(bench, "envbounty verify tiny")))


def test_every_rule_of_the_family_has_a_case() -> None:
    assert {rule.id for rule in RULES} == COVERED


@pytest.mark.parametrize("name", FAILING)
def test_a_mutant_gets_through(name: str, make_env: Make, jail: Pool) -> None:
    kind, files, yaml, rule, changed = FAILING[name]
    (finding,) = findings(make_env(kind, files, yaml), jail)
    assert (finding.rule, finding.severity) == (rule, Severity.ERROR), finding
    evidence = finding.evidence
    assert evidence is not None and evidence.confirmed == 2 and evidence.seed is not None
    assert (
        evidence.submission
        and evidence.submission.startswith("solutions/reference.py line ")
        and changed in evidence.submission
    )
    assert evidence.expected and evidence.output != evidence.expected and evidence.instance
    assert evidence.reproduce.endswith(f"--only {rule}")
    assert evidence.detail and "\n- " in evidence.detail and "\n+ " in evidence.detail
    assert evidence.score == (1.0 if rule == "accepts-mutant" else None)


def test_a_mutant_need_not_pass_more_instances_than_one_judgement_has(make_env: Make, jail: Pool) -> None:
    """Five instances are a judgement here. One wrong answer in ten passes that every other time, but hardly twenty."""
    tie = "if rng.random() < 0.1: values.append(max(values))"
    path = make_env(
        "function", FIRST_LARGEST | {"environment.py": environment(tie, "values.index(max(values))")}, {}
    )
    found = []
    for seed in range(4):
        bench = Bench(load(path), jail, seed=seed, budget_s=120, threads=2)
        found += check.run(Context(bench, "envbounty verify tiny"))
    assert {finding.rule for finding in found} == {"passes-mutant"}
    assert len(found) >= 3


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_one_is_not_accused(name: str, make_env: Make, jail: Pool) -> None:
    found = findings(make_env(*SOUND[name]), jail)
    assert [finding for finding in found if finding.severity is Severity.ERROR] == []
    if name != "one wrong in twelve passes by declaration":
        assert found == []


@pytest.mark.parametrize("kind", ["function", "program", "answer", "actions"])
def test_the_tiny_sound_ones_are_not_accused(kind: str, make_env: Make, jail: Pool) -> None:
    assert [one for one in findings(make_env(kind), jail) if one.severity is Severity.ERROR] == []


def test_where_a_mean_is_taken_it_is_a_warning(make_env: Make, jail: Pool) -> None:
    kind, files, _, _, _ = FAILING["equal elements are rare"]
    (finding,) = findings(make_env(kind, files, {"aggregate: all": "aggregate: mean"}), jail)
    assert (finding.rule, finding.severity) == ("passes-mutant", Severity.WARNING)


def test_what_would_be_bettered_by_a_few_more_tests_is_a_warning(make_env: Make, jail: Pool) -> None:
    kind, files, _, _, _ = FAILING["equal elements are rare"]
    (finding,) = findings(make_env(kind, files, {"instances: 5": "instances: 10"}), jail)
    assert (finding.rule, finding.severity) == ("passes-mutant", Severity.WARNING)


def test_nothing_is_said_of_a_verifier_that_is_known_to_be_lenient(make_env: Make, jail: Pool) -> None:
    kind, files, yaml, _, _ = FAILING["one too few is near enough"]
    bench = Bench(load(make_env(kind, files, yaml)), jail, budget_s=120, threads=2)
    context = Context(bench, "envbounty verify tiny")
    expected = bench.expected[0].value
    context.score([Trial(bench.instances[0], expected + 1, "one more", False, expected)])
    runs = bench.stats().runs
    assert list(check.run(context)) == [] and bench.stats().runs == runs


def test_endless_loops_do_not_eat_the_budget(make_env: Make, jail: Pool) -> None:
    path = make_env(*SOUND["the reference does not stop when one sign of it is changed"])
    bench = Bench(load(path), jail, budget_s=120, threads=2)
    hunt = check.Hunt(Context(bench, "envbounty verify tiny"))
    suspects = [one for one in hunt._suspects() if (one.mutant.line, one.mutant.after) == (6, "at = 1")]
    assert len(suspects) == 1
    ((_, seen),) = hunt._look(suspects, hunt._own[:6]).items()
    assert [one.reply.fault.kind for one in seen if one.reply.fault] == ["timeout", *["not-run"] * 5]
    assert not hunt._may_pass(seen) and bench.stats().seconds < 60
