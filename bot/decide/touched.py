"""What a pull request changes: environments, which the funnel judges, and everything else, which only humans can."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

#: Where environments live. Git paths have no leading slash, and no `.` or `..` in them.
ROOT = "environments"


@dataclass(frozen=True)
class Touched:
    """The changed files, sorted into what each of them needs."""

    environments: tuple[str, ...]  # directories such as environments/two-sum, in order
    guarded: tuple[str, ...]  # files outside every environment: workflows, policies, code owners, the harness


def environment_of(path: str) -> str | None:
    """The environment directory that a file is in; None for a file outside every environment.

    A file that lies in `environments/` itself belongs to no environment. Case counts, as it does for git.
    """
    parts = path.split("/")
    if len(parts) < 3 or parts[0] != ROOT or not all(parts) or {".", ".."} & set(parts):
        return None
    return f"{ROOT}/{parts[1]}"


def touched(files: Iterable[str]) -> Touched:
    """Sort changed files. Both names of a renamed file are to be among them."""
    environments, guarded = set(), set()
    for path in files:
        directory = environment_of(path)
        if directory is None:
            guarded.add(path)
        else:
            environments.add(directory)
    return Touched(tuple(sorted(environments)), tuple(sorted(guarded)))
