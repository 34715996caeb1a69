"""Minimum ticks: gather, smelt in the background, and make an engine as fast as it can be done.

The verifier replays a plan in the workshop (workshop.py). The instance carries `min_ticks`, which task.md
does not show: the generator finds it by exact search (planner.py), so a check costs a replay and no search. A
plan that makes the engine in min_ticks scores 1, a slower one min_ticks / (2 ticks), and anything else 0.
"""

import random

from planner import fastest_plan
from tickwise import finish_tick
from workshop import replay

MOST_STATES = 1500  # keeps generating within some tens of milliseconds


def generate(rng: random.Random, difficulty: int) -> dict:
    """A workshop; levels add bars and slots. `min_ticks` is for the verifier alone."""
    while True:
        instance = _random_workshop(rng, difficulty)
        found = fastest_plan(instance, MOST_STATES)
        if found is not None:
            return instance | {"min_ticks": found[0]}


def _random_workshop(rng: random.Random, difficulty: int) -> dict:
    bars, slots = {1: (2, 1), 2: (3, 2), 3: (4, 2)}[difficulty]
    ore_ticks, coal_ticks = rng.randint(4, 9), rng.randint(3, 8)
    return {
        "wood_ticks": rng.randint(2, 5),
        "ore_ticks": ore_ticks,
        "coal_ticks": coal_ticks,
        "ore_ticks_with_pick": ore_ticks - rng.randint(1, 3),
        "coal_ticks_with_pick": coal_ticks - rng.randint(1, 2),
        "pick_wood": rng.randint(1, 2),
        "pick_ticks": 2 * bars - 1 + rng.randint(0, 3),  # so that a pick often does not pay
        "slots": slots,
        "smelt_ticks": rng.randint(5, 12),
        "coal_burns": rng.randint(5, 15),
        "engine_bars": bars,
        "engine_wood": rng.randint(1, 3),
        "engine_ticks": rng.randint(1, 5),
        "start_wood": rng.randint(0, 1),
        "start_coal": rng.randint(0, 1),
    }


def check(instance: dict, output: object) -> float:
    """1.0 for a plan of min_ticks, less than 1/2 for a slower plan that makes the engine, otherwise 0.0."""
    ticks = replay(instance, output)
    # No plan is faster than min_ticks: if one seems so, the replay is wrong rather than the plan right.
    if ticks is None or ticks < instance["min_ticks"]:
        return 0.0
    return 1.0 if ticks == instance["min_ticks"] else instance["min_ticks"] / (2 * ticks)


def equivalent(instance: dict, a: object, b: object) -> bool:
    """Whether both plans make the engine, and at the same tick: then neither is better than the other.

    Judged by tickwise.py, a second workshop written apart from the verifier's, which goes tick by tick.
    """
    ticks = finish_tick(instance, a)
    return ticks is not None and ticks == finish_tick(instance, b)
