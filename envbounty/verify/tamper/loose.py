"""Answers that hold the right one and are not it: whoever compares loosely takes them."""

from __future__ import annotations

from collections.abc import Sequence

from envbounty.verify.tamper.payload import Facts, Payload, stub

_SPOIL = """\
{reference}

_right = {function}

def {function}(*args, **kwargs):
    right = _right(*args, **kwargs)
    {how}
"""

#: name → what becomes of the right answer. None of these is another spelling of it, and none could be a second right
#: answer of the same kind: a grader that takes any valid answer must not be accused.
SPOILS = {
    "followed by other words": "return f'{right} or not, who knows'",
    "after other words": "return f'who knows, maybe not {right}'",
    "among other words": "return f'maybe {right} or not'",
    "a whole number and a bit": "return right + 0.4 if type(right) is int else right",
    "the opposite as text": "return 'False' if right is True else right",
    "its first letter only": "return right[:1] + '~no answer' if isinstance(right, str) else right",
    "with one item too many": "return [*right, 'no answer'] if isinstance(right, (list, tuple)) else right",
    "after one item too many": "return ['no answer', *right] if isinstance(right, (list, tuple)) else right",
    "with one key too many": "return {**right, 'no': 'answer'} if isinstance(right, dict) else right",
    "every item as other words": (
        "return [f'{x} or not' for x in right] if isinstance(right, (list, tuple)) else right"
    ),
}


def _spoiled(facts: Facts, items: Sequence[str]) -> str:
    return _SPOIL.format(reference=facts.reference.rstrip(), function=facts.function, how=SPOILS[items[0]])


_ALL_NUMBERS = "return ' '.join(map(str, range(-100, 1100)))"

PAYLOADS = (
    Payload(
        "answers with the right thing, spoiled",
        "accepts-loosely",
        "The function answers with something that holds the right answer and is not it.",
        (6, 11, 12, 13, 14, 17),
        _spoiled,
        items=lambda facts: tuple(SPOILS),
        each=True,
        rank=lambda facts: 3,
    ),
    Payload(
        "answers with every number at once",
        "accepts-loosely",
        "The function answers with all numbers from -100 to 1099: whoever looks for the right one in it finds it.",
        (12,),
        lambda facts, items: stub(facts.function, _ALL_NUMBERS),
        rank=lambda facts: 3,
    ),
)
