"""A finding stands beside the function that it is about."""

from collections.abc import Callable
from pathlib import Path

import pytest

from envbounty.environment import load
from envbounty.sandbox.pool import Pool
from envbounty.verify import examine
from envbounty.verify.places import Places, lines_of
from envbounty.verify.rules import RULES

Make = Callable[..., Path]
SOURCE = """\
import math


def generate(rng, difficulty):
    return {"values": [rng.randint(0, 9)]}


def check(instance, output):
    return 1.0
"""


@pytest.mark.parametrize(
    ("rule", "line"), [("accepts-nothing", 8), ("generator-repeats", 4), ("trivial-strategy-pays", 4)]
)
def test_a_finding_is_put_beside_its_function(rule: str, line: int, make_env: Make) -> None:
    env = load(make_env("function", {"environment.py": SOURCE}))
    finding = RULES[rule].finding("It does.", path="environment.py")
    assert Places(env).placed(finding).line == line


def test_what_has_a_place_keeps_it(make_env: Make) -> None:
    env = load(make_env("function", {"environment.py": SOURCE}))
    elsewhere = RULES["accepts-nothing"].finding("It does.", path="task.md")
    placed = elsewhere.model_copy(update={"path": "environment.py", "line": 5})
    assert Places(env).placed(elsewhere) == elsewhere
    assert Places(env).placed(placed) == placed


def test_a_verifier_that_is_imported_has_no_line_of_its_own(make_env: Make) -> None:
    env = load(make_env("function", {"environment.py": "from judge import check, generate\n", "judge.py": SOURCE}))
    assert Places(env).placed(RULES["accepts-nothing"].finding("It does.", path="environment.py")).line == 1


@pytest.mark.parametrize("source", [b"def check(:\n", b"\x00", b"(" * 5000, b"\xff\xfe"])
def test_what_is_no_python_has_no_lines(source: bytes) -> None:
    assert lines_of(source) == {}


def test_the_examination_does_so(make_env: Make, jail: Pool) -> None:
    result = examine(make_env("function", {"environment.py": SOURCE}), jail)
    assert {finding.line for finding in result.findings if finding.rule.startswith("accepts-")} == {8}
