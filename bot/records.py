"""Accepted reports to JSON and back, for the database."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bot.state import Accepted
from envbounty.findings import Finding, Verdict


def dump(it: Accepted) -> dict[str, Any]:
    return {
        "job_id": it.job_id,
        "tier": it.tier,
        "head": it.head,
        "base": it.base,
        "policy": it.policy,
        "verdict": it.verdict.value,
        "environments": list(it.environments),
        "findings": [[directory, finding.model_dump(mode="json")] for directory, finding in it.findings],
        "accepted_at": it.accepted_at.isoformat(),
        "reason": it.reason,
        "complete": it.complete,
    }


def load(kept: dict[str, Any]) -> Accepted:
    """What `dump` made. Raises `ValueError` or `KeyError` when it is not that."""
    findings = tuple((directory, Finding.model_validate(finding)) for directory, finding in kept["findings"])
    changed = {
        "verdict": Verdict(kept["verdict"]),
        "environments": tuple(kept["environments"]),
        "findings": findings,
        "accepted_at": datetime.fromisoformat(kept["accepted_at"]),
    }
    return Accepted(**{**kept, **changed})
