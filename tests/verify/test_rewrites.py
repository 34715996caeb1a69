"""Right submissions written otherwise: rewrites do what the original does, and whoever refuses them is found."""

# ruff: noqa: E501  (tables of other people's code)

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envbounty.environment.spec import Answers, Compare
from envbounty.findings import Result, Severity, Verdict
from envbounty.sandbox.pool import Pool
from envbounty.verify import examine
from envbounty.verify.bench import Graded
from envbounty.verify.checks import rewrites as check
from envbounty.verify.rewrites import Asked, Rewrite, layout, plain, reshaped, shaped, together
from envbounty.verify.rewrites.forms import forbidden, forms
from envbounty.verify.rewrites.names import replaceable
from envbounty.verify.runner import Fault
from envbounty.verify.values import same

# --- source --------------------------------------------------------------------------------------------------------

#: name → (source of `f`, calls)
CORPUS: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "loops": (
        """\
def f(values, scale=2):
    total = 0
    best = None
    for i in range(len(values)):
        if values[i] < 0:
            continue
        if values[i] > 90:
            break
        total += values[i] * scale
    else:
        best = total
    return [total, best]
""",
        [([1, 2, 3],), ([],), ([5, -1, 99, 4], 3)],
    ),
    "comprehension and helper": (
        '''\
import math
from collections import Counter

LIMIT = 10


def odd(n):
    """Whether n
       is odd."""
    return n % 2 == 1


def f(values):
    n = 1
    counts = Counter(values)
    return [math.floor(n / 2) + counts[n] for n in values if odd(n) and n < LIMIT]
''',
        [([1, 2, 3, 3],), ([],), ([11, 9],)],
    ),
    "recursion, closure and nonlocal": (
        """\
def f(n):
    seen = 0
    def inner(k):
        nonlocal seen
        seen += 1
        return 1 if k < 2 else inner(k - 1) + inner(k - 2)
    a = 1
    b = 2
    result = inner(n)
    return result, seen, a, b, [f(n - 1) if n > 0 else 0][0]
""",
        [(0,), (1,), (6,)],
    ),
    "exceptions, with, star arguments": (
        """\
import contextlib
def f(*args, last=None, **rest):
    try:
        with contextlib.suppress(KeyError) as nothing:
            first, *others = args
            return {"first": first, "others": others, "last": last, "rest": sorted(rest)}
    except ValueError as error:
        return str(error)
""",
        [(), (1,), (1, 2, 3)],
    ),
    "one expression": ("def f(x, y=3, /, *, z=1):\n    'adds'\n    return x + y * z\n", [(1,), (1, 2)]),
    "class, lambda, walrus, generator": (
        """\
class Box:
    size = 2
    def __init__(self, size):
        self.size = size
    def grow(self, by): self.size += by; return self

def f(n):
    key = lambda pair: -pair[0]
    def gen(m):
        for j in range(1, m): yield j, (half := j // 2), half
    size = Box(n).grow(by=3).size
    text = f"{size:>4} {n!r} {'a' + 'b'}"
    return sorted(gen(n), key=key), text
""",
        [(1,), (4,)],
    ),
    "global state and strings": (
        '''\
COUNT = 0
TEXT = """two
  lines"""
def bump():
    global COUNT
    COUNT += 1
    return COUNT
def f(x: int) -> str:
    out = ""
    for i in range(2, x):
        for j in range(i):
            if (i + j) % 3: continue
            out += f"{i}{j}\\t" + \\
                TEXT[0]
    return out + str(bump() > 0)
''',
        [(0,), (3,), (5,)],
    ),
    "match, set, dict, async name": (
        """\
def f(x):
    match x:
        case {"a": a, **more}: return [a, sorted(more)]
        case [one, *tail]: return {one: tail}
        case str() as word if word: return word.upper()
        case _: return {k: v for k, v in zip("ab", range(2))}
""",
        [({"a": 1, "b": 2},), ([1, 2],), ("w",), (5,)],
    ),
}  # fmt: skip

