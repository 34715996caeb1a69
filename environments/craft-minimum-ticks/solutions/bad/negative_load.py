# wrong: tries to get ore out of nothing by loading a negative number of it, in the time in which it should dig one
from planner import fastest_plan


def solve(instance: dict) -> list:
    _, plan = fastest_plan(instance)
    at = plan.index(["gather", "ore"])
    quick = "_with_pick" if ["make", "pick"] in plan[:at] else ""
    return [*plan[:at], ["load", -1], ["wait", instance["ore_ticks" + quick] - 1], *plan[at + 1:]]
