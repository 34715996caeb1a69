"""actions/report, as the job runs it: what the sandbox put out is not believed, and the bot is told either way."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import stat
import subprocess
import sys
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from envbounty.findings import Environment, Finding, Jail, Report, Result, Severity, Verdict

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "actions/report/report.py"
SCHEMA = json.loads((ROOT / "docs/report.schema.json").read_text())
HEAD, BASE, JOB = "a" * 40, "b" * 40, "c" * 32

sys.path.insert(0, str(SCRIPT.parent))
import report as action  # noqa: E402
from schema import check_schema, violation  # noqa: E402

MIB = 1024 * 1024


def sound_report(tier: str = "verify") -> dict[str, Any]:
    finding = Finding(
        rule="accepts-nothing", severity=Severity.ERROR, message="m", path="environment.py", line=3, fix="f"
    )
    result = Result(
        environment=Environment(name="two-sum", path="environments/two-sum", kind="function", dialect="native"),
        verdict=Verdict.FAIL,
        findings=(finding,),
    )
    return json.loads(Report(tier=tier, jail=Jail(backend="bubblewrap", isolated=True), results=(result,)).to_json())


def packed(text: bytes | str, name: str = "report.json", **more: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
        for other, data in more.items():
            archive.writestr(other, data)
    return buffer.getvalue()


@dataclass
class Done:
    returncode: int
    stdout: str


@dataclass
class World:
    """GitHub's artifact store and token endpoint, and the bot, on one port."""

    data: bytes
    answers: list[int] = field(default_factory=lambda: [202])
    record: dict[str, Any] = field(default_factory=dict)
    tokens: int = 0
    posted: list[tuple[str, Any]] = field(default_factory=list)
    seen: list[tuple[str, str | None]] = field(default_factory=list)
    mints: bool = True
    garbled: bool = False
    url: str = ""

    def __post_init__(self) -> None:
        self.digest = hashlib.sha256(self.data).hexdigest()

    def answer(self, method: str, path: str, authorization: str | None, body: bytes) -> tuple[int, dict[str, str], Any]:
        parts = urlsplit(path)
        self.seen.append((parts.path, authorization))
        if parts.path == "/api/repos/acme/bounties/actions/artifacts/7":
            if self.garbled:
                return 200, {}, b"<html>"
            record = {
                "id": 7,
                "digest": f"sha256:{self.digest}",
                "size_in_bytes": len(self.data),
                "expired": False,
                "workflow_run": {"id": 99},
                **self.record,
            }
            return 200, {}, record
        if parts.path == "/api/repos/acme/bounties/actions/artifacts/7/zip":
            return 302, {"Location": f"{self.url}/blob?sig=x"}, ""
        if parts.path == "/blob":
            return 200, {}, self.data
        if parts.path == "/token":
            if not self.mints or authorization != "Bearer request-token":
                return 403, {}, {"message": "no"}
            self.tokens += 1
            return 200, {}, {"value": f"jwt-{parse_qs(parts.query)['audience'][0]}-{self.tokens}"}
        if method == "POST" and parts.path == "/bot/report":
            status = self.answers[min(len(self.posted), len(self.answers) - 1)]
            self.posted.append((authorization or "", json.loads(body)))
            said = {"error": "x", "message": "::add-path::/evil\n::error::forged"}
            return status, {"Location": "http://127.0.0.1:1/"}, said
        return 404, {}, {"message": "Not Found"}

    def run(self, **changed: str) -> Done:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            code = action.main(self.environment(**changed))
        return Done(code, said.getvalue())

    def environment(self, **changed: str) -> dict[str, str]:
        environment = {
            "GITHUB_API_URL": f"{self.url}/api",
            "GITHUB_REPOSITORY": "acme/bounties",
            "GITHUB_RUN_ID": "99",
            "TOKEN": "job-token",
            "ACTIONS_ID_TOKEN_REQUEST_URL": f"{self.url}/token?api-version=2.0",
            "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "request-token",
            "TIER": "verify",
            "JOB_ID": JOB,
            "PR": "12",
            "HEAD_SHA": HEAD,
            "BASE_SHA": BASE,
            "BOT_URL": f"{self.url}/bot",
            "AUDIENCE": "https://bot.example",
            "SANDBOX": "success",
            "TROUBLE": "",
            "ARTIFACT_ID": "7",
            "ARTIFACT_DIGEST": self.digest,
            **changed,
        }
        return {name: value for name, value in environment.items() if value != "(unset)"}

    def told(self) -> dict[str, Any]:
        ((_, body),) = self.posted
        return body


