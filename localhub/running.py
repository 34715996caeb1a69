"""Runs of workflows, their jobs and check runs: started, moved on, told about."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from localhub import shapes
from localhub.faults import Faults
from localhub.model import App, CheckRun, Refused, Repo, User
from localhub.runs import Job, Run, Runner, Workflow
from localhub.store import Store
from localhub.workflows import Definition, title


class Running(Store):
    """The part of the hub that `localhub.runs.Run` and its runner talk to. `emit` is the hub's."""

    def __init__(self, folder: Path | None, faults: Faults) -> None:
        super().__init__(folder, faults)
        self.runner: Runner | None = None
        self._threads: list[threading.Thread] = []

    @property
    def url(self) -> str:
        raise NotImplementedError

    @property
    def api(self) -> str:
        raise NotImplementedError

    def emit(
        self,
        repo: Repo,
        event: str,
        action: str | None,
        sender: User,
        payload: Mapping[str, Any],
        only: App | None = None,
    ) -> None:
        raise NotImplementedError

    def start_run(
        self,
        repo: Repo,
        path: str,
        definition: Definition,
        ref: str,
        inputs: Mapping[str, str],
        actor: User,
        event: str = "workflow_dispatch",
        sha: str | None = None,
        head_repo: Repo | None = None,
    ) -> Run:
        """A run of a workflow, handed to the runner if there is one. `sha` and `head_repo` are for other events than
        `workflow_dispatch`, such as the `pull_request` run of a fork."""
        with self.lock:
            now, flow = self.now(), self.workflow(repo, path, definition.name)
            flow.runs += 1
            head = sha or repo.git.ref(ref)
            if head is None:
                raise Refused(422, f"No ref found for: {ref}")
            suite, _ = self.suite(repo, self.actions_app, head, ref.removeprefix("refs/heads/"))
            run = Run(
                self.next_id(),
                repo,
                flow.id,
                path,
                flow.name,
                title(definition, inputs, actor.login),
                event,
                ref,
                head,
                flow.runs,
                actor,
                now,
                now,
                self,
                dict(inputs),
                actor,
                head_repo=head_repo,
                check_suite_id=suite.id,
                workflow_text=definition.text,
            )
            repo.runs.append(run)
            self.run_changed(run, "requested")
            runner = self.runner
        if runner is not None and event == "workflow_dispatch":
            self._start(runner, run)
        return run

    def rerun(self, run: Run, actor: User) -> None:
        """All jobs of a finished run once more: the same run, the next attempt, asked for by `actor`."""
        with self.lock:
            run.attempt, run.status, run.conclusion, run.updated_at = run.attempt + 1, "queued", None, self.now()
            run.triggering_actor = actor
            run.cancelled.clear()
            self.run_changed(run, "requested")
            runner = self.runner
        if runner is not None:
            self._start(runner, run)

    def _start(self, runner: Runner, run: Run) -> None:
        thread = threading.Thread(target=self._run, args=(runner, run), name=f"run {run.id}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _run(self, runner: Runner, run: Run) -> None:
        try:
            runner.dispatch(run.repo, run.workflow_path, run.ref, run.inputs, run.actor, run)
        finally:
            if run.status != "completed":
                self.finish_run(run, "cancelled" if run.cancelled.is_set() else "failure")

    def finish_run(self, run: Run, conclusion: str) -> None:
        """A run is over; jobs that are not over end with it."""
        with self.lock:
            if run.status == "completed":
                return
            for job in run.jobs:
                run.end_job(job, conclusion)
            run.status, run.conclusion, run.updated_at = "completed", conclusion, self.now()
            self.run_changed(run, "completed")

    def cancel_run(self, run: Run) -> None:
        """Ask for a run's end. Without a runner it ends at once."""
        with self.lock:
            run.cancelled.set()
            if self.runner is None:
                self.finish_run(run, "cancelled")

    def workflow(self, repo: Repo, path: str, name: str) -> Workflow:
        made = repo.workflows.setdefault(path, Workflow(self.next_id(), path, name, self.now()))
        made.name = name
        return made

    def run_changed(self, run: Run, action: str) -> None:
        flow = run.repo.workflows[run.workflow_path]
        payload = {"workflow_run": shapes.run(self, run), "workflow": shapes.workflow(self, run.repo, flow)}
        self.emit(run.repo, "workflow_run", action, run.actor, payload)

    def job_changed(self, job: Job, action: str) -> None:
        """Keep the job's check run, whose number is the job's own, and tell about both."""
        run, repo = job.run, job.run.repo
        check = next((one for one in repo.checks if one.id == job.id), None)
        if check is None:
            suite = next(one for one in repo.suites if one.id == run.check_suite_id)
            check = CheckRun(job.id, suite, job.name, job.status, None, job.started_at, None)
            repo.checks.append(check)
        check.status, check.conclusion, check.completed_at = job.status, job.conclusion, job.completed_at
        self.emit(repo, "workflow_job", action, run.actor, {"workflow_job": shapes.job(self, job)})
        if action != "in_progress":
            self.emit_check(check, "created" if action == "queued" else "completed", run.actor)

    def emit_check(self, check: CheckRun, action: str, sender: User, only: App | None = None) -> None:
        """Tell about a check run, and about its suite when that was the last."""
        repo, suite = check.suite.repo, check.suite
        suite.updated_at = self.now()
        inside = shapes.check_suite(self, suite, webhook=True)
        self.emit(
            repo,
            "check_run",
            action,
            sender,
            {"check_run": shapes.check_run(self, check) | {"check_suite": inside}},
            only,
        )
        if action == "completed" and inside["status"] == "completed":
            self.emit(repo, "check_suite", "completed", sender, {"check_suite": inside})
