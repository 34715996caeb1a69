"""Why a job's report was not accepted, in one line each. They end up in `Job.why`, which is shown in a code span."""

from __future__ import annotations

from collections.abc import Sequence

OTHER_HEAD = "the report is about another commit than the job"
OTHER_TIER = "the report is from another tier than the job"
NO_RESULTS = "the report says nothing about any environment"
NO_POLICY = "the report does not say which policy weighed its findings"
NO_JAIL = "the report is from a run without a jail, which proves nothing"
NO_PATH = "the report names a directory that is no environment"


def ended(trouble: str) -> str:
    return f"the sandbox job ended without a report: {trouble}"


def missing(directories: Sequence[str]) -> str:
    return f"the report does not cover {', '.join(directories[:5])}{' and more' if len(directories) > 5 else ''}"


def doubled(directory: str) -> str:
    return f"the report speaks twice about {directory}"


def other_policy() -> str:
    return "the findings were weighed by another policy than the base branch has"
