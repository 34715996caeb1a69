"""The system-call filters that every job runs under, compiled ahead of time so that no libseccomp is needed to run.

`python -m envbounty.sandbox.seccomp` writes them anew (needs the `pyseccomp` package and libseccomp).
"""

from __future__ import annotations

import platform
from importlib.resources import files

#: What `platform.machine()` says, and the architecture that its filter is compiled for.
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}


def filters(machine: str | None = None) -> dict[str, str]:
    """The filters for this machine, as hexadecimal text: `one` forbids new processes, `many` allows them.

    Raises `LookupError` for a machine that has none.
    """
    name = MACHINES.get(machine or platform.machine())
    if name is None:
        raise LookupError(
            f"no system-call filter for {machine or platform.machine()}; there is one for x86_64, aarch64"
        )
    folder = files(__package__)
    return {which: folder.joinpath(f"{name}-{which}.bpf").read_bytes().hex() for which in ("one", "many")}
