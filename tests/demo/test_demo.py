"""The demo is the product's promise: five pull requests, and each ends as it should."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from demo.entries import ALWAYS_PAID, ENTRIES, SAMPLES, End, Entry
from demo.story import Story
from demo.world import World
from envbounty.environment import load

pytestmark = pytest.mark.act


def test_the_whole_story_ends_as_it_should() -> None:
    command = [str(Path(sys.executable).parent / "envbounty"), "demo", "--once"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"All {len(ENTRIES)} ended as they should" in done.stdout
    merged = re.findall(r"(\S+) merges #(\d+)", done.stdout)
    assert merged == [("envbounty[bot]", "2")], "one was sound"
    assert "which was approved" in done.stdout


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    one = World.start(tmp_path)
    try:
        yield one
    finally:
        one.stop()


def test_an_outcome_that_should_not_be_is_told(world: World) -> None:
    """The demo can fail: here a verifier that pays for everything is said to deserve a merge."""
    told: list[str] = []
    fraud = Entry("lars", "Tides", "sound", ENTRIES[2].source, End.MERGED, spoil=ALWAYS_PAID)
    story = Story(world, told.append, [fraud])
    assert not story.play(120)
    (case,) = story.cases
    assert case.end is End.REFUSED and not case.right
    assert not replace(case, entry=replace(fraud, end=End.REFUSED, rule="passes-mutant")).right, "the wrong reason"
    assert replace(case, entry=replace(fraud, end=End.REFUSED, rule="accepts-nothing")).right
    assert any(line.startswith("envbounty[bot] on #2") for line in told)
    pages = f"{world.hub.url}/{world.repo.full_name}"
    shown = httpx.get(f"{pages}/pull/2", trust_env=False)
    assert shown.status_code == 200 and "accepts-nothing" in shown.text


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.login)
def test_every_entry_is_an_environment(entry: Entry, tmp_path: Path) -> None:
    for files in (entry.files(), {**entry.files(), **entry.changed()}):
        for path, content in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(content)
        assert load(tmp_path / "environments" / entry.slug).spec.name == entry.slug


def test_the_entries_tell_five_different_stories() -> None:
    assert [entry.end for entry in ENTRIES].count(End.MERGED) == 1
    assert len({entry.slug for entry in ENTRIES}) == len({entry.login for entry in ENTRIES}) == 5
    assert [entry.login for entry in ENTRIES if entry.later] == ["hugo"]
    assert SAMPLES.is_dir()
