"""What a fingerprint does not see, and what it does see; and that no text, however odd, breaks it."""

from __future__ import annotations

import ast
import time
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks import disguise
from envbounty.provenance import lexed, prose, pycode
from envbounty.provenance.prints import LAYERS, Print, boilerplate, code_units, likeness, print_files
from envbounty.provenance.streams import Stream, shingles
from tests.provenance.conftest import BASE, OTHER, REFERENCE, VERIFIER


def structure(text: str) -> tuple[frozenset[int], frozenset[bytes], frozenset[bytes]]:
    found = pycode.read("a.py", text)
    assert found is not None
    prints = frozenset().union(*(unit.prints for unit in found.units))
    return prints, frozenset(unit.shape for unit in found.units), frozenset(unit.seal for unit in found.units)


# --- random programs -------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["alpha", "beta", "gamma", "delta"])
LEAVES = st.one_of(NAMES, st.integers(0, 99).map(str), st.just("'text'"), st.just("[1, 2, 3]"))
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda parts: "({} {} {})".format(*parts)),
        st.tuples(st.sampled_from(["len", "sorted", "abs"]), inner).map(lambda parts: "{}({})".format(*parts)),
        st.tuples(inner, inner, inner).map(lambda parts: "({} if {} else {})".format(*parts)),
        st.tuples(NAMES, inner).map(lambda parts: "{}.append({})".format(*parts)),
        inner.map("[each for each in [{}]]".format),
    ),
    max_leaves=8,
)
STATEMENTS = st.one_of(
    st.tuples(NAMES, EXPRESSIONS).map(lambda parts: "    {} = {}\n".format(*parts)),
    st.tuples(EXPRESSIONS, NAMES).map(lambda parts: "    if {}:\n        {} += 1\n".format(*parts)),
    st.tuples(NAMES, EXPRESSIONS).map(lambda parts: "    for {} in {}:\n        pass\n".format(*parts)),
)
FUNCTIONS = st.tuples(st.lists(STATEMENTS, min_size=1, max_size=6), EXPRESSIONS).map(
    lambda parts: "(alpha, beta):\n" + "".join(parts[0]) + f"    return {parts[1]}\n"
)
PROGRAMS = st.lists(FUNCTIONS, min_size=1, max_size=4).map(
    lambda bodies: "\n\n".join(f"def function_{number}{body}" for number, body in enumerate(bodies))
)
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@quick
@given(PROGRAMS, st.integers(0, 10**6))
def test_renaming_changes_nothing(program: str, seed: int) -> None:
    renamed = disguise.code(disguise.renamed, {"a.py": program}, Random(seed))["a.py"]
    assert renamed != program and structure(renamed) == structure(program)


@quick
@given(PROGRAMS, st.integers(0, 10**6))
def test_another_order_changes_nothing(program: str, seed: int) -> None:
    reordered = disguise.code(disguise.reordered, {"a.py": program}, Random(seed))["a.py"]
    assert structure(reordered) == structure(program)


@quick
@given(PROGRAMS)
def test_layout_comments_docstrings_and_annotations_change_nothing(program: str) -> None:
    noisy = ast.unparse(ast.parse(program)).replace(
        "(alpha, beta):", '(alpha: int, beta: "x" = 0) -> None:\n    "Says."'
    )
    noisy = noisy.replace("\n    return", "\n\n    # a comment\n    pass\n    return").replace(': "x" = 0)', ": 'x')")
    assert structure("import re\n" + noisy) == structure(program)


@quick
@given(PROGRAMS)
def test_constants_change_the_seal_alone(program: str) -> None:
    changed = disguise.code(disguise.renumbered, {"a.py": program}, Random(0))["a.py"]
    prints, shapes, seals = structure(program)
    assert structure(changed)[:2] == (prints, shapes)
    same = ast.dump(ast.parse(changed)) == ast.dump(ast.parse(program))
    assert (structure(changed)[2] == seals) == same


@quick
@given(PROGRAMS)
def test_code_in_a_text_counts_as_code(program: str) -> None:
    if program.count("\n") < pycode.MIN_CODE_LINES:
        return
    inside = structure(f"DRIVER = {program!r}\n")
    assert structure(program)[0] <= inside[0]
    renamed = disguise.code(disguise.renamed, {"a.py": program}, Random(5))["a.py"]
    assert structure(f"D = {renamed!r}\n") == inside


