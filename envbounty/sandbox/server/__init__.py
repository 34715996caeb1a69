"""The warm jail server. It runs inside the outer jail, forks one throw-away jail per job, and is the only code there
that is ours.

Standard library only, started as `python -c <this file> <config>`, so that any image with a Python will do. It imports
nothing of envbounty.

    server        never reads a job, an input or an output: it waits for a byte to arrive, forks, and waits. Its memory,
                  which every job inherits, is therefore the same for each of them and holds nothing of the others.
      supervisor  one per job: reads the job, makes its surroundings, bounds its time, memory and output, ends all that
                  it started, brings back files, answers, exits.
        job       drops every privilege, then becomes the untrusted code.

Modes: `ns` makes a pid and a mount namespace for each job, of which the supervisor is process 1, and, where it is given
`uids`, a fresh uid (the outer jail has namespaces of its own for network, IPC and host name, and the system-call filter
forbids whatever could outlive a job in them); `uid` (inside a container, without the right to make namespaces) makes
only a fresh uid and wipes the scratch; `none` isolates nothing.

On the wire, both ways: 4 bytes, big endian, length of a JSON header; the header; then the raw blobs that it sizes.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

#: The parts, in the order in which they stand on one another.
PARTS = ("base", "job", "storage", "watch", "modes", "serve")

#: What is for readers and checkers alone: in the jail the parts are one text.
_BETWEEN_PARTS = re.compile(
    r"^from (?:__future__|envbounty\.sandbox\.server\.\w+) import (?:\([^)]*\)|[^\n]*)\n", re.MULTILINE
)


@cache
def source() -> str:
    """The whole server as one text, for `python -c`."""
    texts = [files(__package__).joinpath(f"{part}.py").read_text() for part in PARTS]
    return "from __future__ import annotations\n\n" + "\n\n".join(_BETWEEN_PARTS.sub("", text) for text in texts)
