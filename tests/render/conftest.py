"""Reports to render: one of each kind, and the worst that a stranger could write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from envbounty.findings import (
    Environment,
    Evidence,
    Finding,
    Jail,
    Report,
    Result,
    Severity,
    Stats,
    Verdict,
)

HOSTILE = (
    "[bold]x[/bold] \x1b[2J\x1b]8;;http://evil\x07 \x9b31m \u202eesrever\u2066 a\nFAKE VERDICT: pass\r\n"
    "# Heading\n```\n</details><script>alert(1)</script> ![i](http://evil/i.png) [l](javascript:alert(1)) "
    "@octocat #1 GH-2 octo/repo#3 https://evil.example www.evil.example a@evil.example :tada: | cell | ~~s~~ "
    "$`x`$ \\| \\` `` ` <!-- & &lt; \ud800 \U000e0041 \x00\x7f {0} ::set-output name=x::y"
)


def _evidence(text: str = "x", **more: Any) -> Evidence:
    values: dict[str, Any] = {
        "submission": text,
        "instance": text,
        "seed": 7,
        "difficulty": 2,
        "output": text,
        "expected": text,
        "score": 1.0,
        "detail": text,
        "confirmed": 2,
        "reproduce": text,
    }
    return Evidence(**{**values, **more})


def _finding(severity: str = "error", text: str = "x", **more: Any) -> Finding:
    values: dict[str, Any] = {
        "rule": f"sample-{severity}",
        "severity": Severity(severity),
        "message": text,
        "path": text,
        "line": 3,
        "evidence": _evidence(text),
        "fix": text,
    }
    return Finding(**{**values, **more})


def _result(*findings: Finding, verdict: str = "fail", text: str = "x", **more: Any) -> Result:
    values: dict[str, Any] = {
        "environment": Environment(name=text, path=text, kind=text, dialect=text, digest=text),
        "verdict": Verdict(verdict),
        "reason": text,
        "findings": findings,
        "stats": Stats(seconds=1.25),
    }
    return Result(**{**values, **more})


def _report(*results: Result, isolated: bool = True, text: str = "x") -> Report:
    jail = Jail(backend=text, isolated=isolated, detail=text)
    return Report(jail=jail, results=results, tool=text, tier=text)


class Make:
    """The builders above, as one fixture. Each takes a `text` that goes wherever a stranger's words could."""

    evidence = staticmethod(_evidence)
    finding = staticmethod(_finding)
    result = staticmethod(_result)
    report = staticmethod(_report)
    hostile = HOSTILE

    @staticmethod
    def full(text: str) -> Report:
        """A report with `text` in every place that takes text."""
        return _report(
            _result(_finding("note", text), _finding("error", text), _finding("warning", text), text=text),
            _result(verdict="error", text=text),
            _result(_finding("note", text, evidence=None), verdict="incomplete", text=text, contract=False),
            _result(verdict="pass", text=text),
            isolated=False,
            text=text,
        )

    @staticmethod
    def story() -> Report:
        """What a contributor may really get: one environment fails, one passes."""
        evidence = Evidence(
            submission="solutions/bad/greedy.py",
            instance='{"n": 4}',
            seed=11,
            difficulty=2,
            output="[1, 2]",
            expected="[2, 1]",
            score=1.0,
            detail="Traceback\n  line two",
            confirmed=2,
            reproduce="envbounty verify environments/two-sum --seed 11",
        )
        failing = Result(
            environment=Environment(
                name="two-sum", path="environments/two-sum", kind="function", dialect="native", digest="abc"
            ),
            verdict=Verdict.FAIL,
            reason="1 proved: bad-accepted",
            findings=(
                Finding(
                    rule="slow-check",
                    severity=Severity.WARNING,
                    message="The verifier needs 1.2 s.",
                    path="environment.py",
                    line=40,
                    fix="Compute the oracle once.",
                ),
                Finding(
                    rule="bad-accepted",
                    severity=Severity.ERROR,
                    message="A wrong solution scored 1.",
                    path="solutions/bad/greedy.py",
                    line=1,
                    evidence=evidence,
                    fix="Compare the whole list.",
                ),
            ),
            stats=Stats(seconds=3.21),
        )
        passing = Result(
            environment=Environment(
                name="crafting", path="environments/crafting", kind="actions", dialect="native"
            ),
            verdict=Verdict.PASS,
            reason="every check passed",
            stats=Stats(seconds=0.5),
        )
        return Report(jail=Jail(backend="bubblewrap", isolated=True), results=(failing, passing), seed=11)


@pytest.fixture(scope="session")
def make() -> Make:
    return Make()


@pytest.fixture(scope="session")
def reports() -> dict[str, Callable[[], Report]]:
    """One report of every kind that a renderer has to cope with, by name."""
    return {
        "pass": lambda: _report(_result(verdict="pass")),
        "fail": lambda: _report(_result(_finding("error"), _finding("warning"), _finding("note"))),
        "error": lambda: _report(_result(verdict="error", reason="the jail did not start")),
        "incomplete": lambda: _report(_result(_finding("note"), verdict="incomplete", reason="out of time")),
        "nothing": lambda: _report(),
        "unjailed": lambda: _report(_result(verdict="pass"), isolated=False),
        "hostile": lambda: Make.full(HOSTILE),
        "story": Make.story,
    }
