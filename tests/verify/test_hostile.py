"""Code that fights back. Each ends with a finding or an error that says what to do, and its neighbours never notice."""

# ruff: noqa: E501  (tables of other people's code)

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from envbounty.environment import Language, Solution, load
from envbounty.findings import Report, Severity, Verdict
from envbounty.sandbox.pool import Pool
from envbounty.verify import runner
from envbounty.verify.bench import Bench, Instance

Make = Callable[..., Path]


def environment(check: str = "", *, top: str = "", generate: str = "", more: str = "") -> dict[str, str | None]:
    return {
        "environment.py": f"""\
{top}
def generate(rng, difficulty):
    values = [rng.randint(100, 999) for _ in range(8)]
    {generate or "pass"}
    return {{"values": values}}

def check(instance, output):
    right = sum(instance["values"])
    {check or "pass"}
    return 1.0 if type(output) is int and output == right else 0.0

{more}
"""
    }


QUICK = {"check_s: 1": "check_s: 0.3"}
TOO_SLOW = {"reference-rejected", "verifier-too-slow"}
ENDS = {"reference-rejected", "verifier-ends-process"}
RAISES = {"reference-rejected", "verifier-raises"}
INVALID = {"reference-rejected", "score-invalid"}
UNLOADED = {"import-fails"}
ANY: set[str] = set()  # it harms itself in one way or another

JUNK = r'b"{\"i\": 0, \"value\": 1.0}\n{\"i\": 5}\n[1]\nnonsense\n{\"import\": \"fault\"}\n{\"i\": {}}\n" * 50'
CLOSE = "for fd in range(3, 64):\n        try: os.close(fd)\n        except OSError: pass"
WRITE = f"for fd in range(1, 64):\n        try: os.write(fd, {JUNK})\n        except OSError: pass"

