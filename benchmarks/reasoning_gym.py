"""The datasets of the PyPI package `reasoning-gym`, each as an environment of kind `answer`: which scorers are faulty?

    python -m benchmarks reasoning_gym PACKAGES [--limit N] [--only NAME ...] [--json] [--jobs N]

PACKAGES is the `site-packages` of an interpreter in which `reasoning-gym` 0.1.25 is installed, of the same version of
Python as the jail's. The package is Apache-2.0; nothing of it is in this project, and none of its code runs outside the
jail, which sees that one folder, read-only.

An instance is drawn by the dataset itself from a seed. Where JSON would change the types in its entry, `check` draws it
again, so that the scorer gets its own; it calls `score_answer` on the text without white space around it, as the
library's own `extract_answer` hands it over. The reference is the answer that the dataset gives.

There is no key here: an accusation must convince whoever reads it. So each comes with its evidence, and what counts as
the same answer is declared below, for each dataset whose question leaves only one. A dataset that keeps the scorer of
the base class has, in its own documentation's words, a single right answer.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from envbounty.findings import Finding, Result, Severity
from envbounty.sandbox import Jail, Job, Limits
from envbounty.sandbox.opening import open_jail
from envbounty.verify import examine_all
from envbounty.verify.rules import RULES

PACKAGE = "reasoning_gym"
ACCUSED, CLEAN, UNEXAMINED = "accused", "nothing found", "not examined"
#: Run in the jail: what there is, without a line of it running here.
REGISTRY = """
import json, os, warnings
warnings.simplefilter("ignore")
import reasoning_gym
from reasoning_gym.dataset import ProceduralDataset
from reasoning_gym.factory import DATASETS
rows = [[name, kind.__module__, kind.score_answer is ProceduralDataset.score_answer]
        for name, (kind, _) in sorted(DATASETS.items())]
