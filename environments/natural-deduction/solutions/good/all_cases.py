"""Truth table: splits on p | ~p for each letter, works out every formula in each case (L. Kalmar, 1935)."""

from derivation import Step, abstract, apply, assume, by_contradiction, premise, write_out
from formulas import LETTERS, Formula, parse

Facts = dict[str, Step]  # letter -> a step whose formula is the letter or its negation


def solve(instance: dict) -> str:
    premises = [parse(line) for line in instance["premises"].split("\n")]
    text = instance["premises"] + instance["goal"]
    letters = [letter for letter in LETTERS if letter in text]
    return write_out(split(letters, {}, premises, parse(instance["goal"])))


def split(letters: list[str], facts: Facts, premises: list[Formula], goal: Formula) -> Step:
    if not letters:
        return conclude(facts, premises, goal)
    letter, *rest = letters
    yes, no = assume(letter), assume(("~", letter))
    parts = []
    for fact in (yes, no):
        parts += [fact, split(rest, {**facts, letter: fact}, premises, goal)]
    return Step("|E", goal, excluded_middle(letter), *parts)


def excluded_middle(letter: str) -> Step:
    either = ("|", letter, ("~", letter))

    def refute(denied: Step) -> Step:
        held = assume(letter)
        refuted = abstract(("~", letter), held, apply(denied, Step("|I", either, held)))
        return apply(denied, Step("|I", either, refuted))

    return by_contradiction(either, refute)


def conclude(facts: Facts, premises: list[Formula], goal: Formula) -> Step:
    settled = settle(goal, facts)
    if settled.formula == goal:
        return settled
    for formula in premises:
        settled = settle(formula, facts)
        if settled.formula != formula:
            return Step("FE", goal, apply(settled, premise(formula)))
    raise ValueError("the goal does not follow")


def settle(formula: Formula, facts: Facts) -> Step:
    """The formula or its negation, whichever holds."""
    if formula == "F":
        held = assume("F")
        return abstract(("~", "F"), held, held)
    if isinstance(formula, str):
        return facts[formula]
    first = settle(formula[1], facts)
    first_holds = first.formula == formula[1]
    held = assume(formula)
    if formula[0] == "~":
        return abstract(("~", formula), held, apply(held, first)) if first_holds else first
    second = settle(formula[2], facts)
    second_holds = second.formula == formula[2]
    denial = ("~", formula)
    if formula[0] == "&":
        if first_holds and second_holds:
            return Step("&I", formula, first, second)
        wrong = second if first_holds else first
        return abstract(denial, held, apply(wrong, Step("&E", wrong.formula[1], held)))
    if formula[0] == "|":
        if first_holds or second_holds:
            return Step("|I", formula, first if first_holds else second)
        a, b = assume(formula[1]), assume(formula[2])
        return abstract(denial, held, Step("|E", "F", held, a, apply(first, a), b, apply(second, b)))
    if second_holds:
        return Step("->I", formula, assume(formula[1]), second)
    if first_holds:
        return abstract(denial, held, apply(second, apply(held, first)))
    antecedent = assume(formula[1])
    return Step("->I", formula, antecedent, Step("FE", formula[2], apply(first, antecedent)))
