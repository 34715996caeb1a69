"""A bounty repository starts safe: pinned or loudly unfinished, and never on top of what is there."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from envbounty.scaffold import init_repository, new_environment

BIN = Path(sys.executable).parent
SHA = "0123456789abcdef0123456789abcdef01234567"
FILES = [
    ".github/CODEOWNERS",
    ".github/pull_request_template.md",
    ".github/workflows/verify.yml",
    ".gitignore",
    "README.md",
    "environments/README.md",
    "policies/policy.yaml",
]


def names(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if not file.is_dir())


def steps(folder: Path) -> list[dict[str, object]]:
    workflow = yaml.safe_load((folder / ".github/workflows/verify.yml").read_text())
    found: list[dict[str, object]] = workflow["jobs"]["verify"]["steps"]
    return found


def test_it_lays_down_everything(tmp_path: Path) -> None:
    files = init_repository(tmp_path / "bounties", action_ref=SHA, owner="@acme/maintainers")

    assert names(tmp_path / "bounties") == FILES
    assert files == [tmp_path / "bounties" / name for name in FILES]
    assert not [file for file in files if re.search(r"__[A-Z_]+__", file.read_text())]


# --- the workflow ---------------------------------------------------------------------------------


@pytest.mark.parametrize("ref", [SHA, None], ids=["pinned", "unpinned"])
def test_the_workflow_is_read_only_and_pinned(tmp_path: Path, ref: str | None) -> None:
    init_repository(tmp_path, action_ref=ref)

    workflow = yaml.safe_load((tmp_path / ".github/workflows/verify.yml").read_text())

    assert workflow[True] == {"pull_request": None}  # YAML reads `on` as true
    assert workflow["permissions"] == {}
    assert workflow["jobs"]["verify"]["permissions"] == {"contents": "read"}
    used = [str(step["uses"]) for step in steps(tmp_path) if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one) for one in used)
    assert (f"envbounty/envbounty/actions/verify@{SHA}" in used) == (ref is not None)
    # Neither a secret nor anything that a contributor can name reaches a script.
    text = (tmp_path / ".github/workflows/verify.yml").read_text()
    assert re.findall(r"\$\{\{ *(.*?) *\}\}", text) == ["github.event.pull_request.number"]


@pytest.mark.parametrize("ref", [SHA, None], ids=["pinned", "unpinned"])
def test_the_workflow_passes_the_linters(tmp_path: Path, ref: str | None) -> None:
    init_repository(tmp_path, action_ref=ref)
    workflow = tmp_path / ".github/workflows/verify.yml"

    command: list[str | Path] = [BIN / "actionlint", "-no-color", workflow]
    lint = subprocess.run(command, capture_output=True, text=True, timeout=60)
    command = [BIN / "zizmor", "--offline", "--no-progress", "--persona", "auditor", "--format", "json"]
    audit = subprocess.run([*command, tmp_path], capture_output=True, text=True, timeout=120)

    assert lint.returncode == 0, lint.stdout + lint.stderr
    found = json.loads(audit.stdout)
    assert [one["ident"] for one in found if one["determinations"]["severity"] in ("Medium", "High")] == []


def test_without_a_commit_to_trust_the_job_fails_and_installs_nothing(tmp_path: Path) -> None:
    init_repository(tmp_path)

    (step,) = [step for step in steps(tmp_path) if "run" in step]
    done = subprocess.run(["bash", "-e", "-c", str(step["run"])], capture_output=True, text=True, timeout=10)

    assert done.returncode == 1
    assert done.stdout.startswith("::error file=.github/workflows/verify.yml::Nothing was verified")
    assert len(steps(tmp_path)) == 2  # after the checkout there is nothing but the failure


def test_the_words_in_an_unfinished_workflow_mend_it(tmp_path: Path) -> None:
    """Doing what its comment says gives the workflow that would have been written with the hash."""
    init_repository(tmp_path / "later")
    init_repository(tmp_path / "now", action_ref=SHA)
    later = (tmp_path / "later/.github/workflows/verify.yml").read_text()
    head, _, rest = later.partition("      # NOT SET UP YET")
    shown = re.findall(r"^      #   (.*)$", rest, re.M)
    mended = head + "".join(f"      {line}\n" for line in shown).replace("<40 hex digits>", SHA)

    assert mended == (tmp_path / "now/.github/workflows/verify.yml").read_text()


@pytest.mark.parametrize("ref", ["", "main", "v1.2.3", SHA[:12], SHA.upper(), SHA + "\n", f"{SHA} # x", "g" * 40])
def test_only_a_full_hash_is_taken(tmp_path: Path, ref: str) -> None:
    with pytest.raises(ValueError, match="full commit hash"):
        init_repository(tmp_path, action_ref=ref)

    assert names(tmp_path) == []


# --- owners ---------------------------------------------------------------------------------------


def test_owners_cover_what_decides_over_pull_requests(tmp_path: Path) -> None:
    init_repository(tmp_path / "set", owner="@acme/maintainers")
    init_repository(tmp_path / "unset")

    lines = {folder: (tmp_path / folder / ".github/CODEOWNERS").read_text().splitlines() for folder in ("set", "unset")}
    owned = {name: [line for line in found if not line.startswith("#")] for name, found in lines.items()}

    assert owned == {"set": ["/.github/ @acme/maintainers", "/policies/ @acme/maintainers"], "unset": []}


@pytest.mark.parametrize("owner", ["acme", "@", "@a b", "@acme/", "@acme/x\n* @evil", "someone@example.org"])
def test_a_bad_owner_is_refused(tmp_path: Path, owner: str) -> None:
    with pytest.raises(ValueError, match="write @login or @organisation/team"):
        init_repository(tmp_path, owner=owner)

    assert names(tmp_path) == []


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
