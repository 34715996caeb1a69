"""Real processes: `python -m bot serve`, killed and started again, and two of them on one database."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from town import Town, environment

from localhub.faults import Webhooks


class Process:
    """`python -m bot serve` on its own port."""

    def __init__(self, town: Town, folder: Path, name: str, **environ: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.port = int(taken.getsockname()[1])
        self.log = folder / f"{name}.log"
        settings = town.settings
        self.environ = {
            "PATH": os.environ["PATH"],
            "APP_ID": settings.app_id,
            "APP_PRIVATE_KEY": settings.app_private_key.get_secret_value(),
            "WEBHOOK_SECRET": settings.webhook_secret.get_secret_value(),
            "PUBLIC_URL": settings.public_url,
            "DATABASE_URL": settings.database_url.get_secret_value(),
            "GITHUB_API_URL": settings.github_api_url,
            "OIDC_ISSUER": settings.oidc_issuer,
            "PORT": str(self.port),
            "WRITE_SPACING": "0",
            "READ_BACK": "1",
            "DISPATCH_GRACE": "5",
            "LAG": "0.2",
            "SWEEP_EVERY": "2",
            "REDELIVER_EVERY": "2",
            **environ,
        }
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "bot", "serve"]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, env=self.environ, stdout=log, stderr=log)

    def health(self) -> dict[str, Any]:
        return dict(httpx.get(f"http://127.0.0.1:{self.port}/healthz", trust_env=False).json())

    def up(self) -> bool:
        try:
            return self.health()["well"] is True
        except httpx.HTTPError:
            return False

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


def until(what: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.1)


@pytest.fixture
def processes(town: Town, tmp_path: Path) -> Iterator[Callable[..., Process]]:
    made: list[Process] = []

    def make(name: str, **environ: str) -> Process:
        made.append(Process(town, tmp_path, name, **environ))
        return made[-1]

    yield make
    for process in made:
        if process.process.poll() is None:
            process.kill()


@pytest.mark.both_databases
def test_two_processes_share_the_work_and_one_of_them_is_killed(town: Town, processes: Callable[..., Process]) -> None:
    """The doctor really looks here, finds this town unsafe, and so nothing is merged; all the rest happens."""
    one, two = processes("one"), processes("two")
    until(lambda: one.up() and two.up())
    town.hub.faults.webhooks = Webhooks(lose=0.3, double=0.3)
    people = [town.hub.user(f"p{number}") for number in range(4)]
    pulls = [person.open_pull(town.repo, environment(f"e{number}")) for number, person in enumerate(people)]
    until(lambda: len(town.runs()) >= 1)
    one.kill()
    until(lambda: len(town.runs()) == 4)
    one.start()
    for run in list(town.runs()):
        number = next(n for n, pull in enumerate(pulls) if pull.head == run.inputs["head_sha"])
        assert town.report(run, slugs=(f"e{number}",)).status_code == 202
    until(lambda: all(town.checks(pull) == {"envbounty/verify": "success"} for pull in pulls))
    assert len(town.runs()) == 4  # one for each, whoever was killed
    for pull in pulls:
        town.max.approve(pull)
    until(one.up)
    assert one.stop() == 0 and two.stop() == 0
    assert not any(pull.merged for pull in pulls)
    text = one.log.read_text() + two.log.read_text()
    assert "PRIVATE KEY" not in text and "ghs_" not in text and "secret of good length" not in text


def test_it_is_ready_within_three_seconds_of_processor_time(town: Town, processes: Callable[..., Process]) -> None:
    one = processes("one")
    until(one.up)
    metrics = httpx.get(f"http://127.0.0.1:{one.port}/metrics", trust_env=False).text
    assert "envbounty_queue" in metrics
    spent = sum(os.times()[2:4])
    assert one.stop() == 0
    used = sum(os.times()[2:4]) - spent  # of children that were waited for
    assert used < 8, "much more than the three seconds that are wanted on a free machine"


def test_settings_that_are_wrong_are_named_and_not_shown(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "WEBHOOK_SECRET": "short", "APP_PRIVATE_KEY": "not a key", "APP_ID": "1"}
    done = subprocess.run([sys.executable, "-m", "bot", "serve"], env=environ, capture_output=True, text=True)
    assert done.returncode == 2
    assert "WEBHOOK_SECRET" in done.stderr and "PUBLIC_URL" in done.stderr
    assert "short" not in done.stderr and "not a key" not in done.stderr
