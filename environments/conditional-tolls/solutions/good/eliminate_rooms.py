"""Remove one room after the other. A way between two places carries its probability and its expected toll.

Writes white space around the fraction, which the task ignores.
"""

from fractions import Fraction

from building import chances, fraction, parse


def solve(instance):
    rooms = parse(instance["building"])
    n = len(rooms)
    # ways[i][j] = (p, m): the probability of the ways from i to j, and their sum of probability times toll.
    tolls = [room.toll for room in rooms] + [0, 0]
    ways = [{j: (p, p * tolls[j]) for j, p in enumerate(row) if p} for row in chances(rooms)]
    for gone in range(n - 1, -1, -1):
        p, m = ways[gone].pop(gone, (Fraction(0), Fraction(0)))
        if gone == 0:
            chance, toll = ways[0][n]
            # All rounds through room 1: 1 / (1 - p - m x) to the first order in x.
            chance, toll = chance / (1 - p), (toll + chance * m / (1 - p)) / (1 - p)
            return f"\t {fraction(toll / chance)} \n"
        rounds = 1 / (1 - p)
        extra = m * rounds * rounds
        for row in ways[:gone]:
            if gone not in row:
                continue
            p_in, m_in = row.pop(gone)
            p_in, m_in = p_in * rounds, m_in * rounds + p_in * extra
            for to, (p_out, m_out) in ways[gone].items():
                p_old, m_old = row.get(to, (0, 0))
                row[to] = (p_old + p_in * p_out, m_old + p_in * m_out + m_in * p_out)
