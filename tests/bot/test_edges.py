"""Settings, logs and the client for GitHub, against a small real HTTP server where one is needed."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from pydantic import SecretStr

from bot import logs
from bot.github import errors
from bot.github.client import Access, App, graphql_error, graphql_path
from bot.github.http import Answer, Http, check, limited
from bot.github.limits import Limits
from bot.github.models import HookDelivery
from bot.github.reads import Reads
from bot.github.tokens import READ, Tokens
from bot.health import Health
from bot.reconcile import backoff
from bot.settings import SettingsError, read_settings
from bot.store.pulls import Repo
from bot.sweep import lost
from bot.worker import Worker

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PEM = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
)
ENVIRON = {
    "APP_ID": "12",
    "APP_PRIVATE_KEY": PEM.decode(),
    "WEBHOOK_SECRET": "a secret of good length",
    "PUBLIC_URL": "https://bot.example/",
}


def test_settings_come_from_the_environment() -> None:
    settings = read_settings(ENVIRON | {"WORKERS": "8", "TRUSTED_WORKFLOWS": "a/b/x.yml@1, a/b/y.yml@2"})
    assert (settings.workers, settings.public_url) == (8, "https://bot.example")
    assert settings.audience == "https://bot.example/report"
    assert settings.jwks_url == "https://token.actions.githubusercontent.com/.well-known/jwks"
    assert settings.trusted_workflows == ("a/b/x.yml@1", "a/b/y.yml@2")


def test_a_key_can_be_in_a_file_or_on_one_line(tmp_path: Any) -> None:
    file = tmp_path / "app.pem"
    file.write_bytes(PEM)
    without = {name: value for name, value in ENVIRON.items() if name != "APP_PRIVATE_KEY"}
    by_file = read_settings(without | {"APP_PRIVATE_KEY_FILE": str(file)})
    one_line = read_settings(ENVIRON | {"APP_PRIVATE_KEY": PEM.decode().replace("\n", "\\n")})
    assert by_file.app_private_key == one_line.app_private_key == SecretStr(PEM.decode())


@pytest.mark.parametrize("url", ["postgres://u:p@h/d", "postgresql://u:p@h/d"])
def test_a_database_url_as_hosters_write_it_is_taken(url: str) -> None:
    settings = read_settings(ENVIRON | {"DATABASE_URL": url})
    assert settings.database_url.get_secret_value() == "postgresql+psycopg://u:p@h/d"


@pytest.mark.parametrize(
    "wrong",
    [
        {"WEBHOOK_SECRET": "short"},
        {"PUBLIC_URL": "bot.example"},
        {"DATABASE_URL": "sqlite:///:memory:"},
        {"DATABASE_URL": "mysql://u:topsecret@h/d"},
        {"APP_PRIVATE_KEY": "topsecret"},
        {"APP_PRIVATE_KEY": "", "APP_PRIVATE_KEY_FILE": "/nowhere/app.pem"},
        {"WORKERS": "0"},
    ],
)
def test_a_wrong_setting_is_named_and_its_value_is_not(wrong: dict[str, str]) -> None:
    with pytest.raises(SettingsError) as error:
        read_settings(ENVIRON | wrong)
    assert any(name in str(error.value) for name in wrong)
    assert "topsecret" not in str(error.value) and "short" not in str(error.value)


def test_settings_show_no_secret() -> None:
    shown = repr(read_settings(ENVIRON | {"DATABASE_URL": "postgresql://bot:topsecret@h/d"}))
    assert "topsecret" not in shown and "PRIVATE KEY" not in shown and "good length" not in shown


@pytest.mark.parametrize(
    "secret",
    [
        "ghs_16C7e42F292c6912E7710c838347Ae178B4a",
        "ghs_12345_" + "x" * 30 + ".eyJhIjoi." + "y" * 200 + "-z",
        "github_pat_11ABCDEFG0123456789_abcdefghij",
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMiJ9.c2ln-_bmF0dXJl",
        PEM.decode().strip(),
        "bot:topsecret",
    ],
)
def test_what_looks_like_a_secret_is_taken_out_of_logs(secret: str) -> None:
    line = f"GET https://{secret}@h/x" if ":" in secret and "PRIVATE" not in secret else f"token {secret} was refused"
    clean = logs.scrub(line)
    assert secret not in clean and "[secret]" in clean
    assert logs.redact(None, "info", {"error": line, "more": [{"deep": line}]}) == {
        "error": clean,
        "more": [{"deep": clean}],
    }


def test_words_that_are_no_secret_stay() -> None:
    line = "PUT https://api.github.com/repos/lab/bounties/pulls/1/merge: 409 Head branch was modified"
    assert logs.scrub(line) == line


def answer(status: int, body: Any = None, **headers: str) -> Answer:
    return Answer(status, {name.replace("_", "-"): value for name, value in headers.items()}, json.dumps(body or {}))


@pytest.mark.parametrize(
    ("it", "seconds"),
    [
        (answer(403, retry_after="30"), 30),
        (answer(429, retry_after="7"), 7),
        (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset=str(int(NOW.timestamp()) + 90)), 91),
        (answer(403, x_ratelimit_remaining="0", x_ratelimit_reset=str(int(NOW.timestamp()) - 90)), 1),
        (answer(429), 60),
        (answer(403, {"message": "You have exceeded a secondary rate limit. Please wait."}), 60),
    ],
)
def test_rate_limits_say_when(it: Answer, seconds: int) -> None:
    assert limited(it, NOW) == NOW + timedelta(seconds=seconds)
    with pytest.raises(errors.Later):
        check("POST", "/x", it, NOW)


@pytest.mark.parametrize(
    ("verb", "it", "kind"),
    [
        ("GET", answer(403, {"message": "Resource not accessible by integration"}), errors.Forbidden),
        ("GET", answer(401), errors.Unauthorized),
        ("GET", answer(404), errors.Gone),
        ("GET", answer(410), errors.Gone),
        ("GET", answer(502), errors.Unavailable),
        ("POST", answer(500), errors.Unknown),
        ("PUT", answer(302), errors.Unknown),
        ("PUT", answer(405), errors.NotMergeable),
        ("PUT", answer(409), errors.Conflict),
        ("POST", answer(422), errors.Invalid),
    ],
)
def test_failures_have_types(verb: str, it: Answer, kind: type[errors.GitHubError]) -> None:
    with pytest.raises(errors.GitHubError) as error:
        check(verb, "/x", it, NOW)
    assert type(error.value) is kind and error.value.status == it.status


def test_graphql_lives_beside_rest_and_its_errors_have_types() -> None:
    assert graphql_path("https://api.github.com") == "https://api.github.com/graphql"
    assert graphql_path("https://ghe.example/api/v3") == "https://ghe.example/api/graphql"
    assert isinstance(graphql_error({"errors": [{"type": "FORBIDDEN", "message": "no"}]}), errors.Forbidden)
    assert isinstance(graphql_error({"errors": [{"type": "NOT_FOUND"}]}), errors.Gone)
    assert isinstance(graphql_error({"errors": [{"message": "odd"}]}), errors.Invalid)
    assert isinstance(graphql_error([]), errors.Invalid)


Handler = Callable[[str, str, dict[str, str]], tuple[int, dict[str, str], Any]]


class Stub:
    """A server whose answers a test gives; it keeps what was asked."""

    def __init__(self, handle: Handler) -> None:
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        stub = self

        class Requests(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do(self) -> None:
                self.rfile.read(int(self.headers.get("content-length") or 0))
                got = {name.lower(): value for name, value in self.headers.items()}
                stub.asked.append((self.command, self.path, got))
                status, more, body = handle(self.command, self.path, got)
                if status == 0:  # hang up without a word
                    self.close_connection = True
                    return
                data = b"" if status in (204, 304) else json.dumps(body).encode()
                self.send_response(status)
                own = {"content-type": "application/json", "content-length": str(len(data))}
                for name, value in (own | more).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_PATCH = do

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def access(self, **more: Any) -> Access:
        http = Http(self.url, write_spacing=0, backoff=0, **more)
        return Access(App(http, Tokens(http, "12", SecretStr(PEM.decode()))), Repo(7, "lab", "bounties", 70, 5))

    def count(self, verb: str, part: str) -> int:
        return sum(one == verb and part in path for one, path, _ in self.asked)


@pytest.fixture
def stub() -> Iterator[Callable[[Handler], Stub]]:
    made: list[Stub] = []

    def make(handle: Handler) -> Stub:
        made.append(Stub(handle))
        return made[-1]

    yield make
    for one in made:
        one.server.shutdown()
        one.server.server_close()


def minted(number: int = 1) -> tuple[int, dict[str, str], Any]:
    until = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    return 201, {}, {"token": f"ghs_token{number}", "expires_at": until}


def test_a_read_is_repeated_and_a_write_never(stub: Callable[[Handler], Stub]) -> None:
    it = stub(lambda verb, path, headers: minted() if "access_tokens" in path else (502, {}, {"message": "down"}))
    access = it.access()
    with pytest.raises(errors.Unavailable):
        access.get("/pulls/1", READ)
    assert it.count("GET", "/pulls/1") == 4
    for verb in ("POST", "PUT", "PATCH"):
        with pytest.raises(errors.Unknown):
            access.send(verb, "/write", READ, {})
        assert it.count(verb, "/write") == 1


def test_a_connection_that_breaks_is_unknown_for_a_write(stub: Callable[[Handler], Stub]) -> None:
    it = stub(lambda verb, path, headers: minted() if "access_tokens" in path else (0, {}, None))
    access = it.access()
    with pytest.raises(errors.Unknown) as error:
        access.send("POST", "/write", READ, {})
    assert "ghs_" not in str(error.value) and error.value.__cause__ is None
    assert it.count("POST", "/write") == 1
    with pytest.raises(errors.Unavailable):
        access.get("/read", READ)
    assert it.count("GET", "/read") == 4


def test_what_did_not_change_is_asked_for_with_its_etag(stub: Callable[[Handler], Stub]) -> None:
    def handle(verb: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        if "access_tokens" in path:
            return minted()
        if headers.get("if-none-match") == '"v1"':
            return 304, {}, None
        return 200, {"etag": '"v1"'}, {"number": 1}

    it = stub(handle)
    access = it.access()
    assert access.get("/pulls/1", READ) == access.get("/pulls/1", READ) == {"number": 1}
    assert [headers.get("if-none-match") for verb, path, headers in it.asked if "/pulls" in path] == [None, '"v1"']
    access.get("/pulls/1", {"metadata": "read"})  # other rights, another answer perhaps
    assert it.asked[-1][2].get("if-none-match") is None


def test_tokens_are_kept_and_narrowed(stub: Callable[[Handler], Stub]) -> None:
    it = stub(lambda verb, path, headers: minted() if "access_tokens" in path else (200, {}, {}))
    access = it.access()
    for _ in range(3):
        access.get("/x", READ)
    assert it.count("POST", "access_tokens") == 1
    access.send("POST", "/y", {"checks": "write"})
    assert it.count("POST", "access_tokens") == 2
    assert "ghs_" not in repr(access.app.tokens.installation(70, 7, READ))


def test_a_new_token_that_is_not_known_yet_is_replaced_once(stub: Callable[[Handler], Stub]) -> None:
    made = iter(range(1, 9))

    def handle(verb: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        if "access_tokens" in path:
            return minted(next(made))
        return (404 if headers["authorization"] == "Bearer ghs_token1" else 200), {}, {}

    it = stub(handle)
    access = it.access()
    assert access.get("/x", READ) == {}
    assert it.count("POST", "access_tokens") == 2 and it.count("GET", "/x") == 2


def test_a_404_of_a_token_that_works_is_believed(stub: Callable[[Handler], Stub]) -> None:
    def handle(verb: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        return minted() if "access_tokens" in path else (404 if "gone" in path else 200, {}, {})

    it = stub(handle)
    access = it.access()
    access.get("/x", READ)
    with pytest.raises(errors.Gone):
        access.get("/gone", READ)
    assert it.count("GET", "/gone") == 1 and it.count("POST", "access_tokens") == 1


def test_pages_are_followed_and_not_for_ever(stub: Callable[[Handler], Stub]) -> None:
    def handle(verb: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        if "access_tokens" in path:
            return minted()
        asked = re.search(r"[?&]page=(\d+)", path)
        page = int(asked[1]) if asked else 1
        onward = f'<{it.url}/repos/lab/bounties/list?per_page=100&page={page + 1}>; rel="next"'
        return 200, {"link": onward} if page < 3 else {}, [page]

    it = stub(handle)
    access = it.access()
    assert list(access.pages("/list", READ)) == [[1], [2], [3]]
    with pytest.raises(errors.Invalid, match="more than 2 pages"):
        list(access.pages("/list", READ, most=2))


def test_a_login_that_belongs_to_somebody_else_by_now_has_no_role(stub: Callable[[Handler], Stub]) -> None:
    found = {"role_name": "admin", "user": {"id": 42, "login": "ada"}}
    it = stub(lambda verb, path, headers: minted() if "access_tokens" in path else (200, {}, found))
    reads = Reads(it.access())
    assert reads.role("ada", 42) == "admin"
    assert reads.role("ada", 43) == "none"


def test_an_answer_without_what_is_needed_names_it_and_not_its_content(stub: Callable[[Handler], Stub]) -> None:
    it = stub(lambda verb, path, headers: minted() if "access_tokens" in path else (200, {}, {"number": "topsecret"}))
    with pytest.raises(errors.Invalid, match="PullInfo lacks") as error:
        Reads(it.access()).pull(1)
    assert "topsecret" not in str(error.value)


def test_writes_of_an_installation_take_turns(stub: Callable[[Handler], Stub]) -> None:
    inside = most = 0
    lock = threading.Lock()

    def handle(verb: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        nonlocal inside, most
        if "access_tokens" in path:
            return minted()
        with lock:
            inside += 1
            most = max(most, inside)
        threading.Event().wait(0.02)
        with lock:
            inside -= 1
        return 201, {}, {}

    access = stub(handle).access()
    threads = [threading.Thread(target=access.send, args=("POST", "/x", READ, {})) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_passes_that_fail_wait_longer_and_not_for_ever() -> None:
    waits = [backoff(attempts).total_seconds() for attempts in range(12)]
    assert waits[:4] == [2, 4, 8, 16] and waits == sorted(waits) and waits[-1] == 600


def test_only_what_never_arrived_is_asked_for_again_and_not_too_often() -> None:
    def tries(guid: str, count: int) -> list[HookDelivery]:
        return [HookDelivery(id=number, guid=guid, delivered_at=NOW) for number in range(count)]

    sent = {"here": tries("here", 1), "missing": tries("missing", 1), "hopeless": tries("hopeless", 3)}
    assert lost(sent, {"missing", "hopeless"}) == ["missing"]


def test_the_longest_limit_of_an_installation_stands() -> None:
    """A thread that was told to wait a minute comes back after another one that was told to wait an hour."""
    limits, hour, minute = Limits(), NOW + timedelta(hours=1), NOW + timedelta(minutes=1)
    with pytest.raises(errors.Later), limits.heeded(1, NOW):
        with pytest.raises(errors.Later), limits.heeded(1, NOW):
            raise errors.Later(hour, "")
        raise errors.Later(minute, "")
    with pytest.raises(errors.Later) as told, limits.heeded(1, minute):
        raise AssertionError("it asked")
    assert told.value.at == hour
    with limits.heeded(1, hour), limits.heeded(2, NOW):
        pass  # over, and never about another installation


def test_looks_leave_time_for_whoever_acknowledges_webhooks() -> None:
    """However much is due and however many threads there are, their looks together are so far apart."""
    looks: list[float] = []

    class Busy(Worker):
        def turn(self) -> bool:
            looks.append(time.monotonic())
            return True

    settings = SimpleNamespace(workers=4, pass_spacing=0.05)
    bot = SimpleNamespace(settings=settings, clock=lambda: datetime.now(UTC), health=Health(None))  # type: ignore[arg-type]
    busy = Busy(bot)  # type: ignore[arg-type]
    began = time.monotonic()
    busy.start()
    time.sleep(0.5)
    busy.stop()
    assert 4 < len(looks) <= (looks[-1] - began) / 0.05 + 1
