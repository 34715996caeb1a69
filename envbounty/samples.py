"""The whole main job on one screen: the samples, and a copy of each whose verifier was broken on purpose."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from envbounty.environment import find_environments
from envbounty.findings import Result, Severity, Verdict
from envbounty.progress import Bars
from envbounty.sandbox.pool import Pool
from envbounty.verify import examine_all


@dataclass(frozen=True)
class Defect:
    """A hole as it is found in the wild, and the code that makes it: put behind a sound verifier."""

    name: str
    code: str


#: Each is a mistake that people make; each sample gets the next one.
DEFECTS = (
    Defect(
        "pays whatever is not empty",
        "def check(instance, output, sound=check):\n    return 1.0 if output else 0.0\n",
    ),
    Defect(
        "pays when judging raises",
        "def check(instance, output, sound=check):\n"
        "    try:\n"
        "        assert sound(instance, output) == 1.0 or len(output) > 40\n"
        "    except TypeError:\n"
        "        return 1.0\n"
        "    except AssertionError:\n"
        "        return 0.0\n"
        "    return 1.0\n",
    ),
    Defect(
        "looks at the wrong instance",
        "_seen = []\n\n\n"
        "def check(instance, output, sound=check):\n"
        "    _seen.append(instance)\n"
        "    return max(sound(one, output) for one in _seen[-4:])\n",
    ),
    Defect(
        "rewards more than 1",
        "def check(instance, output, sound=check):\n    return 2.0 * sound(instance, output)\n",
    ),
    Defect(
        "tosses a coin",
        "import random\n\n\n"
        "def check(instance, output, sound=check):\n"
        "    return sound(instance, output) if random.random() < 0.9 else 0.0\n",
    ),
    Defect(
        "refuses right answers in another form",
        "def check(instance, output, sound=check):\n"
        "    return sound(instance, output) if len(str(output)) % 3 else 0.0\n",
    ),
)


def samples() -> Path:
    """Where the sample environments are: beside the package in a checkout, inside it when installed."""
    package = Path(__file__).parent
    inside = package / "_samples"
    return inside if inside.is_dir() else package.parent / "environments"


def break_copy(sample: Path, folder: Path, defect: Defect) -> Path:
    """A copy of `sample` in `folder` whose verifier has `defect`."""
    copy = folder / sample.name
    shutil.copytree(sample, copy)
    with (copy / "environment.py").open("a", encoding="utf-8") as file:
        file.write("\n\n" + defect.code)
    return copy


def run(jail: Pool, jobs: int) -> int:
    """Run it and print the table. 0 when every sound sample passed and every broken copy was caught, else 1."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console()
    originals = find_environments([samples()])
    console.print(
        f"Verifying {len(originals)} sample environments, and a copy of each with a broken verifier.\n"
        f"Untrusted code runs in: {jail.name} ({jail.backend.detail})\n",
        markup=False,
    )
    with tempfile.TemporaryDirectory(prefix="envbounty-samples-") as folder:
        planted = [DEFECTS[index % len(DEFECTS)] for index in range(len(originals))]
        copies = [break_copy(path, Path(folder), defect) for path, defect in zip(originals, planted, strict=True)]
        with Bars(2 * len(originals)) as bars:
            report = examine_all([*originals, *copies], jail, jobs=jobs, progress=bars.step, finished=bars.finished)
    sound, broken = report.results[: len(originals)], report.results[len(originals) :]
    table = Table(title="What became of them", title_justify="left")
    for column in ("environment", "its verifier", "verdict", "found", "seconds"):
        table.add_column(
            column, justify="right" if column == "seconds" else "left", no_wrap=column == "environment", overflow="fold"
        )
    rows = [(result, "sound", Verdict.PASS) for result in sound]
    rows += [(result, defect.name, Verdict.FAIL) for result, defect in zip(broken, planted, strict=True)]
    wrong = 0
    for result, what, wanted in rows:
        as_wanted = result.verdict is wanted
        wrong += not as_wanted
        style = ("green" if wanted is Verdict.PASS else "cyan") if as_wanted else "bold red"
        verdict = Text(result.verdict if as_wanted else f"{result.verdict} (!)", style=style)
        table.add_row(result.environment.name, what, verdict, Text(found(result)), f"{result.stats.seconds:.1f}")
    console.print(table)
    if wrong:
        console.print(f"{wrong} of {len(rows)} came out otherwise than they should.", style="bold red")
        return 1
    me = "envbounty" if shutil.which("envbounty") else ".venv/bin/envbounty"
    console.print(
        f"All {len(sound)} sound verifiers passed, all {len(broken)} broken ones were caught.\n"
        f"Start your own: {me} new my-first-task --kind function, then {me} verify environments/my-first-task",
        markup=False,
    )
    return 0


def found(result: Result) -> str:
    """The first rules that were broken, or why there is no verdict."""
    rules = list(dict.fromkeys(finding.rule for finding in result.findings if finding.severity is Severity.ERROR))
    if rules:
        return ", ".join(rules[:2]) + (f" and {len(rules) - 2} more" if len(rules) > 2 else "")
    return "" if result.verdict is Verdict.PASS else result.reason
