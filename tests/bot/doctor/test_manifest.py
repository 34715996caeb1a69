"""The App asks for what it needs, and is made by the operator who opened the page, and by nobody else."""

from __future__ import annotations

import html
import http.client
import http.server
import json
import re
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx
import pytest

from bot import app_create
from bot.app_create import Desk, Failed, Plan, create, page, read_code, write
from bot.manifest import DANGEROUS, EVENTS, ORGANISATION, REPOSITORY, excess, lacking, manifest

PEM = "-----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0\n-----END RSA PRIVATE KEY-----\n"  # pragma: allowlist secret
HOOK = "hook secret of the test"  # pragma: allowlist secret
URL = "https://bounty.example.org"

#: The operator's browser, which knows no proxy.
WEB = httpx.Client(trust_env=False)


def made(**changes: Any) -> dict[str, Any]:
    return manifest("Bounties", URL, "http://127.0.0.1:1/callback", **changes)


# --- what it asks for ---


def test_the_manifest_is_what_github_takes() -> None:
    body = made()
    assert body["hook_attributes"] == {"url": f"{URL}/webhook", "active": True}
    assert body["redirect_url"] == "http://127.0.0.1:1/callback"
    assert body["public"] is False
    assert set(body) == {
        *("name", "url", "hook_attributes", "redirect_url", "description", "public"),
        *("default_events", "default_permissions"),
    }


def test_it_asks_for_nothing_with_which_protections_could_be_switched_off() -> None:
    permissions = made()["default_permissions"]
    assert {name for name, level in permissions.items() if level != "read"} == {
        *("actions", "checks", "contents", "issues", "pull_requests")
    }
    assert not {"workflows", "secrets", "environments", "deployments", "statuses"} & set(permissions)
    assert all(permissions[name] == "read" for name in DANGEROUS & set(permissions))


def test_every_permission_says_what_for() -> None:
    for name, (level, why) in {**REPOSITORY, **ORGANISATION}.items():
        assert level in ("read", "write") and len(why) > 10, name


def test_a_users_account_is_asked_for_no_organisations_rights() -> None:
    assert not set(ORGANISATION) & set(made(organisation=False)["default_permissions"])


def test_what_it_gets_is_neither_too_little_nor_too_much() -> None:
    granted = made()["default_permissions"]
    assert lacking(granted, {**REPOSITORY, **ORGANISATION}) == []
    assert excess(granted) == {}
    assert lacking({**granted, "checks": "read"}, REPOSITORY) == ["checks"]
    assert lacking({}, REPOSITORY) == list(REPOSITORY)
    assert lacking(dict.fromkeys(REPOSITORY, "strange"), REPOSITORY) == list(REPOSITORY)
    assert excess({**granted, "metadata": "write", "pages": "read", "secrets": "none"}) == {
        "metadata": "write",
        "pages": "read",
    }


def test_it_hears_of_everything_that_can_change_a_decision() -> None:
    assert {"pull_request", "pull_request_review", "issue_comment", "push", "workflow_run"} <= set(EVENTS)
    assert len(set(EVENTS)) == len(EVENTS)


@pytest.mark.parametrize(
    ("name", "url"),
    [
        ("", URL),
        ("x" * 35, URL),
        ("x", "bounty.example.org"),
        ("x", "file:///etc"),
        ("x", URL + "?a=b"),
        ("x", "https://"),
    ],
)
def test_what_github_would_refuse_is_refused_here(name: str, url: str) -> None:
    with pytest.raises(ValueError):
        manifest(name, url, "http://127.0.0.1:1/callback")


# --- the page ---


def test_the_page_posts_the_manifest_and_nothing_in_it_comes_to_life() -> None:
    body = {**made(), "name": '"><script>alert(1)</script>'}
    text = page("https://github.com/settings/apps/new", "a&b", body)
    assert "<script" not in text
    value = re.search(r'name=manifest value="([^"]*)"', text)
    assert value is not None and json.loads(html.unescape(value[1])) == body
    assert 'action="https://github.com/settings/apps/new?state=a%26b"' in text


