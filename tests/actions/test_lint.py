"""Our workflows and actions, and those that our documentation tells people to use, are linted and pinned."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTIONS = sorted((ROOT / "actions").glob("*/action.yml"))
READMES = sorted((ROOT / "actions").glob("*/README.md"))
PINNED = re.compile(r"^[\w.-]+/[\w./-]+@[0-9a-f]{40}$")
#: GitHub's word for "this repository, at the commit that is running": pinned by whoever pins the workflow.
OWN = re.compile(r"^\$/(actions/[a-z-]+)$")


def shown_in(readme: Path) -> list[str]:
    blocks = re.findall(r"```yaml\n(.*?)```", readme.read_text(), re.S)
    return [block for block in blocks if "jobs:" in block]


def uses(value: object) -> list[str]:
    """Every `uses` at any depth."""
    if isinstance(value, dict):
        own = [value["uses"]] if isinstance(value.get("uses"), str) else []
        return own + [found for child in value.values() for found in uses(child)]
    if isinstance(value, list):
        return [found for child in value for found in uses(child)]
    return []


def test_there_is_something_to_lint() -> None:
    assert WORKFLOWS
    assert ACTIONS
    assert len(ACTIONS) == len(READMES)


@pytest.mark.parametrize("file", [*WORKFLOWS, *ACTIONS], ids=lambda file: str(file.relative_to(ROOT)))
def test_every_action_is_pinned(file: Path) -> None:
    for used in uses(yaml.safe_load(file.read_text())):
        own = OWN.match(used)
        assert PINNED.match(used) or (own and (ROOT / own[1] / "action.yml").is_file()), used
    # The comment beside the hash says which version it is, for people and for update bots.
    for line in file.read_text().splitlines():
        if "uses:" in line and "uses: $/" not in line:
            assert re.search(r"# v\d+\.\d+\.\d+$", line), line


@pytest.mark.parametrize("readme", READMES, ids=lambda file: file.parent.name)
def test_readmes_show_pinned_workflows_that_lint(readme: Path, tmp_path: Path) -> None:
    shown = shown_in(readme)
    assert shown or readme.parent.name != "verify"  # the others are used by our own workflows only
    for text in shown:
        assert all(PINNED.match(used) for used in uses(yaml.safe_load(text)))
        workflow = tmp_path / ".github/workflows/shown.yml"
        workflow.parent.mkdir(parents=True, exist_ok=True)
        workflow.write_text(text)
        assert_actionlint([workflow])
        assert_zizmor(tmp_path)


def test_actionlint() -> None:
    assert_actionlint(WORKFLOWS)


def test_zizmor() -> None:
    assert_zizmor(*WORKFLOWS, *ACTIONS)


def assert_actionlint(files: list[Path]) -> None:
    done = subprocess.run(
        [BIN / "actionlint", "-no-color", *files], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr


def assert_zizmor(*paths: Path) -> None:
    """No finding of medium or high severity, with every audit that works offline."""
    command = [
        BIN / "zizmor",
        "--offline",
        "--no-progress",
        "--persona",
        "auditor",
        "--format",
        "json",
        *paths,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    grave = [
        f"{finding['ident']}: {finding['desc']}"
        for finding in json.loads(done.stdout)
        if finding["determinations"]["severity"] in ("Medium", "High")
    ]
    assert not grave, grave
