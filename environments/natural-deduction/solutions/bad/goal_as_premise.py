# wrong: calls the goal a premise
def solve(instance: dict) -> str:
    rows = [*instance["premises"].split("\n"), instance["goal"]]
    return "\n".join(f"{n}. {formula} : premise" for n, formula in enumerate(rows, start=1))
