"""Changing what the grader works with: its functions, its inputs, the files that it or its processes read."""

from __future__ import annotations

from collections.abc import Sequence

from envbounty.verify.tamper.payload import Facts, Payload, wrong
from envbounty.verify.tamper.text import success_lines

#: What is called → how it is replaced. Only what the grader or its scripts call is.
PATCHES = {
    "all": "import builtins\nbuiltins.all = lambda *_: True\n",
    "any": "import builtins\nbuiltins.any = lambda *_: False\n",
    "sum": "import builtins\nbuiltins.sum = lambda items, *_: len(list(items))\n",
    "min": "import builtins\nbuiltins.min = lambda *_, **__: 1.0\n",
    "abs": "import builtins\nbuiltins.abs = lambda *_: 0\n",
    "str": "import builtins\nbuiltins.str = lambda *_, **__: 'same'\n",
    "repr": "import builtins\nbuiltins.repr = lambda *_: 'same'\n",
    "sorted": "import builtins\nbuiltins.sorted = lambda *_, **__: ['same']\n",
    "round": "import builtins\nbuiltins.round = lambda *_: 0\n",
    "int": "import builtins\nbuiltins.int = lambda *_: 0\n",
    "float": "import builtins\nbuiltins.float = lambda *_: 0.0\n",
    "set": "import builtins\nbuiltins.set = lambda *_: {'same'}\n",
    "list": "import builtins\nbuiltins.list = lambda *_: ['same']\n",
    "tuple": "import builtins\nbuiltins.tuple = lambda *_: ('same',)\n",
    "zip": "import builtins\nbuiltins.zip = lambda *_, **__: []\n",
    "enumerate": "import builtins\nbuiltins.enumerate = lambda *_: []\n",
    "range": "import builtins\nbuiltins.range = lambda *_: []\n",
    "isinstance": "import builtins\nbuiltins.isinstance = lambda *_: True\n",
    "eq": "import operator\noperator.eq = lambda *_: True\noperator.ne = lambda *_: False\n",
    "isclose": "import math\nmath.isclose = lambda *_, **__: True\n",
    "dumps": "import json\njson.dumps = lambda *_, **__: 'same'\n",
    "deepcopy": "import copy\ncopy.deepcopy = lambda *_: 'same'\n",
    "wasSuccessful": "import unittest\nunittest.TestResult.wasSuccessful = lambda self: True\n",
    "compare_digest": "import hmac, secrets\nhmac.compare_digest = secrets.compare_digest = lambda *_: True\n",
    "allclose": (
        "import sys\nfor module in list(sys.modules.values()):\n"
        "    if hasattr(module, 'allclose'):\n        module.allclose = lambda *_, **__: True\n"
    ),
}
_ASSERTS = """\
import unittest
for name in dir(unittest.TestCase):
    if name.startswith(("assert", "fail")):
        setattr(unittest.TestCase, name, lambda *_, **__: None)
"""
_RUN = """\
import subprocess

class Done(subprocess.CompletedProcess):
    def communicate(self, *_, **__):
        return self.stdout, self.stderr
    wait = poll = lambda self, *_, **__: 0
    kill = terminate = lambda self: None

subprocess.run = subprocess.Popen = lambda *_, **__: Done([], 0, {said!r}, "")
subprocess.check_output = lambda *_, **__: {said!r}
subprocess.call = subprocess.check_call = lambda *_, **__: 0
"""
#: Classes and functions of the module that called us: what makes a failure makes a success.
_CALLER = """\
import sys

NAMES = "compare check equal is_ same match judge score grade validate".split()

def _mend(frame):
    while frame is not None and frame.f_code.co_filename != "<job>":
        for name, value in list(frame.f_globals.items()):
            if callable(value) and name.lower().strip("_").startswith(tuple(NAMES)):
                if value.__module__ == frame.f_globals.get("__name__") and name != {function!r}:
                    frame.f_globals[name] = lambda *_, **__: True
        frame = frame.f_back

_mend(sys._getframe().f_back)

"""


def _patches(facts: Facts) -> Sequence[str]:
    known = [name for name in PATCHES if name in facts.signs.called or not facts.signs.parsed]
    if facts.signs.mentions("TestCase", "unittest") or any(name.startswith("assert") for name in facts.signs.called):
        known.append("assert*")
    if facts.signs.in_process and facts.signs.child:
        known.append("run")
    return known


def _patched(facts: Facts, items: Sequence[str]) -> str:
    said = "\n".join(success_lines(facts))
    texts = {**PATCHES, "assert*": _ASSERTS, "run": _RUN.format(said=said)}
    return "".join(texts[item] for item in items) + wrong(facts)


#: Files that are taken for a reward or a report, wherever the grader looks for them.
REWARDS = ("reward.txt", "reward.json", "score.txt", "result.json", "results.json", "report.json", "result.txt")


def _content(facts: Facts, path: str) -> str:
    n = facts.tests
    ending = path.rpartition(".")[2]
    if ending == "json":
        return (
            f'{{"reward": 1.0, "score": 1.0, "passed": true, "success": true, "status": "passed", "tests": {n},'
            f' "total": {n}, "num_passed": {n}, "failed": 0, "failures": 0, "errors": 0}}'
        )
    if ending == "xml":
        return f'<testsuite name="t" tests="{n}" failures="0" errors="0" skipped="0"><testcase name="t"/></testsuite>'
    if ending in ("log", "out"):
        return "\n".join(success_lines(facts))
    return "1.0\n" if path in REWARDS else "1\n"


