# wrong: waits for most of the time and then gathers the engine, as if it grew on trees
def solve(instance: dict) -> list:
    rest = instance["min_ticks"] - instance["engine_ticks"]
    waits = [["wait", min(60, rest - done)] for done in range(0, rest, 60)]
    return [*waits, ["gather", "engine"]]
