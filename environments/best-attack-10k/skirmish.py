"""The card game of task.md: one attack of yours, one turn of the foe, one last attack of yours.

A game is fixed by the play and by the deal, that is by which cards come up. Nothing here is random: the
caller deals.
Points of a game: 2 won, 1 undecided, 0 lost; a play's value is the mean of points / 2.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

EMBER_DAMAGE = 2
FLARE_DAMAGE = 2
BANNER_POWER = 1


class Creature(NamedTuple):
    name: str
    power: int
    toughness: int
    evasive: bool


RECRUITS = [Creature(f"Recruit {i}", 2, 2, False) for i in range(1, 5)]  # a foe sees at most 3 cards


Pair = tuple[Creature, Creature]  # an attacker and its blocker


class Side(NamedTuple):
    life: int
    creatures: tuple[Creature, ...]
    deck: tuple[str, ...]


class State(NamedTuple):
    you: Side
    foe: Side
    hand: int  # cards in the foe's hand at the start


class Deal(NamedTuple):
    """The cards that a game shows: the foe's first hand (sorted: its order does not matter), then draws."""

    hand: tuple[str, ...]
    foe_draw: str
    your_draw: str


class Combat(NamedTuple):
    """What a combat leaves: damage to the attacked player, and both sides' survivors in the order given."""

    damage: int
    attackers: list[Creature]
    blockers: list[Creature]


def parse_state(instance: dict) -> State:
    """The state that an instance describes; plays are left to the caller."""
    you, foe = (
        Side(
            instance[f"{who}_life"],
            tuple(Creature(**c) for c in instance[f"{who}_creatures"]),
            tuple(instance[f"{who}_deck"]),
        )
        for who in ("your", "foe")
    )
    return State(you, foe, instance["foe_hand"])


def foe_orders(state: State) -> list[tuple[tuple[str, ...], str]]:
    """Every equally likely way to deal the foe its hand and its draw: (sorted hand, draw), repeats kept."""
    return [(tuple(sorted(cards[:-1])), cards[-1]) for cards in permutations(state.foe.deck, state.hand + 1)]


def weighted_deals(state: State) -> Iterator[tuple[Deal, int]]:
    """Each different deal once, with the number of equally likely orders of the two decks that give it."""
    yours = Counter(state.you.deck)
    for (hand, draw), ways in Counter(foe_orders(state)).items():
        for card, copies in yours.items():
            yield Deal(hand, draw, card), ways * copies


def choose_blocks(attackers: list[Creature], blockers: list[Creature], life: int) -> list[Pair]:
    """Who blocks whom, as (attacker, blocker) pairs, by the rule of task.md for a defender with `life`."""
    desperate = sum([a.power for a in attackers]) >= life
    free = list(blockers)
    blocks = []
    for attacker in sorted(attackers, key=_power, reverse=True):  # stable: ties keep their listed order
        blocker = _pick_blocker(attacker, free, desperate)
        if blocker is not None:
            blocks.append((attacker, blocker))
            free.remove(blocker)
    return blocks


def _power(creature: Creature) -> int:
    return creature.power


def _pick_blocker(attacker: Creature, free: list[Creature], desperate: bool) -> Creature | None:
    """The first free creature of the best grade: 3 kills and survives, 2 survives, 1 kills, 0 neither."""
    _, power, toughness, evasive = attacker
    pick, pick_grade = None, -1 if desperate else 0
    for blocker in free:
        if evasive and not blocker.evasive:
            continue
        grade = 2 * (blocker.toughness > power) + (blocker.power >= toughness)
        if grade > pick_grade:
            pick, pick_grade = blocker, grade
    return pick


