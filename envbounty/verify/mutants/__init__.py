"""Mutants: a right solution with one small mistake in it. A verifier that accepts one has a blind spot.

Pure: text in, texts out. Sources are parsed and never run.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from envbounty.environment import Language
from envbounty.verify.mutants import cfamily, python
from envbounty.verify.mutants.model import Edit, Mutant, build
from envbounty.verify.mutants.rank import TIERS

__all__ = ["TIERS", "Mutant", "mutants", "pairs"]


def mutants(source: str, function: str | None = None, *, language: Language = Language.PYTHON) -> list[Mutant]:
    """The mutants of a source, the subtle ones first; always the same ones in the same order.

    With `function`, only code is changed that it reaches (Python; in C and C++ all code counts). Each mutant is one
    splice into the text, compiles (C and C++: should), and differs from the source and all others in its syntax tree.
    At most 2,000; none for a source that does not parse, is larger than 64 KB or nested too deeply. Never raises.
    """
    if language is Language.PYTHON:
        return python.mutants(source, function)
    return cfamily.mutants(source, cpp=language is Language.CPP)


def pairs(source: str, first: Sequence[Mutant], limit: int, *, language: Language = Language.PYTHON) -> list[Mutant]:
    """At most `limit` mutants of `source` that are two of `first` in one, where these do not touch each other.

    `first` is in the order of preference, and so are the pairs: those of its head come first.
    """
    chosen = [item for item in first if item.edits]
    combined: dict[tuple[Edit, ...], tuple[Mutant, Mutant]] = {}
    for total in range(1, 2 * len(chosen)):
        if len(combined) >= 4 * limit:
            break
        for low in range(max(0, total - len(chosen) + 1), (total + 1) // 2):
            one, two = chosen[low], chosen[total - low]
            edits = tuple(sorted({*one.edits, *two.edits}, key=lambda edit: (edit.start, edit.end)))
            if len(edits) == len(one.edits) + len(two.edits) and _apart(edits):
                combined.setdefault(edits, (one, two))
    kept = list(combined)[:limit]
    if language is Language.PYTHON:
        kept = python.compiling(source, list(combined), limit)
    out = []
    for edits in kept:
        one, two = combined[edits]
        out.append(build(source.encode(), f"{one.operator} + {two.operator}", edits, one.order + two.order))
    return out


def _apart(edits: Sequence[Edit]) -> bool:
    """Whether no edit touches the next one."""
    return all(left.end < right.start for left, right in pairwise(edits))
