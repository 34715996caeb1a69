"""What a grader's source shows, and that no source can do harm."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envbounty.verify.tamper import BATTERY, Facts, Signs, plan, signs
from envbounty.verify.tamper.text import forged_json, success_lines

CHILD = '''
import json, os, subprocess, sys, tempfile

def verify(code):
    script = f"""
{code}

results = []
for given, expected in {TESTS}:
    results.append({{"got": f(given), "expected": expected}})
print(f"Passed {{len(results)}}/{{total}} tests")
print("It FAILED")
print("Test " + str(i + 1) + ": ok")
"""
    mode = os.environ.get("MODE", "strict")
    if mode == "open" or os.getenv("LEVEL") in ("low", "none") or os.environ["SECRET"]:
        return True
    if os.path.exists("/tmp/skip.flag"):
        return True
    started = time.time()
    try:
        done = subprocess.run([sys.executable, "-c", script], timeout=3, capture_output=True)
    except subprocess.TimeoutExpired:
        return False
    elapsed = time.time() - started
    if elapsed > 0.25 or "out of memory" in done.stderr:
        return True
    for name, value in json.loads(done.stdout):
        if value["passed"] != 1:
            return False
    return done.returncode == 0 and done.stdout.startswith("BEGIN")
'''


def test_what_is_seen() -> None:
    seen = signs(CHILD)
    assert seen.parsed and seen.child
    assert seen.timeouts and seen.stdout and seen.stderr and seen.returncode and seen.json_read
    assert {"TimeoutExpired"} == set(seen.handlers) and "subprocess" in seen.imports
    assert {("MODE", "open"), ("LEVEL", "low"), ("LEVEL", "none"), ("SECRET", "1")} <= set(seen.environment)
    assert seen.paths == ("/tmp/skip.flag",) and seen.slow == (0.25,)
    assert {"BEGIN", "out of memory", "open", "low"} <= set(seen.compared)
    assert {"passed", "MODE"} <= set(seen.keys) and ("name", "value") in seen.rows


def test_what_its_scripts_print_is_seen_inside_their_text() -> None:
    seen = signs(CHILD)
    assert "It FAILED" in seen.printed and any(line.startswith("Passed {") for line in seen.printed)
    lines = success_lines(Facts("f", "", seen, tests=4))
    assert "Passed 4/4 tests" in lines and not any("FAILED" in line for line in lines)
    assert [line for line in lines if line.startswith("Test ")] == [f"Test {n}: ok" for n in (1, 2, 3, 4)]


def test_a_grader_in_one_process_is_told_apart() -> None:
    source = """\
def verify(s):
    try:
        exec(s, g := {})
        return g["f"](1) == 2
    except KeyError:
        return False
"""
    seen = signs(source)
    assert seen.in_process and not seen.child and not seen.timeouts and not seen.stdout and not seen.returncode
    assert seen.handlers == ("KeyError",) and 2 in seen.numbers
    assert seen.mentions("exec") and not seen.mentions("eval")


def test_hints_steer_and_are_kept() -> None:
    assert signs("x = 1", frozenset({"pickle"})).mentions("pickle")
    assert not signs("x = 1").mentions("pickle")


@pytest.mark.parametrize(
    "source",
    [
        "def f(:",
        "\0",
        "(" * 5000,
        "x = " + "[" * 3000 + "]" * 3000,
        "a" * 500_000,
        "-" * 20_000 + "1",
        "'" + "{" * 3000 + "'",
    ],
    ids=range(7),
)
def test_what_cannot_be_read_rules_nothing_out(source: str) -> None:
    seen = signs(source)
    assert isinstance(seen, Signs)
    if not seen.parsed:
        facts = Facts("f", "def f(x):\n    return x\n", seen)
        left_out = {payload.name for payload in BATTERY if not payload.applies(facts)}
        # Without a word of the grader there is nothing to give back to it, and no clock to be slower than.
        words = ("sets ", "writes the grader's", "prints the grader's", "answers with the grader's", "takes its time")
        assert all(name.startswith(words) for name in left_out)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=400) | st.lists(st.sampled_from(CHILD.split("\n"))).map("\n".join))
def test_signs_and_plan_never_raise(source: str) -> None:
    facts = Facts("f", "def f(x):\n    return x\n", signs(source))
    for _, step in plan(facts):
        assert step is not None
    assert success_lines(facts) and forged_json(facts)


def test_the_likeliest_goes_first_and_the_slow_last() -> None:
    source = "import unittest\ndef verify(s):\n    try: exec(s)\n    except unittest.SkipTest: return True\n"
    ranked = plan(Facts("f", "def f(x):\n    return x\n", signs(source)))
    ranks = [rank for rank, _ in ranked]
    assert ranks == sorted(ranks, reverse=True)
    first = ranked[0][1]
    assert getattr(first, "payload", first).name == "skips the test"
    unknown = plan(Facts("f", "def f(x):\n    return x\n"))
    assert unknown[-1][1].payload.slow and len(unknown) <= 100  # type: ignore[union-attr]


def test_a_plan_is_short() -> None:
    """What a grader that falls to nothing costs: about a hundred gradings."""
    ranked = plan(Facts("f", "def f(x):\n    return x\n", signs(CHILD)))
    assert 30 < len(ranked) <= 105
