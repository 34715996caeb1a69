"""The words that all renderers share, and the one place where a stranger's text is made harmless.

A report quotes submissions, outputs and tracebacks that somebody else wrote, perhaps to deceive its reader:
with terminal escapes, line breaks that forge a verdict, or characters that reorder a line. Every such string
passes through `clean` (or `clean_lines`) before a renderer adds the quoting of its own format.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence

from envbounty.findings import Evidence, Finding, Report, Result, Severity, Spread, Verdict

_WEIGHT = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}

#: What each exit code of `envbounty verify` tells the caller, as `Report.exit_code` computes it.
EXIT_MEANING = {
    0: "every environment passed",
    1: "at least one environment is proved wrong",
    2: "nothing is worse than files that break the contract",
    3: "some checks did not finish, so nothing is settled",
    4: "something could not be checked, which is not a pass",
}

NOT_ISOLATED = (
    "NOT ISOLATED: untrusted code ran without a jail. This report proves nothing to anybody else, and the "
    "code had this machine to itself. Run again without --unsafe-no-jail."
)


def clean(text: str, limit: int | None = None) -> str:
    """`text` on one line, with everything that does not print spelled out as an escape such as `\\x1b`.

    That covers line breaks, terminal escapes, bidirectional overrides, zero-width and unassigned characters,
    lone surrogates and every space but the ordinary one: what Python does not call printable. A reader
    comparing two outputs then sees the difference instead of being fooled by it. `limit` counts characters of
    the result.
    """
    if not text.isprintable():
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    if limit is not None and len(text) > limit:
        return f"{text[:limit]}… ({len(text) - limit} more characters)"
    return text


def clean_lines(text: str, limit: int | None = None, count: int = 60) -> list[str]:
    """`text` as at most `count` harmless lines, for tracebacks. Only a plain newline starts a new line."""
    lines = text.rstrip("\n").split("\n")
    if len(lines) > count:
        # The last lines of a traceback say what went wrong, so the middle goes.
        half = count // 2
        lines = [*lines[:half], f"… ({len(lines) - 2 * half} more lines)", *lines[-half:]]
    shown = [clean(line, limit) for line in lines]
    if limit is None or sum(map(len, shown)) <= limit:
        return shown
    return [clean("\n".join(lines), limit)]


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by severity, and in their own order within each."""
    return sorted(findings, key=lambda finding: _WEIGHT[finding.severity])


def weight(severity: Severity) -> int:
    """0 for the severity that matters most."""
    return _WEIGHT[severity]


def file_of(result: Result, finding: Finding) -> str:
    """The finding's file as a path that starts with its environment's. It can never leave the environment."""
    parts = [part for part in finding.path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    base = result.environment.path.replace("\\", "/").rstrip("/")
    return posixpath.join(base, *parts) if base or parts else "."


def place(result: Result, finding: Finding, limit: int = 300) -> str:
    """Where to look, as `file:line`, harmless."""
    return f"{clean(file_of(result, finding), limit)}:{finding.line}"


def evidence_rows(evidence: Evidence, limit: int = 1200) -> list[tuple[str, list[str]]]:
    """What backs a finding, as harmless (label, lines) pairs in the order a sceptic asks for them."""
    rows: list[tuple[str, list[str]]] = []

    def add(label: str, value: str | None) -> None:
        if value:
            rows.append((label, [clean(value, limit)]))

    add("submission", evidence.submission)
    add("instance", evidence.instance)
    origin = [
        f"{name} {value}"
        for name, value in (("seed", evidence.seed), ("difficulty", evidence.difficulty))
        if value is not None
    ]
    add("made from", ", ".join(origin))
    add("output", evidence.output)
    add("expected", evidence.expected)
    if evidence.score is not None:
        rows.append(("verifier said", [str(evidence.score)]))
    if evidence.confirmed or evidence.score is not None:  # what no verifier said cannot be asked of it again
        rows.append(("confirmed", [_confirmed(evidence.confirmed)]))
    if evidence.detail:
        rows.append(("detail", clean_lines(evidence.detail, limit)))
    return rows


def _confirmed(times: int) -> str:
    if not times:
        return "seen once, not repeated"
    return f"{times} more {'time' if times == 1 else 'times'} in a clean jail"


def overridden(finding: Finding, limit: int = 500) -> str:
    """What a policy changed in how a finding weighs, harmless; empty where it changed nothing."""
    if finding.overridden is None:
        return ""
    reason = clean(finding.overridden.reason.strip(), limit)
    said = f"The check says {finding.overridden.severity}, the policy says {finding.severity}"
    return f"{said}: {reason}" if reason else f"{said}."


def measured(spread: Spread) -> str:
    """What was measured of an environment, in one line."""
    parts = [
        f"{plural(spread.instances, 'instance')}, {spread.distinct} different",
        f"{plural(spread.answers, 'different answer')} ({spread.entropy_bits:.1f} bits)",
    ]
    if spread.best is not None:
        accepted, tried, name = spread.best.accepted, spread.best.tried, clean(spread.best.name, 60)
        parts.append(f"the best trivial strategy is accepted on {accepted} of {tried} ({name})")
    return "; ".join(parts)


def tally(findings: Sequence[Finding], severity: Severity) -> int:
    """How many findings have this severity."""
    return sum(finding.severity is severity for finding in findings)


def plural(number: int, noun: str) -> str:
    """`1 finding`, `2 findings`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def unsettled(report: Report) -> list[tuple[Result, str]]:
    """The environments nothing is known about, each with a harmless reason that is never empty.

    An environment that failed while some of its checks could not run is settled: the proof stands.
    """
    told = []
    for result in report.results:
        if result.verdict in (Verdict.ERROR, Verdict.INCOMPLETE):
            fallback = "it could not be run" if result.verdict is Verdict.ERROR else "its checks did not finish"
            told.append((result, clean(result.reason.strip(), 600) or fallback))
    return told
