"""The workshop of task.md: a player who does one thing at a time, and a furnace that smelts meanwhile.

Time is counted in ticks. An action that starts at tick t and lasts d ticks pays its cost at t, the furnace
runs for d ticks, and its effect appears at t + d. Actions are values; nothing here changes its arguments.
"""

from typing import NamedTuple

MAX_ACTIONS = 200
MAX_COUNT = 60  # largest n in ["wait", n], ["load", n] and ["burn", n]

Action = list  # a kind, then names and counts: ["wait", 3]


class State(NamedTuple):
    """What the player holds and what the furnace does. `slots`: each ore's ticks left, 0 for a bar."""

    wood: int = 0
    ore: int = 0
    coal: int = 0
    bars: int = 0
    has_pick: bool = False
    engine: bool = False
    heat: int = 0  # ticks that the coal in the furnace still burns
    slots: tuple[int, ...] = ()


def start(instance: dict) -> State:
    return State(wood=instance["start_wood"], coal=instance["start_coal"])


def well_formed(action: object) -> bool:
    """Whether `action` has one of the forms of task.md, counts in range; it may still be impossible."""
    if type(action) is not list or not 1 <= len(action) <= 2 or type(action[0]) is not str:
        return False
    kind, *rest = action
    if kind == "take":
        return not rest
    if kind in ("wait", "load", "burn"):
        return len(rest) == 1 and _is_count(rest[0])
    if kind == "gather":
        return len(rest) == 1 and _is_one_of(rest[0], ("wood", "ore", "coal"))
    if kind == "make":
        return len(rest) == 1 and _is_one_of(rest[0], ("pick", "engine"))
    return False


def _is_count(value: object) -> bool:
    return type(value) is int and 1 <= value <= MAX_COUNT


def _is_one_of(value: object, names: tuple[str, ...]) -> bool:
    return type(value) is str and value in names


def duration(instance: dict, state: State, action: Action) -> int:
    """Ticks that a well-formed action takes."""
    kind = action[0]
    if kind == "gather":
        with_pick = "_with_pick" if state.has_pick and action[1] != "wood" else ""
        return instance[f"{action[1]}_ticks{with_pick}"]
    if kind == "make":
        return instance[f"{action[1]}_ticks"]
    return action[1] if kind == "wait" else 1


def run_furnace(state: State, ticks: int) -> State:
    """The state `ticks` later. Fuel burns only while some ore is unfinished."""
    longest = max(state.slots, default=0)
    burning = min(ticks, state.heat, longest)
    if burning == 0:
        return state
    slots = tuple([left - burning if left > burning else 0 for left in state.slots])
    return state._replace(heat=state.heat - burning, slots=slots)


def act(instance: dict, state: State, action: Action) -> tuple[State, int] | None:
    """State after a well-formed action and the ticks it took; None if its cost or room for it is lacking."""
    paid = _pay(instance, state, action)
    if paid is None:
        return None
    ticks = duration(instance, state, action)
    return _take_effect(instance, run_furnace(paid, ticks), action), ticks


def _pay(instance: dict, state: State, action: Action) -> State | None:
    kind = action[0]
    if kind == "load":
        if action[1] > state.ore or action[1] > instance["slots"] - len(state.slots):
            return None
        return state._replace(ore=state.ore - action[1])
    if kind == "burn":
        return state._replace(coal=state.coal - action[1]) if action[1] <= state.coal else None
    if kind == "make":
        wood = state.wood - instance[f"{action[1]}_wood"]
        bars = state.bars - (instance["engine_bars"] if action[1] == "engine" else 0)
        return state._replace(wood=wood, bars=bars) if wood >= 0 and bars >= 0 else None
    return state


def _take_effect(instance: dict, state: State, action: Action) -> State:
    kind = action[0]
    if kind == "gather":
        return state._replace(**{action[1]: getattr(state, action[1]) + 1})
    if kind == "make":
        return state._replace(has_pick=True) if action[1] == "pick" else state._replace(engine=True)
    if kind == "load":
        return state._replace(slots=state.slots + (instance["smelt_ticks"],) * action[1])
    if kind == "burn":
        return state._replace(heat=state.heat + action[1] * instance["coal_burns"])
    if kind == "take":
        unfinished = tuple([left for left in state.slots if left])
        return state._replace(bars=state.bars + len(state.slots) - len(unfinished), slots=unfinished)
    return state


def replay(instance: dict, plan: object) -> int | None:
    """Ticks of a plan that makes the engine; None when it is malformed, impossible or makes none."""
    if type(plan) is not list or len(plan) > MAX_ACTIONS or not all(map(well_formed, plan)):
        return None
    state, clock = start(instance), 0
    for action in plan:
        step = act(instance, state, action)
        if step is None:
            return None
        state, ticks = step
        clock += ticks
    return clock if state.engine else None
