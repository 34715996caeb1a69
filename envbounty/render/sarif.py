"""A report as SARIF 2.1.0, for GitHub code scanning and other viewers.

Built from plain dicts and checked in the tests against the OASIS schema. The libraries on PyPI were looked at
in November 2026: sarif-om (2019) and pysarif (2023) are stale and untyped, sarif-pydantic has no type marker
and covers part of the standard, fluidattacks-core-sarif calls itself "planning". None knows GitHub's stricter
rules.

Those rules, and the limits below, are from GitHub's page "SARIF support for code scanning". Two of them shape
this file. GitHub rejects a whole upload for one result without a location, and it shows nothing of
`invocations`; so an environment that could not be checked is both a notification, as the standard wants, and
a result, because otherwise GitHub would see an empty list and close the alerts of earlier runs as fixed.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from envbounty.findings import Evidence, Finding, Report, Result, Severity, Verdict
from envbounty.render.rules import (
    CUT,
    LEVEL,
    OWN,
    UNCHECKED,
    UNJAILED,
    Rule,
    describe,
    inert,
    known_rules,
    slug,
)
from envbounty.render.words import (
    EXIT_MEANING,
    NOT_ISOLATED,
    clean,
    evidence_rows,
    file_of,
    overridden,
    unsettled,
    weight,
)

#: More results than this and GitHub refuses the file.
MAX_RESULTS = 25_000
#: GitHub keeps this many, so evidence beyond them would be read by nobody.
SHOWN_RESULTS = 5_000
#: GitHub's limit for the compressed file is 10 MB; the rest is left to the parts that are not results.
MAX_COMPRESSED = 9_000_000

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"


def render_sarif(report: Report, root: str, *, rules: Mapping[str, Rule] | None = None, home: str | None = None) -> str:
    """The report as one SARIF run, as JSON text in ASCII.

    `root` is the repository's top directory; files are named relative to it, and an environment's relative
    path is taken to start there already. `rules` describes rules by id, by default those of
    `envbounty.verify.rules`; a rule that is not among them is described by its first finding. `home` is the
    project's web address (no trailing slash), under which `docs/rules/<id>.md` explains a rule; without it
    the log has no links.
    """
    known = known_rules() if rules is None else rules
    described, index = describe(report, known, home)
    results, cut = _fit(_results(report, root, index))
    driver: dict[str, Any] = {
        "name": "envbounty",
        **_version(report.tool),
        "rules": described,
        "notifications": [
            {"id": name, "shortDescription": {"text": short}, "fullDescription": {"text": full}}
            for name, (short, full) in OWN.items()
        ],
    }
    if home:
        driver["informationUri"] = home
    run = {
        "tool": {"driver": driver},
        # For GitHub what stands before the last slash is the category: a run replaces its tier's last one.
        "automationDetails": {"id": f"envbounty/{slug(report.tier)}/seed-{report.seed}"},
        "invocations": [_invocation(report, root, cut)],
        # Where the root is differs from machine to machine and is nobody's business, so it has no address.
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The repository's top directory."}}},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {
            "verdict": report.verdict.value,
            "policy": clean(report.policy, 100),
            "jail": {"backend": clean(report.jail.backend, 100), "isolated": report.jail.isolated},
            "environments": _outcomes(report),
        },
    }
    return _dump({"version": "2.1.0", "$schema": _SCHEMA, "runs": [run]}) + "\n"


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False)


def _version(tool: str) -> dict[str, str]:
    version = clean(tool.rpartition(" ")[2], 60) or "unknown"
    found = {"version": version}
    if re.fullmatch(r"\d+\.\d+\.\d+", version):
        found["semanticVersion"] = version
    return found


# --- results ---


def _results(report: Report, root: str, index: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """All results, those first that must not be lost."""
    seen: Counter[str] = Counter()

    def marked(identity: str) -> dict[str, str]:
        seen[identity] += 1
        return {"primaryLocationLineHash": f"{identity}:{seen[identity]}"}

    for result, reason in unsettled(report):
        where = result.environment.path
        yield {
            **_result(UNCHECKED, index, Severity.ERROR, _unchecked(result, reason)),
            "locations": [_location(_uri(where, root), 1)],
            "partialFingerprints": marked(_hash(UNCHECKED, where)),
        }
    if not report.results:
        yield {
            **_result(UNCHECKED, index, Severity.ERROR, "No environment was examined, which is not a pass."),
            "locations": [_location(_uri("", root), 1)],
            "partialFingerprints": marked(_hash(UNCHECKED)),
        }
    found = [(result, finding) for result in report.results for finding in result.findings]
    # Sorting is stable, so which of two alike comes first, and gets the lower number, is the checks' own
    # order.
    found.sort(key=lambda pair: weight(pair[1].severity))
    for number, (result, finding) in enumerate(found):
        body = {
            **_result(finding.rule, index, finding.severity, _message(finding)),
            "locations": [_location(_uri(file_of(result, finding), root), finding.line)],
            "partialFingerprints": marked(fingerprint(result, finding)),
        }
        properties: dict[str, Any] = {
            "environment": clean(result.environment.name, 200),
            "digest": clean(result.environment.digest, 200),
        }
        if finding.evidence is not None and number < SHOWN_RESULTS:
            properties["evidence"] = _evidence(finding.evidence)
        yield {**body, "properties": properties}


def _unchecked(result: Result, reason: str) -> str:
    name = clean(result.environment.path or result.environment.name, 200)
    return inert(f"{name} could not be checked ({result.verdict.value}): {reason}", 900)


def _result(rule: str, index: Mapping[str, int], severity: Severity, text: str) -> dict[str, Any]:
    body: dict[str, Any] = {"ruleId": rule, "level": LEVEL[severity], "message": {"text": text}}
    if rule in index:
        body["ruleIndex"] = index[rule]
    return body


def _message(finding: Finding) -> str:
    """What happened first, since GitHub shows one sentence where space is short; then what to do about it."""
    parts = [inert(finding.message, 600) or finding.rule, f"Fix: {inert(finding.fix, 200)}"]
    if finding.overridden is not None:
        parts.append(inert(overridden(finding, 300), 400))
    if finding.evidence is not None and finding.evidence.reproduce:
        parts.append(f"Reproduce: {inert(finding.evidence.reproduce, 200)}")
    return "\n\n".join(parts)


def _evidence(evidence: Evidence) -> dict[str, str]:
    rows = {label: "\n".join(lines) for label, lines in evidence_rows(evidence, limit=1000)}
    return {**rows, "reproduce": clean(evidence.reproduce, 1000)}


def fingerprint(result: Result, finding: Finding) -> str:
    """16 hexadecimal digits that stay the same when the same fault is found again, on another line or seed.

    GitHub reads only `primaryLocationLineHash`, so this goes there in place of a hash of the source line:
    findings about a whole file would all share line 1. What varies with the seed is in numbers or quoted, and
    is left out of the message. The rest of the message stays in: without it, dismissing one alert could
    silently cover the next fault of the same rule in the same file, and a noisy alert is better than a
    missing one.
    """
    gist = re.sub(r"`[^`]*`|\"[^\"]*\"|'[^']*'|\d+", "#", finding.message)
    submission = finding.evidence.submission if finding.evidence is not None else None
    # A submission is either a file, which names the fault, or generated text, which is noise.
    named = submission if submission and re.fullmatch(r"solutions/[\w./-]{1,200}", submission) else ""
    return _hash(finding.rule, file_of(result, finding), named, gist)


def _hash(*parts: str) -> str:
    # As JSON, so that no two lists of parts read alike, whatever they contain.
    return hashlib.sha256(json.dumps(parts).encode("ascii")).hexdigest()[:16]


def _location(artifact: dict[str, str], line: int) -> dict[str, Any]:
    # No end column: SARIF then means the end of the line, which is not known here.
    region = {"startLine": min(line, 2**31 - 1), "startColumn": 1}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _uri(path: str, root: str) -> dict[str, str]:
    """A file as a relative, percent-encoded URI from the root, or as a `file:` URI when it is elsewhere."""
    where = PurePosixPath(posixpath.normpath(re.sub("^/+", "/", path.replace("\\", "/"))))
    if where.is_absolute():
        base = PurePosixPath(posixpath.normpath(root.replace("\\", "/") or "."))
        if not where.is_relative_to(base) and len(where.parts) > 1:
            return {"uri": "file://" + _quoted(str(where))}
        where = where.relative_to(base) if where.is_relative_to(base) else PurePosixPath()
    inside = [part for part in where.parts if part != ".."]
    # GitHub wants a location that is not empty, so the directory that holds all of them stands for the root.
    return {"uri": _quoted("/".join(inside)) or "environments", "uriBaseId": _ROOT}


def _quoted(path: str) -> str:
    return quote(path.encode("utf-8", "surrogatepass"), safe="/")


def _fit(results: Iterable[dict[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """As many results as GitHub accepts, and how many there were besides.

    The size is measured by compressing as the uploader will, so nothing is cut that would have fitted.
    """
    squeeze = zlib.compressobj()
    size = 0
    kept: list[dict[str, Any]] = []
    cut = 0
    for result in results:
        if cut or len(kept) >= MAX_RESULTS:
            cut += 1
            continue
        size += len(squeeze.compress(_dump(result).encode("ascii")))
        if size > MAX_COMPRESSED:
            cut += 1
            continue
        kept.append(result)
    return kept, cut


# --- the run ---


def _invocation(report: Report, root: str, cut: int) -> dict[str, Any]:
    notifications = [
        _notification(
            UNCHECKED,
            "error",
            _unchecked(result, reason),
            _location(_uri(result.environment.path, root), 1),
        )
        for result, reason in unsettled(report)[:1000]
    ]
    if not report.results:
        notifications.append(_notification(UNCHECKED, "error", "No environment was examined."))
    if not report.jail.isolated:
        notifications.append(_notification(UNJAILED, "error", NOT_ISOLATED))
    if cut:
        text = f"{cut} results of the least severity were left out. The JSON report has all."
        notifications.append(_notification(CUT, "warning", text))
    # One environment that is not known about makes the run unsuccessful, even where another is proved wrong.
    complete = all(result.verdict in (Verdict.PASS, Verdict.FAIL) for result in report.results)
    return {
        "executionSuccessful": bool(report.results) and complete,
        "exitCode": report.exit_code,
        "exitCodeDescription": EXIT_MEANING[report.exit_code],
        "toolExecutionNotifications": notifications,
    }


def _notification(name: str, level: str, text: str, location: dict[str, Any] | None = None) -> dict[str, Any]:
    body: dict[str, Any] = {
        "descriptor": {"id": name, "index": list(OWN).index(name)},
        "level": level,
        "message": {"text": inert(text, 1000)},
    }
    if location is not None:
        body["locations"] = [location]
    return body


def _outcomes(report: Report) -> list[dict[str, str]]:
    """Every environment's verdict, also of those without a finding, of which SARIF has no other trace."""
    return [
        {
            "path": clean(result.environment.path, 200),
            "digest": clean(result.environment.digest, 100),
            "verdict": result.verdict.value,
        }
        for result in report.results[:1000]
    ]
