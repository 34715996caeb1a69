"""The bot against another GitHub double: `@simulacrum/github-api-simulator`, whose makers know nothing of us.

Its routes come from GitHub's OpenAPI description, and what does not fit that is answered 400 (by openapi-backend). So a
request of a wrong shape shows here though localhub took it. server.mjs says what little state was put under it.

What it cannot say no to: a wrong `Authorization` (the description has none), and a body's property that nobody knows
(GitHub's schemas allow more properties). The second is noted by server.mjs and looked at here.
"""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.core import Bot, build
from bot.doctor.installed import look
from bot.github import errors
from bot.github.client import Access
from bot.github.writes import Writes
from bot.intake import sign
from bot.keys import Keys
from bot.settings import Settings
from bot.store.pulls import Repo
from bot.sweep import Sweeper
from bot.web.app import build as build_web
from bot.worker import Worker
from envbounty.findings import Environment, Finding, Jail, Report, Result, Severity, settle
from envbounty.policy import BUILT_IN
from localhub.oidc import Issuer

HERE = Path(__file__).parent
SECRET = "a secret of good length"
BASE, FIRST, SECOND = "b" * 40, "1" * 40, "2" * 40
PLACE = "environments/sums"
OWNER = {"login": "lab", "id": 5, "type": "Organization"}
REPOSITORY = {"id": 7, "name": "bounties", "full_name": "lab/bounties", "owner": OWNER, "default_branch": "main"}
ANN = {"login": "ann", "id": 11, "type": "User"}
MAX = {"login": "max", "id": 12, "type": "User"}
BOT = {"login": "bounty-bot[bot]", "id": 13, "type": "Bot"}
FILES = {f"{PLACE}/env.yaml": "kind: function\n", f"{PLACE}/environment.py": "x = 1\n" * 12}

pytestmark = pytest.mark.node


def at(head: str) -> dict[str, Any]:
    """The part of the world that a push changes."""
    url = f"https://api.github.com/repos/lab/bounties/contents/{{}}?ref={head}"
    changed = [
        {"filename": path, "status": "added", "contents_url": url.format(path), "patch": _patch(text)}
        for path, text in FILES.items()
    ]
    sides = {"head": {"ref": "topic", "sha": head}, "base": {"ref": "main", "sha": BASE, "repo": REPOSITORY}}
    pull = {"number": 1, "state": "open", "merged": False, "merged_at": None, "draft": False, "mergeable": True}
    more = {"merge_commit_sha": None, "changed_files": len(FILES), "user": ANN, **sides}
    return {"pull": {**pull, **more}, "changed": changed}


def _patch(text: str) -> str:
    lines = text.splitlines()
    return f"@@ -0,0 +1,{len(lines)} @@\n" + "\n".join(f"+{line}" for line in lines)


def begin() -> dict[str, Any]:
    """A repository with one open pull request, before the bot has seen anything of it."""
    return {
        "repo": OWNER | {"name": "bounties"},
        "repository": REPOSITORY,
        "app": {"id": 3, "slug": "bounty-bot", "permissions": {"checks": "write"}},
        "bot": BOT,
        "users": [ANN, MAX, BOT],
        "roles": {"max": "maintain"},
        "base": BASE,
        "files": {BASE: {"README.md": "# Bounties\n"}, FIRST: FILES, SECOND: FILES},
        **at(FIRST),
        **{name: [] for name in ("calls", "checks", "comments", "merges", "reactions", "reviews", "runs", "talk")},
    }


