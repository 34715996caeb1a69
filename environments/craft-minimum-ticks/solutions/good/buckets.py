"""Best-first search written from task.md alone: states of its own, waits of one tick, a queue of buckets.

A bucket holds what can be done by one tick at best: the clock plus a consistent bound, so a state is final
when it first comes up.
"""

from collections import defaultdict
from typing import NamedTuple


class Shop(NamedTuple):
    wood: int
    ore: int
    coal: int
    bars: int
    pick: bool
    heat: int
    oven: tuple  # ticks left, sorted
    dug: int  # coal had so far


def cook(shop, ticks):
    heat, oven = shop.heat, shop.oven
    for _ in range(ticks):
        if heat == 0 or not any(oven):
            break
        heat -= 1
        oven = tuple([left - (left > 0) for left in oven])
    return shop._replace(heat=heat, oven=oven)


def moves(instance, shop):
    """(action, ticks, the shop once it is paid) of each action worth a thought, but the engine."""
    speed = "_ticks_with_pick" if shop.pick else "_ticks"
    wanted = instance["engine_bars"] - shop.bars - len(shop.oven)
    if shop.ore < wanted:
        yield ["gather", "ore"], instance["ore" + speed], shop
    if shop.dug * instance["coal_burns"] < instance["engine_bars"] * instance["smelt_ticks"]:
        yield ["gather", "coal"], instance["coal" + speed], shop
    if shop.wood < instance["engine_wood"] + (0 if shop.pick else instance["pick_wood"]):
        yield ["gather", "wood"], instance["wood_ticks"], shop
    if not shop.pick and shop.wood >= instance["pick_wood"] and shop.bars < instance["engine_bars"]:
        yield ["make", "pick"], instance["pick_ticks"], shop._replace(wood=shop.wood - instance["pick_wood"])
    for n in range(1, min(shop.ore, instance["slots"] - len(shop.oven)) + 1):
        yield ["load", n], 1, shop._replace(ore=shop.ore - n)
    if wanted or any(shop.oven):
        for n in range(1, shop.coal + 1):
            yield ["burn", n], 1, shop._replace(coal=shop.coal - n)
    if 0 in cook(shop, 1).oven:
        yield ["take"], 1, shop
    if shop.heat and any(shop.oven):
        yield ["wait", 1], 1, shop


def gain(instance, shop, action):
    what = action[1] if len(action) > 1 else None
    if action[0] == "gather":
        shop = shop._replace(**{what: getattr(shop, what) + 1})
        return shop._replace(dug=shop.dug + 1) if what == "coal" else shop
    if action[0] == "make":
        return shop._replace(pick=True)
    if action[0] == "load":
        return shop._replace(oven=shop.oven + (instance["smelt_ticks"],) * what)
    if action[0] == "burn":
        return shop._replace(heat=shop.heat + what * instance["coal_burns"])
    if action[0] == "take":
        left = tuple([ticks for ticks in shop.oven if ticks])
        return shop._replace(bars=shop.bars + shop.oven.count(0), oven=left)
    return shop


def bound(instance, shop):
    raw = instance["engine_bars"] - shop.bars - len(shop.oven)
    digging = (raw - shop.ore) * instance["ore_ticks_with_pick"]
    cutting = max(0, instance["engine_wood"] - shop.wood) * instance["wood_ticks"]
    baking = -(-(sum(shop.oven) + raw * instance["smelt_ticks"]) // instance["slots"])
    return max(digging + cutting, baking) + instance["engine_ticks"]


def solve(instance):
    first = Shop(instance["start_wood"], 0, instance["start_coal"], 0, False, 0, (), instance["start_coal"])
    buckets = defaultdict(list, {bound(instance, first): [(0, first, None)]})
    final = set()
    tick = 0
    while True:
        while buckets[tick]:
            clock, shop, trail = buckets[tick].pop()
            if shop is None:
                return unwind(trail)
            if shop in final:
                continue
            final.add(shop)
            if shop.bars == instance["engine_bars"] and shop.wood >= instance["engine_wood"]:
                end = clock + instance["engine_ticks"]
                buckets[end].append((end, None, (trail, ["make", "engine"])))
            for action, ticks, paid in moves(instance, shop):
                after = gain(instance, cook(paid, ticks), action)
                if after not in final:
                    best = clock + ticks + bound(instance, after)
                    buckets[best].append((clock + ticks, after, (trail, action)))
        tick += 1


def unwind(trail):
    plan = []
    while trail:
        trail, action = trail
        plan.append(action)
    return plan[::-1]
