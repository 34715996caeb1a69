"""Sound environments of odd sorts: none may be accused."""

# ruff: noqa: E501  (tables of other people's code)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from envbounty.findings import Severity, Verdict

GEN_WORDS = """\
def generate(rng, difficulty):
    return {"a": rng.randint(1000, 9999), "b": rng.randint(1000, 9999)}
"""

SOLVE_YES = 'def solve(i):\n    return "yes" if i["a"] > i["b"] else "no"\n'
BAD_YES = {
    "solutions/bad/first.py": "# wrong: looks the wrong way\ndef solve(i):\n    return 'no' if i['a'] > i['b'] else 'yes'\n"
}

SOUND: dict[str, tuple[str, dict[str, str | None], dict[str, str]]] = {
    "yes or no, in any spelling": (
        "answer", {
            "task.md": "Is {{ a }} more than {{ b }}? Answer: yes or no.\n",
            "environment.py": GEN_WORDS + """\
def check(instance, output):
    said = {"yes": True, "y": True, "true": True, "1": True, "no": False, "n": False, "false": False, "0": False}
    if not isinstance(output, str):
        return 0.0
    return float(said.get(output.strip().lower()) is (instance["a"] > instance["b"]))
""",
            "solutions/reference.py": SOLVE_YES,
            "solutions/good/line.py": SOLVE_YES.replace('"yes"', '"TRUE\\n"').replace('"no"', '" No"'),
            **BAD_YES,
        }, {},
    ),
    "yes or no, as tokens": (
        "answer", {
            "task.md": "Is {{ a }} more than {{ b }}? Say yes or no.\n",
            "environment.py": GEN_WORDS + """\
def check(instance, output):
    right = "yes" if instance["a"] > instance["b"] else "no"
    return float(isinstance(output, str) and output.split() in ([right], [right.upper()]))
""",
            "solutions/reference.py": SOLVE_YES,
            "solutions/good/line.py": "def solve(i):\n    return ('no', 'yes')[max(i['a'] - i['b'], 0) > 0]\n", **BAD_YES,
        }, {"compare: exact": "compare: tokens"},
    ),
    "booleans, as strict as can be": (
        "function", {
            "task.md": "Write `total(values)`: is the sum even?\n",
            "environment.py": """\
def generate(rng, difficulty):
    return {"values": [rng.randint(100, 999) for _ in range(8)]}
def check(instance, output):
    return 1 if output is (sum(instance["values"]) % 2 == 0) else 0
""",
            "solutions/reference.py": "def total(v):\n    return sum(v) % 2 == 0\n",
            "solutions/good/loop.py": "def total(v):\n    return not sum(x % 2 for x in v) % 2\n",
            "solutions/bad/last.py": "# wrong: asks for an odd sum\ndef total(v):\n    return sum(v) % 2 == 1\n",
        }, {},
    ),
    "booleans, where 1 will do": (
        "function", {
            "task.md": "Write `total(values)`: is the sum even?\n",
            "environment.py": """\
def generate(rng, difficulty):
    return {"values": [rng.randint(100, 999) for _ in range(8)]}
def check(instance, output):
    return isinstance(output, (int, float)) and output == (sum(instance["values"]) % 2 == 0)
""",
            "solutions/reference.py": "def total(v):\n    return sum(v) % 2 == 0\n",
            "solutions/good/loop.py": "def total(v):\n    return 1 - sum(x % 2 for x in v) % 2\n",
            "solutions/bad/last.py": "# wrong: asks for an odd sum\ndef total(v):\n    return sum(v) % 2 == 1\n",
        }, {},
    ),
    "an empty list is right now and then": (
        "function", {
            "task.md": "Write `total(values)`: those above 500, in order.\n",
            "environment.py": """\
def generate(rng, difficulty):
    return {"values": [rng.randint(1, 999) for _ in range(rng.choice([0, 1, 2, 6]))] + [rng.randint(1, 400)]}
def check(instance, output):
    return 1.0 if output == [x for x in instance["values"] if x > 500] else 0.0
""",
            "solutions/reference.py": "def total(v):\n    return [x for x in v if x > 500]\n",
            "solutions/good/loop.py": "def total(v):\n    return list(filter(lambda x: x > 500, v))\n",
            "solutions/bad/last.py": "# wrong: those below, not above\ndef total(v):\n    return [x for x in v if x < 500]\n",
        }, {},
    ),
    "an empty text, a zero, a None": (
        "function", {
            "task.md": "Write `total(values)`.\n",
            "environment.py": """\
def right(values):
    return [values[0], "", 0, None, "A", False][values[0] % 6]
def generate(rng, difficulty):
    return {"values": [rng.randint(100, 999) for _ in range(3)]}
def check(instance, output):
    want = right(instance["values"])
    return 1.0 if type(output) is type(want) and output == want else 0.0
""",
            "solutions/reference.py": "def total(v):\n    return [v[0], '', 0, None, 'A', False][v[0] % 6]\n",
            "solutions/good/loop.py": "def total(v):\n    return (v[0], '', 0, None, 'A', False)[v[0] % 6]\n",
            "solutions/bad/last.py": "# wrong: one place too far\ndef total(v):\n    return [v[0], '', 0, None, 'A', False][v[0] % 6 - 1]\n",
        }, {},
    ),
    "the same, with nothing declared": (
        "function", {
            "task.md": "Write `total(values)`.\n",
            "environment.py": """\
def right(values):
    return [values[0], "", 0, None, "A", []][values[0] % 6]
def generate(rng, difficulty):
    return {"values": [rng.randint(100, 999) for _ in range(3)]}
def check(instance, output):
    want = right(instance["values"])
    return 1.0 if type(output) is type(want) and output == want else 0.0
""",
            "solutions/reference.py": "def total(v):\n    return [v[0], '', 0, None, 'A', []][v[0] % 6]\n",
            "solutions/good/loop.py": "def total(v):\n    return (v[0], '', 0, None, 'A', [])[v[0] % 6]\n",
            "solutions/bad/last.py": "# wrong: one place too far\ndef total(v):\n    return [v[0], '', 0, None, 'A', []][v[0] % 6 - 1]\n",
        }, {"compare: exact": "compare: many"},
    ),
    "any divisor will do": (
        "function", {
            "task.md": "Write `total(values)`: any number that divides the first one.\n",
            "environment.py": """\
def generate(rng, difficulty):
    return {"values": [rng.randint(1000, 9999)]}
def check(instance, output):
    return float(type(output) is int and output != 0 and instance["values"][0] % output == 0)
""",
            "solutions/reference.py": "def total(v):\n    return min(d for d in range(2, v[0] + 1) if v[0] % d == 0)\n",
            "solutions/good/loop.py": "def total(v):\n    return v[0]\n",
            "solutions/bad/last.py": "# wrong: divides only even ones\ndef total(v):\n    return 2 if v[0] % 2 else 7919\n",
        }, {"compare: exact": "compare: many"},
    ),
    "any palindrome will do": (
        "answer", {
            "task.md": "Say a palindrome of at least {{ a }} letters or digits ({{ b }}).\n",
            "environment.py": """\
def generate(rng, difficulty):
    return {"a": rng.randint(1, 4), "b": rng.randint(1000, 9999)}
def check(instance, output):
    if not isinstance(output, str):
        return 0.0
    text = output.strip()
    return float(len(text) >= instance["a"] and text.isalnum() and text == text[::-1])
""",
            "solutions/reference.py": "def solve(i):\n    return 'anna' + 'annA'.lower()\n",
            "solutions/good/line.py": "def solve(i):\n    return 'x' * 9\n",
            "solutions/bad/first.py": "# wrong: not the same backwards\ndef solve(i):\n    return 'abc' * i['a']\n",
        }, {"compare: exact": "compare: many"},
    ),
    "any large number will do": (
        "function", {
            "task.md": "Write `total(values)`: any number above the sum.\n",
            "environment.py": """\
def generate(rng, difficulty):
    return {"values": [rng.randint(1000, 9999), rng.randint(1000, 9999)]}
def check(instance, output):
    return float(type(output) is int and output > sum(instance["values"]))
""",
            "solutions/reference.py": "def total(v):\n    return sum(v) + 1\n",
            "solutions/good/loop.py": "def total(v):\n    return sum(v) * 2\n",
            "solutions/bad/last.py": "# wrong: the sum itself\ndef total(v):\n    return sum(v)\n",
        }, {"compare: exact": "compare: many"},
    ),
    "numbers within a tolerance": (
        "function", {
            "task.md": "Write `total(values)`: the mean.\n",
            "environment.py": """\
import math
def generate(rng, difficulty):
    return {"values": [rng.random() * rng.choice([1e-9, 1, 1e9]) for _ in range(rng.randint(1, 9))]}
def check(instance, output):
    if isinstance(output, bool) or not isinstance(output, (int, float)) or not abs(output) < 1e300:
        return 0.0
    right = math.fsum(instance["values"]) / len(instance["values"])
    return float(math.isclose(output, right, rel_tol=1e-6, abs_tol=1e-6))
""",
            "solutions/reference.py": "def total(v):\n    return sum(v) / len(v)\n",
            "solutions/good/loop.py": "def total(v):\n    return sum(x / len(v) for x in v)\n",
            "solutions/bad/last.py": "# wrong: leaves the length out\ndef total(v):\n    return sum(v) + 1\n",
        }, {"compare: exact": "compare: tolerance, rel_tol: 1.0e-6, abs_tol: 1.0e-6"},
    ),
    "a list in any order": (
        "function", {
            "task.md": "Write `total(values)`: the distinct values, in any order.\n",
            "environment.py": """\
def generate(rng, difficulty):
    return {"values": [rng.randint(1, 999) for _ in range(6)]}
def check(instance, output):
    if not isinstance(output, list) or not all(type(x) is int for x in output):
        return 0.0
    return float(sorted(output) == sorted(set(instance["values"])))
""",
            "solutions/reference.py": "def total(v):\n    return sorted(set(v))\n",
            "solutions/good/loop.py": "def total(v):\n    return list(dict.fromkeys(v))[::-1]\n",
            "solutions/bad/last.py": "# wrong: leaves one out\ndef total(v):\n    return sorted(set(v))[1:]\n",
        }, {"compare: exact": "compare: unordered"},
    ),
    "sorted already, half of the time": (
        "function", {
            "task.md": "Write `total(values)`: sorts them.\n",
            "environment.py": """\
def generate(rng, difficulty):
    values = [rng.randint(100, 999) for _ in range(3)]
    return {"values": sorted(values) if rng.random() < 0.5 else values}
def check(instance, output):
    return 1.0 if output == sorted(instance["values"]) else 0.0
""",
            "solutions/reference.py": "def total(v):\n    return sorted(v)\n",
            "solutions/good/loop.py": "def total(v):\n    v.sort()\n    return v\n",
            "solutions/bad/last.py": "# wrong: sorts nothing at all\ndef total(v):\n    return v\n",
        }, {},
    ),
    "one letter": (
        "answer", {
            "task.md": "Which is the largest? A {{ a }}, B {{ b }}, C 5000\n",
            "environment.py": GEN_WORDS + """\
def check(instance, output):
    right = "ABC"[max(range(3), key=[instance["a"], instance["b"], 5000].__getitem__)]
    return float(isinstance(output, str) and output.strip().upper() == right)
""",
            "solutions/reference.py": "def solve(i):\n    return 'ABC'[max(range(3), key=[i['a'], i['b'], 5000].__getitem__)]\n",
            "solutions/good/line.py": "def solve(i):\n    return max((i['a'], 'a'), (i['b'], 'b'), (5000, 'c'))[1]\n",
            "solutions/bad/first.py": "# wrong: says the smallest one\ndef solve(i):\n    return min((i['a'], 'A'), (i['b'], 'B'), (5000, 'C'))[1]\n",
        }, {},
    ),
    "an equivalence of the author's own": (
        "answer", {
            "task.md": "Divide {{ a }} by {{ b }}, as a fraction.\n",
            "environment.py": GEN_WORDS + """\
from fractions import Fraction
def parse(text):
    try:
        return Fraction(text.strip()) if isinstance(text, str) and len(text) < 99 and "e" not in text.lower() else None
    except (ValueError, ZeroDivisionError):
        return None
def check(instance, output):
    return float(parse(output) == Fraction(instance["a"], instance["b"]))
def equivalent(instance, a, b):
    return parse(a) is not None and parse(a) == parse(b)
""",
            "solutions/reference.py": "def solve(i):\n    return f\"{i['a']}/{i['b']}\"\n",
            "solutions/good/line.py": "from fractions import Fraction\ndef solve(i):\n    return str(Fraction(i['a'], i['b']))\n",
            "solutions/bad/first.py": "# wrong: upside down it is\ndef solve(i):\n    return f\"{i['b']}/{i['a']}\"\n",
        }, {"compare: exact": "compare: custom"},
    ),
    "partial credit": (
        "function", {
            "environment.py": """\
def generate(rng, difficulty):
    return {"values": [rng.randint(100, 999) for _ in range(8)]}
def check(instance, output):
    right = sum(instance["values"])
    if type(output) is not int or abs(output) > 10**9:
        return 0.0
    return max(0.0, 1 - abs(output - right) / right)
""",
        }, {},
    ),
    "a mean of many": (
        "function", {
            "solutions/bad/crash.py": "# wrong: fails on every other\ndef total(v):\n    assert v[0] % 2\n    return sum(v)\n",
        }, {"aggregate: all, pass_score: 1.0": "aggregate: mean, pass_score: 0.8"},
    ),
    "it prints": (
        "function", {
            "environment.py": """\
print('{"import": "fault", "detail": "x"}')
def generate(rng, difficulty):
    return {"values": [rng.randint(100, 999) for _ in range(8)]}
def check(instance, output):
    print('{"verdict": "pass", "results": []}', "x" * 3000)
    return 1.0 if type(output) is int and output == sum(instance["values"]) else 0.0
""",
        }, {},
    ),
    "a byte order mark, Windows line ends, Latin letters": (
        "function", {
            "environment.py": (
                "\ufeff# -*- coding: utf-8 -*-\r\ndef generate(rng, difficulty):\r\n    é = 8\r\n"
                '    return {"values": [rng.randint(100, 999) for _ in range(é)]}\r\n'
                "def check(instance, output):\r\n"
                '    return 1.0 if type(output) is int and output == sum(instance["values"]) else 0.0\r\n'
            ),
        }, {},
    ),
    "modules of its own, and a dataclass": (
        "answer", {
            "adder.py": "from dataclasses import dataclass\n\n@dataclass\nclass Sum:\n    a: int\n    b: int\n    def text(self): return str(self.a + self.b)\n",
            "environment.py": GEN_WORDS + """\
import inspect
from adder import Sum
def check(instance, output):
    assert "def check" in inspect.getsource(check)
    return float(isinstance(output, str) and output.strip() == Sum(**instance).text())
""",
            "solutions/reference.py": "from adder import Sum\nimport environment\ndef solve(i):\n    return Sum(**i).text()\n",
        }, {},
    ),
    "large instances": (
        "function", {
            "environment.py": """\
def generate(rng, difficulty):
    return {"values": [rng.randint(100, 999) for _ in range(8)], "pad": "x" * 250_000}
def check(instance, output):
    return 1.0 if type(output) is int and output == sum(instance["values"]) else 0.0
""",
        }, {},
    ),
    "it keeps more and more, within its means": (
        "function", {
            "environment.py": """\
kept = []
def generate(rng, difficulty):
    return {"values": [rng.randint(100, 999) for _ in range(8)]}
def check(instance, output):
    kept.append(bytearray(4 << 20))
    return 1.0 if type(output) is int and output == sum(instance["values"]) else 0.0
""",
        }, {},
    ),
    "program: numbers on lines": (
        "program", {
            "environment.py": """\
def generate(rng, difficulty):
    return {"stdin": " ".join(str(rng.randint(100, 999)) for _ in range(4)) + "\\n"}
def check(instance, output):
    right = [str(2 * int(word)) for word in instance["stdin"].split()]
    return float(isinstance(output, str) and output.split() == right)
""",
            "solutions/reference.py": "print(*(2 * int(x) for x in input().split()), sep='\\n')\n",
            "solutions/good/sum.c": None,
            "solutions/good/main.py": "import sys\nif __name__ == '__main__':\n    sys.stdout.write(' '.join(str(int(x) * 2) for x in sys.stdin.read().split()))\n",
            "solutions/bad/last.py": "# wrong: triples them all\nprint(*(3 * int(x) for x in input().split()))\n",
        }, {"compare: exact": "compare: tokens"},
    ),
}  # fmt: skip

