"""What a payload is: one way of being accepted without being right, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from envbounty.verify.tamper.signs import Signs

#: A text that no reference answers: to be found again in what a grader makes of it.
WRONG = "no answer at all"


@dataclass(frozen=True)
class Facts:
    """All that a payload may be written from: what any submitter could know or guess, and never an answer."""

    function: str
    reference: str  # only to be called and spoiled, or for the shape of a result
    signs: Signs = field(default_factory=Signs)
    tests: int = 5  # how often the grader called the reference; forged counts must come to it
    wrong: str = repr(WRONG)  # a plainly wrong answer of the type that is expected, as source


def always(facts: Facts) -> bool:
    return True


def nothing(facts: Facts) -> Sequence[str]:
    return ()


@dataclass(frozen=True)
class Payload:
    """One mechanism. `write(facts, items)` gives the submission; `items` are what it can be made smaller by.

    All items go into one submission, and are taken out again after it was accepted, as far as it still is. With `each`
    they are alternatives: one submission for each. `rounds` are several such sets of items, where some would spoil the
    effect of others.
    """

    name: str
    rule: str
    mechanism: str  # one sentence: what it does, and why a grader might fall for it
    rows: tuple[int, ...]  # of the catalogue of exploits
    write: Callable[[Facts, Sequence[str]], str]
    items: Callable[[Facts], Sequence[str]] = nothing
    each: bool = False
    rounds: Callable[[Facts], Sequence[Sequence[str]]] | None = None
    applies: Callable[[Facts], bool] = always
    #: Higher goes first. What the source gives a reason for goes before what always may work.
    rank: Callable[[Facts], int] = lambda facts: 0
    by_nature: bool = False  # defines no function, or one that never returns: wrong whatever the task
    elsewhere: bool = False  # right on the grader's own calls, since these hold the answer; wrong on others like them
    slow: bool = False  # runs into the grader's own time limit: tried first where that is cut short

    def attempts(self, facts: Facts) -> list[Attempt]:
        """The submissions to try."""
        if self.rounds is not None:
            rounds = [tuple(items) for items in self.rounds(facts)]
        elif self.each:
            rounds = [(item,) for item in self.items(facts)]
        else:
            rounds = [tuple(self.items(facts))]
        return [Attempt(self, items, self.write(facts, items)) for items in dict.fromkeys(rounds)]


@dataclass(frozen=True)
class Attempt:
    """One submission, and what it is made of."""

    payload: Payload
    items: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Group:
    """Payloads that can be tried in one submission, since they do not disturb each other."""

    name: str
    members: tuple[Payload, ...]
    write: Callable[[Facts, Sequence[Payload]], str]

    def applicable(self, facts: Facts) -> tuple[Payload, ...]:
        return tuple(payload for payload in self.members if payload.applies(facts))


def stub(function: str, *body: str) -> str:
    """A function of any parameters."""
    return f"def {function}(*args, **kwargs):\n" + "".join(f"    {line}\n" for line in body)


def wrong(facts: Facts) -> str:
    """A function that answers the same wrong thing to everything."""
    return stub(facts.function, f"return {facts.wrong}")


def wrong_answer(right: Sequence[Any]) -> str:
    """A literal of the type of most of the results `right` that is none of them (of truth values: the rarer one)."""
    kinds: Counter[type[Any]] = Counter(type(value) for value in right)
    kind: Any = kinds.most_common(1)[0][0] if kinds else str
    if kind is bool:
        return repr(sum(value is True for value in right) * 2 < len(right))
    if kind in (int, float):
        return repr(kind(987654321))
    if kind is list:
        inside = [item for value in right if isinstance(value, list) for item in value]
        return f"[{wrong_answer(inside)}]" if not any(isinstance(item, (list, dict)) for item in inside) else "[[]]"
    return repr(WRONG)
