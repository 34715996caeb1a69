# wrong: proves something weaker than the goal, without a flaw
from formulas import parse
from prover import prove


def solve(instance: dict) -> str:
    premises = [parse(line) for line in instance["premises"].split("\n")]
    goal = parse(instance["goal"])
    proof = prove(premises, ("|", goal, "t"))
    return proof
