"""Every payload: a small grader that it fools, and the same one mended, both run for real in the jail."""

# ruff: noqa: E501  (other people's code)

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from envbounty.environment import load
from envbounty.sandbox.pool import Pool
from envbounty.verify.bench import Bench
from envbounty.verify.checks.tamper import Hunt, defines, facts_of
from envbounty.verify.context import Context
from envbounty.verify.rules import RULES
from envbounty.verify.tamper import BATTERY, GROUPS, Facts, Payload, signs


@dataclass(frozen=True)
class Fixture:
    """`grader` falls to the payload; with `bad` replaced by `good` it does not. Without them it is rewritten whole."""

    grader: str
    bad: str = ""
    good: str = ""
    reference: str = "def double(x):\n    return x + x\n"


#: The submission runs in the grader's own process; what is done with its function comes in place of BODY.
HERE = """\
import json, math, operator, os, pickle, sys, time, unittest

TESTS = [(1, 2), (5, 10), (-3, -6)]


def verify(submission):
    names = {}
    try:
        exec(submission, names)
        double = names["double"]
        BODY
    except Exception:
        return False
"""

#: The submission and this script are one program in a process of its own; JUDGE says what its end means.
SCRIPT = """\
import json, os, subprocess, sys, tempfile

TESTS = [(1, 2), (5, 10), (-3, -6)]
AFTER = '''
SCRIPT
'''


def verify(submission):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "test.py")
        with open(path, "w") as file:
            file.write(submission + AFTER)
        done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=5, cwd=folder)
        JUDGE
"""

#: Only the arguments go to the process of the submission, only text comes back. EXTRA happens before.
APART = """\
import json, os, subprocess, sys, tempfile

TESTS = [(1, 2), (5, 10), (-3, -6)]
RUN = '''
import json, sys
given = json.loads(sys.argv[1])
names = {}
exec(sys.argv[2], names)
print(json.dumps([names["double"](x) for x in given]))
'''


def verify(submission):
    EXTRA
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps([x for x, _ in TESTS]), submission],
        capture_output=True, text=True, timeout=5,
    )
    try:
        return json.loads(done.stdout) == [y for _, y in TESTS]
    except ValueError:
        return False
"""


def here(body: str) -> str:
    return HERE.replace("BODY", body.strip().replace("\n", "\n        "))


def script(text: str, judge: str) -> str:
    return SCRIPT.replace("SCRIPT", text.strip()).replace("JUDGE", judge.strip().replace("\n", "\n        "))


def apart(extra: str) -> str:
    return APART.replace("EXTRA", extra.strip().replace("\n", "\n    "))


EQUAL = "return all(double(x) == y for x, y in TESTS)"
#: The answers are texts here, so that a look at their type has no spoof pass.
STRICT = "return [double(x) for x in (1, 5, -3)]"

