# wrong: names the right fraction and then a second one, in case the first is wrong
from building import chances, fraction, parse


def solve_linear(table, right):
    """x = table x + right over the rooms."""
    n = len(right)
    rows = [[(i == j) - table[i][j] for j in range(n)] + [right[i]] for i in range(n)]
    for pivot in range(n):
        rows[pivot] = [value / rows[pivot][pivot] for value in rows[pivot]]
        for i in range(n):
            if i != pivot:
                rows[i] = [a - rows[i][pivot] * b for a, b in zip(rows[i], rows[pivot], strict=True)]
    return [row[n] for row in rows]


def solve(instance):
    rooms = parse(instance["building"])
    n = len(rooms)
    table = chances(rooms)
    h = solve_linear(table, [row[n] for row in table])
    step = [sum(row[j] * rooms[j].toll * h[j] for j in range(n)) for row in table]
    right = fraction(solve_linear(table, step)[0] / h[0])
    return f"{right} or {right[1:] if right[0] == '-' else '-' + right}"
