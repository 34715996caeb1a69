"""How fast webhooks are acknowledged, and what a burst with crashes loses. `python -m benchmarks webhook`

A real `python -m bot serve` on SQLite, real HTTP, signed deliveries. GitHub is a stand-in that answers at once and
whose pull requests are closed, so that a look at one is a single read: this measures intake, ledger and queue.

* **steady**: `--rate` deliveries a second for `--seconds`; latencies as the sender sees them. One in four marks a pull
  request, the others (check runs, jobs) concern nobody: about what an App sees in the life of a pull request.
* **burst**: `--deliveries` as fast as they go, a tenth of them sent twice, a twentieth never sent, and `kill -9` ten
  times meanwhile. What could not be handed over stands in GitHub's list and is asked for again. At the end every pull
  request must be known with its newest head, and every delivery that was not lost must stand in the ledger once.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import random
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bot.intake import sign

SECRET = "a secret of good length"
REPOSITORY = {"id": 7, "name": "bounties", "owner": {"id": 5, "login": "lab"}, "default_branch": "main"}
PULLS = 250


@dataclass
class GitHub:
    """The stand-in: what is true, and what was sent."""

    heads: dict[int, str] = field(default_factory=dict)
    sent: dict[str, dict[str, Any]] = field(default_factory=dict)  # by GUID: body, status of each try
    asked_again: list[str] = field(default_factory=list)
    url: str = ""

    def start(self) -> None:
        routes = [
            Route("/app", lambda r: JSONResponse({"id": 12, "slug": "bot"})),
            Route("/app/installations", lambda r: JSONResponse([{"id": 70, "app_id": 12}])),
            Route("/app/installations/70/access_tokens", self._token, methods=["POST"]),
            Route("/installation/repositories", lambda r: JSONResponse({"repositories": [REPOSITORY]})),
            Route("/app/hook/deliveries", self._deliveries),
            Route("/app/hook/deliveries/{id:int}/attempts", self._again, methods=["POST"]),
            Route("/repos/lab/bounties/pulls", lambda r: JSONResponse([self._pull(n) for n in sorted(self.heads)])),
            Route("/repos/lab/bounties/pulls/{number:int}", self._one),
        ]
        listen = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{listen.getsockname()[1]}"
        server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error", lifespan="off"))
        threading.Thread(target=server.run, args=([listen],), daemon=True).start()
        while not server.started:
            time.sleep(0.01)

    def _pull(self, number: int) -> dict[str, Any]:
        side = {"ref": "topic", "sha": self.heads[number]}
        user = {"id": 1, "login": "ann"}
        return {"number": number, "state": "closed", "user": user, "head": side, "base": side}

    def _one(self, request: Request) -> Response:
        number = request.path_params["number"]
        return JSONResponse(self._pull(number)) if number in self.heads else JSONResponse({}, 404)

    def _token(self, request: Request) -> Response:
        until = datetime.now(UTC) + timedelta(hours=1)
        return JSONResponse({"token": "ghs_bench", "expires_at": until.isoformat()}, 201)

    def _deliveries(self, request: Request) -> Response:
        """Only what was not taken the first time: that is all the bot looks for."""
        found = [
            {"id": it["id"] + n, "guid": guid, "delivered_at": it["at"], "status_code": status, "event": "pull_request"}
            for guid, it in list(self.sent.items())
            for n, status in enumerate(it["tries"])
            if it["tries"][0] != 202
        ]
        return JSONResponse(sorted(found, key=lambda it: -it["id"])[:5000])

    def _again(self, request: Request) -> Response:
        number = request.path_params["id"] // 10 * 10
        guid = next(guid for guid, it in self.sent.items() if it["id"] == number)
        self.asked_again.append(guid)
        return Response(status_code=202)

    def noise(self) -> tuple[str, bytes]:
        """A job's event, which changes nothing."""
        body = {"action": "completed", "check_run": {"head_sha": "0" * 40}, "repository": REPOSITORY}
        guid = str(uuid.uuid4())
        data = json.dumps(body | {"installation": {"id": 70}, "filler": "x" * 10_000}).encode()
        self.sent[guid] = {"id": 10 * (len(self.sent) + 1), "body": data, "tries": [], "at": "", "kind": "check_run"}
        return guid, data

    def event(self, number: int) -> tuple[str, bytes]:
        """A push to a pull request: the truth changes, and a delivery says so."""
        self.heads[number] = uuid.uuid4().hex + "00000000"
        now = datetime.now(UTC)
        pull = {"number": number, "head": {"sha": self.heads[number]}, "updated_at": f"{now:%Y-%m-%dT%H:%M:%SZ}"}
        body = {"action": "synchronize", "pull_request": pull, "repository": REPOSITORY, "installation": {"id": 70}}
        guid = str(uuid.uuid4())
        # About as long as GitHub's own payloads of this event.
        data = json.dumps(body | {"filler": "x" * 20_000}).encode()
        self.sent[guid] = {"id": 10 * (len(self.sent) + 1), "body": data, "tries": [], "at": now.isoformat()}
        return guid, data