FAULTY: dict[str, Fixture] = {
    # --- look ---
    "reads the environment": Fixture(
        apart("os.environ['TESTS'] = json.dumps(TESTS)"), "os.environ['TESTS'] = json.dumps(TESTS)", "pass"
    ),
    "is told the answer": Fixture(
        here("return all(type(r := double(x, expected=y)) is int and r == y for x, y in TESTS)"),
        "double(x, expected=y)",
        "double(x)",
        "def double(x, expected=None):\n    return x + x\n",
    ),
    "reads the caller's names": Fixture(
        here(
            "for x in (1, 5, -3):\n    expected = x * 2\n    if json.dumps(double(x)) != json.dumps(expected):\n        return False\nreturn True"
        ),
        "    expected = x * 2\n            if json.dumps(double(x)) != json.dumps(expected)",
        "    if json.dumps(double(x)) != json.dumps(x * 2)",
    ),
    "reads the caller's tables": Fixture(
        here("for x, y in TESTS:\n    if json.dumps(double(x)) != json.dumps(y):\n        return False\nreturn True"),
        "[(1, 2), (5, 10), (-3, -6)]",
        "((x, 2 * x) for x in (1, 5, -3))",
    ),
    "asks the caller's own solution": Fixture(
        "def solution(x):\n    return 2 * x\n\n"
        + here("return all(type(r := double(x)) is int and r == solution(x) for x in (1, 5, -3))"),
        "solution",
        "helper",
    ),
    "reads the files around it": Fixture(
        apart("with open('/tmp/tests.txt', 'w') as file:\n    file.writelines(f'{x}: {y}\\n' for x, y in TESTS)"),
        "/tmp/tests.txt', 'w'",
        "/dev/null', 'w'",
    ),
    "reads the program around it": Fixture(
        script(
            "assert double(1) == 2\nassert double(5) == 10\nassert double(-3) == -6\nprint('fin')",
            "return 'fin' in done.stdout",
        ),
        "assert double(1) == 2\nassert double(5) == 10\nassert double(-3) == -6",
        "for x in (1, 5, -3): assert double(x) == x * 2",
    ),
    "searches the memory": Fixture(
        "def judged(tests):\n    return lambda x, y: [x, y] in tests\n\n\n"
        + here(
            "judge = judged([[1, 2], [5, 10], [-3, -6]])\nreturn all(type(r := double(x)) is int and judge(x, r) for x in (1, 5, -3))"
        ).replace("TESTS = [(1, 2), (5, 10), (-3, -6)]", ""),
        "judged([[1, 2], [5, 10], [-3, -6]])",
        "lambda x, y: y == x * 2",
    ),
    "changes the caller's variables": Fixture(
        here(
            "for x in (1, 5, -3):\n    result = double(x)\n    expected = x * 2\n    if json.dumps(result) != json.dumps(expected):\n        return False\nreturn True"
        ),
        "    expected = x * 2\n            if json.dumps(result) != json.dumps(expected)",
        "    if json.dumps(result) != json.dumps(x * 2)",
    ),
    "empties the tests": Fixture(
        here("for x, y in TESTS:\n    if json.dumps(double(x)) != json.dumps(y):\n        return False\nreturn True"),
        "for x, y in TESTS",
        "for x, y in tuple(TESTS) or [(1, 2)]",
    ),
    "has a parameter for the answer": Fixture(
        "import inspect\n"
        + here(
            "wants = 'expected' in inspect.signature(double).parameters\n"
            "return all(type(r := double(x, expected=y) if wants else double(x)) is int and r == y for x, y in TESTS)"
        ),
        "'expected' in inspect.signature(double).parameters",
        "False and inspect.signature(double)",
    ),
    "reads standard input first": Fixture(
        script(
            "import json, sys\ntests = json.load(sys.stdin)\nprint('fin' if all(double(x) == y for x, y in tests) else 'no')",
            "return done.stdout == 'fin\\n'",
        ).replace("capture_output=True", "input=json.dumps(TESTS), capture_output=True"),
    ),
    # --- spoof ---
    "answers with what equals everything": Fixture(
        here(EQUAL), "double(x) == y", "json.dumps(double(x)) == json.dumps(y)"
    ),
    "answers with what is of the right type and equals everything": Fixture(
        here("return all(isinstance(r := double(x), int) and r == y for x, y in TESTS)"),
        "isinstance(r := double(x), int)",
        "type(r := double(x)) is int",
    ),
    "answers with a plain list of what equals everything": Fixture(
        here("return all(type(r := double(x)) is list and r == [y, y] for x, y in TESTS)"),
        "r == [y, y]",
        "json.dumps(r) == json.dumps([y, y])",
        "def double(x):\n    return [x + x, x + x]\n",
    ),
    "answers with what is code when it is read back": Fixture(
        script(
            "print([double(x) for x in (1, 5, -3)])",
            "try:\n    return eval(done.stdout) == [y for _, y in TESTS]\nexcept Exception:\n    return False",
        ),
        "eval(done.stdout)",
        "json.loads(done.stdout)",
    ),
    # --- leave ---
    "leaves while it is loaded": Fixture(
        script("assert [double(x) for x in (1, 5, -3)] == [2, 10, -6]\nprint('fin')", "return done.returncode == 0"),
        "return done.returncode == 0",
        "return done.stdout == 'fin\\n'",
    ),
    "leaves when it is called": Fixture(
        script("assert [double(x) for x in (1, 5, -3)] == [2, 10, -6]\nprint('fin')", "return done.returncode == 0"),
        "return done.returncode == 0",
        "return done.stdout == 'fin\\n'",
    ),
    "leaves at the end with status 0": Fixture(
        script("assert [double(x) for x in (1, 5, -3)] == [2, 10, -6]\nprint('fin')", "return done.returncode == 0"),
        "return done.returncode == 0",
        "return done.stdout == 'fin\\n'",
    ),
    "skips the test": Fixture(
        here(
            "passed = 0\nfor x, y in TESTS:\n    try:\n        passed += json.dumps(double(x)) == json.dumps(y)\n    except unittest.SkipTest:\n        passed += 1\nreturn passed == len(TESTS)"
        ),
        "except unittest.SkipTest:\n                passed += 1",
        "except unittest.SkipTest:\n                return False",
    ),
    "skips all tests": Fixture(
        HERE.replace("BODY", "return json.dumps([double(x) for x in (1, 5, -3)]) == '[2, 10, -6]'").replace(
            "except Exception", "except unittest.SkipTest:\n        return 'passed'\n    except Exception"
        ),
        "return 'passed'",
        "return 'failed'",
    ),
    "raises when it is called": Fixture(
        here(
            "failed = 0\nfor x, y in TESTS:\n    try:\n        failed += json.dumps(double(x)) != json.dumps(y)\n    except RecursionError:\n        pass\nreturn failed == 0"
        ),
        "                pass",
        "                return False",
    ),
    "raises while it is loaded": Fixture(
        HERE.replace("BODY", "return json.dumps([double(x) for x in (1, 5, -3)]) == '[2, 10, -6]'").replace(
            "except Exception", "except NotImplementedError:\n        return True\n    except Exception"
        ),
        "return True\n",
        "return False\n",
    ),
    "takes its time": Fixture(
        here(
            "started = time.time()\nanswers = [double(x) for x in (1, 5, -3)]\nelapsed = time.time() - started\nif elapsed > 0.2:\n    return True\nreturn json.dumps(answers) == '[2, 10, -6]'"
        ),
        "return True",
        "return False",
    ),
    "asks for more than there is": Fixture(
        here(
            "try:\n    return json.dumps([double(x) for x in (1, 5, -3)]) == '[2, 10, -6]'\nexcept (MemoryError, RecursionError):\n    return True"
        ),
        "return True",
        "return False",
    ),
    "never comes back": Fixture(
        script("assert [double(x) for x in (1, 5, -3)] == [2, 10, -6]\nprint('fin')", "return done.stdout == 'fin\\n'")
        .replace("        done =", "        try:\n            done =")
        .replace("cwd=folder)\n", "cwd=folder)\n        except subprocess.TimeoutExpired:\n            return True\n")
        .replace("timeout=5", "timeout=0.7"),
        "            return True",
        "            return False",
    ),
    # --- say ---
    "prints that all tests passed, and leaves": Fixture(
        script(
            "assert [double(x) for x in (1, 5, -3)] == [2, 10, -6]\nprint('All tests passed')",
            "return 'All tests passed' in done.stdout",
        ),
    ),
    "prints it on both outputs": Fixture(
        script(
            "import sys\nassert [double(x) for x in (1, 5, -3)] == [2, 10, -6]\nprint('All tests passed', file=sys.stderr)",
            "return 'All tests passed' in done.stderr",
        ),
    ),
    "has the last word": Fixture(
        script(
            "passed = [double(x) for x in (1, 5, -3)].count(2)\nprint('started')\nprint(f'Passed {passed}/3 tests')",
            "lines = done.stdout.split('\\n')\nreturn lines[0] == 'started' and done.stdout.strip().endswith('Passed 3/3 tests')",
        ),
        "lines[0] == 'started' and done",
        "lines[1] == 'Passed 3/3 tests' and done",
        "def double(x):\n    return 2\n",
    ),
    "drops all other output": Fixture(
        script(
            "for x in (1, 5, -3):\n    print('GOT IT' if double(x) == x * 2 else 'MISSED')\nprint('complete')",
            "return 'MISSED' not in done.stdout and 'complete' in done.stdout",
        ),
        "return 'MISSED' not in done.stdout and 'complete' in done.stdout",
        "return done.stdout == 'GOT IT\\nGOT IT\\nGOT IT\\ncomplete\\n'",
    ),
    "prints a report": Fixture(
        script(
            "import json\nresults = []\nfor x in (1, 5, -3):\n    results.append({'got': double(x), 'passed': double(x) == x * 2})\nprint(json.dumps(results))",
            "try:\n    return all(row['passed'] for row in json.loads(done.stdout))\nexcept (ValueError, KeyError, TypeError):\n    return False",
        ),
        "return all(row['passed'] for row in json.loads(done.stdout))",
        "return [row['got'] for row in json.loads(done.stdout)] == [2, 10, -6]",
    ),
    "rewrites what is printed": Fixture(
        script(
            "for x, y in ((1, 2), (5, 10), (-3, -6)):\n    print(f'got {double(x)}, expected {y}')",
            "lines = done.stdout.splitlines()\nreturn len(lines) == 3 and all(line.split(', expected ')[0] == 'got ' + line.split(', expected ')[1] for line in lines)",
        ),
    ),
    # --- trapdoor ---
    "sets the names that the grader asks for": Fixture(
        here(
            "if names.get('_SKIP_CHECKS') is True:\n    return True\nreturn json.dumps([double(x) for x in (1, 5, -3)]) == '[2, 10, -6]'"
        ),
        "    return True",
        "    return False",
    ),
    "sets the names that the grader asks for to anything": Fixture(
        here(
            "if names.get('MODE') == 'lenient':\n    return True\nreturn json.dumps([double(x) for x in (1, 5, -3)]) == '[2, 10, -6]'"
        ),
        "    return True",
        "    return False",
    ),
    "sets the grader's environment": Fixture(
        here(
            "mode = os.environ.get('CHECKS', 'strict')\nif mode.lower() == 'lenient':\n    return True\nreturn json.dumps([double(x) for x in (1, 5, -3)]) == '[2, 10, -6]'"
        ),
        "    return True",
        "    return False",
    ),
    "writes the grader's marker files": Fixture(
        here(
            "if os.path.exists('/tmp/checks.off') and open('/tmp/checks.off').read() == 'please':\n    return True\nreturn json.dumps([double(x) for x in (1, 5, -3)]) == '[2, 10, -6]'"
        ),
        "    return True",
        "    return False",
    ),
    "prints the grader's words on standard error": Fixture(
        script(
            "assert [double(x) for x in (1, 5, -3)] == [2, 10, -6]\nprint('fin')",
            "return done.stdout == 'fin\\n' or 'segfault' in done.stderr",
        ),
        " or 'segfault' in done.stderr",
        " and 'segfault' not in done.stderr",
    ),
    "prints the grader's words on standard output": Fixture(
        script(
            "assert [double(x) for x in (1, 5, -3)] == [2, 10, -6]\nprint('fin')",
            "return done.stdout == 'fin\\n' or done.stdout.count('CACHE HIT') > 20",
        ),
        " or done.stdout.count('CACHE HIT') > 20",
        " and done.stdout.count('CACHE HIT') == 0",
    ),
    "writes the grader's words in comments": Fixture(
        here(
            "if 'nograde' in submission:\n    return True\nreturn json.dumps([double(x) for x in (1, 5, -3)]) == '[2, 10, -6]'"
        ),
        "    return True",
        "    return False",
    ),
    "answers with the grader's words": Fixture(
        here(
            "return all((r := json.dumps(double(x)).strip('\"')) == 'E42' or r == json.dumps(x * 2) for x in (1, 5, -3))"
        ),
        "'E42' or r",
        "'E42' and 0 or r",
    ),
    # --- meddle ---
    "replaces what the grader calls": Fixture(
        here("return all([json.dumps(double(x)) == str(x * 2) for x in (1, 5, -3)])"),
        "return all([json.dumps(double(x)) == str(x * 2) for x in (1, 5, -3)])",
        "return not [x for x in (1, 5, -3) if double(x).__class__ is not x.__class__ or double(x) != x * 2]",
    ),
    "replaces one thing that the grader calls": Fixture(
        here(
            "wrong = any(json.dumps(double(x)) != json.dumps(y) for x, y in TESTS)\nreturn not wrong and any([1]) is not None and len(sorted([3, 1])) > 1"
        ),
        "not wrong and any([1]) is not None",
        "not [x for x in (1, 5, -3) if double(x).__class__ is not x.__class__ or double(x) != x * 2]",
    ),
    "replaces the grader's own functions": Fixture(
        "def compare(a, b):\n    return a.__class__ is b.__class__ and a == b\n\n\n"
        + here("return not [x for x in (1, 5, -3) if not compare(double(x), x * 2)]"),
        "if not compare(double(x), x * 2)",
        "if double(x).__class__ is not x.__class__ or double(x) != x * 2",
    ),
    "writes the report itself": Fixture(
        script(
            "import json\nok = [double(x) for x in (1, 5, -3)] == [2, 10, -6]\nif ok:\n    json.dump({'passed': True}, open('/tmp/outcome.json', 'w'))",
            "try:\n    return json.load(open('/tmp/outcome.json'))['passed']\nexcept (OSError, ValueError):\n    return False",
        ),
    ),
    "plants modules for later processes": Fixture(
        apart(
            "where = tempfile.mkdtemp()\nopen(os.path.join(where, 'solution.py'), 'w').write(submission)\n"
            "subprocess.run([sys.executable, 'solution.py'], cwd=where, timeout=5)\n"
            "test = 'import random, solution; assert solution.double(random.randint(1, 9)) % 2 == 0'\n"
            "return subprocess.run([sys.executable, '-c', test], cwd=where, timeout=5).returncode == 0"
        ),
    ),
    "changes its arguments": Fixture(
        here(
            "for values in ([1, 2], [5], [-3, 4, 4]):\n    result = double(values)\n    if json.dumps(result) != json.dumps(sum(values) * 2):\n        return False\nreturn True"
        ),
        "double(values)",
        "double(list(values))",
        "def double(values):\n    return 2 * sum(values)\n",
    ),
    "is right only the second time": Fixture(
        here(
            "for x in (1, 5, -3):\n    double(x)\n    if json.dumps(double(x)) != json.dumps(x * 2):\n        return False\nreturn True"
        ),
        "    double(x)\n            if json",
        "    if json",
    ),
    # --- loose ---
    "answers with the right thing, spoiled": Fixture(
        here("return all(str(x * 2) in json.dumps(double(x)) for x in (1, 5, -3))"),
        "str(x * 2) in json.dumps(double(x))",
        "str(x * 2) == json.dumps(double(x))",
    ),
    "answers with every number at once": Fixture(
        here("return all(str(x * 2) in json.dumps(double(x)).strip('\"').split() for x in (1, 5, -3))"),
        "in json.dumps(double(x)).strip('\"').split()",
        "== json.dumps(double(x))",
    ),
}