@pytest.fixture
def world() -> Iterator[Callable[..., World]]:
    servers: list[ThreadingHTTPServer] = []

    def make(data: bytes | None = None, **given: Any) -> World:
        one = World(packed(json.dumps(sound_report())) if data is None else data, **given)

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                status, headers, body = one.answer(
                    self.command, self.path, self.headers.get("Authorization"), self.rfile.read(length)
                )
                payload = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(payload))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(payload)

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        servers.append(server)
        one.url = f"http://127.0.0.1:{server.server_port}"
        return one

    yield make
    for server in servers:
        server.shutdown()
        server.server_close()


# --- a report ---------------------------------------------------------------------------------------------------------


def test_a_sound_report_is_posted_with_the_job_s_identity(world: Callable[..., World], tmp_path: Path) -> None:
    for module in ("artifact", "schema", "words", "json"):
        (tmp_path / f"{module}.py").write_text("raise SystemExit('imported from the workspace')\n")
    one = world()

    done = subprocess.run(  # as action.yml does, from a folder whose modules must not be imported
        [sys.executable, "-I", SCRIPT], env=one.environment(), cwd=tmp_path, capture_output=True, text=True, timeout=60
    )

    assert done.returncode == 0, done.stdout + done.stderr
    ((authorization, told),) = one.posted
    assert authorization == "Bearer jwt-https://bot.example-1"
    assert told == {
        "schema": 1,
        "job_id": JOB,
        "tier": "verify",
        "head_sha": HEAD,
        "base_sha": BASE,
        "artifact": {"id": 7, "digest": f"sha256:{one.digest}", "size": len(one.data)},
        "report": sound_report(),
    }
    assert Report.from_json(json.dumps(told["report"])).verdict is Verdict.FAIL


def test_no_token_goes_anywhere_but_where_it_belongs(world: Callable[..., World]) -> None:
    one = world()

    one.run()

    sent = dict(one.seen)
    assert sent["/blob"] is None
    assert sent["/api/repos/acme/bounties/actions/artifacts/7"] == "Bearer job-token"
    assert sent["/bot/report"] == "Bearer jwt-https://bot.example-1"


# --- what a taken-over sandbox may try --------------------------------------------------------------------------------


def linked() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        entry = zipfile.ZipInfo("report.json")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/proc/self/environ")
    return buffer.getvalue()


def lying_about_its_size() -> bytes:
    """The directory says one byte; what comes out is 5 MiB."""
    data = bytearray(packed(b" " * 5 * MIB))
    size = (5 * MIB).to_bytes(4, "little")
    at = data.rfind(size)
    data[at : at + 4] = (1).to_bytes(4, "little")
    return bytes(data)


def changed(**fields: Any) -> bytes:
    return packed(json.dumps({**sound_report(), **fields}))


