"""Runs of workflows: what the hub keeps of them, and where something that really runs them plugs in.

The hub takes a `workflow_dispatch`, checks the inputs against the workflow file, makes a `Run` and hands it to
`hub.runner`, which is any object with the methods of `Runner`. With no runner (the default, and what most tests want)
a run stays queued until a test moves it, by the same methods a runner uses:

    job = run.start_job("sandbox")                 webhooks workflow_run and workflow_job in_progress
    number = run.add_artifact("report", data)      what `upload-artifact` would have stored, as a zip file's bytes
    run.end_job(job, "success")                    webhook workflow_job completed
    hub.finish_run(run, "success")                 webhook workflow_run completed

All of them may be called from any thread.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from localhub.model import Repo, User

CONCLUSIONS = (
    "success",
    "failure",
    "cancelled",
    "timed_out",
    "skipped",
    "neutral",
    "action_required",
    "startup_failure",
)


class Runner(Protocol):
    """What runs workflows. The hub calls `dispatch` in a thread of its own and holds no lock meanwhile."""

    def dispatch(
        self, repo: Repo, workflow_path: str, ref: str, inputs: Mapping[str, str], actor: User, run: Run
    ) -> None:
        """Run the workflow file `workflow_path` (`.github/workflows/verify.yml`) as it stands at `run.head_sha`.

        `repo.git.path` is the bare repository. `ref` is the full ref (`refs/heads/main`). `inputs` are complete:
        defaults are filled in. Call `run.start_job`, `run.end_job`, `run.add_artifact`, and at the end
        `hub.finish_run(run, conclusion)`; a run still unfinished when this returns or raises ends as a failure.
        Look at `run.cancelled` (an Event) every so often: when it is set, stop and finish the run as "cancelled".
        """


class Keeper(Protocol):
    """The hub's side: gives out ids and the time, and tells the world what changed."""

    lock: threading.RLock

    def next_id(self) -> int: ...
    def now(self) -> datetime: ...
    def run_changed(self, run: Run, action: str) -> None: ...
    def job_changed(self, job: Job, action: str) -> None: ...
    def token_for_run(self, run: Run, permissions: Mapping[str, str]) -> str: ...


@dataclass(eq=False)
class Workflow:
    id: int
    path: str
    name: str
    created_at: datetime
    runs: int = 0


@dataclass
class ActionsSettings:
    """What an administrator set under Settings → Actions, in the API's words."""

    enabled: bool = True
    allowed_actions: str = "all"
    sha_pinning_required: bool = False
    default_workflow_permissions: str = "read"
    can_approve_pull_request_reviews: bool = False
    fork_approval: str = "first_time_contributors"


@dataclass(frozen=True)
class Step:
    """One step of a job, as the jobs API shows it."""

    name: str
    number: int
    conclusion: str = "success"


@dataclass(eq=False)
class Job:
    """One job of a run. `id` is also the number of its check run (as on GitHub) and OIDC's `check_run_id`."""

    id: int
    run: Run
    name: str
    created_at: datetime
    attempt: int = 1
    status: str = "in_progress"
    conclusion: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    labels: tuple[str, ...] = ("ubuntu-24.04",)
    steps: tuple[Step, ...] = ()
    log: str = ""


@dataclass(eq=False)
class Artifact:
    """Bytes that a job left behind: always a zip file, as GitHub keeps them. `digest` is of those bytes."""

    id: int
    run: Run
    name: str
    data: bytes
    created_at: datetime
    expired: bool = False

    @property
    def digest(self) -> str:
        """`sha256:` and 64 hex digits."""
        return "sha256:" + hashlib.sha256(self.data).hexdigest()


@dataclass(eq=False)
class Run:
    """One run of one workflow."""

    id: int
    repo: Repo
    workflow_id: int
    workflow_path: str  # .github/workflows/verify.yml
    name: str  # the workflow's `name`, or its path
    display_title: str  # its `run-name` with the inputs filled in
    event: str  # workflow_dispatch, or what a test says
    ref: str  # refs/heads/main
    head_sha: str
    number: int  # counts the runs of this workflow
    actor: User
    created_at: datetime
    updated_at: datetime
    hub: Keeper
    inputs: Mapping[str, str] = field(default_factory=dict)
    triggering_actor: User | None = None
    attempt: int = 1
    status: str = "queued"
    conclusion: str | None = None
    head_repo: Repo | None = None  # None: the repository itself
    check_suite_id: int = 0
    jobs: list[Job] = field(default_factory=list)
    artifacts: list[Artifact] = field(default_factory=list)
    cancelled: threading.Event = field(default_factory=threading.Event)
    workflow_text: str = ""  # the workflow file at `head_sha`

    @property
    def head_branch(self) -> str:
        return self.ref.removeprefix("refs/heads/")

    @property
    def workflow_ref(self) -> str:
        """OIDC's `workflow_ref`: OWNER/REPO/.github/workflows/x.yml@refs/heads/main."""
        return f"{self.repo.full_name}/{self.workflow_path}@{self.ref}"

    def token(self, permissions: Mapping[str, str]) -> str:
        """A `GITHUB_TOKEN` for a job of this run, such as {"contents": "read"}; void once the run is finished."""
        return self.hub.token_for_run(self, permissions)

    def start_job(self, name: str, labels: tuple[str, ...] = ("ubuntu-24.04",)) -> Job:
        """A job begins. The first one also moves the run to in_progress."""
        with self.hub.lock:
            now = self.hub.now()
            job = Job(self.hub.next_id(), self, name, now, self.attempt, "queued", started_at=now, labels=labels)
            self.jobs.append(job)
            self.hub.job_changed(job, "queued")
            if self.status != "in_progress":
                self.status, self.updated_at = "in_progress", now
                self.hub.run_changed(self, "in_progress")
            job.status = "in_progress"
            self.hub.job_changed(job, "in_progress")
            return job

    def end_job(self, job: Job, conclusion: str, steps: tuple[Step, ...] = (), log: str = "") -> None:
        """A job is over. Raises ValueError for a conclusion that GitHub does not know."""
        if conclusion not in CONCLUSIONS:
            raise ValueError(f"{conclusion!r} is none of {', '.join(CONCLUSIONS)}")
        with self.hub.lock:
            if job.status == "completed":
                return
            job.status, job.conclusion, job.completed_at = "completed", conclusion, self.hub.now()
            job.steps, job.log = steps or job.steps, log or job.log
            self.hub.job_changed(job, "completed")

    def add_artifact(self, name: str, data: bytes) -> int:
        """Keep `data` (a zip file's bytes) under `name` and give back its id. Names may repeat; ids never do."""
        with self.hub.lock:
            artifact = Artifact(self.hub.next_id(), self, name, data, self.hub.now())
            self.artifacts.append(artifact)
            return artifact.id
