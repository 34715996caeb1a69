"""Every rule: an environment that breaks it, beside the sound one that it was made from."""

# ruff: noqa: E501  (tables of other people's code)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from envbounty.findings import Result, Severity, Verdict
from envbounty.verify.examination import NATIVE
from envbounty.verify.rules import RULES
from tests.provenance.test_rules import COVERED as PROVENANCE
from tests.verify.mutants.test_check import COVERED as MUTANTS
from tests.verify.tamper.test_payloads import COVERED as TAMPER
from tests.verify.test_backdoors import CASES as BACKDOORS
from tests.verify.test_blindspots import COVERED as BLIND_SPOTS
from tests.verify.test_perturb import COVERED as NEAR_MISSES
from tests.verify.test_rewrites import CASES as REWRITES
from tests.verify.test_smells import CASES as SMELLS
from tests.verify.test_spread import CASES as SPREAD
from tests.verify.test_weak import COVERED as WEAK

Examine = Callable[..., Result]


@dataclass(frozen=True)
class Case:
    """What breaks a rule. `also`: rules that the same fault cannot but break."""

    kind: str
    files: dict[str, str | None] = field(default_factory=dict)
    yaml: dict[str, str] = field(default_factory=dict)
    also: tuple[str, ...] = ()
    seed: bool = True  # the evidence names an instance
    score: float | None = None  # the evidence holds this score


def environment(check: str = "", generate: str = "", more: str = "", top: str = "") -> dict[str, str | None]:
    """environment.py of kind function, with statements put first in its functions."""
    return {
        "environment.py": f"""\
{top}
def generate(rng, difficulty):
    values = [rng.randint(100, 999) for _ in range(8)]
    {generate or "pass"}
    return {{"values": values}}

def check(instance, output):
    values = instance["values"]
    right = sum(values)
    {check or "pass"}
    return 1.0 if type(output) is int and output == right else 0.0

{more}
"""
    }


CUSTOM = {"compare: exact": "compare: custom"}

CASES: dict[str, Case] = {
    "contract-broken": Case("function", yaml={"kind: function": "kind: functions"}, seed=False),
    "import-fails": Case("function", environment(top="import numpy_that_is_not_there"), seed=False),
    "generator-fails": Case("function", environment(generate="assert values[0] < 500, 'too large'")),
    "generator-not-json": Case("function", environment(generate="return {'values': set(values)}")),
    "generator-nondeterministic": Case(
        "function", environment(top="import time", generate="values[0] = time.time_ns() % 1000")
    ),
    "generator-repeats": Case("function", environment(generate="values = [100 + values[0] % 3] * 8")),
    "instance-lacks-key": Case("function", yaml={"parameters: [values]": "parameters: [value]"}),
    "reference-fails": Case("function", {"solutions/reference.py": "def total(values):\n    return sort(values)\n"}),
    "reference-rejected": Case("function", environment(check="right += 1"), score=0.0),
    "oracle-disagrees": Case("function", environment(more="def reference(instance): return 1 + sum(instance['values'])")),
    "good-rejected": Case(
        "function", {"solutions/good/float.py": "def total(v):\n    return float(sum(v))\n"}, score=0.0
    ),
    "bad-accepted": Case(
        "function", {"solutions/bad/long.py": "# wrong: fails on long lists\ndef total(v):\n    return sum(v[:50])\n"}, score=1.0
    ),
    "bad-does-not-run": Case(
        "function", {"solutions/bad/name.py": "# wrong: sorts before it adds\ndef total(v):\n    return sum(sort(v))\n"}
    ),
    "few-solutions": Case("function", seed=False),
    "accepts-nothing": Case("function", environment(check="if output in ('', None): return 1.0"), score=1.0),
    "accepts-junk": Case(
        "function", environment(check="if isinstance(output, str) and len(output) == 48: return 1.0"), score=1.0
    ),
    "accepts-wrong-type": Case("function", environment(check="if output == {'answer': right}: return 1.0"), score=1.0),
    "accepts-constant": Case("function", environment(check="if output == -1: return 1.0"), score=1.0),
    "accepts-echo": Case(
        "function",
        environment(check="if output == values: return 1.0"),
        also=("trivial-strategy-passes",),
        score=1.0,
    ),
    "accepts-other-answer": Case(
        "function",
        environment(check="if type(output) is int and 800 <= output < 8000: return 1.0"),
        # The commonest answer is another's; the bad one answers in this range, and so does the number 1000.
        also=(
            "accepts-constant",
            "bad-accepted",
            "accepts-near-miss",
            "accepts-own-literal",
            "trivial-strategy-passes",
        ),
        score=1.0,
    ),
    "accepts-truncated": Case(
        "function",
        environment(check="if type(output) is int and 99 < output < right and str(right).startswith(str(output)): return 1.0"),
        score=1.0,
    ),
    "accepts-nonfinite": Case(
        "function", environment(check="if isinstance(output, float) and not abs(output - right) > 1e-6: return 1.0"), score=1.0
    ),
    "accepts-huge": Case(
        "function",
        environment(check="if type(output) is int and output > 10**9: return 1.0"),
        also=("accepts-near-miss",),
        score=1.0,
    ),
    "equivalent-too-wide": Case(
        "function", environment(more="def equivalent(instance, a, b): return True"), CUSTOM, score=0.0
    ),
    "equivalent-fails": Case("function", environment(more="def equivalent(instance, a, b): return a != b"), CUSTOM),
    "score-invalid": Case("function", environment(check="if output == right: return 2.0"), score=2.0),
    "score-unstable": Case(
        "function", environment(top="import random", check="if output != right: return random.random() / 2")
    ),
    "verifier-raises": Case("function", environment(check="output + 0")),
    "verifier-ends-process": Case(
        "function", environment(top="import os", check="if isinstance(output, dict): os._exit(0)")
    ),
    "verifier-too-slow": Case("function", environment(check="while output == '': pass"), {"check_s: 1": "check_s: 0.3"}),
    "prompt-leaks-answer": Case(
        "answer",
        {
            "task.md": "What is {{ a }} plus {{ b }}? Not {{ c }}.\n",
            "environment.py": """\
def generate(rng, difficulty):
    a, b = rng.randint(1000, 9999), rng.randint(1000, 9999)
    return {"a": a, "b": b, "c": a + b}

def check(instance, output):
    return float(isinstance(output, str) and output.strip() == str(instance["c"]))
""",
        },
    ),
}  # fmt: skip


