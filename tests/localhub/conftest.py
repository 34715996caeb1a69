"""A hub with a repository, an App and some people. Every exchange is held against GitHub's description."""

import json
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import jwt
import pytest

from localhub.conformance import Checker
from localhub.hub import Hub

HERE = Path(__file__).parent
WORKFLOW = """
name: verify
run-name: "envbounty verify job=${{ inputs.job_id }}"
on:
  workflow_dispatch:
    inputs:
      job_id: {required: true}
      pr: {required: true}
      tier: {default: verify}
jobs: {}
"""
PERMISSIONS = {
    "actions": "write",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "pull_requests": "write",
}
EVENTS = [
    "check_run",
    "check_suite",
    "issue_comment",
    "issues",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "member",
    "repository",
    "repository_ruleset",
    "push",
    "workflow_job",
    "workflow_run",
]


class Receiver:
    """A webhook endpoint that keeps what it gets. `status` is what it answers."""

    def __init__(self) -> None:
        self.got: list[SimpleNamespace] = []
        self.status = 202
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.got.append(
                    SimpleNamespace(headers=dict(self.headers), body=body, event=self.headers["X-GitHub-Event"])
                )
                self.send_response(outer.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/webhook"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def names(self) -> list[str]:
        """Events with their actions, in order, such as `pull_request opened`."""
        return [" ".join(filter(None, (one.event, json.loads(one.body).get("action")))) for one in self.got]

    def last(self, name: str) -> Any:
        """The payload of the last event of this name."""
        at = len(self.got) - 1 - self.names()[::-1].index(name)
        return json.loads(self.got[at].body)


class AsApp:
    """Calls the API as an App's installation, or as the App itself."""

    def __init__(self, hub: Hub, app: Any, installation: Any) -> None:
        self.hub, self.app, self.installation = hub, app, installation
        self.client = httpx.Client(base_url=hub.api, timeout=30, trust_env=False, verify=False)
        self.token = ""

    def jwt(self, **changed: Any) -> str:
        now = int(self.hub.now().timestamp())
        claims = {"iat": now - 60, "exp": now + 300, "iss": self.app.client_id} | changed
        return jwt.encode({k: v for k, v in claims.items() if v is not None}, self.app.private_key, algorithm="RS256")

    def as_itself(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self.client.request(method, path, headers={"Authorization": f"Bearer {self.jwt()}"}, **more)

    def mint(self, body: Any = None, **headers: str) -> httpx.Response:
        path = f"/app/installations/{self.installation.id}/access_tokens"
        return self.client.post(path, json=body or {}, headers={"Authorization": f"Bearer {self.jwt()}", **headers})

    def __call__(self, method: str, path: str, body: Any = None, token: str = "", **headers: str) -> httpx.Response:
        if not token:
            self.token = token = self.token or self.mint().json()["token"]
        return self.client.request(method, path, json=body, headers={"Authorization": f"Bearer {token}", **headers})


@pytest.fixture
def hub() -> Generator[Hub, None, None]:
    hub = Hub.start()
    hub.checker = checker = Checker(HERE / "github.openapi.json.gz")
    try:
        yield hub
    finally:
        hub.stop()
    assert hub.trouble == [], "these calls broke the hub"
    assert checker.violations == []


@pytest.fixture
def receiver() -> Generator[Receiver, None, None]:
    made = Receiver()
    try:
        yield made
    finally:
        made.stop()


@pytest.fixture
def world(hub: Hub, receiver: Receiver) -> Generator[SimpleNamespace, None, None]:
    """`acme/bounties` with a maintainer (max), a contributor (ann) with a fork's pull request to come, and an App."""
    ann, max_, eve = hub.user("ann"), hub.user("max"), hub.user("eve")
    files = {"README.md": "# Bounties\n", "list.txt": "".join(f"line {n}\n" for n in range(1, 41))}
    repo = hub.create_repo("acme/bounties", {**files, ".github/workflows/verify.yml": WORKFLOW}, maintainers=[max_])
    owner = hub.user("olga")
    hub.organization("acme", [owner])
    app = hub.create_app("Envbounty", receiver.url, PERMISSIONS, EVENTS)
    installation = hub.install_app(app, repo)
    bot = AsApp(hub, app, installation)
    yield SimpleNamespace(
        hub=hub,
        ann=ann,
        max=max_,
        eve=eve,
        olga=owner,
        repo=repo,
        app=app,
        installation=installation,
        bot=bot,
        receiver=receiver,
    )
    bot.client.close()
