"""The rulesets that an operator installs: GitHub takes them, nobody is above them, and they hold."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bot.checks import NAMES
from localhub.hub import Hub
from localhub.model import Refused

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "policies/rulesets").glob("*.json"))
BRANCH, HISTORY, WRITERS = (f"{name}.json" for name in ("default-branch", "ledger-history", "ledger-writers"))
APP = 12345


def ruleset(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "policies/rulesets" / name).read_text())
    return found


def rules(name: str) -> dict[str, Any]:
    return {rule["type"]: rule.get("parameters") for rule in ruleset(name)["rules"]}


def filled(name: str) -> dict[str, Any]:
    """As the README says to fill in the App's number."""
    readme = (ROOT / "policies/rulesets/README.md").read_text()
    (program,) = re.findall(r"sed '(.*?)' \"\$file\"", readme)
    file = ROOT / "policies/rulesets" / name
    done = subprocess.run(["sed", program, file], check=True, capture_output=True, text=True)
    made: dict[str, Any] = json.loads(done.stdout)
    return made


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_github_takes_it(file: Path) -> None:
    spec = json.loads(gzip.decompress((ROOT / "tests/localhub/github.openapi.json.gz").read_bytes()))
    asked = spec["operations"]["POST /repos/{owner}/{repo}/rulesets"]["request"]
    validator = jsonschema.Draft7Validator({**asked, "components": spec["components"]})

    validator.validate(json.loads(file.read_text()))

    broken = json.loads(file.read_text())
    broken["rules"][0]["type"] = "no_such_rule"
    assert not validator.is_valid(broken)


def test_nobody_is_above_them_and_the_app_only_where_it_writes() -> None:
    assert [file.name for file in FILES] == [BRANCH, HISTORY, WRITERS]
    assert ruleset(BRANCH)["bypass_actors"] == ruleset(HISTORY)["bypass_actors"] == []
    (app,) = ruleset(WRITERS)["bypass_actors"]
    assert app["actor_type"] == "Integration"
    assert all(ruleset(file.name)["enforcement"] == "active" for file in FILES)


def test_what_the_default_branch_asks_for() -> None:
    asked = rules(BRANCH)

    assert {"deletion", "non_fast_forward"} <= set(asked)
    assert asked["pull_request"] == {
        "required_approving_review_count": 1,
        "dismiss_stale_reviews_on_push": True,
        "require_code_owner_review": True,
        "require_last_push_approval": True,
        "required_review_thread_resolution": True,
    }
    checks = asked["required_status_checks"]
    # The bot tests against what came meanwhile; to ask for it here would void every approval at every merge.
    assert checks["strict_required_status_checks_policy"] is False
    # By name alone anybody's check would do.
    assert checks["required_status_checks"] == [{"context": NAMES["verify"], "integration_id": 0}]


def test_the_readme_s_command_puts_the_app_s_number_everywhere() -> None:
    (check,) = [rule for rule in filled(BRANCH)["rules"] if rule["type"] == "required_status_checks"]
    assert check["parameters"]["required_status_checks"][0]["integration_id"] == APP
    assert filled(WRITERS)["bypass_actors"][0]["actor_id"] == APP
    assert filled(HISTORY) == ruleset(HISTORY)


@pytest.fixture(scope="module")
def hub() -> Iterator[Hub]:
    with Hub.start() as hub:
        yield hub


def test_they_hold_even_for_who_may_install_them(hub: Hub) -> None:
    ann = hub.user("ann")
    repo = hub.create_repo("acme/bounties")
    repo.collaborators[ann.user.id] = "admin"
    ann.push(repo, "ledger", {"ledger.jsonl": "1\n"})
    first = repo.git.ref("refs/heads/ledger") or ""
    for file in FILES:
        ann.add_ruleset(repo, filled(file.name))

    for attempt in (
        lambda: ann.push(repo, "main", {"README.md": "directly\n"}),
        lambda: ann.push(repo, "main", {"README.md": "by force\n"}, force=True),
        lambda: ann.delete_branch(repo, "main"),
        lambda: ann.push(repo, "ledger", {"ledger.jsonl": "2\n"}),
        lambda: ann.push(repo, "ledger", {"ledger.jsonl": "3\n"}, force=True),
        lambda: ann.delete_branch(repo, "ledger"),
    ):
        with pytest.raises(Refused):
            attempt()

    assert repo.git.ref("refs/heads/ledger") == first
