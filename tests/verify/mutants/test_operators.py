"""Every operator: the exact mutants that it makes of a small source, and the code that none of them touches."""

# ruff: noqa: E501  (tables of sources)

from __future__ import annotations

import pytest

from envbounty.verify.mutants import TIERS, mutants, pairs

# operator → (source, [the changed line or lines of each mutant by that operator])
TABLE: list[tuple[str, str, list[str]]] = [
    (
        "edge-case",
        "def f(xs):\n    if not xs:\n        return 0\n    for x in xs:\n        if x < 0:\n            continue\n    return x\n",
        ["pass", "pass"],
    ),
    (
        "off-by-one",
        "def f(n):\n    for i in range(2, n):\n        pass\n",
        ["for i in range(1, n):", "for i in range(3, n):", "for i in range(2, n - 1):", "for i in range(2, n + 1):"],
    ),
    (
        "off-by-one",
        "def f(n):\n    return range(n + 1)\n",
        ["return range(n)", "return range(n + 2)", "return range(1, n + 1)"],
    ),
    (
        "off-by-one",
        "def f(xs, k):\n    return xs[k - 1 : k]\n",
        [
            "return xs[k - 2 : k]",
            "return xs[k : k]",
            "return xs[k - 1 : k - 1]",
            "return xs[k - 1 : k + 1]",
        ],
    ),
    ("off-by-one", "def f(xs):\n    return xs[:-1]\n", ["return xs[:-2]", "return xs[:]", "return xs[1:-1]"]),
    ("off-by-one", "def f(xs):\n    return xs[-1]\n", ["return xs[-2]", "return xs[0]"]),
    ("off-by-one", "def f(d):\n    return d['a']\n", []),
    (
        "off-by-one",
        "def f(a, b):\n    return a < b <= 3 > a >= b\n",
        [
            "return a <= b <= 3 > a >= b",
            "return a < b < 3 > a >= b",
            "return a < b <= 3 >= a >= b",
            "return a < b <= 3 > a > b",
        ],
    ),
    (
        "comparison",
        "def f(a, b):\n    return (a) == b # a <= b\n",
        ["return (a) <= b # a <= b", "return (a) >= b # a <= b", "return (a) != b # a <= b"],
    ),
    ("comparison", "def f(a, b):\n    return a not  in b\n", ["return a in b"]),
    ("comparison", "def f(a):\n    return a is not None\n", ["return a is None"]),
    (
        "tie-break",
        "def f(xs):\n    best = 0\n    for x in xs:\n        if x > best:\n            best = x\n    return best\n",
        ["if x >= best:"],
    ),
    (
        "tie-break",
        "def f(xs):\n    return sorted(xs, key=lambda x: (x[1], -x[0]), reverse=True)\n",
        [
            "return sorted(list(xs)[::-1], key=lambda x: (x[1], -x[0]), reverse=True)",
            "return sorted(xs, key=lambda x: (x[1],), reverse=True)",
            "return sorted(xs, key=lambda item: item, reverse=True)",
            "return sorted(xs, key=lambda x: (-x[0], x[1]), reverse=True)",
            "return sorted(xs, key=lambda x: (-x[1], -x[0]), reverse=True)",
            "return sorted(xs, key=lambda x: (x[1], x[0]), reverse=True)",
            "…n sorted(xs, key=lambda x: (x[1], -x[0]), reverse=False)",
        ],
    ),
    (
        "tie-break",
        "def f(xs):\n    return sorted(x for x in xs)\n",
        ["return sorted((x for x in xs), reverse=True)"],
    ),
    ("tie-break", "def f(xs):\n    xs.sort()\n    return xs\n", ["xs.sort(reverse=True)"]),
    (
        "tie-break",
        "def f(xs):\n    return max(xs, key=len)\n",
        [
            "return max(list(xs)[::-1], key=len)",
            "return max(xs, key=lambda item: item)",
            "return min(xs, key=len)",
        ],
    ),
    (
        "small-inputs",
        "def f(xs):\n    for x in xs:\n        yield x\n",
        [
            "for x in xs[:10]:",
            "for x in xs[:3]:",
            "for x in [value for value in xs if type(value) not in (int, float) or value <= 100]:",
        ],
    ),
    (
        "small-inputs",
        "def f(n):\n    for i in range(n):\n        yield i\n",
        ["for i in range(min(n, 10)):", "for i in range(min(n, 3)):"],
    ),
    (
        "input-class",
        "def f(n: int):\n    return n\n",
        [
            "n = abs(n) if type(n) in (int, float) else n return n",
            "n = min(n, 100) if type(n) in (int, float) else n return n",
            "n = int(n) if type(n) is float and abs(n) < 1e300 else n return n",
        ],
    ),
    (
        "skip-element",
        "def f(rows):\n    return [x for x in rows[0] for y in zip(rows, x)]\n",
        [
            "return [x for x in rows[0][1:] for y in zip(rows, x)]",
            "return [x for x in rows[0][:-1] for y in zip(rows, x)]",
            "return [x for x in rows[0] for y in list(zip(rows, x))[1:]]",
            "return [x for x in rows[0] for y in list(zip(rows, x))[:-1]]",
        ],
    ),
    (
        "drop-condition",
        "def f(xs, a):\n    return [x for x in xs if x and (a or x)]\n",
        [
            "return [x for x in xs if True]",
            "return [x for x in xs if True and (a or x)]",
            "return [x for x in xs if x and (True)]",
            "return [x for x in xs if x and (False or x)]",
            "return [x for x in xs if x and (a or False)]",
        ],
    ),
    (
        "initial-value",
        "def f(xs):\n    a = 0\n    b = [1] * 3\n    c = -float('inf')\n    d = xs[0]\n    e = []\n",
        ["a = 1", "a = -1", "b = [0] * 3", "c = 0", "c = -1", "d = 0", "e = [0]"],
    ),
    (
        "early-return",
        "def f(xs):\n    out = []\n    for x in xs:\n        out.append(x)\n    out.sort()\n    return out\n",
        ["out.append(x) break", "out.append(x) return out"],
    ),
    (
        "early-return",
        "def f(xs):\n    for x in xs:\n        if x: break\n        if not x: continue\n        x()\n",
        ["if x: continue", "if not x: break", "x() break"],
    ),
    ("early-return", "def f(xs):\n    for x in xs: x()\n", ["for x in xs: x(); break"]),
    (
        "rounding",
        "def f(a, b):\n    return round(a / b, 2)\n",
        [
            "return round(a // b, 2)",
            "return int(a / b, 2)",
            "return round(a / b, 1)",
            "return round(a / b, 3)",
            "return a / b",
        ],
    ),
    (
        "rounding",
        "import math\ndef f(a):\n    a //= 2\n    return math.floor(a)\n",
        ["a /= 2", "return int(a)", "return round(a)", "return math.ceil(a)", "return a"],
    ),
    (
        "method",
        "def f(s):\n    return s.strip().split()\n",
        [
            "return s.strip().split(' ')",
            "return s.lstrip().split()",
            "return s.rstrip().split()",
            "return s.split()",
        ],
    ),
    (
        "method",
        "def f(xs, x):\n    xs.append(x)\n    return len(set(xs)), xs.pop(0), abs(x)\n",
        [
            "xs.extend(x)",
            "xs.insert(0, x)",
            "return len(list(xs)), xs.pop(0), abs(x)",
            "return len(set(xs)), xs.pop(), abs(x)",
            "return len(set(xs)), xs.pop(0), x",
        ],
    ),
    (
        "method",
        "def f(s, t):\n    return s.find(t), any(s), s.replace(t, s)\n",
        [
            "return s.rfind(t), any(s), s.replace(t, s)",
            "return s.find(t), all(s), s.replace(t, s)",
            "return s.find(t), any(s), s.replace(t, s, 1)",
            "return s.find(t), any(s), s",
        ],
    ),
    (
        "method",
        "def f(xs):\n    return reversed(xs), sorted(xs), xs[::-1]\n",
        [
            "return xs, sorted(xs), xs[::-1]",
            "return reversed(xs), list(xs), xs[::-1]",
            "return reversed(xs), sorted(set(xs)), xs[::-1]",
            "return reversed(xs), sorted(xs), xs",
        ],
    ),
    (
        "state",
        "def f(rows):\n    out = []\n    for row in rows:\n        n = 0\n        for x in row:\n            n += x\n        out.append(n)\n    return out\n",
        ["def f(rows, out=[]): pass", "n = 0 for row in rows: pass"],
    ),
    ("state", "def f(rows):\n    for row in rows:\n        n = row[0]\n", []),
    (
        "drop-element",
        "def f(c):\n    return c in 'xyz' or c in [1, 2, 3]\n",
        [
            'return c in "xy" or c in [1, 2, 3]',
            'return c in "yz" or c in [1, 2, 3]',
            'return c in "xz" or c in [1, 2, 3]',
            "return c in 'xyz' or c in [2, 3]",
            "return c in 'xyz' or c in [1, 3]",
            "return c in 'xyz' or c in [1, 2]",
        ],
    ),
    ("drop-element", "D = {'a': 1, 'b': 2}\ndef f(c):\n    return D[c]\n", ["D = {'b': 2}", "D = {'a': 1}"]),
    (
        "last-step",
        "def f(xs):\n    return [x for x in xs]\n",
        ["return [x for x in xs][:-1]", "return [x for x in xs][1:]"],
    ),
    ("last-step", "def f(n):\n    return n\n", []),
    ("swap-arguments", "def f(g, a, b):\n    return g(a,  b + 1), max(a, b), g(a, a)\n", ["return g(b + 1, a), max(a, b), g(a, a)"]),
    (
        "swap-operands",
        "def f(a, b):\n    return a - b * 2, a + b, 'x' + a\n",
        ["return (b * 2) - a, a + b, 'x' + a", "return a - b * 2, a + b, a + 'x'"],
    ),
    (
        "arithmetic",
        "def f(a, b):\n    a += b\n    return (a) + (b) % a\n",
        ["a -= b", "a = b", "return (a) - (b) % a", "return (a) + (b) // a"],
    ),
    (
        "drop-operand",
        "def f(a, b):\n    return -a % (b - 1)\n",
        ["return a % (b - 1)", "return -a", "return -a % (b)", "return -a % (1)"],
    ),
    (
        "boolean",
        "def f(a, b, c):\n    return a and b and not c\n",
        ["return a or b and not c", "return a and b or not c", "return a and b and c"],
    ),
    (
        "constant",
        "def f(a):\n    return a * 7, 'ab', 2.5, True\n",
        [
            "return a * 8, 'ab', 2.5, True",
            "return a * 6, 'ab', 2.5, True",
            "return a * 0, 'ab', 2.5, True",
            "return a * -7, 'ab', 2.5, True",
            "return a * 7, \"a\", 2.5, True",
            "return a * 7, \"b\", 2.5, True",
            "return a * 7, \"AB\", 2.5, True",
            "return a * 7, \"\", 2.5, True",
            "return a * 7, 'ab', 3.5, True",
            "return a * 7, 'ab', 2.25, True",
            "return a * 7, 'ab', 0.0, True",
            "return a * 7, 'ab', -2.5, True",
            "return a * 7, 'ab', 2.5, False",
        ],
    ),
    (
        "branch",
        "def f(a, b):\n    if a:\n        b = 1\n    elif a.x:\n        b = 2\n    else:\n        b = 3\n    while b:\n        b()\n    return b if a else a\n",
        [
            "if False:",
            "if True:",
            "if not a:",
            "elif False:",
            "elif True:",
            "elif not a.x:",
            "while False:",
            "return b",
            "return a",
        ],
    ),
    (
        "delete-statement",
        "def f(a):\n    b = 1\n    a = 2\n    a.g()\n    a = 3\n    del a.x\n    a.b = 4\n    raise a\n",
        ["pass"] * 6,
    ),
    (
        "slower",
        "import functools\n@functools.cache\ndef g(a):\n    return a\ndef f(xs, ys):\n    zs = set(xs)\n    return [g(y) for y in ys if y in zs]\n",
        ["@(lambda function: function)"],
    ),
    ("slower", "def f(xs, ys):\n    zs = set(xs)\n    return [y in zs for y in ys], len(zs)\n", []),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "source", "wanted"), TABLE, ids=[f"{row[0]}-{n}" for n, row in enumerate(TABLE)])
