"""What the environments of one run are held against: a repository, public benchmarks, the licences that are taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from envbounty.provenance.licences import PERMISSIVE
from envbounty.provenance.prints import COPIED
from envbounty.provenance.public import Index, load_index, shipped
from envbounty.provenance.repository import Repository


@dataclass(frozen=True)
class Surroundings:
    repository: Repository
    indexes: tuple[Index, ...] = field(default_factory=shipped)
    licences: frozenset[str] = PERMISSIVE  # SPDX ids
    options: tuple[str, ...] = ()  # how `envbounty verify` is told the same

    @classmethod
    def of(
        cls,
        examined: Sequence[Path],
        *,
        against: Sequence[Path] = (),
        benchmarks: Sequence[Path] = (),
        licences: frozenset[str] = PERMISSIVE,
        copied: Mapping[str, float] = COPIED,
    ) -> Surroundings:
        """`benchmarks`: files of indexes, beside those that come with the package. `licences` and `copied` are the
        policy's: what is taken, and from which share on a layer counts as copied.

        Raises `FileNotFoundError` for a folder in `against` that holds no environment, `OSError` and `ValueError` for
        a file in `benchmarks` that is no index.
        """
        indexes = (*shipped(), *map(load_index, benchmarks))
        options = [word for path in against for word in ("--against", str(path))]
        options += [word for path in benchmarks for word in ("--benchmark", str(path))]
        return cls(Repository(examined, against, copied), indexes, licences, tuple(options))
