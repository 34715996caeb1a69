"""The whole battery against whole graders: sound ones, sieves, and ones that fight back."""

# ruff: noqa: E501  (other people's code)

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from envbounty.environment import load
from envbounty.findings import Finding
from envbounty.sandbox.pool import Pool
from envbounty.verify.bench import Bench, Graded, OutOfTime
from envbounty.verify.checks import tamper
from envbounty.verify.checks.tamper import MOST, Hunt, facts_of
from envbounty.verify.context import Context
from envbounty.verify.tamper import CONTROL, Facts, Payload
from envbounty.verify.tamper.payload import stub, wrong_answer

Write = Callable[..., Path]

#: Sound: the submission gets arguments only, in a process of its own; what comes back is text behind a secret.
SOUND = '''
import json, secrets, subprocess, sys

TESTS = [(1, 2), (5, 10), (-3, -6), (100, 200)]
RUN = """
import json, sys
given, mark = json.load(sys.stdin)
names = {"__name__": "submission"}
out = sys.stdout
sys.stdout = sys.stderr
exec(sys.argv[1], names)
out.write(mark + json.dumps([names["double"](x) for x in given]))
"""

def verify(submission):
    mark = secrets.token_hex(8)
    try:
        done = subprocess.run([sys.executable, "-I", "-c", RUN, submission], timeout=4, text=True,
                              input=json.dumps([[x for x, _ in TESTS], mark]), capture_output=True)
    except (subprocess.TimeoutExpired, ValueError):
        return False
    if done.returncode != 0 or not done.stdout.startswith(mark):
        return False
    try:
        got = json.loads(done.stdout[len(mark):])
    except ValueError:
        return False
    return type(got) is list and [type(one) for one in got] == [int] * len(TESTS) and got == [y for _, y in TESTS]
'''

ONE_BY_ONE = """
import subprocess, sys

def verify(submission):
    for x in (1, 5, -3):
        program = submission + f"\\nimport sys\\nprint(double({x}))"
        done = subprocess.run([sys.executable, "-I", "-c", program], timeout=4, text=True, capture_output=True)
        if done.returncode or done.stdout.strip() != str(2 * x):
            return "failed"
    return "passed"
"""

SIEVE = """
TESTS = [(1, 2), (5, 10), (-3, -6), (100, 200)]

def verify(submission):
    names = {}
    try:
        exec(submission, names)
        return all(names["double"](x) == y for x, y in TESTS)
    except Exception:
        return False
"""


def context_of(root: Path, grader: str, write_env: Write, jail: Pool, budget_s: float = 120) -> Context:
    files = {"grader.py": grader, "solutions/good/times.py": None, "solutions/bad/square.py": None}
    env = load(write_env(root, "grader", files, {"wall_s: 2": "wall_s: 6"}))
    return Context(Bench(env, jail, budget_s=budget_s, threads=2), "envbounty verify x")


@pytest.mark.parametrize("grader", [SOUND, ONE_BY_ONE], ids=["a secret mark", "one process for each call"])
def test_a_sound_grader_is_not_accused(grader: str, tmp_path: Path, write_env: Write, jail: Pool) -> None:
    context = context_of(tmp_path, grader, write_env, jail)
    hunt = Hunt(context, facts_of(context))
    assert context.bench.grade([context.env.reference.text])[0].accepted
    hunt.run()
    assert hunt.found == {} and 30 < hunt.graded <= 110


def test_a_sieve_is_accused_with_small_evidence(tmp_path: Path, write_env: Write, jail: Pool) -> None:
    context = context_of(tmp_path, SIEVE, write_env, jail)
    found = list(tamper.run(context))
    assert 2 <= len(found) <= MOST and {"tamper-frames", "tamper-equality"} <= {finding.rule for finding in found}
    sizes = [len(finding.evidence.submission or "") for finding in found if finding.evidence]
    assert sizes == sorted(sizes) and sizes[0] < 400
    for finding in found:
        assert finding.evidence is not None and finding.evidence.confirmed == 2 and finding.evidence.detail
        assert finding.evidence.instance and finding.evidence.expected and finding.evidence.output
        assert finding.evidence.reproduce.endswith(f"--only {finding.rule}")
        again = context.bench.grade([finding.evidence.submission or ""], fresh=True)[0]
        assert again.accepted is True, "the submission that is shown is the one that was accepted"


