# wrong: adds up the walks of at most eight steps and leaves out the longer ones
from fractions import Fraction

from building import chances, fraction, parse


def solve(instance):
    rooms = parse(instance["building"])
    n = len(rooms)
    table = chances(rooms)
    here = [Fraction(i == 0) for i in range(n)]  # the probability of being in a room
    paid = [Fraction(0)] * n  # the same, times what was paid
    chance = toll = Fraction(0)
    for _ in range(8):
        chance += sum(here[i] * table[i][n] for i in range(n))
        toll += sum(paid[i] * table[i][n] for i in range(n))
        paid = [
            sum((paid[i] + here[i] * rooms[j].toll) * table[i][j] for i in range(n)) for j in range(n)
        ]
        here = [sum(here[i] * table[i][j] for i in range(n)) for j in range(n)]
    return fraction(toll / chance) if chance else "0/1"
