# wrong: assumes the goal, repeats it by way of a conjunction, and never closes the assumption
def solve(instance: dict) -> str:
    goal = instance["goal"]
    return f"1. {goal} : assume\n2. ({goal}) & ({goal}) : &I 1 1\n3. {goal} : &E 2"