#: name → (files, changes of env.yaml, the rules that are found; ANY: whatever it is, it is no crash of ours)
HOSTILE: dict[str, tuple[dict[str, str | None], dict[str, str], set[str]]] = {
    # it never returns
    "loops": (environment("while True: pass"), QUICK, TOO_SLOW),
    "sleeps": (environment("import time; time.sleep(1000)"), QUICK, TOO_SLOW),
    "computes a number that is too large": (environment("10**10**8"), QUICK, TOO_SLOW),
    "ignores the alarm": (
        environment("while True: time.sleep(9)", top="import signal, time\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)"), QUICK, TOO_SLOW,
    ),
    "turns the alarm off": (
        environment("signal.setitimer(signal.ITIMER_REAL, 0)\n    time.sleep(1000)", top="import signal, time"), QUICK, TOO_SLOW,
    ),
    "blocks the alarm": (
        environment("time.sleep(1000)", top="import signal, time\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64))"),
        QUICK, TOO_SLOW,
    ),
    "loads for ever": (environment(top="while True: pass"), QUICK, UNLOADED),
    "generates for ever": (environment(generate="while True: pass"), QUICK, {"generator-fails"}),
    "its equivalence is never done": (
        environment(more="def equivalent(instance, a, b):\n    while True: pass"),
        {**QUICK, "compare: exact": "compare: custom"}, {"equivalent-fails"},
    ),
    "its oracle is never done": (
        environment(more="def reference(instance):\n    while True: pass"), QUICK, {"reference-fails"},
    ),
    "a thread that stays": (
        environment(top="import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()"), QUICK, set(),
    ),
    # it ends the process
    "exits": (environment("raise SystemExit(0)"), {}, ENDS),
    "exits at once": (environment("os._exit(0)", top="import os"), {}, ENDS),
    "exits with a status": (environment("os._exit(3)", top="import os"), {}, ENDS),
    "kills itself": (environment("os.kill(os.getpid(), 9)", top="import os"), {}, ENDS),
    "kills everything": (environment("os.kill(-1, 9)", top="import os"), {}, RAISES),  # and nobody is there
    "aborts": (environment("os.abort()", top="import os"), {}, ENDS),
    "exits while it loads": (environment(top="raise SystemExit(0)"), {}, UNLOADED),
    "exits at once while it loads": (environment(top="import os\nos._exit(0)"), {}, UNLOADED),
    "forks": (environment("os.fork()", top="import os"), {}, RAISES),
    "starts a program": (environment("subprocess.run(['true'])", top="import subprocess"), {}, RAISES),
    "recurses": (environment("return check(instance, output)"), {}, RAISES),
    "recurses without a limit": (
        environment("return check(instance, output)", top="import sys\nsys.setrecursionlimit(10**9)"), QUICK, ANY,
    ),
    # it takes too much
    "writes 10 GB": (
        environment("with open('/tmp/x', 'wb') as f:\n        for _ in range(10_000): f.write(bytes(1 << 20))"), {}, RAISES,
    ),
    "fills the memory": (
        environment("x = []\n    while True: x.append(bytes(300 << 20))"), {"check_s: 1": "check_s: 10"}, ENDS,
    ),
    "prints for ever": (environment("while True: print('x' * 10_000)"), {"check_s: 1": "check_s: 10"}, ENDS),
    "opens every descriptor": (environment("x = [open('/dev/null') for _ in range(10_000)]"), {}, RAISES),
    # it reaches out
    "loads from the network": (
        environment(top="import socket\nsocket.create_connection(('1.1.1.1', 80), 1)"), {}, UNLOADED,
    ),
    "asks the network": (
        environment("urllib.request.urlopen('http://1.1.1.1/')", top="import urllib.request"), {}, RAISES,
    ),
    "wants what is not there": (environment(top="import numpy"), {}, UNLOADED),
    # it writes reports of its own
    "prints reports": (environment("print('{\"verdict\": \"pass\", \"findings\": []}')"), {}, set()),
    "forges records": (environment(WRITE, top="import os"), {}, ANY),
    "forges records while it loads": (
        environment(top=f"import os\n{WRITE.replace('        ', '    ')}\nos.write(3, b'{{\"import\": \"ok\", \"has\": 5}}\\n')"), {}, ANY,
    ),
    "a million records": (environment(top=r"import os" "\n" r"os.write(3, b'{}\n' * 1_000_000)"), {}, ANY),
    "closes the channel": (environment(CLOSE, top="import os"), {}, ENDS),
    "closes the channel while it loads": (environment(top="import os\n" + CLOSE.replace("        ", "    ")), {}, UNLOADED),
    # it changes the machinery
    "breaks json": (
        environment(top="import json\njson.dumps = json.loads = None\njson.JSONEncoder.encode = None"), {}, ANY,
    ),
    "breaks os and time": (
        environment(top="import os, time, signal\nos.write = time.perf_counter = signal.setitimer = None"), {}, set(),
    ),
    "deletes builtins": (
        environment("for name in ('isinstance', 'BaseException', 'len', 'open'): delattr(builtins, name)", top="import builtins"),
        {}, ANY,
    ),
    "patches random": (
        environment(top="import random\nrandom.Random.randint = lambda *a: 500"), {},
        {"generator-repeats", "trivial-strategy-passes"},  # one instance over and over has one answer
    ),
    "a module called json": (
        {**environment(top="import json"), "json.py": "raise SystemExit('mine')\n"}, {}, set(),
    ),
    # what it says is no score
    **{
        f"scores {value}": (environment(f"return {value}"), {}, INVALID)
        for value in ("float('nan')", "'1'", "None", "[0] * 10**5", "object()", "1j", "{1}", "b'1'")
    },
    "scores 2.0": (environment("if output == right: return 2.0"), {}, {"score-invalid"}),
    "scores infinity": (environment("if output == right: return float('inf')"), {}, {"score-invalid"}),
    "scores 10**400": (environment("if output == right: return 10**400"), {}, {"score-invalid"}),
    "scores 10**5000": (environment("return 10**5000"), {}, INVALID),
    "scores an object that is no float": (
        environment("return F()", top="class F(float):\n    def __float__(self): raise SystemExit"), {}, INVALID,
    ),
    "scores a list without an end": (
        environment("return L([1])", top="class L(list):\n    def __iter__(self):\n        while True: yield 1"), QUICK, ANY,
    ),
    "scores itself": (environment("x = []; x.append(x); return x"), {}, INVALID),
    "an error that cannot be shown": (
        environment("raise E", top="class E(Exception):\n    def __str__(self): raise SystemExit"), {}, RAISES,
    ),
    # it is not even Python
    "no Python": ({"environment.py": "def generate(rng:\n"}, {}, UNLOADED),
    "NUL bytes": (environment(top="x = '\0'"), {}, {*UNLOADED, "binary-file"}),
    "one long line": (environment(top="x = '" + "x" * 1_000_000 + "'"), {}, set()),
    "deep brackets": (environment(top="x = " + "(" * 100_000 + ")" * 100_000), {}, UNLOADED),
    "deep signs": (environment(top="x = " + "-" * 100_000 + "1"), {}, UNLOADED),
    "deep attributes": (environment(top="x = y" + ".y" * 100_000), {}, UNLOADED),
    "control characters in an error": (environment(top="raise ValueError('\\x1b[31m\\r\\x00 \\ud800')"), {}, UNLOADED),
}  # fmt: skip

