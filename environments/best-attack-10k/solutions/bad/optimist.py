# wrong: judges every attack by its luckiest deal
from skirmish import Table, parse_state, weighted_deals


def solve(instance: dict) -> str:
    state = parse_state(instance)
    deals = [deal for deal, _ in weighted_deals(state)]
    plays = instance["plays"]

    def luckiest(label: str) -> int:
        table = Table(state, plays[label])
        return max(table.points(deal) for deal in deals)

    return f"PLAY {max(plays, key=luckiest)}"