# --- what does count -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("def f(a, b):\n    return a - b\n", "def f(a, b):\n    return b - a\n"),
        ("def f(a, b):\n    return a + a\n", "def f(a, b):\n    return a + b\n"),
        ("def f(a):\n    return sorted(a)\n", "def f(a):\n    return reversed(a)\n"),
        ("def f(a):\n    a.append(1)\n", "def f(a):\n    a.remove(1)\n"),
        ("def f(a):\n    return a < 1\n", "def f(a):\n    return a <= 1\n"),
        ("def f(a):\n    return True\n", "def f(a):\n    return False\n"),
        ("import math\ndef f(a):\n    return math.floor(a)\n", "import math\ndef f(a):\n    return math.ceil(a)\n"),
        ("def f(a):\n    while a:\n        a = f(a)\n", "def f(a):\n    if a:\n        a = f(a)\n"),
    ],
)
def test_another_program_has_another_shape(one: str, two: str) -> None:
    assert structure(one)[1] != structure(two)[1]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (
            "import heapq\ndef f(a):\n    heapq.heappush(a, 1)\n",
            "from heapq import heappush as p\ndef f(a):\n    p(a, 1)\n",
        ),
        ("import heapq as h\ndef f(a):\n    h.heappush(a, 1)\n", "import heapq\ndef f(a):\n    heapq.heappush(a, 1)\n"),
        ("def f(a):\n    x: int = 1\n    return x\n", "def f(a):\n    x = 1\n    return x\n"),
        ("class A:\n    def f(self):\n        self.n = 1\n", "class Bee:\n    def gee(me):\n        me.count = 1\n"),
        ("def f(a):\n    return (a)+(1)\n", "def f( a ) :\n    # so\n    return a + 2\n"),
    ],
)
def test_the_same_program_has_the_same_shape(one: str, two: str) -> None:
    assert structure(one)[:2] == structure(two)[:2]


def test_literals_are_the_tests_of_a_verifier() -> None:
    one = pycode.read("a.py", "CASES = [([1, 2, 3], 6), ([4, 5, 6, 7], 22)]\n")
    more = pycode.read("b.py", "def t(f):\n    assert f([1, 2, 3]) == 6\n    assert f([4, 5, 6, 7]) == 22\n")
    other = pycode.read("c.py", "CASES = [([1, 2, 4], 6)]\n")
    assert one and more and other
    assert more.data and more.data < one.data and not other.data & one.data


def test_c_and_its_names_layout_and_order() -> None:
    one = "#include <stdio.h>\nint add(int a, int b) { return a + b; /* sum */ }\n"
    one += 'int main() { printf("%d", add(1, 2)); }\n'
    two = 'int main()\n{\n  printf("%i",\n    plus(3,4));\n}\n// so\nint plus(int x,int y){return x+y;}\n'
    shapes = [sorted(unit.shape for unit in lexed.units("a.c", text)) for text in (one, two, one.replace("+", "-"))]
    assert shapes[0] == shapes[1] != shapes[2]
    assert [(unit.first, unit.last) for unit in lexed.units("b.c", two)] == [(1, 5), (7, 7)]


def test_prose_and_its_layout() -> None:
    one = "Ships come to **a harbour** one after\nanother at 12:30.\n\nThey wait for a berth that is free."
    two = "They wait for A BERTH that is free!\n\n\nships come to a harbour, one after another at 7:15"
    prints = [frozenset().union(*(unit.prints for unit in prose.units("task.md", text))) for text in (one, two)]
    assert prints[0] == prints[1] != frozenset()
    assert [(unit.first, unit.last) for unit in prose.units("task.md", one)] == [(1, 2), (4, 4)]
    assert prose.units("task.md", "Too few words.") == []


@given(st.lists(st.integers(1, 2**56), max_size=40), st.integers(1, 15))
def test_shingles_are_those_of_every_window(tokens: list[int], width: int) -> None:
    got = list(shingles(tokens, width))
    assert len(got) == (max(1, len(tokens) - width + 1) if tokens else 0)
    assert all(0 <= each < 2**32 for each in got)
    if len(tokens) > width:
        assert got == [next(iter(shingles(tokens[at : at + width], width))) for at in range(len(tokens) - width + 1)]


