"""Nothing stands in for anything: localhub, the shipped workflows through act, the real envbounty and the real bot."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from envbounty.scaffold import new_environment
from envbounty.scaffold.repository import render_repository
from localhub.actions import ActRunner, Mirror

pytestmark = pytest.mark.act

ROOT = Path(__file__).parents[3]
TRUSTED = "0123456789abcdef0123456789abcdef01234567"


def town_module() -> Any:
    """The small world of the bot's own stories. Tests are imported by path, so it is loaded by hand."""
    if "town" not in sys.modules:
        spec = importlib.util.spec_from_file_location("town", ROOT / "tests/bot/stories/town.py")
        assert spec is not None and spec.loader is not None
        sys.modules["town"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["town"])
    return sys.modules["town"]


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Any]:
    called = "envbounty/envbounty/.github/workflows/{tier}.yml@" + TRUSTED
    town = town_module().Town(f"sqlite:///{tmp_path}/bot.db", trusted_workflows=(called,))
    tools = Mirror(ROOT, ("actions", ".github/workflows", "docs/report.schema.json"))
    machine = {"ENVBOUNTY_PYTHON": sys.executable}
    runner = town.hub.runner = ActRunner(town.hub, town.issuer, {"envbounty/envbounty": tools}, machine, seconds=200)
    town.max.push(town.repo, "main", render_repository(TRUSTED, "@max"))
    town.settle()
    yield town
    town.close()
    runner.close()


def environment(folder: Path, slug: str) -> dict[str, str]:
    files = new_environment(folder, slug, "actions", author="Ann")
    return {f"environments/{file.relative_to(folder)}": file.read_text() for file in files}


def test_what_is_sound_is_merged_and_what_always_says_yes_is_not(town: Any, tmp_path: Path) -> None:
    sound_files, lazy_files = environment(tmp_path / "a", "a-sound-walk"), environment(tmp_path / "b", "a-lazy-one")
    verifier = "environments/a-lazy-one/environment.py"
    lazy_files[verifier] += "\n\ndef check(instance, output):\n    return 1.0\n"
    sound = town.ann.open_pull(town.repo, sound_files, branch="sound")
    lazy = town.ann.open_pull(town.repo, lazy_files, branch="lazy")
    town.settle()

    for thread in list(town.hub._threads):
        thread.join(250)
    town.settle()

    logs = "\n".join(job.log for run in town.repo.runs for job in run.jobs)
    assert town.checks(sound) == {"envbounty/verify": "success"}, logs
    assert town.checks(lazy) == {"envbounty/verify": "failure"}, logs
    assert town.inline(lazy), "the findings stand beside the code"
    assert all(place.startswith("environments/a-lazy-one/") for place in town.inline(lazy))
    town.max.approve(sound)
    town.max.approve(lazy)
    town.settle()
    assert sound.merged and not lazy.merged
    assert town.repo.git.commit(sound.merge_commit).parents[1] == sound.head
