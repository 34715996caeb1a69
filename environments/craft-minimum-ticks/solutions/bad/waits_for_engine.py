# wrong: waits for as long as the engine would take, and leaves it unmade
from planner import fastest_plan


def solve(instance: dict) -> list:
    _, plan = fastest_plan(instance)
    return [*plan[:-1], ["wait", instance["engine_ticks"]]]
