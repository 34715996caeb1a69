"""Backwards in time with a disjoint-set forest: a bridge rises where it was struck for the first time."""

import sys


def solve(people, bridges, strikes):
    parent = list(range(len(people)))
    total = people[:]

    def find(island):
        while parent[island] != island:
            parent[island] = parent[parent[island]]
            island = parent[island]
        return island

    groups = len(people)
    largest = max(people)
    struck = set()
    felled = []  # for every strike: the bridge that it fells, or None
    for bridge in strikes:
        felled.append(None if bridge in struck else bridge)
        struck.add(bridge)
    spared = [bridge for bridge in range(len(bridges)) if bridge not in struck]

    lines = []
    for step, bridge in enumerate(spared + felled[::-1]):
        if step >= len(spared):
            lines.append(f"{groups} {largest}")
        if bridge is None:
            continue
        a, b = map(find, bridges[bridge])
        if a != b:
            parent[a] = b
            total[b] += total[a]
            largest = max(largest, total[b])
            groups -= 1
    lines.append(f"{groups} {largest}")
    return lines[::-1]


def main():
    numbers = map(int, sys.stdin.read().split())
    output = []
    for _ in range(next(numbers)):
        n, m, q = next(numbers), next(numbers), next(numbers)
        people = [next(numbers) for _ in range(n)]
        bridges = [(next(numbers) - 1, next(numbers) - 1) for _ in range(m)]
        strikes = [next(numbers) - 1 for _ in range(q)]
        output += solve(people, bridges, strikes)
    print("\n".join(output))


main()