ASKED = Asked.of("Write `f(values)`.", "f", positional=True)


def outcome(source: str, arguments: tuple[Any, ...], function: str = "f") -> Any:
    """What the function gives, or raises. Only sources of this file are run here."""
    scope: dict[str, Any] = {"__name__": "submission"}
    exec(compile(source, "submission.py", "exec"), scope)
    try:
        return scope[function](*copy.deepcopy(arguments))
    except Exception as error:
        return type(error)


def every(source: str, asked: Asked = ASKED) -> list[Rewrite]:
    found = [*plain(source, asked), *shaped(source, asked)]
    return [*found, *together(source, asked), *reshaped(source, asked)]


@pytest.mark.parametrize("name", CORPUS)
def test_every_rewrite_does_the_same(name: str) -> None:
    source, calls = CORPUS[name]
    rewrites = every(source)
    assert len(rewrites) >= 9 and len({one.what for one in rewrites}) == len(rewrites)
    for one in rewrites:
        assert one.text != source, one.what
        for call in calls:
            assert outcome(one.text, call) == outcome(source, call), (one.what, one.text)
        if one.needs:
            compile(one.needs, "needs", "exec")


@pytest.mark.parametrize("name", CORPUS)
def test_layout_keeps_the_program_to_the_last_node(name: str) -> None:
    source, _ = CORPUS[name]
    for change in (layout.reformatted, layout.commented, layout.tabbed, layout.trailing):
        text = change(source)
        if text is None and change is layout.reformatted:
            assert source == ast.unparse(ast.parse(source)) + "\n"
            continue
        assert text is not None and text != source
        assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(source))


def test_what_layouts_look_like() -> None:
    source = "def f(x):\n    if x:\n        return 1\n    return 2\n"
    assert layout.tabbed(source) == "def f(x):\n\tif x:\n\t\treturn 1\n\treturn 2\n"
    trailing = layout.trailing(source)
    assert trailing is not None and not trailing.endswith("\n") and all(line[-1] in " \t" for line in trailing.split("\n"))
    commented = layout.commented(source)
    assert commented is not None and commented.count(layout.COMMENT) == layout.COMMENTS
    assert layout.reformatted("x=1 # why\n") == "x = 1\n" and layout.reformatted("x = 1\n") is None
    assert layout.commented("# only words") is None
    assert not layout.same_tree("x = 1", "x = 2") and not layout.same_tree("x = 1", "x =")


SHAPES = {
    "statements that do not touch each other are swapped": ("def f(x):\n    a = 1\n    b = 2\n    return a - b\n", "def f(x):\n    b = 2\n    a = 1\n    return a - b\n"),
    "every function has a docstring": ("def f(x):\n    return x\n", 'def f(x):\n    """- - -"""\n    return x\n'),
    "its own names are replaced": ("def g(u):\n    return u\n\ndef f(x):\n    y = g(x)\n    return y\n", "def v1(v2):\n    return v2\n\ndef f(v3):\n    v4 = v1(v3)\n    return v4\n"),
    "a loop over a range is a `while`": ("def f(x):\n    for i in range(1, x):\n        print(i)\n", "def f(x):\n    v1 = 1\n    v2 = x\n    while v1 < v2:\n        i = v1\n        v1 += 1\n        print(i)\n"),
    "a comprehension is a loop": ("def f(x):\n    return [i + 1 for i in x if i if i > 2]\n", "def f(x):\n    v2 = []\n    for v1 in x:\n        if v1:\n            if v1 > 2:\n                v2.append(v1 + 1)\n    return v2\n"),
    "its work is done by a helper": ("def f(x, *a, y=1, **k):\n    return x\n", "def v1(x, *a, y, **k):\n    return x\n\ndef f(x, *a, y=1, **k):\n    return v1(x, *a, y=y, **k)\n"),
    "it is a lambda": ("def f(x: int=1):\n    'doc'\n    return x\n", "f = lambda x=1: x\n"),
    "it is a static method of a class": ("def f(x):\n    return x\n", "class V1:\n\n    @staticmethod\n    def f(x):\n        return x\nf = V1.f\n"),
    "it has one optional argument more": ("def f(x):\n    return x\n", "def f(x, *, v1=None):\n    return x\n"),
    "type hints are added or removed": ("def f(x: int) -> int:\n    return x\n", "def f(x):\n    return x\n"),
    "imports are moved inside": ("import math\nimport os\n\ndef f(x):\n    return math.pi * x\n\ndef g():\n    return os\n", "import os\n\ndef f(x):\n    import math\n    return math.pi * x\n\ndef g():\n    return os\n"),
    "there is a block for running it as a script": ("def f(x):\n    return x\n", "def f(x):\n    return x\nif __name__ == '__main__':\n    pass\n"),
}  # fmt: skip