class Simulator:
    """The other double. `world` is a copy of what it has, `change` puts something into it."""

    def __init__(self) -> None:
        command = ["node", str(HERE / "server.mjs")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdin is not None and self._process.stdout is not None
        with self._process.stdin as pipe:
            json.dump(begin(), pipe)
        port = self._process.stdout.readline().strip()
        assert port.isdigit(), "the simulator did not start"
        self.url = f"http://127.0.0.1:{port}"
        self.client = httpx.Client(base_url=self.url, timeout=60, trust_env=False)

    @property
    def world(self) -> dict[str, Any]:
        return dict(self.client.get("/-/world").json())

    def change(self, **values: Any) -> None:
        self.client.post("/-/world", json=values).raise_for_status()

    def stop(self) -> None:
        self.client.close()
        self._process.kill()
        self._process.wait()


@pytest.fixture(scope="module")
def running() -> Iterator[Simulator]:
    if not shutil.which("node") or not (HERE / "node_modules").is_dir():
        pytest.skip("the simulator is not installed: npm ci --prefix tests/bot/simulacrum")
    made = Simulator()
    yield made
    made.stop()


@pytest.fixture
def simulator(running: Simulator) -> Simulator:
    running.change(**begin())
    return running


class Town:
    """The bot as it runs, but that nothing happens by itself."""

    def __init__(self, simulator: Simulator, folder: Path) -> None:
        key = rsa.generate_private_key(65537, 2048)
        form = (serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())
        self.simulator = simulator
        self.issuer = Issuer("https://issuer.example")
        self.settings = Settings(
            app_id="3",
            app_private_key=key.private_bytes(serialization.Encoding.PEM, *form).decode(),
            webhook_secret=SECRET,
            public_url="https://bot.example",
            database_url=f"sqlite:///{folder}/bot.db",
            github_api_url=simulator.url,
            oidc_issuer=self.issuer.url,
            write_spacing=0,
            read_back=0,
            gather=0,
        )
        self.bot: Bot = build(self.settings)
        self.bot.examine = lambda access: ()
        self.bot.reporting.keys = Keys(lambda: {"keys": [key.public() for key in self.issuer.keys]})
        self.worker = Worker(self.bot)
        self.access = Access(self.bot.app, Repo(7, "lab", "bounties", 0, 5))
        app = build_web(SECRET, self.bot.store, self.bot.reporting, self.bot.health)
        listening = socket.create_server(("127.0.0.1", 0))
        self.web = httpx.Client(base_url=f"http://127.0.0.1:{listening.getsockname()[1]}", timeout=30, trust_env=False)
        self.server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off"))
        threading.Thread(target=self.server.run, args=([listening],), daemon=True).start()
        while not self.server.started:
            time.sleep(0.005)

    def close(self) -> None:
        self.server.should_exit = True
        self.web.close()
        self.bot.close()

    def hear(self, event: str, **payload: Any) -> None:
        """A signed webhook, and what the bot makes of it."""
        body = json.dumps({"repository": REPOSITORY, "installation": {"id": 0}, **payload}).encode()
        headers = {"x-hub-signature-256": sign(SECRET, body), "x-github-delivery": str(uuid.uuid4())}
        answer = self.web.post("/webhook", content=body, headers={**headers, "x-github-event": event})
        assert answer.status_code == 202, answer.text
        self.settle()

    def settle(self) -> None:
        for _ in range(30):
            if not self.worker.turn():
                return
        raise AssertionError("the bot does not come to rest")

    def pushed(self, action: str, head: str) -> None:
        pull = {"number": 1, "head": {"sha": head}, "updated_at": "2026-01-01T00:00:00Z"}
        self.hear("pull_request", action=action, number=1, pull_request=pull)

    def report(self, *findings: Finding) -> None:
        """What the newest run would post."""
        run = self.simulator.world["runs"][-1]
        verdict, reason = settle(findings)
        environment = Environment(name="sums", path=PLACE, kind="function", dialect="native")
        told = {"verdict": verdict, "reason": reason, "findings": findings, "policy": BUILT_IN.digest}
        result = Result(environment=environment, **told)
        jail = Jail(backend="bubblewrap", isolated=True)
        text = Report(tier="verify", policy=BUILT_IN.digest, jail=jail, results=(result,)).to_json()
        artifact = {"id": 900, "digest": "sha256:" + "a" * 64}
        self.simulator.change(runs=[{**run, "artifacts": [{**artifact, "name": "report", "size_in_bytes": len(text)}]}])
        body = {"schema": 1, "job_id": run["inputs"]["job_id"], "tier": "verify", "report": json.loads(text)}
        body |= {"head_sha": run["inputs"]["head_sha"], "base_sha": run["inputs"]["base_sha"]}
        body |= {"artifact": {**artifact, "size": len(text)}}
        workflow = "lab/bounties/.github/workflows/verify.yml@refs/heads/main"
        claims = {
            "sub": "repo:lab@5/bounties@7:ref:refs/heads/main",
            **{"repository": "lab/bounties", "repository_id": "7", "repository_owner": "lab"},
            **{"repository_owner_id": "5", "actor": BOT["login"], "actor_id": "13", "event_name": "workflow_dispatch"},
            **{"workflow_ref": workflow, "job_workflow_ref": workflow, "workflow_sha": BASE, "job_workflow_sha": BASE},
            **{"ref": "refs/heads/main", "ref_type": "branch", "sha": BASE, "runner_environment": "github-hosted"},
            **{"run_id": str(run["id"]), "run_number": "1", "run_attempt": "1", "workflow": "verify"},
        }
        token = self.issuer.sign(claims, self.settings.audience)
        answer = self.web.post("/report", json=body, headers={"authorization": f"Bearer {token}"})
        assert answer.status_code == 202, answer.text
        self.settle()

    def checks(self) -> dict[str, str]:
        return {it["head_sha"]: it.get("conclusion") or it["status"] for it in self.simulator.world["checks"]}


@pytest.fixture
def town(simulator: Simulator, tmp_path: Path) -> Iterator[Town]:
    made = Town(simulator, tmp_path)
    yield made
    made.close()


def all_fitted(world: dict[str, Any]) -> set[str]:
    """Every request was matched to an operation of GitHub's and held against it. Returns the operations."""
    for call in world["calls"]:
        assert call["operation"] and call["status"] in (200, 201, 204, 304, 404), call
        # The description that the simulator carries is older than this one property.
        assert set(call["unknown"]) <= {"return_run_details"}, call
    return {call["operation"] for call in world["calls"]}


def test_from_the_pull_request_to_the_merge_every_request_has_githubs_shape(town: Town) -> None:
    town.pushed("opened", FIRST)
    (run,) = town.simulator.world["runs"]
    assert run["inputs"]["head_sha"] == FIRST and run["path"] == ".github/workflows/verify.yml"
    assert town.checks() == {FIRST: "in_progress"}
    town.pushed("edited", FIRST)  # the dispatch was answered without a run, so this look searches for it

    words = {"message": "odd on line 3", "path": "environment.py", "line": 3, "fix": "Mend it."}
    town.report(Finding(rule="accepts-wrong", severity=Severity.WARNING, **words))
    (review,) = town.simulator.world["reviews"]
    (comment,) = town.simulator.world["comments"]
    assert (review["event"], review["commit_id"]) == ("COMMENT", FIRST)
    assert (comment["path"], comment["line"], comment["side"]) == (f"{PLACE}/environment.py", 3, "RIGHT")
    (check,) = town.simulator.world["checks"]
    assert check["conclusion"] == "success" and check["annotations"] == 1

    town.hear(
        "issue_comment",
        action="created",
        issue={"number": 1, "pull_request": {}},
        comment={"id": 77, "user": MAX, "body": "/explain"},
    )
    world = town.simulator.world
    assert world["reactions"][0]["comment_id"] == "77" and len(world["talk"]) == 1

    town.simulator.change(**at(SECOND))
    town.pushed("synchronize", SECOND)
    assert town.simulator.world["runs"][-1]["inputs"]["head_sha"] == SECOND
    town.report()
    assert town.checks() == {FIRST: "success", SECOND: "success"}
    assert [it["resolved"] for it in town.simulator.world["comments"]] == [True]
    assert town.simulator.world["merges"] == []

    approval = {"id": 55, "user": MAX, "state": "APPROVED", "commit_id": SECOND, "submitted_at": "2026-11-01T00:00:00Z"}
    town.simulator.change(reviews=[*town.simulator.world["reviews"], approval])
    town.hear("pull_request_review", action="submitted", pull_request={"number": 1, "head": {"sha": SECOND}})
    assert town.simulator.world["merges"] == [SECOND]

    used = all_fitted(town.simulator.world)
    assert used >= {
        *("actions/create-workflow-dispatch", "actions/get-workflow-run", "actions/list-workflow-run-artifacts"),
        *("apps/create-installation-access-token", "apps/get-authenticated", "checks/create", "checks/get"),
        *("checks/update", "git/get-ref", "graphql", "issues/create-comment", "pulls/create-review", "pulls/get"),
        *("pulls/list-files", "pulls/list-review-comments", "pulls/list-reviews", "pulls/merge"),
        *("reactions/create-for-issue-comment", "repos/get-collaborator-permission-level", "repos/get-content"),
        *("actions/list-workflow-runs-for-repo", "users/get-by-username"),
    }


def test_a_sweep_and_the_doctor_ask_in_githubs_shape_too(town: Town) -> None:
    """The simulator answers the doctor with GitHub's examples, so what it finds says nothing; how it asks does."""
    Sweeper(town.bot, lambda: None).turn(force=True)
    town.settle()
    assert len(town.simulator.world["runs"]) == 1, "the sweep did not find the pull request"
    look(town.access, frozenset())
    used = all_fitted(town.simulator.world)
    assert used >= {
        *("apps/list-installations", "apps/list-repos-accessible-to-installation", "apps/list-webhook-deliveries"),
        *("pulls/list", "apps/get-repo-installation", "repos/get", "repos/get-branch-rules", "repos/get-content"),
        *("actions/get-github-actions-permissions-repository", "actions/list-self-hosted-runner-groups-for-org"),
    }


RAW: list[tuple[str, str, Any]] = [
    ("GET", "/repos/lab/bounties/pulls/1/files?per_pag=100", None),
    ("GET", "/repos/lab/bounties/pulls/one", None),
    ("GET", "/repos/lab/bounties/commits/main/check-runs?filter=every", None),
    ("POST", "/app/installations/0/access_tokens", {"permissions": {"checks": "admin"}}),
    ("POST", "/app/installations/0/access_tokens", {"repository_ids": ["7"]}),
    ("POST", "/repos/lab/bounties/actions/workflows/verify.yml/dispatches", {"inputs": {}}),
    ("PUT", "/repos/lab/bounties/pulls/1/merge", {"sha": "2", "merge_method": "fast"}),
    ("POST", "/repos/lab/bounties/pulls/1/reviews", {"event": "comment", "comments": [{"path": "a", "body": "b"}]}),
    ("POST", "/repos/lab/bounties/issues/comments/1/reactions", {"content": "ok"}),
]


@pytest.mark.parametrize(("verb", "path", "body"), RAW, ids=[f"{verb} {path}" for verb, path, _ in RAW])
def test_a_request_of_another_shape_is_refused(simulator: Simulator, verb: str, path: str, body: Any) -> None:
    answer = simulator.client.request(verb, path, json=body)
    assert answer.status_code == 400 and answer.json()["err"], answer.text
    with pytest.raises(AssertionError):
        all_fitted(simulator.world)


WRONG: dict[str, Callable[[Writes], object]] = {
    "a check's state": lambda writes: writes.create_check(FIRST, "n", "x", {"status": "nearly", "output": {}}),
    "an annotation's level": lambda writes: writes.update_check(
        1, {"output": {"title": "t", "summary": "s", "annotations": [{"annotation_level": "bad"}]}}
    ),
    "a thread's field": lambda writes: writes.access.query("{ repository(owner: 1) { id } }", {}, {}),
}


@pytest.mark.parametrize("what", WRONG)
def test_the_bot_that_asked_wrongly_would_hear_of_it(town: Town, what: str) -> None:
    with pytest.raises(errors.Invalid):
        WRONG[what](Writes(town.access))


def test_an_address_that_github_lacks_is_not_found_and_does_not_count_as_held_against_anything(
    simulator: Simulator,
) -> None:
    assert simulator.client.get("/repos/lab/bounties/pull/1").status_code == 404
    with pytest.raises(AssertionError):
        all_fitted(simulator.world)
