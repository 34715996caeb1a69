"""A hub whose workflows really run, a repository as `envbounty init` lays it down, and a bot that only listens."""

from __future__ import annotations

import json
import os
import secrets
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest

from envbounty.scaffold.repository import render_repository
from localhub.actions import ActRunner, Mirror
from localhub.conformance import Checker
from localhub.hub import Hub
from localhub.model import Pull, Repo
from localhub.oidc import Issuer
from localhub.people import Person
from localhub.runs import Run

ROOT = Path(__file__).parents[3]
TRUSTED = "0123456789abcdef0123456789abcdef01234567"
CLIENT = httpx.Client(trust_env=False, timeout=30)
AUDIENCE = "https://bot.example"


#: `http METHOD URL TOKEN [FILE]` prints the status: not every machine has curl.
HTTP = """#!/usr/bin/python3 -IS
import sys, urllib.error, urllib.request
method, url, token, *file = sys.argv[1:]
data = open(file[0], "rb").read() if file else None
request = urllib.request.Request(url, data, {"Authorization": "Bearer " + token}, method=method)
try:
    print(urllib.request.urlopen(request, timeout=30).status)
except urllib.error.HTTPError as error:
    print(error.code)
"""


@pytest.fixture
def http(tmp_path: Path) -> Path:
    """A program that asks one thing over HTTP."""
    script = tmp_path / "http"
    script.write_text(HTTP.replace("/usr/bin/python3", os.path.realpath(sys.executable)))
    script.chmod(0o755)
    return script


@dataclass
class Listener:
    """Stands where the bot would: believes a token only after its signature was checked with the issuer's keys."""

    issuer: Issuer
    url: str = ""
    posts: list[tuple[dict[str, Any], dict[str, Any]]] = field(default_factory=list)  # (claims, body)
    raw: list[tuple[str, bytes]] = field(default_factory=list)  # (token, body) of each post that was taken
    refused: list[str] = field(default_factory=list)

    def take(self, authorization: str, body: bytes) -> int:
        token = authorization.removeprefix("Bearer ")
        try:
            keys = jwt.PyJWKSet.from_dict(CLIENT.get(self.issuer.jwks_url).json())
            key = keys[jwt.get_unverified_header(token)["kid"]]
            claims = jwt.decode(
                token, key, algorithms=["RS256"], issuer=self.issuer.url, audience=AUDIENCE,
                options={"strict_aud": True, "require": ["iss", "aud", "exp", "iat", "jti"]},
            )  # fmt: skip
        except jwt.PyJWTError as error:
            self.refused.append(repr(error))
            return 401
        self.posts.append((claims, json.loads(body)))
        self.raw.append((token, body))
        return 202


@dataclass
class World:
    """Everything that the stories need."""

    hub: Hub
    issuer: Issuer
    runner: ActRunner
    bot: Listener
    home: Path
    repo: Repo
    maintainer: Person
    stranger: Person

    @property
    def base(self) -> str:
        found = self.repo.git.ref("refs/heads/main")
        assert found
        return found

    def envbounty(self, does: str) -> None:
        """From now on the machine's envbounty is a bash script. $json is where it is to write its report."""
        script = self.home / "bin/envbounty"
        script.parent.mkdir(exist_ok=True)
        find = 'json=; for ((i = 1; i <= $#; i++)); do [[ ${!i} != --json ]] || { j=$((i + 1)); json=${!j}; }; done'
        script.write_text(f"#!/bin/bash\nhome='{self.home}'\n{find}\n{does}\n")
        script.chmod(0o755)

    def honest(self, tier: str = "verify") -> str:
        """A script that writes a sound report and says pass."""
        (self.home / "sound.json").write_text(json.dumps(sound_report(tier)))
        return 'cp "$home/sound.json" "$json"; exit 0'

    def dispatch(self, pull: Pull, tier: str = "verify", wait: bool = True, **changed: str) -> Run:
        inputs = {
            "job_id": secrets.token_hex(16),
            "pr": str(pull.number),
            "head_sha": pull.head,
            "base_sha": self.base,
            "bot_url": self.bot.url,
            "audience": AUDIENCE,
            **changed,
        }
        path = f"/repos/{self.repo.full_name}/actions/workflows/{tier}.yml/dispatches"
        self.maintainer.call("POST", path, {"ref": "main", "inputs": inputs})
        run = self.repo.runs[-1]
        if wait:
            self.until(lambda: run.status == "completed", 120)
        return run

    @staticmethod
    def until(what: Callable[[], object], seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < end, "it never came about"
            time.sleep(0.02)

    def told(self, run: Run) -> dict[str, Any]:
        """What the bot was told of a run, which must be one thing."""
        found = [body for claims, body in self.bot.posts if claims["run_id"] == str(run.id)]
        assert len(found) == 1, logs(run)
        return found[0]


def logs(run: Run) -> str:
    return "\n".join(f"== {job.name}: {job.conclusion}\n{job.log}" for job in run.jobs)


def sound_report(tier: str = "verify") -> dict[str, Any]:
    from envbounty.findings import Environment, Jail, Report, Result, Verdict

    result = Result(
        environment=Environment(name="one", path="environments/one", kind="answer", dialect="native"),
        verdict=Verdict.PASS,
    )
    report = Report(tier=tier, jail=Jail(backend="bubblewrap", isolated=True), results=(result,))
    return dict(json.loads(report.to_json()))


@pytest.fixture
def world(tmp_path: Path, http: Path) -> Iterator[World]:
    with Hub.start(folder=tmp_path / "hub") as hub:
        checker = hub.checker = Checker(ROOT / "tests/localhub/github.openapi.json.gz")
        issuer = Issuer(hub.url + "/oidc")
        hub.mount("/oidc", issuer.app)
        machine = {"ENVBOUNTY_PYTHON": str(tmp_path / "bin/python")}
        tools = Mirror(ROOT, ("actions", ".github/workflows", "docs/report.schema.json"))
        runner = hub.runner = ActRunner(hub, issuer, {"envbounty/envbounty": tools}, machine, seconds=100)
        maintainer, stranger = hub.user("max"), hub.user("sam")
        files = render_repository(TRUSTED, "@max")
        repo = hub.create_repo("acme/bounties", files=files, maintainers=[maintainer])
        listener = Listener(issuer)
        server = serve(listener)
        listener.url = f"http://127.0.0.1:{server.server_port}/bot"
        one = World(hub, issuer, runner, listener, tmp_path, repo, maintainer, stranger)
        one.envbounty(one.honest())
        yield one
        for run in repo.runs:
            run.cancelled.set()
        one.until(lambda: all(run.status == "completed" for run in repo.runs))
        server.shutdown()
        server.server_close()
        runner.close()
    assert runner.trouble == []
    assert checker.violations == []


def serve(listener: Listener) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            good = self.path == "/bot/report"
            status = listener.take(self.headers.get("Authorization", ""), body) if good else 404
            self.send_response(status)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


@pytest.fixture
def real(world: World) -> World:
    """The world with the real envbounty on its machine."""
    bin_folder = world.home / "bin"
    (bin_folder / "envbounty").unlink(missing_ok=True)
    os.symlink(Path(sys.executable).parent / "envbounty", bin_folder / "envbounty")
    return world
