# wrong: refutes the negation of the goal by nothing but itself
def solve(instance: dict) -> str:
    goal = instance["goal"]
    return "\n".join([
        f"1. ~({goal}) : assume",
        f"2. ~~({goal}) : ~I 1 1",
        f"3. {goal} : DN 2",
    ])
