"""env.yaml: for every key what is taken, beside what is refused, with the words that a contributor reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from envbounty.environment import ContractError, Dialect, Kind, Language, load
from envbounty.environment.problems import Problem

Make = Callable[..., Path]


def problems(root: Path) -> list[Problem]:
    with pytest.raises(ContractError) as caught:
        load(root)
    found = caught.value.problems
    assert found
    for problem in found:
        assert problem.line >= 1 and problem.message and problem.fix, problem
        assert problem.finding().rule == "contract-broken"
    return found


def test_the_whole_of_it_is_taken(make: Make) -> None:
    env = load(make())
    spec = env.spec
    assert (spec.name, spec.kind, spec.dialect) == ("sort-numbers", Kind.FUNCTION, Dialect.NATIVE)
    assert (spec.limits.wall_s, spec.limits.memory_mb) == (2.5, 256)
    assert [author.github for author in spec.authors] == ["ada-example"]
    assert env.entry == "environment.py" and set(env.code) == {"environment.py"}
    assert (env.reference.path, len(env.good), len(env.bad)) == ("solutions/reference.py", 1, 1)
    assert env.bad[0].why == "sorts the wrong way round"
    lines = (env.root / "env.yaml").read_text().splitlines()
    assert lines[env.line("scoring", "answers", "compare") - 1] == "    compare: exact"
    assert lines[env.line("scoring", "answers", "abs_tol") - 1] == "  answers:"  # not there: where it would stand


# One row a clause: (what stands there, what is put there instead, the key that is named, its line, words of the
# message, words of the fix). `accepted` in place of the words: the other side of the clause.
TAKEN = [
    ("name: sort-numbers", "name: sort-numbers"),
    ("version: 1.2.3", "version: 10.0.0"),
    ("title: Sort some numbers", "title: 'Sort: été, 数'"),
    ("    github: ada-example\n", ""),
    ("licence: Apache-2.0", "licence: MIT OR Apache-2.0"),
    ("tags: [sorting, lists]\n", ""),
    ("tags: [sorting, lists]", "tags: []"),
    ("bounty: 12\n", ""),
    ("variant_of: sort-letters\n", ""),
    ("variant_of: sort-letters", "variant_of: x-1"),
    ("  min: 1\n  max: 3", "  min: 0\n  max: 100"),
    ("  min: 1\n  max: 3", "  min: 3\n  max: 3"),
    ("  parameters: [values]", "  parameters: [values, also]"),
    ("  wall_s: 2.5", "  wall_s: 120"),
    ("  memory_mb: 256", "  memory_mb: 4096"),
    ("  pass_score: 1.0", "  pass_score: 1"),
    ("  aggregate: all", "  aggregate: mean"),
    ("  aggregate: all", "  aggregate: min"),
    ("  instances: 10", "  instances: 200"),
    ("    compare: exact", "    compare: tolerance\n    rel_tol: 1.0e-6"),
    ("    compare: exact", "    compare: tolerance\n    abs_tol: 1.0e-6"),
    *(("    compare: exact", f"    compare: {rule}") for rule in ("unordered", "tokens", "custom", "many")),
    ("  test:\n    first: 5000", "  test:\n    first: 1000"),
    ("    count: 1000", "    count: 20"),
    ("dialect: native\n", ""),
    ("schema: 1", "# a comment\nschema: 1"),
    ("schema: 1", "---\nschema: 1"),
]


@pytest.mark.parametrize(("old", "new"), TAKEN, ids=[new or old for old, new in TAKEN])
def test_taken(make: Make, old: str, new: str) -> None:
    load(make(yaml={old: new}))


REFUSED = [
    # missing
    ("schema: 1\n", "", "schema", "is missing", "Add `schema:`"),
    ("version: 1.2.3\n", "", "version", "is missing", "Add `version:`"),
    ("kind: function\n", "", "kind", "is missing", "Add `kind:`"),
    ("licence: Apache-2.0\n", "", "licence", "is missing", "Add `licence:`"),
    (
        "  - name: Ada Example\n    github: ada-example",
        "  - github: ada",
        "authors.0.name",
        "is missing",
        "Add `name:`",
    ),
    ("  function: sort_numbers\n", "", "", "needs submission.function", "Change"),
    ("  parameters: [values]\n", "", "", "needs submission.parameters", "Change"),
    # unknown
    ("version: 1.2.3", "verison: 1.2.3", "verison", "not a key that is known", "Write `version`"),
    ("    github:", "    githb:", "authors.0.githb", "not a key that is known", "Write `github`"),
    ("  wall_s:", "  wal_s:", "limits.wal_s", "not a key that is known", "Write `wall_s`"),
    ("    compare:", "    comprae:", "scoring.answers.comprae", "not a key that is known", "Write `compare`"),
    ("bounty: 12", "zzz: 12", "zzz", "not a key that is known", "Take it out"),
    ("bounty: 12", "<<: {bounty: 12}", "<<", "not a key that is known", "Take it out"),
    ("bounty: 12", "~: 12", "~", "not a key that is known", "Take it out"),
    # wrong type
    ("version: 1.2.3", "version: 1.2", "version", "is 1.2; expected text", "quotes"),
    ("version: 1.2.3", "version: 2024-01-01", "version", "expected text", "quotes"),
    ("version: 1.2.3", "version: [1, 2, 3]", "version", "expected text", "Write text"),
    ("title: Sort some numbers", "title: true", "title", "is True; expected text", "quotes"),
    ("title: Sort some numbers", "title:", "title", "is None; expected text", "Write text"),
    ("bounty: 12", "bounty: '12'", "bounty", "expected a whole number", "whole number"),
    ("bounty: 12", "bounty: 12.5", "bounty", "expected a whole number", "whole number"),
    ("bounty: 12", "bounty: true", "bounty", "expected a whole number", "whole number"),
    ("  wall_s: 2.5", "  wall_s: fast", "limits.wall_s", "expected a number", "number"),
    ("tags: [sorting, lists]", "tags: sorting", "tags", "expected a list", "list"),
    ("tags: [sorting, lists]", "tags: [sorting, 7]", "tags.1", "expected text", "quotes"),
    ("difficulty:\n  min: 1\n  max: 3", "difficulty: 3", "difficulty", "expected a mapping", "mapping"),
    # form
    ("schema: 1", "schema: 2", "schema", "expected 1", "Choose"),
    ("version: 1.2.3", "version: v1.2.3", "version", "expected three numbers", "`1.0.0`"),
    ("licence: Apache-2.0", "licence: do what you like", "licence", "SPDX", "Apache-2.0"),
    ("github: ada-example", "github: '@ada'", "authors.0.github", "GitHub login", "ada-example"),
    ("tags: [sorting", "tags: [Sorting", "tags.0", "lower-case", "dynamic-programming"),
    ("function: sort_numbers", "function: sort-numbers", "submission.function", "Python name", "fewest_patrols"),
    ("variant_of: sort-letters", "variant_of: Sort letters", "variant_of", "the name of an environment", "patrols"),
    ("variant_of: sort-letters", "variant_of: [sort-letters]", "variant_of", "expected text", "Write text"),
    ("variant_of: sort-letters", "variant_of: ab", "variant_of", "at least 3 characters", "bound"),
    # one of several
    ("kind: function", "kind: functions", "kind", "'function', 'program', 'answer' or 'actions'", "Choose"),
    ("dialect: native", "dialect: harbor", "dialect", "expected 'native' or 'grader'", "Choose"),
    ("aggregate: all", "aggregate: any", "scoring.aggregate", "expected 'all', 'mean' or 'min'", "Choose"),
    ("compare: exact", "compare: equal", "scoring.answers.compare", "'exact', 'tolerance'", "Choose"),
    # bounds
    ("title: Sort some numbers", "title: Sort", "title", "at least 5 characters", "bound"),
    ("title: Sort some numbers", f"title: {'x' * 101}", "title", "at most 100 characters", "bound"),
    ("authors:\n  - name: Ada Example\n    github: ada-example", "authors: []", "authors", "at least 1 item", "bound"),
    ("bounty: 12", "bounty: 0", "bounty", "greater than or equal to 1", "bound"),
    ("  max: 3", "  max: 101", "difficulty.max", "less than or equal to 100", "bound"),
    ("  wall_s: 2.5", "  wall_s: 0", "limits.wall_s", "greater than 0", "bound"),
    ("  wall_s: 2.5", "  wall_s: .nan", "limits.wall_s", "is nan", "bound"),
    ("  wall_s: 2.5", "  wall_s: .inf", "limits.wall_s", "less than or equal to 120", "bound"),
    ("  cpu_s: 2", "  cpu_s: 121", "limits.cpu_s", "less than or equal to 120", "bound"),
    ("  memory_mb: 256", "  memory_mb: 1", "limits.memory_mb", "greater than or equal to 64", "bound"),
    ("  processes: 1", "  processes: 65", "limits.processes", "less than or equal to 64", "bound"),
    ("  output_kb: 64", "  output_kb: 0", "limits.output_kb", "greater than or equal to 1", "bound"),
    ("  scratch_mb: 8", "  scratch_mb: 257", "limits.scratch_mb", "less than or equal to 256", "bound"),
    ("  check_s: 1", "  check_s: 61", "limits.check_s", "less than or equal to 60", "bound"),
    ("  instances: 10", "  instances: 4", "scoring.instances", "greater than or equal to 5", "bound"),
    ("  pass_score: 1.0", "  pass_score: 0", "scoring.pass_score", "greater than 0", "bound"),
    ("  pass_score: 1.0", "  pass_score: 1.01", "scoring.pass_score", "less than or equal to 1", "bound"),
    ("    first: 0", "    first: -1", "seeds.train.first", "greater than or equal to 0", "bound"),
    # what belongs together
    ("  min: 1", "  min: 4", "difficulty", "min is larger than max", "Change"),
    ("    first: 5000", "    first: 999", "seeds", "overlap", "Change"),
    ("variant_of: sort-letters", "variant_of: sort-numbers", "", "names the environment itself", "Change"),
    ("    count: 1000", "    count: 19", "seeds", "below 20", "Change"),
    ("    compare: exact", "    compare: tolerance", "scoring.answers", "needs abs_tol or rel_tol", "Change"),
    ("    compare: exact", "    compare: exact\n    abs_tol: 0.1", "scoring.answers", "belong to", "Change"),
    ("dialect: native", "grader: {file: g.py}", "", "belongs to dialect: grader", "Change"),
    ("kind: function", "kind: answer", "", "belong to kind: function", "Change"),
    ("  parameters: [values]", "  parameters: [values]\n  languages: [c]", "", "belongs to kind: program", "Change"),
]


@pytest.mark.parametrize(
    ("old", "new", "key", "message", "fix"), REFUSED, ids=[f"{row[2]}-{row[1][:30] or 'missing'}" for row in REFUSED]
)
def test_refused(make: Make, old: str, new: str, key: str, message: str, fix: str) -> None:
    root = make(yaml={old: new})
    problem = next((problem for problem in problems(root) if message in problem.message), None)
    assert problem is not None, problems(root)
    assert (problem.file, problem.key) == ("env.yaml", key)
    assert problem.line == expected_line((root / "env.yaml").read_text(), new, key)
    assert fix in problem.fix
    assert str(problem).startswith("env.yaml:") and "Fix: " in str(problem)


def expected_line(text: str, new: str, key: str) -> int:
    """Where the changed words stand; for what concerns several keys, where their mapping starts."""
    if key == "" or not new:
        return 1
    mapping = {"difficulty": "difficulty:", "seeds": "seeds:", "scoring.answers": "  answers:"}.get(key)
    where = text.index(f"\n{mapping}") + 1 if mapping else text.index(new)
    return text.count("\n", 0, where) + 1


def test_all_problems_are_told_at_once(make: Make) -> None:
    found = problems(make(yaml={"version: 1.2.3": "version: one", "bounty: 12": "bounti: 12", "cpu_s: 2": "cpu_s: 0"}))
    assert {problem.key for problem in found} == {"version", "bounti", "limits.cpu_s"}


def test_the_name_is_the_directory(make: Make) -> None:
    found = problems(make(name="sort-other"))
    assert [(problem.key, problem.line) for problem in found] == [("name", 2)]
    assert "sort-other" in found[0].message and "sort-numbers" in found[0].fix


PROGRAM = {
    "kind: function": "kind: program",
    "  function: sort_numbers\n  parameters: [values]": "  languages: [c, cpp, python]",
}
NO_SUBMISSION = {"submission:\n  function: sort_numbers\n  parameters: [values]\n": ""}


def test_kind_program(make: Make) -> None:
    files = {"solutions/good/b.c": "int main(){}\n", "solutions/good/c.cpp": "int main(){}\n"}
    env = load(make(files, yaml=PROGRAM))
    assert [solution.language for solution in env.good] == [Language.PYTHON, Language.C, Language.CPP]


def test_kind_program_without_a_language(make: Make) -> None:
    found = problems(make(yaml={**PROGRAM, "  function: sort_numbers\n  parameters: [values]": "  languages: []"}))
    assert "needs submission.languages" in found[0].message


@pytest.mark.parametrize("kind", ["answer", "actions"])
def test_kinds_whose_task_shows_the_instance(make: Make, kind: str) -> None:
    yaml = {"kind: function": f"kind: {kind}", **NO_SUBMISSION}
    assert load(make({"task.md": "Sort {{ values }}.\n"}, yaml=yaml)).spec.kind == kind
    (problem,) = problems(make({"task.md": "Sort the values.\n"}, yaml=yaml))
    assert problem.file == "task.md" and "{{ key }}" in problem.fix


@pytest.mark.parametrize("yaml", [{}, PROGRAM], ids=["function", "program"])
def test_kinds_whose_task_is_one_text(make: Make, yaml: dict[str, str]) -> None:
    (problem,) = problems(make({"task.md": "One.\n\nSort {{ values }}.\n"}, yaml=yaml))
    assert (problem.file, problem.line, problem.key) == ("task.md", 3, "values")


# --- dialect grader --------------------------------------------------------------------------------------------------

GRADER = {"dialect: native": "dialect: grader", "  parameters: [values]\n": ""}


def test_grader_by_default(make: Make) -> None:
    env = load(make({"environment.py": None, "grader.py": "def verify(text): ...\n"}, yaml=GRADER))
    assert env.spec.grader is not None
    assert (env.entry, env.spec.grader.function, set(env.code)) == ("grader.py", "verify", {"grader.py"})


def test_grader_elsewhere(make: Make) -> None:
    yaml = {**GRADER, "bounty: 12": "grader: {file: marks.py, function: score}"}
    env = load(make({"environment.py": None, "marks.py": "def score(text): ...\n"}, yaml=yaml))
    assert env.entry == "marks.py"
    (problem,) = problems(make({"marks.py": None, "environment.py": "x = 1\n"}, yaml=yaml, name="other/sort-numbers"))
    assert (problem.file, problem.message) == ("marks.py", "is missing.") and "score(submission)" in problem.fix


@pytest.mark.parametrize("file", ["../grader.py", "a/b.py", "/etc/passwd", "grader.txt", "grader .py"])
def test_grader_file_is_a_plain_name(make: Make, file: str) -> None:
    (problem,) = problems(make(yaml={**GRADER, "bounty: 12": f"grader: {{file: '{file}'}}"}))
    assert problem.key == "grader.file" and "plain file name" in problem.message


def test_grader_takes_only_functions(make: Make) -> None:
    found = problems(
        make(yaml={**GRADER, "kind: function": "kind: program", "  function: sort_numbers": "  languages: [c]"})
    )
    assert "kind: function only" in found[0].message
