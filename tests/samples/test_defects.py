"""Defects planted in the samples: each edit applies, each can be exploited, and each is found.

Two or three of each sample are examined always, chosen so that mechanisms differ; all of them with
`ENVBOUNTY_ALL_DEFECTS=1`, or by `python -m benchmarks defects`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.planted import Defect, defects_of, exploitable, plant, sample_names
from envbounty.findings import Severity, Verdict
from envbounty.sandbox.opening import open_jail
from envbounty.sandbox.pool import Pool
from envbounty.verify import examine

ALWAYS = {
    ("best-attack-10k", "wrong-direction"),
    ("best-attack-10k", "failure-pays"),
    ("conditional-tolls", "room-left-pays"),
    ("conditional-tolls", "starts-with-it"),
    ("conditional-tolls", "trapdoor"),
    ("craft-minimum-ticks", "fire-without-fuel"),
    ("craft-minimum-ticks", "ore-from-nothing"),
    ("fewest-patrols", "any-order"),
    ("fewest-patrols", "integers-only"),
    ("fewest-patrols", "remembers"),
    ("natural-deduction", "and-from-or"),
    ("natural-deduction", "no-blank-lines"),
    ("storm-bridges", "answers-behind-the-input"),
    ("storm-bridges", "nan"),
}
TABLE = [(sample, defect) for sample in sample_names() for defect in defects_of(sample)]
ALL = os.environ.get("ENVBOUNTY_ALL_DEFECTS") == "1"


def ids(rows: list[tuple[str, Defect]]) -> list[str]:
    return [f"{sample}:{defect.name}" for sample, defect in rows]


@pytest.fixture(scope="module")
def jail() -> Iterator[Pool]:
    with open_jail("bubblewrap", 2) as pool:
        yield pool


def test_every_sample_has_many_defects_of_many_kinds() -> None:
    assert len(sample_names()) == 6
    for sample in sample_names():
        mine = defects_of(sample)
        assert len(mine) >= 12 and len({defect.name for defect in mine}) == len(mine)
        assert len({defect.row for defect in mine}) >= 8, "the catalogue has more mechanisms than that"
        for defect in mine:
            assert 1 <= defect.row <= 54 and defect.gain.endswith(".") and defect.old != defect.new
            proofs = [proof for proof in (defect.lets_in, defect.shuts_out, defect.shown) if proof is not None]
            assert len(proofs) == 1, defect.name
    assert {(sample, defect.name) for sample, defect in TABLE} >= ALWAYS


@pytest.mark.parametrize(("sample", "defect"), TABLE, ids=ids(TABLE))
def test_it_can_be_exploited(sample: str, defect: Defect, tmp_path: Path) -> None:
    """Our own samples run in this process here: nobody else wrote them."""
    assert exploitable(sample, plant(sample, defect, tmp_path), defect), defect.gain


def test_what_is_no_defect_has_no_proof(tmp_path: Path) -> None:
    """The proofs can fail: an edit that changes nothing lets nothing in and shuts nothing out."""
    old = "    return 1.0 if same else 0.0\n"
    for proof in ({"lets_in": lambda instance, right: []}, {"shuts_out": lambda instance, right: right}):
        nothing = Defect("nothing", 1, "Nothing.", old, old + "\n", **proof)
        name = next(iter(proof))
        assert not exploitable("fewest-patrols", plant("fewest-patrols", nothing, tmp_path / name), nothing)
    with pytest.raises(ValueError, match="0 places"):
        plant("fewest-patrols", Defect("absent", 1, "Nothing.", "not there", ""), tmp_path / "absent")


CHOSEN = [row for row in TABLE if ALL or (row[0], row[1].name) in ALWAYS]


@pytest.mark.parametrize(("sample", "defect"), CHOSEN, ids=ids(CHOSEN))
def test_it_is_found(sample: str, defect: Defect, tmp_path: Path, jail: Pool) -> None:
    result = examine(plant(sample, defect, tmp_path), jail, threads=2)
    errors = [finding for finding in result.findings if finding.severity is Severity.ERROR]
    assert errors and result.verdict is Verdict.FAIL, result.reason
    assert all(finding.evidence is not None and finding.evidence.reproduce for finding in errors)
