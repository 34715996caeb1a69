"""It is the product's promise: sound samples pass, and what is broken on purpose is caught."""

from __future__ import annotations

from pathlib import Path

from envbounty.environment import find_environments
from envbounty.samples import DEFECTS, break_copy, samples
from tests.cli.conftest import Run


def test_the_samples_come_out_as_it_should(run: Run) -> None:
    done = run("samples")
    assert done.returncode == 0, done.stdout + done.stderr
    count = len(find_environments([samples()]))
    assert f"All {count} sound verifiers passed, all {count} broken ones were caught." in done.stdout


def test_every_defect_is_planted_in_some_sample_and_changes_it(tmp_path: Path) -> None:
    found = find_environments([samples()])
    assert len(found) >= len(DEFECTS)
    for sample, defect in zip(found, DEFECTS, strict=False):
        copy = break_copy(sample, tmp_path, defect)
        assert (copy / "environment.py").read_text().endswith(defect.code)
        assert (sample / "environment.py").read_text() != (copy / "environment.py").read_text()
