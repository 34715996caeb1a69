# wrong: judges every attack by its unluckiest deal, as minimax would
from skirmish import Table, parse_state, weighted_deals


def solve(instance: dict) -> str:
    state = parse_state(instance)
    deals = [deal for deal, _ in weighted_deals(state)]
    plays = instance["plays"]

    def unluckiest(label: str) -> int:
        table = Table(state, plays[label])
        return min(table.points(deal) for deal in deals)

    return f"PLAY {max(plays, key=unluckiest)}"
