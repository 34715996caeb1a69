# wrong: cases of which only the first is looked at, and the second stays open
def solve(instance: dict) -> str:
    goal = instance["goal"]
    return "\n".join([
        "1. t : assume",
        "2. t -> t : ->I 1 1",
        f"3. (t -> t) | ({goal}) : |I 2",
        "4. t -> t : assume",
        f"5. {goal} : assume",
        f"6. {goal} : |E 3 4 5 5 5",
    ])
