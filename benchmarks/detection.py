"""How many faulty graders are found, and how many sound ones are accused.

    python -m benchmarks detection CORPUS [--limit N] [--json] [--jobs N]

The answer key only scores what was said; nothing of it reaches the tool. Of the graders' format, each row is faulty,
and the sound twin is built from the key. Of EvalPlus's format it is not known which graders are faulty: each accused
grader is held against `plus_input` (does the accepted program differ from the reference there?), which proves or
refutes it.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.corpora import Row, rows_of, write_all
from envbounty.environment import load
from envbounty.environment.spec import Answers, Compare
from envbounty.findings import Result, Severity, Verdict
from envbounty.sandbox.opening import open_jail
from envbounty.sandbox.pool import Pool
from envbounty.verify import examine_all
from envbounty.verify.bench import Bench
from envbounty.verify.rules import RULES
from envbounty.verify.spread import wilson
from envbounty.verify.values import same

#: These say that a grader could not be used as it is, not that it accepts what is wrong.
UNUSABLE = {"reference-rejected", "import-fails", "contract-broken"}

#: These say that a wrong program passed for want of tests; all others need a submission that plays a trick.
WEAK = {"accepts-wrong-program", "tests-are-examples"}


def accusations(result: Result) -> list[str]:
    """The rules by which a grader was shown to be faulty. That one row resembles another is no fault of a grader."""
    return [rule for rule in errors(result) if rule not in UNUSABLE]


def errors(result: Result) -> list[str]:
    """The rules of all errors but those of provenance: rows of a corpus are alike, as are twins."""
    found = [finding.rule for finding in result.findings if finding.severity is Severity.ERROR]
    return [rule for rule in found if rule not in RULES or RULES[rule].phase != "provenance"]


def settled(result: Result) -> bool:
    """Whether there is a usable verdict: nothing against the grader once all was tried, or an accusation."""
    alike = result.verdict is Verdict.FAIL and result.halted is None and not errors(result)
    return result.verdict is Verdict.PASS or alike or bool(accusations(result))


def programs(result: Result, rules: Collection[str]) -> list[str]:
    """The accepted programs that the accusations by `rules` show."""
    return [
        finding.evidence.submission
        for finding in result.findings
        if finding.severity is Severity.ERROR and finding.rule in rules
        if finding.evidence is not None and finding.evidence.submission
    ]


def refuted(row: Row, result: Result, place: Path, jail: Pool) -> bool | None:
    """Whether `plus_input` shows no difference between an accepted program and the reference; None: it says nothing."""
    return disproved(row, programs(result, accusations(result)), place, jail)


def disproved(row: Row, texts: Sequence[str], place: Path, jail: Pool) -> bool | None:
    """Whether all of `texts` agree with the reference on `plus_input`; None where there is nothing to compare."""
    return not any(parted(row, texts, place, jail)) if row.plus_input and texts else None


def parted(row: Row, texts: Sequence[str], place: Path, jail: Pool) -> Iterator[bool]:
    """For each of `texts`, whether it parts from the reference on `plus_input`."""
    bench = Bench(load(place), jail, budget_s=600)
    calls: list[tuple[list[Any], dict[str, Any]]] = [(list(given), {}) for given in row.plus_input[:1000]]
    expected = bench.call(row.reference, calls, loose=True)
    loose = Answers(compare=Compare.TOLERANCE, abs_tol=max(row.atol, 1e-6), rel_tol=1e-6)
    for text in texts:
        got = bench.call(text, calls, loose=True)
        yield any(
            right.fault is None and (mine.fault is not None or same(right.value, mine.value, loose) is False)
            for right, mine in zip(expected, got, strict=True)
        )


def measure(corpus: Path, limit: int | None, jobs: int, say: Any) -> dict[str, Any]:
    rows = rows_of(corpus, limit)
    with tempfile.TemporaryDirectory(prefix="envbounty-bench-") as folder:
        written = list(write_all(rows, Path(folder)))
        started = time.monotonic()
        with open_jail("auto", jobs) as jail:
            report = examine_all([place for _, place in written], jail, jobs=jobs)
            seconds = time.monotonic() - started
            # Before the key is looked at: what it takes to score is no cost of the tool.
            peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            proofs = {
                row.name: refuted(row, result, place, jail)
                for (row, place), result in zip(written, report.results, strict=True)
                if row.faulty is None and accusations(result)
            }
            weak = {
                row.name: list(parted(row, programs(result, WEAK), place, jail))
                for (row, place), result in zip(written, report.results, strict=True)
                if row.faulty is None and row.plus_input and programs(result, WEAK)
            }
    pairs = list(zip(rows, report.results, strict=True))
    faulty = [(row, result) for row, result in pairs if row.faulty]
    sound = [(row, result) for row, result in pairs if row.faulty is False]
    unknown = [(row, result) for row, result in pairs if row.faulty is None]
    caught = sum(bool(accusations(result)) for _, result in faulty)
    accused = [row.name for row, result in sound if accusations(result)]
    open_ones = [(row, result) for row, result in pairs if not settled(result)]
    _table(say, faulty, sound, unknown, caught, accused, open_ones, proofs, weak, seconds, peak_mb)
    return {
        "corpus": corpus.name,
        "n_faulty": len(faulty),
        "n_sound": len(sound),
        "caught": caught if faulty else sum(bool(accusations(result)) for _, result in unknown),
        "recall": round(caught / len(faulty), 4) if faulty else None,
        "false_accusations": len(accused) if sound or faulty else sum(value is True for value in proofs.values()),
        "inconclusive": len(open_ones),
        "proved": sum(value is False for value in proofs.values()),
        "refuted": sum(value is True for value in proofs.values()),
        "seconds": round(seconds, 2),
        "per_environment_s": round(seconds / max(1, len(rows)), 3),
    }


def _table(
    say: Any,
    faulty: list[tuple[Row, Result]],
    sound: list[tuple[Row, Result]],
    unknown: list[tuple[Row, Result]],
    caught: int,
    accused: list[str],
    open_ones: list[tuple[Row, Result]],
    proofs: dict[str, bool | None],
    weak: dict[str, list[bool]],
    seconds: float,
    peak_mb: float,
) -> None:
    if faulty:
        low, high = wilson(caught, len(faulty))
        say(f"recall             {caught}/{len(faulty)} = {caught / len(faulty):.2f}  (95 % {low:.2f} to {high:.2f})")
        groups: dict[str, list[bool]] = defaultdict(list)
        for row, result in faulty:
            groups[row.group].append(bool(accusations(result)))
        for group, hits in sorted(groups.items()):
            say(f"  {group:36} {sum(hits)}/{len(hits)}")
    if sound:
        low, high = wilson(len(accused), len(sound))
        share = len(accused) / len(sound)
        bounds = f"(95 % {low:.2f} to {high:.2f})"
        say(f"false accusations  {len(accused)}/{len(sound)} = {share:.2f}  {bounds}  {' '.join(accused)}")
    if unknown:
        found = [row.name for row, result in unknown if accusations(result)]
        wrong = [name for name, value in proofs.items() if value is True]
        right = [name for name, value in proofs.items() if value is False]
        say(f"shown faulty       {len(found)}/{len(unknown)}: {len(right)} proved by plus_input, {len(wrong)} refuted")
        say(f"  by weak tests alone: {sum(bool(programs(result, WEAK)) for _, result in unknown)}/{len(unknown)}")
        if weak:
            shown = [one for ones in weak.values() for one in ones]
            never = [name for name, ones in weak.items() if not any(ones)]
            say(
                f"    {len(shown)} wrong programs in {len(weak)} of them held against plus_input: {sum(shown)} proved; "
                f"not one proved in {len(never)} {' '.join(never)}"
            )
    for what, group in (("faulty", faulty), ("sound", sound), ("unknown", unknown)):
        by_rule = Counter(rule for _, result in group for rule in set(accusations(result)))
        for rule, count in by_rule.most_common():
            say(f"  {what} by {rule:28} {count}")
    total = len(faulty) + len(sound) + len(unknown)
    say(f"inconclusive       {len(open_ones)}/{total}")
    for row, result in open_ones:
        rules = ",".join(sorted({finding.rule for finding in result.findings}))
        say(f"  {row.name}: {result.verdict} {rules} {result.reason[:160]}")
    verdicts: dict[str, int] = defaultdict(int)
    for _, result in [*faulty, *sound, *unknown]:
        verdicts[result.verdict] += 1
    say(f"verdicts           {dict(verdicts)}")
    each = seconds / max(1, total)
    say(f"time               {seconds:.1f} s, {each:.2f} s an environment; our peak memory {peak_mb:.0f} MB")


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks detection", description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args(argv)
    if not options.corpus.is_file():
        print(f"{options.corpus} is not there: nothing to measure", file=sys.stderr)
        return 0
    out = sys.stderr if options.json else sys.stdout
    found = measure(options.corpus, options.limit, options.jobs, lambda line: print(line, file=out))
    if options.json:
        print(json.dumps(found))
    return 0