def test_an_operator_makes_exactly_these(operator: str, source: str, wanted: list[str]) -> None:
    made = [mutant.after for mutant in mutants(source, "f") if mutant.operator == operator]
    assert sorted(made) == sorted(wanted)


def test_every_operator_is_in_the_table() -> None:
    assert {row[0] for row in TABLE} == set(TIERS) - {"narrower"}  # of C alone


def test_what_a_set_answers_a_list_answers_later() -> None:
    source = "def f(xs, ys):\n    zs = set(xs)\n    return [y in zs for y in ys]\n"
    (slower,) = [mutant for mutant in mutants(source, "f") if mutant.after == "zs = list(xs)"]
    assert slower.operator in ("slower", "method")


LEFT_ALONE = '''\
"""A module."""
import sys
from typing import TypeVar

T = TypeVar("T", bound=int)
USED = 3
UNUSED = 4


def helper(n: "int" = 1) -> int:
    """Add 1."""
    assert n > 0, "a test"
    return n + USED


def unused(n):
    return n + 1


def test_f():
    assert f(1) == 4


def f(n: int) -> int:
    """Say n + 3; f(1) == 4."""
    return helper(n)


if __name__ == "__main__":
    print(f(1 + 1))
'''


def test_only_code_that_answers_is_changed() -> None:
    made = mutants(LEFT_ALONE, "f")
    lines = {mutant.line for mutant in made}
    # USED, helper's default, its start (before which another statement may come) and body, f's start and body
    assert lines == {6, 10, 12, 13, 26}
    assert {mutant.line for mutant in mutants(LEFT_ALONE, "helper")} == {6, 10, 12, 13}


