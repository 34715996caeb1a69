# wrong: the right numbers, with the number of the case in front of each case
import sys

numbers = map(int, sys.stdin.read().split())
for case in range(next(numbers)):
    n, m, q = next(numbers), next(numbers), next(numbers)
    people = [next(numbers) for _ in range(n)]
    bridges = [(next(numbers) - 1, next(numbers) - 1) for _ in range(m)]
    strikes = [next(numbers) - 1 for _ in range(q)]
    parent = list(range(n))

    def find(i, parent=parent):
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    first = {}
    for moment, bridge in enumerate(strikes):
        first.setdefault(bridge, moment)
    count, largest, lines = n, max(people), []
    order = [(q, bridge) for bridge in range(m) if bridge not in first]
    order += [(moment, strikes[moment]) for moment in range(q - 1, -1, -1)]
    for moment, bridge in order:
        if moment < q:
            lines.append(f"{count} {largest}")
        if first.get(bridge, q) != moment:
            continue
        a, b = find(bridges[bridge][0]), find(bridges[bridge][1])
        if a != b:
            parent[a] = b
            people[b] += people[a]
            largest = max(largest, people[b])
            count -= 1
    lines.append(f"{count} {largest}")
    print(f"Case {case + 1}:")
    print("\n".join(lines[::-1]))
