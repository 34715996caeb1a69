"""A policy in words: what it weakens, what it changes, and what it means for one rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envbounty.findings import Severity
from envbounty.policy import BUILT_IN, SEVERITY, Level, Policy, thresholds_of
from envbounty.render.words import clean, plural
from envbounty.verify.rules import Rule

_EFFECT = {
    Severity.ERROR: "blocks: an environment with such a finding does not pass",
    Severity.WARNING: "is a warning: shown, and does not block",
    Severity.NOTE: "is a note: shown, and does not block",
}


def describe(policy: Policy, rules: Mapping[str, Rule], source: str) -> list[str]:
    """What `envbounty policy check` says of a sound policy: its version, what it weakens, what it changes."""
    lines = [f"{clean(source, 300)} is sound. Version {policy.digest}."]
    severities = {name: rule.severity for name, rule in rules.items()}
    weakened = policy.weakened(severities)
    if weakened:
        lines.append(f"It lets {plural(len(weakened), 'rule')} through that would block:")
        for name, override in weakened.items():
            lines.append(f"  {name}: {override.level}, because: {clean(override.reason or '', 500)}")
    else:
        lines.append("Every rule that blocks by itself blocks.")
    others = {name: override for name, override in policy.rules.items() if name not in weakened}
    lines += [f"  {name}: {override.level} instead of {severities[name]}" for name, override in others.items()]
    if changed := changes(policy):
        lines += ["Otherwise than built in:", *(f"  {line}" for line in changed)]
    return lines


def changes(policy: Policy) -> list[str]:
    """Every value that is not the built-in one, rules aside, as `key: value (built in: value)`."""
    mine, built = (_flat(one.model_dump(mode="json", exclude={"rules"})) for one in (policy, BUILT_IN))
    lines = []
    for key, value in mine.items():
        usual = built[key]
        if isinstance(value, list) and isinstance(usual, list):
            more, less = sorted(set(value) - set(usual)), sorted(set(usual) - set(value))
            told = [f"and {', '.join(more)}"] if more else []
            told += [f"without {', '.join(less)}"] if less else []
            lines += [f"{key}: {'; '.join(told)}"] if told else []
        elif value != usual:
            lines.append(f"{key}: {value} (built in: {usual})")
    return lines


def _flat(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, inner in value.items():
        found |= _flat(inner, f"{prefix}{key}.") if isinstance(inner, dict) else {prefix + key: inner}
    return found


def explain_rule(policy: Policy, rule: Rule, source: str) -> list[str]:
    """What `rule` means, whether it blocks under `policy` and why, its thresholds, and where to read more."""
    lines = [f"{rule.id}: {rule.title}.", f"  {rule.why}", ""]
    override = policy.rules.get(rule.id)
    severity = rule.severity if override is None else SEVERITY[override.level]
    where = clean(source, 300)
    if override is None:
        lines.append(f"Under {where} it {_EFFECT[severity]}.")
        lines.append(f"  why: {rule.severity} is the rule's own severity, and the policy does not change it")
    else:
        effect = _EFFECT[severity]
        if override.level is Level.OFF:
            effect = "is off: it is not shown"
            if rule.severity is Severity.ERROR:
                effect = "is off: what is proved is still noted, and does not block"
        lines.append(f"Under {where} it {effect}.")
        lines.append(f"  why: the policy says `{override.level}`; by itself the rule is {_a(rule.severity)}")
        if override.reason:
            lines.append(f"  reason: {clean(override.reason, 500)}")
    mine, built = (_flat(one.model_dump(mode="json", exclude={"rules"})) for one in (policy, BUILT_IN))
    seen_again = rule.severity is Severity.ERROR and rule.phase not in ("contract", "provenance")  # those are facts
    keys = thresholds_of(rule.id) + (["thresholds.confirmations"] if seen_again else [])
    for key in (name for name in mine if any(name == key or name.startswith(f"{key}.") for key in keys)):
        shown = ", ".join(mine[key]) if isinstance(mine[key], list) else mine[key]
        note = "" if mine[key] == built[key] else f" (built in: {'otherwise' if shown != mine[key] else built[key]})"
        lines.append(f"  {key}: {shown}{note}")
    lines += ["", f"Fix: {rule.fix}", f"More: envbounty explain {rule.id}, or docs/rules/{rule.id}.md"]
    return lines


def _a(severity: Severity) -> str:
    return f"{'an' if severity is Severity.ERROR else 'a'} {severity}"
