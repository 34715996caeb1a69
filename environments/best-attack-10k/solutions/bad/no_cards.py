# wrong: plays the whole game out, but as if every card were a dud
from skirmish import Deal, Table, parse_state


def solve(instance: dict) -> str:
    state = parse_state(instance)
    deal = Deal(("dud",) * state.hand, "dud", "dud")
    plays = instance["plays"]
    return f"PLAY {max(plays, key=lambda label: Table(state, plays[label]).points(deal))}"
