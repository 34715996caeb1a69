"""What SARIF says about rules: one descriptor each, in the words of the catalogue or else of a finding."""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol
from urllib.parse import quote

from envbounty.findings import Report, Severity
from envbounty.render.markdown import code
from envbounty.render.words import NOT_ISOLATED, clean

#: GitHub's limit for descriptions, in characters; messages keep to it too.
MAX_DESCRIPTION = 1024
#: How many rules outside the catalogue are described: a report could be made to name any number.
MAX_UNLISTED = 200

LEVEL = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
_PROBLEM = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}
#: An error is only reported with evidence seen again in a clean jail; a note is a hint.
_PRECISION = {Severity.ERROR: "very-high", Severity.WARNING: "high", Severity.NOTE: "medium"}

#: The tag of a rule that the catalogue does not know.
_UNLISTED = "unlisted"

#: Rules of this file, not of the checks: what SARIF would otherwise leave unsaid.
UNCHECKED = "environment-unchecked"
UNJAILED = "run-not-isolated"
CUT = "results-cut"

OWN = {
    UNCHECKED: (
        "An environment could not be checked",
        "Its checks could not be run or did not finish, so nothing is known about it. That is not a pass.",
    ),
    UNJAILED: ("Untrusted code ran without a jail", NOT_ISOLATED),
    CUT: ("Some results were left out", "The file would have been larger than GitHub accepts."),
}


class Rule(Protocol):
    """What is known about a rule besides its findings. `envbounty.verify.rules` holds the real ones."""

    @property
    def severity(self) -> Severity: ...
    @property
    def title(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def fix(self) -> str: ...
    @property
    def phase(self) -> str: ...


def known_rules() -> Mapping[str, Rule]:
    """The catalogue, or nothing where the checks are not installed."""
    # Imported late and by name: reading a stored report must not load the checks that made it.
    try:
        found: Mapping[str, Rule] = import_module("envbounty.verify.rules").RULES
    except ModuleNotFoundError as missing:
        if not (missing.name or "").startswith("envbounty.verify"):
            raise
        return {}
    return found


def describe(
    report: Report, known: Mapping[str, Rule], home: str | None
) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """All descriptors, and where each rule's is.

    Known rules are always listed, found or not: GitHub expects the rules to change with the tool, not with
    the result.
    """
    described: list[dict[str, Any]] = []
    index: dict[str, int] = {}

    def add(name: str, severity: Severity, tag: str, texts: tuple[str, str, str]) -> None:
        if name not in index:
            index[name] = len(described)
            described.append(_descriptor(name, severity, tag, texts, home))

    short, full = OWN[UNCHECKED]
    add(UNCHECKED, Severity.ERROR, "run", (short, full, "Read the reason and run the checks again."))
    for name, rule in sorted(known.items()):
        add(name, rule.severity, rule.phase, (rule.title, rule.why, rule.fix))
    room = len(described) + MAX_UNLISTED
    for finding in (finding for result in report.results for finding in result.findings):
        if len(described) < room:
            title = finding.rule.replace("-", " ").capitalize()
            add(finding.rule, finding.severity, _UNLISTED, (title, finding.message, finding.fix))
    return described, index


def _descriptor(
    name: str, severity: Severity, tag: str, texts: tuple[str, str, str], home: str | None
) -> dict[str, Any]:
    short, full, fix = (_sentence(text, name) for text in texts)
    descriptor: dict[str, Any] = {
        "id": name,
        "name": "".join(word.capitalize() for word in name.split("-"))[:255],
        "shortDescription": {"text": short},
        "fullDescription": {"text": full},
        "help": {
            "text": f"{full}\n\nFix: {fix}",
            # Code spans, because the texts of an unlisted rule are a finding's and may quote a stranger.
            "markdown": f"{_prose(full, tag)}\n\n**Fix:** {_prose(fix, tag)}",
        },
        "defaultConfiguration": {"level": LEVEL[severity]},
        "properties": {
            "tags": ["envbounty", slug(tag)],
            "precision": _PRECISION[severity],
            "problem.severity": _PROBLEM[severity],
        },
    }
    if home:
        descriptor["helpUri"] = f"{home}/blob/main/docs/rules/{quote(name, safe='')}.md"
    return descriptor


def _prose(text: str, tag: str) -> str:
    return code(text) if tag == _UNLISTED else text


def _sentence(text: str, fallback: str) -> str:
    """A description that GitHub takes: harmless, not empty, not too long."""
    return inert(text, MAX_DESCRIPTION - 40) or fallback


def slug(text: str) -> str:
    """`text` as a lower-case word for a tag or an id. Never empty."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "run"


def inert(text: str, limit: int) -> str:
    """`text` on one line, without the one live construct of SARIF's plain text: `[words](target)`, a link."""
    return re.sub(r"\](?=\()", "] ", clean(text.strip(), limit))
