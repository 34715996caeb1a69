# wrong: draws the conclusion in one case, and something else in the other
def solve(instance: dict) -> str:
    goal = instance["goal"]
    return "\n".join([
        "1. t : assume",
        "2. t -> t : ->I 1 1",
        f"3. ({goal}) | (t -> t) : |I 2",
        f"4. {goal} : assume",
        "5. t -> t : assume",
        f"6. {goal} : |E 3 4 4 5 5",
    ])
