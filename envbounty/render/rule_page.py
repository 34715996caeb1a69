"""The documentation page of a rule, as docs/rules/ holds it and `envbounty explain` prints it."""

from __future__ import annotations

from collections.abc import Iterable

from envbounty.verify.rules import Rule

MEANING = {
    "error": "An error: a proved fault. The environment does not pass while it stands.",
    "warning": "A warning: worth a reviewer's look. It does not block.",
    "note": "A note. It does not block.",
}


def render_page(rule: Rule) -> str:
    """One page in Markdown."""
    return "\n".join(
        [
            f"# {rule.id}",
            "",
            f"**{rule.title}.** {MEANING[rule.severity]}",
            "",
            "## Why it matters",
            "",
            rule.why,
            "",
            "## What to do",
            "",
            rule.fix,
            "",
            "## For example",
            "",
            f"Found: {rule.bad}",
            "",
            f"Mended: {rule.good}",
            "",
            "## See it again",
            "",
            "Every finding names the seed it was seen with:",
            "",
            f"    envbounty verify environments/NAME --seed SEED --only {rule.id}",
            "",
        ]
    )


def render_index(rules: Iterable[Rule]) -> str:
    """The list of all rules, by phase, in Markdown."""
    lines = ["# Rules", "", "What `envbounty verify` can find. `envbounty explain RULE` prints a page.", ""]
    phase = ""
    for rule in rules:
        if rule.phase != phase:
            phase = rule.phase
            lines += ["", f"## {phase}", "", "| rule | severity | meaning |", "|---|---|---|"]
        lines.append(f"| [{rule.id}]({rule.id}.md) | {rule.severity} | {rule.title} |")
    return "\n".join([*lines, ""])
