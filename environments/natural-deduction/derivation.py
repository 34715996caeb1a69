"""Building proofs: steps that know the steps they rest on, and writing them out as numbered lines."""

from collections.abc import Callable

from formulas import Formula, show


class Step:
    """One line to be: `parts` are the steps that it cites, in the order in which the rule wants them."""

    def __init__(self, rule: str, formula: Formula, *parts: "Step") -> None:
        self.rule = rule
        self.formula = formula
        self.parts = parts


def assume(formula: Formula) -> Step:
    return Step("assume", formula)


def premise(formula: Formula) -> Step:
    return Step("premise", formula)


def apply(function: Step, argument: Step) -> Step:
    """Modus ponens; a negation counts as an implication of F."""
    if function.formula[0] == "~":
        return Step("~E", "F", function, argument)
    return Step("->E", function.formula[2], function, argument)


def abstract(target: Formula, assumption: Step, body: Step) -> Step:
    """Closes the assumption; `target` says whether as an implication or as a negation."""
    return Step("~I" if target[0] == "~" else "->I", target, assumption, body)


def by_contradiction(formula: Formula, refute: Callable[[Step], Step]) -> Step:
    """The formula, from a derivation of F out of its negation."""
    denied = assume(("~", formula))
    return Step("DN", formula, Step("~I", ("~", ("~", formula)), denied, refute(denied)))


def write_out(last: Step, spell: Callable[[Formula], str] = show) -> str:
    """The proof's text, without any line twice.

    Two assumptions of one formula become one line: closing it for both is sound, as either would do.
    """
    numbers: dict[tuple, int] = {}
    known: dict[int, int] = {}  # id of a step -> its line; steps stay alive meanwhile as parts of `last`
    text: list[str] = []
    todo = [last]
    while todo:
        step = todo[-1]
        missing = [part for part in step.parts if id(part) not in known]
        if missing:
            todo += reversed(missing)
            continue
        todo.pop()
        cited = [known[id(part)] for part in step.parts]
        key = (step.formula, step.rule, *cited) if step.parts else (step.formula, step.rule)
        if key not in numbers:
            numbers[key] = len(text) + 1
            text.append(" ".join([f"{numbers[key]}.", spell(step.formula), ":", step.rule, *map(str, cited)]))
        known[id(step)] = numbers[key]
    # If a line equal to the conclusion came earlier, the proof ends there.
    return "\n".join(text[: known[id(last)]])
