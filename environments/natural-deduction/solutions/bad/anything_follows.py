# wrong: lets anything follow from a theorem, as if it were a falsum
def solve(instance: dict) -> str:
    goal = instance["goal"]
    return "\n".join([
        "1. t : assume",
        "2. t -> t : ->I 1 1",
        f"3. {goal} : FE 2",
    ])
