"""Checks, runs of workflows, jobs and artifacts as JSON."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from localhub.model import CheckRun, CheckSuite, Pull, Repo, node_id
from localhub.runs import Artifact, Job, Run, Workflow
from localhub.shapes import people, repos
from localhub.shapes.people import Place, stamp


def _linked(hub: Place, one: Repo, sha: str) -> list[dict[str, Any]]:
    """Open pull requests with this head, but only from the repository itself: those of forks are not shown."""

    def end(ref: str, sha: str, where: Repo) -> dict[str, Any]:
        repo = {"id": where.id, "url": f"{hub.api}/repos/{where.full_name}", "name": where.name}
        return {"ref": ref, "sha": sha, "repo": repo}

    def minimal(pull: Pull) -> dict[str, Any]:
        return {
            "url": f"{hub.api}/repos/{one.full_name}/pulls/{pull.number}",
            "id": pull.id,
            "number": pull.number,
            "head": end(pull.head_ref, pull.head, one),
            "base": end(pull.base_ref, pull.base_sha, one),
        }

    return [minimal(pull) for pull in one.pulls if pull.open and pull.head == sha and pull.head_repo is one]


def check_run(hub: Place, it: CheckRun) -> dict[str, Any]:
    one = it.suite.repo
    own = f"{hub.api}/repos/{one.full_name}/check-runs/{it.id}"
    page = f"{hub.url}/{one.full_name}/runs/{it.id}"
    return {
        "id": it.id,
        "name": it.name,
        "node_id": node_id("CR", it.id),
        "head_sha": it.suite.head_sha,
        "external_id": it.external_id or "",
        "url": own,
        "html_url": page,
        "details_url": it.details_url or page,
        "status": it.status,
        "conclusion": it.conclusion,
        "started_at": stamp(it.started_at),
        "completed_at": stamp(it.completed_at),
        "output": {
            "title": it.title,
            "summary": it.summary,
            "text": it.text,
            "annotations_count": len(it.annotations),
            "annotations_url": own + "/annotations",
        },
        "check_suite": {"id": it.suite.id},
        "app": people.app(hub, it.suite.app),
        "pull_requests": _linked(hub, one, it.suite.head_sha),
    }


def _suite_state(one: CheckSuite) -> tuple[str, str | None, int]:
    """Status, conclusion and number of a suite's runs; the worst conclusion counts."""
    newest = {run.name: run for run in one.repo.checks if run.suite is one}
    if any(run.status != "completed" for run in newest.values()) or not newest:
        return ("queued" if not newest else "in_progress"), None, len(newest)
    order = ("success", "neutral", "skipped", "stale", "cancelled", "timed_out", "action_required", "failure")
    return "completed", max((run.conclusion or "failure" for run in newest.values()), key=order.index), len(newest)


def check_suite(hub: Place, it: CheckSuite, webhook: bool = False) -> dict[str, Any]:
    one = it.repo
    own = f"{hub.api}/repos/{one.full_name}/check-suites/{it.id}"
    status, conclusion, count = _suite_state(it)
    head = one.git.commit(it.head_sha)
    inner = repos.git_commit(hub, one, head)
    shown = {
        "id": it.id,
        "node_id": node_id("CS", it.id),
        "head_branch": it.head_branch,
        "head_sha": it.head_sha,
        "status": status,
        "conclusion": conclusion,
        "url": own,
        "before": head.parents[0] if head.parents else "0" * 40,
        "after": it.head_sha,
        "pull_requests": _linked(hub, one, it.head_sha),
        "app": people.app(hub, it.app),
        "created_at": stamp(it.created_at),
        "updated_at": stamp(it.updated_at),
        "rerequestable": True,
        "runs_rerequestable": True,
        "latest_check_runs_count": count,
        "check_runs_url": own + "/check-runs",
        "head_commit": _head_commit(inner),
    }
    return shown if webhook else shown | {"repository": repos.repo(hub, one)}


def _head_commit(inner: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": inner["sha"],
        "tree_id": inner["tree"]["sha"],
        "message": inner["message"],
        "timestamp": inner["committer"]["date"],
        "author": {key: inner["author"][key] for key in ("name", "email")},
        "committer": {key: inner["committer"][key] for key in ("name", "email")},
    }