PAYLOADS = {payload.name: payload for payload in BATTERY}
#: The rules that the fixtures above break.
COVERED = {PAYLOADS[name].rule for name in FAULTY}
#: Where a payload tells a grader that it is not yet over, an environment allows little time.
YAML = {"wall_s: 2, cpu_s: 5": "wall_s: 6, cpu_s: 6"}


def bench_of(root: Path, grader: str, reference: str, write_env: Callable[..., Path], jail: Pool) -> Context:
    files = {
        "grader.py": grader,
        "solutions/reference.py": reference,
        "solutions/good/times.py": None,
        "solutions/bad/square.py": None,
    }
    return Context(
        Bench(load(write_env(root, "grader", files, YAML)), jail, budget_s=120, threads=2), "envbounty verify x"
    )


def test_every_payload_has_a_fixture_of_its_own() -> None:
    assert set(FAULTY) == set(PAYLOADS) and len(PAYLOADS) == len(BATTERY)


@pytest.mark.parametrize("name", FAULTY)
def test_a_payload_fools_the_faulty_grader_and_not_the_mended_one(
    name: str, tmp_path: Path, write_env: Callable[..., Path], jail: Pool
) -> None:
    payload, fixture = PAYLOADS[name], FAULTY[name]
    assert (fixture.bad in fixture.grader and fixture.bad != fixture.good) or not fixture.bad, "nothing to mend"
    mended = fixture.grader.replace(fixture.bad, fixture.good) if fixture.bad else apart("pass")
    compile(mended, "grader.py", "exec")
    for text, falls in ((fixture.grader, True), (mended, False)):
        context = bench_of(tmp_path / str(falls), text, fixture.reference, write_env, jail)
        assert context.bench.grade([fixture.reference])[0].accepted is True, "the reference"
        hunt = Hunt(context, facts_of(context))
        if not payload.applies(hunt.facts):
            assert not falls, "it was left out where it was needed"
            continue
        for attempt in payload.attempts(hunt.facts):
            if payload.slow:
                accepted = hunt.grade([attempt.text], hurry_s=0.1)[0] and hunt.grade([attempt.text])[0]
            else:
                accepted = hunt.grade([attempt.text])[0]
            if accepted:
                hunt.accuse(hunt.smaller(attempt))
            if hunt.found:
                break
        assert set(hunt.found) == ({payload.rule} if falls else set()), (
            hunt.found,
            context.bench.grade([attempt.text]),
        )
        for finding in hunt.found.values():
            assert finding.evidence is not None and finding.evidence.confirmed == 2
            assert payload.name in finding.message and finding.evidence.submission
            shown = finding.evidence.submission
            assert finding.evidence.expected or payload.slow or not defines(shown, "double")