GRADERS: dict[str, tuple[str, Verdict]] = {
    "loops": ("while True: pass", Verdict.FAIL),
    "exits": ("raise SystemExit(0)", Verdict.FAIL),
    "exits at once": ("import os; os._exit(0)", Verdict.FAIL),
    "recurses": ("return verify(submission)", Verdict.FAIL),
    "scores NaN": ("return float('nan')", Verdict.FAIL),
    "scores 10**400": ("return 10**400", Verdict.FAIL),
    "says nothing": ("return None", Verdict.FAIL),
    "an object of no kind": ("return object()", Verdict.FAIL),
    "an object that cannot be shown": (
        "class R:\n        passed = True\n        def __repr__(self): raise SystemExit\n    return R()", Verdict.FAIL,
    ),
    "wants what is not there": ("import numpy", Verdict.ERROR),
    "leaves processes behind": (
        "import subprocess, sys\n"
        "    code = 'import os, time\\nif os.fork() == 0:\\n    os.setsid(); time.sleep(86399)\\ntime.sleep(86399)'\n"
        "    for _ in range(3): subprocess.Popen([sys.executable, '-c', code], start_new_session=True)\n"
        "    return False", Verdict.FAIL,
    ),
    "forks for ever": ("import os\n    while True: os.fork()", Verdict.FAIL),
}  # fmt: skip

TABLE: dict[str, tuple[str, Any, dict[str, str]]] = {
    **{name: ("function", files, yaml) for name, (files, yaml, _) in HOSTILE.items()},
    **{
        f"grader: {name}": (
            "grader",
            {"grader.py": f"def verify(submission):\n    {body}\n"},
            {"wall_s: 2": "wall_s: 1"},
        )
        for name, (body, _) in GRADERS.items()
    },
}


@pytest.fixture(scope="module", autouse=True)
def short_waits() -> Iterator[None]:
    """Code that switches its clock off is ended by the jail's: soon, here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "IMPORT_S", 1.5)
        patch.setattr(runner, "ROUND_S", 0.2)
        patch.setattr(runner, "TIMEOUTS", 2)
        yield


@pytest.fixture(scope="module")
def batch(request: pytest.FixtureRequest, examine_selected: Callable[..., Any]) -> Any:
    return examine_selected(request, TABLE, jobs=4)  # most of them only wait


@pytest.mark.parametrize("case", TABLE)
def test_it_ends_with_words_that_help(case: str, batch: Any) -> None:
    result = batch[case]
    errors = {finding.rule for finding in result.findings if finding.severity is Severity.ERROR}
    rules = {finding.rule for finding in result.findings}
    if case.startswith("grader: "):
        assert result.verdict is GRADERS[case.removeprefix("grader: ")][1], result
    else:
        wanted = HOSTILE[case][2]
        if wanted is ANY:
            assert result.verdict in (Verdict.PASS, Verdict.FAIL), result
        elif wanted:
            assert wanted <= rules and errors <= wanted and result.verdict is Verdict.FAIL, result
        else:
            assert not errors and result.verdict is Verdict.PASS, result
    for finding in result.findings:
        assert finding.fix and len(finding.message) < 1100
        if finding.evidence is not None:
            assert finding.evidence.reproduce and len(json.dumps(finding.evidence.model_dump())) < 20_000
    assert result.verdict is not Verdict.ERROR or "numpy" in result.reason


def test_what_was_said_is_a_report(batch: Any) -> None:
    assert Report.from_json(batch.report.to_json()).verdict is batch.report.verdict


def test_the_machine_is_clean(batch: Any) -> None:
    """Of all that ran, the warm servers alone are left, each right below its bwrap, and none of them has a job."""
    assert batch.results
    all_words, parents = processes()
    assert not any("86399" in words for words in all_words.values())
    for pid in parents:
        if os.getpid() in ancestors(pid, parents) and "bwrap" not in all_words[pid]:
            assert "bwrap" in all_words[parents[pid]], all_words[pid][-200:]


def processes() -> tuple[dict[int, str], dict[int, int]]:
    """Every process's command line, and its parent."""
    words, parents = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue  # it has just ended
            words[int(entry.name)], parents[int(entry.name)] = line, parent
    return words, parents


