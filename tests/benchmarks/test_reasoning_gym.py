"""The adapter for a library of datasets with scorers, on a made-up one of the same shape."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import reasoning_gym
from benchmarks.answers import RULES, same
from benchmarks.reasoning_gym import SAME, Dataset, registry, site_packages, write
from envbounty.environment import Compare, load
from envbounty.sandbox.opening import open_jail

BASE = """
class ProceduralDataset:
    def __init__(self, config):
        self.config = config

    def score_answer(self, answer, entry):
        return 1.0 if answer == entry["answer"] else 0.0
"""
FACTORY = "DATASETS = {}\n"
INIT = "from . import arithmetic, coaching, games\n"
#: As in the real one, whoever imports the factory first goes round in a circle.
COACHING = "from reasoning_gym.dataset import ProceduralDataset\n"
SUMS = """
import dataclasses
import random

import matplotlib.pyplot as plt  # not installed: nothing is drawn here
from matplotlib.colors import ListedColormap

from ..dataset import ProceduralDataset
from ..factory import DATASETS


@dataclasses.dataclass
class Config:
    seed: int
    size: int


class Sums(ProceduralDataset):
    def __getitem__(self, index):
        draw = random.Random(self.config.seed)
        pair = draw.randrange(10**6), draw.randrange(10**6)
        return {"question": "%d + %d" % pair, "answer": str(sum(pair)), "metadata": {"pair": pair}}


class Numbers(Sums):
    '''Its scorer counts the entry's own type, which JSON would change, and takes anything but an empty text.'''

    def score_answer(self, answer, entry):
        assert type(entry["metadata"]["pair"]) is tuple
        entry["metadata"]["pair"] = None  # what it does to the entry must not reach the next call
        return 1.0 if answer else 0.0


class Plain(Sums):
    '''Another entry each time for one seed, but one that JSON can hold: it is scored as it was drawn.'''

    def __getitem__(self, index):
        one = random.randrange(10**9)
        return {"question": str(one), "answer": str(one), "metadata": {"one": one}}

    def score_answer(self, answer, entry):
        return 1.0 if answer == str(entry["metadata"]["one"]) else 0.0


class Shown(Sums):
    def __getitem__(self, index):
        entry = super().__getitem__(index)
        return {**entry, "answer": None, "metadata": {**entry["metadata"], "example_answer": entry["answer"]}}

    def score_answer(self, answer, entry):
        return 1.0 if answer == str(sum(entry["metadata"]["pair"])) else 0.0


class Unknown(Sums):
    def __getitem__(self, index):
        return {**super().__getitem__(index), "answer": None}

    def score_answer(self, answer, entry):
        return 0.0


DATASETS.update(plain=(Sums, Config), chain_sum=(Numbers, Config), shown=(Shown, Config), unknown=(Unknown, Config))
DATASETS.update(shifting=(Plain, Config))
"""
FILES = {
    "__init__.py": INIT,
    "dataset.py": BASE,
    "factory.py": FACTORY,
    "coaching/__init__.py": COACHING,
    "arithmetic/__init__.py": "from . import sums\n",
    "arithmetic/sums.py": SUMS,
    "games/__init__.py": "raise RuntimeError('slow to import: not needed for one dataset')\n",
}
MATPLOTLIB = {"pyplot.py": "", "colors.py": "class ListedColormap: pass\n", "__init__.py": ""}


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("site-packages")
    for above in (place, *place.parents[:3]):
        above.chmod(0o755)  # a job has a uid of its own
    for name, text in FILES.items():
        file = place / "reasoning_gym" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return place


def dataset(name: str, plain: bool = False) -> Dataset:
    return Dataset(name, "reasoning_gym.arithmetic.sums", plain)


def test_every_rule_is_known_and_no_dataset_has_two() -> None:
    names = [name for names in SAME.values() for name in names.split()]
    assert len(names) == len(set(names))
    for rule in SAME:
        assert rule == "exact" or any(rule == name or rule.startswith(name + " ") for name in RULES)
    assert dataset("coin_flip").same == "fraction"
    assert dataset("anything", plain=True).same == "exact"
    assert dataset("anything").same == "many"


@pytest.mark.parametrize(
    ("name", "plain", "compare"),
    [("x", True, Compare.EXACT), ("x", False, Compare.MANY), ("chain_sum", False, Compare.CUSTOM)],
)
def test_it_writes_an_environment(name: str, plain: bool, compare: Compare, tmp_path: Path) -> None:
    env = load(write(dataset(name, plain), tmp_path))
    assert env.spec.scoring.answers.compare is compare
    assert ("answers.py" in env.code) == ("def equivalent(" in env.code["environment.py"].decode())
    assert ("answers.py" in env.code) is (compare is Compare.CUSTOM)


def test_another_form_of_the_answer_is_left_open(tmp_path: Path) -> None:
    place = write(dataset("chain_sum"), tmp_path)
    text = (place / "environment.py").read_text()
    scope: dict[str, object] = {"same": same, "RULE": "numbers 0 0"}
    exec(text[text.index("def equivalent(") :], scope)
    equivalent = scope["equivalent"]
    assert callable(equivalent)
    assert equivalent({}, "1,234", "1,234") is True
    assert equivalent({}, "1,234", "1,235") is False
    with pytest.raises(ValueError, match="left open"):
        equivalent({}, "1,234", "1234")


def test_the_registry_is_read_in_the_jail(packages: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    for name, text in {**FILES, "games/__init__.py": ""}.items():
        file = whole / "reasoning_gym" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for name, text in MATPLOTLIB.items():
        (whole / "matplotlib").mkdir(exist_ok=True)
        (whole / "matplotlib" / name).write_text(text)
    for above in (whole, *whole.parents[:4]):
        above.chmod(0o755)
    with open_jail("bubblewrap", 1, packages=[whole]) as jail:
        names = [one.name for one in registry(jail)]
        assert names == ["chain_sum", "plain", "shifting", "shown", "unknown"]
        assert registry(jail)[:2] == [dataset("chain_sum"), dataset("plain", True)]
    refusal = pytest.raises(ValueError, match="cannot import reasoning_gym")
    with open_jail("bubblewrap", 1, packages=[packages]) as jail, refusal:
        registry(jail)


def test_the_whole_on_the_made_up_library(
    packages: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    datasets = [dataset(name, name == "plain") for name in ("chain_sum", "plain", "shifting", "shown", "unknown")]
    monkeypatch.setattr(reasoning_gym, "registry", lambda jail: datasets)
    assert reasoning_gym.main([str(packages), "--json"]) == 0
    out = capsys.readouterr()
    found = json.loads(out.out)
    # Neither the sound ones nor the one of which no right answer is known.
    assert found["accused"] == ["chain_sum", "shifting"]
    assert found["rules"]["generator-nondeterministic"] == 1
    assert "reference-rejected" not in found["rules"]
    assert "accepts-junk" in found["rules"]
    assert found["unexamined"] == ["unknown"]
    assert "unknown: not examined" in out.err and "plain: nothing found" in out.err
    assert "output" in out.err and "expected" in out.err


def test_it_finds_the_packages(packages: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert site_packages(packages) == packages
    venv = tmp_path / "venv/lib/python3.11/site-packages"
    (venv / "reasoning_gym").mkdir(parents=True)
    assert site_packages(tmp_path / "venv") == venv
    assert reasoning_gym.main([str(tmp_path)]) == 0
    assert "nothing to measure" in capsys.readouterr().err
