"""Which of the defects planted in the samples are found, and by which rule.

    python -m benchmarks defects [SAMPLE ...] [--only NAME ...] [--jobs N] [--json]

Each defect is one edit of a copy of a sample (`tests/samples/defects/`) that comes with a proof of its own that it
matters. It counts as found when there is a finding of severity error.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.planted import Defect, defects_of, exploitable, plant, sample_names
from envbounty.findings import Result, Severity
from envbounty.sandbox.opening import open_jail
from envbounty.verify import examine

#: Wall-clock seconds for one examination: a busy machine must not make a miss of a defect.
BUDGET_S = 1200.0


@dataclass(frozen=True)
class Outcome:
    """What became of one defect."""

    sample: str
    defect: Defect
    result: Result
    proved: bool

    @property
    def rules(self) -> list[str]:
        """The rules that found it, each once."""
        errors = (finding.rule for finding in self.result.findings if finding.severity is Severity.ERROR)
        return list(dict.fromkeys(errors))


def outcomes(
    wanted: list[tuple[str, Defect]], jobs: int, say: Callable[[Outcome], None] = lambda outcome: None
) -> list[Outcome]:
    """Plant, prove and examine each; in order. `say` is told of each as soon as it is done, from several threads."""
    with tempfile.TemporaryDirectory(prefix="envbounty-defects-") as name, open_jail("auto", jobs) as jail:
        places = [plant(sample, defect, Path(name) / str(n)) for n, (sample, defect) in enumerate(wanted)]
        # Proofs load modules under the same names, so they are made one after the other and before the threads start.
        proved = [exploitable(sample, place, defect) for (sample, defect), place in zip(wanted, places, strict=True)]

        def one(number: int) -> Outcome:
            (sample, defect), place = wanted[number], places[number]
            outcome = Outcome(sample, defect, examine(place, jail, threads=1, budget_s=BUDGET_S), proved[number])
            say(outcome)
            return outcome

        with ThreadPoolExecutor(jobs) as threads:
            return list(threads.map(one, range(len(wanted))))


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks defects", description=__doc__.splitlines()[0])
    parser.add_argument("samples", nargs="*", metavar="SAMPLE", help="all of them by default")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME", help="defects of these names alone")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="for a program to read")
    options = parser.parse_args(argv)
    started = time.monotonic()
    wanted = [
        (sample, defect)
        for sample in options.samples or sample_names()
        for defect in defects_of(sample)
        if not options.only or defect.name in options.only
    ]

    def say(one: Outcome) -> None:
        said = ", ".join(one.rules) or f"MISSED ({one.result.verdict.value}: {one.result.reason})"
        seconds = f"{one.result.stats.seconds:5.1f} s"
        proof = "" if one.proved else "  NO PROOF"
        print(f"{one.sample:20} {one.defect.name:26} row {one.defect.row:2}  {seconds}  {said}{proof}", flush=True)

    found = outcomes(wanted, options.jobs, (lambda one: None) if options.json else say)
    table: dict[str, Any] = {}
    for sample in dict.fromkeys(sample for sample, _ in wanted):
        mine = [one for one in found if one.sample == sample]
        missed = [one.defect.name for one in mine if not one.rules]
        table[sample] = {
            "defects": len(mine),
            "found": len(mine) - len(missed),
            "missed": missed,
            "unproved": [one.defect.name for one in mine if not one.proved],
            "seconds": round(sum(one.result.stats.seconds for one in mine), 1),
        }
        if not options.json:
            print(f"{sample}: {len(mine) - len(missed)} of {len(mine)} found")
    missed_in_all = sum(not one.rules for one in found)
    total = {"found": len(found) - missed_in_all, "of": len(found), "seconds": round(time.monotonic() - started, 1)}
    summary = "{found} of {of} found, {seconds} s".format(**total)
    print(json.dumps({"samples": table, **total}) if options.json else summary)
    return 1 if missed_in_all or not all(one.proved for one in found) else 0
