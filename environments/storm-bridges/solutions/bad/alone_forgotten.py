# wrong: counts only groups that a bridge belongs to, and forgets islands without a standing bridge
import sys


def solve(people, bridges, strikes):
    fall = {}
    for moment, bridge in enumerate(strikes):
        fall.setdefault(bridge, moment)
    group = list(range(len(people)))
    members = [[island] for island in group]
    linked = set()
    largest, lines = 0, []
    order = [(len(strikes), bridge) for bridge in range(len(bridges)) if bridge not in fall]
    order += [(moment, strikes[moment]) for moment in range(len(strikes) - 1, -1, -1)]
    for moment, bridge in order:
        if moment < len(strikes):
            lines.append(f"{len(linked)} {largest}")
        if fall.get(bridge, len(strikes)) != moment:
            continue
        a, b = (group[end] for end in bridges[bridge])
        if len(members[a]) < len(members[b]):
            a, b = b, a
        linked.add(a)
        if a != b:
            for island in members[b]:
                group[island] = a
            members[a] += members[b]
            people[a] += people[b]
            linked.discard(b)
        largest = max(largest, people[a])
    lines.append(f"{len(linked)} {largest}")
    return lines[::-1]


numbers = map(int, sys.stdin.read().split())
for _ in range(next(numbers)):
    n, m, q = next(numbers), next(numbers), next(numbers)
    people = [next(numbers) for _ in range(n)]
    bridges = [(next(numbers) - 1, next(numbers) - 1) for _ in range(m)]
    strikes = [next(numbers) - 1 for _ in range(q)]
    print("\n".join(solve(people, bridges, strikes)))
