"""Whether the base branch got other environments since a head was tested.

Two pull requests may bring the same environment. Each is held against what was there when it was tested, so the second
one would pass too, and be paid. So verify runs once more, on the same head against the new base, before it is merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.decide.tiers import FINAL, LIVE, NEW_TRIES, asked, counting
from bot.state import Start, State
from bot.text import gate as say


@dataclass(frozen=True)
class Again:
    """Verify has to report on the base as it is now. `start`: the job to start for it; None while one is under way."""

    fix: str
    start: Start | None = None


def outrun(state: State, environments: Sequence[str]) -> Again | None:
    """None when a final report of verify is about the environments that the base branch has now."""
    here = state.same_base | {state.base}
    if any(report.base in here and report.verdict in FINAL for report in counting(state, environments, "verify")):
        return None
    jobs = [job for job in state.jobs if job.tier == "verify" and job.head == state.head and job.base in here]
    if any(job.state in LIVE for job in jobs):
        return Again(say.OUTRUN_AGAIN)
    ask = asked(state, "verify")
    fruitless = [job for job in jobs if ask is None or job.asked_at >= ask.at]
    if len(fruitless) > NEW_TRIES:
        return Again(say.OUTRUN_ASK)
    return Again(say.OUTRUN_AGAIN, Start("verify", state.head, state.base, say.OUTRUN_WHY))