@pytest.mark.parametrize("what", SHAPES)
def test_what_a_rewrite_looks_like(what: str) -> None:
    source, wanted = SHAPES[what]
    assert next(one.text for one in every(source) if one.what == what) == wanted


NOT_APPLIED = {
    "a name of the task's text": ("def help(n):\n    return n\ndef f(x):\n    return help(x)\n", Asked.of("Use help.", "f", positional=True), {"help"}),
    "a local that the task writes as code": ("def f(x):\n    total = x\n    return total\n", Asked.of("Call it `total`.", "f", positional=True), {"total"}),
    "parameters that are called by name": ("def f(x):\n    return x\n", Asked.of("", "f", positional=False), {"x"}),
    "attributes and keywords": ("class A:\n    size = 1\ndef f(x):\n    size = key = dict(key=x)\n    return A.size, size, key\n", ASKED, {"size", "key", "dict"}),
    "imports, builtins and the function itself": ("import os as system\ndef f(x):\n    return f(system.sep), len(x)\n", ASKED, {"system", "f", "len"}),
    "what comes from outside": ("def f(x):\n    return given(x)\n", ASKED, {"given"}),
    "private names of a class": ("class A:\n    def g(self):\n        __x = 1\n        return __x\ndef f(x):\n    return A().g()\n", ASKED, {"__x"}),
    "what a pattern captures": ("def f(x):\n    match x:\n        case {'a': got}: return got\n", ASKED, {"got"}),
}  # fmt: skip


@pytest.mark.parametrize("why", NOT_APPLIED)
def test_names_that_are_kept(why: str) -> None:
    source, asked, kept = NOT_APPLIED[why]
    assert not set(replaceable(ast.parse(source), asked)) & kept


def test_the_same_names_are_replaced_elsewhere() -> None:
    """So that the table above cannot pass because nothing is ever replaced."""
    source = "def help(n):\n    return n\ndef f(x):\n    total = help(x)\n    return total\n"
    assert set(replaceable(ast.parse(source), ASKED)) == {"total", "x", "n"}  # help is a builtin
    assert "assist" in replaceable(ast.parse(source.replace("help", "assist")), ASKED)


@pytest.mark.parametrize(
    "source",
    ["", "def f(:", "x" * 70_000, "def f(x):\n    return eval(x)\n", "def f(x):\n    return locals()\n", "(" * 300, "def f(x):\n    '''d'''\n    return f.__doc__\n", "\0"],
)  # fmt: skip
def test_what_cannot_be_rewritten_is_left_alone(source: str) -> None:
    assert plain(source, ASKED) == [] or source == ""
    assert [one.text for one in shaped(source, ASKED)] == [] or source == ""
    if source:
        assert together(source, ASKED) == [] and reshaped(source, ASKED) == []


SWAPS = {
    "a call": "def f(x):\n    a = g()\n    b = 2\n",
    "a shared name": "def f(x):\n    a = x\n    b = a\n",
    "the same target": "def f(x):\n    a = 1\n    a = 2\n",
    "an item": "def f(x):\n    a = x[0]\n    b = 2\n",
    "an operator that may fail": "def f(x):\n    a = x + 1\n    b = 2\n",
    "a sign before a name": "def f(x):\n    a = -x\n    b = 2\n",
    "a default": "def g(a=[]):\n    pass\ndef f(x):\n    pass\n",
    "a decorator": "@h\ndef g(a):\n    pass\ndef f(x):\n    pass\n",
    "a hint": "def g(a: h):\n    pass\ndef f(x):\n    pass\n",
    "twice the same function": "def f(x):\n    return 1\ndef f(x):\n    return 2\n",
}


