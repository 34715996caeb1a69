# wrong: closes the assumption of the goal under another condition, which is a theorem
def solve(instance: dict) -> str:
    goal = instance["goal"]
    return "\n".join([
        f"1. {goal} : assume",
        "2. t : assume",
        "3. t -> t : ->I 2 2",
        f"4. (t -> t) -> ({goal}) : ->I 1 1",
        f"5. {goal} : ->E 4 3",
    ])