class Bot:
    """`python -m bot serve`, to be killed and started again."""

    def __init__(self, github: GitHub, folder: Path, key: str, apart: bool) -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = int(taken.getsockname()[1])
        self.url = f"http://127.0.0.1:{port}"
        self.database = folder / "bot.db"
        self.log = (folder / "bot.log").open("ab")
        self.environ = os.environ | {
            "APP_ID": "12",
            "APP_PRIVATE_KEY": key,
            "WEBHOOK_SECRET": SECRET,
            "PUBLIC_URL": self.url,
            "DATABASE_URL": f"sqlite:///{self.database}",
            "GITHUB_API_URL": github.url,
            "PORT": str(port),
            "SWEEP_EVERY": "60",
            "REDELIVER_EVERY": "2",
            "LOG_LEVEL": "WARNING",
        }
        self.apart = apart  # looks are the business of a second process
        self.process: subprocess.Popen[bytes] | None = None
        self.worker: subprocess.Popen[bytes] | None = None

    def start(self) -> float:
        """Seconds until it answers."""
        began = time.perf_counter()
        command = [sys.executable, "-m", "bot", "serve"]
        if self.apart:
            other = self.environ | {"PORT": "0"}
            self.worker = subprocess.Popen(command, env=other, stdout=self.log, stderr=self.log)
            command.append("--no-work")
        self.process = subprocess.Popen(command, env=self.environ, stdout=self.log, stderr=self.log)
        while True:
            try:
                httpx.get(f"{self.url}/healthz", trust_env=False)
                return time.perf_counter() - began
            except httpx.HTTPError:
                time.sleep(0.02)

    def kill(self) -> None:
        for process in (self.process, self.worker):
            if process is not None:
                process.kill()
                process.wait()


