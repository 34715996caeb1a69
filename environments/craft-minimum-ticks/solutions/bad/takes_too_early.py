# wrong: takes the last bar one tick before it is finished (counts the tick of lighting the fire as a tick of smelting)
from planner import fastest_plan


def solve(instance: dict) -> list:
    _, plan = fastest_plan(instance | {"smelt_ticks": instance["smelt_ticks"] - 1})
    return plan
