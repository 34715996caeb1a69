"""Which calls a task's text shows."""

from __future__ import annotations

import pytest

from envbounty.verify.examples import examples
from envbounty.verify.inputs.values import shown_call

TABLE = {
    "a doctest": (">>> f([1, 2], 3)\n5", ["f([1, 2], 3)"]),
    "in prose": ("Here `f('a)b', (1, 2))` is 3, and f(2) too.", ["f('a)b', (1, 2))", "f(2)"]),
    "over lines": ("f(\n  [1,\n   2])", ["f([1, 2])"]),
    "by name": ("f(n=3, m='x')", ["f(n=3, m='x')"]),
    "the signature": ("def f(n, m):", []),
    "another function": ("gf(3) and f3(4)", []),
    "not closed": ("f(3", []),
    "no literal": ("f(g(3))", []),
    "sets and maps": ("f({1, 2}, {1: 2}, {'a': 1})", ["f({1, 2}, {1: 2}, {'a': 1})"]),
}


@pytest.mark.parametrize("what", TABLE)
def test_examples(what: str) -> None:
    text, calls = TABLE[what]
    assert [shown_call("f", call) for call in examples(text, "f")] == calls


def test_hostile_text_is_bounded() -> None:
    assert len(examples("f(" * 20_000 + ")" * 20_000, "f")) <= 1
    assert examples("f([" * 5_000 + "])" * 5_000, "f")[1:] == []
    assert len(examples("f(1) " * 5000, "f")) <= 200
