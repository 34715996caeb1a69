"""What holds for the mutants of any source."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envbounty.environment import Language
from envbounty.verify.mutants import Mutant, mutants, pairs

pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")

ROOT = Path(__file__).parents[3]
SOURCES = sorted(
    [*ROOT.glob("environments/*/solutions/*.py"), *ROOT.glob("environments/*/solutions/good/*.py")], key=str
)

names = st.sampled_from(["a", "b", "xs", "é"])
atoms = st.one_of(
    names,
    st.integers(-3, 300).map(str),
    st.sampled_from(["'ab'", '"é" "x"', "[]", "[1, 2, 3]", "f'{a}{b + 1}'", "1.5", "True", "{1: 2, 3: 4}", "()"]),
)


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = st.sampled_from(re.findall(r"\S+", "+ - * / // % ** < <= == != and or in is is-not not-in & | << if"))

    def binary(left: str, operator: str, right: str) -> str:
        if operator == "if":
            return f"({left}) if ({right}) else b"
        return f"({left})  {operator.replace('-', ' ')} ({right})"

    return st.one_of(
        st.builds(binary, inner, operators, inner),
        inner.map(lambda text: f"not ({text})"),
        inner.map(lambda text: f"-({text})"),
        inner.map(lambda text: f"(yield {text})"),
        st.builds(lambda a, b: f"xs[{a}:{b}]", inner, inner),
        st.builds(lambda a, b: f"({a})[{b}]", inner, inner),
        st.builds(lambda a, b: f"sorted(xs, key=lambda a: ({a}, {b}),)", inner, inner),
        st.builds(lambda a, b: f"sum({a} for a in range({b}) if a)", inner, inner),
        st.builds(lambda a, b: f"[{a} for a in sorted({b}) if a < 3]", inner, inner),
        st.builds(lambda a, b: f"({a}).replace('x', {b}).strip( )", inner, inner),
        st.builds(lambda a, b: f"max({a},# a comment, b)\n {b})", inner, inner),
        inner.map(lambda text: f"round(len(set({text})) / 2 ,1)"),
    )


expressions = st.recursive(atoms, _compound, max_leaves=6)


def _indented(block: list[str], by: str) -> str:
    return "".join(f"{by}{line}\n" for statement in block for line in statement.splitlines())


simple = st.one_of(
    st.builds(lambda a, b: f"{a} = {b}", names, expressions),
    st.builds(lambda a, b: f"{a} += {b}; xs.append({a})", names, expressions),
    expressions.map(lambda text: f"return {text}"),
    st.sampled_from(
        ["pass", "xs.sort()", "a = b = 0", "del a", "global q", "import math", "assert a < b", "a: int = 0"]
    ),
)


def _blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.builds(lambda a, b: f"for a in {a}:  # each\n{_indented(b, '   ')}", expressions, body),
        st.builds(
            lambda a, b, c: f"if {a}:\n{_indented(b, chr(9))}elif a:\n{_indented(c, ' ')}", expressions, body, body
        ),
        st.builds(lambda a, b: f"while {a}:\n{_indented([*b, 'break'], '  ')}", expressions, body),
        body.map(lambda b: f"@staticmethod\ndef g(a, b=1):\n{_indented(b, '  ')}"),
    )


statements = st.recursive(simple, _blocks, max_leaves=6)
functions = st.lists(statements, min_size=1, max_size=4).map(
    lambda b: f'def f(xs, a: int = 1):\n    """é"""\n{_indented(b, "    ")}'
)


def holds(source: str, made: list[Mutant]) -> None:
    """What every mutant promises."""
    data = source.encode()
    own = ast.dump(ast.parse(source))
    seen = {own}
    for mutant in made:
        compile(mutant.text, "mutant", "exec", dont_inherit=True)
        tree = ast.dump(ast.parse(mutant.text))
        assert tree not in seen, f"twice, or the source itself: {mutant}"
        seen.add(tree)
        (edit,) = mutant.edits
        assert mutant.text.encode() == data[: edit.start] + edit.text.encode() + data[edit.end :]
        assert 1 <= mutant.line <= source.count("\n") + 1
        assert "\n" not in mutant.before + mutant.after and mutant.before != ""


@settings(max_examples=25, deadline=None)
@given(functions)
def test_every_mutant_compiles_differs_and_is_one_splice(source: str) -> None:
    try:
        compile(source, "source", "exec")
    except SyntaxError:
        assert mutants(source, "f") == []
        return
    made = mutants(source, "f")
    holds(source, made[:80])
    assert made == mutants(source, "f")
    for pair in pairs(source, made[:12], 5):
        assert pair.order == 2 == len(pair.edits) and pair.edits[0].end < pair.edits[1].start
        compile(pair.text, "pair", "exec", dont_inherit=True)
        assert ast.dump(ast.parse(pair.text)) != ast.dump(ast.parse(source))


@settings(max_examples=150, deadline=None)
@given(st.text(), st.sampled_from(list(Language)), st.sampled_from(["f", "", None, "\ud800"]))
def test_no_text_makes_it_raise(text: str, language: Language, function: str | None) -> None:
    made = mutants(text, function, language=language)
    assert all(mutant.text != text for mutant in made)
    pairs(text, made, 3, language=language)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(list("<>=!+-*/%&|;{}()[],\"'\\#\n") + ["int ", "a", "f(", "0", "1", "long long "]), max_size=40
    )
)
def test_no_tokens_make_it_raise_and_each_mutant_is_one_splice(tokens: list[str]) -> None:
    source = "".join(tokens)
    for language in (Language.C, Language.CPP):
        made = mutants(source, language=language)
        assert len({mutant.text for mutant in made} - {source}) == len(made)
        for mutant in made:
            (edit,) = mutant.edits
            data = source.encode()
            assert mutant.text.encode() == data[: edit.start] + edit.text.encode() + data[edit.end :]


@pytest.mark.parametrize("path", SOURCES, ids=[f"{path.parent.parent.name}-{path.name}" for path in SOURCES])
def test_the_solutions_of_the_samples(path: Path) -> None:
    source = path.read_text()
    made = mutants(source)
    holds(source, made[:: max(1, len(made) // 40)])
    assert len(made) >= 10 or len(source) < 500