def test_names_tell_only_how_long_ago_they_were_used() -> None:
    streams = [Stream(5), Stream(5)]
    for stream, names in zip(streams, ("abcabca", "xyzxyzx"), strict=True):
        for name in names:
            stream.name(name)
    assert streams[0].tokens == streams[1].tokens
    assert len(set(streams[0].tokens)) == 2  # new, and three ago


def test_boilerplate_is_what_our_examples_hold() -> None:
    from envbounty.scaffold.environment import render_environment

    units, _, _ = code_units("environment.py", render_environment("some-task", "function", "X")["environment.py"])
    assert units and all(unit.prints <= boilerplate() for unit in units)
    assert not boilerplate() & frozenset().union(*printed(BASE).layers.values())


# --- likeness --------------------------------------------------------------------------------------------------------


def printed(files: object, name: str = "x") -> Print:
    assert isinstance(files, dict)
    return print_files(name, {path: text if isinstance(text, bytes) else text.encode() for path, text in files.items()})


def test_likeness_of_one_with_itself_and_with_a_stranger() -> None:
    one, other = printed(BASE), printed(OTHER)
    itself = likeness(one, one)
    assert itself.same and itself.same_shape and itself.near_duplicate and not itself.partly_copied
    assert all(share.jaccard == share.containment == 1 for layer, share in itself.shares.items() if layer != "tests")
    strange = likeness(one, other)
    assert not strange.same_shape and strange.copied == () and not strange.near_duplicate
    assert set(strange.shares) == set(LAYERS)


def test_wrong_solutions_do_not_count() -> None:
    assert printed(BASE) == printed({**BASE, "solutions/bad/never.py": "# wrong: is another one\nx = 1\n"})


def test_containment_is_of_the_smaller_one() -> None:
    large = printed({**BASE, "environment.py": VERIFIER + "\n\n" + str(OTHER["environment.py"])})
    share = likeness(printed(BASE), large).shares["verifier"]
    assert share.containment == 1 and share.jaccard < 0.7


# --- hostile texts ---------------------------------------------------------------------------------------------------

HOSTILE = {
    "not Python": "def f(:\n",
    "nested brackets": "x = " + "[" * 150 + "]" * 150,
    "deep brackets": "(" * 50_000,
    "deep unary": "-" * 50_000 + "1",
    "deep attributes": "x" + ".a" * 50_000,
    "a long sum": "+".join(["a"] * 20_000),
    "many elifs": "if a: pass\n" + "elif b: pass\n" * 5000,
    "a null": "a\0b",
    "half a character": "x = '\ud800'",
    "a huge number": "x = " + "9" * 5000,
    "a huge hexadecimal": "x = 0x" + "f" * 50_000,
    "a large table": "x = [" + "[1, 2, 3], " * 30_000 + "]",
    "nested tables": "x = " + "[1, 2, 3, " * 80 + "]" * 80,
    "code in code in code": "x = "
    + repr("y = " + repr("z = " + repr("def f():\n  pass\n  pass\n  pass\n  return 1\n"))),
    "nothing": "",
    "a comment that never ends": "/* " * 20_000,
    "quotes": "'" * 50_000,
    "backslashes": "\\" * 50_000,
    "one long line": "a" * 500_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_break_nothing_and_take_no_time(name: str) -> None:
    text = HOSTILE[name]
    started = time.process_time()
    for path in ("a.py", "a.cpp", "a.txt"):
        code_units(path, text)
    prose.units("task.md", text)
    printed({"environment.py": text.encode("utf-8", "surrogatepass"), "task.md": b"\xff\xfe\x00"})
    assert time.process_time() - started < 5


@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    code_units("a.py", text)
    code_units("a.c", text)
    prose.units("task.md", text)


def test_unparsable_python_is_still_compared() -> None:
    broken = REFERENCE + "\n\ndef (:\n"
    one, two = (print_files(name, {"solutions/reference.py": broken.encode()}) for name in "ab")
    assert pycode.read("a.py", broken) is None
    assert likeness(one, two).same and likeness(one, two).shares["solution"].shared > 30
