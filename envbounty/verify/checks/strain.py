"""Texts that are hard to read: runs of one sign, which a regular expression may take for ever to refuse.

Nothing is accused here. What was shown is looked at by the check on scores, which knows a verifier that is too slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envbounty.findings import Finding
from envbounty.verify.context import Context, Trial

#: Lengths at which a search that doubles with every sign, or grows with its square or cube, is seen to be slow.
LENGTHS = (28, 180, 3000)
#: So many signs of a right answer are tried.
SIGNS = 6


def run(context: Context) -> Iterator[Finding]:
    bench = context.bench
    if not bench.instances or not isinstance(bench.expected[0].value, str):
        return
    instance, right = bench.instances[0], bench.expected[0].value
    outputs = dict.fromkeys(output for output in runs(right) if output.split() != right.split())
    context.score([Trial(instance, output, "a long run of one sign", None, right) for output in outputs])
    yield from ()


def runs(right: str) -> list[Any]:
    """Runs of the first sign of each sort in a right answer: alone, before its end and after it."""
    signs: dict[str, str] = {}
    for sign in right[:2000]:
        sort = "digit" if sign.isdigit() else "letter" if sign.isalpha() else sign
        signs.setdefault(sort, sign)
    return [
        text
        for length in LENGTHS
        for sign in list(signs.values())[:SIGNS]
        for text in (sign * length, right[:40] + sign * length, sign * length + "!")
    ]
