"""Condition the walk itself: given gate A, a step from i to j is h(j) / h(i) times as likely as before."""

from fractions import Fraction

from building import chances, fraction, parse


def solve_linear(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """x with matrix x = right. The walk ends, which keeps the pivots from zero without any search."""
    n = len(right)
    rows = [row[:] + [value] for row, value in zip(matrix, right, strict=True)]
    for pivot in range(n):
        for i in range(pivot + 1, n):
            factor = rows[i][pivot] / rows[pivot][pivot]
            rows[i] = [a - factor * b for a, b in zip(rows[i], rows[pivot], strict=True)]
    solution = [Fraction(0)] * n
    for i in range(n - 1, -1, -1):
        known = sum(rows[i][j] * solution[j] for j in range(i + 1, n))
        solution[i] = (rows[i][n] - known) / rows[i][i]
    return solution


def stay(table: list[list[Fraction]]) -> list[list[Fraction]]:
    """Identity minus the steps between rooms."""
    n = len(table)
    return [[Fraction(int(i == j)) - table[i][j] for j in range(n)] for i in range(n)]


def solve(instance: dict[str, str]) -> str:
    rooms = parse(instance["building"])
    n = len(rooms)
    table = chances(rooms)
    h = solve_linear(stay(table), [row[n] for row in table])

    # Rooms without hope of gate A aren't visited on the way to it.
    kept = [i for i in range(n) if h[i] > 0]
    given = [[table[i][j] * h[j] / h[i] for j in kept] for i in kept]
    tolls = [sum(chance * rooms[j].toll for chance, j in zip(row, kept, strict=True)) for row in given]
    return fraction(solve_linear(stay(given), tolls)[kept.index(0)])
