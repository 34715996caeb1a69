# wrong: rests in the time in which it should dig an ore, and loads that ore all the same
from planner import fastest_plan


def solve(instance: dict) -> list:
    _, plan = fastest_plan(instance)
    at = plan.index(["gather", "ore"])
    quick = "_with_pick" if ["make", "pick"] in plan[:at] else ""
    return [*plan[:at], ["wait", instance["ore_ticks" + quick]], *plan[at + 1:]]
