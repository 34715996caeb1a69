"""`envbounty app create`: a page on this machine that has GitHub make the App from our manifest, in one click.

The operator's browser posts the manifest to GitHub, GitHub sends it back here with a code, and the code is exchanged
once for the App's id and secrets. The page listens on this machine only. A nonce ties what comes back to what was sent:
without it any page open in the browser could hand us the code of an App that somebody else controls.
"""

from __future__ import annotations

import hmac
import html
import http.server
import json
import os
import re
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import httpx
from pydantic import BaseModel, SecretStr, ValidationError

from bot.manifest import manifest

#: The code is good for an hour; nobody waits longer at a page.
WAIT_SECONDS = 3600.0

_CODE = re.compile(r"[A-Za-z0-9_-]{1,128}")
_ORGANISATION = re.compile(r"[A-Za-z0-9](-?[A-Za-z0-9]){0,38}")


class Failed(Exception):
    """The App was not made, or its secrets did not reach us. `str()` says why and what to do."""


class Credentials(BaseModel):
    """What GitHub gives out once. The secrets do not show in `repr`."""

    id: int
    slug: str
    client_id: str
    pem: SecretStr
    webhook_secret: SecretStr
    html_url: str = ""


@dataclass(frozen=True)
class Plan:
    """Where the App is made, and what for."""

    name: str
    url: str  # where GitHub will reach the bot
    organisation: str = ""  # the organisation that will own the App; empty: the operator's own account
    public: bool = False
    github: str = "https://github.com"
    api: str = "https://api.github.com"

    @property
    def action(self) -> str:
        """GitHub's page that takes the manifest."""
        if not self.organisation:
            return f"{self.github.rstrip('/')}/settings/apps/new"
        if _ORGANISATION.fullmatch(self.organisation) is None:
            raise ValueError(f"{self.organisation[:60]!r} is no name of an organisation")
        return f"{self.github.rstrip('/')}/organizations/{self.organisation}/settings/apps/new"


def page(action: str, state: str, body: Mapping[str, Any]) -> str:
    """The page with the one button. It holds no script, and everything in it is escaped."""
    name = html.escape(str(body["name"]))
    rows = "".join(
        f"<tr><td>{html.escape(permission)}</td><td>{html.escape(level)}</td></tr>"
        for permission, level in body["default_permissions"].items()
    )
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>Create the App</title>"
        "<style>body{font:16px/1.5 sans-serif;max-width:40em;margin:3em auto}td{padding:0 1em 0 0}</style>"
        f"<h1>Create the App {name}</h1><p>GitHub will show it again before it makes it. It may:</p>"
        f"<table>{rows}</table>"
        f'<form method=post action="{html.escape(action)}?state={quote(state, safe="")}">'
        f'<input type=hidden name=manifest value="{html.escape(json.dumps(body))}">'
        "<p><button>Create it on GitHub</button></form></html>"
    )


def read_code(target: str, state: str) -> str:
    """The code in the address that GitHub sent the browser back to. Raises `Failed` when it is not ours."""
    query = parse_qs(urlsplit(target).query, keep_blank_values=True)
    states, codes = query.get("state", []), query.get("code", [])
    if len(states) != 1 or not hmac.compare_digest(states[0].encode(), state.encode()):
        raise Failed("what came back does not belong to this page; start again from it")
    if len(codes) != 1 or _CODE.fullmatch(codes[0]) is None:
        raise Failed("GitHub sent no code; start again")
    return codes[0]


def exchange(client: httpx.Client, api: str, code: str) -> Credentials:
    """The new App's id and secrets. A code works once. Raises `Failed`."""
    try:
        answer = client.post(
            f"{api.rstrip('/')}/app-manifests/{code}/conversions",
            headers={"accept": "application/vnd.github+json", "x-github-api-version": "2022-11-28"},
        )
    except httpx.HTTPError as error:
        raise Failed(
            f"GitHub could not be reached ({type(error).__name__}); delete the App there and start again"
        ) from None
    if answer.status_code != 201:
        raise Failed(f"GitHub answered {answer.status_code}: the code is used up or too old; start again")
    try:
        return Credentials.model_validate(answer.json())
    except (ValidationError, ValueError):
        raise Failed("GitHub's answer has another form; delete the App there and start again") from None


