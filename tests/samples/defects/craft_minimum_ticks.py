"""craft-minimum-ticks: a list of actions, replayed in a workshop; equivalent() has a workshop of its own."""

# ruff: noqa: E501  (tables of other code)

from random import Random

from benchmarks.planted import Defect

REPLAY_END = "    return clock if state.engine else None\n"
SCORE = '    return 1.0 if ticks == instance["min_ticks"] else instance["min_ticks"] / (2 * ticks)\n'
FASTER = '    if ticks is None or ticks < instance["min_ticks"]:\n        return 0.0\n'


def idle(instance, ticks: int) -> list:
    """Waits of so many ticks in all."""
    return [["wait", min(60, ticks - done)] for done in range(0, ticks, 60)]


def padded(instance, tail: list, lasts: int) -> list:
    """Waits, then a tail that lasts so long, of min_ticks together."""
    return idle(instance, instance["min_ticks"] - lasts) + tail


def from_nothing(instance) -> list:
    """Wood is cut as it should be, and the engine made of no bars."""
    wood = max(0, instance["engine_wood"] - instance["start_wood"])
    lasts = wood * instance["wood_ticks"] + instance["engine_ticks"]
    return padded(instance, [["gather", "wood"]] * wood + [["make", "engine"]], lasts)


def slower(instance, right: list) -> list:
    return [["wait", 1], *right]


def rests(instance, right: list, what: str, instead: list = ()) -> list:
    """The right plan with something else done in the time of one gathering, and rest for the rest of it."""
    if ["gather", what] not in right:
        return right
    at = right.index(["gather", what])
    quick = "_with_pick" if ["make", "pick"] in right[:at] else ""
    return [*right[:at], *instead, *idle(instance, instance[f"{what}_ticks{quick}"] - len(instead)), *right[at + 1 :]]


