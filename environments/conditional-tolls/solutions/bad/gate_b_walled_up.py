# wrong: removes the doors to gate B, which is not the same as to learn that they were not taken
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
    for room in rooms:
        room.doors[:] = [(to, count) for to, count in room.doors if to != n + 1]
    lost = [not room.doors for room in rooms]
    for room, dead in zip(rooms, lost, strict=True):
        if dead:
            room.doors.append((n, 1))
    table = chances(rooms)
    step = [sum(row[j] * rooms[j].toll for j in range(n)) for row in table]
    try:
        return fraction(solve_linear(table, step)[0])
    except ZeroDivisionError:
        return "0/1"