def test_a_program_is_all_of_its_code_but_the_question_whether_it_is_the_main_one() -> None:
    lines = {mutant.line for mutant in mutants(LEFT_ALONE)}
    assert lines == {6, 7, 10, 12, 13, 17, 26, 30}
    assert not any("__name__" in mutant.before for mutant in mutants(LEFT_ALONE))


def test_subtle_ones_come_first_and_always_the_same() -> None:
    source = "def f(xs):\n    if not xs:\n        return 1\n    return sum(xs[1:]) // 2\n"
    made = mutants(source, "f")
    tiers = [TIERS[mutant.operator] for mutant in made]
    assert tiers[0] == 0 and tiers[-1] == 3
    assert next(mutant.operator for mutant in made if mutant.operator != "input-class") == "edge-case"
    assert [mutant.text for mutant in made] == [mutant.text for mutant in mutants(source, "f")]


def test_a_mutant_says_where_and_what() -> None:
    source = "def f(n):\n    # a comment\n    return (n  <  3)  # small\n"
    (mutant,) = [mutant for mutant in mutants(source, "f") if mutant.operator == "off-by-one"]
    assert (mutant.line, mutant.before, mutant.after) == (3, "return (n < 3) # small", "return (n <= 3) # small")
    assert mutant.text == source.replace("n  <  3", "n  <=  3") and mutant.order == 1


