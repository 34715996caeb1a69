# wrong: closes the assumption by citing another line with the same formula, which is a derived one
def solve(instance: dict) -> str:
    goal = instance["goal"]
    return "\n".join([
        f"1. ~({goal}) : assume",
        f"2. ~({goal}) & ~({goal}) : &I 1 1",
        f"3. ~({goal}) : &E 2",
        f"4. {goal} : assume",
        "5. F : ~E 3 4",
        f"6. ~~({goal}) : ~I 3 5",
        f"7. {goal} : DN 6",
    ])