@pytest.mark.parametrize("why", SWAPS)
def test_statements_that_touch_each_other_stay(why: str) -> None:
    assert not [one for one in plain(SWAPS[why], ASKED) if "swapped" in one.what]


def test_a_shape_that_does_not_apply() -> None:
    names = {one.what for one in shaped("f = lambda x: [i for i in x]\n", ASKED)}
    assert names == {"there is a block for running it as a script", "it writes to standard error"}
    shadowed = "def f(range):\n    for i in range(3):\n        print(i)\n    return [i for i in [lambda: i]]\n"
    assert not {"a loop over a range is a `while`"} & {one.what for one in shaped(shadowed, ASKED)}
    stepped = "def f(x):\n    for i in range(0, 9, 2):\n        pass\n    return [lambda: i for i in x]\n"
    assert not {"a loop over a range is a `while`", "a comprehension is a loop"} & {one.what for one in shaped(stepped, ASKED)}


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["a = 1", "b = 2", "c = a", "a = b", "c = (a, b)", "b = -1", "d = x", "a, b = b, a", "x += 1"]), min_size=2, max_size=8),
    st.integers(0, 3), st.booleans(),
)  # fmt: skip
def test_random_programs_do_the_same(lines: list[str], bound: int, loop: bool) -> None:
    body = "".join(f"        {line}\n" for line in lines)
    head = f"    for i in range({bound}, x):\n" if loop else f"    if x > {bound}:\n"
    source = f"def f(x):\n    a = b = c = d = 0\n{head}{body}    return [[a, b, c, d, k] for k in range(3) if k != b]\n"
    for one in every(source):
        for value in (0, 1, 4):
            assert outcome(one.text, (value,)) == outcome(source, (value,)), one.text


# --- outputs -------------------------------------------------------------------------------------------------------

EXACT = Answers(compare=Compare.EXACT)
UNORDERED = Answers(compare=Compare.UNORDERED)
TOKENS = Answers(compare=Compare.TOKENS)
NEAR = Answers(compare=Compare.TOLERANCE, rel_tol=1e-9)

FORMS = [
    (EXACT, [1, [2]], {"number": [[1.0, [2.0]]]}),
    (EXACT, 3.0, {"number": [3]}),
    (EXACT, [True, "1", None, 2**60], {}),
    (EXACT, {"a": 1, "b": {"c": "x", "d": "y"}}, {"number": [{"a": 1.0, "b": {"c": "x", "d": "y"}}], "keys": [{"b": {"d": "y", "c": "x"}, "a": 1}]}),
    (EXACT, "5", {}),
    (UNORDERED, [1, 2, 3], {"number": [[1.0, 2.0, 3.0]], "order": [[3, 2, 1], [2, 3, 1]]}),
    (UNORDERED, [7, 7], {"number": [[7.0, 7.0]]}),
    (NEAR, 0.5, {"bits": [0.5000000000000001]}),
    (NEAR, float("nan"), {}),
    (TOKENS, "1 2\n3\n", {"space": ["1 2\n3\n\n", "1 2\n3", "1 2 \n3 \n", " 1 2\n3\n", "\n1 2\n3\n", "1 2\r\n3\r\n", "1  2\n3\n", "1\t2\n3\n"]}),
    (TOKENS, "x", {"space": ["x\n", "x ", " x", "\nx"]}),
]  # fmt: skip


