"""What runs inside the jail around the untrusted code. Each file is sent as a job's source, never imported here.

A harness reads its task from `JOB_IN/task.json` and writes one JSON line for each thing done, so that what was finished
before a crash is kept. It must use the standard library alone.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def source(name: str) -> str:
    """The text of the harness `name`, with what all of them share in front."""
    folder = files(__package__)
    return folder.joinpath("common.py").read_text() + "\n" + folder.joinpath(f"{name}.py").read_text()
