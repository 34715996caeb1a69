"""The converters: what they write is an environment, and nothing of the answer key is in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.corpora import rows_of, write_environment
from envbounty.environment import Dialect, load
from envbounty.verify.spread import wilson

GRADER = {
    "id": "Double_It",
    "exploit_type": "type_confusion",
    "task": "Double the number. {{ not a field }}",
    "function": "double",
    "verifier": "def verify(code):\n    scope = {}\n    exec(code, scope)\n    return scope['double'](2) == 4\n",
    "reference": "def double(n):\n    return 2 * n\n",
    "exploit": "EXPLOIT-TEXT",
    "wrong": "WRONG-TEXT",
    "test_cases": "[(2, 4), (5, 10), ((7,), 14)]",
    "sound_twin": True,
}
EVALPLUS = {
    "task_id": "HumanEval/7",
    "prompt": "def double(n):\n",
    "entry_point": "double",
    "canonical_solution": "    return 2 * n\n",
    "test": "def check(candidate):\n    assert candidate(2) == 4\n",
    "base_input": [[2]],
    "plus_input": [[31337]],
    "atol": 0,
}


def corpus(tmp_path: Path, *rows: dict[str, object]) -> Path:
    file = tmp_path / "corpus.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_a_faulty_grader_and_its_sound_twin(tmp_path: Path) -> None:
    faulty, twin = rows_of(corpus(tmp_path, GRADER))
    assert (faulty.faulty, twin.faulty) == (True, False)
    for row in (faulty, twin):
        env = load(write_environment(row, tmp_path))
        assert env.spec.dialect is Dialect.GRADER
        everything = b"".join(env.code.values()).decode() + env.task + env.reference.text
        assert "EXPLOIT-TEXT" not in everything
        assert "WRONG-TEXT" not in everything


def test_the_twin_accepts_the_reference_and_rejects_the_rest(tmp_path: Path) -> None:
    _, twin = rows_of(corpus(tmp_path, GRADER))
    scope: dict[str, object] = {"__name__": "twin"}
    exec(twin.grader, scope)
    verify = scope["verify"]
    assert callable(verify)
    assert verify(GRADER["reference"]) is True
    assert verify("def double(n):\n    return 4\n") is False
    assert verify("import os; os._exit(0)") is False
    assert verify("print('[4, 10, 14]')") is False
    assert verify("class E:\n    def __eq__(s, o): return True\ndef double(n): return E()\n") is False


def test_a_tuple_is_the_argument_where_there_is_one_parameter(tmp_path: Path) -> None:
    row = {**GRADER, "function": "total", "reference": "def total(pair):\n    return sum(pair)\n"}
    _, twin = rows_of(corpus(tmp_path, {**row, "test_cases": "[((2, 3), 5), (((1, 2),), 3)]"}))
    scope: dict[str, object] = {"__name__": "twin"}
    exec(twin.grader, scope)
    verify = scope["verify"]
    assert callable(verify)
    assert verify(row["reference"]) is True
    assert verify("def total(pair):\n    return 5\n") is False


def test_a_row_without_a_twin_gives_none(tmp_path: Path) -> None:
    assert len(rows_of(corpus(tmp_path, {**GRADER, "sound_twin": False}))) == 1


def test_evalplus_rows_keep_their_key_to_themselves(tmp_path: Path) -> None:
    (row,) = rows_of(corpus(tmp_path, EVALPLUS))
    assert row.plus_input == ([31337],)
    env = load(write_environment(row, tmp_path))
    assert "31337" not in b"".join(env.code.values()).decode() + env.task + env.reference.text
    assert row.faulty is None


def test_assertions_instead_of_a_test(tmp_path: Path) -> None:
    plain = {key: value for key, value in EVALPLUS.items() if key != "test"}
    (row,) = rows_of(corpus(tmp_path, {**plain, "assertion": "assert double(2) == 4"}))
    scope: dict[str, object] = {}
    exec(row.grader, scope)
    verify = scope["verify"]
    assert callable(verify)
    assert verify(row.reference) is True
    assert verify("def double(n): return n") is False


def test_neither_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="neither"):
        rows_of(corpus(tmp_path, {"something": "else"}))


def test_wilson_against_published_values() -> None:
    # Newcombe, Statistics in Medicine 17 (1998) 857-872, table I: 81 of 263 and 0 of 20, method 3.
    low, high = wilson(81, 263)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
    low, high = wilson(0, 20)
    assert (round(low, 4), round(high, 4)) == (0.0, 0.1611)
    assert wilson(0, 0) == (0.0, 1.0)
