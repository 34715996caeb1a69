"""Everything that runs: the hub and its runner, a bounty repository, the App installed on it, the bot's process."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from bot.manifest import EVENTS, ORGANISATION, REPOSITORY
from envbounty.scaffold.repository import render_repository
from localhub.actions import ActRunner, Mirror
from localhub.hub import Hub
from localhub.model import App, Repo
from localhub.oidc import Issuer
from localhub.people import Person

ROOT = Path(__file__).parent.parent
#: The commit of envbounty that the repository trusts; here it stands for the working tree.
TRUSTED = "0123456789abcdef0123456789abcdef01234567"
NAME = "acme/bounties"


class NotStarted(Exception):
    """The bot did not come up. The message says what it printed."""


@dataclass
class World:
    hub: Hub
    issuer: Issuer
    runner: ActRunner
    repo: Repo
    app: App
    maintainer: Person
    folder: Path
    bot_url: str
    bot: subprocess.Popen[bytes] | None = None

    @classmethod
    def start(cls, folder: Path, port: int = 0, at_once: int = 2) -> World:
        """Raises `NotStarted`."""
        hub = Hub.start(port, folder=folder / "hub")
        issuer = Issuer(hub.url + "/oidc")
        hub.mount("/oidc", issuer.app)
        machine = {"ENVBOUNTY_PYTHON": sys.executable}
        ours = Mirror(ROOT, ("actions", ".github/workflows", "docs/report.schema.json"))
        runner = ActRunner(hub, issuer, {"envbounty/envbounty": ours}, machine, at_once, seconds=600)
        hub.runner = runner
        max_, owner = hub.user("max"), hub.user("olga")
        hub.organization("acme", [owner])
        repo = hub.create_repo(NAME, files=render_repository(TRUSTED, "@max"), maintainers=[max_])
        bot_url = f"http://127.0.0.1:{_free_port()}"
        permissions = {name: level for name, (level, _) in {**REPOSITORY, **ORGANISATION}.items()}
        app = hub.create_app("envbounty", f"{bot_url}/webhook", permissions, EVENTS, owner=owner)
        _make_safe(owner, repo, app)
        world = cls(hub, issuer, runner, repo, app, max_, folder, bot_url)
        try:
            world.start_bot()
        except BaseException:
            world.stop()
            raise
        hub.install_app(app, repo)
        return world

    def start_bot(self) -> None:
        """The bot as an operator runs it, told everything by its environment."""
        log = (self.folder / "bot.log").open("ab")
        self.bot = subprocess.Popen(
            [sys.executable, "-m", "bot", "serve"],
            env=self._environment(),
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for us to pass on
        )
        log.close()
        ends = time.monotonic() + 30
        while time.monotonic() < ends and self.bot.poll() is None:
            try:
                if httpx.get(f"{self.bot_url}/healthz", timeout=2, trust_env=False).status_code == 200:
                    return
            except httpx.HTTPError:
                pass
            time.sleep(0.1)
        raise NotStarted(f"The bot did not start. It said:\n{self.log_tail()}")

    def log_tail(self, most: int = 3000) -> str:
        try:
            return (self.folder / "bot.log").read_bytes()[-most:].decode(errors="replace")
        except OSError:
            return ""

    def stop(self) -> None:
        if self.bot is not None and self.bot.poll() is None:
            self.bot.send_signal(signal.SIGTERM)
            try:
                self.bot.wait(15)
            except subprocess.TimeoutExpired:
                self.bot.kill()
                self.bot.wait()
        for run in self.repo.runs:
            run.cancelled.set()
        ends = time.monotonic() + 10
        while time.monotonic() < ends and any(run.status != "completed" for run in self.repo.runs):
            time.sleep(0.05)
        self.hub.stop()
        self.runner.close()

    def _environment(self) -> Mapping[str, str]:
        passed = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
        return {
            **passed,
            "APP_ID": str(self.app.id),
            "APP_PRIVATE_KEY": self.app.private_key,
            "WEBHOOK_SECRET": self.app.webhook_secret,
            "PUBLIC_URL": self.bot_url,
            "HOST": "127.0.0.1",
            "PORT": self.bot_url.rpartition(":")[2],
            "DATABASE_URL": f"sqlite:///{self.folder}/bot.db",
            "GITHUB_API_URL": self.hub.api,
            "OIDC_ISSUER": self.issuer.url,
            "TRUSTED_WORKFLOWS": f"envbounty/envbounty/.github/workflows/{{tier}}.yml@{TRUSTED}",
            # GitHub asks for a pause between writes; here nobody else is waiting.
            "WRITE_SPACING": "0",
            "SWEEP_EVERY": "10",
            "LAG": "0.5",
        }


def _make_safe(owner: Person, repo: Repo, app: App) -> None:
    """What `envbounty doctor` wants to see, set up as the owner of a real repository would."""
    path = f"/repos/{repo.full_name}"
    for file in sorted((ROOT / "policies/rulesets").glob("*.json")):
        owner.add_ruleset(repo, _with_app(json.loads(file.read_text()), app.id))
    owner.call("PUT", f"{path}/actions/permissions/workflow", {"default_workflow_permissions": "read"})
    owner.call(
        "PUT",
        f"{path}/actions/permissions/fork-pr-contributor-approval",
        {"approval_policy": "all_external_contributors"},
    )


def _with_app(ruleset: Any, app_id: int) -> Any:
    """The shipped rulesets have 0 where the App's number goes."""
    if isinstance(ruleset, dict):
        return {
            key: app_id if key in ("integration_id", "actor_id") and value == 0 else _with_app(value, app_id)
            for key, value in ruleset.items()
        }
    return [_with_app(each, app_id) for each in ruleset] if isinstance(ruleset, list) else ruleset


def _free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