@pytest.mark.parametrize(("answers", "right", "wanted"), FORMS)
def test_forms_that_are_the_same_answer(answers: Answers, right: Any, wanted: dict[str, list[Any]]) -> None:
    found: dict[str, list[Any]] = {}
    for form in forms(right):
        if same(right, form.output, answers) is True:
            found.setdefault(form.about, []).append(form.output)
    assert {key: list(map(repr, value)) for key, value in found.items()} == {
        key: list(map(repr, value)) for key, value in wanted.items()
    }


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4), lambda c: st.lists(c, max_size=3) | st.dictionaries(st.text(max_size=2), c, max_size=3)))  # fmt: skip
def test_a_form_is_never_the_output_itself(right: Any) -> None:
    for form in forms(right):
        assert repr(form.output) != repr(right)


TEXTS = [
    ("Print the sum.", "space", False),
    ("Print the sum, with no trailing white space.", "space", True),
    ("Print it without spaces.", "space", True),
    ("Separate them by single spaces.", "space", True),
    ("Answer exactly this text.", "space", True),
    ("Nothing before or after it.", "space", True),
    ("No spaces inside; white space before and after is ignored.", "space", False),
    ("Any white space may separate the numbers; there is no plus sign, no leading zeros.", "space", False),
    ("Return the count.", "number", True),
    ("Return the sum of whole numbers.", "number", True),
    ("A float that equals\nthe integer (`3.0`) counts as that integer.", "number", False),
    ("A float does not count as an integer.", "number", True),
    ("Return an int or float.", "number", False),
    ("Return an object with two keys.", "keys", False),
    ("Return the counts, ordered by name.", "keys", True),
    ("Return them in any order.", "order", False),
    ("Return the mean.", "bits", False),
]


@pytest.mark.parametrize(("task", "about", "wanted"), TEXTS)
def test_what_a_task_says_of_forms(task: str, about: str, wanted: bool) -> None:
    assert forbidden(task, about) is wanted


# --- verifiers that are too strict -----------------------------------------------------------------------------------

Files = dict[str, str | None]


def function(task: str, expected: str, test: str, values: str = "[rng.randint(100, 999) for _ in range(8)]") -> Files:
    return {
        "task.md": task,
        "environment.py": f"""\
import json
def right(values):
    return {expected}
def generate(rng, difficulty):
    return {{"values": {values}}}
def check(instance, output):
    want = right(instance["values"])
    try:
        return float({test})
    except TypeError:
        return 0.0
""",
        "solutions/reference.py": f"def total(values):\n    return {expected}\n",
        "solutions/good/loop.py": f"def total(values):\n    out = {expected}\n    return out\n",
        "solutions/bad/last.py": "# wrong: all of the values but one\ndef total(values):\n    return values[1:]\n",
    }


PROGRAM = """\
def generate(rng, difficulty):
    return {"stdin": " ".join(str(rng.randint(100, 999)) for _ in range(4)) + "\\n"}
def check(instance, output):
    right = "".join(f"{2 * int(word)}\\n" for word in instance["stdin"].split())
    return float(TEST)
"""
DOUBLES = {
    "task.md": "Read numbers, print their doubles.\n",
    "solutions/reference.py": "print(*(2 * int(x) for x in input().split()), sep='\\n')\n",
    "solutions/good/sum.c": None,
    "solutions/good/main.py": "for x in input().split():\n    print(int(x) * 2)\n",
    "solutions/bad/last.py": "# wrong: triples them all\nprint(*(3 * int(x) for x in input().split()))\n",
}
ANSWER = """\
def generate(rng, difficulty):
    return {"a": rng.randint(1000, 9999), "b": rng.randint(1000, 9999)}
def check(instance, output):
    right = f"{instance['a']} {instance['b']}"
    return float(isinstance(output, str) and TEST)
"""
SAYS_BOTH = {
    "task.md": "Say {{ a }} and {{ b }}.\n",
    "solutions/reference.py": "def solve(i):\n    return f\"{i['a']} {i['b']}\"\n",
    "solutions/good/line.py": "def solve(i):\n    return str(i['a']) + ' ' + str(i['b'])\n",
    "solutions/bad/first.py": "# wrong: says the first number\ndef solve(i):\n    return str(i['a'])\n",
}
MOVES = """\
def generate(rng, difficulty):
    return {"start": rng.randint(0, 10**6), "goal": rng.randint(3, 9)}
def check(instance, output):
    steps = instance["goal"]
    return float(TEST)
def equivalent(instance, a, b):
    return isinstance(a, list) and isinstance(b, list) and sorted(map(str, a)) == sorted(map(str, b))
"""
TURNS = {
    "task.md": "From {{ start }}: {{ goal }} words \"up\" and one \"down\", in whatever way.\n",
    "solutions/reference.py": "def solve(i):\n    return ['up'] * i['goal'] + ['down']\n",
    "solutions/good/step.py": "def solve(i):\n    return [*(['up'] * i['goal']), 'down']\n",
    "solutions/bad/up.py": "# wrong: only ever up\ndef solve(i):\n    return ['up']\n",
}


