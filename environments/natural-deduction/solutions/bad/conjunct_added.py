# wrong: adds the goal to a theorem as if a conjunction asked for one side only
def solve(instance: dict) -> str:
    goal = instance["goal"]
    return "\n".join([
        "1. t : assume",
        "2. t -> t : ->I 1 1",
        f"3. (t -> t) & ({goal}) : |I 2",
        f"4. {goal} : &E 3",
    ])
