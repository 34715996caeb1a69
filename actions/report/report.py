"""Fetches the sandbox job's report, checks it, and posts it to the bot with the job's OIDC token.

Python's standard library only: nothing is installed in the job that can mint tokens, and no byte of a contributor's
is run in it. Where there is no report that can be taken, the bot is told so: a job that says nothing would be a job
that was lost.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

# Isolated Python (-I) does not look beside the script by itself.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from artifact import MAX_BYTES, check_record, open_report
from words import Inputs, Refused, body, read_inputs, trouble

SCHEMA = Path(__file__).resolve().parents[2] / "docs/report.schema.json"
TIMEOUT_S = 30
WAITS_S = (1, 4, 15, 60)  # before each new try
TROUBLESOME = (OSError, http.client.HTTPException)  # urllib's own errors are OSErrors


class Stays(urllib.request.HTTPRedirectHandler):
    """Follows nothing: a redirect would carry a token to a place that nobody chose."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        return None


def call(
    url: str, headers: Mapping[str, str], data: bytes | None = None, limit: int = 1 << 20
) -> tuple[int, Mapping[str, str], bytes]:
    """(status, headers, body): the body up to `limit` + 1 bytes. Raises one of `TROUBLESOME` when nothing answers."""
    request = urllib.request.Request(url, data, dict(headers))
    try:
        with urllib.request.build_opener(Stays).open(request, timeout=TIMEOUT_S) as answer:
            return answer.status, dict(answer.headers), answer.read(limit + 1)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read(limit + 1)


def patient(
    url: str, headers: Mapping[str, str], data: bytes | None = None, limit: int = 1 << 20
) -> tuple[int, Mapping[str, str], bytes]:
    """`call`, again after a while as long as nothing answers or the other side has trouble of its own."""
    for wait in (*WAITS_S, None):
        try:
            status, found, text = call(url, headers, data, limit)
        except TROUBLESOME:
            status, found, text = 0, {}, b""
        if wait is None or not (status == 0 or status == 429 or status >= 500):
            break
        time.sleep(wait)
    return status, found, text


def fetch(inputs: Inputs, environment: Mapping[str, str]) -> tuple[dict[str, object], Any]:
    """(artifact, report) as the bot wants them. Raises `Refused`, whose message is what it is told instead."""
    if inputs.artifact_id is None:
        raise Refused(trouble(inputs))
    record_url = (
        f"{environment['GITHUB_API_URL']}/repos/{environment['GITHUB_REPOSITORY']}"
        f"/actions/artifacts/{inputs.artifact_id}"
    )
    asked = {
        "Authorization": f"Bearer {environment['TOKEN']}",
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
        "User-Agent": "envbounty-report",
    }
    status, _, text = patient(record_url, asked)
    try:
        record = json.loads(text) if status == 200 else None
    except ValueError:
        record = None
    check_record(record, inputs.artifact_id, inputs.artifact_digest, environment["GITHUB_RUN_ID"])
    status, headers, data = patient(f"{record_url}/zip", asked, limit=MAX_BYTES)
    if status in (301, 302, 303, 307, 308):
        # GitHub keeps the bytes elsewhere; that place gets no token of ours.
        place = next((value for name, value in headers.items() if name.lower() == "location"), "")
        if not place.startswith(("https://", "http://127.0.0.1:", "http://localhost:")):
            raise Refused("The artifact with the report could not be read.")
        status, _, data = patient(place, {"User-Agent": "envbounty-report"}, limit=MAX_BYTES)
    if status != 200:
        raise Refused("The artifact with the report could not be read.")
    report = open_report(data, inputs.artifact_digest, inputs.tier, json.loads(SCHEMA.read_text(encoding="utf-8")))
    kept = {"id": inputs.artifact_id, "digest": f"sha256:{inputs.artifact_digest}", "size": len(data)}
    return kept, report


def mint(inputs: Inputs, environment: Mapping[str, str]) -> str:
    """GitHub's word on which job this is, for the bot alone. Raises `Refused`."""
    url = environment.get("ACTIONS_ID_TOKEN_REQUEST_URL", "")
    if not url:
        raise Refused("this job may not ask for an identity token: it needs `id-token: write`")
    url += ("&" if "?" in url else "?") + urllib.parse.urlencode({"audience": inputs.audience})
    secret = environment.get("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "")
    status, _, text = patient(url, {"Authorization": f"Bearer {secret}", "User-Agent": "envbounty-report"})
    try:
        token = json.loads(text)["value"] if status == 200 else None
    except (ValueError, KeyError, TypeError):
        token = None
    if not isinstance(token, str) or not token.isprintable():
        raise Refused(f"GitHub gave no identity token (status {status})")
    return token


def post(inputs: Inputs, told: Mapping[str, object], environment: Mapping[str, str]) -> tuple[int, str]:
    """(status, what the bot said of it). Each try has a token of its own, since the bot takes each once."""
    data = json.dumps(told, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    payload = data.encode("utf-8", "backslashreplace")
    if len(payload) > MAX_BYTES:
        payload = json.dumps(body(inputs, None, None, "The report is larger than 4 MiB.")).encode()
    status, text = 0, b""
    for wait in (*WAITS_S, None):
        headers = {"Authorization": f"Bearer {mint(inputs, environment)}", "User-Agent": "envbounty-report"}
        headers["Content-Type"] = "application/json"
        try:
            status, _, text = call(f"{inputs.bot_url.rstrip('/')}/report", headers, payload)
        except TROUBLESOME:
            status, text = 0, b""
        if wait is None or not (status == 0 or status == 429 or status >= 500):
            break
        time.sleep(wait)
    said = "".join(letter if letter.isprintable() else " " for letter in text[:300].decode("utf-8", "replace"))
    return status, said


def main(environment: Mapping[str, str]) -> int:
    """0 when the bot took what it was told, whatever the verdict; 1 otherwise."""
    try:
        inputs = read_inputs(environment)
        try:
            artifact, report = fetch(inputs, environment)
            told = body(inputs, artifact, report)
            print(f"The report is sound: {artifact['size']} bytes")
        except Refused as refused:
            told = body(inputs, None, None, str(refused))
            print(f"There is no report. {refused}")
        status, said = post(inputs, told, environment)
    except Refused as refused:
        print(f"::error title=envbounty::{refused}")
        return 1
    if status == 202:
        print("The bot has it.")
        return 0
    print(f"::error title=envbounty::The bot did not take it (status {status}).")
    print(f"It said: {said}")
    return 1


if __name__ == "__main__":
    sys.exit(main(os.environ))
