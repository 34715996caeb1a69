# wrong: gathers everything before it lights the furnace, so that nothing is done in the background
def solve(instance: dict) -> list:
    bars, slots, smelt = instance["engine_bars"], instance["slots"], instance["smelt_ticks"]
    batches = [min(slots, bars - done) for done in range(0, bars, slots)]
    coal = -(-len(batches) * smelt // instance["coal_burns"])
    plan = [["gather", "ore"]] * bars
    plan += [["gather", "coal"]] * max(0, coal - instance["start_coal"])
    plan += [["gather", "wood"]] * max(0, instance["engine_wood"] - instance["start_wood"])
    plan.append(["burn", coal])
    for batch in batches:
        plan += [["load", batch], ["wait", smelt], ["take"]]
    return [*plan, ["make", "engine"]]