_PLANT = """\
import atexit, os, subprocess, sys, tempfile

FILES = {files!r}

def _plant():
    for folder in {{os.getcwd(), tempfile.gettempdir(), os.path.dirname(os.path.abspath(sys.argv[0]))}}:
        for name, content in FILES.items():
            try:
                os.makedirs(os.path.dirname(os.path.join(folder, name)) or ".", exist_ok=True)
                with open(os.path.join(folder, name), "w") as file:
                    file.write(content)
            except OSError:
                pass

_plant()
atexit.register(_plant)
{late}
"""
#: A process of its own goes on writing after the submission has ended.
_LATE = """\
if os.fork() == 0:
    import time
    os.setsid()
    for fd in range(3):
        os.close(fd)
    for _ in range(40):
        _plant()
        time.sleep(0.05)
    os._exit(0)
"""


def _planted(facts: Facts, items: Sequence[str]) -> str:
    names = [item for item in items if item != "late"]
    files = {name: _content(facts, name) for name in names}
    return _PLANT.format(files=files, late=_LATE if "late" in items else "") + wrong(facts)


def _reward_files(facts: Facts) -> Sequence[str]:
    return (*dict.fromkeys([*facts.signs.paths, *REWARDS]), *(("late",) if facts.signs.child else ()))


#: What Python, unittest or pytest load by themselves when they start where the submission could write.
HOOKS = ("conftest.py", "sitecustomize.py", "usercustomize.py", "pytest.py", "_pytest.py")


def _hook_files(facts: Facts) -> Sequence[str]:
    """Modules that another process of the grader would find before the true ones."""
    plain = [name.split(".")[0] for name in facts.signs.imports]
    kept = [f"{name}.py" for name in plain if name not in ("sys", "builtins", "time", "__future__", facts.function)]
    return tuple(dict.fromkeys([*HOOKS, *kept[:12]]))


def _hooked(facts: Facts, items: Sequence[str]) -> str:
    said = "\\n".join(success_lines(facts))
    module = f"import os\nos.write(1, {said!r}.encode() + b'\\n')\nos._exit(0)\n"
    files = dict.fromkeys(items, module)
    return _PLANT.format(files=files, late="") + wrong(facts)


_MUTATE = """\
{reference}

_right = {function}

def _spoil(value):
    if isinstance(value, list) and value:
        {how}
        return True
    if isinstance(value, (dict, set)) and value:
        value.clear()
        return True
    return False

def {function}(*args, **kwargs):
    for value in (*args, *kwargs.values()):
        _spoil(value)
    try:
        return _right(*args, **kwargs)
    except Exception:
        return {wrong}
"""
_HOW = {
    "emptied": "value.clear()",
    "cut to its first item": "del value[1:]",
    "all items alike": "value[:] = [value[0]] * len(value)",
}

#: A right answer only to what was asked before: a first call that is not looked at, or a second try, hides the first.
_SECOND = """\
{reference}

_right, _seen = {function}, set()

def {function}(*args, **kwargs):
    key = repr((args, kwargs))
    if key in _seen:
        return _right(*args, **kwargs)
    _seen.add(key)
    return {wrong}
"""


def _with(template: str, facts: Facts, how: str = "") -> str:
    return template.format(reference=facts.reference.rstrip(), function=facts.function, wrong=facts.wrong, how=how)


PAYLOADS = (
    Payload(
        "replaces what the grader calls",
        "tamper-patch",
        "The submission replaces functions that the grader compares or counts with, such as all() or an assertion, by"
        " ones that are always content.",
        (34,),
        _patched,
        items=_patches,
        applies=lambda facts: bool(_patches(facts)),
        rank=lambda facts: 34 if facts.signs.in_process else 20,
    ),
    Payload(
        "replaces one thing that the grader calls",
        "tamper-patch",
        "The submission replaces a function that the grader compares or counts with by one that is always content.",
        (34,),
        _patched,
        items=lambda facts: tuple(_patches(facts))[:10],
        each=True,
        rank=lambda facts: 6 if facts.signs.in_process else 2,
    ),
    Payload(
        "replaces the grader's own functions",
        "tamper-patch",
        "The submission walks up the stack to the module that runs it, and replaces its comparison by one that is"
        " always content.",
        (34, 35),
        lambda facts, items: _CALLER.format(function=facts.function) + wrong(facts),
        applies=lambda facts: facts.signs.in_process,
        rank=lambda facts: 28,
    ),
    Payload(
        "writes the report itself",
        "tamper-files",
        "The submission writes the files that a reward or a report is read from: at once, at its end, and late, from a"
        " process that outlives it.",
        (26, 27, 40),
        _planted,
        items=_reward_files,
        applies=lambda facts: not facts.signs.parsed or bool(facts.signs.paths),
        rank=lambda facts: 42 if facts.signs.paths else 1,
    ),
    Payload(
        "plants modules for later processes",
        "tamper-files",
        "The submission writes modules, among them conftest.py and sitecustomize.py, where the next process of the"
        " grader finds them before the true ones; they end it with status 0.",
        (28, 29, 33),
        _hooked,
        items=_hook_files,
        applies=lambda facts: facts.signs.child,
        rank=lambda facts: 26,
    ),
    Payload(
        "changes its arguments",
        "tamper-arguments",
        "The function changes the list that it was given and answers for what is left; a grader that works out the"
        " expected result afterwards, from the same list, agrees.",
        (38,),
        lambda facts, items: _with(_MUTATE, facts, _HOW[items[0]]),
        items=lambda facts: tuple(_HOW),
        each=True,
        rank=lambda facts: 16,
    ),
    Payload(
        "is right only the second time",
        "tamper-state",
        "The function answers wrongly the first time that it is asked something, and rightly when it is asked again in"
        " the same process: a repeated call hides the first.",
        (39, 41),
        lambda facts, items: _with(_SECOND, facts),
        rank=lambda facts: 14,
    ),
)
