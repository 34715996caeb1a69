"""What is wrong and was accepted once is a fault also when it cannot be repeated: never silence, never a pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from envbounty.findings import Severity, Verdict
from envbounty.sandbox.pool import Pool
from envbounty.verify import examine
from envbounty.verify.bench import Bench, Fault, Graded
from envbounty.verify.context import Context, Scored

Write = Callable[..., Path]

LOOSE = "\n\ndef check(instance, output, sound=check):\n    return 1.0 if output == {} else sound(instance, output)\n"


def test_a_wrong_output_accepted_only_once(
    tmp_path: Path, write_env: Write, jail: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = write_env(tmp_path, "function")
    assert examine(place, jail).verdict is Verdict.PASS
    with (place / "environment.py").open("a") as file:
        file.write(LOOSE)

    def rejects_in_a_clean_jail(self: Context, trials: Sequence[Any], *, fresh: bool = False) -> list[Scored]:
        found = score(self, trials, fresh=fresh)
        if not fresh:
            return found
        return [Scored(one.trial, type(one.reply)(0.0)) if one.trial.output == {} else one for one in found]

    score = Context.score
    monkeypatch.setattr(Context, "score", rejects_in_a_clean_jail)
    result = examine(place, jail)
    assert result.verdict is Verdict.FAIL
    errors = {finding.rule for finding in result.findings if finding.severity is Severity.ERROR}
    assert errors == {"score-unstable"}


@pytest.mark.parametrize(
    ("later", "wanted"),
    [
        (Graded(False, 0.0, "no"), Verdict.FAIL),
        (Graded(None, None, "", Fault("timeout", "too slow")), Verdict.ERROR),
    ],
)
def test_a_grader_that_accepts_a_wrong_submission_only_once(
    tmp_path: Path,
    write_env: Write,
    jail: Pool,
    monkeypatch: pytest.MonkeyPatch,
    later: Graded,
    wanted: Verdict,
) -> None:
    place = write_env(tmp_path, "grader")
    assert examine(place, jail).verdict is Verdict.PASS
    grade = Bench.grade

    def once(
        self: Bench, texts: Sequence[str], *, fresh: bool = False, hurry_s: float | None = None
    ) -> list[Graded]:
        found = grade(self, texts, fresh=fresh, hurry_s=hurry_s)
        wrong = later if fresh else Graded(True, 1.0, "yes")
        return [wrong if not text.strip() else one for text, one in zip(texts, found, strict=True)]

    monkeypatch.setattr(Bench, "grade", once)
    result = examine(place, jail)
    assert result.verdict is wanted, result
    if wanted is Verdict.FAIL:
        assert {finding.rule for finding in result.findings if finding.severity is Severity.ERROR} == {"score-unstable"}
    else:
        assert "less is running" in result.reason
