# wrong: takes one side of a disjunction as proved
def solve(instance: dict) -> str:
    goal = instance["goal"]
    return "\n".join([
        "1. t : assume",
        "2. t -> t : ->I 1 1",
        f"3. (t -> t) | ({goal}) : |I 2",
        f"4. {goal} : &E 3",
    ])
