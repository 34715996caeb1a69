"""A bounty repository starts safe: pinned or loudly unfinished, and never on top of what is there."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.codeowners import Owners
from envbounty.scaffold import init_repository, new_environment

BIN = Path(sys.executable).parent
ROOT = Path(__file__).parents[2]
SHA = "0123456789abcdef0123456789abcdef01234567"
TIERS = ("verify", "attack", "gpu-bench")
INPUTS = ["job_id", "pr", "head_sha", "base_sha", "bot_url", "audience"]
FILES = [
    ".github/CODEOWNERS",
    ".github/ISSUE_TEMPLATE/bounty.yml",
    ".github/ISSUE_TEMPLATE/config.yml",
    ".github/pull_request_template.md",
    ".github/workflows/attack.yml",
    ".github/workflows/gpu-bench.yml",
    ".github/workflows/verify.yml",
    ".gitignore",
    "README.md",
    "environments/README.md",
    "policies/policy.yaml",
    "policies/rulesets/README.md",
    "policies/rulesets/default-branch.json",
    "policies/rulesets/ledger-history.json",
    "policies/rulesets/ledger-writers.json",
]


def names(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if not file.is_dir())


def workflow(folder: Path, tier: str) -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load((folder / f".github/workflows/{tier}.yml").read_text())
    return found


def test_it_lays_down_everything(tmp_path: Path) -> None:
    files = init_repository(tmp_path / "bounties", action_ref=SHA, owner="@acme/maintainers")

    assert names(tmp_path / "bounties") == FILES
    assert files == [tmp_path / "bounties" / name for name in FILES]
    assert not [file for file in files if re.search(r"__[A-Z_]+__", file.read_text())]


# --- the workflows --------------------------------------------------------------------------------


@pytest.mark.parametrize("tier", TIERS)
def test_a_workflow_only_passes_the_app_s_dispatch_on(tmp_path: Path, tier: str) -> None:
    init_repository(tmp_path, action_ref=SHA)

    found = workflow(tmp_path, tier)

    assert list(found[True]) == ["workflow_dispatch"]  # YAML reads `on` as true
    assert list(found[True]["workflow_dispatch"]["inputs"]) == INPUTS
    assert found["run-name"] == f"envbounty {tier} job=${{{{ inputs.job_id }}}}"
    assert found["permissions"] == {}
    (job,) = found["jobs"].values()
    assert job["uses"] == f"envbounty/envbounty/.github/workflows/{tier}.yml@{SHA}"
    assert job["with"] == {name: f"${{{{ inputs.{name} }}}}" for name in INPUTS}
    assert job["permissions"] == {"contents": "read", "actions": "read", "id-token": "write"}
    assert "secrets" not in job


@pytest.mark.parametrize("tier", TIERS)
def test_it_calls_what_is_there_with_what_it_asks_for(tmp_path: Path, tier: str) -> None:
    """The called workflow's own file: the same inputs, and no job that wants more than it is granted."""
    init_repository(tmp_path, action_ref=SHA)
    (job,) = workflow(tmp_path, tier)["jobs"].values()

    called = yaml.safe_load((ROOT / f".github/workflows/{tier}.yml").read_text())

    assert list(called[True]["workflow_call"]["inputs"]) == INPUTS
    assert called["run-name"] == workflow(tmp_path, tier)["run-name"]
    for inner in called["jobs"].values():
        assert inner["permissions"].items() <= job["permissions"].items()


@pytest.mark.parametrize("ref", [SHA, None], ids=["pinned", "unpinned"])
def test_the_workflows_pass_the_linters(tmp_path: Path, ref: str | None) -> None:
    init_repository(tmp_path, action_ref=ref)
    workflows = sorted((tmp_path / ".github/workflows").glob("*.yml"))

    command: list[str | Path] = [BIN / "actionlint", "-no-color", *workflows]
    lint = subprocess.run(command, capture_output=True, text=True, timeout=60)
    command = [BIN / "zizmor", "--offline", "--no-progress", "--persona", "auditor", "--format", "json"]
    audit = subprocess.run([*command, tmp_path], capture_output=True, text=True, timeout=120)

    assert len(workflows) == 3
    assert lint.returncode == 0, lint.stdout + lint.stderr
    found = json.loads(audit.stdout)
    assert [one["ident"] for one in found if one["determinations"]["severity"] in ("Medium", "High")] == []


@pytest.mark.parametrize("tier", TIERS)
def test_without_a_commit_to_trust_the_job_fails_and_installs_nothing(tmp_path: Path, tier: str) -> None:
    init_repository(tmp_path)
    (job,) = workflow(tmp_path, tier)["jobs"].values()

    (step,) = job["steps"]
    done = subprocess.run(["bash", "-e", "-c", str(step["run"])], capture_output=True, text=True, timeout=10)

    assert done.returncode == 1
    assert done.stdout.startswith(f"::error file=.github/workflows/{tier}.yml::Nothing was examined")
    assert job["permissions"] == {}


def test_doing_what_an_unfinished_workflow_says_finishes_it(tmp_path: Path) -> None:
    init_repository(tmp_path / "later")
    init_repository(tmp_path / "now", action_ref=SHA)
    text = (tmp_path / "later/.github/workflows/verify.yml").read_text()
    assert "Delete this file and run\n  # `envbounty init . --action-ref <40 hex digits>`" in text

    for tier in TIERS:
        (tmp_path / f"later/.github/workflows/{tier}.yml").unlink()
    init_repository(tmp_path / "later", action_ref=SHA)

    for name in FILES:
        assert (tmp_path / "later" / name).read_text() == (tmp_path / "now" / name).read_text()


