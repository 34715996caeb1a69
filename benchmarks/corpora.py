"""Real graders as environments of dialect `grader`. The answer key stays here and is never written into one.

Two formats, told apart by the keys of the first row:

* graders: `id task function verifier reference`; key: `exploit wrong test_cases sound_twin`.
* EvalPlus: `task_id prompt entry_point canonical_solution` and `test` or `assertion`; key: `plus_input atol`.
"""

from __future__ import annotations

import ast
import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class Row:
    """One grader of a corpus, and what is known of it."""

    name: str
    task: str
    function: str
    grader: str
    reference: str
    faulty: bool | None  # None: nobody has said so; the accusations themselves are then held against `plus_input`
    group: str = ""
    test: str = ""  # the tests of the task as text that defines `check(candidate)`, where the corpus has them so
    plus_input: tuple[list[Any], ...] = ()
    atol: float = 0.0


def read(path: Path, limit: int | None = None) -> list[dict[str, Any]]:
    """The rows of a corpus in JSON lines, gzipped or not."""
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    return rows[:limit]


def rows_of(path: Path, limit: int | None = None) -> list[Row]:
    """A corpus as rows to examine, of the graders' format also the sound twins. `ValueError` for neither format."""
    raw = read(path, limit)
    if not raw:
        return []
    if "verifier" in raw[0]:
        found = [_faulty(row) for row in raw]
        return found + [twin for row in raw if (twin := _twin(row)) is not None]
    if "canonical_solution" in raw[0]:
        return [_evalplus(row) for row in raw]
    raise ValueError(f"{path}: neither a corpus of graders nor one in EvalPlus's format")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def _faulty(row: dict[str, Any]) -> Row:
    return Row(
        name="g-" + _slug(row["id"])[:56].strip("-"),
        task=row["task"],
        function=row["function"],
        grader=row["verifier"],
        reference=row["reference"],
        faulty=True,
        group=row["exploit_type"],
    )


#: A grader that nothing a submission does can fool: it runs it in a process of its own and compares what comes back.
TWIN = '''"""Runs the submission in a process of its own and compares results here."""

import json
import subprocess
import sys

CASES = {cases}
RUN = """
import json, sys
calls, secret = json.load(sys.stdin)
scope = {{"__name__": "submission"}}
out = sys.stdout
sys.stdout = sys.stderr
exec(sys.argv[1], scope)
results = [scope[{function!r}](*call) for call in calls]
out.write(secret + json.dumps(results))
"""


def plain(value):
    return json.loads(json.dumps(value))


def verify(submission):
    import secrets

    mark = secrets.token_hex(16)
    calls = [arguments for arguments, _ in CASES]
    try:
        done = subprocess.run(
            [sys.executable, "-S", "-c", RUN, submission],
            input=json.dumps([calls, mark]), capture_output=True, text=True, timeout=8,
        )
    except (subprocess.TimeoutExpired, ValueError):
        return False
    if done.returncode != 0 or not done.stdout.startswith(mark):
        return False
    try:
        results = json.loads(done.stdout[len(mark):])
    except ValueError:
        return False
    if len(results) != len(CASES):
        return False
    return all(
        type(got) is type(want) and got == want for got, want in zip(results, (plain(want) for _, want in CASES))
    )
'''


def _twin(row: dict[str, Any]) -> Row | None:
    """The sound grader that the key's `test_cases` make, for rows that say there is one."""
    if not row.get("sound_twin"):
        return None
    cases = row["test_cases"]
    if isinstance(cases, str):
        try:
            cases = ast.literal_eval(cases)
        except (ValueError, SyntaxError):
            return None
    count = _parameters(row["reference"], row["function"])
    calls = []
    for given, wanted in cases:
        # One parameter: `(7,)` is how a single argument is written, any other tuple is the argument itself.
        spread = isinstance(given, tuple if count == 1 else (tuple, list)) and len(given) == count
        calls.append((list(given) if spread else [given], wanted))
    return Row(
        name="t-" + _slug(row["id"])[:56].strip("-"),
        task=row["task"],
        function=row["function"],
        grader=TWIN.format(cases=repr(calls), function=row["function"]),
        reference=row["reference"],
        faulty=False,
        group="sound twin",
    )


def _parameters(source: str, function: str) -> int:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return len(node.args.args)
    return 1


#: HumanEval's own way of judging: the program, then its tests, in one namespace.
HUMANEVAL = '''"""Runs the tests that come with the task on the submission."""

TEST = {test!r}


def verify(submission):
    scope = {{}}
    try:
        exec(submission, scope)
        exec(TEST, scope)
        scope["check"](scope[{function!r}])
    except Exception:
        return False
    return True
'''

ASSERTIONS = '''"""Runs the assertions that come with the task on the submission."""

TEST = {test!r}


def verify(submission):
    scope = {{}}
    try:
        exec(submission, scope)
        exec(TEST, scope)
    except Exception:
        return False
    return True
'''


def _evalplus(row: dict[str, Any]) -> Row:
    if "test" in row:
        grader = HUMANEVAL.format(test=row["test"], function=row["entry_point"])
    else:
        grader = ASSERTIONS.format(test=row["assertion"])
    return Row(
        name=_slug(str(row["task_id"])).replace("humaneval", "he"),
        task=row["prompt"],
        function=row["entry_point"],
        grader=grader,
        reference=row["prompt"] + row["canonical_solution"],
        faulty=None,
        group="tests of the task",
        test=row.get("test") or "",
        plus_input=tuple(row.get("plus_input") or ()),
        atol=float(row.get("atol") or 0),
    )


def write_grader(
    name: str, task: str, function: str, grader: str, reference: str, folder: Path, *, verify: str = "verify"
) -> Path:
    """A grader of submissions that define `function` as an environment below `folder`. Returns its directory."""
    place = folder / name
    (place / "solutions").mkdir(parents=True)
    spec = {
        "schema": 1,
        "name": name,
        "version": "1.0.0",
        "dialect": "grader",
        "kind": "function",
        "title": f"The grader {name}",
        "authors": [{"name": "its corpus"}],
        "licence": "MIT",
        "submission": {"function": function},
        "limits": {"wall_s": 20, "cpu_s": 20, "memory_mb": 1024},
        "grader": {"file": "grader.py", "function": verify},
    }
    (place / "env.yaml").write_text(yaml.safe_dump(spec, sort_keys=False))
    # A corpus's text may hold braces, which are no fields here.
    (place / "task.md").write_text(task.replace("{{", "{ {").replace("}}", "} }") or "no text")
    (place / "grader.py").write_text(grader)
    (place / "solutions/reference.py").write_text(reference)
    return place


def write_environment(row: Row, folder: Path) -> Path:
    """`row` as an environment below `folder`. Returns its directory."""
    return write_grader(row.name, row.task, row.function, row.grader, row.reference, folder)


def write_all(rows: list[Row], folder: Path) -> Iterator[tuple[Row, Path]]:
    for row in rows:
        yield row, write_environment(row, folder)
