"""Plots are inert: whatever an environment calls itself and answers, an SVG holds shapes, text and one style sheet."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envbounty.findings import Answer, Environment, Jail, Level, Report, Result, Scores, Spread, Verdict
from envbounty.render.markdown import render_markdown
from envbounty.render.plots import STYLE, render_plots

NAMESPACE = "{http://www.w3.org/2000/svg}"
ALLOWED = {"svg", "g", "rect", "path", "line", "text", "title", "style", "circle", "defs"}
#: Attributes whose value is fetched or run by some viewer.
LIVE = re.compile(r"href|src|^on|^style$|xml:base", re.I)
HOSTILE = [
    "<script>alert(1)</script>",
    "]]></style><script xlink:href='http://example.org/x.js'/>",
    'x" onload="alert(1)',
    "http://example.org/",
    "&amp;&#60;",
    "\x00\x1b[31m\u202e",
    "\ud800",
    "javascript:alert(1)",
    "@import url(//example.org)",
]


def report(name: str = "an-environment", answer: str = "7", digest: str = "ab" * 32) -> Report:
    spread = Spread(
        instances=20,
        distinct=20,
        levels=(
            Level(difficulty=1, instances=10, sizes=(10, 20, 30, 40, 55)),
            Level(difficulty=2, instances=10, sizes=(20, 40, 60, 80, 90)),
        ),
        answers=2,
        entropy_bits=1,
        commonest=(Answer(text=answer, count=12), Answer(text='"no"', count=8)),
        scores=Scores(right=(0,) * 9 + (20,), wrong=(30,) + (0,) * 8 + (1,), unknown=(0,) * 10),
    )
    who = Environment(name=name, path=f"environments/{name}", kind="answer", dialect="native", digest=digest)
    result = Result(environment=who, verdict=Verdict.PASS, spread=spread)
    return Report(jail=Jail(backend="bubblewrap", isolated=True), results=(result,))


def assert_inert(text: str) -> ElementTree.Element:
    text.encode("utf-8")
    assert "<!" not in text and "<?" not in text
    root = ElementTree.fromstring(text)
    styles = 0
    for node in root.iter():
        assert node.tag.removeprefix(NAMESPACE) in ALLOWED, node.tag
        for attribute, value in node.attrib.items():
            assert not LIVE.search(attribute), attribute
            assert "url(" not in value and "//" not in value and "javascript:" not in value
        if node.tag == f"{NAMESPACE}style":
            styles += 1
            assert node.text == STYLE
    assert styles == 1
    return root


def test_the_style_fetches_nothing_and_knows_light_and_dark() -> None:
    assert not re.search(r"url\(|@import|http|//|expression", STYLE)
    assert "prefers-color-scheme: dark" in STYLE


def test_three_plots_of_each_environment_the_same_each_time() -> None:
    plots = render_plots(report())
    assert list(plots) == [f"an-environment-abababab-{kind}.svg" for kind in ("sizes", "scores", "answers")]
    assert render_plots(report()) == plots
    for text in plots.values():
        assert_inert(text)


def test_what_was_measured_is_what_is_drawn() -> None:
    plots = {name.rpartition("-")[2]: assert_inert(text) for name, text in render_plots(report()).items()}
    words = {name: [node.text for node in root.iter(f"{NAMESPACE}text")] for name, root in plots.items()}
    assert {"difficulty 1", "difficulty 2"} <= set(words["sizes.svg"])
    assert {"right", "wrong", "0.9–1.0"} <= set(words["scores.svg"])
    assert "nobody can say" not in words["scores.svg"]
    assert {"7", '"no"'} <= set(words["answers.svg"])
    bars = [node for node in plots["answers.svg"].iter(f"{NAMESPACE}rect") if "reactive" in node.get("class", "")]
    widths = sorted(float(bar.get("width", "0")) for bar in bars)
    assert widths[1] / widths[0] == pytest.approx(12 / 8, rel=1e-3)
    text = {node.text for root in plots.values() for node in root.iter(f"{NAMESPACE}title")}
    assert any("an-environment" in (line or "") for line in text)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    plots = render_plots(report(name=text, answer=text))
    assert len(plots) == 3
    for name, svg in plots.items():
        assert re.fullmatch(r"[a-z0-9-]+\.svg", name)
        assert_inert(svg)


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_any_text_stays_text(text: str) -> None:
    for svg in render_plots(report(name=text or "x", answer=text, digest=text)).values():
        assert_inert(svg)


def test_nothing_is_drawn_of_what_was_not_measured() -> None:
    made = report()
    empty = made.results[0].model_copy(update={"spread": None})
    assert render_plots(made.model_copy(update={"results": (empty,)})) == {}
    bare = made.results[0].model_copy(update={"spread": Spread(instances=0, distinct=0)})
    assert render_plots(made.model_copy(update={"results": (bare,)})) == {}


def test_the_summary_names_the_plots_as_code_and_bounds_them() -> None:
    plots = [f"plots/`{number}.svg" for number in range(100)]
    text = render_markdown(report(), plots=plots)
    assert "Plots: ``plots/`0.svg``, " in text
    assert "and 40 more." in text
    assert "Plots" not in render_markdown(report())
