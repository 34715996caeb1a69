# wrong: loads more ore than the furnace has slots, and waits for as long as that is quicker than it can be done
from planner import fastest_plan
from workshop import replay


def solve(instance: dict) -> list:
    bars = instance["engine_bars"]
    time, plan = fastest_plan(instance | {"slots": bars})
    if ["load", bars] not in plan:
        # Its plan may fit by chance: then load all at once.
        ore = [["gather", "ore"]] * bars
        plan = [*ore, ["load", bars], *(a for a in plan if a[0] != "load" and a != ["gather", "ore"])]
        time = replay(instance | {"slots": bars}, plan) or instance["min_ticks"]
    early = instance["min_ticks"] - time
    return [["wait", min(60, early)], *plan] if early > 0 else plan
