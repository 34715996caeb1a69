"""Extra packages in the jail: none unless they are named, and then to be read and imported, never to be changed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from envbounty.sandbox import opening
from envbounty.sandbox.bubblewrap import Bubblewrap, mounts, packages_inside
from envbounty.sandbox.job import JailUnavailable, Job, Limits, Outcome
from envbounty.sandbox.opening import open_jail, prove
from envbounty.sandbox.pool import Pool

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap needs Linux")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two packages: one of its own name, and one that would stand in for a module of the standard library."""
    place = tmp_path_factory.mktemp("packages")
    for above in (place, *place.parents[:3]):
        above.chmod(0o755)  # a job has a uid of its own
    (place / "greeting").mkdir()
    (place / "greeting/__init__.py").write_text("WORDS = 'hello'\n")
    (place / "colorsys.py").write_text("SHADOW = True\n")
    return place


@pytest.fixture(scope="module")
def with_packages(folder: Path) -> Iterator[Pool]:
    with Pool(Bubblewrap(packages=[folder]), 1) as pool:
        yield pool


def said(pool: Pool, code: str, **limits: int) -> object:
    outcome = pool.run(Job(code=f"import json, os\nsaid = None\n{code}\nos.write(RESULT, json.dumps(said).encode())",
                           limits=Limits(**limits)))  # fmt: skip
    assert outcome.ok, outcome.stderr.decode()
    return json.loads(outcome.result)


TRY_IMPORT = "try:\n    import greeting; said = greeting.WORDS\nexcept ImportError: said = 'not there'"


def test_they_can_be_imported_where_they_are_named(with_packages: Pool) -> None:
    assert said(with_packages, TRY_IMPORT) == "hello"


def test_nothing_is_there_unless_it_is_named(folder: Path) -> None:
    with Pool(Bubblewrap(), 1) as pool:
        assert said(pool, TRY_IMPORT) == "not there"
        assert said(pool, f"said = [os.path.exists('/packages'), os.path.exists({str(folder)!r})]") == [False, False]


def test_they_cannot_stand_in_for_the_standard_library(with_packages: Pool) -> None:
    assert said(with_packages, "import colorsys; said = hasattr(colorsys, 'SHADOW')") is False


def test_they_cannot_be_changed(with_packages: Pool) -> None:
    code = """
said = []
for path in ("/packages/0/new.py", "/packages/new.py", "/packages/0/greeting/__init__.py"):
    try:
        open(path, "a").close(); said.append(path)
    except OSError: pass
"""
    assert said(with_packages, code) == []


def test_what_a_job_sees_does_not_depend_on_where_they_are(with_packages: Pool, folder: Path) -> None:
    code = "import sys, greeting; said = [sys.path, greeting.__file__, dict(os.environ)]"
    assert str(folder) not in json.dumps(said(with_packages, code))


def test_a_python_that_a_job_starts_has_them_too(with_packages: Pool) -> None:
    code = """
import subprocess, sys
done = subprocess.run([sys.executable, "-c", "import greeting; print(greeting.WORDS)"], capture_output=True, text=True)
said = done.stdout.strip() or done.stderr
"""
    assert said(with_packages, code, processes=8) == "hello"


def test_the_jail_still_holds(with_packages: Pool) -> None:
    prove(with_packages)


def test_each_folder_has_a_place_of_its_own() -> None:
    line = mounts("/usr/bin/python3", [Path("/one"), Path("/two")])
    for host, inside in (("/one", "/packages/0"), ("/two", "/packages/1")):
        at = line.index(inside)
        assert line[at - 2 : at + 1] == ["--ro-bind", host, inside]
    assert packages_inside(0) == []
    assert "/packages" not in mounts("/usr/bin/python3")


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "absent", tmp_path / "file"):
        with pytest.raises(ValueError, match="no folder of packages"):
            Bubblewrap(packages=[path])


def test_a_container_has_the_packages_of_its_image(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> Outcome:
        raise AssertionError("something ran")

    monkeypatch.setattr(opening, "Docker", never)
    with pytest.raises(JailUnavailable, match="install them there"):
        open_jail("docker", packages=[folder])


def test_open_jail_hands_them_on(folder: Path) -> None:
    with open_jail("bubblewrap", 1, packages=[folder]) as pool:
        assert said(pool, TRY_IMPORT) == "hello"
