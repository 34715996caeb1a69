"""One small environment with every key of env.yaml in it, to change a line of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

FULL = """\
schema: 1
name: sort-numbers
version: 1.2.3
dialect: native
kind: function
title: Sort some numbers
authors:
  - name: Ada Example
    github: ada-example
licence: Apache-2.0
tags: [sorting, lists]
bounty: 12
variant_of: sort-letters
difficulty:
  min: 1
  max: 3
submission:
  function: sort_numbers
  parameters: [values]
limits:
  wall_s: 2.5
  cpu_s: 2
  memory_mb: 256
  processes: 1
  output_kb: 64
  scratch_mb: 8
  check_s: 1
scoring:
  instances: 10
  aggregate: all
  pass_score: 1.0
  answers:
    compare: exact
seeds:
  train:
    first: 0
    count: 1000
  test:
    first: 5000
    count: 100
"""

FILES: dict[str, str | bytes | None] = {
    "env.yaml": FULL,
    "task.md": "Write `sort_numbers(values)`.\n",
    "environment.py": "def generate(rng, difficulty): ...\ndef check(instance, output): ...\n",
    "solutions/reference.py": "def sort_numbers(values):\n    return sorted(values)\n",
    "solutions/good/a.py": "sort_numbers = sorted\n",
    "solutions/bad/a.py": "# wrong: sorts the wrong way round\ndef sort_numbers(v): return sorted(v)[::-1]\n",
}

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes the environment with some files changed (None: left out); `yaml` changes lines of env.yaml."""

    def write(
        files: Mapping[str, str | bytes | None] | None = None,
        *,
        yaml: Mapping[str, str] | None = None,
        name: str = "sort-numbers",
    ) -> Path:
        root = tmp_path / name
        wanted = {**FILES, **(files or {})}
        text = wanted["env.yaml"]
        for old, new in (yaml or {}).items():
            assert isinstance(text, str) and text.count(old) == 1, old
            text = text.replace(old, new)
        wanted["env.yaml"] = text
        for path, content in wanted.items():
            if content is None:
                continue
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return root

    return write
