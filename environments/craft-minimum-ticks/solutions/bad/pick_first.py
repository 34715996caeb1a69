# wrong: always begins with a pick, the way one plays such games, and never asks whether it pays
from planner import fastest_plan


def solve(instance: dict) -> list:
    cut = max(0, instance["pick_wood"] - instance["start_wood"])
    left = max(0, instance["start_wood"] - instance["pick_wood"])
    fast = {f"{what}_ticks": instance[f"{what}_ticks_with_pick"] for what in ("ore", "coal")}
    _, plan = fastest_plan(instance | fast | {"start_wood": left})
    return [["gather", "wood"]] * cut + [["make", "pick"]] + [a for a in plan if a != ["make", "pick"]]
