"""Written from task.md alone, without the simulator: every hand the foe may hold, exact fractions."""

from fractions import Fraction
from itertools import combinations


def blocks_of(attackers, defenders, life):
    rest = list(defenders)
    alarm = life <= sum(a["power"] for a in attackers)
    pairs = {}
    queue = list(attackers)
    while queue:
        a = queue[0]
        for other in queue:
            if other["power"] > a["power"]:
                a = other
        queue.remove(a)
        able = [d for d in rest if d["evasive"] or not a["evasive"]]
        safe = {d["name"] for d in able if a["power"] < d["toughness"]}
        deadly = {d["name"] for d in able if a["toughness"] <= d["power"]}
        for wanted in (safe & deadly, safe, deadly, {d["name"] for d in able} if alarm else set()):
            chosen = [d for d in able if d["name"] in wanted]
            if chosen:
                pairs[a["name"]] = chosen[0]
                rest.remove(chosen[0])
                break
    return pairs


def clash(attackers, defenders, life):
    """(damage, names of the dead)."""
    pairs = blocks_of(attackers, defenders, life)
    damage, dead = 0, set()
    for a in attackers:
        d = pairs.get(a["name"])
        if d is None:
            damage += a["power"]
            continue
        if d["power"] >= a["toughness"]:
            dead.add(a["name"])
        if a["power"] >= d["toughness"]:
            dead.add(d["name"])
    return damage, dead


def without_strongest(attackers):
    top = max(a["power"] for a in attackers)
    index = [a["power"] for a in attackers].index(top)
    return attackers[:index] + attackers[index + 1 :]


def chance_of_points(instance, attack, hand, drawn):
    """Mean value over your own draw, for one foe hand and one card it draws."""
    mine, theirs = instance["your_creatures"], instance["foe_creatures"]
    hand = list(hand)
    sent = [c for c in mine if c["name"] in attack]
    home = [c for c in mine if c["name"] not in attack]
    fighting = sent
    if sent and "snare" in hand:
        hand.remove("snare")
        fighting = without_strongest(sent)
    damage, dead = clash(fighting, theirs, instance["foe_life"])
    foe_life = instance["foe_life"] - damage
    if foe_life <= 0:
        return Fraction(1)
    theirs = [c for c in theirs if c["name"] not in dead]

    hand.append(drawn)
    my_life = instance["your_life"] - 2 * hand.count("ember")
    if my_life <= 0:
        return Fraction(0)
    raid = theirs
    if sum(c["power"] for c in theirs) < my_life:
        raid = []
        for c in theirs:
            killers = [g for g in home if g["power"] >= c["toughness"]]
            if c["evasive"]:
                killers = [g for g in killers if g["evasive"]]
            if not killers:
                raid.append(c)
    damage, fallen = clash(raid, home, my_life)
    if damage >= my_life:
        return Fraction(0)
    mine = [c for c in mine if c["name"] not in dead | fallen]
    resting = [c for c in theirs if c not in raid]
    for number in range(hand.count("recruit")):
        resting.append({"name": f"new {number}", "power": 2, "toughness": 2, "evasive": False})

    total = Fraction(0)
    for card in instance["your_deck"]:
        goal = foe_life - (2 if card == "flare" else 0)
        army = [dict(c, power=c["power"] + 1) for c in mine] if card == "banner" else mine
        if army and "snare" in hand:
            army = without_strongest(army)
        won = goal <= 0 or clash(army, resting, goal)[0] >= goal
        total += Fraction(1) if won else Fraction(1, 2)
    return total / len(instance["your_deck"])


def solve(instance):
    deck = instance["foe_deck"]
    cases = {}
    for hand in combinations(range(len(deck)), instance["foe_hand"]):
        for drawn in range(len(deck)):
            if drawn not in hand:
                key = tuple(sorted(deck[i] for i in hand)), deck[drawn]
                cases[key] = cases.get(key, 0) + 1
    best = None
    for label, attack in instance["plays"].items():
        value = sum(n * chance_of_points(instance, attack, *key) for key, n in cases.items())
        if best is None or value > best[0]:
            best = value, label
    return "PLAY " + best[1]