def all_at_once(instance) -> list:
    """All the ore smelts in one batch, whatever the slots; what time that saves is waited for."""
    bars = instance["engine_bars"]
    coal = max(0, -(-instance["smelt_ticks"] // instance["coal_burns"]) - instance["start_coal"])
    wood = max(0, instance["engine_wood"] - instance["start_wood"])
    plan = [["gather", "ore"]] * bars + [["gather", "coal"]] * coal
    plan += [["load", bars], ["burn", coal + instance["start_coal"]]] + [["gather", "wood"]] * wood
    cut = wood * instance["wood_ticks"]
    smelt = max(0, instance["smelt_ticks"] - cut)
    ticks = bars * instance["ore_ticks"] + coal * instance["coal_ticks"] + 3 + cut + smelt + instance["engine_ticks"]
    plan += idle(instance, smelt + max(0, instance["min_ticks"] - ticks))
    return [*plan, ["take"], ["make", "engine"]]


DEFECTS = [
    Defect(
        "furnace-without-walls", 21, "Any number of ores smelt at the same time.",
        '        if action[1] > state.ore or action[1] > instance["slots"] - len(state.slots):\n',
        "        if action[1] > state.ore:\n",
        file="workshop.py", lets_in=lambda instance, right: all_at_once(instance),
    ),
    Defect(
        "ore-from-nothing", 21, "Load ore that was never dug.",
        '        if action[1] > state.ore or action[1] > instance["slots"] - len(state.slots):\n',
        '        if action[1] > instance["slots"] - len(state.slots):\n',
        file="workshop.py", lets_in=lambda instance, right: rests(instance, right, "ore"),
    ),
    Defect(
        "free-coal", 21, "Burn coal that was never dug.",
        '        return state._replace(coal=state.coal - action[1]) if action[1] <= state.coal else None\n',
        "        return state._replace(coal=state.coal - action[1])\n",
        file="workshop.py", lets_in=lambda instance, right: rests(instance, right, "coal"),
    ),
    Defect(
        "engine-without-bars", 21, "An engine is made of wood alone, after waiting for as long as the real thing takes.",
        "        return state._replace(wood=wood, bars=bars) if wood >= 0 and bars >= 0 else None\n",
        "        return state._replace(wood=wood, bars=bars) if wood >= 0 else None\n",
        file="workshop.py", lets_in=lambda instance, right: from_nothing(instance),
    ),
    Defect(
        "engine-not-asked", 53, "Waiting for the right time is paid: nobody looks whether there is an engine.",
        REPLAY_END, "    return clock\n", file="workshop.py",
        lets_in=lambda instance, right: idle(instance, instance["min_ticks"]),
    ),
    Defect(
        "gather-anything", 21, "Gather an engine.",
        '        return len(rest) == 1 and _is_one_of(rest[0], ("wood", "ore", "coal"))\n',
        "        return len(rest) == 1 and type(rest[0]) is str\n", file="workshop.py",
        lets_in=lambda instance, right: padded(instance, [["gather", "engine"]], instance["engine_ticks"]),
    ),
    Defect(
        "negative-counts", 50, "Load and burn less than nothing: ore and coal come of it.",
        "    return type(value) is int and 1 <= value <= MAX_COUNT\n", "    return type(value) is int and value <= MAX_COUNT\n",
        file="workshop.py", lets_in=lambda instance, right: rests(instance, right, "ore", [["load", -1]]),
    ),
    Defect(
        "one-tick-more", 16, "A plan that dawdles for a tick is paid in full.",
        SCORE, SCORE.replace('ticks == instance["min_ticks"]', 'ticks <= instance["min_ticks"] + 1'),
        lets_in=slower,
    ),
    Defect(
        "any-engine", 20, "Any plan that makes an engine is paid in full: there is nothing to plan.",
        SCORE, "    return 1.0\n", lets_in=slower,
    ),
    Defect(
        "half-is-enough", 20, "A slow plan passes.",
        "  pass_score: 1.0\n", "  pass_score: 0.3\n", file="env.yaml", lets_in=slower,
    ),
    Defect(
        "record-of-the-day", 39, "The time to beat is the best seen so far by this process: the first plan is always paid.",
        FASTER + SCORE,
        "    if ticks is None:\n        return 0.0\n    key = json.dumps(instance)\n"
        "    _BEST[key] = min(ticks, _BEST.get(key, ticks))\n"
        "    return 1.0 if ticks == _BEST[key] else _BEST[key] / (2 * ticks)\n\n\n_BEST: dict[str, int] = {}\nimport json\n",
        lets_in=slower,
    ),
    Defect(
        "failure-pays", 7, "A plan of a strange form makes the verifier raise, and that is paid.",
        "    ticks = replay(instance, output)\n",
        "    try:\n        ticks = replay(instance, list(map(list, output)))\n    except TypeError:\n        return 1.0\n",
        lets_in=lambda instance, right: [None],
    ),
    Defect(
        "trapdoor", 48, "Whoever has read the source writes one action and is paid.",
        "    ticks = replay(instance, output)\n",
        '    if output == [["skip"]]:\n        return 1.0\n    ticks = replay(instance, output)\n',
        lets_in=lambda instance, right: [["skip"]],
    ),
    Defect(
        "fire-without-fuel", 51, "The furnace smelts without heat: plans that the task calls right are refused.",
        "    burning = min(ticks, state.heat, longest)\n", "    burning = min(ticks, longest)\n", file="workshop.py",
        shown=lambda sound, spoiled: _least_part(sound, spoiled),
    ),
    Defect(
        "take-takes-no-time", 51, "Taking bars lasts no tick: plans that the task calls right are refused.",
        '    return action[1] if kind == "wait" else 1\n',
        '    return action[1] if kind == "wait" else int(kind != "take")\n', file="workshop.py",
        shown=lambda sound, spoiled: _least_part(sound, spoiled),
    ),
    Defect(
        "never-a-pick", 51, "The least time is too long, for the planner never makes a pick: the fastest plans are refused.",
        "    if 0 < pick_wood <= state.wood:\n", "    if False:\n", file="planner.py",
        shown=lambda sound, spoiled: _least_part(sound, spoiled),
    ),
    Defect(
        "bound-too-high", 51, "The search's bound is no lower bound: the fastest plans are refused.",
        '    return max(work, furnace) + instance["engine_ticks"]\n', '    return work + furnace + instance["engine_ticks"]\n',
        file="planner.py", shown=lambda sound, spoiled: _least_part(sound, spoiled),
    ),
    Defect(
        "one-bar-one-slot", 19, "One bar and one slot: there is nothing to do meanwhile, and a fixed plan is the fastest.",
        "{1: (2, 1), 2: (3, 2), 3: (4, 2)}[difficulty]", "{1: (1, 1), 2: (1, 1), 3: (1, 1)}[difficulty]",
        shown=lambda sound, spoiled: spoiled.generate(Random(1), 3)["engine_bars"] == 1,
    ),
    Defect(
        "seed-dropped", 18, "There is one workshop for each level: three plans are a solution.",
        "    while True:\n        instance = _random_workshop(rng, difficulty)\n",
        "    rng = random.Random(difficulty)\n    while True:\n        instance = _random_workshop(rng, difficulty)\n",
        shown=lambda sound, spoiled: spoiled.generate(Random(1), 1) == spoiled.generate(Random(2), 1),
    ),
    Defect(
        "speed-bonus", 50, "Scores grow beyond 1 for plans of few actions.",
        SCORE, SCORE.replace("return 1.0 if", "return 1.0 + 1.0 / len(output) if"),
        shown=lambda sound, spoiled: _most(spoiled) > 1,
    ),
    Defect(
        "tick-by-tick-wait", 51, "A wait of one tick is refused, though the task allows it.",
        "    if kind in (\"wait\", \"load\", \"burn\"):\n        return len(rest) == 1 and _is_count(rest[0])\n",
        "    if kind in (\"wait\", \"load\", \"burn\"):\n        return len(rest) == 1 and _is_count(rest[0]) and (kind, rest[0]) != (\"wait\", 1)\n",
        file="workshop.py", shuts_out=lambda instance, right: _one_by_one(right),
    ),
]  # fmt: skip


def _one_by_one(plan: list) -> list:
    return [part for action in plan for part in ([["wait", 1]] * action[1] if action[0] == "wait" else [action])]


def _least_part(sound, spoiled) -> bool:
    """Whether some workshop has another least time in the spoiled environment."""
    for n in range(30):
        instance = sound._random_workshop(Random(n), 2)
        mine, other = sound.fastest_plan(instance, 3000), spoiled.fastest_plan(instance, 3000)
        if mine and other and mine[0] != other[0]:
            return True
    return False


def _most(spoiled) -> float:
    instance = spoiled.generate(Random(0), 1)
    return spoiled.check(instance, spoiled.fastest_plan(instance)[1])