def compare(rule: str) -> dict[str, str]:
    return {"compare: exact": f"compare: {rule}"}


#: name → (kind, files, changes of env.yaml, what is refused; empty: the verifier is sound)
STRICT: dict[str, tuple[str, Files, dict[str, str], str]] = {
    "program, text for text": ("program", {**DOUBLES, "environment.py": PROGRAM.replace("TEST", "output == right")}, compare("tokens"), "a line end at the end"),
    "program, word for word": ("program", {**DOUBLES, "environment.py": PROGRAM.replace("TEST", "output.split() == right.split()")}, compare("tokens"), ""),
    "program, text for text and told so": ("program", {**DOUBLES, "task.md": "Print the doubles, a line each, without trailing spaces or empty lines.\n", "environment.py": PROGRAM.replace("TEST", "output == right")}, compare("tokens"), ""),
    "list in the verifier's order": ("function", function("Write `total(values)`: the distinct ones, in any order.\n", "sorted(set(values))", "output == want"), compare("unordered"), "its items in the opposite order"),
    "list in any order": ("function", function("Write `total(values)`: the distinct ones, in any order.\n", "sorted(set(values))", "isinstance(output, list) and sorted(output) == want"), compare("unordered"), ""),
    "object as text": ("function", function("Write `total(values)`: least and most.\n", "{'least': min(values), 'most': max(values)}", "json.dumps(output) == json.dumps(want)"), {}, "the keys of its objects in another order"),
    "object as object": ("function", function("Write `total(values)`: least and most.\n", "{'least': min(values), 'most': max(values)}", "output == want"), {}, ""),
    "floats told to be fine, and refused": ("function", function("Write `total(values)`. A float that equals the integer counts.\n", "sum(values)", "type(output) is int and output == want"), {}, "whole numbers written as floats"),
    "floats told to be fine, and taken": ("function", function("Write `total(values)`. A float that equals the integer counts.\n", "sum(values)", "type(output) in (int, float) and output == want"), {}, ""),
    "floats not spoken of, and refused": ("function", function("Write `total(values)`.\n", "sum(values)", "type(output) is int and output == want"), {}, ""),
    "the last bit": ("function", function("Write `total(values)`: the mean.\n", "sum(values) / 7", "type(output) is float and output == want"), compare("tolerance, rel_tol: 1.0e-6"), "the last bit of its floats changed"),
    "within the tolerance": ("function", function("Write `total(values)`: the mean.\n", "sum(values) / 7", "type(output) is float and abs(output - want) <= 1e-6 * want"), compare("tolerance, rel_tol: 1.0e-6"), ""),
    "answer, space for space": ("answer", {**SAYS_BOTH, "environment.py": ANSWER.replace("TEST", "output == right")}, compare("tokens"), "a line end at the end"),
    "answer, word for word": ("answer", {**SAYS_BOTH, "environment.py": ANSWER.replace("TEST", "output.split() == right.split()")}, compare("tokens"), ""),
    "actions in one order": ("actions", {**TURNS, "environment.py": MOVES.replace("TEST", "output == ['up'] * steps + ['down']")}, compare("custom"), "its items in the opposite order"),
    "actions in any order": ("actions", {**TURNS, "environment.py": MOVES.replace("TEST", "isinstance(output, list) and all(type(x) is str for x in output) and sorted(output) == ['down'] + ['up'] * steps")}, compare("custom"), ""),
    "it raises on a right answer": ("function", function("Write `total(values)`: in any order.\n", "sorted(set(values))", "output[0] == want[0] and 1 // (output[0] == want[0]) and output == want"), compare("unordered"), "its items in the opposite order"),
}  # fmt: skip