os.write(RESULT, json.dumps(rows).encode())
"""

#: How a dataset's answers are held against each other, where its question leaves one answer. The rest: `many`. By all
#: of them an answer is wrong only where it says something else; another way to write the same is left open.
#: `numbers ABS REL`: the same numbers in the same order, each within either tolerance; whatever words are around them.
SAME = {
    "exact": """ab arc_agi binary_matrix calendar_arithmetic circuit_logic color_cube_rotation dice emoji_mystery
        family_relationships figlet_font game_of_life_halting letter_jumble manipulate_matrix needle_haystack path_star
        rearc rectangle_count self_reference spell_backward spiral_matrix string_insertion tsumego zebra_puzzles""",
    "numbers 0 0": "chain_sum decimal_chain_sum fraction_simplification futoshiki mini_sudoku products sudoku "
    "survo time_intervals",
    "numbers 0.01 0": "advanced_geometry number_format number_sorting complex_arithmetic",
    "numbers 0.001 0.01": "power_function",
    "numbers 0.00001 0": "decimal_arithmetic",
    "numbers 0.02 0.02": "pool_matrix",
    "some order 0.01 0.001": "polynomial_equations prime_factorization",
    "one number": "gsm_symbolic",
    "fraction": "coin_flip",
    "hexadecimal": "bitwise_arithmetic",
    "json": "game_of_life",
    "words": "sentence_reordering word_sorting",
    "arithmetic": "countdown puzzle24",
    "palindrome": "palindrome_generation",
}
#: Where a dataset leaves `answer` empty and shows one that is right elsewhere.
SHOWN = ("example_answer", "example_correct_answer", "possible_answer")
#: What says something about how this adapter wraps a dataset, and nothing about its scorer. The reference fails where a
#: dataset gives no right answer.
WRAPPING = {"import-fails", "reference-fails"}


@dataclass(frozen=True)
class Dataset:
    name: str
    module: str
    plain: bool  # it keeps the scorer of the base class: equal texts

    @property
    def environment(self) -> str:
        return "rg-" + self.name.replace("_", "-")

    @property
    def same(self) -> str:
        """The rule by which two answers are the same; `many` where several may be right."""
        if self.plain:
            return "exact"
        return next((rule for rule, names in SAME.items() if self.name in names.split()), "many")


#: Imports the one module that is needed, since every jail starts from nothing and all of them take two seconds; and
#: spares it matplotlib, which one dependency imports to draw and which would look for fonts each time.
ENVIRONMENT = '''"""The dataset {name} of reasoning-gym, as it is installed."""

import copy
import importlib
import importlib.machinery
import importlib.util
import json
import os
import sys
import types
import warnings

from answers import same

os.environ["OPENBLAS_NUM_THREADS"] = "1"
warnings.simplefilter("ignore")
NAME, MODULE, RULE, SHOWN = {name!r}, {module!r}, {rule!r}, {shown!r}
DRAWING, USED = ("matplotlib", "mpl_toolkits"), ("coaching", "data")


class Undrawn:
    """Finds an empty module for everything of matplotlib."""

    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name.split(".")[0] in DRAWING else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__path__ = []
        module.__getattr__ = lambda name: self.lack(name)

    def lack(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return object


def parts():
    """The dataset's class and its configuration's."""
    sys.meta_path.insert(0, Undrawn())
    top = importlib.util.find_spec("{package}").submodule_search_locations[0]
    folders = sorted(entry.name for entry in os.scandir(top) if entry.is_dir() and entry.name.isidentifier())
    empty = ["{package}", *("{package}." + name for name in folders if name not in USED and name[0] != "_")]
    for first in ((), ("{package}.coaching",)):  # a few modules import each other in a circle, whose way in this is
        for name in [name for name in sys.modules if name.split(".")[0] == "{package}"]:
            del sys.modules[name]
        for package in empty:
            sys.modules[package] = types.ModuleType(package)
            sys.modules[package].__path__ = [os.path.join(os.path.dirname(top), *package.split("."))]
        try:
            for name in (*first, MODULE, "{package}.factory"):
                importlib.import_module(name)
            return sys.modules["{package}.factory"].DATASETS[NAME]
        except ImportError as error:
            problem = error
    raise problem


KIND, CONFIG = parts()
drawn = {{}}


def more():
    if NAME == "composite":
        for part in ("arithmetic.chain_sum", "algorithmic.caesar_cipher"):
            importlib.import_module("{package}." + part)
        spec = importlib.import_module("{package}.composite").DatasetSpec
        return {{"datasets": [spec(name=name, weight=1, config={{}}) for name in ("chain_sum", "caesar_cipher")]}}
    return {{}}


def draw(seed):
    """The dataset for a seed, and its first entry."""
    if seed not in drawn:
        if len(drawn) > 50:
            drawn.clear()
        dataset = KIND(CONFIG(seed=seed, size=1, **more()))
        drawn[seed] = dataset, dataset[0]
    return drawn[seed]


def answer_of(entry):
    answer = entry["answer"]
    for key in SHOWN:
        if answer is None:
            answer = entry["metadata"].get(key)
    return answer if answer is None or isinstance(answer, str) else json.dumps(answer)


def plain(entry):
    """Whether JSON gives back exactly this."""
    try:
        return repr(json.loads(json.dumps(entry))) == repr(entry)
    except (TypeError, ValueError):
        return False


def generate(rng, difficulty):
    seed = rng.randrange(1 << 31)
    entry = draw(seed)[1]
    shown = {{"question": entry["question"], "answer": answer_of(entry), "seed": seed}}
    return {{**shown, "entry": entry}} if plain(entry) else shown


def check(instance, output):
    if "entry" in instance:
        dataset, entry = KIND(CONFIG(seed=instance["seed"], size=1, **more())), instance["entry"]
    else:
        dataset, entry = draw(instance["seed"])
    score = dataset.score_answer(output.strip() if isinstance(output, str) else output, copy.deepcopy(entry))
    return score.item() if hasattr(score, "item") else score


def equivalent(instance, a, b):
    if a != b and same(RULE, a, b):
        raise ValueError("the same in another form: whether it must be accepted is left open")
    return a == b
'''

#: Sent along as a module of the environment. Tested here as well.
ANSWERS = (Path(__file__).parent / "answers.py").read_text()
REFERENCE = "def solve(instance):\n    return instance['answer']\n"


def registry(jail: Jail) -> list[Dataset]:
    """The datasets that are installed. `ValueError` when the jail cannot import the package."""
    outcome = jail.run(Job(code=REGISTRY, limits=Limits(wall_s=120, cpu_s=120, memory_mb=4096)))
    if not outcome.ok:
        words = outcome.stderr.decode(errors="replace").strip().splitlines()
        raise ValueError(f"the jail cannot import {PACKAGE}: {words[-1] if words else outcome.detail}")
    return [Dataset(*row) for row in json.loads(outcome.result)]


def write(dataset: Dataset, folder: Path) -> Path:
    """The dataset as an environment below `folder`. Returns its directory."""
    place = folder / dataset.environment
    (place / "solutions").mkdir(parents=True)
    rule = dataset.same
    spec = {
        "schema": 1,
        "name": dataset.environment,
        "version": "1.0.0",
        "kind": "answer",
        "title": f"The dataset {dataset.name} of reasoning-gym",
        "authors": [{"name": "reasoning-gym"}],
        "licence": "Apache-2.0",
        "difficulty": {"min": 1, "max": 1},
        "limits": {"check_s": 20},  # some draw for long, and this machine may be busy
        "scoring": {"answers": {"compare": rule if rule in ("exact", "many") else "custom"}},
        "seeds": {"train": {"first": 0, "count": 100_000}, "test": {"first": 1_000_000, "count": 1000}},
    }
    (place / "env.yaml").write_text(yaml.safe_dump(spec, sort_keys=False))
    (place / "task.md").write_text("{{ question }}\n")
    text = ENVIRONMENT.format(name=dataset.name, module=dataset.module, rule=rule, shown=SHOWN, package=PACKAGE)
    if rule in ("exact", "many"):
        text = text[: text.index("\n\ndef equivalent(")].replace("from answers import same\n\n", "")
    else:
        (place / "answers.py").write_text(ANSWERS)
    (place / "environment.py").write_text(text)
    (place / "solutions/reference.py").write_text(REFERENCE)
    return place


class Teller:
    """Says what was found in each dataset as soon as it is known. Called from several threads."""

    def __init__(self, datasets: list[Dataset], say: Any) -> None:
        self.of = {dataset.environment: dataset for dataset in datasets}
        self.say, self.lock = say, threading.Lock()

    def __call__(self, result: Result) -> None:
        dataset = self.of[result.environment.name]
        with self.lock:
            self.say(f"{dataset.name}: {verdict_on(result)} in {result.stats.seconds:.1f} s (answers: {dataset.same})")
            if verdict_on(result) == UNEXAMINED:
                words = " ".join(one.message for one in result.findings) or result.reason
                self.say(f"  {' '.join(words.split())[:300]}")
            for one in (*accusations(result), *crashes(result)):
                self.say(f"  {one.rule}: {one.message}")
                for name in ("seed", "expected", "output", "score", "detail"):
                    value = getattr(one.evidence, name, None)
                    if value is not None:
                        self.say(f"      {name:9}{' '.join(str(value).split())[:160]}")


def measure(packages: Path, only: list[str], limit: int | None, jobs: int, say: Any) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory(prefix="envbounty-bench-") as folder,
        open_jail("auto", jobs, packages=[packages]) as jail,
    ):
        found = [one for one in registry(jail) if not only or one.name in only][:limit]
        places = [write(one, Path(folder)) for one in found]
        started = time.monotonic()
        report = examine_all(places, jail, jobs=jobs, finished=Teller(found, say))
        seconds = time.monotonic() - started
    return totals(found, list(report.results), seconds, say)


def accusations(result: Result) -> list[Finding]:
    """What is held against the dataset. One that draws other entries each time is not judged by what it draws again."""
    found = [
        one
        for one in result.findings
        if one.severity is Severity.ERROR
        and one.rule not in WRAPPING
        and (one.rule not in RULES or RULES[one.rule].phase not in ("contract", "provenance"))
    ]
    shifting = [one for one in found if one.rule == "generator-nondeterministic"]
    return shifting or found


def crashes(result: Result) -> list[Finding]:
    """A scorer that raises on a text is no accusation, since that may be counted as 0; it is told all the same."""
    return [one for one in result.findings if one.rule == "verifier-raises" and one.severity is not Severity.ERROR]


def verdict_on(result: Result) -> str:
    """What can be said of a dataset: accused, nothing found once all was tried, or not examined to the end."""
    if accusations(result):
        return ACCUSED
    passed = result.verdict == "pass" or (result.verdict == "fail" and result.halted is None)
    return CLEAN if passed else UNEXAMINED


def totals(datasets: list[Dataset], results: list[Result], seconds: float, say: Any) -> dict[str, Any]:
    """The counts, said and as an object."""
    verdicts = Counter(map(verdict_on, results))
    rules = Counter(rule for result in results for rule in {one.rule for one in accusations(result)})
    named = {
        verdict: [one.name for one, result in zip(datasets, results, strict=True) if verdict_on(result) == verdict]
        for verdict in (ACCUSED, UNEXAMINED)
    }
    said = ", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common())
    say(f"\n{len(datasets)} datasets in {seconds:.0f} s, {seconds / max(1, len(datasets)):.1f} s each: {said}")
    for verdict, names in named.items():
        say(f"{verdict}: {' '.join(names) or '-'}")
    for rule, count in rules.most_common():
        say(f"  {rule:28}{count}")
    raising = [one.name for one, result in zip(datasets, results, strict=True) if crashes(result)]
    say(f"raises on some text: {' '.join(raising) or '-'}")
    return {
        "datasets": len(datasets),
        "accused": named[ACCUSED],
        "unexamined": named[UNEXAMINED],
        "rules": dict(rules),
        "raises": raising,
        "seconds": round(seconds, 1),
    }


def site_packages(path: Path) -> Path | None:
    """The folder below `path` (a site-packages, or a virtual environment) that holds the package; None for none."""
    places = [path, *sorted(path.glob("lib/python3*/site-packages"))]
    return next((place for place in places if (place / PACKAGE).is_dir()), None)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks reasoning_gym", description=__doc__.splitlines()[0])
    parser.add_argument("packages", type=Path, help="where reasoning-gym is installed: a site-packages or its venv")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args(argv)
    packages = site_packages(options.packages)
    if packages is None:
        print(f"{options.packages} holds no {PACKAGE}: nothing to measure", file=sys.stderr)
        return 0
    out = sys.stderr if options.json else sys.stdout
    try:
        found = measure(
            packages, options.only, options.limit, options.jobs, lambda line: print(line, file=out, flush=True)
        )
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(found))
    return 0
