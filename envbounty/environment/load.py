"""From a directory to an `Environment`. Nothing of the author's is executed or even parsed as code here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from envbounty.environment import prompt
from envbounty.environment.explain import explain
from envbounty.environment.files import digest, read_tree
from envbounty.environment.problems import ContractError, Problem
from envbounty.environment.spec import Dialect, Kind, Language, Spec
from envbounty.environment.yamltext import Located, read_yaml

SUFFIXES = {".py": Language.PYTHON, ".c": Language.C, ".cpp": Language.CPP}


@dataclass(frozen=True)
class Solution:
    """One solution file. `why` is a bad solution's own word on what is wrong with it."""

    path: str  # relative to the environment
    language: Language
    text: str
    why: str = ""


@dataclass(frozen=True)
class Environment:
    """One environment, read and found to keep the contract on paper."""

    root: Path
    spec: Spec
    task: str
    code: Mapping[str, bytes]  # the author's own files, without solutions, env.yaml and task.md
    reference: Solution
    good: tuple[Solution, ...]
    bad: tuple[Solution, ...]
    digest: str
    lines: Located = field(repr=False, compare=False)

    @property
    def entry(self) -> str:
        """The file that holds the verifier."""
        return self.spec.grader.file if self.spec.grader else "environment.py"

    def line(self, *key: str | int) -> int:
        """The line of a key in env.yaml."""
        return self.lines.line(key)


def find_environments(paths: list[Path]) -> list[Path]:
    """Each path that is an environment itself, and all environments below the others. Raises `FileNotFoundError`."""
    found: list[Path] = []
    for path in paths:
        if (path / "env.yaml").is_file():
            found.append(path)
        elif path.name == "env.yaml" and path.is_file():
            found.append(path.parent)
        else:
            below = sorted(file.parent for file in path.glob("**/env.yaml") if file.is_file())
            if not below:
                raise FileNotFoundError(path)
            found.extend(below)
    return list(dict.fromkeys(found))


def load(root: Path) -> Environment:
    """Read the environment in `root`.

    Raises `ContractError` with every problem found, `FileNotFoundError` for no folder.
    """
    if not root.is_dir():
        raise FileNotFoundError(root)
    files = read_tree(root)
    spec, document = _spec(files, root)
    problems: list[Problem] = []
    task = _text(files, "task.md", problems, "Say what the model is asked to do.")
    entry = spec.grader.file if spec.grader else "environment.py"
    native = "Define generate(rng, difficulty) and check(instance, output)."
    needs = f"Define {spec.grader.function}(submission)." if spec.grader else native
    _text(files, entry, problems, needs)
    references = _solutions(files, "reference", spec, problems)
    good = _solutions(files, "good", spec, problems)
    bad = _solutions(files, "bad", spec, problems)
    if not references and not any(problem.file.startswith("solutions/reference") for problem in problems):
        suffix = "/".join(_suffixes(spec))
        problems.append(
            Problem("solutions", 1, "", f"holds no reference{suffix}.", "Add the solution that must score 1.")
        )
    problems += _strays(files)
    for extra in references[1:]:
        problems.append(Problem(extra.path, 1, "", "is a second reference.", "Move it to solutions/good/."))
    problems += [
        Problem(solution.path, 1, "", "does not say in its first line why it is wrong.", _why_fix(solution))
        for solution in bad
        if len(solution.why.split()) < 3
    ]
    problems += _task_problems(task, spec)
    if problems:
        raise ContractError(problems)
    code = {
        path: content
        for path, content in files.items()
        if path not in ("env.yaml", "task.md") and not path.startswith("solutions/")
    }
    return Environment(root, spec, task, code, references[0], tuple(good), tuple(bad), digest(files), document)


