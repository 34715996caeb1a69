# wrong: concludes the goal from (goal -> t -> t) and (t -> t), with modus ponens the wrong way round
def solve(instance: dict) -> str:
    goal = instance["goal"]
    return "\n".join([
        f"1. {goal} : assume",
        "2. t : assume",
        "3. t -> t : ->I 2 2",
        f"4. ({goal}) -> t -> t : ->I 1 3",
        f"5. {goal} : ->E 4 3",
    ])