def ancestors(pid: int, parents: dict[int, int]) -> set[int]:
    found: set[int] = set()
    while pid in parents and pid not in found:
        pid = parents[pid]
        found.add(pid)
    return found


# --- submissions -----------------------------------------------------------------------------------------------------

REJECTED = "raise exit died timeout memory output not-json"
FUNCTIONS: dict[str, tuple[str, Any]] = {
    "right": ("def total(v): return sum(v)", 6),
    "a tuple is a list": ("def total(v): return (1, (2,))", [1, [2]]),
    "equal to everything": ("class E(int):\n    def __eq__(self, o): return True\n    __hash__ = None\ndef total(v): return E(7)", 7),
    "a list equal to everything": (
        "class E(list):\n    def __eq__(self, o): return True\n    __ne__ = __eq__\ndef total(v): return E([7])", [7],
    ),
    "a dict equal to everything": ("class E(dict):\n    def __eq__(self, o): return True\ndef total(v): return E(a=7)", {"a": 7}),
    "text equal to everything": ("class E(str):\n    def __eq__(self, o): return True\ndef total(v): return E('7')", "7"),
    "changes its input": ("def total(v):\n    v.clear()\n    return 0", 0),
    "a generator": ("def total(v):\n    yield 1", "not-json"),
    "a lambda": ("def total(v): return lambda: 1", "not-json"),
    "a class": ("class total:\n    def __init__(self, v): pass", "not-json"),
    "a set": ("def total(v): return {1}", "not-json"),
    "bytes": ("def total(v): return b'6'", "not-json"),
    "a cycle": ("def total(v):\n    x = []\n    x.append(x)\n    return x", "not-json"),
    "a number too long": ("def total(v): return 10**5000", "not-json"),
    "keys that are no text": ("def total(v): return {1: 2}", "not-json"),
    "deep": ("def total(v):\n    x = 0\n    for _ in range(300): x = [x]\n    return x", "not-json"),
    "deeper": ("def total(v):\n    x = 0\n    for _ in range(10**5): x = [x]\n    return x", "not-json"),
    "a list without an end": (
        "class L(list):\n    def __iter__(self):\n        while True: yield 1\ndef total(v): return L()", "timeout memory",
    ),
    "half a surrogate pair": ("def total(v): return '\\ud800'", "\ud800"),
    "raises": ("def total(v): raise ValueError", "raise"),
    "raises what is no error": ("def total(v): raise KeyboardInterrupt", "raise"),
    "exits": ("def total(v): raise SystemExit(0)", "exit"),
    "exits at once": ("import os\ndef total(v): os._exit(0)", "exit"),
    "exits while it loads": ("import os\nos._exit(0)", "raise"),
    "loops": ("def total(v):\n    while True: pass", "timeout"),
    "loops while it loads": ("while True: pass", "raise"),
    "ignores the alarm": ("import signal\nsignal.signal(14, signal.SIG_IGN)\ndef total(v):\n    while True: pass", "timeout"),
    "fills the memory": ("def total(v): return [bytearray(10**8) for _ in range(100)]", "memory timeout"),
    "returns too much": ("def total(v): return 'x' * 10**7", "output"),
    "prints too much": ("def total(v):\n    while True: print('x' * 1000)", "output"),
    "crashes": ("import ctypes\ndef total(v): ctypes.string_at(0)", "died"),
    "another name": ("def totel(v): return sum(v)", "raise"),
    "no function": ("total = 6", "raise"),
    "no Python": ("def total(v:", "raise"),
    "half a surrogate pair in the text": ("x = '\ud800'\ndef total(v): return 1", "raise"),
    "wants more": ("def total(v, w): return sum(v)", "raise"),
}  # fmt: skip


@pytest.fixture(scope="module")
def benches(
    tmp_path_factory: pytest.TempPathFactory, jail: Pool, write_env: Callable[..., Path]
) -> Callable[[str], Bench]:
    @cache
    def bench(kind: str) -> Bench:
        place = write_env(tmp_path_factory.mktemp(kind), kind, None, {"wall_s: 2": "wall_s: 0.5"})
        return Bench(load(place), jail, budget_s=600)

    return bench


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function(name: str, benches: Callable[[str], Bench]) -> None:
    text, wanted = FUNCTIONS[name]
    replies = benches("function").call(text, [([[1, 2, 3]], {}), ([[1, 2, 3]], {})])
    assert len(replies) == 2
    reply = replies[0]
    if isinstance(wanted, str) and set(wanted.split()) & set(REJECTED.split()):
        assert reply.fault is not None and reply.fault.kind in wanted.split(), reply
        assert replies[1].fault is not None and str(replies[1].fault)
    else:
        assert reply.fault is None and reply.value == wanted and type(reply.value) is type(wanted)


C = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {{ {} }}\n"
PROGRAMS: dict[str, tuple[Language, str, str]] = {
    "right": (Language.PYTHON, "print(sum(map(int, input().split())))", "=6\n"),
    "right, in C": (Language.C, C.format('printf("6\\n"); return 0;'), "=6\n"),
    "reads nothing": (Language.PYTHON, "print(6)", "=6\n"),
    "says nothing": (Language.PYTHON, "pass", "="),
    "prints for ever": (Language.PYTHON, "while True: print(6)", "output"),
    "no UTF-8": (Language.PYTHON, "import sys; sys.stdout.buffer.write(b'\\xff')", "output"),
    "the right answer and status 1": (Language.PYTHON, "import sys; print(6); sys.exit(1)", "exit"),
    "raises": (Language.PYTHON, "print(6); 1/0", "exit"),
    "no Python": (Language.PYTHON, "print(6", "exit"),
    "loops": (Language.PYTHON, "while True: pass", "timeout"),
    "does not compile": (Language.C, "int main( {", "raise"),
    "says that there is no compiler": (Language.C, '#error cannot execute gcc: not found\n', "raise"),
    "crashes": (Language.C, C.format("*(volatile int *)0 = 1; return 0;"), "died"),
    "status 1, in C": (Language.C, C.format('printf("6\\n"); return 1;'), "exit"),
    "loops, in C": (Language.C, C.format("volatile int x = 0; for (;;) x++;"), "timeout"),
    "fills the memory": (Language.C, C.format("for (;;) { char *p = malloc(1 << 20); if (!p) return 9; *p = 1; }").replace("{ char", "{{ char").replace("{{", "{").replace("}}", "}"), "exit memory died"),
    "another compiler's": (Language.C, "#include <vector>\nint main() { return 0; }\n", "raise"),
    "needs the network": (Language.PYTHON, "import socket; socket.create_connection(('1.1.1.1', 80), 1)", "exit"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program(name: str, benches: Callable[[str], Bench]) -> None:
    language, text, wanted = PROGRAMS[name]
    stdin = "1 2 3\n" if "right" in name else "1 2 3 " + "4 " * 2_000_000
    instances = [Instance(0, 1, {"stdin": stdin}), Instance(1, 1, {"stdin": stdin})]
    first, second = benches("program").solve(Solution("x", language, text), instances)
    if wanted.startswith("="):
        assert (first.value, first.fault) == (wanted[1:], None) == (second.value, second.fault)
    else:
        assert first.fault is not None and first.fault.kind in wanted.split(), first
        assert second.fault is not None and (second.fault == first.fault or second.fault.kind == "not-run")


STRATEGIES = {
    "right": ("answer", "def solve(i): return 'x'", "=x"),
    "a number": ("answer", "def solve(i): return 5", "not-json"),
    "nothing": ("answer", "def solve(i): pass", "not-json"),
    "a list, for text": ("answer", "def solve(i): return ['x']", "not-json"),
    "text, for a list": ("actions", "def solve(i): return 'up'", "not-json"),
    "raises": ("answer", "def solve(i): return i['zzz']", "raise"),
    "no solve": ("answer", "def sovle(i): return 'x'", "raise"),
    "exits": ("answer", "import os\ndef solve(i): os._exit(0)", "exit"),
    "loops": ("answer", "def solve(i):\n    while True: pass", "timeout"),
    "breaks the environment": (
        "answer",
        "import environment\nenvironment.check = lambda *a: 1.0\ndef solve(i): return 'x'",
        "=x",
    ),
}


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_strategy(name: str, benches: Callable[[str], Bench]) -> None:
    kind, text, wanted = STRATEGIES[name]
    instances = [Instance(number, 1, {"a": 1, "b": 2}) for number in range(5)]
    replies = benches(kind).solve(Solution("x", Language.PYTHON, text), instances)
    assert len(replies) == 5
    if wanted.startswith("="):
        assert all(reply.fault is None and reply.value == wanted[1:] for reply in replies)
    else:
        assert replies[0].fault is not None and replies[0].fault.kind == wanted
        assert {reply.fault.kind for reply in replies if reply.fault} <= {wanted, "not-run"}
