"""Expected toll of a random walk, given its gate: random buildings, and a verifier that solves them exactly.

An instance is `{"building": str}`, and a submission one fraction as text.
"""

import re
from fractions import Fraction
from math import gcd
from random import Random
from typing import Any

from building import Room, chances, parse, write
from building import fraction as fraction_text

ROOMS = {1: (3, 3), 2: (4, 5), 3: (6, 7)}
LEAST_NUMERATOR = 20  # smaller answers can be guessed
LONGEST = 200
FRACTION = re.compile(r"(0|-?[1-9][0-9]*)/([1-9][0-9]*)")

Matrix = list[list[Fraction]]


def _draw(rng: Random, n: int) -> list[Room]:
    """Any building of n rooms; there may be rooms without doors, and walks that never end."""
    gate_a, gate_b = n, n + 1
    doors: list[list[tuple[int, int]]] = [[] for _ in range(n)]

    def add(room: int, to: int) -> None:
        doors[room].append((to, rng.randint(1, 3)))

    for room in range(1, n):
        add(rng.randrange(room), room)
        add(room, rng.randrange(n))
        if rng.random() < 0.3:
            add(rng.randrange(n), rng.randrange(n))
    if rng.random() < 0.25:
        # A trap: whoever goes there never leaves by gate A.
        doors[n - 1] = []
        add(n - 1, gate_b)
    for gate in (gate_a, gate_b, rng.choice((gate_a, gate_b))):
        add(rng.randrange(n - 1), gate)
    # The two that are easily overlooked: a way back into the same room, and a destination named twice.
    loop, twice = rng.randrange(n), rng.randrange(n)
    add(loop, loop)
    if doors[twice]:
        add(twice, rng.choice(doors[twice])[0])
    for row in doors:
        rng.shuffle(row)
    tolls = [rng.choice((-1, 1, 1)) * rng.randint(1, 9) * (rng.random() < 0.9) for _ in range(n)]
    return [Room(toll, row) for toll, row in zip(tolls, doors, strict=True)]


def _reaching(rooms: list[Room], goals: list[int]) -> list[int]:
    """The rooms from which one of the goals can be reached."""
    known = list(goals)
    grown = True
    while grown:
        new = [
            number
            for number, room in enumerate(rooms)
            if number not in known and any(to in known for to, _ in room.doors)
        ]
        known += new
        grown = bool(new)
    return [number for number in known if number < len(rooms)]


def _is_fair(rooms: list[Room]) -> bool:
    """The walk ends, it may end at either gate, and what is easily overlooked changes the answer."""
    n = len(rooms)
    if any(not room.doors for room in rooms) or len(_reaching(rooms, [n, n + 1])) < n:
        return False
    hopeful = _reaching(rooms, [n])
    if 0 not in hopeful or 0 not in _reaching(rooms, [n + 1]) or rooms[0].toll == 0:
        return False
    loops = any(to == room and rooms[room].toll for room in hopeful for to, _ in rooms[room].doors)
    twice = any(1 < len({to for to, _ in rooms[room].doors}) < len(rooms[room].doors) for room in hopeful)
    return loops and twice


def _solve(matrix: Matrix, columns: Matrix) -> Matrix:
    """X with (I - matrix) X = columns, by Gauss and Jordan; both have one row for each room."""
    n = len(matrix)
    rows = [
        [Fraction(i == j) - matrix[i][j] for j in range(n)] + list(columns[i]) for i in range(n)
    ]
    for pivot in range(n):
        # A walk that ends makes all pivots positive, so none must be searched for.
        scale = rows[pivot][pivot]
        rows[pivot] = [value / scale for value in rows[pivot]]
        for i in range(n):
            factor = rows[i][pivot]
            if i != pivot and factor:
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[pivot], strict=True)]
    return [row[n:] for row in rows]


def _expected_tolls(rooms: list[Room]) -> tuple[Fraction, Fraction]:
    """For both gates: E[toll; the walk ends at the gate] / P[it ends at the gate], from the first room."""
    n = len(rooms)
    table = chances(rooms)
    inner = [row[:n] for row in table]
    ends = _solve(inner, [row[n:] for row in table])
    # One step pays the toll of the room that it leads to, on those walks that go on to the gate from there.
    steps = [
        [sum(row[j] * rooms[j].toll * ends[j][gate] for j in range(n)) for gate in (0, 1)] for row in table
    ]
    at_a, at_b = (toll / end for toll, end in zip(_solve(inner, steps)[0], ends[0], strict=True))
    return at_a, at_b


def generate(rng: Random, difficulty: int) -> dict[str, Any]:
    """A building; the level sets the number of rooms."""
    n = rng.randint(*ROOMS[difficulty])
    whole = rng.random() < 0.15
    while True:
        rooms = _draw(rng, n)
        if not _is_fair(rooms):
            continue
        at_a, at_b = _expected_tolls(rooms)
        if at_a == at_b or abs(at_a.numerator) < LEAST_NUMERATOR:
            continue
        if whole and at_a.denominator <= 20:
            # Whole numbers are rare, and their form deserves a test.
            rooms = [Room(room.toll * at_a.denominator, room.doors) for room in rooms]
        return {"building": write(rooms)}


def reference(instance: dict[str, Any]) -> str:
    """The right answer, in the required form."""
    return fraction_text(_expected_tolls(parse(instance["building"]))[0])


def _value(output: Any) -> Fraction | None:
    """The number that an answer in the required form stands for, else None."""
    if type(output) is not str or len(output) > LONGEST:
        return None
    match = FRACTION.fullmatch(output.strip(" \t\r\n"))
    if match is None:
        return None
    p, q = int(match[1]), int(match[2])
    return Fraction(p, q) if gcd(p, q) == 1 else None


def equivalent(instance: dict[str, Any], a: Any, b: Any) -> bool:
    """Both in the required form, and the same number: at most white space around them differs."""
    value = _value(a)
    return value is not None and value == _value(b)


def check(instance: dict[str, Any], output: Any) -> float:
    """1.0 for the right number in the required form, else 0.0."""
    return 1.0 if equivalent(instance, output, reference(instance)) else 0.0
