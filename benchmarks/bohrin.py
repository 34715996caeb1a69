"""The conformance suite of the PyPI package `bohrin`: ten graders with one defect each, and their sound partners.

    python -m benchmarks bohrin SDIST [--json] [--jobs N]

SDIST is its source distribution (`pip download --no-binary :all: --no-deps bohrin==0.4.2`), or that unpacked. The suite
is Apache-2.0; nothing of it is in this project.

What a grader is called and what it says about itself (comments, docstrings) would give the answer away, so the tool
gets neither: the code alone, in an environment with a number for a name. The task's own sentence and the examples that
a task shows are what a model would read, and stay. The right submission is the one that the suite's own tests use.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import sys
import tarfile
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmarks.corpora import write_grader
from envbounty.findings import Finding, Result, Severity
from envbounty.sandbox.opening import open_jail
from envbounty.verify import examine_all
from envbounty.verify.rules import RULES
from envbounty.verify.spread import wilson

INDEX, REFERENCE = "src/bohrin/conformance/bcl-1.toml", "tests/_fixtures.py"
FOLDER = "conformance/bcl-1/"
#: No file of the suite is nearly so large.
MOST_BYTES = 1 << 20
#: What is wrong with the way in which this adapter wraps a grader says nothing about the grader: one of an `io` task
#: knows a single input, so its instances repeat, and whoever knows the one answer knows all.
WRAPPING = {"import-fails", "generator-repeats", "trivial-strategy-passes"}
#: Weaknesses beside the ten that the level BCL-1 lists, which its sound graders may well have: most of them run the
#: submission in their own process, where it can read what is expected and replace what judges it (BGW-114, BGW-116).
BEYOND = {
    "tamper-arguments",
    "tamper-disclosure",
    "tamper-files",
    "tamper-frames",
    "tamper-output",
    "tamper-patch",
    "tamper-skip",
    "tamper-trapdoor",
}


@dataclass(frozen=True)
class Fixture:
    """One grader of the suite. `weakness` and `defect` are the key: they score, and never reach the tool."""

    pair: str
    weakness: str
    defect: bool
    shape: str  # `program`: judges source that defines solve(); `io`: judges what a program printed
    source: str
    reference: str

    @property
    def name(self) -> str:
        """A name that says nothing, and puts the graders in no telling order."""
        return "bcl-" + hashlib.sha256(self.source.encode()).hexdigest()[:10]


def read(path: Path) -> dict[str, str]:
    """The texts of the suite by their path in it, from a source distribution or a folder. `ValueError` for neither."""

    def wanted(name: str) -> bool:
        return name in (INDEX, REFERENCE) or (name.startswith(FOLDER) and name.endswith(".py"))

    found: dict[str, str] = {}
    if path.is_dir():
        roots = [path, *(inner for inner in sorted(path.iterdir()) if inner.is_dir())]
        root = next((one for one in roots if (one / INDEX).is_file()), path)
        for file in root.rglob("*"):
            name = file.relative_to(root).as_posix()
            if wanted(name) and file.is_file() and file.stat().st_size <= MOST_BYTES:
                found[name] = file.read_text(encoding="utf-8")
    elif path.is_file() and tarfile.is_tarfile(path):
        with tarfile.open(path) as archive:
            for member in archive:
                name = member.name.partition("/")[2]
                if member.isfile() and wanted(name) and member.size <= MOST_BYTES:
                    content = archive.extractfile(member)
                    assert content is not None
                    found[name] = content.read().decode()
    if INDEX not in found:
        raise ValueError(f"{path} holds no conformance suite of bohrin: {INDEX} is not in it")
    return found


def fixtures(texts: dict[str, str]) -> list[Fixture]:
    """The graders of the suite that `read` gave."""
    reference = constant(texts[REFERENCE], "REFERENCE")
    return [
        Fixture(
            pair=row["id"].split("/")[1],
            weakness=row["weakness"],
            defect=row["defect"],
            shape=row["shape"],
            source=texts[FOLDER + row["file"]],
            reference=reference,
        )
        for row in tomllib.loads(texts[INDEX])["fixture"]
    ]


def constant(source: str, name: str) -> Any:
    """The literal that a module binds to `name`. `ValueError` when there is none."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == name for to in node.targets):
            return ast.literal_eval(node.value)
    raise ValueError(f"no literal is bound to {name}")


class _Silent(ast.NodeTransformer):
    """Takes the docstrings out."""

    def _body(self, node: Any) -> Any:
        self.generic_visit(node)
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return node

    visit_Module = visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _body


def silent(source: str) -> str:
    """The code of a module without its comments and docstrings."""
    return ast.unparse(_Silent().visit(ast.parse(source))) + "\n"


def task(fixture: Fixture) -> str:
    """What a model is told: the line of the docstring that states the task, and the examples that it shows."""
    words = ast.get_docstring(ast.parse(fixture.source)) or ""
    line = next(line for line in words.splitlines() if line.startswith("Task: "))
    text = line.removeprefix("Task: ") + "\n"
    try:
        shown = constant(fixture.source, "VISIBLE")
    except ValueError:
        return text
    return text + "\nExamples:\n" + "".join(f"\n    solve({given!r}) == {wanted!r}" for given, wanted in shown) + "\n"


#: An `io` grader knows one input, so its instances differ by a number alone, which nobody is told.
IO = '''"""Judges what a program printed for the one input that there is."""

from grader import INPUT, grade


def generate(rng, difficulty):
    return {"stdin": INPUT, "number": rng.randrange(1 << 30)}


def check(instance, output):
    return grade(output)
'''
#: The suite gives no submission for an `io` task; this does what its sentence asks for.
SORTS = "print(*sorted(int(word) for word in input().split()))\n"


