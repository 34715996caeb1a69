"""A finding, for a reader beside the code and in a check."""

from __future__ import annotations

from bot.escape import block, code, fit
from bot.text.words import TIER
from envbounty.findings import Finding, Severity
from envbounty.policy import Tier
from envbounty.render.words import evidence_rows, overridden

#: A comment beside the code is for reading at a glance; the check has the rest.
COMMENT_UNITS = 8_000

_WORD = {Severity.ERROR: "blocks", Severity.WARNING: "warning", Severity.NOTE: "note"}


def where(path: str, line: int) -> str:
    return code(f"{path}:{line}", 400)


def headline(finding: Finding) -> str:
    return f"**{_WORD[finding.severity]}** {code(finding.rule, 100)}"


def body(finding: Finding, place: str, limit: int = COMMENT_UNITS) -> str:
    """All of a finding in at most `limit` UTF-16 units. `place` is where it is, in Markdown of ours."""
    parts = [f"{headline(finding)} in {place}", code(finding.message, 1500)]
    if finding.overridden:
        parts.append(code(overridden(finding), 700))
    parts.append(f"Fix: {code(finding.fix, 1500)}")
    evidence = finding.evidence
    if evidence is not None:
        if evidence.reproduce:
            parts.append(f"Reproduce:\n\n{block(evidence.reproduce, 1000)}")
        rows = [
            f"{label if number == 0 else '':<14} {line}"
            for label, shown in evidence_rows(evidence, 600)
            for number, line in enumerate(shown)
        ]
        if rows:
            parts.append(f"<details><summary>Evidence</summary>\n\n{block(chr(10).join(rows), 4000, 80)}\n\n</details>")
    return fit(parts, limit).rstrip("\n")


def comment(tier: Tier, finding: Finding, place: str, head: str) -> str:
    """A review comment: what was found, by which tier, on which commit, and what its author can do."""
    if finding.severity is Severity.ERROR:
        can = f"Mend it with a new commit, or write {code('/appeal')} if it is wrong."
    else:
        can = "It blocks nothing."
    return f"{body(finding, place)}\n\n{can} Found by {TIER[tier].split(',')[0]} on {code(head[:12])}."