def workflow(hub: Place, one: Repo, it: Workflow) -> dict[str, Any]:
    return {
        "id": it.id,
        "node_id": node_id("W", it.id),
        "name": it.name,
        "path": it.path,
        "state": "active",
        "created_at": stamp(it.created_at),
        "updated_at": stamp(it.created_at),
        "url": f"{hub.api}/repos/{one.full_name}/actions/workflows/{it.id}",
        "html_url": f"{hub.url}/{one.full_name}/blob/{one.default_branch}/{it.path}",
        "badge_url": f"{hub.url}/{one.full_name}/workflows/{it.id}/badge.svg",
    }


def run(hub: Place, it: Run) -> dict[str, Any]:
    one, head = it.repo, it.head_repo or it.repo
    own = f"{hub.api}/repos/{one.full_name}/actions/runs/{it.id}"
    return {
        "id": it.id,
        "name": it.name,
        "node_id": node_id("WFR", it.id),
        "head_branch": it.head_branch,
        "head_sha": it.head_sha,
        "path": it.workflow_path,
        "display_title": it.display_title,
        "run_number": it.number,
        "event": it.event,
        "status": it.status,
        "conclusion": it.conclusion,
        "workflow_id": it.workflow_id,
        "check_suite_id": it.check_suite_id,
        "check_suite_node_id": node_id("CS", it.check_suite_id),
        "url": own,
        "html_url": f"{hub.url}/{one.full_name}/actions/runs/{it.id}",
        "pull_requests": [] if head is not one else _linked(hub, one, it.head_sha),
        "created_at": stamp(it.created_at),
        "updated_at": stamp(it.updated_at),
        "actor": people.user(hub, it.actor),
        "run_attempt": it.attempt,
        "referenced_workflows": [],
        "run_started_at": stamp(it.created_at),
        "triggering_actor": people.user(hub, it.triggering_actor or it.actor),
        "jobs_url": own + "/jobs",
        "logs_url": own + "/logs",
        "check_suite_url": f"{hub.api}/repos/{one.full_name}/check-suites/{it.check_suite_id}",
        "artifacts_url": own + "/artifacts",
        "cancel_url": own + "/cancel",
        "rerun_url": own + "/rerun",
        "previous_attempt_url": None,
        "workflow_url": f"{hub.api}/repos/{one.full_name}/actions/workflows/{it.workflow_id}",
        "head_commit": _head_commit(repos.git_commit(hub, one, one.git.commit(it.head_sha))),
        "repository": repos.repo(hub, one),
        "head_repository": repos.repo(hub, head),
    }


def job(hub: Place, it: Job) -> dict[str, Any]:
    one = it.run.repo
    times = {"started_at": stamp(it.started_at), "completed_at": stamp(it.completed_at)}
    return {
        "id": it.id,
        "run_id": it.run.id,
        "workflow_name": it.run.name,
        "head_branch": it.run.head_branch,
        "run_url": f"{hub.api}/repos/{one.full_name}/actions/runs/{it.run.id}",
        "run_attempt": it.attempt,
        "node_id": node_id("CR", it.id),
        "head_sha": it.run.head_sha,
        "url": f"{hub.api}/repos/{one.full_name}/actions/jobs/{it.id}",
        "html_url": f"{hub.url}/{one.full_name}/actions/runs/{it.run.id}/job/{it.id}",
        "status": it.status,
        "conclusion": it.conclusion,
        "created_at": stamp(it.created_at),
        **times,
        "name": it.name,
        "steps": [
            {"name": step.name, "status": "completed", "conclusion": step.conclusion, "number": step.number, **times}
            for step in it.steps
        ],
        "check_run_url": f"{hub.api}/repos/{one.full_name}/check-runs/{it.id}",
        "labels": list(it.labels),
        "runner_id": 1,
        "runner_name": "GitHub Actions 1",
        "runner_group_id": 0,
        "runner_group_name": "GitHub Actions",
    }


def artifact(hub: Place, it: Artifact) -> dict[str, Any]:
    one = it.run.repo
    own = f"{hub.api}/repos/{one.full_name}/actions/artifacts/{it.id}"
    head = it.run.head_repo or one
    return {
        "id": it.id,
        "node_id": node_id("MDg6", it.id),
        "name": it.name,
        "size_in_bytes": len(it.data),
        "url": own,
        "archive_download_url": own + "/zip",
        "expired": it.expired,
        "digest": it.digest,
        "created_at": stamp(it.created_at),
        "updated_at": stamp(it.created_at),
        "expires_at": stamp(it.created_at + timedelta(days=90)),
        "workflow_run": {
            "id": it.run.id,
            "repository_id": one.id,
            "head_repository_id": head.id,
            "head_branch": it.run.head_branch,
            "head_sha": it.run.head_sha,
        },
    }
