"""Workflows: dispatching, runs, jobs, artifacts, and plugging in something that runs them."""

import io
import threading
import zipfile

import pytest

from localhub import workflows
from localhub.model import Refused
from localhub.rest.actions import created_filter
from localhub.workflows import fill, read

INPUTS = {"job_id": "a" * 32, "pr": "1"}
RUNS = "/repos/acme/bounties/actions/runs"


def dispatch(world, inputs=None, details=True, ref="main", file="verify.yml"):
    body = {"ref": ref, "inputs": INPUTS if inputs is None else inputs} | (
        {"return_run_details": True} if details else {}
    )
    return world.bot("POST", f"/repos/acme/bounties/actions/workflows/{file}/dispatches", body)


def zipped(**files: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def test_a_dispatch_from_asking_to_the_artifact(world):
    made = dispatch(world)
    assert made.status_code == 200 and dispatch(world, details=False).status_code == 204
    number = made.json()["workflow_run_id"]
    run = next(run for run in world.repo.runs if run.id == number)
    assert run.inputs == {**INPUTS, "tier": "verify"} and run.actor is world.app.bot
    shown = world.bot("GET", f"{RUNS}/{number}").json()
    assert (shown["display_title"], shown["status"], shown["event"], shown["path"], shown["run_attempt"]) == (
        f"envbounty verify job={'a' * 32}",
        "queued",
        "workflow_dispatch",
        ".github/workflows/verify.yml",
        1,
    )

    job = run.start_job("sandbox")
    data = zipped(**{"report.json": "{}"})
    artifact = run.add_artifact("report", data)
    run.end_job(job, "success")
    world.hub.finish_run(run, "success")
    assert world.bot("GET", f"{RUNS}/{number}").json()["conclusion"] == "success"
    jobs = world.bot("GET", f"{RUNS}/{number}/jobs").json()["jobs"]
    assert [(one["name"], one["conclusion"]) for one in jobs] == [("sandbox", "success")]
    assert world.bot("GET", f"/repos/acme/bounties/check-runs/{job.id}").json()["app"]["slug"] == "github-actions"

    listed = world.bot("GET", f"{RUNS}/{number}/artifacts").json()["artifacts"]
    assert [(one["id"], one["digest"], one["size_in_bytes"]) for one in listed] == [
        (artifact, run.artifacts[0].digest, len(data))
    ]
    moved = world.bot("GET", f"/repos/acme/bounties/actions/artifacts/{artifact}/zip")
    assert moved.status_code == 302 and moved.headers["location"].startswith(world.hub.url)
    got = world.bot.client.get(moved.headers["location"])
    assert got.content == data and got.headers["content-type"] == "application/zip"
    world.hub.tick(61)
    assert world.bot.client.get(moved.headers["location"]).status_code == 404
    run.artifacts[0].expired = True
    assert world.bot("GET", f"/repos/acme/bounties/actions/artifacts/{artifact}/zip").status_code == 410

    world.hub.drain()
    told = [name for name in world.receiver.names() if name.startswith("workflow")]
    told.remove("workflow_job queued")
    assert told == [
        "workflow_run requested",
        "workflow_run requested",
        "workflow_run in_progress",
        "workflow_job in_progress",
        "workflow_job completed",
        "workflow_run completed",
    ]


@pytest.mark.parametrize(
    "asked, status, says",
    [
        ({"inputs": {"pr": "1"}}, 422, "Required input 'job_id' not provided"),
        ({"inputs": {**INPUTS, "evil": "x"}}, 422, "Unexpected inputs provided"),
        ({"ref": "nowhere"}, 422, "No ref found for: nowhere"),
        ({"file": "none.yml"}, 404, "Not Found"),
        ({"file": "push.yml"}, 422, "does not have 'workflow_dispatch' trigger"),
    ],
)
def test_a_dispatch_that_github_refuses(world, asked, status, says):
    world.max.push(world.repo, "main", {".github/workflows/push.yml": "on: push\njobs: {}\n"})
    got = dispatch(world, **asked)
    assert got.status_code == status and says in got.json()["message"]
    assert world.repo.runs == []


def test_the_newest_version_of_the_api_always_names_the_run(world):
    path = "/repos/acme/bounties/actions/workflows/verify.yml/dispatches"
    got = world.bot("POST", path, {"ref": "main", "inputs": INPUTS}, **{"X-GitHub-Api-Version": "2026-03-10"})
    assert got.status_code == 200 and got.json()["workflow_run_id"]


def test_a_run_is_found_again_by_event_and_time(world):
    before = world.hub.now()
    world.hub.tick(10)
    number = dispatch(world).json()["workflow_run_id"]
    stamp = before.strftime("%Y-%m-%dT%H:%M:%SZ")
    for query, found in (
        (f"event=workflow_dispatch&created=>={stamp}", 1),
        ("event=push", 0),
        (f"created=<{stamp}", 0),
        ("status=queued", 1),
        ("branch=main", 1),
        ("actor=envbounty[bot]", 1),
        ("head_sha=0", 0),
    ):
        got = world.bot("GET", f"{RUNS}?{query}").json()
        assert (got["total_count"], [one["id"] for one in got["workflow_runs"]]) == (found, [number][:found]), query
    flow = world.bot("GET", "/repos/acme/bounties/actions/workflows/verify.yml").json()
    assert world.bot("GET", f"/repos/acme/bounties/actions/workflows/{flow['id']}/runs").json()["total_count"] == 1
    assert [one["path"] for one in world.bot("GET", "/repos/acme/bounties/actions/workflows").json()["workflows"]] == [
        flow["path"]
    ]


def test_running_again_is_another_attempt_of_the_same_run(world):
    number = dispatch(world).json()["workflow_run_id"]
    run = world.repo.runs[0]
    assert world.bot("POST", f"{RUNS}/{number}/rerun").status_code == 403  # it is still running
    run.end_job(run.start_job("sandbox"), "failure")
    world.hub.finish_run(run, "failure")
    world.max.call("POST", f"/repos/acme/bounties/actions/runs/{number}/rerun")
    shown = world.bot("GET", f"{RUNS}/{number}").json()
    assert (shown["run_attempt"], shown["status"], shown["conclusion"]) == (2, "queued", None)
    assert (shown["actor"]["login"], shown["triggering_actor"]["login"]) == ("envbounty[bot]", "max")
    assert world.bot("GET", f"{RUNS}/{number}/jobs").json()["jobs"] == []
    assert len(world.bot("GET", f"{RUNS}/{number}/jobs?filter=all").json()["jobs"]) == 1


def test_cancelling(world):
    number = dispatch(world).json()["workflow_run_id"]
    assert world.bot("POST", f"{RUNS}/{number}/cancel").status_code == 202
    assert world.bot("GET", f"{RUNS}/{number}").json()["conclusion"] == "cancelled"
    assert world.bot("POST", f"{RUNS}/{number}/cancel").status_code == 409


class Runs:
    """A runner that does what it is told to."""

    def __init__(self, hub, do):
        self.hub, self.do, self.done = hub, do, threading.Event()

    def dispatch(self, repo, workflow_path, ref, inputs, actor, run):
        try:
            self.do(repo, workflow_path, ref, inputs, actor, run)
        finally:
            self.done.set()


def ended(world, run):
    for thread in world.hub._threads:
        thread.join(20)
    return run.status, run.conclusion


def test_a_runner_gets_the_run_and_its_token(world):
    seen = []

    def work(repo, path, ref, inputs, actor, run):
        token = run.token({"contents": "read"})
        job = run.start_job("sandbox")
        seen.append(world.bot("GET", "/repos/acme/bounties/contents/README.md", token=token).status_code)
        seen.append(world.bot("POST", "/repos/acme/bounties/issues", {"title": "x"}, token=token).status_code)
        run.end_job(job, "success")
        world.hub.finish_run(run, "success")
        seen.append(world.bot("GET", "/repos/acme/bounties/contents/README.md", token=token).status_code)
        seen.append((repo.full_name, path, ref, dict(inputs), actor.login))

    world.hub.runner = Runs(world.hub, work)
    dispatch(world)
    assert ended(world, world.repo.runs[0]) == ("completed", "success")
    assert seen == [
        200,
        403,
        401,
        (
            "acme/bounties",
            ".github/workflows/verify.yml",
            "refs/heads/main",
            {**INPUTS, "tier": "verify"},
            "envbounty[bot]",
        ),
    ]


def test_a_runner_that_leaves_a_run_open_fails_it(world, monkeypatch):
    monkeypatch.setattr(threading, "excepthook", lambda args: None)

    def work(repo, path, ref, inputs, actor, run):
        run.start_job("sandbox")
        raise RuntimeError("the machine caught fire")

    world.hub.runner = Runs(world.hub, work)
    dispatch(world)
    run = world.repo.runs[0]
    assert ended(world, run) == ("completed", "failure") and run.jobs[0].conclusion == "failure"


def test_a_runner_hears_of_a_cancellation(world):
    world.hub.runner = Runs(world.hub, lambda repo, path, ref, inputs, actor, run: run.cancelled.wait(20))
    number = dispatch(world).json()["workflow_run_id"]
    world.bot("POST", f"{RUNS}/{number}/cancel")
    assert ended(world, world.repo.runs[0]) == ("completed", "cancelled")


def test_the_token_of_a_forks_run_only_reads(world):
    """What a `pull_request` run of a fork can do, whatever its own copy of the workflow asks for."""
    pull = world.ann.open_pull(world.repo, {".github/workflows/verify.yml": "on: pull_request\njobs: {}\n"})
    evil = read(".github/workflows/verify.yml", "name: verify\non: pull_request\n")
    run = world.hub.start_run(
        world.repo,
        ".github/workflows/verify.yml",
        evil,
        "refs/pull/1/merge",
        {},
        world.ann.user,
        "pull_request",
        pull.head,
        pull.head_repo,
    )
    job = run.start_job("report")
    token = run.token({"contents": "write", "checks": "write", "id-token": "write"})
    assert world.bot("POST", "/repos/acme/bounties/issues", {"title": "x"}, token=token).status_code == 403
    run.end_job(job, "success")
    world.hub.finish_run(run, "success")
    shown = world.bot("GET", f"{RUNS}/{run.id}").json()
    assert (shown["event"], shown["head_repository"]["full_name"], shown["pull_requests"]) == (
        "pull_request",
        "ann/bounties",
        [],
    )


def test_settings_are_read_by_those_who_may(world):
    for path in ("", "/workflow", "/fork-pr-contributor-approval"):
        assert world.bot("GET", f"/repos/acme/bounties/actions/permissions{path}").status_code == 403
    put = lambda path, body: world.olga.call("PUT", f"/repos/acme/bounties/actions/permissions{path}", body)  # noqa: E731
    put("/fork-pr-contributor-approval", {"approval_policy": "all_external_contributors"})
    put("/workflow", {"default_workflow_permissions": "write", "can_approve_pull_request_reviews": True})
    put("", {"enabled": True, "allowed_actions": "selected", "sha_pinning_required": True})
    world.installation.permissions["administration"] = "read"
    token = world.bot.mint().json()["token"]
    get = lambda path: world.bot("GET", f"/repos/acme/bounties/actions/permissions{path}", token=token).json()  # noqa: E731
    assert get("/fork-pr-contributor-approval") == {"approval_policy": "all_external_contributors"}
    assert get("/workflow") == {"default_workflow_permissions": "write", "can_approve_pull_request_reviews": True}
    assert get("") == {"enabled": True, "allowed_actions": "selected", "sha_pinning_required": True}
    put("", {"enabled": False})
    assert dispatch(world).status_code == 403


def test_runner_groups_of_an_organisation(world):
    group = {
        "id": 1,
        "name": "gpu",
        "visibility": "selected",
        "default": False,
        "runners_url": "http://x/",
        "inherited": False,
        "allows_public_repositories": True,
        "restricted_to_workflows": True,
        "selected_workflows": ["acme/x/.github/workflows/gpu.yml@refs/heads/main"],
    }
    world.repo.owner.runner_groups.append(group)
    assert world.olga.call("GET", "/orgs/acme/actions/runner-groups")["runner_groups"] == [group]
    assert world.bot("GET", "/orgs/acme/actions/runner-groups").status_code == 403
    with pytest.raises(Refused, match="403"):
        world.ann.call("GET", "/orgs/acme/actions/runner-groups")


FORM = """
name: N
run-name: ${{ github.actor }} ${{ inputs.a }} ${{ github.event.inputs.b }} ${{ steps.x }}
on:
  workflow_dispatch:
    inputs:
      a: {type: choice, options: [x, y], default: x}
      b: {type: boolean, default: true}
"""


def test_reading_a_workflow_file():
    it = read("x.yml", FORM)
    assert fill(it, {}) == {"a": "x", "b": "true"}
    assert workflows.title(it, fill(it, {"a": "y", "b": False}), "max") == "max y false"
    for given, says in (
        ({"a": "z"}, "not in the list"),
        ({f"k{n}": "" for n in range(26)}, "No more than 25"),
        ({"a": "x", "b": "z" * 65_536}, "too large"),
    ):
        with pytest.raises(Refused, match=says):
            fill(it, given)
    for text in ("a: [", "just words"):
        with pytest.raises(Refused, match="failed to parse"):
            read("x.yml", text)
    assert read("x.yml", "on: [push, workflow_dispatch]").inputs == {} and read("x.yml", "on: push").inputs is None


@pytest.mark.parametrize(
    "text, there",
    [
        ("2026-03-01", True),
        ("2026-03-02", False),
        (">=2026-03-01T10:00:00Z", True),
        (">2026-03-01T10:00:00Z", False),
        ("<2026-03-02", True),
        ("<=2026-02-28", False),
        ("2026-02-01..2026-03-01", True),
        ("2026-02-01..*", True),
        ("2026-03-01T10:00:01Z..2026-04-01", False),
    ],
)
def test_the_created_filter(text, there):
    from datetime import UTC, datetime

    assert created_filter(text, datetime(2026, 3, 1, 10, tzinfo=UTC)) is there
    with pytest.raises(Refused, match="422"):
        created_filter("yesterday", datetime.now(UTC))
