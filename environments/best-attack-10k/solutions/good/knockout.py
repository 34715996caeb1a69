"""Successive halving: shuffles real decks, plays all that are left on them, drops the worse half."""

import random

from skirmish import Deal, Table, parse_state


def solve(instance: dict) -> str:
    rng = random.Random("knockout")
    state = parse_state(instance)
    foe_deck, your_deck = list(state.foe.deck), list(state.you.deck)
    tables = {label: Table(state, attack) for label, attack in instance["plays"].items()}
    points = dict.fromkeys(tables, 0)
    games = 1000
    while len(points) > 1:
        for _ in range(games):
            rng.shuffle(foe_deck)
            hand = tuple(foe_deck[: state.hand])
            deal = Deal(hand, foe_deck[state.hand], rng.choice(your_deck))
            for label in points:
                points[label] += tables[label].points(deal)
        keep = sorted(points, key=points.__getitem__, reverse=True)[: len(points) // 2]
        points = {label: points[label] for label in keep}
        games *= 2
    return f"PLAY {next(iter(points))}"
