"""Depth-first search with a growing deadline (IDA*, Korf 1985) and a table of what was tried in vain."""

from planner import least_ticks, useful_actions
from workshop import act, start


def solve(instance: dict) -> list:
    first = start(instance)
    deadline = least_ticks(instance, first)
    while True:
        tried: dict = {}
        plan = search(instance, first, deadline, tried)
        if plan is not None:
            return plan[::-1]
        deadline += 1


def search(instance: dict, state, left: int, tried: dict) -> list | None:
    """The actions, last first, that make the engine within `left` ticks; None when there are none."""
    if state.engine:
        return []
    if tried.get(state, -1) >= left:
        return None
    tried[state] = left
    for action in useful_actions(instance, state):
        step = act(instance, state, action)
        if step is None:
            continue
        after, ticks = step
        if ticks + least_ticks(instance, after) <= left:
            plan = search(instance, after, left - ticks, tried)
            if plan is not None:
                return [*plan, action]
    return None
