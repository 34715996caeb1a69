"""Public benchmarks as fingerprints: enough to see that a task is one of theirs, and no word of theirs.

A lab cannot use a task that every model has seen with its solution. An index is one JSON file, made from a corpus on
disk by `envbounty provenance index`; the one of HumanEval comes with the package.
"""

from __future__ import annotations

import base64
import gzip
import json
import struct
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from envbounty.provenance import prose, pycode
from envbounty.provenance.streams import Unit

TASK, TESTS, SOLUTION = "task", "tests", "solution"
#: What makes an environment one of theirs: so many fingerprints, and such a share of theirs. Measured.
MIN_SHARED: Mapping[str, int] = {TASK: 12, TESTS: 6, SOLUTION: 20}
TAKEN: Mapping[str, float] = {TASK: 0.6, TESTS: 0.6, SOLUTION: 0.8}
#: What so many problems of one benchmark share is a way of writing, not a problem.
COMMON = 3

#: Where the formats in use keep what is wanted, the first that is there.
_ID = ("task_id", "id", "name", "question_id")
_TASK = ("task", "prompt", "text", "question", "question_content", "problem")
_SOLUTION = ("canonical_solution", "reference", "code", "solution")
_TESTS = ("test", "tests", "assertion", "test_list", "verifier")
MAX_INDEX_BYTES = 64 << 20


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _packed(prints: Iterable[int]) -> str:
    numbers = sorted(set(prints))
    return base64.b64encode(struct.pack(f"<{len(numbers)}I", *numbers)).decode()


def _unpacked(text: str) -> frozenset[int]:
    data = base64.b64decode(text, validate=True)
    if len(data) % 4:
        raise ValueError("fingerprints have 4 bytes each")
    return frozenset(struct.unpack(f"<{len(data) // 4}I", data))


class Entry(_Model):
    """One problem: sorted fingerprints of 32 bits, little-endian, in base 64, for each layer."""

    id: str = Field(min_length=1, max_length=200)
    task: str = ""
    tests: str = ""
    solution: str = ""

    @cached_property
    def layers(self) -> dict[str, frozenset[int]]:
        return {layer: _unpacked(getattr(self, layer)) for layer in (TASK, TESTS, SOLUTION)}


class Index(_Model):
    """A benchmark. `common` is what several of its problems share, which proves nothing about any of them."""

    schema_version: Literal[1] = Field(1, alias="schema")
    name: str = Field(min_length=1, max_length=100)
    licence: str
    source: str
    common: str = ""
    entries: list[Entry]

    @cached_property
    def shared_by_many(self) -> frozenset[int]:
        return _unpacked(self.common)

    @cached_property
    def _where(self) -> dict[tuple[str, int], list[int]]:
        where: dict[tuple[str, int], list[int]] = defaultdict(list)
        for number, entry in enumerate(self.entries):
            for layer, prints in entry.layers.items():
                for each in prints:
                    where[layer, each].append(number)
        return where

    def overlaps(self, layers: Mapping[str, frozenset[int]]) -> list[Overlap]:
        """The problems of which a layer is in `layers`, the largest share first."""
        found = []
        for layer in (TASK, TESTS, SOLUTION):
            mine = layers.get(layer, frozenset())
            counts = Counter(number for each in mine for number in self._where.get((layer, each), ()))
            for number, shared in counts.items():
                entry = self.entries[number]
                share = shared / len(entry.layers[layer])
                if shared >= MIN_SHARED[layer] and share >= TAKEN[layer]:
                    found.append(Overlap(self.name, entry.id, layer, shared, share))
        return sorted(found, key=lambda overlap: (-overlap.share, overlap.id))


@dataclass(frozen=True)
class Overlap:
    """One problem of a benchmark of which the share `share` of a layer is in an environment."""

    benchmark: str
    id: str
    layer: str
    shared: int  # fingerprints
    share: float


def read_index(data: bytes) -> Index:
    """An index from its file. Raises `ValueError` for anything else."""
    try:
        index = Index.model_validate_json(data)
        _ = index.shared_by_many, [entry.layers for entry in index.entries]
    except (ValidationError, ValueError, RecursionError) as error:
        first = str(error).splitlines()[0]
        raise ValueError(f"no index of fingerprints: {first}") from None
    return index


