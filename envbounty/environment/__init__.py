"""The contract: what an environment is on disk, read into one model whatever dialect it was written in.

It must not run, import or parse the author's code: that happens only in a jail.
"""

from envbounty.environment.load import Environment, Solution, find_environments, load
from envbounty.environment.problems import ContractError, Problem
from envbounty.environment.spec import Compare, Dialect, Kind, Language, Spec, env_schema

__all__ = [
    "Compare",
    "ContractError",
    "Dialect",
    "Environment",
    "Kind",
    "Language",
    "Problem",
    "Solution",
    "Spec",
    "env_schema",
    "find_environments",
    "load",
]