def write(folder: Path, made: Credentials, url: str) -> list[Path]:
    """Put the key and the settings into two new files that only their owner can read. Returns their paths.

    Raises `FileExistsError` before anything is written: an older App's key is not overwritten.
    """
    key, settings = folder / "app.pem", folder / "bot.env"
    for file in (key, settings):
        if os.path.lexists(file):
            raise FileExistsError(f"{file} is there already; move it away")
    lines = [
        f"APP_ID={made.id}",
        f"APP_PRIVATE_KEY_FILE={key}",
        f"WEBHOOK_SECRET={made.webhook_secret.get_secret_value()}",
        f"PUBLIC_URL={url}",
    ]
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in ((key, made.pem.get_secret_value()), (settings, "\n".join(lines) + "\n")):
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
            stream.write(text)
    return [key, settings]


@dataclass
class Desk:
    """The local page. `address` is what the operator opens; `wait` returns when GitHub has made the App."""

    plan: Plan
    client: httpx.Client
    port: int = 0
    _state: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _done: threading.Event = field(default_factory=threading.Event)
    _made: Credentials | None = None
    _trouble: str = ""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Desk:
        desk = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                status, text = desk.answer(self.path, self.headers.get("host", ""))
                body = text.encode()
                self.send_response(status)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.send_header("content-length", str(len(body)))
                self.send_header("cache-control", "no-store")
                self.send_header("referrer-policy", "no-referrer")
                self.send_header("content-security-policy", desk.content_policy)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments: Any) -> None:
                pass  # the address holds the code

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        self.body = manifest(
            self.plan.name,
            self.plan.url,
            f"{self.address}callback",
            public=self.plan.public,
            organisation=bool(self.plan.organisation),
        )
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @property
    def content_policy(self) -> str:
        """The page may send its form to GitHub, and do nothing else."""
        parts = urlsplit(self.plan.github)
        return (
            f"default-src 'none'; style-src 'unsafe-inline'; form-action {parts.scheme}://{parts.netloc}; "
            "frame-ancestors 'none'; base-uri 'none'"
        )

    def answer(self, target: str, host: str) -> tuple[int, str]:
        """(status, page) for a request. A name that merely points at this machine is not ours: its owner could read."""
        if host not in (f"127.0.0.1:{self.port}", f"localhost:{self.port}"):
            return 421, _words("This is another host's page.")
        path = urlsplit(target).path
        if path == "/":
            return 200, page(self.plan.action, self._state, self.body)
        if path != "/callback":
            return 404, _words("There is nothing here.")
        with self._lock:
            if self._made is not None:
                return 410, _words("The App was made already. You can close this page.")
            try:
                code = read_code(target, self._state)
            except Failed as failure:
                return 400, _words(str(failure))  # whoever sent this cannot stop what the operator does
            try:
                self._made = exchange(self.client, self.plan.api, code)
            except Failed as failure:
                self._trouble = str(failure)
                self._done.set()
                return 502, _words(str(failure))
            self._done.set()
            return 200, _words("The App is made. You can close this page and look at the terminal.")

    def wait(self, seconds: float = WAIT_SECONDS) -> Credentials:
        """The App's credentials once GitHub has made it. Raises `Failed`, also when nobody comes in time."""
        if not self._done.wait(seconds):
            raise Failed("nobody came back from GitHub in time; start again")
        if self._made is None:
            raise Failed(self._trouble)
        return self._made


def create(
    plan: Plan, folder: Path, show: Callable[[str], None], *, port: int = 0, seconds: float = WAIT_SECONDS
) -> list[Path]:
    """Show the page's address, wait for GitHub, and write the App's key and settings to `folder`.

    Raises `Failed`, `FileExistsError` or `ValueError`.
    """
    for name in ("app.pem", "bot.env"):
        if os.path.lexists(folder / name):
            raise FileExistsError(f"{folder / name} is there already; move it away")
    with httpx.Client(timeout=20, follow_redirects=False) as client, Desk(plan, client, port) as desk:
        show(f"Open {desk.address} in a browser on this machine.")
        made = desk.wait(seconds)
    files = write(folder, made, plan.url)
    show(f"The App {made.slug} is made: {made.html_url}")
    return files


def _words(text: str) -> str:
    return f"<!doctype html><html lang=en><meta charset=utf-8><title>envbounty</title><p>{html.escape(text)}</html>"