FORGED = {
    "no zip": (b"{}", "no sound zip"),
    "empty": (b"", "no sound zip"),
    "cut": (packed(json.dumps(sound_report()))[:-30], "no sound zip"),
    "another name": (packed("{}", "results.json"), "report.json and nothing else"),
    "a path": (packed("{}", "../report.json"), "report.json and nothing else"),
    "two files": (packed("{}", evil=b"x"), "report.json and nothing else"),
    "a link": (linked(), "no plain file"),
    "a bomb": (packed(b" " * 5 * MIB), "larger than 4 MiB"),
    "a lying bomb": (lying_about_its_size(), "sound zip|larger than 4 MiB"),
    "no JSON": (packed("not json"), "no sound JSON"),
    "deep": (packed("[" * 100_000), "no sound JSON"),
    "a long number": (packed("1" * 10_000), "no sound JSON"),
    "NaN": (packed("NaN"), "no sound JSON"),
    "infinity": (packed("1e999"), "no sound JSON"),
    "a name twice": (packed('{"tier": "attack", "tier": "verify"}'), "no sound JSON"),
    "no report": (packed("{}"), "breaks the schema at its top"),
    "a list": (packed("[]"), "breaks the schema at its top"),
    "another tier": (changed(tier="attack"), "another tier"),
    "a word too many": (changed(approved=True), "breaks the schema at its top"),
    "a strange verdict": (changed(verdict="approved"), "breaks the schema at verdict"),
    "no results": (changed(results={}), "breaks the schema at results"),
}


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_artifact_becomes_a_trouble(world: Callable[..., World], what: str) -> None:
    data, why = FORGED[what]
    one = world(data)

    done = one.run()

    assert done.returncode == 0, done.stdout
    told = one.told()
    assert (told["artifact"], told["report"]) == (None, None)
    assert re.search(why, told["trouble"]), told["trouble"]
    assert "\n" not in told["trouble"]


@pytest.mark.parametrize(
    ("record", "why"),
    [
        ({"digest": "sha256:" + "0" * 64}, "not the one that the sandbox job uploaded"),
        ({"digest": None}, "not the one that the sandbox job uploaded"),
        ({"workflow_run": {"id": 98}}, "another run"),
        ({"workflow_run": None}, "another run"),
        ({"expired": True}, "expired"),
        ({"id": 8}, "could not be read"),
        ({"size_in_bytes": 4 * MIB + 1}, "larger than 4 MiB"),
        ({"size_in_bytes": "1"}, "larger than 4 MiB"),
    ],
)
def test_an_artifact_that_github_knows_otherwise(
    world: Callable[..., World], record: dict[str, Any], why: str
) -> None:
    one = world(record=record)

    one.run()

    assert why in one.told()["trouble"]
    assert "/blob" not in [path for path, _ in one.seen]


def test_a_record_that_cannot_be_read_becomes_a_trouble(world: Callable[..., World]) -> None:
    one = world(garbled=True)

    assert one.run().returncode == 0
    assert one.told()["trouble"] == "The artifact with the report could not be read."


def test_bytes_that_changed_on_the_way_are_not_read(world: Callable[..., World]) -> None:
    one = world()
    one.data = packed(json.dumps(sound_report()) + " ")

    one.run()

    assert "not the one that the sandbox job uploaded" in one.told()["trouble"]


@pytest.mark.parametrize(
    "outputs",
    [
        {"ARTIFACT_ID": "", "ARTIFACT_DIGEST": ""},
        {"ARTIFACT_ID": "7/../8"},
        {"ARTIFACT_ID": "7\n8"},
        {"ARTIFACT_DIGEST": "sha256:short"},
        {"ARTIFACT_ID": "-1"},
    ],
)
def test_outputs_that_name_no_artifact(world: Callable[..., World], outputs: dict[str, str]) -> None:
    one = world()

    done = one.run(**outputs)

    assert done.returncode == 0
    assert one.told()["trouble"] == "The sandbox job ended without a report."
    assert not [path for path, _ in one.seen if "artifacts" in path]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"TROUBLE": "no-tier", "TIER": "attack"}, "This version of envbounty has no attack tier."),
        ({"TROUBLE": "link"}, "is a symbolic link"),
        ({"TROUBLE": "<b>approved</b>"}, "The sandbox job ended without a report."),
        ({"SANDBOX": "failure"}, "failed before there was a report"),
        ({"SANDBOX": "cancelled"}, "ran out of time"),
    ],
)
def test_the_bot_hears_our_own_sentence_and_never_the_sandbox_s(
    world: Callable[..., World], given: dict[str, str], said: str
) -> None:
    one = world()

    one.run(ARTIFACT_ID="", **given)

    assert said in one.told()["trouble"]
    assert "approved" not in json.dumps(one.told())