CALLS = "CASES = [(1, 2), (5, 10), (-3, -6), (100, 200)]\n"
SUBPROCESS = (
    CALLS
    + """\
import json, subprocess, sys
def verify(submission):
    code = submission + "\\nimport json\\nprint(json.dumps([double(x) for x in %r]))" % [a for a, _ in CASES]
    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=5)
        return json.loads(done.stdout.splitlines()[-1]) == [b for _, b in CASES]
    except Exception:
        return False
"""
)
EXEC = (
    CALLS
    + "def run(s):\n    g = {'__builtins__': {'range': range, 'len': len, 'ValueError': ValueError, 'float': float}}\n    exec(s, g)\n    return all(type(g['double'](a)) is int and g['double'](a) == b for a, b in CASES)\n"
)

GRADERS = {
    "subprocess": SUBPROCESS,
    "restricted exec, a tuple": EXEC
    + "def verify(s):\n    try:\n        return (True, 'fine') if run(s) else (False, 'wrong')\n    except Exception as e:\n        return False, str(e)\n",
    "a dict": EXEC
    + "def verify(s):\n    try:\n        return {'passed': run(s), 'score': 0.5}\n    except Exception:\n        return {'passed': False}\n",
    "a number": EXEC
    + "def verify(s):\n    try:\n        return 1.0 if run(s) else 0\n    except Exception:\n        return 0.25\n",
    "a word": EXEC
    + "def verify(s):\n    try:\n        return 'Passed' if run(s) else 'failed'\n    except Exception:\n        return 'error'\n",
    "a dataclass": EXEC
    + "from dataclasses import dataclass\n@dataclass\nclass R:\n    status: str\n    feedback: str = ''\ndef verify(s):\n    try:\n        return R('passed' if run(s) else 'failed', 'x')\n    except Exception:\n        return R('crashed')\n",
    "an enumeration": EXEC
    + "import enum\nclass S(enum.Enum):\n    OK = 'passed'\n    NO = 'failed'\nclass R:\n    def __init__(self, s): self.status = s\ndef verify(s):\n    try:\n        return R(S.OK if run(s) else S.NO)\n    except Exception:\n        return R(S.NO)\n",
    "raises where it is wrong": EXEC + "def verify(s):\n    assert run(s)\n    return True\n",
    "cases for which some constants are right": "def verify(s):\n    g = {'__builtins__': {}}\n    try:\n        exec(s, g)\n        return g['double'](0) == 0\n    except Exception:\n        return False\n",
}
SOUND |= {f"grader: {name}": ("grader", {"grader.py": text}, {}) for name, text in GRADERS.items()}
# Everything that is 0 at 0 is right by this one's own cases, so it is the case above only with such solutions.
SOUND["grader: cases for which some constants are right"][1]["solutions/bad/square.py"] = (
    "# wrong: adds one to the number\ndef double(x):\n    return x + x + 1\n"
)
SOUND["grader: several results are right, and it says so"] = (
    "grader",
    {
        "grader.py": "def verify(s):\n    g = {}\n    try:\n        exec(s, g)\n        return all(type(g['double'](n)) is int and g['double'](n) % n == 0 for n in (3, 5, 7))\n    except Exception:\n        return False\n",
        "solutions/bad/square.py": "# wrong: adds one to the number\ndef double(x):\n    return x + 1\n",
    },
    {"compare: exact": "compare: many"},
)


@pytest.fixture(scope="module")
def batch(request: pytest.FixtureRequest, examine_selected: Callable[..., Any]) -> Any:
    return examine_selected(request, SOUND)


@pytest.mark.parametrize("case", SOUND)
def test_it_is_not_accused(case: str, batch: Any) -> None:
    result = batch[case]
    assert [finding for finding in result.findings if finding.severity is Severity.ERROR] == []
    assert result.verdict is Verdict.PASS, result.reason
    loud = {finding.rule for finding in result.findings if finding.severity is not Severity.NOTE}
    warnings = loud - {"few-solutions", "bad-does-not-run", "verifier-raises", "partial-credit-farmed"}
    if SOUND[case][2].get("compare: exact") == "compare: many":
        return  # where nobody can tell, a reviewer may be asked to look
    assert not warnings, result.findings
