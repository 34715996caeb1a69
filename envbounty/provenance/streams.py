"""Token streams and their fingerprints: what is left of a text when names, layout and comments no longer count.

A stream is a list of tokens. A token is either a word that keeps its meaning everywhere (`for`, `sorted`, `+`) or a
name of the author's own, which only tells how long ago the same name was last used. That is Baker's encoding for
matching up to a renaming ("A theory of parameterized pattern matching", STOC 1993): two streams that differ by a
one-to-one renaming are equal, and two that use their names in another pattern are not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

#: Arithmetic modulo a Mersenne prime: fingerprints are the same on every machine and in every process.
_PRIME = (1 << 61) - 1
#: Of 61 bits 32 are kept. Two sets of 10,000 then share 0.02 fingerprints by chance, and many more are asked for.
_DROPPED = 29
_BASE = 0x1F35_8B4A_6C91_D2E3 % _PRIME
_FAR = 0


@dataclass(frozen=True)
class Unit:
    """One piece that can be moved without changing anything else: a function, a class, a paragraph.

    `prints` are the fingerprints of its shingles. `shape` and `seal` are digests of the whole: equal shapes differ by
    names, layout and constants at most, equal seals by names and layout.
    """

    path: str
    first: int  # its first and last line
    last: int
    prints: frozenset[int]
    shape: bytes
    seal: bytes


@lru_cache(maxsize=1 << 16)
def code_of(word: str) -> int:
    """A number for a word that keeps its meaning."""
    return int.from_bytes(hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=7).digest(), "big") + 1


@cache
def _distance(distance: int) -> int:
    return code_of(f" {distance}")


class Stream:
    """Collects the tokens of one unit."""

    def __init__(self, reach: int) -> None:
        self.tokens: list[int] = []
        self.constants: list[str] = []
        self._reach = reach
        self._seen: dict[str, int] = {}

    def word(self, word: str) -> None:
        self.tokens.append(code_of(word))

    def name(self, name: str) -> None:
        """A name of the author's own: the distance to its last use, or 0 when that is out of reach."""
        here = len(self.tokens)
        distance = here - self._seen.get(name, here)
        self._seen[name] = here
        self.tokens.append(_distance(distance if distance < self._reach else _FAR))

    def constant(self, kind: str, value: str) -> None:
        """A constant counts by its kind; its value counts for the seal alone."""
        self.tokens.append(code_of(kind))
        self.constants.append(value)

    def unit(self, path: str, first: int, last: int, width: int) -> Unit:
        seal = hashlib.blake2b(repr(self.tokens).encode(), digest_size=16)
        shape = seal.digest()
        for value in self.constants:
            data = value.encode("utf-8", "surrogatepass")
            seal.update(len(data).to_bytes(8, "big") + data)
        return Unit(path, first, last, frozenset(shingles(self.tokens, width)), shape, seal.digest())


def shingles(tokens: Sequence[int], width: int) -> Iterable[int]:
    """A fingerprint below 2**32 of every run of `width` tokens; of the whole when it is shorter. Linear time."""
    if not tokens:
        return
    rolling = 0
    drop = pow(_BASE, width, _PRIME)
    for at, token in enumerate(tokens):
        rolling = (rolling * _BASE + token) % _PRIME
        if at >= width:
            rolling = (rolling - tokens[at - width] * drop) % _PRIME
        if at >= width - 1:
            yield rolling >> _DROPPED
    if len(tokens) < width:
        yield (rolling * _BASE + len(tokens)) % _PRIME >> _DROPPED


def fingerprint(text: str) -> int:
    """A fingerprint below 2**32 of one text as it stands."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).digest(), "big")
