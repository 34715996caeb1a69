"""The adapter for a conformance suite of paired graders, on a made-up one of two pairs."""

from __future__ import annotations

import ast
import json
import tarfile
from pathlib import Path

import pytest

from benchmarks import bohrin
from benchmarks.bohrin import Fixture, fixtures, read, silent, table, task, write
from envbounty.environment import Dialect, Kind, load
from envbounty.findings import Environment, Finding, Result, Severity, Verdict
from envbounty.verify.rules import RULES

INDEX = """
[suite]
level = "BCL-1"
""" + "".join(
    f"""
[[fixture]]
id = "bcl-1/{slug}/{what}"
file = "{slug}-{what}.py"
weakness = "{weakness}"
shape = "{shape}"
defect = {str(what == "defect").lower()}
"""
    for slug, weakness, shape in (("any-int", "W-1", "program"), ("any-order", "W-2", "io"))
    for what in ("correct", "defect")
)
ANY_INT = '''"""Suite fixture: any-int, {what}.

Task: solve(n) returns twice n.
The task shows one example. SECRET: it {secret}
Interface: grade(submission) -> float.
"""

VISIBLE = [(2, 4)]


def grade(submission):
    """SECRET words."""
    scope = {{}}  # SECRET comment
    try:
        exec(submission, scope)
        return float(all({test} for n in (1, 2, 7)))
    except Exception:
        return 0.0
'''
ANY_ORDER = '''"""Suite fixture: any-order, {what}. SECRET

Task: read integers and print them in ascending order.
Interface: grade(output) -> float.
"""

INPUT = "3 1 2\\n"


def grade(output):
    return float({test})
'''
FIXTURES = "REFERENCE = '''def solve(n):\n    return 2 * n\n'''\n\ndef helper():\n    pass\n"
FILES = {
    "src/bohrin/conformance/bcl-1.toml": INDEX,
    "tests/_fixtures.py": FIXTURES,
    "tests/test_other.py": "SECRET = 1\n",
    "conformance/bcl-1/any-int-correct.py": ANY_INT.format(
        what="correct", secret="compares", test="type(scope['solve'](n)) is int and scope['solve'](n) == 2 * n"
    ),
    "conformance/bcl-1/any-int-defect.py": ANY_INT.format(
        what="defect", secret="compares nothing", test="isinstance(scope['solve'](n), int)"
    ),
    "conformance/bcl-1/any-order-correct.py": ANY_ORDER.format(
        what="correct", test="output.split() == ['1', '2', '3']"
    ),
    "conformance/bcl-1/any-order-defect.py": ANY_ORDER.format(
        what="defect", test="{'1', '2', '3'} <= set(output.split())"
    ),
}


