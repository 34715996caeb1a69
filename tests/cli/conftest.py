"""Runs the real command as a process of its own: exit status, output and signals are what a user meets."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from envbounty.scaffold import new_environment

Run = Callable[..., subprocess.CompletedProcess[str]]
COMMAND = [sys.executable, "-m", "envbounty.cli"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def go(*arguments: str | Path, cwd: Path = tmp_path, **environ: str) -> subprocess.CompletedProcess[str]:
        inherited = {name: value for name, value in os.environ.items() if name != "GITHUB_STEP_SUMMARY"}
        return subprocess.run(
            [*COMMAND, *map(str, arguments)],
            cwd=cwd,
            env={**inherited, **environ},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    return go


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """A small environment that passes."""
    new_environment(tmp_path / "environments", "sound-one", "function", author="A Tester")
    return tmp_path / "environments" / "sound-one"


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """The same, with a verifier that pays for everything."""
    new_environment(tmp_path / "environments", "broken-one", "function", author="A Tester")
    path = tmp_path / "environments" / "broken-one"
    with (path / "environment.py").open("a") as file:
        file.write("\n\ndef check(instance, output):\n    return 1.0\n")
    return path
