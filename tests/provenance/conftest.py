"""One environment of ordinary size to copy from, and what the check says of a folder, without a jail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from envbounty.environment import load
from envbounty.findings import Finding
from envbounty.provenance.surroundings import Surroundings
from envbounty.verify.bench import Bench
from envbounty.verify.checks import provenance
from envbounty.verify.context import Context

YAML = """\
schema: 1
name: {name}
version: 1.0.0
kind: function
title: Ships wait for a berth
authors: [{{name: Ada Example, github: ada-example}}]
licence: Apache-2.0
submission: {{function: berths, parameters: [ships]}}
"""

TASK = """\
# Ships wait for a berth

Ships come to a harbour one after another, and each of them wants to lie at a berth for a number of hours. A berth holds
one ship at a time, and a ship that finds no free berth waits outside until the first one is free again.

Write `berths(ships)`. It is given a list of ships in the order in which they come, each a pair of the hour of arrival
and the hours that it stays, and says for every ship how many hours it waited before it could enter the harbour. There
are three berths, and of several that are free the one with the smallest number is taken.
"""

VERIFIER = '''\
"""Ships and their berths."""

import heapq

BERTHS = 3


def generate(rng, difficulty):
    ships = []
    hour = 0
    for _ in range(5 + 10 * difficulty):
        hour += rng.randint(0, 3)
        stay = rng.choice((1, 2, rng.randint(3, 12)))
        ships.append([hour, stay])
    if rng.random() < 0.25:
        ships = [[at, max(1, stay - 1)] for at, stay in ships if stay > 1] or ships
    return {"ships": ships, "seen": len(ships)}


def waits(ships):
    free = [(0, berth) for berth in range(BERTHS)]
    heapq.heapify(free)
    found = []
    for arrival, stay in ships:
        ready, berth = heapq.heappop(free)
        start = max(arrival, ready)
        found.append(start - arrival)
        heapq.heappush(free, (start + stay, berth))
    return found


def check(instance, output):
    """All waits, in order, as whole numbers."""
    right = waits(instance["ships"])
    if type(output) is not list or len(output) != len(right):
        return 0.0
    for got, want in zip(output, right):
        if type(got) is not int or got != want:
            return 0.0
    return 1.0
'''

REFERENCE = '''\
"""Berths as a list of the hours at which they are free."""


def berths(ships):
    free_at = [0, 0, 0]
    waited = []
    for arrival, stay in ships:
        earliest = min(free_at)
        berth = free_at.index(earliest)
        begins = arrival if arrival > earliest else earliest
        waited.append(begins - arrival)
        free_at[berth] = begins + stay
    return waited
'''

GOOD = """\
def berths(ships):
    ends, out = [], []
    for arrival, stay in ships:
        busy = sorted(end for end in ends if end > arrival)
        enter = busy[-3] if len(busy) >= 3 else arrival
        out += [enter - arrival]
        ends += [enter + stay]
    return out
"""

BAD = "# wrong: nobody ever waits for a berth\ndef berths(ships):\n    return [0 for ship in ships]\n"

BASE: dict[str, str | bytes] = {
    "task.md": TASK,
    "environment.py": VERIFIER,
    "solutions/reference.py": REFERENCE,
    "solutions/good/sorted.py": GOOD,
    "solutions/bad/never.py": BAD,
}

#: Another environment altogether, with the same function to write, so that its parts fit into the other's.
OTHER: dict[str, str | bytes] = {
    "task.md": """\
# Trains of thought

A conductor punches tickets in one carriage after another. Every passenger who shows a torn ticket has to buy another,
unless a child of the same family holds a valid one; then the whole family travels free of charge to the next station.

Write `berths(ships)`: for every carriage, count the tickets that were sold in it, where a carriage is a word of letters
and each letter stands for a family. Capital letters are adults, small ones are their children.
""",
    "environment.py": """\
import string


def generate(rng, difficulty):
    return {"ships": ["".join(rng.choices(string.ascii_letters, k=difficulty + 4)) for _ in range(6)]}


def sold(word):
    count = 0
    while word:
        head, word = word[0], word[1:]
        if head.isupper():
            count += head.lower() not in word
            word = word.replace(head.lower(), "", 1)
        else:
            count ^= 1
    return count


def check(instance, output):
    try:
        return float(list(map(int, output)) == [sold(word) for word in instance["ships"]])
    except (TypeError, ValueError):
        return 0.0
""",
    "solutions/reference.py": """\
def berths(ships):
    def one(word):
        total, rest = 0, list(word)
        while rest:
            letter = rest.pop(0)
            if letter.isupper():
                total = total + (0 if letter.lower() in rest else 1)
                if letter.lower() in rest:
                    rest.remove(letter.lower())
            else:
                total = 1 - total if total in (0, 1) else total ^ 1
        return total

    return [one(word) for word in ships]
""",
    "solutions/bad/zero.py": "# wrong: sells no ticket at all\ndef berths(ships):\n    return [0] * len(ships)\n",
}

Files = Mapping[str, str | bytes | None]
Write = Callable[..., Path]
Look = Callable[..., list[Finding]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """`write(name, files, yaml, base)`: an environment in the repository `tmp_path/environments` (or `below`)."""

    def make(
        name: str = "ship-berths",
        files: Files | None = None,
        yaml: Mapping[str, str] | None = None,
        base: Mapping[str, str | bytes] = BASE,
        below: str = "environments",
    ) -> Path:
        text = YAML.format(name=name)
        for old, new in (yaml or {}).items():
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        place = tmp_path / below / name
        for path, content in {"env.yaml": text, **base, **(files or {})}.items():
            if content is not None:
                file = place / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
        return place

    return make


@pytest.fixture
def look() -> Look:
    """What the check finds; `surroundings` as for `Surroundings.of`, by default the environment's own folder."""

    def run(place: Path, *, examined: list[Path] | None = None, **surroundings: Any) -> list[Finding]:
        around = Surroundings.of([place] if examined is None else examined, **surroundings)
        jail: Any = None  # nothing runs
        context = Context(Bench(load(place), jail), f"envbounty verify {place}", surroundings=around)
        return list(provenance.run(context))

    return run
