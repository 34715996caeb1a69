"""One jail for all, and one tiny sound environment of each kind to spoil."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from envbounty.findings import Report, Result
from envbounty.sandbox.opening import open_jail
from envbounty.sandbox.pool import Pool
from envbounty.verify import examine, examine_all

Files = Mapping[str, str | None]
#: name → (kind, files, changes of env.yaml)
Table = Mapping[str, tuple[str, Files, Mapping[str, str]]]

_YAML = """\
schema: 1
name: {name}
version: 1.0.0
kind: {kind}
title: A tiny environment
authors: [{{name: Ada Example}}]
licence: Apache-2.0
{submission}
limits: {{wall_s: 2, cpu_s: 5, check_s: 1, output_kb: 64}}
scoring: {{instances: 5, aggregate: all, pass_score: 1.0, answers: {{compare: exact}}}}
"""

#: kind → (what env.yaml says of submissions, the other files)
BASES: dict[str, tuple[str, dict[str, str]]] = {
    "function": (
        "submission: {function: total, parameters: [values]}",
        {
            "task.md": "Write `total(values)`, the sum of a list of whole numbers.\n",
            "environment.py": """\
def generate(rng, difficulty):
    return {"values": [rng.randint(100, 999) for _ in range(8)]}


def check(instance, output):
    right = sum(instance["values"])
    return 1.0 if type(output) is int and output == right else 0.0
""",
            "solutions/reference.py": "def total(values):\n    return sum(values)\n",
            "solutions/good/loop.py": "def total(v):\n    n = 0\n    for x in v:\n        n += x\n    return n\n",
            "solutions/bad/last.py": "# wrong: leaves the last one out\ndef total(v):\n    return sum(v[:-1])\n",
        },
    ),
    "program": (
        "submission: {languages: [python, c]}",
        {
            "task.md": "Read whole numbers, print their sum.\n",
            "environment.py": """\
def generate(rng, difficulty):
    return {"stdin": " ".join(str(rng.randint(100, 999)) for _ in range(8)) + "\\n"}


def check(instance, output):
    right = str(sum(map(int, instance["stdin"].split())))
    return 1.0 if isinstance(output, str) and output.strip() == right else 0.0
""",
            "solutions/reference.py": "print(sum(map(int, input().split())))\n",
            "solutions/good/sum.c": (
                '#include <stdio.h>\nint main(){int x, n = 0; while (scanf("%d", &x) == 1) n += x;'
                ' printf("%d\\n", n);}\n'
            ),
            "solutions/bad/last.py": "# wrong: leaves the last one out\nprint(sum(map(int, input().split()[:-1])))\n",
        },
    ),
    "answer": (
        "",
        {
            "task.md": "What is {{ a }} plus {{ b }}? Say the number alone.\n",
            "environment.py": """\
def generate(rng, difficulty):
    return {"a": rng.randint(1000, 9999), "b": rng.randint(1000, 9999)}


def check(instance, output):
    right = str(instance["a"] + instance["b"])
    return 1.0 if isinstance(output, str) and output.strip() == right else 0.0
""",
            "solutions/reference.py": 'def solve(instance):\n    return str(instance["a"] + instance["b"])\n',
            "solutions/good/line.py": "def solve(i):\n    return f\"{sum([i['a'], i['b']])}\\n\"\n",
            "solutions/bad/first.py": "# wrong: says the first number\ndef solve(i):\n    return str(i['a'])\n",
        },
    ),
    "actions": (
        "",
        {
            "task.md": 'Go from {{ start }} to {{ goal }} by a list of "up" and "down", as short as can be.\n',
            "environment.py": """\
def generate(rng, difficulty):
    start = rng.randint(0, 10**6)
    return {"start": start, "goal": start + rng.choice((-1, 1)) * rng.randint(3, 9)}


def check(instance, output):
    at, goal = instance["start"], instance["goal"]
    if not isinstance(output, list) or len(output) != abs(goal - at):
        return 0.0
    for word in output:
        if word not in ("up", "down"):
            return 0.0
        at += 1 if word == "up" else -1
    return float(at == goal)
""",
            "solutions/reference.py": """\
def solve(instance):
    way = instance["goal"] - instance["start"]
    return ["up" if way > 0 else "down"] * abs(way)
""",
            "solutions/good/step.py": """\
