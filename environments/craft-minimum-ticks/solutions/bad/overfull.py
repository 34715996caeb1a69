# wrong: loads more ore than the furnace has slots
from planner import fastest_plan


def solve(instance: dict) -> list:
    _, plan = fastest_plan(instance | {"slots": instance["engine_bars"]})
    if ["load", instance["engine_bars"]] in plan:
        return plan
    # Its plan may fit by chance: then load all at once.
    ore = [["gather", "ore"]] * instance["engine_bars"]
    return [*ore, ["load", instance["engine_bars"]], *(a for a in plan if a[0] != "load" and a != ["gather", "ore"])]
