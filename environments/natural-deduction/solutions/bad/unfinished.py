# wrong: stops one line before the goal
from formulas import parse
from prover import prove


def solve(instance: dict) -> str:
    premises = [parse(line) for line in instance["premises"].split("\n")]
    goal = parse(instance["goal"])
    return prove(premises, goal).rpartition("\n")[0]
