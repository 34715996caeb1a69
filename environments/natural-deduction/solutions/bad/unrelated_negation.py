# wrong: calls a formula and the negation of another one a contradiction
def solve(instance: dict) -> str:
    goal = instance["goal"]
    return "\n".join([
        "1. F : assume",
        "2. ~F : ~I 1 1",
        "3. ~F & ~F : &I 2 2",
        "4. F : ~E 2 3",
        f"5. {goal} : FE 4",
    ])
