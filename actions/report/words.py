"""What the report job is told, checked, and what it tells the bot. Values only.

Everything here is fixed text or matches a pattern: a sandbox that somebody has taken over can choose among our
sentences, and never write one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

TIERS = ("verify", "attack", "gpu-bench")

PATTERNS = {
    "TIER": "|".join(TIERS),
    "JOB_ID": r"[0-9a-f]{32}",
    "PR": r"[1-9][0-9]{0,9}",
    "HEAD_SHA": r"[0-9a-f]{40}",
    "BASE_SHA": r"[0-9a-f]{40}",
    # No user, query or fragment, and no plain HTTP but to the machine itself.
    "BOT_URL": r"(https://[a-z0-9.-]+|http://(127\.0\.0\.1|localhost))(:[0-9]{1,5})?(/[A-Za-z0-9._~-]+)*/?",
    "AUDIENCE": r"[A-Za-z0-9._:/-]{1,200}",
    "SANDBOX": "success|failure|cancelled|skipped",
}

#: Why there is no report, by the word that the sandbox job gave.
TROUBLES = {
    "nothing-changed": "No environment differs between the base commit and this one, so there was nothing to examine.",
    "bad-input": "The job was started with inputs that make no sense.",
    "no-base": "The base commit could not be read, so there was nothing to compare with.",
    "link": "An environment, or the folder environments itself, is a symbolic link. It must be a folder.",
    "no-tier": "This version of envbounty has no {tier} tier.",
    "no-report": "envbounty ended without a report. The log of the sandbox job says more.",
}
#: … or, where it gave none, by how it ended.
ENDINGS = {
    "success": "The sandbox job ended without a report.",
    "failure": "The sandbox job failed before there was a report. Its log says more.",
    "cancelled": "The sandbox job was cancelled, or ran out of time, before there was a report.",
    "skipped": "The sandbox job did not run.",
}


class Refused(Exception):
    """Something cannot be taken. The message is one line of our own words."""


@dataclass(frozen=True)
class Inputs:
    tier: str
    job_id: str
    pr: str
    head_sha: str
    base_sha: str
    bot_url: str
    audience: str
    sandbox: str  # how the sandbox job ended
    trouble: str  # a word of TROUBLES, or ""
    artifact_id: int | None
    artifact_digest: str  # 64 hex digits, or "" where there is no artifact


def read_inputs(environment: Mapping[str, str]) -> Inputs:
    """The action's inputs from the environment. Raises `Refused` for one that breaks its pattern.

    What the sandbox job put out about the artifact and the trouble is not trusted: what is none of ours counts as
    nothing, and the answer is then a trouble.
    """
    taken = {name: environment.get(name, "") for name in PATTERNS}
    for name, pattern in PATTERNS.items():
        if not re.fullmatch(pattern, taken[name]):
            raise Refused(f"the input {name.lower()} is not what it must be")
    number, digest = environment.get("ARTIFACT_ID", ""), environment.get("ARTIFACT_DIGEST", "")
    digest = digest.removeprefix("sha256:")
    there = re.fullmatch(r"[1-9][0-9]{0,18}", number) and re.fullmatch(r"[0-9a-f]{64}", digest)
    trouble = environment.get("TROUBLE", "")
    return Inputs(
        **{name.lower(): text for name, text in taken.items()},
        trouble=trouble if trouble in TROUBLES else "",
        artifact_id=int(number) if there else None,
        artifact_digest=digest if there else "",
    )


def trouble(inputs: Inputs) -> str:
    """One line on why there is no report."""
    return TROUBLES.get(inputs.trouble, ENDINGS[inputs.sandbox]).format(tier=inputs.tier)


def body(inputs: Inputs, artifact: Mapping[str, object] | None, report: object, why: str = "") -> dict[str, object]:
    """What is posted to the bot. Exactly one of `artifact` with its `report`, and `why` there is none."""
    told: dict[str, object] = {
        "schema": 1,
        "job_id": inputs.job_id,
        "tier": inputs.tier,
        "head_sha": inputs.head_sha,
        "base_sha": inputs.base_sha,
        "artifact": artifact,
        "report": report,
    }
    return told if artifact is not None else {**told, "trouble": why}
