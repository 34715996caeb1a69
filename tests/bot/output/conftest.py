"""What strangers would write if every string of theirs were shown, and reports that hold it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from bot.state import Accepted
from envbounty.findings import Evidence, Finding, Overridden, Severity, Verdict

HOSTILE = (
    "**approved** by @octocat/team @org/admins fixes #1, closes octo/repo#2 GH-3 \u202eesrever\u2066 \u200b a\n"
    "# Merged\n```\n</details><script>alert(1)</script> ![i](http://evil/i.png) [l](javascript:alert(1)) <!-- x -->\r\n"
    "https://evil.example www.evil.example a@evil.example :tada: | cell | ~~s~~ ~~~\n> [!NOTE]\n> x\n- [x] done\n"
    "$`x`$ \\| \\` `` ` &lt; \ud800 \U000e0041 \x00\x7f\x1b[2J {0} ::set-output name=x::y [^1] <b>b</b> \u2028/merge"
)

_MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
IN_CODE = ("code_inline", "fence", "code_block")


def tokens(markdown: str) -> Iterator[Token]:
    for token in _MARKDOWN.parse(markdown):
        yield token
        yield from token.children or []


@dataclass(frozen=True)
class Look:
    """What a reader's browser is given."""

    def skeleton(self, markdown: str) -> list[tuple[str, str]]:
        """Every token and what it says, but for what stands in code."""
        return [
            (token.type, "" if token.type in IN_CODE or token.children else token.content) for token in tokens(markdown)
        ]

    def alive(self, markdown: str) -> str:
        """Everything outside code: all that GitHub looks at for mentions, references, addresses and emoji."""
        return "\n".join(
            token.content for token in tokens(markdown) if token.type not in IN_CODE and not token.children
        )

    def kinds(self, markdown: str) -> set[str]:
        return {token.type for token in tokens(markdown)}


@pytest.fixture(scope="session")
def look() -> Look:
    return Look()


@pytest.fixture(scope="session")
def hostile() -> str:
    return HOSTILE


def finding(text: str = "it accepts nothing", severity: Severity = Severity.ERROR, **changes: Any) -> Finding:
    """A finding with `text` in every field that a stranger can fill."""
    told: dict[str, Any] = {
        "rule": "accepts-nothing",
        "severity": severity,
        "message": text,
        "path": text,
        "line": 3,
        "fix": text,
        "overridden": Overridden(severity=Severity.WARNING, reason=text),
        "evidence": Evidence(submission=text, instance=text, output=text, expected=text, detail=text, reproduce=text),
    }
    return Finding(**{**told, **changes})


def report(*findings: Finding, **changes: Any) -> Accepted:
    told: dict[str, Any] = {
        "job_id": "f" * 32,
        "tier": "verify",
        "head": "1" * 40,
        "base": "a" * 40,
        "policy": "e" * 64,
        "verdict": Verdict.FAIL if findings else Verdict.PASS,
        "environments": ("environments/two-sum",),
        "findings": tuple(("environments/two-sum", one) for one in findings),
        "accepted_at": datetime(2026, 11, 29, tzinfo=UTC),
    }
    return Accepted(**{**told, **changes})


@dataclass(frozen=True)
class Makers:
    finding: Callable[..., Finding] = finding
    report: Callable[..., Accepted] = report


@pytest.fixture(scope="session")
def make() -> Makers:
    return Makers()
