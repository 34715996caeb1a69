"""A report for somebody at a terminal."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from envbounty.findings import Finding, Report, Result, Severity, Verdict
from envbounty.render.words import (
    EXIT_MEANING,
    NOT_ISOLATED,
    clean,
    evidence_rows,
    measured,
    overridden,
    place,
    plural,
    tally,
    worst_first,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_STYLE = {
    Verdict.PASS: "bold green",
    Verdict.FAIL: "bold red",
    Verdict.ERROR: "bold magenta",
    Verdict.INCOMPLETE: "bold yellow",
    Severity.ERROR: "red",
    Severity.WARNING: "yellow",
    Severity.NOTE: "cyan",
}

_LABEL_WIDTH = 15
_NARROWEST = 40


def render_text(report: Report, *, colour: bool, width: int) -> str:
    """The report as text that ends with a newline, at most `width` columns wide (40 at least).

    Commands and places are the exception: they are never broken, so that they can be copied and clicked. With
    `colour` the text holds ANSI colour codes and no other control sequence; without, none.
    """
    console = _console(colour, max(width, _NARROWEST))
    page = _Page(console)
    if not report.jail.isolated:
        page.say((NOT_ISOLATED, "bold white on red"))
        page.end()
    for result in report.results:
        _show_result(page, result)
    console.print(_summary(report))
    for line in _ending(report):
        page.say((line, _STYLE[report.verdict]))
    page.end()
    sink = console.file
    assert isinstance(sink, io.StringIO)
    lines = sink.getvalue().split("\n")
    return "\n".join(line.rstrip(" ") for line in lines).rstrip("\n") + "\n"


def _console(colour: bool, width: int) -> Console:
    # rich costs a tenth of a second to import, which `envbounty --help` should not pay.
    from rich.console import Console

    return Console(
        file=io.StringIO(),
        width=width,
        height=50,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        _environ={},  # the caller decides, not NO_COLOR, COLUMNS or TERM
    )


class _Page:
    """Paragraphs, wrapped under themselves and printed together: a print costs more than all the rest."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lines: list[Text] = []

    def say(self, *parts: tuple[str, str], indent: int = 0, label: str | None = None, fold: bool = True) -> None:
        """One paragraph of (text, style) parts that have been cleaned, after a label or room for one."""
        from rich.text import Text

        margin = Text(" " * indent)
        if label is not None:
            margin.append(label.ljust(_LABEL_WIDTH), style="dim")
        body = Text.assemble(*((_not_an_order(text), style) for text, style in parts))
        # Later lines stand further in, so that no wrapped text can pass for a line of ours.
        hang = len(margin) if label is not None else len(margin) + 4
        room = self._console.width - hang
        if not fold or len(margin) + body.cell_len <= self._console.width:
            lines = [body]
        else:
            lines = list(body.wrap(self._console, room, overflow="fold"))
        for number, line in enumerate(lines):
            line.rstrip()
            self._lines.append((margin if number == 0 else Text(" " * hang)) + _not_a_command(line))

    def end(self) -> None:
        """Print what there is, and an empty line."""
        from rich.text import Text

        self._console.print(Text("\n").join([*self._lines, Text()]), soft_wrap=True)
        self._lines.clear()


def _not_an_order(text: str) -> str:
    """In a GitHub job's log `##[…]` is an order to the runner, wherever in a line it stands."""
    return text.replace("##[", "#\\x23[")


def _not_a_command(line: Text) -> Text:
    """So is `::name::` where a line starts, spaces aside, and wrapping can bring any text there."""
    from rich.text import Text

    start = len(line.plain) - len(line.plain.lstrip(" "))
    if not line.plain.startswith("::", start):
        return line
    return line[:start] + Text("\\x3a") + line[start + 1 :]


def _in_table(text: str, limit: int) -> str:
    return _not_an_order(clean(text, limit)).replace("::", ":\\x3a")


def _show_result(page: _Page, result: Result) -> None:
    environment = result.environment
    page.say(
        (result.verdict.upper(), _STYLE[result.verdict]),
        (f"  {clean(environment.path or environment.name, 300)}", "bold"),
        (f"  {clean(environment.kind, 60)}", "dim"),
    )
    if result.reason:
        page.say((clean(result.reason, 1000), ""), indent=2)
    if result.spread is not None:
        page.say((measured(result.spread), "dim"), indent=2)
    if not result.contract:
        page.say(("The files do not keep the contract, so nothing was run.", ""), indent=2)
    page.end()
    for finding in worst_first(result.findings):
        _show_finding(page, result, finding)


def _show_finding(page: _Page, result: Result, finding: Finding) -> None:
    page.say(
        (finding.severity.value, _STYLE[finding.severity]),
        (f"  {clean(finding.rule, 100)}", "bold"),
        (f"  {place(result, finding)}", ""),
        indent=2,
        fold=False,
    )
    page.say((clean(finding.message, 4000), ""), indent=4)
    if finding.overridden is not None:
        page.say((overridden(finding), "yellow"), indent=4, label="policy")
    evidence = finding.evidence
    if evidence is not None:
        for label, lines in evidence_rows(evidence, limit=4000):
            for number, line in enumerate(lines):
                page.say((line, ""), indent=4, label=label if number == 0 else "")
    page.say((clean(finding.fix, 4000), "green"), indent=4, label="fix")
    if evidence is not None and evidence.reproduce:
        page.say((clean(evidence.reproduce), "bold"), indent=4, label="reproduce", fold=False)
    page.end()


def _summary(report: Report) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("environment", overflow="fold")
    table.add_column("kind", overflow="fold")
    table.add_column("verdict", no_wrap=True)
    for name in ("errors", "warnings", "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    for result in report.results:
        table.add_row(
            Text(_in_table(result.environment.name or result.environment.path, 120)),
            Text(_in_table(result.environment.kind, 40)),
            Text(result.verdict.value, style=_STYLE[result.verdict]),
            Text(str(tally(result.findings, Severity.ERROR))),
            Text(str(tally(result.findings, Severity.WARNING))),
            Text(f"{result.stats.seconds:.1f}"),
        )
    return table


def _ending(report: Report) -> list[str]:
    counts = [
        f"{number} {verdict.value}"
        for verdict in (Verdict.PASS, Verdict.FAIL, Verdict.ERROR, Verdict.INCOMPLETE)
        if (number := sum(result.verdict is verdict for result in report.results))
    ]
    what = plural(len(report.results), "environment")
    code = report.exit_code
    meaning = EXIT_MEANING[code] if report.results else "no environment was examined, which is not a pass"
    return [f"{what}: {', '.join(counts)}" if counts else what, f"exit {code}: {meaning}"]
