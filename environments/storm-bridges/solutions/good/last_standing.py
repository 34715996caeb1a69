"""A forest of the bridges that last longest tells every state: sort by fall, keep what joins two groups."""

from bisect import bisect_left


def numbers():
    return list(map(int, input().split()))


def case():
    n, m, q = numbers()
    people = numbers()
    ends = [numbers() for _ in range(m)]
    strikes = numbers()
    falls = [q + 1] * m
    for moment in range(q, 0, -1):
        falls[strikes[moment - 1] - 1] = moment

    groups = {island: {island} for island in range(1, n + 1)}
    total = {island: people[island - 1] for island in groups}
    home = {island: island for island in groups}
    history = [(-(q + 2), max(people))]  # (minus the fall of the bridge that made it, largest population)
    for fall, (a, b) in sorted(zip(falls, ends, strict=True), key=lambda item: -item[0]):
        a, b = home[a], home[b]
        if a == b:
            continue
        if len(groups[a]) < len(groups[b]):
            a, b = b, a
        for island in groups[b]:
            home[island] = a
        groups[a] |= groups.pop(b)
        total[a] += total.pop(b)
        history.append((-fall, max(history[-1][1], total[a])))
    for moment in range(q + 1):
        # Joined at this moment: the bridges that fall later.
        joined = bisect_left(history, (-moment,)) - 1
        print(n - joined, history[joined][1])


for _ in range(int(input())):
    case()
