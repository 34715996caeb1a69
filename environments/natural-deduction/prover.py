"""A complete prover: the contraction-free calculus G4ip for intuitionistic logic, and Glivenko's theorem.

G4ip (R. Dyckhoff, "Contraction-free sequent calculi for intuitionistic logic", J. Symbolic Logic 57, 1992)
always ends: each rule makes the sequent smaller. Glivenko (1929): if a formula follows classically, its
double negation follows intuitionistically, so a goal that G4ip cannot prove is proved as ~~goal, then by DN.
"""

from derivation import Step, abstract, apply, assume, premise, write_out
from formulas import Formula

Context = dict[Formula, Step]  # what is known, and how


def prove(premises: list[Formula], goal: Formula) -> str | None:
    """The text of a proof; None if the goal does not follow."""
    context = {formula: premise(formula) for formula in premises}
    step = _Search().prove(context, goal)
    if step is None:
        doubly = _Search().prove(context, ("~", ("~", goal)))
        if doubly is None:
            return None
        step = Step("DN", goal, doubly)
    return write_out(step)


def implies(a: Formula, b: Formula) -> Formula:
    return ("~", a) if b == "F" else ("->", a, b)


def split_implication(formula: Formula) -> tuple[Formula, Formula] | None:
    """Antecedent and consequent; a negation is an implication of F."""
    if formula[0] == "~":
        return formula[1], "F"
    return (formula[1], formula[2]) if formula[0] == "->" else None


class _Search:
    def __init__(self) -> None:
        self._hopeless: set[tuple[frozenset, Formula]] = set()

    def prove(self, context: Context, goal: Formula) -> Step | None:
        """A derivation of the goal from the context, by the first rule that applies."""
        if goal in context:
            return context[goal]
        if "F" in context:
            return Step("FE", goal, context["F"])
        simpler = _simplify(context)
        if simpler is not None:
            return self.prove(simpler, goal)
        if goal[0] == "&":
            left = self.prove(context, goal[1])
            right = left and self.prove(context, goal[2])
            return right and Step("&I", goal, left, right)
        arrow = split_implication(goal)
        if arrow is not None:
            assumption = assume(arrow[0])
            body = self.prove({**context, arrow[0]: context.get(arrow[0], assumption)}, arrow[1])
            return body and abstract(goal, assumption, body)
        either = next((formula for formula in context if formula[0] == "|"), None)
        if either is not None:
            return self._by_cases(context, either, goal)
        return self._choose(context, goal)

    def _by_cases(self, context: Context, either: Formula, goal: Formula) -> Step | None:
        parts = [context[either]]
        rest = {formula: step for formula, step in context.items() if formula != either}
        for case in either[1:]:
            assumption = assume(case)
            conclusion = self.prove({**rest, case: rest.get(case, assumption)}, goal)
            if conclusion is None:
                return None
            parts += [assumption, conclusion]
        return Step("|E", goal, *parts)

    def _choose(self, context: Context, goal: Formula) -> Step | None:
        """The rules that may lead astray: each is tried in turn."""
        key = (frozenset(context), goal)
        if key in self._hopeless:
            return None
        if goal[0] == "|":
            for side in goal[1:]:
                step = self.prove(context, side)
                if step is not None:
                    return Step("|I", goal, step)
        for formula in context:
            arrow = split_implication(formula)
            if arrow is not None and split_implication(arrow[0]) is not None:
                step = self._use_nested(context, formula, goal)
                if step is not None:
                    return step
        self._hopeless.add(key)
        return None

    def _use_nested(self, context: Context, formula: Formula, goal: Formula) -> Step | None:
        """Uses (c -> d) -> b: proves c -> d with the help of d -> b, then goes on with b."""
        inner, b = split_implication(formula)
        c, d = split_implication(inner)
        rest = {known: step for known, step in context.items() if known != formula}
        helped = dict(rest)
        if d != "F":
            given = assume(d)
            weaker = apply(context[formula], abstract(inner, assume(c), given))
            helped.setdefault(implies(d, b), abstract(implies(d, b), given, weaker))
        proved = self.prove(helped, inner)
        if proved is None:
            return None
        rest.setdefault(b, apply(context[formula], proved))
        return self.prove(rest, goal)


def _simplify(context: Context) -> Context | None:
    """The context after one rule that loses nothing; None when none applies."""
    for formula, step in context.items():
        gained = _unfold(formula, step, context)
        if gained is not None:
            rest = {known: how for known, how in context.items() if known != formula}
            for new in gained:
                rest.setdefault(new.formula, new)
            return rest
    return None


def _unfold(formula: Formula, step: Step, context: Context) -> list[Step] | None:
    """What a formula can be replaced by; None when it must stay."""
    if formula[0] == "&":
        return [Step("&E", side, step) for side in formula[1:]]
    arrow = split_implication(formula)
    if arrow is None:
        return None
    a, b = arrow
    if a in context:
        return [apply(step, context[a])]
    if a == "F":
        return []
    if a[0] == "&":
        first, second = assume(a[1]), assume(a[2])
        inner = abstract(implies(a[2], b), second, apply(step, Step("&I", a, first, second)))
        return [abstract(implies(a[1], inner.formula), first, inner)]
    if a[0] == "|":
        cases = [assume(side) for side in a[1:]]
        return [abstract(implies(c.formula, b), c, apply(step, Step("|I", a, c))) for c in cases]
    return None