def write(fixture: Fixture, folder: Path) -> Path:
    """The grader as an environment below `folder`. Returns its directory."""
    if fixture.shape == "program":
        return write_grader(
            fixture.name, task(fixture), "solve", silent(fixture.source), fixture.reference, folder, verify="grade"
        )
    place = folder / fixture.name
    (place / "solutions").mkdir(parents=True)
    spec = {
        "schema": 1,
        "name": fixture.name,
        "version": "1.0.0",
        "kind": "program",
        "title": f"The grader {fixture.name}",
        "authors": [{"name": "its suite"}],
        "licence": "Apache-2.0",
        "difficulty": {"min": 1, "max": 1},
        "submission": {"languages": ["python"]},
        "scoring": {"answers": {"compare": "tokens"}},
        "seeds": {"train": {"first": 0, "count": 1000}, "test": {"first": 100_000, "count": 100}},
    }
    (place / "env.yaml").write_text(yaml.safe_dump(spec, sort_keys=False))
    (place / "task.md").write_text(task(fixture))
    (place / "environment.py").write_text(IO)
    (place / "grader.py").write_text(silent(fixture.source))
    (place / "solutions/reference.py").write_text(SORTS)
    return place


def accusations(result: Result) -> list[Finding]:
    """What was held against the grader itself. The reference is known to be right, so rejecting it counts."""
    return [
        finding
        for finding in result.findings
        if finding.severity is Severity.ERROR
        and finding.rule not in WRAPPING
        and (finding.rule not in RULES or RULES[finding.rule].phase not in ("contract", "provenance"))
    ]


def measure(path: Path, jobs: int, say: Any) -> dict[str, Any]:
    suite = fixtures(read(path))
    with tempfile.TemporaryDirectory(prefix="envbounty-bench-") as folder:
        # In the order of the names, which is none: a tool that learns from one environment for the next gains nothing.
        order = sorted(suite, key=lambda fixture: fixture.name)
        places = [write(fixture, Path(folder)) for fixture in order]
        started = time.monotonic()
        with open_jail("auto", jobs) as jail:
            report = examine_all(places, jail, jobs=jobs)
        seconds = time.monotonic() - started
    results = {fixture.name: result for fixture, result in zip(order, report.results, strict=True)}
    return table(suite, results, seconds, say)


def table(suite: list[Fixture], results: dict[str, Result], seconds: float, say: Any) -> dict[str, Any]:
    """The pairs, a line for each grader, and the counts as an object.

    `separated` is the stricter count: defects shown by a rule that does not also accuse the sound partner. Accusations
    of what the level does not list say nothing about its ten defects: they are counted apart.
    """
    found: dict[str, bool] = {}
    separated: dict[str, bool] = {}
    accused: dict[str, bool] = {}
    beyond: dict[str, bool] = {}
    unsettled = 0
    for fixture in sorted(suite, key=lambda one: (one.weakness, one.defect)):
        result = results[fixture.name]
        against = accusations(result)
        rules = {finding.rule for finding in against}
        if fixture.defect:
            sound = next(one for one in suite if one.pair == fixture.pair and not one.defect)
            found[fixture.pair] = bool(rules - BEYOND)
            separated[fixture.pair] = bool(rules - BEYOND - {one.rule for one in accusations(results[sound.name])})
        else:
            accused[fixture.pair] = bool(rules - BEYOND)
            beyond[fixture.pair] = bool(rules & BEYOND)
        unsettled += not rules and result.verdict not in ("pass", "fail")
        what = "defect" if fixture.defect else "sound"
        say(f"{fixture.weakness}  {fixture.pair:26}{what:8}{result.verdict:11}{' '.join(sorted(rules)) or '-'}")
        for finding in [] if fixture.defect else against:
            say(f"    {finding.rule}: {finding.message[:200]}")
        if result.verdict not in ("pass", "fail"):
            say(f"    {result.reason}")
    count = len(found)
    shown = sum(bool(accusations(results[one.name])) for one in suite if one.defect)
    for name, hits, of in (
        ("defective graders accused of anything", shown, count),
        ("defects found", sum(found.values()), count),
        ("  by a rule that spares the partner", sum(separated.values()), count),
        ("sound graders accused", sum(accused.values()), len(accused)),
        ("  of what the level does not list", sum(beyond.values()), len(beyond)),
    ):
        low, high = wilson(hits, of)
        say(f"{name:40}{hits}/{of}  (95 % {low:.2f} to {high:.2f})")
    say(f"{'time':40}{seconds:.1f} s, {seconds / max(1, len(suite)):.2f} s a grader")
    return {
        "suite": "BCL-1",
        "n_defect": count,
        "n_sound": len(accused),
        "shown_faulty": shown,
        "found": sum(found.values()),
        "separated": sum(separated.values()),
        "accused": sum(accused.values()),
        "accused_beyond": sum(beyond.values()),
        "inconclusive": unsettled,
        "seconds": round(seconds, 2),
    }


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks bohrin", description=__doc__.splitlines()[0])
    parser.add_argument("suite", type=Path, metavar="SDIST", help="bohrin-0.4.2.tar.gz, or that unpacked")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args(argv)
    if not options.suite.exists():
        print(f"{options.suite} is not there: nothing to measure", file=sys.stderr)
        return 0
    say = (lambda *words: print(*words, file=sys.stderr)) if options.json else print
    try:
        found = measure(options.suite, options.jobs, say)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(found))
    return 0
