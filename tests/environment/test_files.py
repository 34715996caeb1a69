"""A stranger's directory: plain files only, in bounds, and never a wait."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from envbounty.environment import ContractError, find_environments, load
from envbounty.environment.files import MAX_FILE_BYTES, MAX_FILES, MAX_TOTAL_BYTES, digest, read_file, read_tree
from envbounty.environment.load import said_why
from envbounty.environment.problems import Problem

Make = Callable[..., Path]


def problems(root: Path) -> list[Problem]:
    with pytest.raises(ContractError) as caught:
        load(root)
    assert all(problem.message and problem.fix for problem in caught.value.problems)
    return caught.value.problems


def only(root: Path) -> Problem:
    (problem,) = problems(root)
    return problem


# --- what may lie there ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["data.txt", "solutions/good/b.py", "environment.py"])
@pytest.mark.parametrize("target", ["/etc/passwd", "/etc", "task.md", "nowhere"])
def test_links_are_not_followed(make: Make, place: str, target: str) -> None:
    root = make()
    (root / place).unlink(missing_ok=True)
    (root / place).symlink_to(target)
    problem = only(root)
    assert problem.file == place and "cannot be taken" in problem.message and "root:" not in problem.message


def test_a_linked_env_yaml_is_not_read(make: Make) -> None:
    root = make({"env.yaml": None})
    (root / "env.yaml").symlink_to("/etc/passwd")
    assert only(root).file == "env.yaml"


def test_a_fifo_does_not_block(make: Make) -> None:
    root = make()
    os.mkfifo(root / "pipe")
    started = time.monotonic()
    problem = only(root)
    assert time.monotonic() - started < 5
    assert problem.file == "pipe" and "no regular file" in problem.message and "plain file" in problem.fix


def test_a_socket_is_refused(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make()
    monkeypatch.chdir(root)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        assert only(root).file == "socket"


def test_a_device_is_refused() -> None:
    with pytest.raises(ValueError, match="no regular file"):
        read_file(Path("/dev/zero"), 100)


def test_a_file_too_large(make: Make) -> None:
    assert "data" in load(make({"data": b"x" * MAX_FILE_BYTES})).code
    problem = only(make({"data": b"x" * (MAX_FILE_BYTES + 1)}))
    assert problem.file == "data" and "larger than 1024 KiB" in problem.message


def test_too_much_in_all(make: Make) -> None:
    part = b"x" * MAX_FILE_BYTES
    root = make({f"data{number}": part for number in range(MAX_TOTAL_BYTES // MAX_FILE_BYTES)})
    assert "more than 400 files and folders or 8 MiB" in only(root).message


@pytest.mark.parametrize("what", ["files", "folders", "links"])
def test_too_many(make: Make, what: str) -> None:
    root = make()
    for number in range(MAX_FILES + 1):
        path = root / f"x{number}"
        if what == "files":
            path.touch()
        elif what == "folders":
            path.mkdir()
        else:
            path.symlink_to("/etc/passwd")
    assert "more than 400 files" in only(root).message


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[31m", "a\x7f", "\ud800".encode("utf-8", "surrogatepass")])
def test_control_characters_in_names(make: Make, name: str | bytes) -> None:
    root = make()
    Path(os.fsdecode(os.path.join(os.fsencode(root), os.fsencode(name)))).touch()
    problem = only(root)
    assert "control character" in problem.message and problem.file.isascii() and problem.file.isprintable()


def test_other_names_are_taken(make: Make) -> None:
    assert {"été 数.txt", "-rf", "sub/dir/x"} <= set(load(make({"été 数.txt": "x", "-rf": "x", "sub/dir/x": "x"})).code)


@contextlib.contextmanager
def not_root() -> Iterator[None]:
    """Root may read everything, so be somebody else for a moment."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_may_not_be_read(make: Make, what: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        root = Path(folder, "sort-numbers")
        shutil.copytree(make({"sub/data": "x"}), root)
        for path in (root, *root.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        closed = root / ("sub/data" if what == "file" else "sub")
        closed.chmod(0)
        with not_root():
            problem = only(root)
        closed.chmod(0o755)
    assert problem.file == ("sub/data" if what == "file" else "sub/")
    assert "ermission denied" in problem.message


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "gone")


def test_what_tools_leave_behind_is_not_part_of_it(make: Make) -> None:
    clean = load(make())
    root = make({"__pycache__/environment.pyc": b"\0", ".git/config": "x", "sub/.DS_Store": b"\0"})
    assert load(root).digest == clean.digest and load(root).code == clean.code