GRADER = """\
import ast, re
def verify(submission):
    TEST
    scope = {}
    try:
        exec(submission, scope)
        return all(scope["double"](x) == 2 * x for x in (1, 5, -3, 100, 7))
    except Exception:
        return False
"""
REFERENCE = """\
def twice(number):
    return number + number


def double(x):
    # one more than it seems
    result = twice(x)
    unit = 1
    return result * unit
"""


def grader(test: str, **more: str | None) -> Files:
    return {"grader.py": GRADER.replace("TEST", test), "solutions/reference.py": REFERENCE, "solutions/good/times.py": None, **more}


def refuses(condition: str) -> str:
    return f"if {condition}: return False"


#: name → (files, what is refused, severity; empty: sound)
GRADERS: dict[str, tuple[Files, str, Severity | None]] = {
    "the name of a local": (grader(refuses("'result' not in submission")), "its own names are replaced", Severity.ERROR),
    "the name of a helper": (grader(refuses("not re.search(r'def twice', submission)")), "its own names are replaced", Severity.ERROR),
    "a comment": (grader(refuses("'#' not in submission")), "it is laid out anew, without comments", Severity.ERROR),
    "no comments but one": (grader(refuses("submission.count('#') > 1")), "comments and empty lines are added", Severity.ERROR),
    "tabs": (grader(refuses("'\\t' in submission")), "tabs", Severity.ERROR),
    "no docstrings": (grader(refuses("'\"\"\"' in submission")), "every function has a docstring", Severity.ERROR),
    "the last line end": (grader(refuses("not submission.endswith('\\n')")), "lines end in white space", Severity.ERROR),
    "word for word": (grader("", **{"task.md": "Write `double(x)`: double(4) is 8.\n", "grader.py": f"REFERENCE = {REFERENCE!r}\n" + GRADER.replace("TEST", refuses("submission.split() != REFERENCE.split()"))}), "it is laid out anew", Severity.ERROR),
    "two functions, no more": (grader(refuses("submission.count('def ') > 2"), **{"task.md": "Write `double(x)`: double(4) is 8.\n"}), "", None),
    "a def at the top": (grader(refuses("not re.search('^def double', submission, re.M)")), "it is a static method of a class", Severity.WARNING),
    "a name that the task gives": ({**grader(refuses("'twice' not in submission")), "task.md": "Write `double(x)` by means of a function twice.\n"}, "", None),
    "no imports": (grader(refuses("'import' in submission")), "", None),
    "no classes, no imports, no dunders": (grader(refuses("re.search(r'class|import|__', submission)")), "", None),
    "only so many characters": (grader(refuses("len(submission) > 2000")), "", None),
    "few builtins": ({**grader(""), "grader.py": GRADER.replace("TEST", "pass").replace("scope = {}", "scope = {'__builtins__': {'range': range, 'ValueError': ValueError}}")}, "", None),
    "it never calls": ({**grader(""), "grader.py": "def verify(submission):\n    return 'result' in submission\n", "solutions/bad/square.py": "# wrong: squares the number instead\ndef double(x):\n    return x * x\n"}, "", None),
    "it never calls, and the task has examples": ({**grader(""), "task.md": "Write `double(x)`: double(4) is 8, double(-1) is -2.\n", "grader.py": "def verify(submission):\n    return 'result' in submission\n"}, "its own names are replaced", Severity.ERROR),
    "sound": (grader("pass"), "", None),
}  # fmt: skip
#: For `test_rules.py`: each rule of this family and a case that breaks it.
CASES = {"form-rejected": "program, text for text", "rewrite-rejected": "the name of a local"}


