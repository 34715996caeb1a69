"""The operators, by how subtle their mutants are: when a budget cuts the list, the coarse ones go first."""

from __future__ import annotations

from collections.abc import Iterable

from envbounty.verify.mutants.model import Draft

#: operator → tier. 0: wrong at an edge or a tie only, 1: wrong for a class of inputs, 2: wrong nearly everywhere,
#: 3: a part is simply gone, or only time is lost.
TIERS: dict[str, int] = {
    "edge-case": 0,  # a guard `if …: return …` is gone
    "off-by-one": 0,  # a bound, an index or a comparison is one too high or low
    "tie-break": 0,  # of equals the other one wins, or they come in another order
    "small-inputs": 0,  # a loop sees the first few, or small values only
    "input-class": 0,  # right for short, small, sorted, distinct, positive, … inputs only
    "skip-element": 1,  # a loop leaves the first or the last element out
    "drop-condition": 1,  # a part of a condition, or a comprehension's filter, is gone
    "comparison": 1,  # another comparison
    "initial-value": 1,  # a variable starts from something else
    "early-return": 1,  # a loop ends too soon
    "rounding": 1,  # / for //, int for round, …
    "method": 1,  # strip for lstrip, append for insert(0), …
    "state": 1,  # something is not reset, or kept from call to call
    "drop-element": 1,  # a literal collection or a word list lacks one
    "last-step": 1,  # what is returned lacks its first or last element
    "swap-arguments": 2,
    "swap-operands": 2,
    "arithmetic": 2,  # another operator
    "drop-operand": 2,  # `a % b` is `a`
    "boolean": 2,  # and for or, negation gone
    "constant": 2,  # another number, text or truth value
    "branch": 2,  # a condition that always or never holds, or is negated
    "narrower": 1,  # C: a type too small for the largest values
    "delete-statement": 3,
    "slower": 3,  # nothing but time is lost
}


def ordered(drafts: Iterable[Draft]) -> list[Draft]:
    """Subtle ones first; within a tier every line's first of an operator comes before any line's second."""
    counts: dict[tuple[str, int], int] = {}
    keyed = []
    for number, draft in enumerate(drafts):
        tier = TIERS[draft.operator] if draft.tier is None else draft.tier
        place = (draft.operator, draft.edit.start)
        counts[place] = counts.get(place, 0) + 1
        keyed.append((tier, counts[place], draft.edit.start, number, draft))
    keyed.sort(key=lambda row: row[:4])
    return [row[-1] for row in keyed]
