"""Actions in general, with workflows of the tests' own: what passes from job to job, and what a job may do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from localhub.actions import ActRunner
from localhub.hub import Hub
from localhub.oidc import Issuer
from localhub.runs import Run

pytestmark = pytest.mark.act

HOSTILE = "${{ github.token }} $(id) `id` ' \" ::error::x %0A \\ }}"

PASSING = """
name: Passing
run-name: passing ${{ inputs.word }}
on:
  workflow_dispatch:
    inputs: {word: {required: true, type: string}}
permissions: {contents: read}
env: {FROM_TOP: top}
jobs:
  make:
    runs-on: ubuntu-24.04
    outputs:
      word: ${{ steps.say.outputs.word }}
      artifact: ${{ steps.upload.outputs.artifact-id }}
    steps:
      - uses: actions/checkout@v6
        with: {persist-credentials: false}
      - uses: $/own/say
        id: say
        with: {word: "${{ inputs.word }}"}
      - uses: actions/upload-artifact@v7
        id: upload
        with: {name: words, path: "folder/"}
  never:
    needs: make
    if: needs.make.outputs.word == 'something else'
    runs-on: ubuntu-24.04
    steps: [{run: exit 1, shell: bash}]
  take:
    needs: [make, never]
    if: ${{ !cancelled() }}
    runs-on: ubuntu-24.04
    permissions: {actions: read}
    steps:
      - uses: actions/download-artifact@v8
        with: {artifact-ids: "${{ needs.make.outputs.artifact }}", path: got}
      - shell: bash
        env:
          WORD: ${{ needs.make.outputs.word }}
          NEVER: ${{ needs.never.result }}
          SEEN: ${{ vars.NOTHING }}
        run: |
          mkdir -p got
          python3 - <<'END'
          import json, os, pathlib
          told = {name: os.environ[name] for name in ("WORD", "NEVER", "FROM_TOP", "GITHUB_REPOSITORY", "GITHUB_SHA")}
          told["files"] = {str(p.relative_to("got")): p.read_text() for p in pathlib.Path("got").rglob("*.txt")}
          pathlib.Path(os.environ["PLACE"], "told.json").write_text(json.dumps(told))
          END
"""

SAY = """
name: say
inputs: {word: {required: true}}
outputs: {word: {value: "${{ steps.s.outputs.word }}"}}
runs:
  using: composite
  steps:
    - id: s
      shell: bash
      env: {WORD: "${{ inputs.word }}"}
      run: |
        mkdir -p folder/deep
        cp kept.txt folder/deep/kept.txt
        printf 'word=%s\\n' "$WORD" >>"$GITHUB_OUTPUT"
"""

ASKING = """
on: workflow_dispatch
permissions: {}
jobs:
  ask:
    runs-on: ubuntu-24.04
    permissions: {PERMISSIONS}
    steps:
      - shell: bash
        env: {TOKEN: "${{ github.token }}"}
        run: |
          printf '{"ref": "refs/heads/x", "sha": "%s"}' "$GITHUB_SHA" >"$PLACE/body"
          call() { "$PLACE/http" "$1" "$GITHUB_API_URL/repos/$GITHUB_REPOSITORY/$2" "$TOKEN" $3; }
          call GET contents/kept.txt >"$PLACE/answers"
          call POST git/refs "$PLACE/body" >>"$PLACE/answers"
          call GET actions/artifacts >>"$PLACE/answers"
          env | sed -n 's/^\\(ACTIONS_ID_TOKEN_[A-Z_]*\\)=.*/\\1/p' | sort >"$PLACE/names"
"""

WIDER = """
on: workflow_dispatch
permissions: {}
jobs:
  call:
    permissions: {contents: read}
    uses: ./.github/workflows/called.yml
"""
CALLED = """
on: workflow_call
permissions: {}
jobs:
  a: {runs-on: ubuntu-24.04, permissions: {id-token: write}, steps: [{run: "true", shell: bash}]}
"""


@pytest.fixture
def start(tmp_path: Path, http: Path) -> Iterator[Any]:
    """`start(files)`: a hub with a repository of these files; gives a function that dispatches one workflow."""
    with Hub.start(folder=tmp_path / "hub") as hub:
        issuer = Issuer(hub.url + "/oidc")
        hub.mount("/oidc", issuer.app)
        runner = hub.runner = ActRunner(hub, issuer, machine={"PLACE": str(tmp_path)}, seconds=60)
        max = hub.user("max")

        def make(files: Mapping[str, str]) -> Any:
            repo = hub.create_repo("acme/bounties", {"kept.txt": "kept\n", **files}, [max])

            def dispatch(file: str, **inputs: str) -> Run:
                path = f"/repos/acme/bounties/actions/workflows/{file}/dispatches"
                max.call("POST", path, {"ref": "main", "inputs": inputs})
                (run,) = repo.runs
                for thread in list(hub._threads):
                    thread.join(90)
                return run

            return dispatch

        yield make
        runner.close()


def test_outputs_artifacts_and_results_pass_from_job_to_job(start: Any, tmp_path: Path) -> None:
    run = start({".github/workflows/passing.yml": PASSING, "own/say/action.yml": SAY})("passing.yml", word=HOSTILE)

    ended = {job.name: job.conclusion for job in run.jobs}
    assert ended == {"make": "success", "never": "skipped", "take": "success"}, [job.log for job in run.jobs]
    assert run.conclusion == "success"
    assert json.loads((tmp_path / "told.json").read_text()) == {
        "WORD": HOSTILE,
        "NEVER": "skipped",
        "FROM_TOP": "top",
        "GITHUB_REPOSITORY": "acme/bounties",
        "GITHUB_SHA": run.head_sha,
        "files": {"deep/kept.txt": "kept\n"},
    }


@pytest.mark.parametrize(
    ("permissions", "answers", "names"),
    [
        ("{}", [403, 403, 403], []),
        ("{contents: read}", [200, 403, 403], []),
        (
            "{contents: write, actions: read, id-token: write}",
            [200, 201, 200],
            ["ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_URL"],
        ),
    ],
)
def test_a_job_may_do_what_its_permissions_say(
    start: Any, tmp_path: Path, permissions: str, answers: list[int], names: list[str]
) -> None:
    run = start({".github/workflows/ask.yml": ASKING.replace("{PERMISSIONS}", permissions)})("ask.yml")

    assert run.conclusion == "success", run.jobs[0].log
    assert [int(line) for line in (tmp_path / "answers").read_text().split()] == answers
    assert (tmp_path / "names").read_text().split() == names


def test_a_workflow_that_wants_more_than_its_caller_has_does_not_start(start: Any) -> None:
    run = start({".github/workflows/wider.yml": WIDER, ".github/workflows/called.yml": CALLED})("wider.yml")

    assert (run.conclusion, run.jobs) == ("startup_failure", [])


def test_an_action_that_nothing_stands_for_fails_the_job(start: Any) -> None:
    text = "on: workflow_dispatch\njobs: {a: {runs-on: ubuntu-24.04, steps: [{uses: some/where@v1}]}}\n"

    run = start({".github/workflows/far.yml": text})("far.yml")

    assert run.conclusion == "failure"
    assert "nothing to stand for some/where@v1" in run.jobs[0].log