def test_an_organisations_app_is_made_at_the_organisation() -> None:
    assert Plan("x", URL, "octo").action == "https://github.com/organizations/octo/settings/apps/new"
    assert Plan("x", URL).action == "https://github.com/settings/apps/new"
    for bad in ("octo/x", "../x", "a b", "-a", "?", "x" * 40):
        with pytest.raises(ValueError):
            _ = Plan("x", URL, bad).action


@pytest.mark.parametrize(
    "target",
    [
        "/callback",
        "/callback?code=abc",
        "/callback?state=right",
        "/callback?code=abc&state=wrong",
        "/callback?code=abc&state=",
        "/callback?code=abc&state=right&state=right",
        "/callback?code=abc&code=def&state=right",
        "/callback?code=../../user&state=right",
        "/callback?code=a%2Fb&state=right",
        "/callback?code=&state=right",
        "/callback?code=" + "x" * 200 + "&state=right",
    ],
)
def test_what_does_not_come_from_our_page_is_refused(target: str) -> None:
    with pytest.raises(Failed):
        read_code(target, "right")


def test_the_code_is_read() -> None:
    assert read_code("/callback?code=a1-B_2&state=right", "right") == "a1-B_2"


# --- the whole way, over HTTP ---


class GitHub:
    """GitHub's two ends: the page that takes a manifest, and the exchange of a code, which works once."""

    def __init__(self) -> None:
        self.codes = {"one-time-code"}
        self.status = 201
        self.body: Any = {
            "id": 42, "slug": "bounties", "client_id": "Iv1.abc", "client_secret": "x", "pem": PEM,
            "webhook_secret": HOOK, "html_url": "https://github.com/apps/bounties", "owner": {"login": "octo"},
        }  # fmt: skip
        self.asked: list[str] = []
        github = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("content-length", 0)))
                github.asked.append(self.path)
                code = self.path.split("/")[-2]
                status = github.status if code in github.codes else 404
                github.codes.discard(code)
                body = json.dumps(github.body).encode()
                self.send_response(status)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def github() -> Iterator[GitHub]:
    server = GitHub()
    yield server
    server.close()


@pytest.fixture
def desk(github: GitHub) -> Iterator[Desk]:
    plan = Plan("Bounties", URL, "octo", github="https://github.example", api=github.url)
    with httpx.Client() as client, Desk(plan, client) as desk:
        yield desk


def state_of(desk: Desk) -> str:
    """What the operator's browser sends along, read from the page like the browser does."""
    text = WEB.get(desk.address).text
    action = re.search(r'action="([^"]*)"', text)
    assert action is not None
    address = urlsplit(html.unescape(action[1]))
    assert address.netloc == "github.example" and address.path == "/organizations/octo/settings/apps/new"
    return parse_qs(address.query)["state"][0]


def back(desk: Desk, **query: str) -> httpx.Response:
    return WEB.get(f"{desk.address}callback?{urlencode(query)}")


def test_the_operator_makes_an_app(github: GitHub, desk: Desk) -> None:
    assert back(desk, code="one-time-code", state=state_of(desk)).status_code == 200
    credentials = desk.wait(5)
    assert (credentials.id, credentials.slug) == (42, "bounties")
    assert credentials.pem.get_secret_value() == PEM
    assert PEM not in repr(credentials) and HOOK not in repr(credentials)
    assert github.asked == ["/app-manifests/one-time-code/conversions"]


def test_another_page_cannot_slip_in_the_code_of_its_own_app(github: GitHub, desk: Desk) -> None:
    assert back(desk, code="one-time-code", state="guessed").status_code == 400
    assert github.asked == []
    # … nor stop the operator by trying.
    assert back(desk, code="one-time-code", state=state_of(desk)).status_code == 200
    assert desk.wait(5).id == 42