def test_what_accepts_everything_needs_no_mechanism(tmp_path: Path, write_env: Write, jail: Pool) -> None:
    grader = "def verify(s):\n    g = {}\n    exec(s, g)\n    [g['double'](x) for x in (1, 2, 3)]\n    return True\n"
    found = list(tamper.run(context_of(tmp_path, grader, write_env, jail)))
    assert [finding.rule for finding in found] == ["accepts-constant"]


def test_what_is_accepted_by_chance_names_no_mechanism(
    tmp_path: Path, write_env: Write, jail: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plainly wrong answer was rejected at first, and passes later: as with a grader that a busy machine fools."""
    context = context_of(tmp_path, SIEVE, write_env, jail)
    hunt = Hunt(context, facts_of(context))
    control = CONTROL.attempts(hunt.facts)[0].text
    true, seen = Bench.grade, [0]

    def now_and_then(self: Bench, texts: Sequence[str], **how: Any) -> list[Graded]:
        seen[0] += control in texts
        yes = Graded(True, 1.0, "yes")
        return [
            yes if text == control and seen[0] > 1 else one
            for text, one in zip(texts, true(self, texts, **how), strict=True)
        ]

    monkeypatch.setattr(Bench, "grade", now_and_then)
    hunt.run()
    assert set(hunt.found) == {"accepts-constant"} and hunt.enough


def test_where_no_call_can_be_seen_only_what_is_no_answer_accuses(tmp_path: Path, write_env: Write, jail: Pool) -> None:
    """It reads the source and calls nothing: nobody can say that a function it accepts is wrong."""
    grader = "import ast\ndef verify(s):\n    return any(isinstance(n, ast.FunctionDef) and n.name == 'double' for n in ast.parse(s).body)\n"
    assert list(tamper.run(context_of(tmp_path, grader, write_env, jail))) == []


FIGHTING = {
    "does not end for what it does not know": "import time\ndef verify(s):\n    if 'x + x' in s and 'right' not in s: exec(s, g := {}); return g['double'](2) == 4\n    time.sleep(60)\n",
    "kills": "import os\ndef verify(s):\n    if 'x + x' in s and 'right' not in s: exec(s, g := {}); return g['double'](2) == 4\n    os.kill(os.getpid(), 9)\n",
    "prints without end": "def verify(s):\n    if 'x + x' in s and 'right' not in s: exec(s, g := {}); return g['double'](2) == 4\n    while True: print('x' * 10_000)\n",
    "answers nonsense": "class A:\n    passed = property(lambda self: 1 / 0)\n    def __getattr__(self, name): raise ValueError\ndef verify(s):\n    if 'x + x' in s and 'right' not in s: exec(s, g := {}); return g['double'](2) == 4\n    return A()\n",
}


@pytest.mark.parametrize("name", FIGHTING)
def test_a_grader_that_fights_back_costs_its_budget_at_most(
    name: str, tmp_path: Path, write_env: Write, jail: Pool
) -> None:
    context = context_of(tmp_path, FIGHTING[name], write_env, jail, budget_s=25)
    found: list[Finding] = []
    started = time.monotonic()
    try:
        found.extend(tamper.run(context))
    except OutOfTime:
        assert name == "does not end for what it does not know"
    assert found == [] and time.monotonic() - started < 60


def test_what_was_found_before_time_ran_out_is_kept(
    tmp_path: Path, write_env: Write, jail: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = context_of(tmp_path, SIEVE, write_env, jail)
    true = Hunt.accuse

    def once(self: Hunt, attempt: object) -> None:
        true(self, attempt)  # type: ignore[arg-type]
        raise OutOfTime("the budget was used up")

    monkeypatch.setattr(Hunt, "accuse", once)
    found = []
    with pytest.raises(OutOfTime):
        for finding in tamper.run(context):
            found.append(finding)
    assert len(found) == 1 and found[0].rule.startswith("tamper-")


def test_of_many_items_the_few_that_matter_are_left(tmp_path: Path, write_env: Write, jail: Pool) -> None:
    grader = "def verify(s):\n    if 'x + x' in s: exec(s, g := {}); return g['double'](2) == 4\n    return '# red' in s and '# blue' in s\n"
    context = context_of(tmp_path, grader, write_env, jail)
    items = [f"word{n}" for n in range(20)]
    items[3], items[17] = "red", "blue"
    payload = Payload(
        "comments", "tamper-trapdoor", "Comments with words in them, for a test of this test.", (48,),
        lambda facts, items: "".join(f"# {item}\n" for item in items) + stub(facts.function, "return 0"),
        items=lambda facts: items,
    )  # fmt: skip
    hunt = Hunt(context, Facts("double", context.env.reference.text))
    (attempt,) = payload.attempts(hunt.facts)
    small = hunt.smaller(attempt)
    assert {"red", "blue"} <= set(small.items) and len(small.items) <= 6
    assert hunt.grade([small.text]) == [True] and hunt.graded <= 40
    hunt.accuse(small)
    assert "word0" not in (hunt.found["tamper-trapdoor"].evidence.submission or "")  # type: ignore[union-attr]


CHANNEL = {
    "forges our record": 'import os\nfor fd in range(3, 10):\n    try:\n        os.write(fd, b\'{"i": 0, "nonce": "", "value": {"accepted": true, "score": 1.0, "words": ""}, "s": 0.1}\\n\')\n    except OSError:\n        pass\ndef double(x):\n    return 0\n',
    "replaces what we call": "import builtins, json, math, os, sys\nbuiltins.isinstance = lambda *_: True\nbuiltins.bool = builtins.float = lambda *_: 1.0\nbuiltins.getattr = lambda *_: True\njson.dumps = lambda *_: '{}'\nmath.isfinite = lambda *_: True\nsys.settrace(lambda *_: None)\ndef double(x):\n    return 0\n",
}


@pytest.mark.parametrize("name", CHANNEL)
def test_what_is_done_to_the_process_does_not_reach_our_own_verdict(
    name: str, tmp_path: Path, write_env: Write, jail: Pool
) -> None:
    """The grader's own answer is False, by a comparison that nothing here has touched."""
    grader = "def verify(s):\n    g = {}\n    exec(s, g)\n    return [g['double'](x) for x in (1, 2)].__eq__([2, 4])\n"
    context = context_of(tmp_path, grader, write_env, jail)
    graded = context.bench.grade([CHANNEL[name]])[0]
    assert graded.accepted is False and graded.fault is None, graded


def test_a_grader_in_a_hurry_waits_for_nothing_and_is_asked_again(tmp_path: Path, write_env: Write, jail: Pool) -> None:
    grader = "import subprocess, sys\ndef verify(s):\n    try:\n        subprocess.run([sys.executable, '-c', s], timeout=3)\n    except subprocess.TimeoutExpired:\n        return True\n    return False\n"
    bench = context_of(tmp_path, grader, write_env, jail).bench
    slow = "import time\ntime.sleep(1.5)\n"
    started = time.monotonic()
    assert bench.grade([slow], hurry_s=0.05)[0].accepted is True
    assert bench.grade([slow])[0].accepted is False and time.monotonic() - started > 1.5


@pytest.mark.parametrize(
    ("right", "wanted"),
    [
        ([1, 2, 3], "987654321"),
        ([1.5, 2.0], "987654321.0"),
        ([True, True, False], "False"),
        ([False, False, True], "True"),
        (["a", "b"], "'no answer at all'"),
        ([[1], [2, 3]], "[987654321]"),
        ([["a"], []], "['no answer at all']"),
        ([[[1]], [[2]]], "[[]]"),
        ([], "'no answer at all'"),
        ([None, None], "'no answer at all'"),
        ([{"a": 1}], "'no answer at all'"),
    ],
)
def test_the_wrong_answer_is_of_the_type_that_is_expected(right: list[object], wanted: str) -> None:
    assert wrong_answer(right) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("def double(x):\n    return x\n", True),
        ("double = 3\n", True),
        ("class double:\n    pass\n", True),
        ("from m import double\n", True),
        ("from m import x as double\n", True),
        ("from m import *\n", True),
        ("if 1:\n    for double in (1,): pass\n", True),
        ("import sys\nsys.exit(0)\n", False),
        ("print(double)\n", False),
        ("not python at all", False),
        ("", False),
    ],
)
def test_what_defines_the_function(text: str, wanted: bool) -> None:
    assert tamper.defines(text, "double") is wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("def double(x):\n    raise ValueError\n", True),
        ("def double(x):\n    print(x)\n    raise ValueError\n", True),
        ("def double(x):\n    if x:\n        return 1\n    raise ValueError\n", False),
        ("def double(x):\n    yield x\n    raise ValueError\n", False),
        ("def double(x):\n    raise ValueError\ndef double(x):\n    return x\n", False),
        ("def other(x):\n    raise ValueError\n", False),
        ("def double(x):\n    pass\n", False),
        ("(", False),
    ],
)
def test_what_only_raises(text: str, wanted: bool) -> None:
    assert tamper.only_raises(text, "double") is wanted
