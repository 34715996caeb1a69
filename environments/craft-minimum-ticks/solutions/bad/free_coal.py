# wrong: forgets to dig the coal that it burns
from planner import fastest_plan


def solve(instance: dict) -> list:
    bars = instance["engine_bars"]
    _, plan = fastest_plan(instance | {"start_coal": bars})
    lit = sum(action[1] for action in plan if action[0] == "burn")
    return plan if lit > instance["start_coal"] else [["burn", bars], *plan]
