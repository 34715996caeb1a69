# wrong: proves the goal with the help of an assumption that stays open
def solve(instance: dict) -> str:
    first, goal = instance["premises"].split("\n")[0], instance["goal"]
    return f"1. {first} : premise\n2. ({first}) -> {goal} : assume\n3. ({first}) -> {goal} : assume\n" + (
        f"4. ({first}) -> ({goal}) : assume\n5. {goal} : ->E 4 1"
    )
