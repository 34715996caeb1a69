# wrong: reasons by cases from a disjunction that is only assumed, and never closes it
def solve(instance: dict) -> str:
    goal = instance["goal"]
    return "\n".join([
        f"1. ({goal}) | ({goal}) : assume",
        f"2. {goal} : assume",
        f"3. {goal} : |E 1 2 2 2 2",
    ])
