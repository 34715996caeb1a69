"""How surely copies are found, how often strangers are taken for copies, and what an index of thousands costs.

    python -m benchmarks provenance [CORPUS...] [--synthetic N] [--json]

Every environment of the samples and of the corpora is disguised in each way of `benchmarks.disguise` and looked for
among all originals, through the same index as `envbounty verify` uses. Pairs of different originals show what is alike
by chance; those that are taken for copies are named, for some are: a corpus can hold one problem twice.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import disguise
from benchmarks.corpora import rows_of, write_environment
from envbounty.environment import Environment, find_environments, load
from envbounty.environment.files import read_tree
from envbounty.provenance.prints import LAYERS, MIN_SHARED, SOLUTION, Print, boilerplate, likeness, print_files
from envbounty.provenance.public import shipped
from envbounty.provenance.repository import Place, Shelf
from envbounty.provenance.surroundings import Surroundings
from envbounty.verify.bench import Bench
from envbounty.verify.checks import provenance as check
from envbounty.verify.context import Context
from envbounty.verify.spread import wilson

SAMPLES = Path(__file__).parents[1] / "environments"
Files = dict[str, str]

DISGUISES: dict[str, Callable[[Files, Files, Random], Files]] = {
    "reformatted, comments gone": lambda files, _, rng: disguise.code(disguise.untouched, files, rng),
    "names changed": lambda files, _, rng: disguise.code(disguise.renamed, files, rng),
    "constants changed": lambda files, _, rng: disguise.code(disguise.renumbered, files, rng),
    "functions reordered": lambda files, _, rng: disguise.code(disguise.reordered, files, rng),
    "another story": lambda files, other, _: disguise.retold(files, other),
    "all of these together": lambda files, other, rng: disguise.retold(
        disguise.code(disguise.everything, files, rng), other
    ),
    "renamed, statements added": lambda files, _, rng: disguise.code(disguise.padded, files, rng),
    "the same, and another story": lambda files, other, rng: disguise.retold(
        disguise.code(disguise.padded, files, rng), other
    ),
    "inside a larger one, renamed": lambda files, other, rng: disguise.embedded(
        disguise.code(disguise.renamed, files, rng), other
    ),
    "solution only, renamed": lambda files, other, rng: disguise.solution_only(
        disguise.code(disguise.renamed, files, rng), other
    ),
}


def texts(place: Path) -> Files:
    return {path: content.decode() for path, content in read_tree(place).items() if path != "env.yaml"}


def printed(name: str, files: Files) -> Print:
    return print_files(name, {path: text.encode("utf-8", "surrogatepass") for path, text in files.items()})


def share(hits: int, total: int) -> dict[str, Any]:
    low, high = wilson(hits, total)
    found = {"share": hits / max(1, total), "low": low, "high": high}
    return {"hits": hits, "of": total, **{name: round(value, 4) for name, value in found.items()}}


def strangers(originals: dict[str, Print]) -> dict[str, Any]:
    """Pairs of different originals: how alike they are, and which are taken for copies."""
    values: dict[str, list[float]] = {layer: [] for layer in LAYERS}
    again, partly = [], []
    pairs = 0
    for one, two in combinations(originals.values(), 2):
        pairs += 1
        alike = likeness(one, two)
        for layer, part in alike.shares.items():
            if min(part.mine, part.theirs) >= MIN_SHARED[layer]:
                values[layer].append(part.containment)
        if alike.near_duplicate:
            again.append(f"{one.name} {two.name}")
        elif alike.partly_copied:
            partly.append(f"{one.name} {two.name} ({', '.join(alike.copied)})")
    return {
        "pairs": pairs,
        "near_duplicate": {**share(len(again), pairs), "names": again},
        "partly_copied": {**share(len(partly), pairs), "names": partly},
        "containment": {layer: quantiles(each) for layer, each in values.items()},
    }


def quantiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values) or [0.0]
    wanted = {"median": 0.5, "99 %": 0.99, "99.9 %": 0.999, "largest": 1.0}
    found = {name: round(ordered[min(len(ordered) - 1, int(at * len(ordered)))], 3) for name, at in wanted.items()}
    return {"pairs": len(values), **found}


def planted(originals: dict[str, Files], shelf: Shelf, public: frozenset[str]) -> dict[str, Any]:
    """For each disguise: how many are found as near-duplicates, and how many at all; public problems likewise."""
    found: dict[str, Any] = {}
    names = list(originals)
    sizeable = {name for name in names if len(printed(name, originals[name]).layers[SOLUTION]) >= MIN_SHARED[SOLUTION]}
    for title, change in DISGUISES.items():
        rng = Random(title)
        near = some = known = large = large_some = 0
        for name in names:
            other = originals[rng.choice([each for each in names if each != name])]
            copy = printed("copy", change(originals[name], other, rng))
            matches = [match for match in shelf.matches(copy, Path("/nowhere")) if match.place.name == name]
            near += any(match.likeness.near_duplicate for match in matches)
            some += bool(matches)
            if name in sizeable:
                large += 1
                large_some += bool(matches)
            known += name in public and any(index.overlaps(copy.layers) for index in shipped())
        found[title] = {
            "near_duplicate": share(near, len(names)),
            "any": share(some, len(names)),
            "sizeable": share(large_some, large),
            "benchmark": share(known, len(public)),
        }
    return found


def innocent(environments: list[Environment]) -> dict[str, Any]:
    """What the other rules say of environments that nobody planted anything in."""
    counts: dict[str, list[str]] = {}
    around = Surroundings.of([env.root for env in environments])
    for env in environments:
        context = Context(Bench.__new__(Bench), "")
        context.bench.env, context.bench.seed = env, 0
        for finding in check.alone(context, around):
            counts.setdefault(finding.rule, []).append(env.spec.name)
    return {rule: {**share(len(set(names)), len(environments)), "names": sorted(set(names))[:12]}
            for rule, names in sorted(counts.items())}  # fmt: skip


# --- what an index costs ---------------------------------------------------------------------------------------------


def synthetic(rng: Random, name: str) -> Files:
    """An environment of the usual size (about 250 lines), of random code."""

    def expression(depth: int) -> str:
        if depth == 0:
            return rng.choice(["a", "b", "rows", "len(rows)", "3", "rows[a]", "b.count(a)"])
        left, right = expression(depth - 1), expression(depth - 1)
        return rng.choice([f"({left} + {right})", f"max({left}, {right})", f"({left} if {right} else a)",
                           f"sorted({left}, key=lambda x: {right})", f"{left} // ({right} or 1)"])  # fmt: skip

    def function(number: int) -> str:
        lines = [f"def step_{number}(a, b, rows):"]
        for _ in range(rng.randint(4, 14)):
            lines.append(rng.choice([
                f"    a = {expression(2)}", f"    for b in range({expression(1)}):\n        a += {expression(2)}",
                f"    if {expression(1)} > {expression(1)}:\n        b = {expression(1)}",
                f"    while a < {expression(1)}:\n        a += 1\n        rows.append({expression(1)})",
            ]))  # fmt: skip
        return "\n".join([*lines, f"    return {expression(2)}"])

    words = ["island", "bridge", "ticket", "farmer", "signal", "window", "number", "letter", "before", "largest", "of",
             "the", "every", "two", "with", "whose", "at", "most", "until", "found"]  # fmt: skip
    return {
        "env.yaml": f"schema: 1\nname: {name}\n",
        "task.md": "\n\n".join(" ".join(rng.choices(words, k=60)) for _ in range(6)),
        "environment.py": "\n\n\n".join(function(number) for number in range(10)),
        "solutions/reference.py": "\n\n\n".join(function(number) for number in range(3)),
        "solutions/good/other.py": "\n\n\n".join(function(number) for number in range(3)),
    }


def cost(count: int) -> dict[str, Any]:
    rng = Random(7)
    boilerplate()
    with tempfile.TemporaryDirectory(prefix="envbounty-bench-") as folder:
        places = []
        for number in range(count):
            place = Path(folder) / f"e{number}"
            for path, text in synthetic(rng, place.name).items():
                (place / path).parent.mkdir(parents=True, exist_ok=True)
                (place / path).write_text(text)
            places.append(Place(place.name, place, True))
        started, cpu = time.monotonic(), time.process_time()
        shelf = Shelf(places)
        built, built_cpu = time.monotonic() - started, time.process_time() - cpu
        asked = places[:: max(1, count // 50)]
        copies = [
            (place, printed("copy", disguise.code(disguise.everything, texts(place.path), rng))) for place in asked
        ]
        started = time.monotonic()
        hits = sum(
            any(match.place == place for match in shelf.matches(copy, Path("/nowhere"))) for place, copy in copies
        )
        each = (time.monotonic() - started) / max(1, len(asked))
    return {
        "environments": count,
        "build_s": round(built, 2),
        "build_cpu_s": round(built_cpu, 2),
        "query_s": round(each, 4),
        "found": share(hits, len(asked)),
    }


# --- all of it -------------------------------------------------------------------------------------------------------


def measure(corpora: list[Path], count: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="envbounty-bench-") as folder:
        places = find_environments([SAMPLES])
        public = set()
        for corpus in corpora:
            for row in rows_of(corpus):
                if row.faulty is not False:  # the twins are our own
                    places.append(write_environment(row, Path(folder)))
                    if "humaneval" in corpus.name.lower():
                        public.add(row.name)
        originals = {place.name: texts(place) for place in places}
        shelf = Shelf([Place(place.name, place, True) for place in places])
        environments = [load(place) for place in places]
        return {
            "originals": len(originals),
            "strangers": strangers({name: printed(name, files) for name, files in originals.items()}),
            "planted": planted(originals, shelf, frozenset(public)),
            "innocent": innocent(environments),
            "cost": cost(count),
        }


def _lines(found: dict[str, Any]) -> Iterator[str]:
    def shown(part: dict[str, Any]) -> str:
        return f"{part['hits']:4}/{part['of']:<5} {part['share']:7.2%} ({part['low']:.2%} to {part['high']:.2%})"

    unlike = found["strangers"]
    yield f"{found['originals']} environments, {unlike['pairs']} pairs of different ones"
    for rule in ("near_duplicate", "partly_copied"):
        yield f"  taken for {rule}: {shown(unlike[rule])}"
        yield from (f"      {names}" for names in unlike[rule]["names"])
    for layer, parts in unlike["containment"].items():
        yield f"  containment, {layer}: " + ", ".join(f"{name} {value}" for name, value in parts.items())
    yield "copies found, by disguise: as near-duplicates; at all; at all where the solution is large enough to tell;"
    yield "as a public benchmark's"
    for title, parts in found["planted"].items():
        yield f"  {title:30}" + "  ".join(
            shown(parts[kind]) for kind in ("near_duplicate", "any", "sizeable", "benchmark")
        )
    yield "said of environments in which nothing was planted"
    for rule, part in found["innocent"].items():
        yield f"  {rule:22}{shown(part)}  {' '.join(part['names'])}"
    took = found["cost"]
    yield f"index of {took['environments']} synthetic environments: {took['build_s']} s, one query {took['query_s']} s"
    yield f"  (the index took {took['build_cpu_s']} s of one processor)"
    yield f"  copies found in it: {shown(took['found'])}"


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks provenance", description=__doc__)
    parser.add_argument("corpora", nargs="*", type=Path, help="besides the samples, see benchmarks/corpora.py")
    parser.add_argument("--synthetic", type=int, default=2000, help="environments in the index that is timed (2000)")
    parser.add_argument("--json", action="store_true", help="for a program to read")
    options = parser.parse_args(words)
    found = measure(options.corpora, options.synthetic)
    if options.json:
        print(json.dumps(found))
    else:
        print("\n".join(_lines(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