# --- what must lie there ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "file", "message"),
    [
        ({"task.md": None}, "task.md", "is missing"),
        ({"task.md": " \n"}, "task.md", "is empty"),
        ({"task.md": b"\xff"}, "task.md", "is not UTF-8"),
        ({"environment.py": None}, "environment.py", "is missing"),
        ({"environment.py": ""}, "environment.py", "is empty"),
        ({"environment.py": b"x = 1\n# \xe9\n"}, "environment.py", "is not UTF-8"),
        ({"solutions/reference.py": None}, "solutions", "holds no reference.py"),
        ({"solutions/reference.c": "x"}, "solutions/reference.c", "has the suffix .c"),
        ({"solutions/reference.py": None, "solutions/reference.c": "x"}, "solutions/reference.c", "has the suffix"),
        ({"solutions/good/b": "x"}, "solutions/good/b", "has the suffix (none)"),
        ({"solutions/good/b.md": "x"}, "solutions/good/b.md", "has the suffix .md"),
        ({"solutions/good/b.py": ""}, "solutions/good/b.py", "is empty"),
        ({"solutions/god/b.py": "x"}, "solutions/god/b.py", "neither the reference nor"),
        ({"solutions/Reference.py": "x"}, "solutions/Reference.py", "neither the reference nor"),
        ({"solutions/reference.d/b.py": "x"}, "solutions/reference.d/b.py", "neither the reference nor"),
        ({"solutions/bad/b.py": "def f(): pass\n"}, "solutions/bad/b.py", "does not say in its first line why"),
        ({"solutions/bad/b.py": "# wrong\nx = 1\n"}, "solutions/bad/b.py", "does not say in its first line why"),
        ({"solutions/bad/b.py": "# wrong: bad\nx = 1\n"}, "solutions/bad/b.py", "does not say in its first line why"),
        ({"solutions/bad/b.py": "x = 1  # wrong: says so too late\n"}, "solutions/bad/b.py", "does not say"),
    ],
)
def test_parts(make: Make, files: dict[str, str | bytes | None], file: str, message: str) -> None:
    load(make(name="other/sort-numbers"))
    problem = only(make(files))
    assert problem.file == file and message in problem.message


def test_two_references(make: Make) -> None:
    yaml = {
        "kind: function": "kind: program",
        "  function: sort_numbers\n  parameters: [values]": "  languages: [c, python]",
    }
    problem = only(make({"solutions/reference.c": "int main(){}"}, yaml=yaml))
    assert problem.file == "solutions/reference.py" and "second reference" in problem.message


def test_where_a_file_is_not_utf8(make: Make) -> None:
    assert only(make({"task.md": b"one\ntwo\nthr\xe9\xe9\n"})).line == 3


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("# wrong: takes the first\n", "takes the first"),
        ("#WRONG : takes the first\n", "takes the first"),
        ("# takes the first\n", "takes the first"),
        ("// wrong: takes the first\n", "takes the first"),
        ("/* wrong: takes the first */\n", "takes the first"),
        ("\n\n  # wrong: takes the first  \nx", "takes the first"),
        ("# wrongly takes the first\n", "wrongly takes the first"),
        ("x = 1\n", ""),
        ("", ""),
        ("#\n", ""),
        ("# a" + " " * 100_000 + "b\n", ("a" + " " * 1000)[:300]),  # in an instant, whatever its shape
    ],
)
def test_why_a_bad_solution_is_wrong(text: str, why: str) -> None:
    started = time.process_time()
    assert said_why(text) == why
    assert time.process_time() - started < 1


# --- identity --------------------------------------------------------------------------------------------------------


def test_the_digest_is_of_names_and_contents_alone(make: Make) -> None:
    root = make()
    first = load(root).digest
    os.utime(root / "task.md", (1, 1))
    (root / "environment.py").chmod(0o755)
    assert load(root).digest == first == load(make(name="elsewhere/sort-numbers")).digest
    assert len(first) == 64
    assert first == digest(read_tree(root))


@pytest.mark.parametrize(
    "files",
    [
        {"task.md": "Write `sort_numbers(values)`. \n"},
        {"more.txt": "x"},
        {"solutions/bad/b.py": "# wrong: one more of them\n"},
        {"solutions/good/a.py": None, "solutions/good/b.py": "sort_numbers = sorted\n"},
        {"env.yaml": None},
    ],
)
def test_any_change_of_the_files_changes_the_digest(make: Make, files: dict[str, str | None]) -> None:
    before = digest(read_tree(make()))
    assert digest(read_tree(make(files, name="other/sort-numbers"))) != before


def test_a_name_cannot_pass_for_content() -> None:
    assert digest({"a": b"bc"}) != digest({"ab": b"c"}) != digest({"a": b"b", "c": b""})
    assert digest({"x": b"1", "y": b"2"}) == digest({"y": b"2", "x": b"1"})


# --- finding them ----------------------------------------------------------------------------------------------------


def test_find(make: Make, tmp_path: Path) -> None:
    one, two = make(name="all/one"), make(name="all/two")
    assert find_environments([tmp_path]) == [one, two]
    assert find_environments([two, tmp_path / "all"]) == [two, one]
    assert find_environments([one / "env.yaml"]) == [one]
    for path in (tmp_path / "gone", one / "solutions"):
        with pytest.raises(FileNotFoundError):
            find_environments([path])
