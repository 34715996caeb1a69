# wrong: smelts one ore after the other and stands beside the furnace meanwhile
def solve(instance: dict) -> list:
    plan = []
    heat, coal = 0, instance["start_coal"]
    for _ in range(instance["engine_bars"]):
        plan += [["gather", "ore"], ["load", 1]]
        while heat < instance["smelt_ticks"]:
            if coal:
                coal -= 1
            else:
                plan.append(["gather", "coal"])
            plan.append(["burn", 1])
            heat += instance["coal_burns"]
        heat -= instance["smelt_ticks"]
        plan += [["wait", instance["smelt_ticks"]], ["take"]]
    plan += [["gather", "wood"]] * max(0, instance["engine_wood"] - instance["start_wood"])
    return [*plan, ["make", "engine"]]
