"""Where the actions and workflows that a job uses are taken from: nothing here is fetched from anywhere else."""

from __future__ import annotations

import io
import shutil
import tarfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from localhub.actions.plan import Broken, Source, used_by

if TYPE_CHECKING:
    from localhub.runs import Run

HERE = Path(__file__).resolve().parent
STAND_INS = {
    "actions/checkout": "checkout",
    "actions/upload-artifact": "upload-artifact",
    "actions/download-artifact": "download-artifact",
    "github/codeql-action": "codeql-action",
}


@dataclass(frozen=True)
class Mirror:
    """A folder that stands for a repository of actions, at whichever commit it is asked for. Only `paths` are taken."""

    root: Path
    paths: tuple[str, ...] = ("actions", ".github/workflows")


class Places:
    """The mirrors, the stand-ins, and a run's own repository. Safe to use from several threads."""

    def __init__(self, mirrors: Mapping[str, Mirror], folder: Path) -> None:
        """`folder` is where the mirrors' copies are kept."""
        self._mirrors, self._folder = dict(mirrors), folder
        self._staged: dict[str, Path] = {}
        self._lock = threading.Lock()

    def mapped(self, text: str, run: Run, folder: Path) -> list[str]:
        """`--local-repository` for every action that the workflow uses, and that those use. Raises `Broken`."""
        places: dict[tuple[str, str], Path] = {}
        waiting = used_by(text)
        while waiting:
            repository, ref = found = waiting.pop()
            if found in places:
                continue
            places[found] = self._place(repository, ref, run, folder)
            for file in places[found].glob("**/action.y*ml"):
                waiting |= used_by(file.read_text(encoding="utf-8")) - set(places)
        return [f"{repository}@{ref}={place}" for (repository, ref), place in places.items()]

    def _place(self, repository: str, ref: str, run: Run, folder: Path) -> Path:
        if repository in STAND_INS:
            return HERE / "standins" / STAND_INS[repository]
        if repository in self._mirrors:
            return self._stage(repository)
        if repository == run.repo.full_name:
            place = folder / "own" / ref.replace("/", "_")
            if not place.exists():
                archive = run.repo.git.run("archive", "--format=tar", ref)
                with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
                    _unpack(packed, place)
            return place
        raise Broken(f"there is nothing to stand for {repository}@{ref}")

    def _stage(self, repository: str) -> Path:
        """A copy of a mirror: act copies the whole folder for every step, and a checkout holds a lot more."""
        with self._lock:
            if repository not in self._staged:
                mirror = self._mirrors[repository]
                place = self._folder / repository
                for path in mirror.paths:
                    _copy(mirror.root / path, place / path)
                self._staged[repository] = place
            return self._staged[repository]

    def read(self, called: Source, run: Run) -> str:
        """The text of a called workflow's file. Raises `Broken`."""
        if called.repo in self._mirrors:
            file = self._mirrors[called.repo].root / called.path
            if file.is_file():
                return file.read_text(encoding="utf-8")
        elif called.repo == run.repo.full_name:
            found = run.repo.git.run("cat-file", "blob", f"{called.ref}:{called.path}", ok=False)
            if found:
                return found.decode("utf-8", "replace")
        raise Broken(f"workflow was not found: {called.name}")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy2(source, target)


def _unpack(packed: tarfile.TarFile, place: Path) -> None:
    """Files and folders alone, and none outside `place`: Python before 3.11.4 has no filter that sees to this."""
    place.mkdir(parents=True)
    root = place.resolve()
    for member in packed:
        target = (place / member.name).resolve()
        if not target.is_relative_to(root):
            raise Broken(f"the repository holds a file that would lie outside of it: {member.name[:100]}")
        if member.isdir():
            target.mkdir(parents=True, exist_ok=True)
        elif member.isfile() and (content := packed.extractfile(member)) is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content.read())
            target.chmod(0o755 if member.mode & 0o100 else 0o644)
