"""`envbounty policy`: is a policy sound, and what does it mean? Imports what it needs when it runs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from envbounty.policy_file import Chosen

BROKEN, USAGE = 1, 2


@click.group()
def policy() -> None:
    """What the maintainers decide: which findings block, thresholds, budgets. See docs/policy.md.

    \b
    Exit status of check:
      0 sound   1 not sound   2 usage, or no such file
    """


@policy.command()
@click.argument("path", required=False, type=click.Path(path_type=Path))
def check(path: Path | None) -> None:
    """Say whether PATH (a policy, or a folder) is sound, and what it weakens.

    Without PATH: the policies/policy.yaml that is found from here upwards.
    """
    from envbounty.render.policy import describe
    from envbounty.verify.rules import RULES

    chosen = _chosen(path)
    for line in describe(chosen.policy, RULES, chosen.source):
        click.echo(line)


@policy.command()
@click.argument("rule")
@click.option("--policy", "path", type=click.Path(path_type=Path), help="A policy file.  [default: found upwards]")
def explain(rule: str, path: Path | None) -> None:
    """Say what RULE means, whether it blocks under the policy, and why."""
    import difflib

    from envbounty.render.policy import explain_rule
    from envbounty.verify.rules import RULES

    if rule not in RULES:
        near = difflib.get_close_matches(rule, RULES, n=1)
        hint = f"Did you mean {near[0]}?" if near else "List them: envbounty explain"
        _end(f"there is no rule {rule!r}. {hint}", USAGE)
    chosen = _chosen(path)
    for line in explain_rule(chosen.policy, RULES[rule], chosen.source):
        click.echo(line)


def _chosen(path: Path | None) -> Chosen:
    """The policy in a file, below a folder, or found upwards; ends the program where there is none to be had."""
    from envbounty.environment import ContractError
    from envbounty.policy import PLACE
    from envbounty.policy_file import Chosen, choose, load_policy
    from envbounty.render.words import clean

    try:
        if path is None:
            # As for an environment that stood here.
            return choose([Path("here")])
        file = path / PLACE if path.is_dir() else path
        return Chosen(load_policy(file), str(file))
    except ContractError as error:
        for problem in error.problems:
            click.echo(clean(str(problem)), err=True)
        sys.exit(BROKEN)
    except OSError as error:
        _end(f"{error.filename} cannot be read: {error.strerror}. Name a policy file, or run `envbounty init`.", USAGE)


def _end(message: str, status: int) -> NoReturn:
    click.echo(f"envbounty: {message}", err=True)
    sys.exit(status)
