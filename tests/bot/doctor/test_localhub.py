"""The doctor through the bot's own client, on a GitHub with permissions for each token."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result
from pydantic import SecretStr

from bot.app_create import Plan, create
from bot.doctor import Severity
from bot.doctor.installed import look
from bot.github.client import Access
from bot.github.client import App as Client
from bot.github.http import Http
from bot.github.tokens import Tokens
from bot.manifest import EVENTS, ORGANISATION, REPOSITORY
from bot.settings import read_settings
from bot.setup_cli import doctor
from bot.store.pulls import Repo as Row
from localhub.hub import Hub

PERMISSIONS = {name: level for name, (level, _) in {**REPOSITORY, **ORGANISATION}.items()}


class Place:
    """An organisation's bounty repository, laid down and set up as documented, and the App installed on it."""

    def __init__(
        self, make: Any, permissions: dict[str, str], bypass: bool = False, files: dict[str, str] | None = None
    ) -> None:
        self.trusted = make.trusted
        self.hub = Hub.start()
        owner = self.hub.user("olga")
        self.hub.organization("octo", [owner])
        maintainer = self.hub.user("max")
        self.repo = self.hub.create_repo("octo/bounties", files=files or make.laid_down(), maintainers=[maintainer])
        self.app = self.hub.create_app("bounties", "http://127.0.0.1:1/webhook", PERMISSIONS, EVENTS, owner=owner)
        ruleset = make.shipped(self.app.id)
        if bypass:
            ruleset["bypass_actors"] = [{"actor_id": self.app.id, "actor_type": "Integration", "bypass_mode": "always"}]
        owner.add_ruleset(self.repo, ruleset)
        base = f"/repos/{self.repo.full_name}/actions/permissions"
        owner.call("PUT", base, {"enabled": True, "sha_pinning_required": True})
        owner.call("PUT", f"{base}/fork-pr-contributor-approval", {"approval_policy": "all_external_contributors"})
        self.installation = self.hub.install_app(self.app, self.repo, permissions=permissions)
        self.owner = owner

    def codes(self, severity: Severity | None = None) -> list[str]:
        http = Http(self.hub.api, write_spacing=0)
        client = Client(http, Tokens(http, str(self.app.id), SecretStr(self.app.private_key)))
        row = Row(self.repo.id, "octo", "bounties", self.installation.id)
        return [one.code for one in look(Access(client, row), self.trusted) if severity in (None, one.severity)]


@pytest.fixture
def place(make: Any) -> Iterator[Any]:
    made: list[Place] = []

    def build(permissions: dict[str, str] = PERMISSIONS, **more: Any) -> Place:
        made.append(Place(make, permissions, **more))
        return made[-1]

    yield build
    for one in made:
        one.hub.stop()


def test_a_repository_set_up_as_documented_is_safe(place: Any) -> None:
    assert place().codes() == []


@pytest.mark.parametrize("name", ["checks", "organization_self_hosted_runners"])
def test_without_a_permission_nothing_is_merged(place: Any, name: str) -> None:
    left = {one: level for one, level in PERMISSIONS.items() if one != name}
    assert "permission-missing" in place(left).codes(Severity.FORBIDS)


def test_what_may_not_be_seen_is_not_safe(place: Any) -> None:
    left = {one: level for one, level in PERMISSIONS.items() if one != "administration"}
    assert "unread" in place(left).codes(Severity.FORBIDS)


def test_an_app_that_could_bypass_the_rules_is_found_without_seeing_who_may(place: Any) -> None:
    assert place(bypass=True).codes() == ["app-may-bypass"]


def test_an_app_that_may_change_settings_is_too_strong(place: Any) -> None:
    assert place({**PERMISSIONS, "administration": "write"}).codes() == ["permission-too-wide"]


def told(place: Place, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Result:
    """What an operator sees who runs the doctor with the bot's settings in the environment."""
    trusted = " ".join(place.trusted)
    for name, value in {
        "APP_ID": str(place.app.id),
        "APP_PRIVATE_KEY": place.app.private_key,
        "WEBHOOK_SECRET": "a secret of good length",
        "PUBLIC_URL": "https://bounty.example.org",
        "GITHUB_API_URL": place.hub.api,
        "TRUSTED_WORKFLOWS": trusted,
    }.items():
        monkeypatch.setenv(name, value)
    return CliRunner().invoke(doctor, arguments)


def test_the_command_says_so_and_exits_by_it(place: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    safe = place()
    outcome = told(safe, monkeypatch)
    assert outcome.exit_code == 0, outcome.output
    assert "octo/bounties: nothing unsafe" in outcome.output
    assert told(safe, monkeypatch, "octo/other").exit_code == 4
    safe.repo.actions.fork_approval = "first_time_contributors"
    outcome = told(safe, monkeypatch, "Octo/Bounties")
    assert outcome.exit_code == 1
    assert "UNSAFE  fork-runs" in outcome.output and "all external contributors" in outcome.output
    monkeypatch.setenv("APP_ID", "")
    assert CliRunner().invoke(doctor, []).exit_code == 2


def test_the_app_that_the_local_page_makes_works(make: Any, tmp_path: Path) -> None:
    """From the button to a token: the manifest is taken, the code is exchanged, and the key that came opens the API."""
    hub = Hub.start()
    web = httpx.Client(trust_env=False)

    def operator(line: str) -> None:
        if not line.startswith("Open "):
            return
        page = web.get(line.split()[1]).text
        manifest = json.loads(html.unescape(re.findall(r'name=manifest value="([^"]*)"', page)[0]))
        state = re.findall(r'state=([^"]*)"', page)[0]
        code = hub.convert_manifest(manifest, hub.user("olga").user)
        web.get(f"{manifest['redirect_url']}?code={code}&state={state}")

    try:
        plan = Plan("My bounties", "https://bounty.example.org", "octo", github=hub.url, api=hub.api)
        key, file = create(plan, tmp_path, operator, seconds=10)
        found = dict(line.split("=", 1) for line in file.read_text().splitlines())
        settings = read_settings({**found, "GITHUB_API_URL": hub.api})
        http = Http(hub.api, write_spacing=0)
        me = Client(http, Tokens(http, settings.app_id, settings.app_private_key)).me()
        assert (me.name, str(me.id), key.name) == ("My bounties", found["APP_ID"], "app.pem")
        assert hub.apps[str(me.id)].permissions == PERMISSIONS and set(hub.apps[str(me.id)].events) == set(EVENTS)
    finally:
        web.close()
        hub.stop()


def test_each_setting_that_is_loosened_is_found(make: Any, place: Any) -> None:
    files = {path: text for path, text in make.laid_down().items() if not path.endswith("CODEOWNERS")}
    greet = "on: pull_request_target\njobs:\n  a:\n    runs-on: gpu-box\n    steps: []\n"
    one = place(files={**files, ".github/workflows/greet.yml": greet})
    base = f"/repos/{one.repo.full_name}/actions/permissions"
    loose = {"default_workflow_permissions": "write", "can_approve_pull_request_reviews": True}
    one.owner.call("PUT", f"{base}/workflow", loose)
    one.owner.call("PUT", f"{base}/fork-pr-contributor-approval", {"approval_policy": "first_time_contributors"})
    assert set(one.codes(Severity.FORBIDS)) == {
        *("token-writes", "actions-approve", "fork-runs", "dangerous-trigger", "self-hosted-runner", "no-code-owners")
    }
