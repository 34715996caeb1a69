"""A repository that is set up as it should be: laid down by `envbounty init`, with the rulesets that ship."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.doctor import Facts
from bot.doctor.facts import ActionsSettings, Rule, Ruleset
from bot.manifest import ORGANISATION, REPOSITORY
from envbounty.scaffold.repository import render_repository

ROOT = Path(__file__).parents[3]
APP, SHA = 12345, "a" * 40
TRUSTED = frozenset({"envbounty/envbounty/.github/workflows/{tier}.yml@" + SHA})


def shipped(app_id: int = APP) -> dict[str, Any]:
    """The ruleset for the default branch as an operator installs it."""
    text = (ROOT / "policies/rulesets/default-branch.json").read_text()
    return dict(json.loads(text.replace('"integration_id": 0', f'"integration_id": {app_id}')))


def laid_down() -> dict[str, str]:
    return render_repository(SHA, "@octo/maintainers")


def safe(**changes: Any) -> Facts:
    files = laid_down()
    facts = Facts(
        repository="octo/bounties",
        app_id=APP,
        organisation=True,
        public=True,
        default_branch="main",
        granted={name: level for name, (level, _) in {**REPOSITORY, **ORGANISATION}.items()},
        rules=tuple(Rule(rule["type"], 1, rule.get("parameters", {})) for rule in shipped()["rules"]),
        rulesets=(Ruleset(1, "envbounty: the default branch", "never", ()),),
        codeowners=files[".github/CODEOWNERS"],
        actions=ActionsSettings(True, True, "read", False, "all_external_contributors"),
        workflows={path: text for path, text in files.items() if path.startswith(".github/workflows/")},
        runner_groups=(),
        required=("verify",),
        trusted=TRUSTED,
    )
    return replace(facts, **changes)


class Makers:
    app, sha, trusted = APP, SHA, TRUSTED
    safe = staticmethod(safe)
    shipped = staticmethod(shipped)
    laid_down = staticmethod(laid_down)

    @staticmethod
    def without(kind: str) -> tuple[Rule, ...]:
        """The rules but one."""
        rules = safe().rules
        assert isinstance(rules, tuple)
        return tuple(rule for rule in rules if rule.type != kind)

    @staticmethod
    def ruled(kind: str, **parameters: Any) -> tuple[Rule, ...]:
        """The rules with other parameters in one of them."""
        rules = safe().rules
        assert isinstance(rules, tuple)
        return tuple(
            replace(rule, parameters={**rule.parameters, **parameters}) if rule.type == kind else rule for rule in rules
        )


@pytest.fixture(scope="session")
def make() -> type[Makers]:
    return Makers
