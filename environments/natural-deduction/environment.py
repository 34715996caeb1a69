"""Natural deduction: prove a goal from premises, every step checked.

The verifier (deduction.py) reads the proof strictly and checks each line by its rule. `equivalent` cannot ask
the verifier, or it would repeat its mistakes: it asks judge.py, a second checker that shares no code with the
verifier, has another parser, compares formulas as strings in Polish notation, keeps open assumptions as sets,
and besides looks into the truth table of every line. Two proofs are the same answer when both prove the goal:
nothing else is asked for, so this is exact, while as texts any two proofs may differ.
"""

import random

from deduction import proves
from formulas import Formula, parse, show, truth_table
from judge import is_proof
from prover import prove

LETTERS = {1: "pqr", 2: "pqrs", 3: "pqrs"}
PREMISES = {1: 2, 2: 3, 3: 4}
LINES = {1: (8, 20), 2: (14, 40), 3: (24, 80)}  # of the prover's proof
GOALS_TRIED = 60


def generate(rng: random.Random, difficulty: int) -> dict:
    """Premises, every one of them needed, and a goal that follows; levels ask for more premises and lines."""
    least, most = LINES[difficulty]
    while True:
        premises = [_random_formula(rng, LETTERS[difficulty], 3) for _ in range(PREMISES[difficulty])]
        goal = _goal_of(rng, premises, LETTERS[difficulty])
        if goal is None:
            continue
        proof = prove(premises, goal)
        if least <= proof.count("\n") + 1 <= most:
            return {"premises": "\n".join(map(show, premises)), "goal": show(goal)}


def check(instance: dict, output: object) -> float:
    """1.0 for a proof of the goal from the premises, else 0.0."""
    if type(output) is not str:
        return 0.0
    premises = [parse(line) for line in instance["premises"].split("\n")]
    return 1.0 if proves(output, premises, parse(instance["goal"])) else 0.0


def equivalent(instance: dict, a: object, b: object) -> bool:
    """Whether both are proofs of the goal, as the second checker sees it."""
    premises = instance["premises"].split("\n")
    return is_proof(a, premises, instance["goal"]) and is_proof(b, premises, instance["goal"])


def _random_formula(rng: random.Random, letters: str, depth: int) -> Formula:
    """A formula whose branches are at most `depth` signs deep."""
    if depth == 0 or (depth < 3 and rng.random() < 0.3):
        return rng.choice(letters)
    sign = rng.choice(("~", "&", "|", "->", "->"))
    if sign == "~":
        return (sign, _random_formula(rng, letters, depth - 1))
    left = right = _random_formula(rng, letters, depth - 1)
    while right == left:
        right = _random_formula(rng, letters, depth - 1)
    return (sign, left, right)


def _goal_of(rng: random.Random, premises: list[Formula], letters: str) -> Formula | None:
    """A goal that follows from all premises together and from no fewer; None if luck does not find one."""
    tables = [truth_table(formula) for formula in premises]
    together = _meet(tables)
    if together == 0:
        return None
    fewer = [_meet(tables[:i] + tables[i + 1 :]) for i in range(len(tables))]
    if together in fewer:
        return None
    for _ in range(GOALS_TRIED):
        goal = _random_formula(rng, letters, 2)
        table = truth_table(goal)
        if not together & ~table and all(others & ~table for others in fewer):
            return goal
    return None


def _meet(tables: list[int]) -> int:
    """Where all the formulas are true."""
    meet = truth_table(("->", "F", "F"))
    for table in tables:
        meet &= table
    return meet
