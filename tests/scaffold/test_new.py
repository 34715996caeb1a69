"""A newcomer starts with an environment that passes, or a clear word when the name or kind cannot be."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
import yaml

from envbounty.environment import Solution, find_environments, load
from envbounty.findings import Severity, Verdict
from envbounty.sandbox import Jail
from envbounty.scaffold import KINDS, new_environment
from envbounty.scaffold.environment import function_of, title_of
from envbounty.scaffold.template import SUFFIX, fill, read_template
from envbounty.verify import examine

ROOT = Path(__file__).parents[2]


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


# --- what is laid down ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_it_keeps_the_contract_and_has_solutions_enough(tmp_path: Path, kind: str) -> None:
    files = new_environment(tmp_path, "first-try", kind, author="Ada Example")

    env = load(tmp_path / "first-try")

    assert files == sorted(file for file in (tmp_path / "first-try").rglob("*") if file.is_file())
    assert (env.spec.grader is not None) == (kind == "grader")
    assert env.spec.kind == ("function" if kind == "grader" else kind)
    assert (env.spec.name, env.spec.title) == ("first-try", "First try")
    assert env.spec.authors[0].name == "Ada Example"
    assert len(env.good) >= 2
    assert len(env.bad) >= 5
    assert env.spec.submission.function in (None, "first_try")
    assert not any("__" in text.replace("__name__", "") for text in map(Path.read_text, files))


@pytest.mark.parametrize("kind", KINDS)
def test_it_passes_without_a_finding(tmp_path: Path, jail: Jail, kind: str) -> None:
    new_environment(tmp_path, "first-try", kind, author="Ada Example")

    result = examine(tmp_path / "first-try", jail, threads=2)

    assert [str(finding) for finding in result.findings if finding.severity is not Severity.NOTE] == []
    assert result.verdict is Verdict.PASS, result.reason


@pytest.mark.parametrize("kind", ["function", "answer", "actions"])
def test_it_passes_whatever_the_seed(tmp_path: Path, kind: str) -> None:
    """The templates are ours, so they can run here, without a jail, on many more instances than a check draws."""
    new_environment(tmp_path, "first-try", kind, author="Ada Example")
    env = load(tmp_path / "first-try")
    own = runpy.run_path(str(tmp_path / "first-try/environment.py"))
    instances = [own["generate"](Random(seed), level) for seed in range(30) for level in (1, env.spec.difficulty.max)]

    def accepted(solution: Solution) -> float:
        names = runpy.run_path(str(tmp_path / "first-try" / solution.path))
        solve = names["solve"] if kind != "function" else lambda instance: names["first_try"](instance["text"])
        outputs = [json.loads(json.dumps(solve(instance))) for instance in instances]
        return sum(map(own["check"], instances, outputs)) / len(instances)

    assert len(set(map(json.dumps, instances))) == len(instances)
    assert [accepted(solution) for solution in (env.reference, *env.good)] == [1.0] * (1 + len(env.good))
    assert max(accepted(solution) for solution in env.bad) < 0.2


@pytest.mark.parametrize("kind", KINDS)
def test_its_verifier_is_what_rejects(tmp_path: Path, jail: Jail, kind: str) -> None:
    """The same files with a verifier that says yes to everything do not pass."""
    root = tmp_path / "first-try"
    new_environment(tmp_path, "first-try", kind, author="Ada Example")
    name, yes = ("grader.py", "def verify(submission):\n    return True\n") if kind == "grader" else (
        "environment.py", "\n\ndef check(instance, output):\n    return 1.0\n"
    )  # fmt: skip
    before = "" if kind == "grader" else (root / name).read_text()
    (root / name).write_text(before + yes)

    result = examine(root, jail, threads=2)

    rules = {finding.rule for finding in result.findings}
    assert {"bad-accepted", "accepts-nothing", "accepts-junk"} & rules
    # Each wrong solution runs and gives an answer, so that it is the verifier which had to judge it.
    shown = [finding for finding in result.findings if finding.rule == "bad-accepted"]
    assert len(shown) == 5  # a report shows no more of a rule


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_as_tidy_as_our_own_code(tmp_path: Path, kind: str) -> None:
    new_environment(tmp_path, "first-try", kind, author="Ada Example")

    ruff = Path(sys.executable).parent / "ruff"
    command = [ruff, "check", "--no-cache", "--config", ROOT / "pyproject.toml", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stdout + done.stderr


def test_templates_are_nothing_else_before_they_are_laid_down() -> None:
    """Neither `envbounty verify .` nor git, pytest or a linter may take one for the thing itself."""
    folder = ROOT / "envbounty/scaffold/templates"

    files = [file for file in folder.rglob("*") if file.is_file()]

    assert files
    assert all(file.name.endswith(SUFFIX) for file in files)
    with pytest.raises(FileNotFoundError):
        find_environments([folder])


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "slug",
    [
        *("", "ab", "Upper", "under_score", "-x-y", "two--hyphens", "end-", "1st-task", "a" * 61),
        *("../out", "a/b/c", "abc\n", "ümlaut"),
    ],
)
def test_a_bad_slug_says_what_a_good_one_is(tmp_path: Path, slug: str) -> None:
    with pytest.raises(ValueError, match="3 to 60 lower-case letters and digits"):
        new_environment(tmp_path / "environments", slug, "function", author="Ada")

    assert list(tmp_path.iterdir()) == []


def test_a_bad_kind_says_which_there_are(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="function, program, answer, actions, grader"):
        new_environment(tmp_path, "first-try", "repository", author="Ada")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("author", ["", "  ", "a" * 101, "two\nlines", "\x07bell", "\ud800"])
def test_a_bad_author_is_refused(tmp_path: Path, author: str) -> None:
    with pytest.raises(ValueError, match="the author must be"):
        new_environment(tmp_path, "first-try", "answer", author=author)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "author", ['O\'Brien "X": {y} # z', "__SLUG__", "- *alias &anchor", "岸田 文", "null", "C:\\new"]
)
def test_any_name_survives_yaml(tmp_path: Path, author: str) -> None:
    new_environment(tmp_path, "first-try", "answer", author=author)

    assert load(tmp_path / "first-try").spec.authors[0].name == author


@pytest.mark.parametrize("slug", ["null", "true", "yes", "abc", "while", "list", "groupby", "a" * 60, "x-1", "re2"])
@pytest.mark.parametrize("kind", ["function", "grader"])
def test_slugs_that_mean_something_to_yaml_or_python(tmp_path: Path, kind: str, slug: str) -> None:
    new_environment(tmp_path, slug, kind, author="Ada")

    env = load(tmp_path / slug)

    name = env.spec.submission.function
    assert name is not None
    assert env.spec.name == slug
    for solution in (env.reference, *env.good, *env.bad):
        names: dict[str, object] = {}
        exec(compile(solution.text, solution.path, "exec"), names)
        assert callable(names[name])


def test_a_function_never_hides_a_name_that_the_template_uses() -> None:
    assert function_of("run-lengths", read_template("function")) == "run_lengths"
    assert function_of("groupby", read_template("function")) == "solve_groupby"
    assert function_of("while", {}) == "solve_while"


def test_titles_are_long_enough() -> None:
    assert title_of("fewest-patrols") == "Fewest patrols"
    assert title_of("abc") == "The task Abc"


def test_a_place_without_a_word_is_our_mistake() -> None:
    assert fill({"a": "x __ONE__ __init__"}, {"ONE": "__TWO__"}) == {"a": "x __TWO__ __init__"}
    with pytest.raises(KeyError):
        fill({"a": "__TWO__"}, {"ONE": ""})


# --- what is there already ------------------------------------------------------------------------


@pytest.mark.parametrize("there", ["folder", "file", "broken link"])
def test_what_is_there_is_not_touched(tmp_path: Path, there: str) -> None:
    place = tmp_path / "first-try"
    if there == "folder":
        place.mkdir()
        (place / "env.yaml").write_text("mine")
    elif there == "file":
        place.write_text("mine")
    else:
        place.symlink_to("nowhere")
    before, names = snapshot(tmp_path), sorted(os.listdir(tmp_path))

    with pytest.raises(FileExistsError, match="choose another name"):
        new_environment(tmp_path, "first-try", "function", author="Ada")

    assert snapshot(tmp_path) == before
    assert sorted(os.listdir(tmp_path)) == names


def test_the_folder_is_made_when_it_is_missing(tmp_path: Path) -> None:
    new_environment(tmp_path / "a/b", "first-try", "answer", author="Ada")

    assert yaml.safe_load((tmp_path / "a/b/first-try/env.yaml").read_text())["name"] == "first-try"
