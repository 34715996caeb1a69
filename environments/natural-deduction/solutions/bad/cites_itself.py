# wrong: the last step of an otherwise right proof rests on itself
from formulas import parse
from prover import prove


def solve(instance: dict) -> str:
    premises = [parse(line) for line in instance["premises"].split("\n")]
    goal = parse(instance["goal"])
    rows = prove(premises, goal).split("\n")
    last = len(rows)
    rows[-1] = f"{last}. {instance['goal']} : |E {last} {last} {last} {last} {last}"
    return "\n".join([*rows, f"{last + 1}. {instance['goal']} : DN {last + 1}"])
