"""Integers only: a generating function as a quotient of determinants; its derivative gives the toll."""

from math import gcd

from building import parse


def times(a, b):
    """The product of two numbers u + v x, without the square of x."""
    return a[0] * b[0], a[0] * b[1] + a[1] * b[0]


def determinant(matrix):
    """Over numbers u + v x, by expansion over columns already used (no division)."""
    n = len(matrix)
    parts = {0: (1, 0)}
    for row in matrix:
        grown = {}
        for used, value in parts.items():
            for j in range(n):
                if used >> j & 1 or row[j] == (0, 0):
                    continue
                u, v = times(value, row[j])
                if bin(used >> j).count("1") % 2:
                    u, v = -u, -v
                old = grown.get(used | 1 << j, (0, 0))
                grown[used | 1 << j] = (old[0] + u, old[1] + v)
        parts = grown
    return parts.get((1 << n) - 1, (0, 0))


def solve(instance):
    rooms = parse(instance["building"])
    n = len(rooms)
    walk = [[(0, 0)] * n for _ in rooms]
    exits = []
    for i, room in enumerate(rooms):
        total = sum(count for _, count in room.doors)
        walk[i][i] = (total, 0)
        exits.append((sum(count for to, count in room.doors if to == n), 0))
        for to, count in room.doors:
            if to < n:
                u, v = walk[i][to]
                walk[i][to] = (u - count, v - count * rooms[to].toll)
    below, below_slope = determinant(walk)
    above, above_slope = determinant([[last] + row[1:] for row, last in zip(walk, exits, strict=True)])
    # The logarithmic derivative of above / below.
    p = above_slope * below - above * below_slope
    q = above * below
    if q < 0:
        p, q = -p, -q
    shared = gcd(p, q)
    return f"{p // shared}/{q // shared}\n"
