"""What was measured of an environment, as SVG: sizes by difficulty, scores of right and wrong outputs, answers.

The same report gives the same bytes. A file holds shapes, text and a style sheet: no script, no link, nothing that is
fetched, and colours for a light and for a dark page. pygal draws; what it adds for its own scripts is taken out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from envbounty.findings import Report, Result, Spread
from envbounty.render.words import clean

NAMESPACE = "http://www.w3.org/2000/svg"
#: Longer labels would leave no room for the bars.
LABEL = 36
#: Left out of what pygal draws. `desc` holds values for its tooltips, which need a script.
DROPPED = frozenset({"script", "desc", "style", "a", "foreignObject", "image", "use"})

#: Blue, orange and grey can be told apart on black and on white, and by people who do not see red and green apart.
STYLE = """
svg { font-family: sans-serif; font-size: 13px; }
.background { fill: #ffffff; } text { fill: #1f2328; } .title { font-size: 17px; text-anchor: middle; }
.plot_title { font-weight: bold; } .line { stroke: #1f2328; fill: none; } .guide.line { stroke: #d0d7de; }
.major.line { stroke: #8c959f; } .axis.y text { text-anchor: end; } .axis.x text { text-anchor: middle; }
.horizontal .axis.y text, .axis.x text[transform] { text-anchor: end; }
.color-0 { fill: #2f81f7; stroke: #2f81f7; } .color-1 { fill: #e16f24; stroke: #e16f24; }
.color-2 { fill: #8c959f; stroke: #8c959f; } .legend text { stroke: none; } .text-overlay { display: none; }
.box-graph .plot .reactive { fill: #2f81f7; stroke: #2f81f7; fill-opacity: 0.35; }
@media (prefers-color-scheme: dark) {
.background { fill: #0d1117; } text { fill: #e6edf3; } .line { stroke: #e6edf3; } .guide.line { stroke: #30363d; }
.major.line { stroke: #6e7681; }
}
"""


def render_plots(report: Report) -> dict[str, str]:
    """{file name: SVG} for every environment of which something was measured, in the order of the report."""
    found: dict[str, str] = {}
    for result in report.results:
        if result.spread is not None:
            for kind, draw in PLOTS.items():
                chart = draw(result.spread)
                if chart is not None:
                    name = f"{_stem(result)}-{kind}.svg"
                    found[name] = _plain(chart, f"{clean(result.environment.name, 80)}: {TITLES[kind]}")
    return found


def _stem(result: Result) -> str:
    """The start of a file name: letters, digits and hyphens, whatever the environment calls itself."""
    name = re.sub(r"[^a-z0-9]+", "-", result.environment.name.lower())[:60].strip("-") or "environment"
    digest = re.sub(r"[^0-9a-f]", "", result.environment.digest)[:8]
    return f"{name}-{digest}" if digest else name


def _sizes(spread: Spread) -> Any:
    if not spread.levels:
        return None
    import pygal

    chart = pygal.Box(**_config(), box_mode="extremes", show_legend=False)
    chart.x_labels = [f"difficulty {level.difficulty}" for level in spread.levels]
    for level in spread.levels:
        chart.add(f"difficulty {level.difficulty}", list(level.sizes))
    return chart


def _scores(spread: Spread) -> Any:
    scores = spread.scores
    if scores is None or not any((*scores.right, *scores.wrong, *scores.unknown)):
        return None
    import pygal

    chart = pygal.Bar(**_config(), x_title="score", y_title="outputs", legend_at_bottom=True)
    bins = len(scores.right)
    chart.x_labels = [f"{number / bins:.1f}–{(number + 1) / bins:.1f}" for number in range(bins)]
    chart.add("right", list(scores.right))
    chart.add("wrong", list(scores.wrong))
    if any(scores.unknown):
        chart.add("nobody can say", list(scores.unknown))
    return chart


def _answers(spread: Spread) -> Any:
    if not spread.commonest:
        return None
    import pygal

    chart = pygal.HorizontalBar(**_config(), show_legend=False, x_title="instances with this right answer")
    # The first is drawn at the bottom.
    shown = list(reversed(spread.commonest))
    chart.x_labels = [clean(answer.text, LABEL) for answer in shown]
    chart.add("instances", [answer.count for answer in shown])
    return chart


#: What each plot is called in its file's name, and what draws it: a pygal chart, or None where there is nothing to see.
PLOTS: dict[str, Callable[[Spread], Any]] = {"sizes": _sizes, "scores": _scores, "answers": _answers}
TITLES = {
    "sizes": "size of instances, in characters",
    "scores": "scores of right and wrong outputs",
    "answers": "the commonest right answers",
}


def _config() -> dict[str, Any]:
    return {
        "js": [],
        "css": [],
        "no_prefix": True,
        "disable_xml_declaration": True,
        "width": 760,
        "height": 420,
        "include_x_axis": True,
        "truncate_label": -1,
    }


def _plain(chart: Any, title: str) -> str:
    """The chart as SVG text with nothing in it but what is seen."""
    chart.title = title
    root = ElementTree.fromstring(chart.render())  # comments, which hold addresses and a date, are left behind
    root = _kept(root)
    root.set("xmlns", NAMESPACE)
    root.set("role", "img")
    # The size of the picture in a page that says none.
    root.set("width", "760")
    root.set("height", "420")
    style = ElementTree.Element("style")
    style.text = STYLE
    root.insert(0, style)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _kept(node: ElementTree.Element) -> ElementTree.Element:
    """The node without namespace prefixes, links, handlers, and whatever is for pygal's scripts."""
    attributes = {
        name: value
        for name, value in node.attrib.items()
        if "}" not in name and name not in ("id", "style") and not name.startswith("on") and "href" not in name
    }
    kept = ElementTree.Element(node.tag.rpartition("}")[2], attributes)
    kept.text, kept.tail = node.text, node.tail
    for child in node:
        name = child.tag.rpartition("}")[2]
        if name not in DROPPED and "tooltip-overlay" not in child.get("class", ""):
            kept.append(_kept(child))
    return kept
