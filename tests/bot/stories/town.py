"""A whole small world: localhub, the bot behind a real HTTP server, people, and jobs that report when a test says so.

Nothing runs by itself. `settle()` lets every webhook arrive and the bot look at whatever is due, until all is quiet, so
a story is the same every time. The bot's clock is the hub's, and `wait` lets it jump.

On PostgreSQL two bots share all of the work, as two processes of an operator would: each has its own connections,
caches and tokens, and their passes run at the same time.
"""

from __future__ import annotations

import io
import json
import socket
import threading
import time
import zipfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from bot import crash
from bot.core import Bot, build
from bot.reconcile import Outcome
from bot.settings import Settings
from bot.snapshot import SEVERITIES
from bot.sweep import Sweeper
from bot.web.app import build as build_web
from bot.worker import Worker
from envbounty.findings import Environment, Finding, Jail, Report, Result, Severity, Verdict, settle
from envbounty.policy import BUILT_IN, PLACE, read_policy
from localhub.conformance import Checker
from localhub.hub import Hub
from localhub.model import App, Pull, Repo
from localhub.oidc import Issuer, claims_of
from localhub.people import Person
from localhub.runs import Run

#: GitHub's own description of its API: every request that the bot makes is held against it.
GITHUB = Path(__file__).parents[2] / "localhub" / "github.openapi.json.gz"

PERMISSIONS = {
    "metadata": "read",
    "actions": "write",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
}
EVENTS = [
    *("check_run", "check_suite", "issue_comment", "member", "pull_request", "pull_request_review"),
    *("push", "repository", "workflow_run"),
]

WORKFLOW = """
name: {tier}
run-name: envbounty {tier} job=${{{{ inputs.job_id }}}}
on:
  workflow_dispatch:
    inputs:
      job_id: {{required: true, type: string}}
      pr: {{required: true, type: string}}
      head_sha: {{required: true, type: string}}
      base_sha: {{required: true, type: string}}
      bot_url: {{required: true, type: string}}
      audience: {{required: true, type: string}}
jobs:
  sandbox: {{runs-on: ubuntu-24.04, steps: [{{run: 'true'}}]}}
"""

ENV_YAML = "name: {name}\nversion: 1.0.0\nkind: function\ntitle: A task\n"
#: Twelve lines, so that findings have lines to stand on.
PYTHON = "".join(f"line_{number} = {number}\n" for number in range(1, 13))

BASE = {
    "README.md": "# Bounties\n",
    ".github/CODEOWNERS": "* @max\n/policies/ @pia\n",
    ".github/workflows/verify.yml": WORKFLOW.format(tier="verify"),
    ".github/workflows/attack.yml": WORKFLOW.format(tier="attack"),
    ".github/workflows/gpu-bench.yml": WORKFLOW.format(tier="gpu-bench"),
}


def environment(slug: str = "sums", python: str = PYTHON) -> dict[str, str]:
    """An environment's files, as a contributor pushes them."""
    place = f"environments/{slug}"
    spec = ENV_YAML.format(name=slug)
    return {f"{place}/env.yaml": spec, f"{place}/environment.py": python, f"{place}/task.md": "Do.\n"}


def finding(rule: str = "accepts-wrong", line: int = 3, severity: Severity = Severity.ERROR, **more: Any) -> Finding:
    words = {"message": f"{rule} on line {line}", "path": "environment.py", "fix": "Mend it."}
    return Finding(rule=rule, severity=severity, line=line, **{**words, **more})


