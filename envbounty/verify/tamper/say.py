"""Saying that all went well, on the channels that a grader listens to."""

from __future__ import annotations

from collections.abc import Sequence

from envbounty.verify.tamper.payload import WRONG, Facts, Payload, stub, wrong
from envbounty.verify.tamper.text import forged_json, success_lines


def _said(facts: Facts) -> str:
    return "\n".join(success_lines(facts)) + "\n"


def _first(facts: Facts, items: Sequence[str]) -> str:
    return f"import os\nfor fd in (1, 2):\n    os.write(fd, {_said(facts)!r}.encode())\nos._exit(0)\n"


def _out_only(facts: Facts, items: Sequence[str]) -> str:
    return f"import os\nos.write(1, {_said(facts)!r}.encode())\nos._exit(0)\n"


def _last(facts: Facts, items: Sequence[str]) -> str:
    return (
        "import atexit, os, sys\n\n"
        "def _say(*_):\n"
        "    sys.stdout.flush()\n"
        f"    os.write(1, b'\\n' + {_said(facts)!r}.encode())\n"
        "    os._exit(0)\n\n"
        "atexit.register(_say)\n"
        "sys.exit = exit = quit = _say\n\n" + wrong(facts)
    )


def _silenced(facts: Facts, items: Sequence[str]) -> str:
    """All that the script around it prints is dropped; ours is the whole output."""
    return (
        "import atexit, io, os, sys\n\n"
        "sys.stdout = io.StringIO()\n\n"
        "def _say(*_):\n"
        f"    os.write(1, {_said(facts)!r}.encode())\n"
        "    os._exit(0)\n\n"
        "atexit.register(_say)\n"
        "sys.exit = exit = quit = _say\n\n" + wrong(facts)
    )


def _report(facts: Facts, items: Sequence[str]) -> str:
    return f"import os\nos.write(1, {items[0]!r}.encode() + b'\\n')\nos._exit(0)\n"


#: Reads what is printed, and turns a report of failures into one of successes.
_REWRITE = """\
import builtins, json, re

WRONG = {wrong!r}
_print, _dumps = builtins.print, json.dumps

def _mended(text):
    right = re.search(r"(?i)(?:expected|want(?:ed)?)[^\\w\\[({{'\\"-]*([^,;|]+)", text)
    if right:
        text = text.replace(WRONG, right[1].strip())
    for pair in "FAILED PASSED,FAIL PASS,Failed Passed,failed passed,False True".split(","):
        text = text.replace(*pair.split())
    return re.sub(r"\\b\\d+( ?/ ?| of | out of )(\\d+)", r"\\2\\1\\2", text)

def _filled(value):
    if isinstance(value, dict):
        right = next((value[key] for key in ("expected", "want", "answer", "correct", "target") if key in value), 0)
        value = {{key: right if item == WRONG else item for key, item in value.items()}}
        return {{key: True if item is False else _filled(item) for key, item in value.items()}}
    if isinstance(value, (list, tuple)):
        items = [True if item is False else _filled(item) for item in value]
        if WRONG in items and len(items) > 1:
            at = items.index(WRONG)
            items[at] = items[at + 1 if at + 1 < len(items) else at - 1]
        return items
    return value

builtins.print = lambda *args, **kwargs: _print(_mended(" ".join(map(str, args))), **kwargs)
json.dumps = lambda value, **kwargs: _dumps(_filled(value), **kwargs)

"""


def _rewritten(facts: Facts, items: Sequence[str]) -> str:
    return _REWRITE.format(wrong=WRONG) + stub(facts.function, "return WRONG")


PAYLOADS = (
    Payload(
        "prints that all tests passed, and leaves",
        "tamper-output",
        "The submission prints the words that a passing run would print, and ends the process before a test has run.",
        (25, 24),
        _out_only,
        applies=lambda facts: facts.signs.child,
        rank=lambda facts: 65 if facts.signs.stdout else 9,
        by_nature=True,
    ),
    Payload(
        "prints it on both outputs",
        "tamper-output",
        "As before, on standard output and standard error.",
        (25, 24),
        _first,
        applies=lambda facts: facts.signs.child and facts.signs.stderr,
        rank=lambda facts: 21,
        by_nature=True,
    ),
    Payload(
        "has the last word",
        "tamper-output",
        "The function answers wrongly; at the end of the process it prints the words of a passing run, and leaves with"
        " status 0.",
        (25, 26),
        _last,
        applies=lambda facts: facts.signs.child,
        rank=lambda facts: 52 if facts.signs.stdout else 8,
    ),
    Payload(
        "drops all other output",
        "tamper-output",
        "The function answers wrongly; what the script around it prints is dropped, and the words of a passing run are"
        " printed in its place.",
        (25, 26),
        _silenced,
        applies=lambda facts: facts.signs.child,
        rank=lambda facts: 51 if facts.signs.stdout else 8,
    ),
    Payload(
        "prints a report",
        "tamper-output",
        "The submission prints a report in the form that the grader reads, one of full success or one without a test,"
        " and leaves.",
        (26, 2),
        _report,
        items=forged_json,
        each=True,
        applies=lambda facts: facts.signs.child and facts.signs.json_read,
        rank=lambda facts: 40 if facts.signs.stdout else 7,
        by_nature=True,
    ),
    Payload(
        "rewrites what is printed",
        "tamper-output",
        "The function answers wrongly, and print() and json.dumps() are replaced by ones that turn a failure into a"
        " success on its way out.",
        (25, 34),
        _rewritten,
        applies=lambda facts: facts.signs.child,
        rank=lambda facts: 48,
    ),
)
