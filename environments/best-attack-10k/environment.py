"""Best attack: which listed attack wins most of 10,000 simulated games?

The verifier deals 10,000 games from a seed that depends on the instance alone, plays every listed attack on
the same deals (common random numbers, so that the luck of the draw cancels in differences), and accepts a
play unless some other play did significantly better.

The rule. For a play c and another play a let D be the mean over the games of value(a) - value(c), with value
1 won, 1/2 undecided, 0 lost. Each term lies in [-1, 1], so Hoeffding (1963, "Probability inequalities for
sums of bounded random variables", theorem 2, with range 2) gives P(D - E[D] >= t) <= exp(-n t^2 / 2) for n
games, and the same below. Play c is refused when D > t for some a, with t = sqrt(2 ln(k / ALPHA) / n) for k
plays.

* The best play has E[D] <= -MARGIN against every other. By the union bound it is refused with probability at
  most ALPHA = 1e-6, and far less since the margin is in its favour.
* Any other play has E[D] >= MARGIN against the best: the generator emits nothing else, for it knows the
  values exactly by going through every deal. So it is accepted with probability at most
  exp(-n (MARGIN - t)^2 / 2), which is below 1e-8 for n = 10,000, k = 6 and MARGIN = 0.12.
"""

import hashlib
import json
import math
import random
from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from operator import mul

from skirmish import Creature, Deal, State, Table, fight, foe_orders, parse_state, weighted_deals

GAMES = 10_000
ALPHA = 1e-6
MARGIN = 0.12  # of a win; least exact lead of the best play
LABELS = "ABCDEF"
PLAIN_DROPPED = 0.75  # share dropped of the states that a lazy player of the better sort would get right

YOUR_NAMES = ("Badger", "Crane", "Dormouse", "Ermine", "Falcon")
FOE_NAMES = ("Piston", "Quarry", "Ratchet", "Sprocket")
YOUR_CARDS = ("flare", "banner", "dud")
FOE_CARDS = ("snare", "ember", "recruit", "dud")


def generate(rng: random.Random, difficulty: int) -> dict:
    """A state and six attacks of which one leads the others by MARGIN; levels add creatures and cards."""
    while True:
        instance = _random_state(rng, difficulty)
        attacks = _choose_attacks(rng, instance)
        if attacks is not None:
            rng.shuffle(attacks)
            return instance | {"plays": dict(zip(LABELS, attacks, strict=True))}


def check(instance: dict, output: object) -> float:
    """1.0 when `output` is "PLAY x" for a listed play that no other play beats significantly, else 0.0."""
    if type(output) is not str or len(output) != len("PLAY A"):
        return 0.0
    plays = {f"PLAY {label}": attack for label, attack in instance["plays"].items()}
    if output not in plays:
        return 0.0
    state = parse_state(instance)
    deals = deal_games(state, random.Random(_seed(instance)), GAMES)
    points = {text: play_all(state, attack, deals) for text, attack in plays.items()}
    leads = [mean_lead(points[text], points[output], deals) for text in plays if text != output]
    return 0.0 if max(leads) > radius(len(plays), GAMES) else 1.0


def deal_games(state: State, rng: random.Random, games: int) -> Counter[Deal]:
    """Deals `games` games from freshly shuffled decks; how often each deal came up.

    Games with the same deal and play run the same way, so it is enough to play each deal that came up once.
    """
    foe = rng.choices(foe_orders(state), k=games)
    yours = rng.choices(state.you.deck, k=games)
    dealt = Counter(zip(foe, yours, strict=True))
    return Counter({Deal(*cards, draw): times for (cards, draw), times in dealt.items()})


def play_all(state: State, attack: list[str], deals: Iterable[Deal]) -> list[int]:
    """Points of the game that follows `attack`, deal by deal."""
    table = Table(state, attack)
    return [table.points(deal) for deal in deals]


def mean_lead(points: list[int], others: list[int], deals: Counter[Deal]) -> float:
    """Mean over all games of the paired difference in value, in [-1, 1]. Points run parallel to `deals`."""
    total = sum(n * (p - q) for p, q, n in zip(points, others, deals.values(), strict=True))
    return total / (2 * deals.total())