@pytest.fixture(scope="module")
def batch(request: pytest.FixtureRequest, examine_selected: Callable[..., Any]) -> Any:
    native = {name: (kind, files, yaml) for name, (kind, files, yaml, _) in STRICT.items()}
    found = {name: ("grader", files, {}) for name, (files, _, _) in GRADERS.items()}
    return examine_selected(request, native | found)


@pytest.mark.parametrize("case", STRICT)
def test_a_form_that_is_refused(case: str, batch: Any) -> None:
    wanted = STRICT[case][3]
    result: Result = batch[case]
    found = [finding for finding in result.findings if finding.rule == "form-rejected"]
    if not wanted:
        assert not [finding for finding in result.findings if finding.severity is Severity.ERROR], result
        assert result.verdict is Verdict.PASS, result.reason
        return
    assert len(found) == 1 and result.verdict is Verdict.FAIL
    (finding,) = found
    assert wanted in finding.message and finding.severity is Severity.ERROR
    evidence = finding.evidence
    assert evidence is not None and evidence.confirmed == 2 and evidence.seed is not None
    assert evidence.output and evidence.expected and evidence.output != evidence.expected
    assert (evidence.score is None) is (case == "it raises on a right answer") or evidence.score == 0.0


@pytest.mark.parametrize("case", GRADERS)
def test_a_rewrite_that_is_refused(case: str, batch: Any) -> None:
    _, wanted, severity = GRADERS[case]
    result: Result = batch[case]
    found = [finding for finding in result.findings if finding.rule == "rewrite-rejected"]
    if severity is None:
        assert not found, found
        return
    assert [finding.severity for finding in found] == [severity], (result.verdict, result.reason, result.findings)
    finding = found[0]
    assert wanted in finding.message
    evidence = finding.evidence
    assert evidence is not None and evidence.confirmed == 2 and evidence.submission and evidence.detail
    assert REFERENCE in evidence.detail and evidence.submission.strip() != REFERENCE.strip()


def test_running_out_of_time_is_no_refusal() -> None:
    assert check._is_refusal(Graded(False, 0.0, "no"))
    assert check._is_refusal(Graded(None, None, "", Fault("raise", "ValueError")))
    assert not check._is_refusal(Graded(True, 1.0, "yes"))
    for kind in ("timeout", "memory", "not-run", "output"):
        assert not check._is_refusal(Graded(None, None, "", Fault(kind, "took too long")))


def test_a_rewrite_that_does_something_else_never_accuses(
    write_env: Callable[..., Path], jail: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bug in a rewrite must fall back on us: what gives other results is no rewrite."""
    wrong = Rewrite("it is broken", "def double(x):\n    return 2 * x + 1\n")
    monkeypatch.setattr(check, "plain", lambda source, asked: [wrong])
    monkeypatch.setattr(check, "together", lambda source, asked: [wrong])
    place = write_env(tmp_path, "grader", grader("pass"))
    result = examine(place, jail, budget_s=60)
    assert not [finding for finding in result.findings if finding.rule == "rewrite-rejected"]


def test_a_grader_that_changes_its_mind(
    write_env: Callable[..., Path], jail: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is accepted when it is tried again in a clean jail is no refusal but an unstable grader."""
    files = grader(refuses("'result' not in submission"))
    real = check._does_the_same
    place = write_env(tmp_path, "grader", files)

    def mended(context: Any, rewrite: Rewrite, calls: Any) -> bool:
        grade = context.bench.grade
        context.bench.grade = lambda texts, fresh=False: [Graded(True, 1.0, "yes")] if fresh else grade(texts)
        return real(context, rewrite, calls)

    monkeypatch.setattr(check, "_does_the_same", mended)
    result = examine(place, jail, budget_s=60, only=["rewrite-rejected", "score-unstable"])
    assert "score-unstable" in {finding.rule for finding in result.findings}
    assert "rewrite-rejected" not in {finding.rule for finding in result.findings}
