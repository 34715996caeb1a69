"""Every rule by its stable id: what it means, why it matters, what to do. docs/rules is made from this.

One module for each family of checks; each holds a list `RULES`.
"""

from __future__ import annotations

from envbounty.verify.rules import (
    backdoors,
    blindspots,
    first,
    mutants,
    perturb,
    provenance,
    rewrites,
    smells,
    spread,
    tamper,
    weak,
)
from envbounty.verify.rules.rule import Rule

__all__ = ["RULES", "Rule"]

_FAMILIES = (first, spread, provenance, tamper, perturb, rewrites, smells, backdoors, blindspots, weak, mutants)
RULES: dict[str, Rule] = {rule.id: rule for family in _FAMILIES for rule in family.RULES}
