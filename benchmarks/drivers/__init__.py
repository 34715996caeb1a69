"""How each peer is run on one grader: a script for the jail, put together from `common` and one other.

Never imported here. Each says one record: `accused` (true, false, or null when the peer could not judge this grader),
`why`, and `programs`: submissions that the grader accepted and the peer calls wrong.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def source(name: str) -> str:
    """The script that runs the peer `name`."""
    folder = Path(__file__).parent
    return "\n\n".join((folder / f"{part}.py").read_text() for part in ("common", name))
