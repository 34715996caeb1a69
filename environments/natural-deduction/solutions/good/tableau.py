"""Refutation: assumes the goal's negation and takes everything apart as an analytic tableau does."""

from derivation import Step, abstract, apply, assume, by_contradiction, premise, write_out
from formulas import Formula, parse


def solve(instance: dict) -> str:
    known = [premise(parse(line)) for line in instance["premises"].split("\n")]
    return write_out(by_contradiction(parse(instance["goal"]), lambda denied: refute([*known, denied], {})))


def refute(todo: list[Step], literals: dict[Formula, Step]) -> Step:
    """F from the steps given; raises ValueError where they are consistent."""
    waiting = []
    todo = list(todo)
    literals = dict(literals)
    while todo:
        step = todo.pop()
        formula = step.formula
        if formula == "F":
            return step
        if isinstance(formula, str) or (formula[0] == "~" and isinstance(formula[1], str)):
            literals.setdefault(formula, step)
            continue
        parts = without_branching(step)
        if parts is None:
            waiting.append(step)
        else:
            todo += parts
    for formula, step in literals.items():
        if formula[0] == "~" and formula[1] in literals:
            return apply(step, literals[formula[1]])
    if not waiting:
        raise ValueError("the goal does not follow")
    return branch(waiting[0], waiting[1:], literals)


def without_branching(step: Step) -> list[Step] | None:
    formula = step.formula
    if formula[0] == "&":
        return [Step("&E", side, step) for side in formula[1:]]
    if formula[0] != "~":
        return None
    inner = formula[1]
    if inner[0] == "~":
        return [Step("DN", inner[1], step)]
    if inner[0] == "|":
        return [deny(side, lambda held: apply(step, Step("|I", inner, held))) for side in inner[1:]]
    if inner[0] == "->":
        a, b = inner[1:]
        unless_b = deny(b, lambda held: apply(step, Step("->I", inner, assume(a), held)))

        def from_not_a(denied: Step) -> Step:
            held = assume(a)
            return apply(step, Step("->I", inner, held, Step("FE", b, apply(denied, held))))

        return [by_contradiction(a, from_not_a), unless_b]
    return None


def deny(formula: Formula, absurd) -> Step:
    """Not the formula, from a way to make F of it."""
    held = assume(formula)
    return abstract(("~", formula), held, absurd(held))


def branch(step: Step, rest: list[Step], literals: dict[Formula, Step]) -> Step:
    formula = step.formula
    if formula[0] == "|":
        a, b = (assume(side) for side in formula[1:])
        return Step("|E", "F", step, a, refute([*rest, a], literals), b, refute([*rest, b], literals))
    if formula[0] == "->":
        not_a = deny(formula[1], lambda held: refute([*rest, apply(step, held)], literals))
        return refute([*rest, not_a], literals)
    a, b = formula[1][1:]

    def from_a(held: Step) -> Step:
        not_b = deny(b, lambda other: apply(step, Step("&I", formula[1], held, other)))
        return refute([*rest, not_b], literals)

    return refute([*rest, deny(a, from_a)], literals)
