"""A second workshop, for `equivalent` only: tick by tick, plain counters, nothing shared with workshop.py.

It is slower and simpler than the verifier's, so that a mistake in one of the two shows as a difference.
"""

SHAPES = {
    ("take",), ("wait", int), ("load", int), ("burn", int),
    ("gather", "wood"), ("gather", "ore"), ("gather", "coal"), ("make", "pick"), ("make", "engine"),
}  # fmt: skip


def _shape(action: object) -> tuple | None:
    """The action with its count replaced by int; None when it cannot be one."""
    if not isinstance(action, list) or len(action) > 2:
        return None
    shape = []
    for word in action:
        if isinstance(word, str):
            shape.append(word)
        elif isinstance(word, int) and not isinstance(word, bool) and 0 < word < 61:
            shape.append(int)
        else:
            return None
    return tuple(shape)


def finish_tick(instance: dict, plan: object) -> int | None:
    """The tick at which the last action of a valid plan ends, the engine made; otherwise None."""
    if not isinstance(plan, list) or len(plan) > 200:
        return None
    if any(_shape(action) not in SHAPES for action in plan):
        return None
    have = {"ore": 0, "bar": 0, "pick": 0, "engine": 0}
    have |= {"wood": instance["start_wood"], "coal": instance["start_coal"]}
    furnace = {"fire": 0, "cooking": [], "cooked": 0}
    tick = 0
    for action in plan:
        lasts = 1
        if action[0] == "gather":
            lasts = instance[action[1] + "_ticks"]
            if have["pick"] > 0 and action[1] in ("ore", "coal"):
                lasts = instance[action[1] + "_ticks_with_pick"]
        elif action[0] == "make":
            lasts = instance[action[1] + "_ticks"]
            have["wood"] -= instance[action[1] + "_wood"]
            if action[1] == "engine":
                have["bar"] -= instance["engine_bars"]
        elif action[0] == "wait":
            lasts = action[1]
        elif action[0] == "load":
            have["ore"] -= action[1]
            if len(furnace["cooking"]) + furnace["cooked"] + action[1] > instance["slots"]:
                return None
        elif action[0] == "burn":
            have["coal"] -= action[1]
        if min(have.values()) < 0:
            return None

        for _ in range(lasts):
            tick += 1
            if furnace["fire"] > 0 and furnace["cooking"]:
                furnace["fire"] -= 1
                furnace["cooking"] = [left - 1 for left in furnace["cooking"]]
                furnace["cooked"] += furnace["cooking"].count(0)
                furnace["cooking"] = [left for left in furnace["cooking"] if left > 0]

        if action[0] in ("gather", "make"):
            have[action[1]] += 1
        elif action[0] == "load":
            furnace["cooking"] += [instance["smelt_ticks"]] * action[1]
        elif action[0] == "burn":
            furnace["fire"] += action[1] * instance["coal_burns"]
        elif action[0] == "take":
            have["bar"] += furnace["cooked"]
            furnace["cooked"] = 0
    return tick if have["engine"] else None
