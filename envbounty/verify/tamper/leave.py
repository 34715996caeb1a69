"""Not answering: leaving early, skipping, raising, never coming back."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from envbounty.verify.tamper.payload import Facts, Payload, stub, wrong

_EXITS = {
    "sys.exit": "import sys\nsys.exit(0)\n",
    "os._exit": "import os\nos._exit(0)\n",
    "fork": "import os\nif os.fork():\n    os._exit(0)\nos.setsid()\n",
    "thread": "import os, threading\nthreading.Thread(target=os._exit, args=(0,)).start()\nthreading.Event().wait()\n",
    "exec": "import os, sys\nos.execv(sys.executable, [sys.executable, '-c', ''])\n",
}
_IN_CALL = {
    "sys.exit": ("import sys", "sys.exit(0)"),
    "os._exit": ("import os", "os._exit(0)"),
}
_AT_END = """\
import atexit, os, sys

def _leave(*_):
    sys.stdout.flush()
    os._exit(0)

atexit.register(_leave)
sys.exit = exit = quit = _leave

"""

#: Kinds of exceptions that graders are known to forgive, tried where nothing is known of what is caught.
USUAL = ("AssertionError", "TimeoutError", "MemoryError", "RecursionError", "NotImplementedError", "KeyboardInterrupt")
_MODULES = {
    "SkipTest": "unittest", "TimeoutExpired": "subprocess", "CalledProcessError": "subprocess",
    "JSONDecodeError": "json", "TimeoutException": "selenium", "InvalidOperation": "decimal",
}  # fmt: skip
_ARGUMENTS = {
    "TimeoutExpired": "'submission', 1", "CalledProcessError": "0, 'submission'", "JSONDecodeError": "'no', '', 0",
    "UnicodeDecodeError": "'utf-8', b'', 0, 1, 'no'", "SystemExit": "0",
}  # fmt: skip
_BUILTIN = set(vars(builtins))


def _kinds(facts: Facts) -> Sequence[str]:
    """Exceptions to raise: first those that the grader names, then usual ones, then one that is all of them."""
    named = [name for name in facts.signs.handlers if name in _BUILTIN or name in _MODULES]
    named = [name for name in named if name not in ("Exception", "BaseException", "SkipTest", "TimeoutException")]
    many = ("+".join(USUAL),) if not facts.signs.parsed or len(facts.signs.handlers) > 0 else ()
    return tuple(dict.fromkeys([*named[:8], *(() if named else USUAL[:2]), *many, "Exception"]))


def _raising(kind: str) -> tuple[str, str]:
    """(what comes before, the statement) to raise an exception; `A+B` is one that is both."""
    if "+" in kind:
        bases = ", ".join(name for name in kind.split("+"))
        return f"class Both({bases}):\n    pass\n", "raise Both('the submission gives up')"
    module = _MODULES.get(kind)
    name = f"{module}.{kind}" if module else kind
    given = _ARGUMENTS.get(kind, "'the submission gives up'")
    return (f"import {module}\n" if module else ""), f"raise {name}({given})"


def _raise_in_call(facts: Facts, items: Sequence[str]) -> str:
    before, statement = _raising(items[0])
    return before + stub(facts.function, statement)


def _raise_at_import(facts: Facts, items: Sequence[str]) -> str:
    before, statement = _raising(items[0])
    return f"{before}{statement}\n"


_SKIP = """\
import sys, unittest
Skipped = getattr(getattr(sys.modules.get("pytest"), "skip", None), "Exception", unittest.SkipTest)
"""


def _slow(facts: Facts, items: Sequence[str]) -> str:
    """Sleeps a little longer than the time that the grader asks about, then answers wrongly."""
    wait = float(items[0])
    return f"import time\ntime.sleep({wait:g})\n" + stub(facts.function, f"time.sleep({wait:g})", "return None")


_BUSY = {
    "sleep in the call": ("import time\n", "time.sleep(10 ** 6)"),
    "endless loop in the call": ("", "while True: pass"),
}
_HEAVY = {
    "recursion without end": ("{function}(*args, **kwargs)", "raise RecursionError"),
    "more memory than there is": ("held = [0] * 10 ** 12", "raise MemoryError"),
    "a great deal of output": ("print('x' * 2_000_000)", "raise MemoryError"),
}


def _heavy(facts: Facts, items: Sequence[str]) -> str:
    return stub(facts.function, *(line.format(function=facts.function) for line in _HEAVY[items[0]]))


def _busy(facts: Facts, items: Sequence[str]) -> str:
    if items[0] == "sleep at import":
        return "import time\ntime.sleep(10 ** 6)\n"
    before, statement = _BUSY[items[0]]
    return before + stub(facts.function, statement)


PAYLOADS = (
    Payload(
        "leaves while it is loaded",
        "tamper-exit",
        "The submission ends the process with status 0 before any test ran; a grader that reads the status takes it for"
        " a pass.",
        (8,),
        lambda facts, items: _EXITS[items[0]],
        items=lambda facts: tuple(_EXITS),
        each=True,
        applies=lambda facts: facts.signs.child or facts.signs.mentions("SystemExit", "BaseException"),
        rank=lambda facts: 70 if facts.signs.returncode else 15,
        by_nature=True,
    ),
    Payload(
        "leaves when it is called",
        "tamper-exit",
        "The function ends the process with status 0 instead of answering; a status of 0 is taken for a pass, or"
        " SystemExit for no error.",
        (8,),
        lambda facts, items: _IN_CALL[items[0]][0] + "\n" + stub(facts.function, _IN_CALL[items[0]][1]),
        items=lambda facts: tuple(_IN_CALL),
        each=True,
        rank=lambda facts: 55 if facts.signs.returncode or facts.signs.mentions("SystemExit") else 12,
        applies=lambda facts: facts.signs.child or facts.signs.mentions("SystemExit", "BaseException"),
    ),
    Payload(
        "leaves at the end with status 0",
        "tamper-exit",
        "The function answers wrongly, and what runs at the end of the process changes its status to 0 all the same.",
        (8,),
        lambda facts, items: _AT_END + wrong(facts),
        applies=lambda facts: facts.signs.child,
        rank=lambda facts: 54 if facts.signs.returncode else 10,
    ),
    Payload(
        "skips the test",
        "tamper-skip",
        "The function says that its test is to be skipped; whoever counts failures only counts none.",
        (9,),
        lambda facts, items: _SKIP + stub(facts.function, "raise Skipped('not today')"),
        applies=lambda facts: facts.signs.mentions("SkipTest", "unittest", "pytest", "Skipped", "skip", "Exception"),
        rank=lambda facts: 90 if facts.signs.mentions("SkipTest", "Skipped") else 25,
    ),
    Payload(
        "skips all tests",
        "tamper-skip",
        "The submission says while it is loaded that everything is to be skipped: the run ends without a failure.",
        (9,),
        lambda facts, items: _SKIP + "raise Skipped('not today')\n",
        applies=lambda facts: facts.signs.mentions("SkipTest", "unittest", "pytest", "Skipped", "skip", "Exception"),
        rank=lambda facts: 80 if facts.signs.mentions("SkipTest", "Skipped") else 22,
        by_nature=True,
    ),
    Payload(
        "raises when it is called",
        "tamper-exception",
        "The function raises what the grader catches, and a test that could not be judged counts as one that passed.",
        (7,),
        _raise_in_call,
        items=_kinds,
        each=True,
        rank=lambda facts: 35,
    ),
    Payload(
        "raises while it is loaded",
        "tamper-exception",
        "The submission raises before it defines anything, and the grader takes what it could not run for a pass.",
        (7,),
        _raise_at_import,
        items=lambda facts: tuple(_kinds(facts))[:4],
        each=True,
        rank=lambda facts: 30,
        by_nature=True,
    ),
    Payload(
        "takes its time",
        "tamper-exhaustion",
        "The function waits longer than the time that the grader measures and asks about, then answers wrongly.",
        (54, 42),
        _slow,
        items=lambda facts: [f"{1.2 * limit:g}" for limit in facts.signs.slow if 0 < limit <= 0.5][:2],
        each=True,
        applies=lambda facts: any(0 < limit <= 0.5 for limit in facts.signs.slow),
        rank=lambda facts: 45,
    ),
    Payload(
        "asks for more than there is",
        "tamper-exhaustion",
        "The function runs out of stack, memory or room for its output, and a run that broke off counts as a pass.",
        (54, 7),
        _heavy,
        items=lambda facts: tuple(_HEAVY)[: 3 if facts.signs.child else 2],
        each=True,
        rank=lambda facts: 18,
    ),
    Payload(
        "never comes back",
        "tamper-exhaustion",
        "The submission never ends, and the grader takes a run that it broke off for a pass.",
        (54,),
        _busy,
        items=lambda facts: ("sleep at import", *_BUSY),
        each=True,
        applies=lambda facts: facts.signs.timeouts,
        rank=lambda facts: -10,
        by_nature=True,
        slow=True,
    ),
)
