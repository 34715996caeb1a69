"""Where the operator names the reusable workflows that are trusted, a report from any other job is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from town import Town, opened

TRUSTED = "envbounty/envbounty/.github/workflows/{tier}.yml@" + "7" * 40


@pytest.fixture
def trusting(tmp_path: Path) -> Iterator[Town]:
    it = Town(f"sqlite:///{tmp_path}/bot.db", trusted_workflows=(TRUSTED,))
    yield it
    it.close()


def test_only_the_trusted_workflow_reports(trusting: Town) -> None:
    pull = opened(trusting)
    run = trusting.run()
    own = trusting.report(run, finish=False)
    assert (own.status_code, own.json()["error"]) == (401, "job-workflow")
    for other in (TRUSTED.replace("{tier}", "attack"), TRUSTED.replace("{tier}", "verify").replace("7", "8")):
        assert trusting.report(run, claims={"job_workflow_ref": other}, finish=False).status_code == 401
    right = trusting.report(run, claims={"job_workflow_ref": TRUSTED.replace("{tier}", "verify")})
    assert right.status_code == 202, right.text
    trusting.settle()
    assert trusting.checks(pull) == {"envbounty/verify": "success"}


def test_the_job_that_reports_is_never_on_a_machine_of_ours(trusting: Town) -> None:
    opened(trusting)
    claims = {"job_workflow_ref": TRUSTED.replace("{tier}", "verify"), "runner_environment": "self-hosted"}
    refused = trusting.report(trusting.run(), claims=claims)
    assert (refused.status_code, refused.json()["error"]) == (401, "runner")