class Town:
    """One repository `lab/bounties`, the bot, and ann (contributor), max (maintainer), pia (another one)."""

    def __init__(self, database_url: str, frozen: bool = False, **settings: Any) -> None:
        """`frozen`: time stands still but for `wait`, so that nothing depends on how fast this machine is."""
        self.policy_text = ""
        self.hub = Hub.start()
        if frozen:
            began = datetime.now(UTC)
            self.hub.now = lambda: began + self.hub.offset  # type: ignore[method-assign]
        self.hub.checker = self.checker = Checker(GITHUB)
        self.issuer = Issuer(f"{self.hub.url}/oidc", clock=lambda: self.hub.now().timestamp())
        self.hub.mount("/oidc", self.issuer.app)
        self.ann, self.max, self.pia = (self.hub.user(name) for name in ("ann", "max", "pia"))
        self.repo: Repo = self.hub.create_repo("lab/bounties", files=BASE, maintainers=[self.max, self.pia])
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.gh_app: App = self.hub.create_app(
            "Bounty bot", f"{self.url}/webhook", PERMISSIONS, EVENTS, webhook_secret="a secret of good length"
        )
        self.settings = Settings(
            app_id=str(self.gh_app.id),
            app_private_key=self.gh_app.private_key,
            webhook_secret=self.gh_app.webhook_secret,
            public_url=self.url,
            database_url=database_url,
            github_api_url=self.hub.api,
            oidc_issuer=self.issuer.url,
            **{"write_spacing": 0, "read_back": 0, "dispatch_grace": 30, "report_grace": 30, **settings},
        )
        self._bots: list[Bot] = []
        self.bot = self.another()
        self.worker = Worker(self.bot)
        #: The second bot, on PostgreSQL only: whoever runs two of them needs that.
        self.rival: Worker | None = None if self.bot.store.sqlite else Worker(self.another())
        self._died: set[str] = set()
        self._aside = ThreadPoolExecutor(1, "rival")
        self.sweeper = Sweeper(self.bot, lambda: None)
        self._server = self._listen()
        self.hub.install_app(self.gh_app, self.repo)
        self.client = httpx.Client(trust_env=False, timeout=30)
        self.settle()

    def another(self) -> Bot:
        """A bot of this town, on the same database."""
        bot = build(self.settings)
        bot.clock = bot.app.tokens.clock = bot.app.http.clock = self.hub.now
        bot.app.http.backoff = 0  # seconds of this machine, which the hub's clock knows nothing of
        # What a story puts in its place for the first bot goes for all of them.
        bot.examine = (lambda access: self.bot.examine(access)) if self._bots else (lambda access: ())
        self._bots.append(bot)
        return bot

    def _listen(self) -> uvicorn.Server:
        bot = self.bot
        secret = self.settings.webhook_secret.get_secret_value()
        app = build_web(secret, bot.store, bot.reporting, bot.health, clock=bot.clock)
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
        threading.Thread(target=server.run, args=([self._socket],), daemon=True).start()
        while not server.started:
            time.sleep(0.005)
        return server

    def close(self) -> None:
        crash.hook = None
        self._server.should_exit = True
        self.client.close()
        self.hub.stop()
        self._aside.shutdown()
        for bot in self._bots:
            bot.close()

    # Time

    def settle(self, most: int = 60) -> None:
        """Until no webhook is on its way and nothing is due."""
        for _ in range(most):
            self.hub.drain()
            if not self.turns():
                self.hub.drain()
                if not self.turns():
                    return
        raise AssertionError("the bot does not come to rest")

    def turns(self) -> bool:
        """A turn of every bot, all at the same time. Whether any of them had work."""
        if self.rival is None:
            return self.turn()
        beside = self._aside.submit(self.turn, "rival")
        try:
            worked = self.turn()
        finally:
            beside.exception()  # it comes to its end, whatever happened here
        return beside.result() or worked

    def turn(self, name: str = "worker") -> bool:
        """A turn of one bot, `worker` or `rival`. Who does not come back from it has died; see `restart`."""
        try:
            return bool(getattr(self, name).turn())
        except BaseException:
            self._died.add(name)
            raise

    def restart(self) -> None:
        """Another process on the same database for each that died: nothing that was only in memory is left."""
        crash.hook = None
        for name in self._died or {"worker"}:
            setattr(self, name, Worker(self.another()))
        self._died.clear()

    def wait(self, seconds: float) -> None:
        """Let time pass, then settle."""
        self.hub.tick(seconds)
        self.settle()

    def sweep(self) -> None:
        self.sweeper.turn(force=True)
        self.settle()

    # Jobs

    def runs(self, tier: str = "verify") -> list[Run]:
        return [run for run in self.repo.runs if run.workflow_path.endswith(f"/{tier}.yml")]

    def run(self, tier: str = "verify", pull: Pull | None = None) -> Run:
        """The newest run of a tier, of one pull request. Two bots may begin the runs of several in any order."""
        return [run for run in self.runs(tier) if pull is None or run.inputs["pr"] == str(pull.number)][-1]

    def report(
        self,
        run: Run,
        findings: Sequence[Finding] = (),
        verdict: Verdict | None = None,
        slugs: Sequence[str] = ("sums",),
        claims: Mapping[str, Any] | None = None,
        finish: bool = True,
        **changed: Any,
    ) -> httpx.Response:
        """What the two jobs of a run do: leave a report as an artifact, and post it with a token."""
        body = self.posted(run, findings, verdict, slugs) | changed
        job = run.start_job("report")
        answer = self.post(body, self.issuer.sign(claims_of(job), self.settings.audience, **(claims or {})))
        run.end_job(job, "success")
        if finish:
            self.hub.finish_run(run, "success")
        return answer

    def posted(
        self, run: Run, findings: Sequence[Finding], verdict: Verdict | None, slugs: Sequence[str]
    ) -> dict[str, Any]:
        tier = run.workflow_path.rpartition("/")[2].removesuffix(".yml")
        settled, reason = settle(findings)
        results = tuple(
            Result(
                environment=Environment(name=slug, path=f"environments/{slug}", kind="function", dialect="native"),
                verdict=verdict or settled,
                reason=reason,
                findings=tuple(findings) if slug == slugs[0] else (),
                policy=self.digest,
            )
            for slug in slugs
        )
        report = Report(tier=tier, policy=self.digest, jail=Jail(backend="bubblewrap", isolated=True), results=results)
        text = report.to_json()
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("report.json", text)
        sandbox = run.start_job("sandbox")
        number = run.add_artifact("report", packed.getvalue())
        run.end_job(sandbox, "success")
        artifact = next(one for one in run.artifacts if one.id == number)
        return {
            "schema": 1,
            "job_id": run.inputs["job_id"],
            "tier": tier,
            "head_sha": run.inputs["head_sha"],
            "base_sha": run.inputs["base_sha"],
            "artifact": {"id": artifact.id, "digest": artifact.digest, "size": len(text)},
            "report": json.loads(text),
        }

    @property
    def digest(self) -> str:
        """The policy that runs weigh their findings by."""
        return read_policy(self.policy_text, PLACE, SEVERITIES).digest if self.policy_text else BUILT_IN.digest

    def post(self, body: Any, token: str) -> httpx.Response:
        return self.client.post(f"{self.url}/report", json=body, headers={"authorization": f"Bearer {token}"})

    # What there is to see

    def checks(self, pull: Pull, head: str = "") -> dict[str, str]:
        """The conclusion, or else the status, of each check of the bot on a head."""
        head = head or pull.head
        mine = [it for it in self.repo.checks if it.suite.app is self.gh_app and it.suite.head_sha == head]
        return {it.name: it.conclusion or it.status for it in mine}

    def mine(self, pull: Pull) -> list[str]:
        """The bot's comments in the conversation."""
        return [it.body for it in pull.issue.comments if it.user.type == "Bot"]

    def inline(self, pull: Pull) -> list[str]:
        """The bot's comments beside the code, as path:line, in order."""
        found = [it for it in pull.comments if it.user.type == "Bot"]
        return [f"{it.thread.path}:{it.thread.line}" for it in found]

    def writes(self) -> list[str]:
        """Every write to the API so far, but for tokens."""
        return [call for call in self.hub.calls if not call.startswith("GET ") and "access_tokens" not in call]

    def look(self, pull: Pull) -> Outcome | None:
        """One more pass over a pull request, now."""
        with self.bot.store.write() as db:
            from bot.store import pulls

            pulls.mark(self.bot.store, db, self.repo.id, pull.number, self.bot.clock())
        self.settle()
        return None


def opened(town: Town, **more: Any) -> Pull:
    """ann opens a pull request with one environment, and the bot has seen it."""
    pull = town.ann.open_pull(town.repo, environment(**more))
    town.settle()
    return pull


__all__ = ["Path", "Person", "Town", "datetime", "environment", "finding", "opened", "timedelta"]
