"""The fastest plan, by A* over workshop states (Hart, Nilsson, Raphael 1968: an admissible bound is exact).

Only useful actions are tried. Each restriction keeps at least one fastest plan:
* never more ore than the engine's bars, nor more coal than all that ore could burn if smelted one by one;
* a wait ends one tick before the next bar is finished, for a take then gets it: nothing else gets better by
  itself, and what is loaded or lit sooner instead of after a wait does no harm.
"""

import heapq
from collections.abc import Iterator

from workshop import Action, State, act, start


def fastest_plan(instance: dict, most_states: int | None = None) -> tuple[int, list[Action]] | None:
    """(ticks, actions) of a fastest plan; None when the search would meet more than `most_states` states."""
    first = start(instance)
    best = {first: 0}
    came_from: dict[State, tuple[State, Action]] = {}
    # Among equal bounds the later clock first; the counter keeps states out of comparisons.
    queue = [(least_ticks(instance, first), 0, 0, first)]
    count = 0
    while queue and (most_states is None or count <= most_states):
        _, minus_clock, _, state = heapq.heappop(queue)
        clock = -minus_clock
        if state.engine:
            return clock, _trace(came_from, state)
        if clock > best[state]:
            continue
        for action in useful_actions(instance, state):
            step = act(instance, state, action)
            if step is None:
                continue
            after, ticks = step
            arrival = clock + ticks
            if arrival < best.get(after, arrival + 1):
                best[after] = arrival
                came_from[after] = state, action
                count += 1
                heapq.heappush(queue, (arrival + least_ticks(instance, after), -arrival, count, after))
    return None


def _trace(came_from: dict[State, tuple[State, Action]], state: State) -> list[Action]:
    plan = []
    while state in came_from:
        state, action = came_from[state]
        plan.append(action)
    return plan[::-1]


def useful_actions(instance: dict, state: State) -> Iterator[Action]:
    """The possible actions that a fastest plan may need from here."""
    missing = instance["engine_bars"] - state.bars - len(state.slots) - state.ore
    # The most heat that can still be used: every unfinished ore alone in the fire.
    usable = sum(state.slots) + (state.ore + missing) * instance["smelt_ticks"] - state.heat
    lacks_coal = usable > state.coal * instance["coal_burns"]
    pick_wood = 0 if state.has_pick or not (missing or lacks_coal) else instance["pick_wood"]
    if state.bars == instance["engine_bars"] and state.wood >= instance["engine_wood"]:
        yield ["make", "engine"]
    if missing:
        yield ["gather", "ore"]
    if lacks_coal:
        yield ["gather", "coal"]
    if state.wood < instance["engine_wood"] + pick_wood:
        yield ["gather", "wood"]
    if 0 < pick_wood <= state.wood:
        yield ["make", "pick"]
    for count in range(1, min(state.ore, instance["slots"] - len(state.slots)) + 1):
        yield ["load", count]
    for count in range(1, min(state.coal, -(-usable // instance["coal_burns"])) + 1):
        yield ["burn", count]
    unfinished = [left for left in state.slots if left]
    if len(unfinished) < len(state.slots) or (1 in unfinished and state.heat):
        yield ["take"]  # a bar that is finished at the end of the tick that this lasts is taken too
    if unfinished and unfinished[0] <= state.heat:
        yield ["wait", max(1, unfinished[0] - 1)]


def least_ticks(instance: dict, state: State) -> int:
    """A lower bound on the ticks to the engine: the player's own work or the furnace's, whichever is more."""
    if state.engine:
        return 0
    missing = instance["engine_bars"] - state.bars - len(state.slots) - state.ore
    unloaded = state.ore + missing
    loads = -(-unloaded // instance["slots"])
    takes = -(-(unloaded + len(state.slots)) // instance["slots"])
    cooking = max(max(state.slots, default=0), loads * instance["smelt_ticks"])
    cold = max(0, cooking - state.heat)
    coal = max(0, -(-cold // instance["coal_burns"]) - state.coal)

    as_is = _gathering(instance, state.has_pick, missing, coal)
    wood = instance["engine_wood"] - state.wood
    work = max(0, wood) * instance["wood_ticks"] + as_is
    if not state.has_pick:
        wood += instance["pick_wood"]
        with_pick = max(0, wood) * instance["wood_ticks"] + instance["pick_ticks"]
        work = min(work, with_pick + _gathering(instance, True, missing, coal))
    work += loads + takes + (cold > 0)

    # Each batch takes a tick to load, in which it does not cook, and the first may have to be dug.
    furnace = max(max(state.slots, default=0), loads * (instance["smelt_ticks"] + 1))
    if missing == unloaded > 0 and not state.slots:
        furnace += instance["ore_ticks_with_pick"]
    return max(work, furnace) + instance["engine_ticks"]


def _gathering(instance: dict, with_pick: bool, ore: int, coal: int) -> int:
    suffix = "_ticks_with_pick" if with_pick else "_ticks"
    return ore * instance["ore" + suffix] + coal * instance["coal" + suffix]
