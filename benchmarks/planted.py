"""Defects planted in the samples: what each is, how it is put into a copy, and the proof that it can be exploited.

The tables are `tests/samples/defects/<sample>.py`, each with a list `DEFECTS`.
"""

from __future__ import annotations

import importlib.util
import random
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from envbounty.environment import load
from envbounty.samples import samples

TABLES = Path(__file__).resolve().parent.parent / "tests" / "samples" / "defects"
#: So many seeds at each level are tried before a proof is called none.
SEEDS = 12

Cheat = Callable[[dict[str, Any], Any], Any]  # (instance, right output) -> output
Shown = Callable[[ModuleType, ModuleType], bool]  # (sound environment.py, spoiled one) -> whether it shows


@dataclass(frozen=True)
class Defect:
    """One exact edit of one file, and what shows that it matters.

    `lets_in` gives an output that the spoiled verifier accepts and the sound one refuses; `shuts_out` one that only the
    sound verifier accepts; `shown` is a predicate over both modules, for what is no matter of one output.
    """

    name: str
    row: int  # of the catalogue of exploits
    gain: str  # what a cheater, or nobody, gains
    old: str
    new: str
    file: str = "environment.py"
    lets_in: Cheat | None = None
    shuts_out: Cheat | None = None
    shown: Shown | None = None


def sample_names() -> list[str]:
    return sorted(path.name for path in samples().iterdir() if (path / "env.yaml").is_file())


def defects_of(sample: str) -> list[Defect]:
    """The table of a sample."""
    path = TABLES / f"{sample.replace('-', '_')}.py"
    spec = importlib.util.spec_from_file_location(f"defects_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: list[Defect] = module.DEFECTS
    return found


def plant(sample: str, defect: Defect, folder: Path) -> Path:
    """A copy of the sample below `folder` with the defect in it. `ValueError` unless the edit applies exactly once."""
    place = folder / sample
    shutil.copytree(samples() / sample, place, ignore=shutil.ignore_patterns("__pycache__"))
    file = place / defect.file
    text = file.read_text(encoding="utf-8")
    if text.count(defect.old) != 1:
        raise ValueError(f"{sample}/{defect.name}: {text.count(defect.old)} places to edit in {defect.file}")
    file.write_text(text.replace(defect.old, defect.new), encoding="utf-8")
    return place


def modules_of(place: Path) -> ModuleType:
    """environment.py of one of our own samples, loaded here, with its own copies of the modules beside it."""
    names = {path.stem for path in place.glob("*.py")}
    held = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    sys.path.insert(0, str(place))
    try:
        spec = importlib.util.spec_from_file_location("environment", place / "environment.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["environment"] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(place))
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(held)
        importlib.invalidate_caches()
    return module


def instances(module: ModuleType, levels: tuple[int, int]) -> Iterator[dict[str, Any]]:
    for seed in range(SEEDS):
        for level in range(levels[0], levels[1] + 1):
            yield module.generate(random.Random(f"proof:{seed}:{level}"), level)


def _score(module: ModuleType, instance: dict[str, Any], output: Any) -> float:
    """What check() says; an exception is no acceptance."""
    try:
        return float(module.check(instance, output))
    except Exception:
        return 0.0


def exploitable(sample: str, place: Path, defect: Defect) -> bool:
    """Whether the defect's own proof holds: the sound and the spoiled environment differ as it says."""
    levels = load(samples() / sample).spec.difficulty
    sound, spoiled = modules_of(samples() / sample), modules_of(place)
    if defect.shown is not None:
        return defect.shown(sound, spoiled)
    least = load(place).spec.scoring.pass_score
    asked = load(samples() / sample).spec.scoring.pass_score
    for instance in instances(spoiled, (levels.min, levels.max)):
        right = right_answer(sample, sound, instance)
        if defect.lets_in is not None:
            output = defect.lets_in(instance, right)
            if _score(spoiled, instance, output) >= least and _score(sound, instance, output) < asked:
                return True
        elif defect.shuts_out is not None:
            output = defect.shuts_out(instance, right)
            if _score(spoiled, instance, output) < least and _score(sound, instance, output) >= asked:
                return True
    return False


def right_answer(sample: str, sound: ModuleType, instance: dict[str, Any]) -> Any:
    """The reference's answer: of the oracle, or of solutions/reference.py beside it."""
    if hasattr(sound, "reference"):
        return sound.reference(instance)
    place = samples() / sample
    sys.path.insert(0, str(place))
    names = {path.stem for path in place.glob("*.py")}
    try:
        spec = importlib.util.spec_from_file_location("reference", place / "solutions" / "reference.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.solve(instance)
    finally:
        sys.path.remove(str(place))
        for name in names:
            sys.modules.pop(name, None)