# --- the job's own inputs ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        {"TIER": "verify\n"},
        {"TIER": "merge"},
        {"JOB_ID": "C" * 32},
        {"PR": "0"},
        {"PR": "1; true"},
        {"HEAD_SHA": "main"},
        {"HEAD_SHA": "a" * 41},
        {"BASE_SHA": ""},
        {"BOT_URL": "http://bot.example/"},
        {"BOT_URL": "https://user@bot.example"},
        {"BOT_URL": "https://bot.example/?x=1"},
        {"BOT_URL": "file:///etc"},
        {"AUDIENCE": ""},
        {"AUDIENCE": "two words"},
        {"SANDBOX": "$(id)"},
    ],
)
def test_an_input_out_of_shape_is_used_for_nothing(world: Callable[..., World], given: dict[str, str]) -> None:
    one = world()

    done = one.run(**given)

    assert done.returncode == 1
    assert "is not what it must be" in done.stdout
    assert one.seen == []


def test_a_job_without_an_identity_says_so(world: Callable[..., World]) -> None:
    one = world()

    done = one.run(ACTIONS_ID_TOKEN_REQUEST_URL="(unset)")

    assert done.returncode == 1
    assert "id-token: write" in done.stdout
    assert one.posted == []


def test_a_job_that_is_refused_an_identity_posts_nothing(world: Callable[..., World]) -> None:
    one = world(mints=False)

    done = one.run()

    assert (done.returncode, one.posted) == (1, [])
    assert "status 403" in done.stdout


# --- the bot's answers ------------------------------------------------------------------------------------------------


def test_a_bot_with_trouble_of_its_own_is_asked_again_with_a_new_token(world: Callable[..., World]) -> None:
    one = world(answers=[503, 202])

    done = one.run()

    assert done.returncode == 0, done.stdout
    assert [authorization for authorization, _ in one.posted] == [
        "Bearer jwt-https://bot.example-1",
        "Bearer jwt-https://bot.example-2",
    ]
    assert one.posted[0][1] == one.posted[1][1]


@pytest.mark.parametrize("status", [200, 302, 401, 409, 422])
def test_anything_but_accepted_is_the_end_and_commands_nothing(world: Callable[..., World], status: int) -> None:
    one = world(answers=[status])

    done = one.run()

    assert done.returncode == 1
    assert len(one.posted) == 1
    assert f"status {status}" in done.stdout
    # What it said cannot start a line, so it cannot command the runner.
    assert not re.search(r"^\s*::(add-path|error::forged)", done.stdout, re.M)


# --- the validator ----------------------------------------------------------------------------------------------------


def test_the_validator_knows_every_word_of_our_schema() -> None:
    check_schema(SCHEMA)
    with pytest.raises(ValueError, match="dependentRequired"):
        check_schema({"properties": {"a": {"dependentRequired": {}}}})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**9) | st.floats(-2, 2) | st.sampled_from(["pass", "error", "", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["verdict", "rule", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(data=st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_it_says_what_a_complete_validator_says(data: st.DataObject) -> None:
    """A sound report with one place changed, and both must agree on whether it still keeps the schema."""
    report = sound_report()
    places: list[tuple[Any, Any]] = []

    def collect(value: Any) -> None:
        items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, part in list(items):
            places.append((value, key))
            collect(part)

    collect(report)
    holder, key = data.draw(st.sampled_from(range(len(places))).map(lambda number: places[number]))
    how = data.draw(st.sampled_from(["change", "drop", "add"]))
    if how == "change":
        holder[key] = data.draw(JSON)
    elif how == "drop":
        del holder[key]
    elif isinstance(holder, dict):
        holder[data.draw(st.sampled_from(["x", "detail", "line"]))] = data.draw(JSON)

    sound = jsonschema.Draft202012Validator(SCHEMA).is_valid(report)

    assert (violation(report, SCHEMA) is None) == sound