def fight(attackers: list[Creature], blockers: list[Creature], life: int) -> Combat:
    """One combat: blocks, then all damage at the same moment."""
    damage = sum([a.power for a in attackers])
    dead = set()
    for attacker, blocker in choose_blocks(attackers, blockers, life):
        damage -= attacker.power
        if attacker.power >= blocker.toughness:
            dead.add(blocker.name)
        if blocker.power >= attacker.toughness:
            dead.add(attacker.name)
    return Combat(
        damage,
        [a for a in attackers if a.name not in dead],
        [b for b in blockers if b.name not in dead],
    )


def attack_into(attackers: list[Creature], blockers: list[Creature], life: int, snared: bool) -> Combat:
    """Your attack. A snare first takes the strongest attacker out of the combat, unharmed and harmless."""
    if not (snared and attackers):
        return fight(attackers, blockers, life)
    caught = max(attackers, key=_power)  # the first of equals
    combat = fight([a for a in attackers if a is not caught], blockers, life)
    return combat._replace(attackers=[a for a in attackers if a is caught or a in combat.attackers])


def counter_attackers(creatures: list[Creature], guards: list[Creature], life: int) -> list[Creature]:
    """The foe's creatures that attack you: all if that could kill, else those that no guard could kill."""
    if sum([c.power for c in creatures]) >= life:
        return creatures
    return [c for c in creatures if not any(_could_kill(guard, c) for guard in guards)]


def _could_kill(guard: Creature, attacker: Creature) -> bool:
    return guard.power >= attacker.toughness and (guard.evasive or not attacker.evasive)


class Table:
    """Plays the games of one state and first attack; games that agree in all that matters are played once."""

    def __init__(self, state: State, attack: list[str]) -> None:
        self._state = state
        self._sent = [c for c in state.you.creatures if c.name in attack]
        self._guards = [c for c in state.you.creatures if c.name not in attack]
        foes = list(state.foe.creatures)
        self._first = [attack_into(self._sent, foes, state.foe.life, snared) for snared in (False, True)]
        self._replies: dict[tuple[bool, int], tuple[bool, list[Creature], list[Creature]]] = {}
        self._ends: dict[tuple[bool, int, int, bool, str], int] = {}

    def points(self, deal: Deal) -> int:
        """Points of the game with this deal."""
        snares = deal.hand.count("snare")
        snared = snares > 0
        if self._first[snared].damage >= self._state.foe.life:
            return 2
        used = 1 if snared and self._sent else 0
        held = (*deal.hand, deal.foe_draw)
        snared_again = held.count("snare") > used
        key = (snared, held.count("ember"), held.count("recruit"), snared_again, deal.your_draw)
        if key not in self._ends:
            self._ends[key] = self._end(*key)
        return self._ends[key]

    def _reply(self, snared: bool, embers: int) -> tuple[bool, list[Creature], list[Creature]]:
        """The foe's turn: whether you live, your creatures then (in listed order), the foe's untired ones."""
        first = self._first[snared]
        life = self._state.you.life - EMBER_DAMAGE * embers
        if life <= 0:
            return False, [], []
        attackers = counter_attackers(first.blockers, self._guards, life)
        combat = fight(attackers, self._guards, life)
        alive = [c for c in self._state.you.creatures if c in first.attackers or c in combat.blockers]
        return combat.damage < life, alive, [c for c in first.blockers if c not in attackers]

    def _end(self, snared: bool, embers: int, recruits: int, snared_again: bool, draw: str) -> int:
        """Points of a game that your first attack did not win: the foe's turn, then your last."""
        if (snared, embers) not in self._replies:
            self._replies[snared, embers] = self._reply(snared, embers)
        alive, yours, untired = self._replies[snared, embers]
        if not alive:
            return 0
        foe_life = self._state.foe.life - self._first[snared].damage
        if draw == "flare":
            foe_life -= FLARE_DAMAGE
        if foe_life <= 0:
            return 2
        if draw == "banner":
            yours = [Creature(c.name, c.power + BANNER_POWER, c.toughness, c.evasive) for c in yours]
        combat = attack_into(yours, untired + RECRUITS[:recruits], foe_life, snared_again)
        return 2 if combat.damage >= foe_life else 1
