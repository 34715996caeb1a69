# wrong: has everything that the engine needs in hand and leaves the engine unmade
from planner import fastest_plan


def solve(instance: dict) -> list:
    _, plan = fastest_plan(instance)
    return plan[:-1]
