# wrong: going backwards, lets a bridge rise again at its last strike instead of its first
import sys

numbers = map(int, sys.stdin.read().split())
for _ in range(next(numbers)):
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

    count, largest, lines = n, max(people), []
    untouched = [i for i in range(m) if i not in set(strikes)]
    for step, bridge in enumerate(untouched + strikes[::-1]):
        if step >= len(untouched):
            lines.append(f"{count} {largest}")
        a, b = find(bridges[bridge][0]), find(bridges[bridge][1])
        if a != b:
            parent[a] = b
            people[b] += people[a]
            largest = max(largest, people[b])
            count -= 1
    lines.append(f"{count} {largest}")
    print("\n".join(lines[::-1]))