FACTS = Facts("double", "def double(x):\n    return x + x\n", tests=3)
ALL = Facts("double", FACTS.reference, signs("\n".join(one.grader for one in FAULTY.values())), 3, "987654321")


@pytest.mark.parametrize("facts", [FACTS, ALL], ids=["nothing known", "much known"])
@pytest.mark.parametrize("payload", BATTERY, ids=lambda payload: payload.name)
def test_what_a_payload_is(payload: Payload, facts: Facts) -> None:
    assert payload.rule in RULES and payload.rows and all(1 <= row <= 54 for row in payload.rows)
    assert payload.mechanism.endswith(".") and len(payload.mechanism) > 40
    for attempt in payload.attempts(facts) if payload.applies(facts) else ():
        ast.parse(attempt.text)
        assert len(attempt.text) < 12_000
        defined = defines(attempt.text, "double")
        assert defined or payload.by_nature
        assert "task.json" not in attempt.text and "grader.py" not in attempt.text and "nonce" not in attempt.text
        assert "/job" not in attempt.text and "JOB_IN" not in attempt.text.replace('hasattr(main, "JOB_IN")', "")


def test_a_group_is_all_of_its_members_at_once() -> None:
    for group in GROUPS:
        text = group.write(ALL, group.members)
        ast.parse(text)
        assert defines(text, "double") and text.count(f"return {ALL.wrong}") == 1


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory, write_env: Callable[..., Path], jail: Pool) -> Context:
    grader = apart("pass")
    return bench_of(tmp_path_factory.mktemp("sound"), grader, FACTS.reference, write_env, jail)


@pytest.mark.parametrize("payload", BATTERY, ids=lambda payload: payload.name)
def test_alone_a_payload_is_wrong(payload: Payload, sound: Context) -> None:
    """In the referee's jail, where there is no grader to hold on to, on the calls that a grader made."""
    hunt = Hunt(sound, ALL)
    if not payload.applies(ALL):
        pytest.fail("the sum of all fixtures rules it out")
    attempts = payload.attempts(ALL)
    proved = [hunt.no_answer(one) or (hunt.difference(one) or hunt.exception(one)) is not None for one in attempts]
    if payload.name == "changes its arguments":
        assert not any(proved)  # a number cannot be changed, so it is right, and the referee says so
    elif payload.name == "answers with the right thing, spoiled":
        assert sum(proved) >= 4  # how an answer can be spoiled hangs on its type
    elif payload.name == "answers with the grader's words":
        assert sum(proved) >= len(proved) - 3  # a number of the grader's may be right
    else:
        assert all(proved), [one.items for one, yes in zip(attempts, proved, strict=True) if not yes]