class Sender:
    """Posts from threads, with connections that stay open: the pool of an asyncio client took longer than the bot."""

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads)
        self._mine = threading.local()

    async def post(self, url: str, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
        """Status (0: no answer) and outcome."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._post, url, body, headers)

    def _post(self, url: str, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
        connection = getattr(self._mine, "connection", None)
        if connection is None:
            connection = self._mine.connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
        try:
            connection.request("POST", "/webhook", body, headers)
            answer = connection.getresponse()
            return answer.status, str(json.loads(answer.read()).get("outcome", ""))
        except (OSError, http.client.HTTPException):
            connection.close()
            return 0, ""

    def close(self) -> None:
        self._threads.shutdown()


async def send(sender: Sender, url: str, github: GitHub, guid: str, body: bytes) -> tuple[int, str, float]:
    """Status (0: no answer), outcome, seconds since it was due."""
    headers = {
        "x-github-event": github.sent[guid].get("kind", "pull_request"),
        "x-github-delivery": guid,
        "x-github-hook-id": "1",
        "x-hub-signature-256": sign(SECRET, body),
        "content-type": "application/json",
    }
    began = time.perf_counter()
    status, outcome = await sender.post(url, body, headers)
    github.sent[guid]["tries"].append(status or 502)
    return status, outcome, time.perf_counter() - began


async def steady(bot: Bot, github: GitHub, rate: int, seconds: float) -> list[tuple[int, str, float]]:
    sender = Sender(32)
    began, tasks = time.perf_counter(), []
    for index in range(int(rate * seconds)):
        wait = began + index / rate - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        guid, body = github.event(1 + index // 4 % PULLS) if index % 4 == 0 else github.noise()
        tasks.append(asyncio.create_task(send(sender, bot.url, github, guid, body)))
    found = await asyncio.gather(*tasks)
    sender.close()
    return found


async def burst(bot: Bot, github: GitHub, count: int, kills: int) -> dict[str, int]:
    """Send everything, killing the bot meanwhile. Counts of what was done, doubled, lost and done twice."""
    chance = random.Random(4)
    sender = Sender(20)
    seen: dict[str, int] = {}
    told = {"sent": 0, "doubled": 0, "lost": 0, "no answer": 0, "done twice": 0, "kills": 0}
    every = max(1, count // (kills + 1))
    gate = asyncio.Semaphore(20)

    async def one(guid: str, body: bytes) -> None:
        async with gate:
            status, outcome, _ = await send(sender, bot.url, github, guid, body)
        told["no answer"] += status == 0
        if outcome == "done":
            seen[guid] = seen.get(guid, 0) + 1

    tasks: list[asyncio.Task[None]] = []
    for index in range(count):
        guid, body = github.event(1 + chance.randrange(PULLS))
        if chance.random() < 0.05:
            del github.sent[guid]  # GitHub itself lost it: only the sweep can find what it said
            told["lost"] += 1
        else:
            told["sent"] += 1
            tasks.append(asyncio.create_task(one(guid, body)))
            if chance.random() < 0.1:
                told["doubled"] += 1
                tasks.append(asyncio.create_task(one(guid, body)))
        if index % every == every - 1 and told["kills"] < kills:
            await asyncio.sleep(0.3)
            bot.kill()
            told["kills"] += 1
            await asyncio.to_thread(bot.start)
        elif index % 50 == 0:
            await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    # Two pushes within one of GitHub's whole seconds cannot be told apart: then the bot waits for `LAG_LIMIT`, 120 s.
    end = time.perf_counter() + 600
    while time.perf_counter() < end and (behind(bot, github) or missing(bot, github)):
        while github.asked_again:  # GitHub sends again what it is asked for
            guid = github.asked_again.pop()
            await one(guid, github.sent[guid]["body"])
        await asyncio.sleep(0.5)
    told["done twice"] = sum(number > 1 for number in seen.values())
    sender.close()
    return told


def rows(bot: Bot, query: str) -> list[Any]:
    with sqlite3.connect(bot.database, timeout=30) as db:
        return db.execute(query).fetchall()


def behind(bot: Bot, github: GitHub) -> list[int]:
    """Pull requests that the bot does not know as they are, or still wants to look at."""
    known = dict(rows(bot, "SELECT number, head FROM pull WHERE wanted = settled"))
    return [number for number, head in github.heads.items() if known.get(number) != head]


def missing(bot: Bot, github: GitHub) -> set[str]:
    """Deliveries that GitHub did not lose and that are not in the ledger."""
    return set(github.sent) - {guid for (guid,) in rows(bot, "SELECT guid FROM delivery WHERE state <> 'failed'")}


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks webhook")
    parser.add_argument("--rate", type=int, default=200, help="deliveries a second")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--deliveries", type=int, default=5000, help="of the burst")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--apart", action="store_true", help="a process for webhooks, another one for the looks")
    wanted = parser.parse_args(words)
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    sys.setswitchinterval(0.0005)  # many threads and a server in one interpreter: each would wait 5 ms for its turn
    good = True
    with tempfile.TemporaryDirectory() as folder:
        github = GitHub()
        github.start()
        bot = Bot(github, Path(folder), key.decode(), wanted.apart)
        print(f"cold start          {bot.start():.2f} s until /healthz answers")
        found = asyncio.run(steady(bot, github, wanted.rate, wanted.seconds))
        times = [1000 * seconds for _, _, seconds in found]
        done = sum(status == 202 for status, _, _ in found)
        print(f"steady              {done} of {len(found)} acknowledged at {wanted.rate}/s for {wanted.seconds:g} s")
        shares = ", ".join(f"p{100 * share:g} {percentile(times, share):.1f} ms" for share in (0.5, 0.9, 0.99, 0.999))
        print(f"                    {shares}, longest {max(times):.1f} ms")
        good &= done == len(found)
        told = asyncio.run(burst(bot, github, wanted.deliveries, wanted.kills))
        print(f"burst               {', '.join(f'{number} {name}' for name, number in told.items())}")
        late, gone = behind(bot, github), missing(bot, github)
        print(f"                    {len(late)} pull requests wrong, {len(gone)} deliveries missing in the ledger")
        good &= not late and not gone and not told["done twice"]
        bot.kill()
    print("all right" if good else "NOT RIGHT")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
