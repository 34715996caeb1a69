# wrong: assumes that every bridge that falls splits a group, and leaves no group but single islands
import sys

data = list(map(int, sys.stdin.read().split()))
at = 1
for _ in range(data[0]):
    n, m, q = data[at : at + 3]
    people = data[at + 3 : at + 3 + n]
    ends = data[at + 3 + n : at + 3 + n + 2 * m]
    strikes = data[at + 3 + n + 2 * m : at + 3 + n + 2 * m + q]
    at += 3 + n + 2 * m + q
    groups = {i: {i} for i in range(1, n + 1)}
    for a, b in zip(ends[::2], ends[1::2], strict=True):
        if groups[a] is not groups[b]:
            groups[a] |= groups[b]
            for i in groups[b]:
                groups[i] = groups[a]
    distinct = {id(group): group for group in groups.values()}
    count = len(distinct)
    print(count, max(sum(people[i - 1] for i in group) for group in distinct.values()))
    down = set()
    for bridge in strikes:
        count += bridge not in down
        down.add(bridge)
        print(min(count, n), max(people))
