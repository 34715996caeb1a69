"""Finding the answers in what the grader leaves in sight, and being given them."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

from envbounty.verify.tamper import oracle
from envbounty.verify.tamper.payload import WRONG, Facts, Group, Payload

#: payload → the place of the oracle in which it looks
PLACES: dict[str, str] = {}


def _place(place: str, name: str, rule: str, mechanism: str, rows: tuple[int, ...]) -> Payload:
    PLACES[name] = place
    return Payload(
        name,
        rule,
        mechanism,
        rows,
        lambda facts, items: oracle.text(facts, [place]),
        elsewhere=place == "arguments",
    )


LOOKS = (
    _place(
        "environment", "reads the environment", "tamper-disclosure",
        "The submission finds tests with their answers in the environment, where the grader put them.", (36,),
    ),
    _place(
        "arguments", "is told the answer", "tamper-arguments",
        "The grader passes the expected result, or an object that holds it, to the function that is to find it.", (37,),
    ),
    _place(
        "names", "reads the caller's names", "tamper-frames",
        "The submission walks up the stack to a variable such as `expected` of whoever calls it, and answers that.",
        (35,),
    ),
    _place(
        "frames", "reads the caller's tables", "tamper-frames",
        "The submission walks up the stack, finds the table of tests among the variables of whoever calls it, and looks"
        " its arguments up there.", (35,),
    ),
    _place(
        "reference", "asks the caller's own solution", "tamper-frames",
        "The submission walks up the stack to the grader's own solution, and calls it.", (35, 37),
    ),
    _place(
        "files", "reads the files around it", "tamper-disclosure",
        "The submission finds tests with their answers in files that the grader wrote where it runs.", (36,),
    ),
    _place(
        "source", "reads the program around it", "tamper-disclosure",
        "The submission reads the script or the command line that it runs in, in which the tests stand with their"
        " answers.", (35, 36),
    ),
    _place(
        "heap", "searches the memory", "tamper-frames",
        "The submission asks the garbage collector for every list, and finds the table of tests among them.", (35,),
    ),
)  # fmt: skip

GROUP = Group(
    "looks everywhere for the answers",
    LOOKS,
    lambda facts, members: oracle.text(facts, [PLACES[member.name] for member in members]),
)

#: Watches the lines of whoever called: once a variable named like an answer is there, what we returned becomes it.
_TRACE = Template("""\
import sys

WRONG = "$wrong"
NAMES = "expected expected_output expected_result expected_answer exp want wanted correct target gold truth".split()

_ours = {}

def _watch(frame, event, arg):
    try:
        scope = frame.f_locals
        right = next(scope[name] for name in NAMES if name in scope)
        for name, value in list(scope.items()):
            if value is WRONG or name not in NAMES and name in _ours and value is _ours[name]:
                scope[name] = _ours[name] = right
            elif type(value) is list and WRONG in value[-1:]:
                value[-1] = right
    except Exception:
        pass
    return _watch

def $function(*args, **kwargs):
    frame = sys._getframe(1)
    sys.settrace(lambda *_: None)
    if frame.f_code.co_filename != "<job>":
        frame.f_trace = _watch
    return WRONG
""")

#: Empties the tests: nothing is left that could fail.
_EMPTY = Template("""\
import sys

def _empty(frame):
    while frame is not None and frame.f_code.co_filename != "<job>":
        for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
            rows = value if type(value) is list else []
            if rows and all(type(row) in (list, tuple, dict) and len(row) > 1 for row in rows):
                rows.clear()
        frame = frame.f_back

_empty(sys._getframe().f_back)

def $function(*args, **kwargs):
    _empty(sys._getframe(1))
    return $answer
""")

#: Names that a grader may pass the answer under, for one that looks at the signature first.
_TOLD = Template("""\
def $function(*args, expected=None, expected_output=None, answer=None, solution=None, target=None, **kwargs):
    told = [value for value in (expected, expected_output, answer, solution, target) if value is not None]
    return told[0] if told else $answer
""")


def _write(template: Template, facts: Facts, items: Sequence[str]) -> str:
    return template.substitute(function=facts.function, wrong=WRONG, answer=facts.wrong)


PAYLOADS = (
    Payload(
        "changes the caller's variables",
        "tamper-frames",
        "The submission sets a trace on whoever calls it, and puts the expected value in the place of its own.",
        (35, 34),
        lambda facts, items: _write(_TRACE, facts, items),
        rank=lambda facts: 33 if facts.signs.in_process else 8,
    ),
    Payload(
        "empties the tests",
        "tamper-frames",
        "The submission walks up the stack and empties the list of tests: where nothing is tested, nothing fails.",
        (35, 2),
        lambda facts, items: _write(_EMPTY, facts, items),
        rank=lambda facts: 32 if facts.signs.in_process else 8,
    ),
    Payload(
        "has a parameter for the answer",
        "tamper-arguments",
        "A grader that passes what a signature asks for passes the answer to a function that has a parameter for it.",
        (37,),
        lambda facts, items: _write(_TOLD, facts, items),
        applies=lambda facts: facts.signs.mentions("signature", "getfullargspec", "co_varnames"),
        rank=lambda facts: 44,
        elsewhere=True,
    ),
    Payload(
        "reads standard input first",
        "tamper-disclosure",
        "The submission reads the tests and their answers from standard input before the script around it does.",
        (36,),
        lambda facts, items: oracle.text(facts, ["stdin"]),
        applies=lambda facts: facts.signs.stdin and facts.signs.child,
        rank=lambda facts: 43,
    ),
)