@pytest.fixture
def unpacked(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / "bohrin-9/" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "bohrin-9"


@pytest.fixture
def sdist(unpacked: Path, tmp_path: Path) -> Path:
    path = tmp_path / "bohrin-9.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(unpacked, "bohrin-9")
    return path


@pytest.fixture
def suite(sdist: Path) -> list[Fixture]:
    return fixtures(read(sdist))


def test_a_distribution_and_a_folder_hold_the_same(sdist: Path, unpacked: Path) -> None:
    wanted = {name: text for name, text in FILES.items() if name != "tests/test_other.py"}
    assert read(sdist) == read(unpacked) == read(unpacked.parent) == wanted


def test_what_holds_no_suite_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.tar.gz").write_bytes(b"")
    for path in (tmp_path, tmp_path / "empty.tar.gz"):
        with pytest.raises(ValueError, match="no conformance suite"):
            read(path)


def test_nothing_tells_the_tool_which_is_which(suite: list[Fixture], tmp_path: Path) -> None:
    names = []
    for fixture in suite:
        place = write(fixture, tmp_path)
        env = load(place)
        names.append(env.spec.name)
        words = "".join(file.read_text() for file in place.rglob("*") if file.is_file()) + str(place.name)
        for tell in ("SECRET", "defect", "correct", "fixture", "W-1", "W-2", fixture.pair):
            assert tell not in words
    assert len(set(names)) == 4


def test_a_grader_of_programs_is_of_the_dialect_grader(suite: list[Fixture], tmp_path: Path) -> None:
    env = load(write(suite[0], tmp_path))
    assert env.spec.dialect is Dialect.GRADER
    assert env.spec.grader is not None and env.spec.grader.function == "grade"
    assert env.reference.text == "def solve(n):\n    return 2 * n\n"
    assert "solve(2) == 4" in env.task


def test_a_grader_of_outputs_is_an_environment_of_its_one_input(suite: list[Fixture], tmp_path: Path) -> None:
    env = load(write(suite[2], tmp_path))
    assert (env.spec.dialect, env.spec.kind) == (Dialect.NATIVE, Kind.PROGRAM)
    assert env.task == "read integers and print them in ascending order.\n"


def test_silence_changes_nothing_else() -> None:
    source = FILES["conformance/bcl-1/any-int-correct.py"]
    quiet = silent(source)
    assert "SECRET" not in quiet
    scope: dict[str, object] = {}
    exec(quiet, scope)
    grade = scope["grade"]
    assert callable(grade)
    assert grade("def solve(n):\n    return 2 * n\n") == 1.0
    assert grade("def solve(n):\n    return 4\n") == 0.0
    assert silent("def f():\n    'words'\n") == "def f():\n    pass\n"
    assert ast.dump(ast.parse(silent("x = 'kept'"))) == ast.dump(ast.parse("x = 'kept'"))


def test_a_task_without_examples(suite: list[Fixture]) -> None:
    assert "Examples" not in task(suite[3])


def said(*rules: str) -> Result:
    who = Environment(name="x", path="x", kind="function", dialect="grader")
    found = tuple(Finding(rule=rule, severity=Severity.ERROR, message="-", path="x", fix="-") for rule in rules)
    return Result(environment=who, verdict=Verdict.FAIL if rules else Verdict.PASS, reason="", findings=found)


def count(suite: list[Fixture], *results: Result) -> dict[str, object]:
    return table(suite, dict(zip((one.name for one in suite), results, strict=True)), 1.0, lambda *_: None)


def test_a_defect_counts_as_told_apart_only_by_a_rule_that_spares_its_partner(suite: list[Fixture]) -> None:
    found = count(suite, said(), said("a"), said("b"), said("b"))
    assert (found["found"], found["separated"], found["accused"]) == (2, 1, 1)
    found = count(suite, said(), said(), said(), said("b", "c"))
    assert (found["found"], found["separated"], found["accused"]) == (1, 1, 0)


def test_what_the_level_does_not_list_is_counted_apart(suite: list[Fixture]) -> None:
    found = count(suite, said("tamper-frames"), said("tamper-frames"), said(), said("tamper-frames", "a"))
    assert (found["found"], found["separated"]) == (1, 1)
    assert (found["accused"], found["accused_beyond"]) == (0, 1)


def test_a_rejected_reference_counts_and_the_wrapping_does_not(suite: list[Fixture]) -> None:
    found = count(suite, said("generator-repeats"), said("reference-rejected"), said(), said("import-fails"))
    assert (found["found"], found["accused"]) == (1, 0)


def test_that_graders_resemble_each_other_is_no_defect(suite: list[Fixture]) -> None:
    assert RULES["near-duplicate"].severity is Severity.ERROR
    assert count(suite, *[said("near-duplicate")] * 4)["found"] == 0


def test_the_whole_on_the_made_up_suite(sdist: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bohrin.main([str(sdist), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["found"] == found["separated"] == found["n_defect"] == 2
    assert found["inconclusive"] == 0


def test_without_the_suite_there_is_nothing_to_measure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bohrin.main([str(tmp_path / "absent.tar.gz")]) == 0
    assert "nothing to measure" in capsys.readouterr().err
    (tmp_path / "other.tar.gz").write_bytes(b"")
    assert bohrin.main([str(tmp_path / "other.tar.gz")]) == 2
