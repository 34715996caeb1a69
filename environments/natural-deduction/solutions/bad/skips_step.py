# wrong: goes from the premises to the goal in one step that no rule allows
def solve(instance: dict) -> str:
    premises = instance["premises"].split("\n")
    rows = [f"{n}. {formula} : premise" for n, formula in enumerate(premises, start=1)]
    return "\n".join([*rows, f"{len(rows) + 1}. {instance['goal']} : ->E 1 2"])
