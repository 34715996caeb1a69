"""The environments that one is held against: found, indexed once, and read again only when they may be alike.

For every function, method and paragraph, and for every layer as a whole, the index keeps a MinHash signature in bands
(locality-sensitive hashing): whatever shares a band is a candidate, which is then compared exactly. Indexing pieces and
not only wholes is what finds a small environment inside a larger one.
"""

from __future__ import annotations

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from rensa import RMinHash, RMinHashLSH

from envbounty.environment import ContractError, Environment, find_environments
from envbounty.environment.files import MAX_FILE_BYTES, read_file, read_tree
from envbounty.provenance.prints import COPIED, LAYERS, Likeness, Print, boilerplate, likeness, print_files, print_of
from envbounty.provenance.streams import Unit

#: 32 bands of 4: two pieces that share half of their fingerprints become candidates 87 times in 100, with seven tenths
#: of them always (1 - (1 - s^4)^32).
PERMUTATIONS, BANDS, SEED = 128, 32, 1
#: A piece with fewer fingerprints of its own is found everywhere.
MIN_PIECE = 8
#: So many are compared exactly, those first that share what few others have.
MAX_CANDIDATES = 16
MAX_CHAIN = 50
_VARIANT = re.compile(rb"^variant_of[ \t]*:[ \t]*['\"]?([a-z0-9-]{3,60})['\"]?[ \t]*(?:#.*)?\r?$", re.MULTILINE)


@dataclass(frozen=True)
class Place:
    """One environment of the repository."""

    name: str
    path: Path
    before: bool  # it was there before this run: it is not one of those examined


@dataclass(frozen=True)
class Match:
    place: Place
    likeness: Likeness
    mine: Print
    other: Print


class Shelf:
    """Places and their index. Building reads every one of them once. Use from one thread at a time."""

    def __init__(self, places: Sequence[Place], copied: Mapping[str, float] = COPIED) -> None:
        self.places = list(places)
        self._copied = copied
        self.unread: list[Place] = []
        self.variant_of: dict[str, str | None] = {}
        self._lsh = RMinHashLSH(threshold=0.5, num_perm=PERMUTATIONS, num_bands=BANDS)
        self._owners: list[int] = []
        self._shapes: dict[bytes, list[int]] = defaultdict(list)
        self._read = lru_cache(maxsize=128)(_read_print)
        for number, place in enumerate(self.places):
            other = _read_print(place.path)
            if other is None:
                self.unread.append(place)
                continue
            self.variant_of[place.name] = other.variant_of
            self._shapes[other.shape].append(number)
            signatures = _signatures(other)
            self._lsh.insert_many(signatures, len(self._owners))
            self._owners += [number] * len(signatures)

    def matches(self, mine: Print, root: Path) -> list[Match]:
        """Every environment here, other than the one in `root`, that is like `mine`, the most alike first."""
        found = []
        here = root.resolve()
        for number in self._candidates(mine):
            place = self.places[number]
            if place.path.resolve() == here:
                continue
            other = self._read(place.path)
            if other is None:
                continue
            alike = likeness(mine, other, self._copied)
            if alike.near_duplicate or alike.partly_copied:
                found.append(Match(place, alike, mine, other))
        return sorted(found, key=lambda match: match.likeness.weight, reverse=True)

    def _candidates(self, mine: Print) -> list[int]:
        """Numbers of places. What is shared with few others weighs most, so that one harness does not hide a copy."""
        scores: Counter[int] = Counter()
        for signature in _signatures(mine):
            owners = {self._owners[key] for key in self._lsh.query(signature)}
            for owner in owners:
                scores[owner] += 1 / len(owners)  # type: ignore[assignment]
        best = [number for number, _ in sorted(scores.items(), key=lambda item: (-item[1], item[0]))]
        # One more than wanted: the environment itself is usually among them.
        return list(
            dict.fromkeys([*self._shapes.get(mine.shape, ())[: MAX_CANDIDATES + 1], *best[: MAX_CANDIDATES + 1]])
        )


