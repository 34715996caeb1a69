"""A report for a pull request: the Markdown that GitHub shows as a job's summary.

One rule keeps it safe: text that we did not write stands inside a code span or a fenced block, never anywhere
else. Markdown and HTML are inert there, and GitHub looks for mentions, references, addresses and emoji only
outside code, so nothing has to be known about what GitHub makes live today.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

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
    weight,
    worst_first,
)

#: GitHub refuses a step summary of more than 1024 KiB as a whole; other tools may add to the same one.
MAX_BYTES = 900 * 1024

#: The table's share, so that thousands of environments still leave room for what is wrong with them.
_TABLE_BYTES = 300 * 1024
#: So many plots are named.
_PLOTS = 60
#: For the lines that say what was left out.
_SPARE_BYTES = 2 * 1024

_SIGN = {Verdict.PASS: "✅", Verdict.FAIL: "❌", Verdict.ERROR: "💥", Verdict.INCOMPLETE: "⏳"}
_RANK = {Verdict.FAIL: 0, Verdict.ERROR: 1, Verdict.INCOMPLETE: 2, Verdict.PASS: 3}


def code(text: str, limit: int = 1000, *, in_table: bool = False) -> str:
    """`text` as one inert code span."""
    text = clean(text, limit)
    if in_table:
        # A pipe would end the cell even inside a code span, and a backslash before it makes escaping
        # ambiguous.
        text = text.replace("|", "\\x7c")
    if not text.strip(" "):
        text = "(blank)" if text else "(empty)"  # Markdown has no code span for either
    mark = "`" * (_longest_run(text) + 1)
    # One space on either side is not shown; it keeps the text's own backticks and spaces apart from the mark.
    pad = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{mark}{pad}{text}{pad}{mark}"


def fence(lines: list[str]) -> str:
    """Lines that have been cleaned, as one inert block."""
    mark = "`" * max(3, _longest_run("\n".join(lines)) + 1)
    return "\n".join([mark + "text", *lines, mark])


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def render_markdown(report: Report, plots: Sequence[str] = ()) -> str:
    """The report as GitHub Markdown of at most 900 KiB in UTF-8. `plots` are the files that were drawn, to be named.

    When there is more, findings of the least severity are cut first, and the text says how many of each.
    """
    head = _head(report) + _plots(plots)
    budget = MAX_BYTES - _SPARE_BYTES - _size(head)
    table, budget = _table(report, budget)
    kept, cut = _choose(report, budget)
    parts = [head, table]
    if cut:
        told = ", ".join(plural(cut[severity], severity.value) for severity in Severity if cut[severity])
        parts.append(f"> [!WARNING]\n> Not all is shown: there was no room for {told}. The JSON report has all.\n")
    for number, pieces in kept.items():
        parts.append(_section(report.results[number]))
        parts.extend(pieces)
    return "\n".join(parts)


def _size(text: str) -> int:
    return len(text.encode("utf-8")) + 1  # and the newline that joins it to the next


def _head(report: Report) -> str:
    lines = [f"## {_SIGN[report.verdict]} envbounty: {report.verdict.value}", ""]
    if not report.jail.isolated:
        lines += ["> [!CAUTION]", f"> {NOT_ISOLATED}", ""]
    meaning = EXIT_MEANING[report.exit_code] if report.results else "no environment was examined: not a pass"
    lines += [f"Exit {report.exit_code}: {meaning}.", ""]
    lines += [
        f"Tier {code(report.tier, 60)}, seed {report.seed}, jail {code(report.jail.backend, 60)}, "
        f"tool {code(report.tool, 60)}" + (f", policy {code(report.policy[:12], 20)}." if report.policy else "."),
        "",
    ]
    return "\n".join(lines)


def _plots(plots: Sequence[str]) -> str:
    """Where the plots are. A summary cannot show a file that is not on the web."""
    if not plots:
        return ""
    more = f" and {len(plots) - _PLOTS} more" if len(plots) > _PLOTS else ""
    return f"\nPlots: {', '.join(code(plot, 200) for plot in plots[:_PLOTS])}{more}.\n"


def _table(report: Report, budget: int) -> tuple[str, int]:
    """The table of all environments, worst first, and what is left of the budget."""
    if not report.results:
        return "", budget
    lines = [
        "| Environment | Kind | Verdict | Errors | Warnings | Seconds |",
        "| --- | --- | --- | ---: | ---: | ---: |",
    ]
    room = min(budget, _TABLE_BYTES)
    used = sum(map(_size, lines))
    for number, result in enumerate(sorted(report.results, key=lambda result: _RANK[result.verdict])):
        environment = result.environment
        name = code(environment.path or environment.name, 200, in_table=True)
        line = (
            f"| {name} | {code(environment.kind, 40, in_table=True)} "
            f"| {_SIGN[result.verdict]} {result.verdict.value} "
            f"| {tally(result.findings, Severity.ERROR)} | {tally(result.findings, Severity.WARNING)} "
            f"| {result.stats.seconds:.1f} |"
        )
        if used + _size(line) > room:
            lines += [
                "",
                f"And {plural(len(report.results) - number, 'environment')} more, none of them worse.",
            ]
            break
        lines.append(line)
        used += _size(line)
    return "\n".join([*lines, ""]), budget - used


def _choose(report: Report, budget: int) -> tuple[dict[int, list[str]], Counter[Severity]]:
    """Which findings fit, by result and worst first in each, and how many of each severity do not.

    Every environment that did not pass gets its heading before any finding is taken, because its reason is
    worth more than another environment's details.
    """
    kept: dict[int, list[str]] = {}
    worst = sorted(range(len(report.results)), key=lambda number: _RANK[report.results[number].verdict])
    for number in worst:
        result = report.results[number]
        size = _size(_section(result))
        if result.verdict is not Verdict.PASS and size <= budget:
            kept[number] = []
            budget -= size
    pieces = [(number, finding) for number in worst for finding in worst_first(report.results[number].findings)]
    pieces.sort(key=lambda piece: weight(piece[1].severity))
    cut: Counter[Severity] = Counter()
    full = False
    for number, finding in pieces:
        if full:
            cut[finding.severity] += 1
            continue
        result = report.results[number]
        text = _finding(result, finding)
        size = _size(text) + (0 if number in kept else _size(_section(result)))
        if size > budget:
            # Stopping here, rather than fitting in smaller ones, keeps the promise that the least severe go
            # first.
            full = True
            cut[finding.severity] += 1
            continue
        budget -= size
        kept.setdefault(number, []).append(text)
    return kept, cut


def _section(result: Result) -> str:
    name = code(result.environment.path or result.environment.name, 200)
    lines = [f"### {_SIGN[result.verdict]} {name}", ""]
    if result.reason:
        lines += [f"{result.verdict.value}: {code(result.reason, 600)}", ""]
    if result.spread is not None:
        lines += [code(measured(result.spread), 400), ""]
    if not result.contract:
        lines += ["The files do not keep the contract, so nothing was run.", ""]
    return "\n".join(lines)


def _finding(result: Result, finding: Finding) -> str:
    lines = [
        f"**{finding.severity.value}** {code(finding.rule, 100)} in {code(place(result, finding), 400)}",
        "",
        code(finding.message, 2000),
        "",
        *([code(overridden(finding), 700), ""] if finding.overridden else []),
        f"Fix: {code(finding.fix, 2000)}",
        "",
    ]
    evidence = finding.evidence
    if evidence is None:
        return "\n".join(lines)
    if evidence.reproduce:
        lines += ["Reproduce:", "", fence([clean(evidence.reproduce, 2000)]), ""]
    rows = [
        f"{label if number == 0 else '':<14} {line}"
        for label, shown in evidence_rows(evidence)
        for number, line in enumerate(shown)
    ]
    lines += ["<details><summary>Evidence</summary>", "", fence(rows), "", "</details>", ""]
    return "\n".join(lines)
