"""Other tools beside ours, on the same graders, in one run.

    python -m benchmarks peers CORPUS [--peers FOLDER] [--limit N] [--json] [--jobs N]

CORPUS is one that `detection` reads. FOLDER holds, for each peer, the `site-packages` (or virtual environment) in
which it is installed: `FOLDER/gameability`, `FOLDER/falsepass`, `FOLDER/bohrin`. What is not there is left out with a
sentence. Nothing of theirs is in this project (gameability is MIT; falsepass and bohrin are Apache-2.0).

Each is used in the way that its documentation has for the closest case, by a script in `benchmarks/drivers`; what it
has no way to take is not held against it but counted as not judged. They run in our jail, one process for each grader,
with their package and nothing else, since none of them brings a jail of its own. The key scores, and no tool is given
it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import drivers
from benchmarks.corpora import Row, rows_of, write_all
from benchmarks.detection import accusations, disproved, settled
from envbounty.sandbox import Job, Limits, Status
from envbounty.sandbox.opening import open_jail
from envbounty.sandbox.pool import Pool
from envbounty.verify import examine_all
from envbounty.verify.spread import wilson

NAMES = ("gameability", "falsepass", "bohrin")
#: What one grader may take a peer (seconds), and how many calls falsepass's own search makes.
ROW_S, SEARCH = 60.0, 40


@dataclass(frozen=True)
class Said:
    """What a tool said about one grader: `accused` is None when it could not judge."""

    accused: bool | None
    why: str
    programs: tuple[str, ...] = ()
    seconds: float = 0.0


def job(peer: str, row: Row) -> Job:
    """The peer on one grader, without the key."""
    given = {
        "task": row.task,
        "function": row.function,
        "grader": row.grader,
        "reference": row.reference,
        "test": row.test,
        "search": SEARCH,
        "seconds": ROW_S - 10,
        "common": (Path(drivers.__file__).parent / "common.py").read_text(),
    }
    return Job(
        code=drivers.source(peer),
        inputs={"row.json": json.dumps(given).encode(), "grader.py": row.grader.encode()},
        limits=Limits(wall_s=ROW_S, cpu_s=int(ROW_S), memory_mb=2048, processes=64, output_kb=2048, scratch_mb=64),
    )


def ask(jail: Pool, peer: str, row: Row) -> Said:
    started = time.monotonic()
    outcome = jail.run(job(peer, row))
    seconds = time.monotonic() - started
    if outcome.status is Status.WALL:
        return Said(None, f"still ran after {ROW_S:g} s", seconds=seconds)
    return heard(outcome.result, outcome.detail or outcome.stderr.decode(errors="replace"), seconds)


def heard(result: bytes, otherwise: str, seconds: float) -> Said:
    """A driver's record. What is none is no judgement."""
    try:
        record = json.loads(result)
        accused, programs = record["accused"], [text for text in record["programs"] if isinstance(text, str)]
    except (ValueError, KeyError, TypeError):
        lines = otherwise.strip().splitlines()
        return Said(None, lines[-1][:200] if lines else "it said nothing", seconds=seconds)
    return Said(accused if isinstance(accused, bool) else None, str(record.get("why")), tuple(programs), seconds)


def ours(jail: Pool, places: list[Path], jobs: int) -> list[Said]:
    found = []
    for result in examine_all(places, jail, jobs=jobs).results:
        rules = accusations(result)
        programs = [
            one.evidence.submission
            for one in result.findings
            if one.rule in rules and one.evidence is not None and one.evidence.submission
        ]
        accused = bool(rules) if settled(result) else None
        found.append(Said(accused, " ".join(sorted(set(rules))), tuple(programs), result.stats.seconds))
    return found


def installed(folder: Path | None) -> dict[str, Path]:
    """The peers that are there, with the folder to import each from."""
    found = {}
    for name in NAMES if folder is not None else ():
        assert folder is not None
        places = [folder / name, *sorted((folder / name).glob("lib/python3*/site-packages"))]
        place = next((one for one in places if (one / name).is_dir()), None)
        if place is not None:
            found[name] = place
    return found