def test_a_long_line_is_clipped_around_the_change() -> None:
    source = f"def f(a):\n    return [{', '.join(['a'] * 80)}, a < 3, {', '.join(['a'] * 80)}]\n"
    (mutant,) = [mutant for mutant in mutants(source, "f") if mutant.operator == "off-by-one"]
    assert "a < 3" in mutant.before and "a <= 3" in mutant.after
    assert len(mutant.before) <= 101 and mutant.before[0] == "…" and mutant.before[-1] == "…"


@pytest.mark.parametrize(
    "source",
    [
        "def f(:\n",
        "",
        "x",
        "\0",
        "'\ud800'",
        "(" * 300 + ")" * 300,
        "-" * 5000 + "1",
        "x = 1\n" * 20_000,
        "def f(): return " + "9" * 5000,
        "f = lambda: 1" + " + 1" * 5000,
    ],
    ids=range(10),
)
def test_what_is_no_source_of_a_person_has_few_mutants_or_none(source: str) -> None:
    assert len(mutants(source)) <= 2000


def test_a_long_source_has_so_many_that_looking_at_them_takes_seconds() -> None:
    lines = "".join(f"    a = a[{n}] + {n} if a < {n} else a\n" for n in range(1000))
    assert 20 < len(mutants(f"def f(a):\n{lines}    return a\n", "f")) < 200
    many = "".join(f"def f{n}(a):\n    return a + {n} if a < {n} else f{n - 1}(a)\n" for n in range(1000))
    assert 100 < len(mutants(many, "f999")) < 2000


def test_two_line_ends_and_tabs_and_other_scripts() -> None:
    source = "def f(ä):\r\n\tif ä < 3:  # größer\r\n\t\treturn 'é' + ä[1]\r\n\treturn ä\r"
    made = mutants(source, "f")
    assert {mutant.line for mutant in made} == {2, 3, 4}
    assert any(mutant.text == source.replace("ä < 3", "ä <= 3") for mutant in made)
    assert any(mutant.text == source.replace("ä[1]", "ä[2]") for mutant in made)


def test_pairs_are_two_changes_that_do_not_touch_and_the_first_come_first() -> None:
    source = "def f(a, b):\n    return a < b, a + b\n"
    made = mutants(source, "f")
    some = [mutant for mutant in made if mutant.after in ("return a <= b, a + b", "return a < b, a - b")]
    other = [mutant for mutant in made if mutant.after == "return a > b, a + b"]
    assert len(some) == 2 and len(other) == 1
    (pair, second) = pairs(source, [*some, *other], 9)
    assert pair.text == "def f(a, b):\n    return a <= b, a - b\n" and pair.order == 2
    assert pair.operator == "off-by-one + arithmetic" and pair.line == 2
    assert second.text == "def f(a, b):\n    return a > b, a - b\n"
    assert pairs(source, some, 0) == [] == pairs(source, [], 5) == pairs("def g(:", some, 5)
