"""The building as text, which is all that anybody gets to see, and as numbers."""

import re
from fractions import Fraction
from typing import NamedTuple

ROOM = re.compile(r"room ([0-9]+), toll (-?[0-9]+): (.+)")
DOORS = re.compile(r"(?:room ([0-9]+)|gate ([AB])) x([0-9]+)")


class Room(NamedTuple):
    """A room's toll and its doors in the order of the text: (destination, number of doors).

    Destinations are numbers from 0: in a building of n rooms, n is gate A and n + 1 is gate B.
    """

    toll: int
    doors: list[tuple[int, int]]


def write(rooms: list[Room]) -> str:
    """One line for each room."""
    names = [f"room {number + 1}" for number in range(len(rooms))] + ["gate A", "gate B"]
    return "\n".join(
        f"{name}, toll {room.toll}: " + ", ".join(f"{names[to]} x{count}" for to, count in room.doors)
        for name, room in zip(names, rooms, strict=False)
    )


def parse(text: str) -> list[Room]:
    """What `write` wrote."""
    lines = text.split("\n")
    rooms = []
    for line in lines:
        match = ROOM.fullmatch(line)
        if match is None:
            raise ValueError(f"not a room: {line!r}")
        doors = [
            (int(room) - 1 if room else len(lines) + "AB".index(gate), int(count))
            for room, gate, count in DOORS.findall(match[3])
        ]
        rooms.append(Room(int(match[2]), doors))
    return rooms


def chances(rooms: list[Room]) -> list[list[Fraction]]:
    """Row i, column j: the probability that the next step leads from room i to j; n rooms, n + 2 columns."""
    table = []
    for room in rooms:
        row = [Fraction(0)] * (len(rooms) + 2)
        for to, count in room.doors:
            row[to] += Fraction(count, sum(count for _, count in room.doors))
        table.append(row)
    return table


def fraction(value: Fraction) -> str:
    """The required form: p/q, also for whole numbers."""
    return f"{value.numerator}/{value.denominator}"
