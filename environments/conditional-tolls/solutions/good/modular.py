"""Count visits modulo a large prime, then find the one small fraction with that remainder."""

from building import parse

PRIME = 2**1279 - 1  # a Mersenne prime, far beyond twice the square of any numerator or denominator here


def inverse_matrix(matrix):
    n = len(matrix)
    rows = [row[:] + [int(i == j) for j in range(n)] for i, row in enumerate(matrix)]
    for pivot in range(n):
        best = next(i for i in range(pivot, n) if rows[i][pivot])
        rows[pivot], rows[best] = rows[best], rows[pivot]
        scale = pow(rows[pivot][pivot], -1, PRIME)
        rows[pivot] = [value * scale % PRIME for value in rows[pivot]]
        for i in range(n):
            if i != pivot and rows[i][pivot]:
                factor = rows[i][pivot]
                rows[i] = [(a - factor * b) % PRIME for a, b in zip(rows[i], rows[pivot], strict=True)]
    return [row[n:] for row in rows]


def solve(instance):
    rooms = parse(instance["building"])
    n = len(rooms)
    minus = [[int(i == j) for j in range(n)] for i in range(n)]
    exits = [0] * n
    for i, room in enumerate(rooms):
        share = pow(sum(count for _, count in room.doors), -1, PRIME)
        for to, count in room.doors:
            if to < n:
                minus[i][to] -= count * share
            elif to == n:
                exits[i] += count * share
    visits = inverse_matrix([[value % PRIME for value in row] for row in minus])
    h = [sum(row[j] * exits[j] for j in range(n)) % PRIME for row in visits]
    # Visits to room j on the way to A: visits[0][j] * h[j]. The start in room 1 is one that costs nothing.
    total = sum(visits[0][j] * h[j] * rooms[j].toll for j in range(n)) - h[0] * rooms[0].toll
    remainder = total * pow(h[0], -1, PRIME) % PRIME

    old, new, old_q, new_q = PRIME, remainder, 0, 1
    while new * new * 2 > PRIME:
        step = old // new
        old, new, old_q, new_q = new, old - step * new, new_q, old_q - step * new_q
    return f"{new}/{new_q}" if new_q > 0 else f"{-new}/{-new_q}"
