"""Uniform-cost search without a bound, on states of its own; time is kept in buckets, waits are single ticks.

Written from task.md alone: every state that can be reached in t ticks is looked at before any that takes longer.
"""

from collections import defaultdict


def solve(instance: dict) -> list:
    smelt, slots, burns = instance["smelt_ticks"], instance["slots"], instance["coal_burns"]
    bars_needed, wood_needed = instance["engine_bars"], instance["engine_wood"]
    coal_needed = -(-bars_needed * smelt // burns)

    def cook(heat, oven, ticks):
        for _ in range(ticks):
            if heat == 0 or not any(oven):
                break
            heat -= 1
            oven = tuple([left - (left > 0) for left in oven])
        return heat, oven

    def moves(wood, ore, coal, bars, pick, heat, oven, coal_dug):
        """(action, ticks, cost paid and effect known) of every action that can help."""
        speed = "_ticks_with_pick" if pick else "_ticks"
        if bars == bars_needed:
            if wood >= wood_needed:
                yield ["make", "engine"], instance["engine_ticks"], None
        if ore + bars + len(oven) < bars_needed:
            yield ["gather", "ore"], instance["ore" + speed], (wood, ore, coal, bars, pick, 0, 0, coal_dug, "ore")
        if coal_dug < coal_needed:
            yield ["gather", "coal"], instance["coal" + speed], (wood, ore, coal, bars, pick, 0, 0, coal_dug, "coal")
        if wood < wood_needed + (0 if pick else instance["pick_wood"]):
            yield ["gather", "wood"], instance["wood_ticks"], (wood, ore, coal, bars, pick, 0, 0, coal_dug, "wood")
        if not pick and wood >= instance["pick_wood"] and bars < bars_needed:
            paid = (wood - instance["pick_wood"], ore, coal, bars, 1, 0, 0, coal_dug, "")
            yield ["make", "pick"], instance["pick_ticks"], paid
        for n in range(1, min(ore, slots - len(oven)) + 1):
            yield ["load", n], 1, (wood, ore - n, coal, bars, pick, n, 0, coal_dug, "")
        if any(oven) or ore or bars + len(oven) < bars_needed:
            for n in range(1, coal + 1):
                yield ["burn", n], 1, (wood, ore, coal - n, bars, pick, 0, n, coal_dug, "")
        if oven and 0 in cook(heat, oven, 1)[1]:
            yield ["take"], 1, (wood, ore, coal, bars, pick, 0, 0, coal_dug, "take")
        if heat and any(oven):
            yield ["wait", 1], 1, (wood, ore, coal, bars, pick, 0, 0, coal_dug, "")

    first = (instance["start_wood"], 0, instance["start_coal"], 0, 0, 0, (), instance["start_coal"])
    buckets = defaultdict(list, {0: [(first, None)]})
    done = set()
    clock = 0
    while True:
        for state, trail in buckets.pop(clock, ()):
            if state == "engine":
                plan = []
                while trail:
                    trail, action = trail
                    plan.append(action)
                return plan[::-1]
            if state in done:
                continue
            done.add(state)
            for action, ticks, after in moves(*state):
                if after is None:
                    buckets[clock + ticks].append(("engine", (trail, action)))
                    continue
                wood, ore, coal, bars, pick, loaded, fuelled, coal_dug, gain = after
                heat, oven = cook(state[5], state[6], ticks)
                if gain == "take":
                    bars += oven.count(0)
                    oven = tuple([left for left in oven if left])
                oven = tuple(sorted(oven + (smelt,) * loaded))
                after = (
                    wood + (gain == "wood"), ore + (gain == "ore"), coal + (gain == "coal"), bars, pick,
                    heat + fuelled * burns, oven, coal_dug + (gain == "coal"),
                )  # fmt: skip
                if after not in done:
                    buckets[clock + ticks].append((after, (trail, action)))
        clock += 1
