"""The measurement itself: a faulty grader counts as found and its twin as spared, and the key proves what it can."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

FAULTY = {
    "id": "Double_It",
    "exploit_type": "type_confusion",
    "task": "Double the number.",
    "function": "double",
    "verifier": "def verify(code):\n    scope = {}\n    exec(code, scope)\n    return scope['double'](2) == 4\n",
    "reference": "def double(n):\n    return 2 * n\n",
    "exploit": "none",
    "wrong": "none",
    "test_cases": "[(2, 4), (5, 10), (7, 14), (0, 0), (-3, -6)]",
    "sound_twin": True,
}
PLUS = {
    "task_id": "HumanEval/7",
    "prompt": "def double(n):\n",
    "entry_point": "double",
    "canonical_solution": "    return 2 * n\n",
    "test": "def check(candidate):\n    assert candidate(2) == 4\n",
    "base_input": [[2]],
    "plus_input": [[31337], [5], [-1]],
    "atol": 0,
}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (FAULTY, {"n_faulty": 1, "n_sound": 1, "caught": 1, "recall": 1.0, "false_accusations": 0, "inconclusive": 0}),
        (PLUS, {"n_faulty": 0, "n_sound": 0, "caught": 1, "proved": 1, "refuted": 0, "inconclusive": 0}),
    ],
    ids=["graders", "evalplus"],
)
def test_what_is_counted(row: dict[str, Any], expected: dict[str, Any], tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps(row) + "\n")
    command = [sys.executable, "-m", "benchmarks", "detection", str(corpus), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=300)
    assert done.returncode == 0, done.stderr
    counted = json.loads(done.stdout.splitlines()[-1])
    assert {name: counted[name] for name in expected} == expected
    assert set(counted) == {
        *("corpus", "n_faulty", "n_sound", "caught", "recall", "false_accusations", "inconclusive", "proved"),
        *("refuted", "seconds", "per_environment_s"),
    }
    assert "inconclusive       0/" in done.stderr
