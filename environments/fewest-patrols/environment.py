"""Fewest patrols: instances of many small sectors, and a verifier that works the answers out for itself.

A shift is `[start, end, need]`, a sector a list of shifts, an instance `{"sectors": [sector, ...]}`.
"""

from collections.abc import Callable
from random import Random
from typing import Any

MINUTES = 1440
LARGEST = {1: 12, 2: 60, 3: 300}

Sector = list[list[int]]


def _need(rng: Random, length: int) -> int:
    """A number in 0..length that is often one of the two ends, where comparisons go wrong."""
    return rng.choice((0, 1, 1, length, rng.randint(0, length), rng.randint(1, length)))


def _window(rng: Random, length: int) -> int:
    """First minute of a window; half of the windows lie at the start or at the end of the day."""
    last = MINUTES - length
    return rng.choice((0, last, rng.randint(0, last), rng.randint(0, last)))


def _single(rng: Random) -> Sector:
    length = rng.choice((1, 1, 2, 3, rng.randint(1, MINUTES), MINUTES))
    start = _window(rng, length)
    return [[start, start + length - 1, _need(rng, length)]]


def _tiny(rng: Random) -> Sector:
    """Two to five shifts crowded into a few minutes: equal, nested and touching ones are common."""
    size = rng.randint(2, 8)
    low = _window(rng, size)
    shifts = []
    for _ in range(rng.randint(2, 5)):
        start, end = sorted((rng.randrange(size), rng.randrange(size)))
        shifts.append([low + start, low + end, _need(rng, end - start + 1)])
    return shifts


def _chain(rng: Random) -> Sector:
    """Shifts in a row; a shift starts in the last minute of the one before it, or in the minute after."""
    links = rng.randint(3, 6)
    start = _window(rng, 5 * links)
    shifts = []
    for _ in range(links):
        end = start + rng.randint(0, 4)
        shifts.append([start, end, rng.choice((1, 1, end - start + 1))])
        start = end + rng.randint(0, 1)
    return shifts


def _equals(rng: Random) -> Sector:
    """One shift several times over, with different needs."""
    length = rng.randint(3, 9)
    start = _window(rng, length)
    return [[start, start + length - 1, need] for need in rng.sample(range(length + 1), 3)]


def _umbrella(rng: Random) -> Sector:
    """Short shifts with gaps between them, under a long one that needs about as many patrols as they do."""
    start = low = _window(rng, 40)
    shifts = []
    for _ in range(rng.randint(3, 5)):
        end = start + rng.randint(0, 3)
        shifts.append([start, end, rng.randint(1, end - start + 1)])
        start = end + rng.randint(2, 4)
    total = sum(need for _, _, need in shifts)
    first = low + rng.randint(0, 4)
    shifts.append([first, shifts[-1][1] + rng.randint(0, 3), total - rng.randint(0, 2)])
    # The long shift may have come out too short for its need.
    shifts[-1][2] = max(0, min(shifts[-1][2], shifts[-1][1] - first + 1))
    return shifts


def _large(rng: Random, most: int) -> Sector:
    """Up to `most` shifts all over the day; short ones make long chains, long ones make deep nests."""
    longest = rng.choice((3, 20, 100, MINUTES))
    few = rng.choice((2, 8, MINUTES))
    shifts = []
    for _ in range(rng.choice((most, rng.randint(most // 2, most)))):
        start = rng.randrange(MINUTES)
        end = min(MINUTES - 1, start + rng.randrange(longest))
        shifts.append([start, end, min(few, rng.randint(0, end - start + 1))])
    return shifts


def generate(rng: Random, difficulty: int) -> dict[str, Any]:
    """An instance with 8 to 16 sectors, every special kind among them; the level sizes the largest."""
    kinds: list[Callable[[Random], Sector]] = [_single, _tiny, _tiny, _chain, _equals, _umbrella]
    chosen = kinds + rng.choices(kinds, k=rng.randint(0, 8))
    sectors: list[Sector] = [[], _large(rng, LARGEST[difficulty])]
    sectors += [make(rng) for make in chosen]
    for shifts in sectors:
        rng.shuffle(shifts)
    rng.shuffle(sectors)
    return {"sectors": sectors}


def _fewest(shifts: Sector) -> int:
    """Go through the shifts by their end and put what is missing into the latest free minutes.

    What ended before is satisfied; what ends later can only profit from a patrol that is later.
    """
    day = bytearray(MINUTES)
    for start, end, need in sorted(shifts, key=lambda shift: shift[1]):
        for _ in range(need - day.count(1, start, end + 1)):
            day[day.rfind(0, start, end + 1)] = 1
    return sum(day)


def reference(instance: dict[str, Any]) -> list[int]:
    """The right answer: one number for each sector."""
    return [_fewest(shifts) for shifts in instance["sectors"]]


def check(instance: dict[str, Any], output: Any) -> float:
    """1.0 for exactly the right numbers, else 0.0. `bool` is an `int` to Python, hence `type()`."""
    expected = reference(instance)
    if type(output) is not list or len(output) != len(expected):
        return 0.0
    same = all(
        type(got) in (int, float) and got == want for got, want in zip(output, expected, strict=True)
    )
    return 1.0 if same else 0.0
