"""A pull request that is ready to be merged, and the people and reports around it. Tests change one thing at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.state import Accepted, Ask, Job, JobState, Override, Review, State
from envbounty.findings import Finding, Severity, Verdict
from envbounty.policy import Policy, Tier, Tiers

HEAD, OLD_HEAD, BASE, OLD_BASE = "1" * 40, "2" * 40, "a" * 40, "b" * 40
START = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
AUTHOR, MAINTAINER = 100, 200
ENVIRONMENT = "environments/two-sum"


def at(minutes: float) -> datetime:
    return START + timedelta(minutes=minutes)


def policy(*required: Tier) -> Policy:
    return Policy(schema=1, tiers=Tiers(required=["verify", *required]))


def finding(rule: str = "accepts-nothing", severity: Severity = Severity.ERROR) -> Finding:
    return Finding(rule=rule, severity=severity, message="it accepts nothing", path="environment.py", fix="mend it")


@dataclass(frozen=True)
class Makers:
    """Builders with the values of a sound pull request; keywords change them."""

    head: str = HEAD
    old_head: str = OLD_HEAD
    base: str = BASE
    old_base: str = OLD_BASE
    environment: str = ENVIRONMENT
    author: int = AUTHOR
    maintainer: int = MAINTAINER
    at: Callable[[float], datetime] = at
    policy: Callable[..., Policy] = policy
    finding: Callable[..., Finding] = finding

    def job(self, name: int = 1, tier: Tier = "verify", **changes: Any) -> Job:
        job = Job(f"{name:032x}", tier, HEAD, BASE, JobState.REPORTED, at(name), run_id=name)
        return replace(job, **changes)

    def report(self, name: int = 1, tier: Tier = "verify", **changes: Any) -> Accepted:
        report = Accepted(
            job_id=f"{name:032x}",
            tier=tier,
            head=HEAD,
            base=BASE,
            policy=policy().digest,
            verdict=Verdict.PASS,
            environments=(ENVIRONMENT,),
            findings=(),
            accepted_at=at(name + 0.5),
            complete=True,
        )
        return replace(report, **changes)

    def failed(self, name: int = 1, *findings: Finding, tier: Tier = "verify", **changes: Any) -> Accepted:
        told = tuple((ENVIRONMENT, one) for one in findings or (finding(),))
        return self.report(name, tier, **{"verdict": Verdict.FAIL, "findings": told, **changes})

    def review(self, number: int = 1, **changes: Any) -> Review:
        review = Review(number, MAINTAINER, "mia", True, "maintain", "APPROVED", HEAD, at(50 + number))
        return replace(review, **changes)

    def override(self, rule: str = "accepts-nothing", **changes: Any) -> Override:
        return replace(Override(rule, HEAD, "we looked at it by hand", MAINTAINER, "mia"), **changes)

    def ask(self, tier: Tier = "verify", **changes: Any) -> Ask:
        return replace(Ask(tier, HEAD, "mia", at(60)), **changes)

    def state(self, **changes: Any) -> State:
        """Verify passed on the head, a maintainer approved it, nothing is in the way."""
        state = State(
            repo_id=1,
            number=7,
            now=at(120),
            author_id=AUTHOR,
            author_login="ann",
            author_known=True,
            open=True,
            merged=False,
            draft=False,
            head=HEAD,
            base=BASE,
            base_ref="main",
            default_branch="main",
            mergeable=True,
            files=(f"{ENVIRONMENT}/env.yaml", f"{ENVIRONMENT}/environment.py"),
            policy=policy(),
            kinds={ENVIRONMENT: "function"},
            reviews=(self.review(),),
            jobs=(self.job(),),
            accepted=(self.report(),),
        )
        return replace(state, **changes)

    def new(self, **changes: Any) -> State:
        """The pull request as it was opened: nothing has run, nobody has looked."""
        return self.state(**{"reviews": (), "jobs": (), "accepted": (), **changes})


@pytest.fixture(scope="session")
def make() -> Makers:
    return Makers()
