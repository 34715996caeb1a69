"""Finding and reading the policy that holds for some environments. The thin edge around `envbounty.policy`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from envbounty.environment.files import read_file
from envbounty.environment.problems import ContractError, Problem
from envbounty.environment.yamltext import MAX_BYTES
from envbounty.policy import BUILT_IN, PLACE, Policy, read_policy
from envbounty.verify.rules import RULES

#: How the command line names the policy that needs no file.
NO_FILE = "built-in"


@dataclass(frozen=True)
class Chosen:
    """A policy and where it came from: a file's path, or `built-in`."""

    policy: Policy
    source: str


def find_policy(place: Path) -> Path | None:
    """The policy file that holds for what is in the folder `place`, or None. Nothing in `place` itself is looked at.

    In a git checkout it is the outermost one above `place`: that is the one that the repository's owners guard, while a
    contributor may lay down another one in a folder between. Outside of a checkout it is the nearest one.
    """
    place = place.resolve()
    above = list(place.parents)
    tops = [number for number, folder in enumerate(above) if (folder / ".git").exists()]
    if (place / ".git").exists():
        return None  # a checkout of its own, and what lies above belongs to something else
    inside = above[: tops[0] + 1] if tops else above
    found = [folder / PLACE for folder in inside if (folder / PLACE).is_file()]
    if not found:
        return None
    return found[-1] if tops else found[0]


def load_policy(file: Path) -> Policy:
    """Read a policy file. Raises `ContractError` for what is wrong in it and `OSError` when it cannot be read."""
    try:
        text = read_file(file, MAX_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ContractError([Problem(str(file), 1, "", "is not UTF-8 text.", "Save it as UTF-8.")]) from error
    except ValueError as error:
        problem = Problem(str(file), 1, "", f"cannot be taken: {error}.", "Put a plain file there.")
        raise ContractError([problem]) from None
    return read_policy(text, str(file), {rule.id: rule.severity for rule in RULES.values()})


def choose(environments: Sequence[Path], given: str | None = None) -> Chosen:
    """The policy for these environments: the file `given`, else the one found above them, else the built-in one.

    Raises `ValueError` for a file inside of what it should judge, or when different files hold for different
    environments; `ContractError` and `OSError` as `load_policy`.
    """
    if given == NO_FILE:
        return Chosen(BUILT_IN, NO_FILE)
    if given is not None:
        file = Path(given)
        for place in environments:
            if file.resolve().is_relative_to(place.resolve()):
                raise ValueError(f"{file} is inside {place}: no environment brings the policy that it is judged by.")
        return Chosen(load_policy(file), given)
    found = dict.fromkeys(map(find_policy, environments)) or {None: None}
    policies = {file: BUILT_IN if file is None else load_policy(file) for file in found}
    if len({policy.digest for policy in policies.values()}) > 1:
        names = " and ".join(str(file or NO_FILE) for file in policies)
        raise ValueError(f"different policies hold for them ({names}): verify them apart, or use --policy.")
    first = next(iter(policies))
    return Chosen(policies[first], str(first or NO_FILE))
