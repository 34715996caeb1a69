"""What Semgrep's rules say about the author's code. Almost all of it is a hint for whoever reads the verifier."""

from __future__ import annotations

from collections.abc import Iterator

from envbounty.findings import Evidence, Finding, clip
from envbounty.verify.context import Context
from envbounty.verify.rules import RULES
from envbounty.verify.smells.look import grouped

#: So many further lines are named in a message.
MAX_LINES = 8


def run(context: Context) -> Iterator[Finding]:
    """One finding for each rule in each file. Raises `Trouble` when the look did not come to its end."""
    look = context.look
    for smell, others in grouped(look.smells):
        more = f" Also at line {', '.join(map(str, others[:MAX_LINES]))}{', …' * (len(others) > MAX_LINES)}."
        yield RULES[smell.rule].finding(
            clip(smell.message, 600) + (more if others else ""),
            path=smell.path,
            line=smell.line,
            severity=smell.severity,
            evidence=Evidence(detail=clip(smell.text, 800), reproduce=context.reproduce(smell.rule)),
        )
    for path, why in (look.unread or {}).items():
        yield RULES["smell-unread"].finding(
            f"{path} could not be searched for smells: {why}. A person has to read it.",
            path=path,
            evidence=Evidence(reproduce=context.reproduce("smell-unread")),
        )
