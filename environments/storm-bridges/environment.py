"""Bridges in a storm: several cases in one standard input, and the words that a right program prints.

An instance is `{"stdin": str, "expected": str}`; a program sees `stdin` only.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

RICHEST = 10**9
SIZES = {1: (12, 20), 2: (80, 120), 3: (500, 800)}  # level: the most islands, the most bridges

Bridges = list[tuple[int, int]]


@dataclass(frozen=True)
class Case:
    """Islands and bridges are numbered from 0 here, from 1 in the input."""

    people: list[int]
    bridges: Bridges
    strikes: list[int]

    def lines(self) -> list[str]:
        return [
            f"{len(self.people)} {len(self.bridges)} {len(self.strikes)}",
            " ".join(map(str, self.people)),
            *(f"{a + 1} {b + 1}" for a, b in self.bridges),
            " ".join(str(bridge + 1) for bridge in self.strikes),
        ]


def _people(rng: Random, n: int) -> list[int]:
    most = rng.choice((1, 9, 1000, RICHEST))
    return [rng.randint(0, most) for _ in range(n)]


def _strikes(rng: Random, m: int, most: int) -> list[int]:
    """At most `most` strikes: every bridge once, or only some of them, or some again and again."""
    if m == 0:
        return []
    order = rng.sample(range(m), m)
    style = rng.randrange(4)
    if style == 0:
        return order[:most]
    if style == 1:
        return order[: rng.randint(0, min(m, most))]
    return [rng.choice(order[: m // style + 1]) for _ in range(rng.randint(1, min(2 * m, most)))]


def _no_bridge(rng: Random) -> Case:
    return Case(_people(rng, rng.choice((1, 1, 2, 5))), [], [])


def _one_island(rng: Random) -> Case:
    bridges = [(0, 0)] * rng.randint(1, 3)
    return Case(_people(rng, 1), bridges, _strikes(rng, len(bridges), 6))


def _multiple(rng: Random) -> Case:
    """Few islands, several bridges between the same two, named in either direction."""
    n = rng.randint(2, 4)
    pairs = [(rng.randrange(n), rng.randrange(n)) for _ in range(2)] + [(0, n - 1)]
    bridges = [pair[:: rng.choice((1, -1))] for pair in rng.choices(pairs, k=rng.randint(3, 7))]
    return Case(_people(rng, n), bridges, rng.sample(range(len(bridges)), rng.randint(2, len(bridges))))


def _again(rng: Random) -> Case:
    """A path of islands; bridges are struck twice, with strikes at others in between."""
    n = rng.randint(3, 7)
    bridges = [(island, island + 1) for island in range(n - 1)]
    order = rng.sample(range(n - 1), n - 1)
    return Case([rng.randint(1, 50) for _ in range(n)], bridges, order + order[: rng.randint(1, n - 1)])


def _rich(rng: Random) -> Case:
    """Sums beyond 32 bits, signed and unsigned."""
    n = rng.randint(5, 9)
    people = [RICHEST - rng.randint(0, 9) for _ in range(n)]
    bridges = [(rng.randrange(island), island) for island in range(1, n)]
    return Case(people, bridges, rng.sample(range(n - 1), rng.randint(1, n - 1)))


def _few_but_rich(rng: Random) -> Case:
    """One populous island against a larger group of poor ones, or no people at all."""
    n = rng.randint(4, 8)
    bridges = [(rng.randrange(1, island), island) for island in range(2, n)]
    wealth = rng.choice((0, 1, 1, 1))
    people = [100 * wealth] + [rng.randint(0, 9) * wealth for _ in range(n - 1)]
    return Case(people, bridges, _strikes(rng, len(bridges), 2 * n))


def _any(rng: Random) -> Case:
    n = rng.randint(1, 6)
    bridges = [(rng.randrange(n), rng.randrange(n)) for _ in range(rng.randint(0, 8))]
    return Case(_people(rng, n), bridges, _strikes(rng, len(bridges), 12))


def _large(rng: Random, islands: int, most: int) -> Case:
    """A tree and some more bridges, or bridges between islands that lie close together."""
    n = rng.choice((islands, rng.randint(islands // 2, islands)))
    m = rng.randint(n - 1, most)
    near = rng.choice((1, 3, n))
    bridges = [(max(0, island - rng.randint(1, near)), island) for island in range(1, n)]
    if rng.random() < 0.5:
        bridges = bridges[rng.randrange(n // 4) :]  # some islands stay alone
    while len(bridges) < m:
        a = rng.randrange(n)
        bridges.append((a, min(n - 1, a + rng.randrange(near + 1))))
    rng.shuffle(bridges)
    names = rng.sample(range(n), n)
    bridges = [(names[a], names[b]) for a, b in bridges]
    return Case(_people(rng, n), bridges, _strikes(rng, m, most))


def _states(case: Case) -> list[tuple[int, int]]:
    """(number of groups, largest population) before the storm and after every strike.

    The storm runs backwards: bridges rise, groups merge, and the largest population never shrinks.
    A group is a list of islands, and the shorter list moves into the longer one.
    """
    fall: dict[int, int] = {}  # bridge: the number of the strike that fells it
    for number, bridge in enumerate(case.strikes):
        fall.setdefault(bridge, number)
    members = [[island] for island in range(len(case.people))]
    group = list(range(len(case.people)))
    people = list(case.people)
    count, largest = len(people), max(people)

    def rise(bridge: int) -> None:
        nonlocal count, largest
        small, big = (group[island] for island in case.bridges[bridge])
        if small == big:
            return
        if len(members[small]) > len(members[big]):
            small, big = big, small
        for island in members[small]:
            group[island] = big
        members[big] += members[small]
        people[big] += people[small]
        largest = max(largest, people[big])
        count -= 1

    for bridge in range(len(case.bridges)):
        if bridge not in fall:
            rise(bridge)
    states = [(count, largest)]
    for number in range(len(case.strikes) - 1, -1, -1):
        if fall[case.strikes[number]] == number:
            rise(case.strikes[number])
        states.append((count, largest))
    return states[::-1]


def generate(rng: Random, difficulty: int) -> dict[str, Any]:
    """8 to 16 cases, every special kind among them; the level sets the size of the largest."""
    kinds: list[Callable[[Random], Case]] = [
        _no_bridge, _one_island, _multiple, _again, _rich, _few_but_rich, _any,
    ]
    cases = [_large(rng, *SIZES[difficulty])]
    cases += [make(rng) for make in kinds + rng.choices(kinds, k=rng.randint(0, 8))]
    rng.shuffle(cases)
    lines = [str(len(cases))] + [line for case in cases for line in case.lines()]
    answer = [f"{count} {largest}" for case in cases for count, largest in _states(case)]
    return {"stdin": "\n".join(lines) + "\n", "expected": "\n".join(answer) + "\n"}


def reference(instance: dict[str, Any]) -> str:
    """What a right program prints."""
    return instance["expected"]


def check(instance: dict[str, Any], output: Any) -> float:
    """1.0 when the output has the same words as the right one, else 0.0.

    Words are compared as text and never turned into numbers: `+5`, `05`, `5_0`, `5.0` and the digits of
    other scripts are wrong.
    """
    if type(output) is not str:
        return 0.0
    return 1.0 if output.split() == instance["expected"].split() else 0.0
