"""Why a job left no report, as far as the edges find it out. They end up in `Job.why`, shown in a code span."""

from __future__ import annotations

NEVER_BEGAN = "GitHub never showed a run for the dispatch"
RUN_GONE = "the run is gone"
TOO_LONG = "the run took too long and was given up"


def dispatch_refused(status: int) -> str:
    return f"GitHub refused the dispatch with status {status}"


def ended_without_report(conclusion: str) -> str:
    return f"the run ended ({conclusion}) and no report came"


def report_refused(why: str) -> str:
    return f"the report was refused: {why}"
