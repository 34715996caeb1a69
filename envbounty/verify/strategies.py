"""What a submission could say without solving the task: a constant, the question, a part of it, another's answer."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from envbounty.environment import Kind
from envbounty.verify.values import canonical


@dataclass(frozen=True)
class Question:
    """What a strategy may look at. `given`: what a submission is shown of the instance, in order."""

    given: Sequence[Any]
    place: int  # which of its half of the instances it is


@dataclass(frozen=True)
class Known:
    """What a strategy may have learnt: right answers of those instances on which it is chosen."""

    answers: Sequence[Any]
    commonest: Any
    seed: str


def known(answers: Sequence[Any], seed: str) -> Known:
    counts = Counter(map(canonical, answers))
    text = counts.most_common(1)[0][0]
    return Known(answers, next(answer for answer in answers if canonical(answer) == text), seed)


@dataclass(frozen=True)
class Trick:
    """One strategy. `blind`: it never looks at the instance, so it solves no task, whatever the answers are."""

    name: str
    say: Callable[[Question, Known], Any]
    blind: bool = False


class Nothing(Exception):
    """The strategy has nothing to say here."""


def _sequence(question: Question) -> list[Any]:
    """The first list that is given, else the words of the first text."""
    for value in question.given:
        if isinstance(value, list) and value:
            return value
    for value in question.given:
        if isinstance(value, str) and value.split():
            return value.split()
    raise Nothing


def _nth(question: Question, index: int) -> Any:
    if index >= len(question.given):
        raise Nothing
    return question.given[index]


def _sorted(question: Question, _: Known) -> Any:
    items = _sequence(question)
    try:
        return sorted(items)
    except TypeError:
        raise Nothing from None


def _blank(value: Any) -> Any:
    """The form without the content: every number 0, every word of a text 0 too."""
    if isinstance(value, list):
        return [_blank(item) for item in value]
    if isinstance(value, dict):
        return {key: _blank(item) for key, item in value.items()}
    if isinstance(value, str):
        return re.sub(r"\S+", "0", value)
    return 0 if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _random(question: Question, known: Known) -> Any:
    return Random(f"{known.seed}:{question.place}").choice(known.answers)


#: In order of simplicity: of equals the first counts as the best.
TRICKS = (
    Trick("always the commonest answer", lambda question, known: known.commonest, blind=True),
    Trick("a blank of the answer's form", lambda question, known: _blank(known.commonest), blind=True),
    Trick("an answer drawn by lot", _random, blind=True),
    Trick(
        "the answer of another instance",
        lambda question, known: known.answers[(question.place + 1) % len(known.answers)],
        blind=True,
    ),
    Trick("the input itself", lambda question, known: _nth(question, 0)),
    Trick("the second input itself", lambda question, known: _nth(question, 1)),
    Trick("the third input itself", lambda question, known: _nth(question, 2)),
    Trick("the first element of the input", lambda question, known: _sequence(question)[0]),
    Trick("the last element of the input", lambda question, known: _sequence(question)[-1]),
    Trick("the input, sorted", _sorted),
    Trick("the length of the input", lambda question, known: len(_sequence(question))),
)


def said(trick: Trick, question: Question, known: Known, kind: Kind) -> Any:
    """What the strategy answers, as a submission of `kind` would put it. Raises `Nothing`."""
    value = trick.say(question, known)
    if kind is Kind.ACTIONS:
        if isinstance(value, list):
            return value
        raise Nothing
    if kind is Kind.FUNCTION or isinstance(value, str):
        return value
    # Text is what these kinds speak: words side by side, and a line's end where right answers have one.
    words = value if isinstance(value, list) else [value]
    text = " ".join(word if isinstance(word, str) else json.dumps(word) for word in words)
    lined = isinstance(known.commonest, str) and known.commonest.endswith("\n")
    return text + "\n" if lined else text