@pytest.mark.parametrize("ref", ["", "main", "v1.2.3", SHA[:12], SHA.upper(), SHA + "\n", f"{SHA} # x", "g" * 40])
def test_only_a_full_hash_is_taken(tmp_path: Path, ref: str) -> None:
    with pytest.raises(ValueError, match="full commit hash"):
        init_repository(tmp_path, action_ref=ref)

    assert names(tmp_path) == []


# --- owners ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "owned"),
    [
        (".github/workflows/verify.yml", True),
        (".github/CODEOWNERS", True),
        ("policies/policy.yaml", True),
        ("policies/rulesets/default-branch.json", True),
        ("README.md", True),
        ("environments/README.md", True),
        ("environments/two-sum/env.yaml", False),
        ("environments/two-sum/solutions/good/one.py", False),
        ("elsewhere/environments/two-sum/env.yaml", True),
    ],
)
def test_everything_but_the_environments_has_an_owner(tmp_path: Path, path: str, owned: bool) -> None:
    init_repository(tmp_path, owner="@acme/maintainers")

    owners = Owners((tmp_path / ".github/CODEOWNERS").read_text())

    assert [owner.name for owner in owners.of(path)] == (["acme/maintainers"] if owned else [])


def test_without_an_owner_nothing_is_claimed_to_be_guarded(tmp_path: Path) -> None:
    init_repository(tmp_path)

    text = (tmp_path / ".github/CODEOWNERS").read_text()

    assert [line for line in text.splitlines() if not line.startswith("#")] == []
    assert "NOT SET UP YET" in text


@pytest.mark.parametrize("owner", ["acme", "@", "@a b", "@acme/", "@acme/x\n* @evil", "someone@example.org"])
def test_a_bad_owner_is_refused(tmp_path: Path, owner: str) -> None:
    with pytest.raises(ValueError, match="write @login or @organisation/team"):
        init_repository(tmp_path, owner=owner)

    assert names(tmp_path) == []


# --- policy, rulesets, forms ----------------------------------------------------------------------


def test_its_policy_is_sound(tmp_path: Path) -> None:
    init_repository(tmp_path)

    command = [BIN / "envbounty", "policy", "check"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stdout + done.stderr


def test_its_rulesets_are_ours(tmp_path: Path) -> None:
    init_repository(tmp_path)

    ours = sorted((ROOT / "policies/rulesets").iterdir())

    assert ours
    for file in ours:
        assert (tmp_path / "policies/rulesets" / file.name).read_text() == file.read_text()


def test_a_stranger_s_form_makes_no_bounty(tmp_path: Path) -> None:
    """A form's labels are given to whoever fills it in."""
    init_repository(tmp_path)

    form = yaml.safe_load((tmp_path / ".github/ISSUE_TEMPLATE/bounty.yml").read_text())

    assert form["labels"] == ["bounty-proposal"]
    kinds = {"markdown", "input", "textarea", "dropdown", "checkboxes"}
    assert all(field["type"] in kinds and field["attributes"]["label"] for field in form["body"])
    assert len({field["id"] for field in form["body"]}) == len(form["body"])
    assert {"name", "description"} <= set(form)


def test_the_readme_has_a_place_for_the_leaderboard(tmp_path: Path) -> None:
    init_repository(tmp_path)

    text = (tmp_path / "README.md").read_text()

    assert text.count("<!-- leaderboard:begin -->") == text.count("<!-- leaderboard:end -->") == 1
    assert text.index("<!-- leaderboard:begin -->") < text.index("<!-- leaderboard:end -->")


# --- what is there already ------------------------------------------------------------------------


def test_a_second_time_does_nothing(tmp_path: Path) -> None:
    init_repository(tmp_path, action_ref=SHA)
    before = {name: (tmp_path / name).stat().st_mtime_ns for name in FILES}

    assert init_repository(tmp_path, action_ref=SHA) == []
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in FILES} == before


def test_what_is_missing_is_put_back_beside_the_rest(tmp_path: Path) -> None:
    init_repository(tmp_path)
    new_environment(tmp_path / "environments", "first-try", "answer", author="Ada")
    (tmp_path / "README.md").unlink()

    assert init_repository(tmp_path) == [tmp_path / "README.md"]


def test_conflicts_are_all_named_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine\n")
    (tmp_path / "policies").write_text("a file where a folder must go\n")
    (tmp_path / "environments").mkdir()
    (tmp_path / "environments/README.md").mkdir()

    with pytest.raises(FileExistsError) as caught:
        init_repository(tmp_path)

    assert all(name in str(caught.value) for name in ("README.md", "policies", "environments/README.md"))
    assert names(tmp_path) == ["README.md", "policies"]
    assert (tmp_path / "README.md").read_text() == "mine\n"


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "repository"
    outside.mkdir()
    folder.mkdir()
    (folder / ".github").symlink_to(outside)
    (folder / "README.md").symlink_to(tmp_path / "nowhere")

    with pytest.raises(FileExistsError, match=r"\.github, README\.md"):
        init_repository(folder)

    assert os.listdir(outside) == []
    assert not (tmp_path / "nowhere").exists()