def radius(plays: int, games: int) -> float:
    """How far a mean lead may stray above its expectation; formula in the module's docstring."""
    return math.sqrt(2 * math.log(plays / ALPHA) / games)


def _seed(instance: dict) -> int:
    text = json.dumps(instance, sort_keys=True)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _random_state(rng: random.Random, difficulty: int) -> dict:
    yours, foes = {1: (4, 3), 2: (4, 3), 3: (5, 4)}[difficulty]
    return {
        "your_life": rng.randint(4, 6 + 2 * difficulty),
        "foe_life": rng.randint(5, 7 + 3 * difficulty),
        "your_creatures": _random_creatures(rng, YOUR_NAMES[:yours]),
        "foe_creatures": _random_creatures(rng, FOE_NAMES[:foes]),
        "your_deck": _random_deck(rng, YOUR_CARDS, 6),
        "foe_deck": _random_deck(rng, FOE_CARDS, 8),
        "foe_hand": 1 if difficulty == 1 else 2,
    }


def _random_creatures(rng: random.Random, names: tuple[str, ...]) -> list[dict]:
    def creature(name: str) -> dict:
        return {
            "name": name,
            "power": rng.randint(1, 5),
            "toughness": rng.randint(1, 5),
            "evasive": rng.random() < 0.25,
        }

    return [creature(name) for name in names]


def _random_deck(rng: random.Random, kinds: tuple[str, ...], size: int) -> list[str]:
    return sorted(list(kinds) + rng.choices(kinds, k=size - len(kinds)))


def exact_values(state: State, attacks: list[list[str]], deals: list[tuple[Deal, int]]) -> list[float]:
    """The exact value of each attack over weighted deals."""
    cards, ways = zip(*deals, strict=True)
    return [sum(map(mul, ways, play_all(state, attack, cards))) / (2 * sum(ways)) for attack in attacks]


def _choose_attacks(rng: random.Random, instance: dict) -> list[list[str]] | None:
    """Six attacks, the first of them best by MARGIN; None when this state has no such six or is too plain."""
    state = parse_state(instance)
    names = [c.name for c in state.you.creatures]
    every = [list(attack) for n in range(len(names) + 1) for attack in combinations(names, n)]
    middle = every[1:-1]
    attacks = [every[0], every[-1], *rng.sample(middle, min(len(middle), 8))]
    lures = _lures(state, attacks)
    if rng.random() < PLAIN_DROPPED and lures[-1] == lures[-2]:  # before the exact values, which cost most
        return None
    values = exact_values(state, attacks, list(weighted_deals(state)))
    best = max(values)
    beaten = [i for i, value in enumerate(values) if value <= best - MARGIN]
    if len(beaten) < len(LABELS) - 1:
        return None
    if rng.random() < PLAIN_DROPPED and best in [values[i] for i in lures[2:]]:
        return None
    listed = [i for i in dict.fromkeys(lures) if i in beaten]
    rest = [i for i in beaten if i not in listed]
    chosen = [values.index(best), *listed, *rng.sample(rest, len(LABELS) - 1 - len(listed))]
    return [attacks[i] for i in chosen]


def _lures(state: State, attacks: list[list[str]]) -> list[int]:
    """Which attacks lazy players choose (five rules at most, as five wrong plays are listed), by index."""
    duds = Deal(("dud",) * state.hand, "dud", "dud")
    powers = {c.name: c.power for c in state.you.creatures}
    rules = [
        len,  # everything
        lambda attack: -len(attack),  # nothing
        # The better sort:
        lambda attack: sum(powers[name] for name in attack) / max(len(attack), 1),  # the biggest
        lambda attack: play_all(state, attack, [duds])[0],  # as if there were no cards
        lambda attack: _trade(state, attack),  # the first combat alone
    ]
    scores = [[rule(attack) for attack in attacks] for rule in rules]
    return [row.index(max(row)) for row in scores]


def _trade(state: State, attack: list[str]) -> int:
    sent = [c for c in state.you.creatures if c.name in attack]
    foes = list(state.foe.creatures)
    combat = fight(sent, foes, state.foe.life)
    return 2 * combat.damage + _size(combat.attackers) - _size(sent) + _size(foes) - _size(combat.blockers)


def _size(creatures: list[Creature]) -> int:
    return sum(c.power + c.toughness for c in creatures)
