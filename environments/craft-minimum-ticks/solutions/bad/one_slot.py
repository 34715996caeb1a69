# wrong: plans well but uses a single slot of the furnace, one ore at a time, and takes a tick too many at the end
from planner import fastest_plan


def solve(instance: dict) -> list:
    _, plan = fastest_plan(instance | {"slots": 1})
    last = len(plan) - 1 - plan[::-1].index(["take"])
    return [*plan[:last], ["wait", 1], *plan[last:]]
