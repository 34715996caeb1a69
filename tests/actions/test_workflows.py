"""The shape of the tiers' workflows: what each job may do, what reaches a script, and that the three are one."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
TIERS = {"verify": "Verify", "attack": "Attack", "gpu-bench": "GPU bench"}
INPUTS = ["job_id", "pr", "head_sha", "base_sha", "bot_url", "audience"]


def text_of(tier: str) -> str:
    return (ROOT / f".github/workflows/{tier}.yml").read_text()


def workflow(tier: str) -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load(text_of(tier))
    return found


def alike(tier: str) -> str:
    """The file with what may differ taken out."""
    text = "\n".join(text_of(tier).splitlines()[3:])
    text = re.sub(r"timeout-minutes: \d+", "timeout-minutes: N", text)
    text = text.replace(f"name: {TIERS[tier]}", "name: TITLE").replace("          artifact-name: ''\n", "")
    return re.sub(rf"\b{tier}\b", "TIER", text)


def test_the_three_differ_in_name_and_time_only() -> None:
    assert alike("attack") == alike("verify")
    assert alike("gpu-bench") == alike("verify")


@pytest.mark.parametrize("tier", TIERS)
def test_only_a_dispatch_or_a_call_starts_it(tier: str) -> None:
    triggers = workflow(tier)[True]  # YAML 1.1 reads the key `on` as true

    assert sorted(triggers) == ["workflow_call", "workflow_dispatch"]
    for trigger in triggers.values():
        assert list(trigger["inputs"]) == INPUTS
        assert all(one["type"] == "string" and one["required"] for one in trigger["inputs"].values())
    assert workflow(tier)["run-name"] == f"envbounty {tier} job=${{{{ inputs.job_id }}}}"


@pytest.mark.parametrize("tier", TIERS)
def test_the_job_that_runs_the_code_has_nothing_to_give_away(tier: str) -> None:
    found = workflow(tier)
    sandbox, report = found["jobs"]["sandbox"], found["jobs"]["report"]

    assert list(found["jobs"]) == ["sandbox", "report"]
    assert found["permissions"] == {}
    assert sandbox["permissions"] == {"contents": "read"}
    assert report["permissions"] == {"actions": "read", "id-token": "write"}
    assert sandbox["cache-mode"] == report["cache-mode"] == "none"
    assert sandbox["timeout-minutes"] and report["timeout-minutes"]
    assert "secrets" not in text_of(tier)
    assert "github.event" not in text_of(tier)


@pytest.mark.parametrize("tier", TIERS)
def test_the_job_with_an_identity_runs_one_action_of_ours_and_nothing_else(tier: str) -> None:
    report = workflow(tier)["jobs"]["report"]

    (step,) = report["steps"]
    assert step["uses"] == "$/actions/report"
    assert report["needs"] == "sandbox"
    assert report["if"] == "${{ !cancelled() }}"
    assert "checkout" not in str(report)


@pytest.mark.parametrize("tier", TIERS)
def test_no_script_stands_in_the_workflow_itself(tier: str) -> None:
    for job in workflow(tier)["jobs"].values():
        assert all("run" not in step for step in job["steps"])


@pytest.mark.parametrize("action", sorted(path.parent.name for path in (ROOT / "actions").glob("*/action.yml")))
def test_scripts_hold_no_expression(action: str) -> None:
    steps = yaml.safe_load((ROOT / "actions" / action / "action.yml").read_text())["runs"]["steps"]

    for step in steps:
        assert "${{" not in step.get("run", ""), step


def test_the_checkout_brings_no_key_submodule_or_large_file() -> None:
    steps = yaml.safe_load((ROOT / "actions/fetch/action.yml").read_text())["runs"]["steps"]

    (checkout,) = [step for step in steps if "uses" in step]
    assert steps.index(checkout) == 1  # after the inputs were looked at
    assert checkout["with"] == {
        "ref": "${{ inputs.head_sha }}",
        "fetch-depth": 0,
        "persist-credentials": False,
        "submodules": False,
        "lfs": False,
    }
