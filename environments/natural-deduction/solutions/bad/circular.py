# wrong: two lines that rest on each other, the first of them on a later one
def solve(instance: dict) -> str:
    goal = instance["goal"]
    return f"1. ({goal}) & ({goal}) : &I 2 2\n2. {goal} : &E 1"
