"""Named places between an external write and its commit. They do nothing; tests make the process die there.

Whatever is interrupted at such a place must come right at the next pass: no second dispatch, no second comment, one
merge at most. `POINTS` lists them all, so that a test can try each.
"""

from __future__ import annotations

from collections.abc import Callable

POINTS = (
    "after ledger",  # a delivery is recorded, its answer not yet sent
    "before dispatch",  # the job's row is committed, nothing was sent
    "after dispatch",  # GitHub took the dispatch, the run's id is not yet stored
    "after cancel",
    "before check",  # the intent is committed, nothing was sent
    "after check",  # GitHub has the check run, its id is not yet stored
    "after annotations",
    "before comment",
    "after comment",
    "before review",
    "after review",  # GitHub has the review, its comments' ids are not yet stored
    "after resolve",
    "before reply",
    "after reply",  # GitHub has the answer to a command, its id is not yet stored
    "after answer",  # answer and reaction are out, the command is not yet marked as answered
    "before merge",
    "after merge",  # GitHub has merged, the outcome is not yet stored
    "after report",  # a report is stored, its answer not yet sent
)

hook: Callable[[str], None] | None = None


def point(name: str) -> None:
    """Does nothing unless a test has set `hook`."""
    if hook is not None:
        assert name in POINTS, f"{name!r} is no crash point"
        hook(name)
