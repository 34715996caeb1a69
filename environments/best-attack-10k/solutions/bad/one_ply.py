# wrong: looks at this combat only (damage done and creatures traded) and not at the foe's answer
from skirmish import fight, parse_state


def solve(instance: dict) -> str:
    state = parse_state(instance)
    foes = list(state.foe.creatures)
    plays = instance["plays"]

    def worth(creatures: list) -> int:
        return sum(c.power + c.toughness for c in creatures)

    def value(label: str) -> int:
        sent = [c for c in state.you.creatures if c.name in plays[label]]
        combat = fight(sent, foes, state.foe.life)
        return 2 * combat.damage + worth(combat.attackers) - worth(sent) + worth(foes) - worth(combat.blockers)

    return f"PLAY {max(plays, key=value)}"