#: Families whose cases stand in a file of their own, in a table by rule.
ELSEWHERE = (SPREAD, SMELLS, PROVENANCE, TAMPER, REWRITES, BACKDOORS, NEAR_MISSES, BLIND_SPOTS, MUTANTS, WEAK)


def test_every_rule_has_a_case() -> None:
    assert {*CASES, *(rule for table in ELSEWHERE for rule in table)} == set(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_explained(rule: str) -> None:
    it = RULES[rule]
    assert it.id == rule and it.severity in Severity
    assert it.phase in {"contract", "generator", "reference", "solutions", "probes", "scoring", "prompt", "spread", "smells",
                        "provenance", "tamper", "mutants"}  # fmt: skip
    for text in (it.title, it.why, it.fix, it.bad, it.good):
        assert len(text) > 8 and "\n" not in text
    assert it.bad != it.good and not it.title.endswith(".") and it.why.endswith(".") and it.fix.endswith(".")


@pytest.fixture(scope="module")
def batch(request: pytest.FixtureRequest, examine_selected: Callable[..., Any]) -> Any:
    rules = {rule: (case.kind, case.files, case.yaml) for rule, case in CASES.items()}
    others = {name: (kind, files, yaml) for name, (kind, files, yaml, _, _) in OTHERS.items()}
    return examine_selected(request, rules | others)


@pytest.mark.parametrize("case", CASES)
def test_a_broken_one_is_found(case: str, batch: Any) -> None:
    rule = case
    broken, known = CASES[rule], RULES[rule]
    result = batch[rule]
    found = [finding for finding in result.findings if finding.rule == rule]
    assert found, result
    errors = {finding.rule for finding in result.findings if finding.severity is Severity.ERROR}
    if known.severity is Severity.ERROR:
        assert result.verdict is Verdict.FAIL and rule in result.reason
        assert errors - {rule, *broken.also} == set()
    else:
        assert result.verdict is Verdict.PASS and not errors
    finding = found[0]
    assert finding.severity is known.severity and finding.fix and finding.message and finding.line >= 1
    if rule in ("contract-broken", "few-solutions"):
        return
    evidence = finding.evidence
    assert evidence is not None
    assert evidence.reproduce.startswith("envbounty verify ") and evidence.reproduce.endswith(f"--seed 0 --only {rule}")
    assert (evidence.seed is not None) == broken.seed == (evidence.difficulty is not None)
    if broken.score is not None:
        assert evidence.score == broken.score and evidence.output is not None and evidence.expected is not None
    if rule.startswith("accepts-") or rule in ("reference-rejected", "good-rejected", "bad-accepted", "score-invalid"):
        assert evidence.confirmed == 2 and evidence.submission


MORE_BAD = {
    f"solutions/bad/{word}.py": f"# wrong: {word} instead of the sum\ndef total(v):\n    return {code}\n"
    for word, code in {"largest": "max(v)", "smallest": "min(v)", "count": "len(v)", "first": "v[0]"}.items()
}


def test_the_sound_one_with_enough_solutions_has_no_finding_at_all(examined: Examine) -> None:
    good = {
        "solutions/good/reduce.py": "import functools\ndef total(v):\n    return functools.reduce(int.__add__, v)\n"
    }
    told = "domain: {properties: {values: {minItems: 8, maxItems: 8, items: {minimum: 100, maximum: 999}}}}"
    result = examined("function", {**MORE_BAD, **good}, {"licence: Apache-2.0": f"licence: Apache-2.0\n{told}"})
    assert (result.verdict, result.findings) == (Verdict.PASS, ())
    assert result.checks == tuple(name for name, _ in NATIVE)
    assert result.contract and len(result.environment.digest) == 64
    assert result.stats.instances == 20 and result.stats.checks > 100 and result.stats.runs > 5
    assert 0 < result.stats.slowest_check_s < 1


@pytest.mark.parametrize("kind", ["function", "program", "answer", "actions", "grader"])
def test_the_sound_one_of_each_kind_passes(kind: str, examined: Examine) -> None:
    result = examined(kind)
    assert result.verdict is Verdict.PASS, result
    loud = {finding.rule for finding in result.findings if finding.severity is not Severity.NOTE}
    assert loud <= {"few-solutions"}


# --- the same faults in the other kinds ------------------------------------------------------------------------------

OTHERS = {
    "program: any text with the number in it": (
        "program", {"environment.py": """\
def generate(rng, difficulty):
    return {"stdin": " ".join(str(rng.randint(100, 999)) for _ in range(8)) + "\\n"}
def check(instance, output):
    return float(str(sum(map(int, instance["stdin"].split()))) in output)
"""}, {}, {"accepts-huge"}, {"accepts-near-miss"},
    ),
    "answer: a prefix is enough": (
        "answer", {"environment.py": """\
def generate(rng, difficulty):
    return {"a": rng.randint(1000, 9999), "b": rng.randint(1000, 9999)}
def check(instance, output):
    return float(str(instance["a"] + instance["b"]).startswith(output.strip()))
"""}, {}, {"accepts-nothing", "accepts-truncated"}, {"accepts-constant"},
    ),
    "actions: zip stops at the shorter": (
        "actions", {"environment.py": """\
def generate(rng, difficulty):
    start = rng.randint(0, 10**6)
    return {"start": start, "goal": start + rng.choice((-1, 1)) * rng.randint(3, 9)}
def check(instance, output):
    way = instance["goal"] - instance["start"]
    return float(all(a == b for a, b in zip(output, ["up" if way > 0 else "down"] * abs(way))))
"""}, {}, {"accepts-nothing", "accepts-truncated"},
        {"accepts-huge", "accepts-other-answer", "bad-accepted", "accepts-constant", "accepts-near-miss",
         "accepts-own-literal"},
    ),
    "answer: told after a word": (
        "answer", {
            "task.md": "What is {{ a }} plus {{ b }}?\n\nExpected answer: {{ c }}.\n",
            "environment.py": """\
def generate(rng, difficulty):
    a, b = rng.randint(1000, 9999), rng.randint(1000, 9999)
    return {"a": a, "b": b, "c": f"{a + b} (four or five digits)"}
def check(instance, output):
    return float(isinstance(output, str) and output.strip() == str(instance["a"] + instance["b"]))
""",
        }, {}, {"prompt-leaks-answer"}, set(),
    ),
    "function: the reference in the task": (
        "function", {
            "task.md": "Like this:\n\n    def total(v):\n        n = 0\n        for x in v:\n            n += x\n        return n\n",
            "solutions/reference.py": "def total(v):\n    n = 0\n    for x in v:\n        n += x\n    return n\n",
        }, {}, {"prompt-leaks-answer"}, set(),
    ),
    "program: stdin is no text": (
        "program", {"environment.py": """\
def generate(rng, difficulty):
    return {"stdin": [rng.randint(100, 999) for _ in range(8)]}
def check(instance, output):
    return 0.0
"""}, {}, {"instance-lacks-key"}, set(),
    ),
    "function: no check": (
        "function", {"environment.py": "def generate(rng, difficulty):\n    return {'values': [1]}\n"}, {}, {"import-fails"}, set(),
    ),
    "function: equivalence declared and not there": ("function", {}, CUSTOM, {"import-fails"}, set()),
    "function: the oracle raises": (
        "function", environment(more="def reference(instance): raise ValueError('no')"), {}, {"reference-fails"}, set(),
    ),
    "function: NaN in an instance": (
        "function", environment(generate="values[0] = float('nan')"), {}, {"generator-not-json"}, set(),
    ),
    "function: an instance that is a list": (
        "function", environment(generate="return values"), {}, {"generator-not-json"}, set(),
    ),
    "function: one hash seed, one order": (
        "function", environment(generate="values = sorted({str(v) for v in values}, key=hash)"), {},
        {"generator-nondeterministic"}, {"reference-fails"},
    ),
    "grader: nothing is enough": (
        "grader", {"grader.py": """\
def verify(submission):
    scope = {}
    try:
        exec(submission, scope)
    except Exception:
        return False
    return "double" not in scope or scope["double"](4) == 8
"""}, {}, {"accepts-nothing", "accepts-wrong-type"}, {"accepts-junk"},
    ),
    "grader: only the type is looked at": (
        "grader", {"grader.py": """\
def verify(submission):
    scope = {}
    exec(submission, scope)
    return isinstance(scope["double"](4), int)
"""}, {}, {"accepts-constant", "bad-accepted"}, {"accepts-echo"},
    ),
    "grader: the score is 5": (
        "grader", {"grader.py": "def verify(s):\n    return 5.0 if 'x + x' in s or '2 * x' in s else 0.0\n"},
        {}, {"score-invalid"}, set(),
    ),
    "grader: a lottery": (
        "grader", {"grader.py": """\
import os
def verify(s):
    return {"score": 0.6 + os.urandom(1)[0] / 1000} if "x + x" in s or "2 * x" in s else False
"""}, {"pass_score: 1.0": "pass_score: 0.5"}, {"score-unstable"}, set(),
    ),
    "grader: refuses its reference": (
        "grader", {"grader.py": "def verify(s):\n    return 'no such word' in s\n"}, {}, {"reference-rejected"}, set(),
    ),
    "grader: refuses another right one": (
        "grader", {"grader.py": "def verify(s):\n    return 'x + x' in s\n"}, {}, {"good-rejected"}, set(),
    ),
    "grader: does not load": ("grader", {"grader.py": "def verify(s)\n"}, {}, {"import-fails"}, set()),
}  # fmt: skip


@pytest.mark.parametrize("case", OTHERS)
def test_other_kinds(case: str, batch: Any) -> None:
    *_, wanted, also = OTHERS[case]
    result = batch[case]
    errors = {finding.rule for finding in result.findings if finding.severity is Severity.ERROR}
    if OTHERS[case][0] == "grader":
        errors -= TAMPER - wanted  # these run the submission in their own process, each in a few lines
    assert wanted <= errors <= wanted | also, result
    assert result.verdict is Verdict.FAIL
    for finding in result.findings:
        assert finding.evidence is not None and finding.evidence.reproduce.endswith(f"--only {finding.rule}")


def test_the_path_is_quoted_in_the_command(tmp_path: Path, make_env: Callable[..., Path]) -> None:
    from shlex import split

    from envbounty.verify.bench import Bench
    from envbounty.verify.context import Context

    context = Context(Bench.__new__(Bench), "envbounty verify 'a b'")
    context.bench.seed = 3
    assert split(context.reproduce("import-fails")) == [
        "envbounty",
        "verify",
        "a b",
        "--seed",
        "3",
        "--only",
        "import-fails",
    ]
