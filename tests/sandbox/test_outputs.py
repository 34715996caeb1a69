"""Files that a job leaves for us: plain ones come back, anything else is refused with its reason, and at once."""

from __future__ import annotations

import time
from typing import Any

import pytest
from jail_support import told

from envbounty.sandbox.job import Job

REFUSED = {
    "symbolic link": ("os.symlink('/proc/self/environ', 'out')", "symbolic link"),
    "symbolic link to itself": ("os.symlink('out', 'out')", "symbolic link"),
    "symbolic link to a good file": ("open('a', 'w').write('x'); os.symlink('a', 'out')", "symbolic link"),
    "pipe": ("os.mkfifo('out')", "no regular file|not permitted|No such file"),
    "hard link": ("open('a', 'w').write('x'); os.link('a', 'out')", "hard link"),
    "folder": ("os.mkdir('out')", "no regular file"),
    "socket": ("socket.socket(socket.AF_UNIX).bind('out')", "no regular file|No such device"),
    "device": ("attempt('mknod', lambda: os.mknod('out', 0o20666, os.makedev(1, 5)))", "No such file"),
    "sparse, 1 TiB": ("open('out', 'w').truncate(1 << 40)", "larger than"),
    "unreadable": ("open('out', 'w').write('x'); os.chmod('out', 0)", "Permission denied"),
    "missing": ("pass", "No such file"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refused(run: Any, kind: str) -> None:
    code, why = REFUSED[kind]
    began = time.monotonic()
    outcome = run(f"try:\n    {code}\nexcept OSError as error: tell(str(error))", outputs=["out"])
    assert time.monotonic() - began < 20
    if kind.startswith("sparse") and told(outcome):  # the limit on the size of files came first
        why = "larger than|No such file"
        if "out" in outcome.files:
            assert outcome.files["out"] == b""
            return
    if kind == "unreadable" and "out" in outcome.files:  # an ordinary user's jail is root of its own files
        assert outcome.files["out"] == b"x"
        return
    assert outcome.ok and outcome.files == {}, outcome
    assert any(part in outcome.refused["out"] for part in why.split("|")), outcome.refused


def test_brought_back(run: Any) -> None:
    outcome = run("""
open("a", "wb").write(bytes(range(256)))
open("empty", "w")
import tempfile
fd, path = tempfile.mkstemp(dir="."); os.write(fd, b"private"); os.rename(path, "mode 600")
""", outputs=["a", "empty", "mode 600"])  # fmt: skip
    assert outcome.ok and outcome.refused == {}, outcome
    assert outcome.files == {"a": bytes(range(256)), "empty": b"", "mode 600": b"private"}


def test_also_when_the_job_failed(run: Any) -> None:
    assert run("open('log', 'w').write('x'); sys.exit(1)", outputs=["log"]).files == {"log": b"x"}


def test_sparse_files_count_as_what_they_claim(run: Any) -> None:
    names = [f"f{number}" for number in range(20)]
    outcome = run(f"for name in {names!r}: open(name, 'w').truncate(6 << 20)", outputs=names, scratch_mb=8)
    assert outcome.ok and len(outcome.files) == 1 and len(outcome.refused) == 19
    assert sum(map(len, outcome.files.values())) <= 8 << 20


def test_a_folder_in_the_place_of_the_scratch(run: Any) -> None:
    outcome = run("""
attempt("rename", lambda: os.rename("/tmp", "/tmp2"))
attempt("remove", lambda: os.rmdir("/tmp"))
attempt("chmod", lambda: os.chmod("/tmp", 0))
open("/tmp/out", "w").write("x")
""", outputs=["out"])  # fmt: skip
    verdicts = {name: verdict for name, verdict, _ in told(outcome)}
    assert verdicts["rename"] == verdicts["remove"] == "refused", verdicts


def test_someone_who_changes_the_file_meanwhile(run: Any) -> None:
    """By the time we look, everybody who could is dead."""
    outcome = run("""
open("out", "w").write("first")
if os.fork() == 0:
    os.setsid()
    while True:
        for change in (lambda: os.unlink("out"), lambda: os.symlink("/proc/self/environ", "out"),
                       lambda: open("out", "w").write("second")):
            try: change()
            except OSError: pass
time.sleep(0.1)
""", outputs=["out"], processes=4)  # fmt: skip
    assert outcome.ok
    assert outcome.files.get("out", b"") in (b"", b"first", b"second")
    assert b"PATH" not in outcome.files.get("out", b"")


@pytest.mark.parametrize("name", ["a/b", "/etc/passwd", "..", ".", "", "a\0b"])
def test_a_name_that_is_none(name: str) -> None:
    with pytest.raises(ValueError, match="plain file name"):
        Job(code="pass", outputs=[name])


@pytest.mark.parametrize("name", ["/a", "../a", "a/../b", "a//b", "", "a\0b", "./a"])
def test_an_input_that_is_outside(name: str) -> None:
    with pytest.raises(ValueError, match="relative path"):
        Job(code="pass", inputs={name: b""})
