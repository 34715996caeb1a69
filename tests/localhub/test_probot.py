"""A Probot app, unmodified: it finds localhub's API good enough to work with, and its webhooks good enough to answer.

Probot is another implementation of both sides, so a mistake that only our own clients share shows here. It needs
Node.js and `npm install --prefix tests/localhub/probot`.
"""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import httpx
import pytest

HERE = Path(__file__).parent / "probot"
PROBOT = HERE / "node_modules" / "probot" / "bin" / "probot.js"


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@pytest.fixture
def probot(world, tmp_path):
    if not shutil.which("node") or not PROBOT.exists():
        pytest.skip("Probot is not installed: npm install --prefix tests/localhub/probot")
    port = free_port()
    url = f"http://127.0.0.1:{port}/api/github/webhooks"
    permissions = {"pull_requests": "write", "issues": "write", "checks": "write", "contents": "write"}
    app = world.hub.create_app("Probot here", url, permissions, ["pull_request", "issue_comment"])
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "APP_ID": str(app.id),
        "PRIVATE_KEY": app.private_key,
        "WEBHOOK_SECRET": app.webhook_secret,
        "GHE_HOST": world.hub.url.removeprefix("http://"),
        "GHE_PROTOCOL": "http",
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "NODE_ENV": "production",
        "LOG_FORMAT": "json",
    }
    with open(tmp_path / "log", "w") as log:
        process = subprocess.Popen(["node", PROBOT, "run", "./app.js"], cwd=HERE, env=env, stdout=log, stderr=log)
    try:
        until = time.monotonic() + 60
        while True:
            assert process.poll() is None and time.monotonic() < until, (tmp_path / "log").read_text()
            try:
                httpx.get(f"http://127.0.0.1:{port}/ping", trust_env=False)
                break
            except httpx.TransportError:
                time.sleep(0.1)
        world.hub.install_app(app, world.repo)
        yield app
    finally:
        process.kill()
        process.wait()
    world.log = (tmp_path / "log").read_text()


def settled(done) -> bool:
    """Whether `done` comes true: an app goes on working after it has answered a webhook."""
    until = time.monotonic() + 60
    while not done() and time.monotonic() < until:
        time.sleep(0.05)
    return bool(done())


@pytest.mark.node
def test_a_probot_app_checks_reviews_comments_and_merges(world, probot):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n", "b.txt": "2\n", "c.txt": "3\n"})
    assert settled(lambda: pull.issue.comments)
    assert [comment.body for comment in pull.issue.comments] == ["3 files by ann"]
    assert [(run.name, run.conclusion, run.summary) for run in world.repo.checks] == [("probot", "success", "3 files")]
    assert [(thread.path, thread.line) for thread in pull.threads] == [("a.txt", 1)]
    world.max.comment(pull, "/merge")
    assert settled(lambda: pull.merged)
    assert pull.merged_by is probot.bot and pull.threads[0].resolved
    world.hub.drain()
    assert {one.status_code for one in world.hub.sender.records if one.app is probot} == {200}


@pytest.mark.node
def test_probot_refuses_a_webhook_that_was_tampered_with(world, probot):
    from localhub.faults import Webhooks

    world.hub.drain()
    world.hub.faults.webhooks = Webhooks(tamper=1.0)
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    world.hub.drain()
    assert [one.status_code for one in world.hub.sender.records if one.app is probot][-1] == 400
    assert not pull.issue.comments