def test_a_second_code_changes_nothing(github: GitHub, desk: Desk) -> None:
    state = state_of(desk)
    back(desk, code="one-time-code", state=state)
    github.codes = {"other"}
    assert back(desk, code="other", state=state).status_code == 410
    assert len(github.asked) == 1


@pytest.mark.parametrize("name", ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:80", ""])
def test_a_name_that_only_points_here_gets_nothing(desk: Desk, name: str) -> None:
    """A web page can have its own name point at this machine, and would then be allowed to read our answers."""
    connection = http.client.HTTPConnection("127.0.0.1", desk.port)
    connection.request("GET", "/", headers={"Host": name})
    assert connection.getresponse().status == 421
    connection.close()


def test_the_page_may_do_nothing_but_post_to_github(desk: Desk) -> None:
    answer = WEB.get(desk.address)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "form-action https://github.example;" in policy
    assert answer.headers["cache-control"] == "no-store"
    assert WEB.get(desk.address + "anything").status_code == 404


def test_a_code_that_github_does_not_take_is_told(github: GitHub, desk: Desk) -> None:
    assert back(desk, code="stale", state=state_of(desk)).status_code == 502
    with pytest.raises(Failed, match="404"):
        desk.wait(5)


@pytest.mark.parametrize("body", [{}, [], {"id": "x"}, "nonsense"])
def test_an_answer_of_another_form_is_told_without_its_secrets(github: GitHub, desk: Desk, body: Any) -> None:
    github.body = body if not isinstance(body, dict) else {"pem": PEM, **body}
    answer = back(desk, code="one-time-code", state=state_of(desk))
    assert answer.status_code == 502 and "secret" not in answer.text and PEM not in answer.text
    with pytest.raises(Failed) as caught:
        desk.wait(5)
    assert PEM not in str(caught.value)


def test_nobody_is_waited_for_without_end(desk: Desk) -> None:
    with pytest.raises(Failed, match="in time"):
        desk.wait(0.01)


# --- the files ---


def test_the_key_is_written_for_its_owner_alone_and_never_over_another(tmp_path: Path) -> None:
    credentials = app_create.Credentials(id=42, slug="x", client_id="y", pem=PEM, webhook_secret=HOOK)  # type: ignore[arg-type]
    key, settings = write(tmp_path / "new", credentials, URL)
    assert key.read_text() == PEM
    assert settings.read_text().splitlines() == [
        "APP_ID=42",
        f"APP_PRIVATE_KEY_FILE={key}",
        f"WEBHOOK_SECRET={HOOK}",
        f"PUBLIC_URL={URL}",
    ]
    for file in (key, settings):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    settings.unlink()
    with pytest.raises(FileExistsError):
        write(tmp_path / "new", credentials, URL)
    assert not settings.exists()


def test_create_shows_the_page_and_writes_the_files(github: GitHub, tmp_path: Path) -> None:
    shown: list[str] = []

    def operator(line: str) -> None:
        shown.append(line)
        address = re.search(r"http://127\.0\.0\.1:\d+/", line)
        if address is not None:
            text = WEB.get(address[0]).text
            state = re.search(r"state=([^\"]*)\"", text)
            assert state is not None
            WEB.get(f"{address[0]}callback?code=one-time-code&state={state[1]}")

    files = create(Plan("Bounties", URL, api=github.url), tmp_path, operator, seconds=5)
    assert [file.name for file in files] == ["app.pem", "bot.env"]
    assert "https://github.com/apps/bounties" in shown[-1]
    assert not any(HOOK in line or PEM in line for line in shown)
    with pytest.raises(FileExistsError):  # before GitHub is asked for anything
        create(Plan("Bounties", URL, api=github.url), tmp_path, operator, seconds=5)
    assert len(github.asked) == 1