def measure(corpus: Path, peers: dict[str, Path], limit: int | None, jobs: int, say: Any) -> dict[str, Any]:
    rows = rows_of(corpus, limit)
    table: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="envbounty-bench-") as folder, open_jail("auto", jobs) as jail:
        places = [place for _, place in write_all(rows, Path(folder))]
        where = dict(zip((row.name for row in rows), places, strict=True))

        def wrong(row: Row, said: Said) -> bool | None:
            """Whether one of the programs is shown wrong by the key; None: it says nothing."""
            refuted = disproved(row, list(said.programs), where[row.name], jail) if said.accused else None
            return None if refuted is None else not refuted

        started = time.monotonic()
        said = ours(jail, places, jobs)
        table["envbounty"] = summary(rows, said, time.monotonic() - started, wrong)
        line(say, "envbounty", table["envbounty"])
        for peer, packages in peers.items():
            with open_jail("auto", jobs, packages=[packages]) as theirs, ThreadPoolExecutor(jobs) as threads:
                started = time.monotonic()
                said = list(threads.map(lambda row, peer=peer, theirs=theirs: ask(theirs, peer, row), rows))
                table[peer] = summary(rows, said, time.monotonic() - started, wrong)
            line(say, peer, table[peer])
    return {"corpus": corpus.name, "tools": table}


def summary(
    rows: list[Row], said: list[Said], seconds: float, wrong: Callable[[Row, Said], bool | None]
) -> dict[str, Any]:
    """The counts of one tool. `wrong` says of an accusation whether the key bears it out."""
    pairs = list(zip(rows, said, strict=True))
    unknown = [(row, one) for row, one in pairs if row.faulty is None and one.accused]
    proofs = [wrong(row, one) for row, one in unknown]
    unjudged = [one.why for _, one in pairs if one.accused is None]
    return {
        "n_faulty": sum(row.faulty is True for row in rows),
        "caught": sum(row.faulty is True and one.accused is True for row, one in pairs),
        "n_sound": sum(row.faulty is False for row in rows),
        "false_accusations": sum(row.faulty is False and one.accused is True for row, one in pairs),
        "n_unknown": sum(row.faulty is None for row in rows),
        "shown_faulty": len(unknown),
        "proved": sum(proof is True for proof in proofs),
        "refuted": sum(proof is False for proof in proofs),
        "not_judged": len(unjudged),
        "why_not": sorted(set(unjudged))[:6],
        "accused_sound": [f"{row.name}: {one.why}" for row, one in pairs if row.faulty is False and one.accused],
        "seconds": round(seconds, 1),
        "per_grader_s": round(seconds / max(1, len(rows)), 2),
    }


def line(say: Any, name: str, found: dict[str, Any]) -> None:
    say(f"{name}")
    if found["n_faulty"]:
        low, high = wilson(found["caught"], found["n_faulty"])
        say(f"  recall             {found['caught']}/{found['n_faulty']}  (95 % {low:.2f} to {high:.2f})")
    if found["n_sound"]:
        say(f"  false accusations  {found['false_accusations']}/{found['n_sound']}")
        for accused in found["accused_sound"]:
            say(f"    {accused[:160]}")
    if found["n_unknown"]:
        proof = f"{found['proved']} proved by the key, {found['refuted']} refuted"
        say(f"  shown faulty       {found['shown_faulty']}/{found['n_unknown']}: {proof}")
    say(f"  not judged         {found['not_judged']}  {'; '.join(found['why_not'])[:300]}")
    say(f"  time               {found['seconds']} s, {found['per_grader_s']} s a grader")


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks peers", description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="where each peer is installed, by its name")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="end with one JSON object")
    options = parser.parse_args(argv)
    if not options.corpus.is_file():
        print(f"{options.corpus} is not there: nothing to measure", file=sys.stderr)
        return 0
    say = (lambda *words: print(*words, file=sys.stderr, flush=True)) if options.json else print
    peers = installed(options.peers)
    for name in NAMES:
        if name not in peers:
            say(f"{name} is not installed below {options.peers or 'a folder given by --peers'}: left out")
    found = measure(options.corpus, peers, options.limit, options.jobs, say)
    if options.json:
        print(json.dumps(found))
    return 0
