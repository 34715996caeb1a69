# wrong: sends whoever no blocker can kill, and takes the listed play nearest to that
from skirmish import parse_state


def solve(instance: dict) -> str:
    state = parse_state(instance)
    safe = {
        c.name
        for c in state.you.creatures
        if not any(f.power >= c.toughness and (f.evasive or not c.evasive) for f in state.foe.creatures)
    }
    plays = instance["plays"]
    return f"PLAY {min(plays, key=lambda label: len(safe ^ set(plays[label])))}"