def solve(instance):
    at, words = instance["start"], []
    while at != instance["goal"]:
        words.append("up" if at < instance["goal"] else "down")
        at += 1 if words[-1] == "up" else -1
    return words
""",
            "solutions/bad/up.py": "# wrong: goes up three times\ndef solve(instance):\n    return ['up'] * 3\n",
        },
    ),
    "grader": (
        "dialect: grader\nsubmission: {function: double}",
        {
            "task.md": "Write `double(x)`.\n",
            "grader.py": """\
import json
import subprocess
import sys

CASES = [1, 5, -3, 100, 7]
RUN = '''
import json, sys
submission, cases = json.load(sys.stdin)
names = {}
exec(submission, names)
print(json.dumps([names["double"](x) for x in cases]))
'''


def verify(submission):
    task = json.dumps([submission, CASES])
    done = subprocess.run([sys.executable, "-I", "-c", RUN], input=task, capture_output=True, text=True)
    try:
        answers = json.loads(done.stdout)
    except ValueError:
        return False
    return type(answers) is list and [(type(x), x) for x in answers] == [(int, 2 * x) for x in CASES]
""",
            "solutions/reference.py": "def double(x):\n    return x + x\n",
            "solutions/good/times.py": "def double(x):\n    return 2 * x\n",
            "solutions/bad/square.py": "# wrong: squares the number instead\ndef double(x):\n    return x * x\n",
        },
    ),
}


def write(
    root: Path, kind: str, files: Files | None = None, yaml: Mapping[str, str] | None = None, name: str = "tiny"
) -> Path:
    """The sound environment of `kind` below `root`, with files (None: left out) and words of env.yaml changed."""
    submission, base = BASES[kind]
    text = _YAML.format(name=name, kind="function" if kind == "grader" else kind, submission=submission)
    for old, new in (yaml or {}).items():
        assert text.count(old) == 1, f"{old!r} is not once in env.yaml"
        text = text.replace(old, new)
    place = root / name
    for path, content in {"env.yaml": text, **base, **(files or {})}.items():
        if content is not None:
            file = place / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, encoding="utf-8", newline="")
    return place


Make = Callable[..., Path]
Examine = Callable[..., Result]


@pytest.fixture(scope="session")
def jail() -> Iterator[Pool]:
    with open_jail("bubblewrap", 4) as pool:
        yield pool


@pytest.fixture(scope="session")
def write_env() -> Callable[..., Path]:
    return write


@dataclass(frozen=True)
class Batch:
    """Environments that were examined together, and what came of each."""

    results: Mapping[str, Result]
    report: Report

    def __getitem__(self, name: str) -> Result:
        return self.results[name]


def examine_batch(folder: Path, jail: Pool, wanted: Table, jobs: int) -> Batch:
    places = [write(folder / str(number), *wanted[name]) for number, name in enumerate(wanted)]
    report = examine_all(places, jail, jobs=jobs, budget_s=120)
    return Batch(dict(zip(wanted, report.results, strict=True)), report)


@pytest.fixture(scope="session")
def examine_selected(tmp_path_factory: pytest.TempPathFactory, jail: Pool) -> Callable[..., Batch]:
    """Examine at once those environments of a table that the selected tests ask for by the parameter `case`."""

    def run(request: pytest.FixtureRequest, table: Table, jobs: int = 2) -> Batch:
        asked = [
            item.callspec.params.get("case")
            for item in request.session.items
            if isinstance(item, pytest.Function) and hasattr(item, "callspec") and item.module is request.module
        ]
        wanted = {name: row for name, row in table.items() if name in asked}
        return examine_batch(tmp_path_factory.mktemp("batch"), jail, wanted, jobs)

    return run


@pytest.fixture
def make_env(tmp_path: Path) -> Make:
    """`make_env(kind, files, yaml, name)`, see `write`."""

    def make(kind: str, files: Files | None = None, yaml: Mapping[str, str] | None = None, name: str = "tiny") -> Path:
        return write(tmp_path, kind, files, yaml, name)

    return make


@pytest.fixture
def examined(make_env: Make, jail: Pool) -> Examine:
    """`examined(kind, files, yaml)`: the result for such an environment."""

    def run(kind: str, files: Files | None = None, yaml: Mapping[str, str] | None = None) -> Result:
        return examine(make_env(kind, files, yaml), jail, budget_s=120, threads=2)

    return run
