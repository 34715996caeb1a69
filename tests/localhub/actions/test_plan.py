"""How a workflow becomes jobs to run one by one: calls opened, permissions never widened, outputs never code."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
import yaml

from localhub.actions.plan import Broken, Ended, Planned, Source, act_file, plan, used_by

HERE = Source("acme/bounties", ".github/workflows/thin.yml", "a" * 40)
CALLED = "lab/tools/.github/workflows/tier.yml@" + "b" * 40

THIN = f"""
on: {{workflow_dispatch: {{inputs: {{job: {{}}}}}}}}
permissions: {{}}
jobs:
  tier:
    name: verify
    permissions: {{contents: read, id-token: write}}
    uses: {CALLED}
    with: {{job: "${{{{ inputs.job }}}}", word: plain}}
"""
TIER = """
on: {workflow_call: {inputs: {job: {}, word: {}}}}
permissions: {}
jobs:
  report:
    needs: sandbox
    runs-on: ubuntu-24.04
    permissions: {id-token: write}
    timeout-minutes: 5
    cache-mode: none
    steps:
      - uses: $/actions/report
      - uses: actions/checkout@abc
  sandbox:
    runs-on: ubuntu-24.04
    permissions: {contents: read}
    steps: [{run: echo, shell: bash}]
"""


def planned(thin: str = THIN, tier: str = TIER, inputs: Mapping[str, str] | None = None) -> list[Planned]:
    def read(called: Source) -> str:
        assert called.name == CALLED
        return tier

    return plan(thin, HERE, {"job": "1"} if inputs is None else inputs, read)


def test_a_call_is_opened_and_each_job_comes_after_those_it_needs() -> None:
    sandbox, report = planned()

    assert (sandbox.name, report.name) == ("verify / sandbox", "verify / report")
    assert report.needs == ("sandbox",)
    assert report.inputs == {"job": "1", "word": "plain"}
    assert report.source.name == CALLED
    assert report.minutes == 5


def test_only_the_job_that_asks_for_it_may_mint() -> None:
    sandbox, report = planned()

    assert (sandbox.permissions, sandbox.mints) == ({"contents": "read"}, False)
    assert (report.permissions, report.mints) == ({"id-token": "write"}, True)


@pytest.mark.parametrize(
    ("level", "granted"),
    [("id-token: write", "contents: read"), ("contents: write", "contents: read, id-token: write")],
)
def test_a_called_job_that_wants_more_than_its_caller_has_does_not_start(level: str, granted: str) -> None:
    thin = THIN.replace("contents: read, id-token: write", granted)

    with pytest.raises(Broken, match="is only allowed"):
        planned(thin, TIER.replace("{contents: read}", f"{{{level}}}"))


def test_a_called_workflow_that_says_nothing_has_what_its_caller_has() -> None:
    tier = TIER.replace("permissions: {}\n", "", 1).replace("    permissions: {contents: read}\n", "")

    sandbox, _ = planned(tier=tier)

    assert sandbox.permissions == {"contents": "read", "id-token": "write"}


@pytest.mark.parametrize(
    "thin",
    [
        "jobs: [",
        "[]",
        "on: push",
        "jobs: {a: {needs: b, runs-on: x, steps: []}}",
        "jobs: {a: {needs: b, runs-on: x}, b: {needs: a, runs-on: x}}",
        "jobs: {a: {uses: somewhere/else}}",
        "jobs: {a: {runs-on: '${{ inputs.x }}'}}",
        THIN.replace("${{ inputs.job }}", "${{ github.token }}"),
        THIN.replace("permissions: {}", "permissions: everything"),
    ],
)
def test_what_github_would_not_start_or_we_cannot_does_not_start(thin: str) -> None:
    with pytest.raises(Broken):
        planned(thin)


def test_the_file_for_act_holds_one_job_and_stubs() -> None:
    _, report = planned()

    text, stubs = act_file(report, {"sandbox": Ended("failure", {"id": "7"})}, "script")

    file = yaml.safe_load(text)
    assert list(file["jobs"]) == ["sandbox", "report", "localhub-collect"]
    assert file["jobs"]["sandbox"]["steps"] == [{"id": "stub", "shell": "bash", "run": "script stub sandbox"}]
    assert stubs == {"sandbox": {"result": "failure", "outputs": {"id": "7"}}}
    job = file["jobs"]["report"]
    assert "cache-mode" not in job and "permissions" not in job  # act knows neither
    assert [step["uses"] for step in job["steps"]] == ["lab/tools/actions/report@" + "b" * 40, "actions/checkout@abc"]
    assert used_by(text) == {("lab/tools", "b" * 40), ("actions/checkout", "abc")}


def test_what_a_job_put_out_is_no_part_of_the_next_job_s_file() -> None:
    """An output may be a contributor's text, and in the file an expression in it would be worked out."""
    _, report = planned()

    text, stubs = act_file(report, {"sandbox": Ended("success", {"id": "${{ github.token }}\n'"})}, "script")

    assert "github.token" not in text
    assert stubs["sandbox"]["outputs"] == {"id": "${{ github.token }}\n'"}


def test_a_job_that_was_skipped_is_skipped_again() -> None:
    _, report = planned()

    text, _ = act_file(report, {"sandbox": Ended("skipped")}, "script")

    assert yaml.safe_load(text)["jobs"]["sandbox"]["if"] is False
