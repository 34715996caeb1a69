# wrong: tries to get ore out of nothing by loading a negative number of it
from planner import fastest_plan


def solve(instance: dict) -> list:
    _, plan = fastest_plan(instance | {"ore_ticks": 1, "ore_ticks_with_pick": 1})
    return [["load", -1] if action == ["gather", "ore"] else action for action in plan]
