"""Plays 40,000 games per attack from a seed of its own and names the best mean."""

import random

from environment import deal_games, play_all
from skirmish import parse_state


def solve(instance: dict) -> str:
    state = parse_state(instance)
    deals = deal_games(state, random.Random(2024), 40_000)

    def total(attack: list[str]) -> int:
        return sum(n * p for n, p in zip(deals.values(), play_all(state, attack, deals), strict=True))

    best, _ = max(instance["plays"].items(), key=lambda item: total(item[1]))
    return f"PLAY {best}"