def _spec(files: dict[str, bytes], root: Path) -> tuple[Spec, Located]:
    if "env.yaml" not in files:
        raise ContractError(
            [Problem("env.yaml", 1, "", "is missing.", "Start one with `envbounty new`, or see docs/environment.md.")]
        )
    problems: list[Problem] = []
    document = read_yaml(_text(files, "env.yaml", problems, "Fill it in."), "env.yaml")
    if problems:
        raise ContractError(problems)
    try:
        spec = Spec.model_validate(document.value)
    except ValidationError as error:
        raise ContractError(explain(error, document, "env.yaml", Spec)) from None
    folder = root.resolve().name
    if spec.name != folder:
        fix = f"Write `name: {folder}`, or rename the directory to {spec.name}."
        message = f"is {spec.name!r}, but the directory is called {folder!r}."
        raise ContractError([Problem("env.yaml", document.line(("name",)), "name", message, fix)])
    return spec, document


def _text(files: dict[str, bytes], path: str, problems: list[Problem], fix: str) -> str:
    if path not in files:
        problems.append(Problem(path, 1, "", "is missing.", fix))
        return ""
    try:
        text = files[path].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = files[path].count(b"\n", 0, error.start) + 1
        problems.append(Problem(path, line, "", "is not UTF-8 text.", "Save it as UTF-8."))
        return ""
    if not text.strip():
        problems.append(Problem(path, 1, "", "is empty.", fix))
    return text


def _suffixes(spec: Spec) -> list[str]:
    if spec.kind is Kind.PROGRAM:
        return [suffix for suffix, language in SUFFIXES.items() if language in spec.submission.languages]
    return [".py"]


def _solutions(files: dict[str, bytes], role: str, spec: Spec, problems: list[Problem]) -> list[Solution]:
    prefix = "solutions/reference." if role == "reference" else f"solutions/{role}/"
    allowed = _suffixes(spec)
    found: list[Solution] = []
    for path in files:
        if not path.startswith(prefix) or (role == "reference" and path.count("/") > 1):
            continue
        suffix = Path(path).suffix
        if suffix not in allowed:
            fix = f"Use {' or '.join(allowed)}, or move the file out of solutions/."
            problems.append(Problem(path, 1, "", f"has the suffix {suffix or '(none)'}.", fix))
            continue
        text = _text(files, path, problems, "Write the solution.")
        why = said_why(text) if role == "bad" else ""
        found.append(Solution(path, SUFFIXES[suffix], text, why))
    return found


def said_why(text: str) -> str:
    """What the comment on the first line of a bad solution says is wrong with it; empty for no comment."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    mark = next((mark for mark in ("#", "//", "/*") if first.startswith(mark)), None)
    if mark is None:
        return ""
    why = first.removeprefix(mark).removesuffix("*/").strip()
    if why.lower().startswith("wrong") and why[5:].lstrip().startswith(":"):
        why = why[5:].lstrip()[1:].lstrip()
    return why[:300]


def _strays(files: dict[str, bytes]) -> list[Problem]:
    """Files in solutions/ that play no part there, most likely because of a slip in the name."""
    known = ("solutions/reference.", "solutions/good/", "solutions/bad/")
    fix = "Name it solutions/reference.*, or move it to solutions/good/ or solutions/bad/."
    return [
        Problem(path, 1, "", "is neither the reference nor a good or bad solution.", fix)
        for path in files
        if path.startswith("solutions/")
        and (not path.startswith(known) or (path.startswith(known[0]) and path.count("/") > 1))
    ]


def _why_fix(solution: Solution) -> str:
    mark = "#" if solution.language is Language.PYTHON else "//"
    return f"Start it with a comment: `{mark} wrong: takes the smallest instead of the largest`."


def _task_problems(task: str, spec: Spec) -> list[Problem]:
    fields = prompt.fields(task)
    if fields and (spec.dialect is Dialect.GRADER or spec.kind in (Kind.FUNCTION, Kind.PROGRAM)):
        name, line = fields[0]
        return [
            Problem(
                "task.md", line, name, "is a field, but for this kind the text is the same for every instance.",
                "Write the text out; the instances are the hidden tests.",
            )
        ]  # fmt: skip
    if not fields and spec.kind in (Kind.ANSWER, Kind.ACTIONS) and task.strip():
        return [
            Problem(
                "task.md", 1, "", "shows nothing of the instance, so every instance asks the same question.",
                "Show it with {{ key }}, where key is one of the instance's.",
            )
        ]  # fmt: skip
    return []