class Repository:
    """What the environments of one run are held against.

    An environment is held against those in the same folder, and against all in the folders `against`: these were there
    before by their nature, as were those of the same folder that the run does not examine. Of two that are examined
    together nobody can say which was first. Safe to use from several threads.
    """

    def __init__(
        self, examined: Iterable[Path], against: Sequence[Path] = (), copied: Mapping[str, float] = COPIED
    ) -> None:
        """`copied`: from which share on each layer counts as copied.

        Raises `FileNotFoundError` for a folder in `against` without environments."""
        self._copied = copied
        self._examined = {path.resolve() for path in examined}
        self._against = [
            Place(path.resolve().name, path, True)
            for path in (find_environments(list(against)) if against else [])
            if path.resolve() not in self._examined
        ]
        self._shelves: dict[Path, Shelf] = {}
        self._lock = threading.Lock()

    def shelf(self, root: Path) -> Shelf:
        """The index of what the environment in `root` is held against; built when it is first asked for."""
        home = root.resolve().parent
        with self._lock:
            if home not in self._shelves:
                known = {place.path.resolve() for place in self._against}
                beside = [path for path in _environments_in(home) if path not in known]
                own = [Place(path.name, path, path not in self._examined) for path in beside]
                self._shelves[home] = Shelf([*self._against, *own], self._copied)
            return self._shelves[home]

    def matches(self, env: Environment) -> list[Match]:
        """What `env` is like. An earlier version of itself, which has its name, is left out."""
        shelf = self.shelf(env.root)
        mine = print_of(env)
        with self._lock:
            found = shelf.matches(mine, env.root)
        names: dict[str, Match] = {}
        for match in found:
            # The same environment may lie in two folders: here, and where the repository was before.
            if match.place.name != env.spec.name and (
                match.place.name not in names or (match.place.before and not names[match.place.name].place.before)
            ):
                names[match.place.name] = match
        return list(names.values())

    def family(self, env: Environment, other: str) -> bool:
        """Whether `env` and the environment `other` are declared variants of one another, or of the same one."""
        parents = {**self.shelf(env.root).variant_of, env.spec.name: env.spec.variant_of}
        return bool(_line(env.spec.name, parents) & _line(other, parents)) and (
            parents.get(env.spec.name) is not None or parents.get(other) is not None
        )

    def holds(self, env: Environment, name: str) -> bool:
        return any(place.name == name for place in self.shelf(env.root).places)


def _line(name: str, parents: dict[str, str | None]) -> set[str]:
    """`name` and everything that it is declared a variant of, directly or not. Circles end where they close."""
    line: list[str] = []
    at: str | None = name
    while at is not None and at not in line and len(line) < MAX_CHAIN:
        line.append(at)
        at = parents.get(at)
    return set(line)


def _environments_in(home: Path) -> list[Path]:
    """The environments that lie directly in a folder: never deeper, since it may be somebody's home."""
    try:
        return sorted(path for path in home.iterdir() if (path / "env.yaml").is_file())
    except OSError:
        return []


def _signatures(one: Print) -> list[RMinHash]:
    common = boilerplate()
    pieces = [unit.prints - common for units in one.units.values() for unit in units]
    pieces += [one.layers[layer] for layer in LAYERS]
    wanted = {piece for piece in pieces if len(piece) >= MIN_PIECE}
    tokens = [[each.to_bytes(4, "little") for each in piece] for piece in wanted]
    signatures: list[RMinHash] = RMinHash.from_token_sets(tokens, PERMUTATIONS, SEED)
    return signatures


def _read_print(path: Path) -> Print | None:
    """The fingerprints of an environment on disk, whether or not it keeps the contract; None when it has no files."""
    try:
        files = read_tree(path)
    except (ContractError, OSError, RuntimeError):
        return None
    return print_files(path.resolve().name, files, _declared(files.get("env.yaml", b"")))


def _declared(text: bytes) -> str | None:
    """`variant_of` of an env.yaml that may keep no contract; reading thousands as YAML would take half of the time."""
    found = _VARIANT.search(text)
    return found[1].decode() if found else None


def text_of(root: Path, unit: Unit) -> str:
    """The lines of a unit, read again from its file; empty when they cannot be."""
    try:
        lines = read_file(root / unit.path, MAX_FILE_BYTES).decode("utf-8", "replace").splitlines()
    except (OSError, ValueError):
        return ""
    return "\n".join(lines[unit.first - 1 : unit.last])
