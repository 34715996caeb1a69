"""Workflows, their runs, jobs and artifacts, and the settings of Actions."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from localhub import auth, shapes, workflows
from localhub.git import Entry
from localhub.model import Refused, Repo
from localhub.rest.core import Answer, Call, Page, operation
from localhub.runs import Artifact, Run, Workflow

READ, WRITE, ADMIN = "actions:read", "actions:write", "administration:read"
FOLDER = ".github/workflows"


def _files(repo: Repo, sha: str) -> list[Entry]:
    folder = repo.git.entry(sha, FOLDER)
    if folder is None or folder.type != "tree":
        return []
    return [one for one in repo.git.tree(sha, FOLDER) if one.type == "blob" and one.path.endswith((".yml", ".yaml"))]


def _workflows(call: Call) -> list[Workflow]:
    """The workflows of the default branch, which is where GitHub looks for them."""
    repo, hub = call.repo, call.hub
    sha = repo.git.ref(f"refs/heads/{repo.default_branch}")
    found = []
    for entry in _files(repo, sha) if sha else []:
        try:
            name = workflows.read(entry.path, repo.git.blob(entry.sha).decode(errors="replace")).name
        except Refused:
            name = entry.path
        found.append(hub.workflow(repo, entry.path, name))
    return found


def _workflow(call: Call) -> Workflow:
    wanted = call.params["workflow_id"]
    for one in _workflows(call):
        if wanted in (str(one.id), one.path.rsplit("/", 1)[-1]):
            return one
    raise Refused(404, "Not Found")


@operation("GET /repos/{owner}/{repo}/actions/workflows", app=READ)
def listing(call: Call) -> Any:
    return Page(_workflows(call), lambda it: shapes.workflow(call.hub, call.repo, it), "workflows")


@operation("GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}", app=READ)
def get_workflow(call: Call) -> Any:
    return shapes.workflow(call.hub, call.repo, _workflow(call))


@operation("POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches", app=WRITE, role="write")
def dispatch(call: Call) -> Any:
    """Start a run of the file as it is on `ref`, a branch or tag; `return_run_details` has the answer name the run."""
    repo, hub, flow, ref = call.repo, call.hub, _workflow(call), call.need("ref")
    full = (
        ref
        if ref.startswith("refs/")
        else next((f"refs/{kind}/{ref}" for kind in ("heads", "tags") if repo.git.ref(f"refs/{kind}/{ref}")), "")
    )
    sha = repo.git.commit_sha(full) if full and repo.git.ref(full) else None
    if sha is None:
        raise Refused(422, f"No ref found for: {ref}")
    text = repo.git.file(sha, flow.path)
    if text is None:
        raise Refused(422, f"Workflow file {flow.path} does not exist on {ref}")
    if not repo.actions.enabled:
        raise Refused(403, "Actions has been disabled for this repository.")
    given = call.json.get("inputs") or {}
    definition = workflows.read(flow.path, text.decode(errors="replace"))
    run = hub.start_run(repo, flow.path, definition, full, workflows.fill(definition, given), call.user, sha=sha)
    newest = call.headers.get("x-github-api-version", "") >= "2026-03-10"
    if not call.json.get("return_run_details") and not newest:
        return Answer(204)
    own = f"{hub.api}/repos/{repo.full_name}/actions/runs/{run.id}"
    return {"workflow_run_id": run.id, "run_url": own, "html_url": f"{hub.url}/{repo.full_name}/actions/runs/{run.id}"}


# Runs


_CREATED = re.compile(r"(>=|<=|>|<)?([0-9T:Z+.-]+?)(?:\.\.([0-9T:Z+.-]+|\*))?\Z")


def _moment(text: str) -> tuple[datetime, timedelta]:
    """A date or a time, and how long it lasts: a whole day or a second."""
    try:
        at = datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as why:
        raise Refused(422, "Invalid created parameter") from why
    whole = len(text) == 10
    return (at if at.tzinfo else at.astimezone()), timedelta(days=1) if whole else timedelta(seconds=1)


def created_filter(text: str, at: datetime) -> bool:
    """Whether a run made at `at` is in the range `text`: `>=2026-01-02T03:04:05Z`, `A..B`, or a date."""
    match = _CREATED.match(text)
    if match is None:
        raise Refused(422, "Invalid created parameter")
    start, span = _moment(match[2])
    if match[3]:
        if match[3] == "*":
            return at >= start
        end, last = _moment(match[3])
        return start <= at < end + last
    return {">=": at >= start, ">": at >= start + span, "<": at < start, "<=": at < start + span}.get(
        match[1] or "", start <= at < start + span
    )


def _filtered(call: Call, runs: list[Run]) -> Any:
    query = call.query
    tests: dict[str, Callable[[Run, str], bool]] = {
        "event": lambda run, want: run.event == want,
        "status": lambda run, want: want in (run.status, run.conclusion),
        "branch": lambda run, want: run.head_branch == want,
        "actor": lambda run, want: run.actor.login == want,
        "head_sha": lambda run, want: run.head_sha == want,
        "created": lambda run, want: created_filter(want, run.created_at.replace(microsecond=0)),
    }
    for key, test in tests.items():
        if query.get(key):
            runs = [run for run in runs if test(run, query[key])]
    newest = sorted(runs, key=lambda run: run.id, reverse=True)
    return Page(newest, lambda run: shapes.run(call.hub, run), "workflow_runs")


@operation("GET /repos/{owner}/{repo}/actions/runs", app=READ)
def runs(call: Call) -> Any:
    return _filtered(call, list(call.repo.runs))


@operation("GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs", app=READ)
def runs_of_workflow(call: Call) -> Any:
    flow = _workflow(call)
    return _filtered(call, [run for run in call.repo.runs if run.workflow_id == flow.id])


def _run(call: Call) -> Run:
    number = call.number("run_id")
    found = next((run for run in call.repo.runs if run.id == number), None)
    if found is None:
        raise Refused(404, "Not Found")
    return found


@operation("GET /repos/{owner}/{repo}/actions/runs/{run_id}", app=READ)
def get_run(call: Call) -> Any:
    return shapes.run(call.hub, _run(call))


@operation("POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel", app=WRITE, role="write")
def cancel(call: Call) -> Any:
    run = _run(call)
    if run.status == "completed":
        raise Refused(409, "Cannot cancel a workflow run that is completed.")
    call.hub.cancel_run(run)
    return 202, {}


@operation("POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun", app=WRITE, role="write")
def rerun(call: Call) -> Any:
    run = _run(call)
    if run.status != "completed":
        raise Refused(403, "This workflow is already running")
    call.hub.rerun(run, call.user)
    return 201, {}


@operation("GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs", app=READ)
def jobs(call: Call) -> Any:
    run = _run(call)
    chosen = run.jobs if call.query.get("filter") == "all" else [job for job in run.jobs if job.attempt == run.attempt]
    return Page(chosen, lambda job: shapes.job(call.hub, job), "jobs")


@operation("GET /repos/{owner}/{repo}/actions/jobs/{job_id}", app=READ)
def job(call: Call) -> Any:
    number = call.number("job_id")
    for run in call.repo.runs:
        for one in run.jobs:
            if one.id == number:
                return shapes.job(call.hub, one)
    raise Refused(404, "Not Found")


# Artifacts


@operation("GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts", app=READ)
def artifacts_of_run(call: Call) -> Any:
    name = call.query.get("name")
    found = [one for one in _run(call).artifacts if name in (None, one.name)]
    return Page(found, lambda it: shapes.artifact(call.hub, it), "artifacts")


@operation("GET /repos/{owner}/{repo}/actions/artifacts", app=READ)
def artifacts(call: Call) -> Any:
    name = call.query.get("name")
    found = [one for run in call.repo.runs for one in run.artifacts if name in (None, one.name)]
    return Page(
        sorted(found, key=lambda it: it.id, reverse=True), lambda it: shapes.artifact(call.hub, it), "artifacts"
    )


def _artifact(call: Call) -> Artifact:
    number = call.number("artifact_id")
    for run in call.repo.runs:
        for one in run.artifacts:
            if one.id == number:
                return one
    raise Refused(404, "Not Found")


@operation("GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}", app=READ)
def artifact(call: Call) -> Any:
    return shapes.artifact(call.hub, _artifact(call))


@operation("DELETE /repos/{owner}/{repo}/actions/artifacts/{artifact_id}", app=WRITE, role="write")
def delete_artifact(call: Call) -> Any:
    it = _artifact(call)
    it.run.artifacts.remove(it)
    return Answer(204)


@operation("GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}", app=READ)
def download(call: Call) -> Any:
    """A redirect to an address that needs no token, works once a minute long, and must not be sent one."""
    it = _artifact(call)
    if call.token is None:
        raise Refused(401, "Requires authentication")
    if it.expired:
        raise Refused(410, "Artifact has expired")
    if call.params["archive_format"] != "zip":
        raise Refused(422, "Unknown archive format")
    ticket = auth.secret("", 40)
    call.hub.downloads[ticket] = (it, call.hub.now() + timedelta(minutes=1))
    return Answer(302, None, {"Location": f"{call.hub.url}/-/artifacts/{ticket}"})


# Settings


@operation("GET /repos/{owner}/{repo}/actions/permissions", app=ADMIN, role="admin")
def permissions(call: Call) -> Any:
    settings = call.repo.actions
    return {
        "enabled": settings.enabled,
        "allowed_actions": settings.allowed_actions,
        "sha_pinning_required": settings.sha_pinning_required,
    }


@operation("GET /repos/{owner}/{repo}/actions/permissions/workflow", app=ADMIN, role="admin")
def workflow_permissions(call: Call) -> Any:
    settings = call.repo.actions
    return {
        "default_workflow_permissions": settings.default_workflow_permissions,
        "can_approve_pull_request_reviews": settings.can_approve_pull_request_reviews,
    }


@operation("GET /repos/{owner}/{repo}/actions/permissions/fork-pr-contributor-approval", app=ADMIN, role="admin")
def fork_approval(call: Call) -> Any:
    return {"approval_policy": call.repo.actions.fork_approval}


@operation(
    "PUT /repos/{owner}/{repo}/actions/permissions/fork-pr-contributor-approval",
    app="administration:write",
    role="admin",
)
def set_fork_approval(call: Call) -> Any:
    policy = call.need("approval_policy")
    if policy not in ("first_time_contributors_new_to_github", "first_time_contributors", "all_external_contributors"):
        raise Refused(422, "Invalid approval policy")
    call.repo.actions.fork_approval = policy
    return Answer(204)


@operation("PUT /repos/{owner}/{repo}/actions/permissions/workflow", app="administration:write", role="admin")
def set_workflow_permissions(call: Call) -> Any:
    settings, body = call.repo.actions, call.json
    settings.default_workflow_permissions = body.get(
        "default_workflow_permissions", settings.default_workflow_permissions
    )
    settings.can_approve_pull_request_reviews = body.get(
        "can_approve_pull_request_reviews", settings.can_approve_pull_request_reviews
    )
    return Answer(204)


@operation("PUT /repos/{owner}/{repo}/actions/permissions", app="administration:write", role="admin")
def set_permissions(call: Call) -> Any:
    settings, body = call.repo.actions, call.json
    settings.enabled = bool(call.need("enabled"))
    settings.allowed_actions = body.get("allowed_actions", settings.allowed_actions)
    settings.sha_pinning_required = body.get("sha_pinning_required", settings.sha_pinning_required)
    return Answer(204)