def load_index(path: Path) -> Index:
    """Raises `OSError`, or `ValueError` for what is no index."""
    with path.open("rb") as stream:
        data = stream.read(MAX_INDEX_BYTES + 1)
    if len(data) > MAX_INDEX_BYTES:
        raise ValueError(f"{path} is larger than {MAX_INDEX_BYTES >> 20} MiB")
    try:
        return read_index(data)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


@lru_cache(maxsize=1)
def shipped() -> tuple[Index, ...]:
    """The indexes that come with the package."""
    folder = files("envbounty.provenance") / "data"
    return tuple(
        read_index(file.read_bytes())
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".json")
    )


# --- making one ------------------------------------------------------------------------------------------------------


def make_index(rows: Iterable[Mapping[str, Any]], *, name: str, licence: str, source: str) -> Index:
    """An index of a corpus. Raises `ValueError` for a row without an id or without anything to compare."""
    taken = [(_id(row, number), _layers(row)) for number, row in enumerate(rows, 1)]
    for identifier, layers in taken:
        if not any(layers.values()):
            raise ValueError(f"{identifier}: no text and no code that could be compared")
    counts = Counter(each for _, layers in taken for prints in layers.values() for each in prints)
    common = {each for each, count in counts.items() if count >= COMMON}
    entries = [
        Entry(id=identifier, **{layer: _packed(prints - common) for layer, prints in layers.items()})
        for identifier, layers in taken
    ]
    return Index(schema=1, name=name, licence=licence, source=source, common=_packed(common), entries=entries)


def write_index(index: Index) -> str:
    """The file's text: one problem a line, so that a change can be read."""
    head = index.model_dump(by_alias=True, exclude={"entries"})
    lines = ",\n".join(json.dumps(entry.model_dump(), separators=(",", ":")) for entry in index.entries)
    return json.dumps(head, indent=1)[:-2] + ',\n "entries": [\n' + lines + "\n]}\n"


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a corpus in JSON lines, gzipped or not. Raises `OSError`, `ValueError`."""
    data = path.read_bytes()
    try:
        lines = (gzip.decompress(data) if path.suffix == ".gz" else data).decode().splitlines()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: {error}") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}:{number}: {error}") from None
        if not isinstance(row, dict):
            raise ValueError(f"{path}:{number}: a row is a JSON object")
        yield row


def _id(row: Mapping[str, Any], number: int) -> str:
    found = next((row[key] for key in _ID if isinstance(row.get(key), str | int)), None)
    if found is None:
        raise ValueError(f"row {number} has none of the keys {', '.join(_ID)}")
    return str(found)


def _layers(row: Mapping[str, Any]) -> dict[str, set[int]]:
    told, solution, tests = (_first(row, keys) for keys in (_TASK, _SOLUTION, _TESTS))
    whole = told + solution  # HumanEval's prompt is the head of its solution
    prompt_is_code = bool(solution) and pycode.parse(solution) is None and pycode.parse(whole) is not None
    layers = {TASK: _prints(prose.units("", _story(whole) if prompt_is_code else told)), TESTS: set(), SOLUTION: set()}
    if (code := pycode.read("", whole if prompt_is_code else solution)) is not None:
        layers[SOLUTION] = _prints(code.units)
    if (code := pycode.read("", tests)) is not None:
        layers[TESTS] = code.data
    return layers


def _first(row: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = row.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            return "\n".join(value)
    return ""


def _story(code: str) -> str:
    """What the docstrings of a program tell, without examples in the form of a Python session."""
    tree = pycode.parse(code)
    kept, example = [], False
    for line in pycode.docstrings(tree) if tree else ():
        example = line.lstrip().startswith((">>>", "...")) or (example and bool(line.strip()))
        kept.append("" if example else line)
    return "\n".join(kept)


def _prints(units: Iterable[Unit]) -> set[int]:
    return {each for unit in units for each in unit.prints}
