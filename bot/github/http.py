"""One request to GitHub and what its answer means. The transport is PyGithub's, with its own retries set by us."""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import github
import requests
from github.Requester import Requester
from urllib3.util.retry import Retry

from bot import metrics
from bot.github import errors
from bot.logs import scrub

API_VERSION = "2022-11-28"
USER_AGENT = "envbounty-bot"
#: Seconds to wait after a secondary limit that names no time (GitHub's documentation asks for a minute at least).
SECONDARY_WAIT = 60
TIMEOUT = 20
GET_RETRIES = 3
ETAGS = 4096


@dataclass(frozen=True)
class Answer:
    """Status, headers with names in lower case, and the body as text."""

    status: int
    headers: Mapping[str, str]
    body: str

    def json(self) -> Any:
        """The body as JSON. Raises `Invalid` when it is none."""
        try:
            return json.loads(self.body) if self.body else None
        except ValueError:
            raise errors.Invalid("GitHub's answer is not JSON", self.status) from None


@dataclass(frozen=True)
class Etag:
    tag: str
    answer: Answer


class Http:
    """Requests with a given token. Safe to use from several threads.

    `get` repeats itself on 5xx and broken connections and asks with ETags, which GitHub does not count. `send` goes out
    exactly once: what became of a write that got no clear answer is for the caller to find out.
    """

    def __init__(
        self,
        api_url: str,
        *,
        write_spacing: float = 1.0,
        turn: Callable[[str], AbstractContextManager[Any]] | None = None,
        backoff: float = 0.3,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.api_url = api_url
        self.clock = clock
        self.write_spacing = write_spacing
        self.backoff = backoff
        self.turn = turn or (lambda key: nullcontext())
        self._threads = threading.local()
        self._etags: OrderedDict[tuple[str, str], Etag] = OrderedDict()
        self._etags_lock = threading.Lock()
        self._writers: dict[str, _Writer] = {}
        self._writers_lock = threading.Lock()

    def get(self, path: str, token: str, query: Mapping[str, Any] | None = None, *, scope: str = "") -> Answer:
        """`scope` keeps answers for different rights apart in the cache. Raises what `check` raises for a read."""
        url = path + ("?" + urlencode(query) if query else "")
        with self._etags_lock:
            have = self._etags.get((scope, url)) if scope else None
        headers = {"If-None-Match": have.tag} if have else {}
        answer = self._request("GET", url, token, headers, None)
        if answer.status == 304 and have is not None:
            metrics.REQUESTS_FREE.inc()
            return have.answer
        check("GET", url, answer, self.clock())
        if scope and (tag := answer.headers.get("etag")):
            with self._etags_lock:
                self._etags[scope, url] = Etag(tag, answer)
                self._etags.move_to_end((scope, url))
                while len(self._etags) > ETAGS:
                    self._etags.popitem(last=False)
        return answer

    def send(self, verb: str, path: str, token: str, body: Any = None, *, writer: str = "") -> Answer:
        """A write, once. `writer` names whose writes are spaced and never overlap: an installation.

        Raises `Unknown` when it cannot be told whether it happened, else what `check` raises.
        """
        with self._writer(writer).turn() if writer else nullcontext(), self.turn(writer) if writer else nullcontext():
            answer = self._request(verb, path, token, {}, body)
        check(verb, path, answer, self.clock())
        return answer

    def _request(self, verb: str, url: str, token: str, headers: dict[str, str], body: Any) -> Answer:
        requester = self._requester(reading=verb == "GET")
        headers = headers | {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
        metrics.REQUESTS.labels(verb).inc()
        try:
            status, got, text = requester.requestJson(verb, url, None, dict(headers), body)
        except requests.RequestException as error:
            problem = scrub(f"{verb} {url}: {type(error).__name__}")
            raise (errors.Unavailable if verb == "GET" else errors.Unknown)(problem) from None
        return Answer(status, {name.lower(): str(value) for name, value in got.items()}, text or "")

    def _requester(self, *, reading: bool) -> Requester:
        """PyGithub keeps a request's parts on its connection, so every thread has one of its own."""
        name = "reader" if reading else "writer"
        made: Requester | None = getattr(self._threads, name, None)
        if made is None:
            retry: Retry | int = 0
            if reading:
                retry = Retry(
                    total=GET_RETRIES,
                    allowed_methods=["GET"],
                    status_forcelist=[500, 502, 503, 504],
                    backoff_factor=self.backoff,
                    respect_retry_after_header=False,
                    raise_on_status=False,
                )
            client = github.Github(
                base_url=self.api_url,
                timeout=TIMEOUT,
                user_agent=USER_AGENT,
                retry=retry,
                seconds_between_requests=0,
                seconds_between_writes=0,
                api_version=API_VERSION,
            )
            made = client.requester
            setattr(self._threads, name, made)
        return made

    def _writer(self, name: str) -> _Writer:
        with self._writers_lock:
            return self._writers.setdefault(name, _Writer(self.write_spacing))


class _Writer:
    """One write at a time, with a pause between two."""

    def __init__(self, spacing: float) -> None:
        self.spacing = spacing
        self._lock = threading.Lock()
        self._last = 0.0

    def turn(self) -> AbstractContextManager[Any]:
        return self

    def __enter__(self) -> None:
        self._lock.acquire()
        wait = self._last + self.spacing - time.monotonic()
        if wait > 0:
            time.sleep(wait)

    def __exit__(self, *error: object) -> None:
        self._last = time.monotonic()
        self._lock.release()


def check(verb: str, url: str, answer: Answer, now: datetime) -> None:
    """Raise the typed failure that an answer stands for; nothing for a success."""
    status = answer.status
    if status < 300:
        return
    message = scrub(f"{verb} {url}: {status} {_message(answer)}")
    if (at := limited(answer, now)) is not None:
        metrics.LIMITED.inc()
        raise errors.Later(at, message, status)
    if status >= 500 or status < 400:
        raise (errors.Unavailable if verb == "GET" else errors.Unknown)(message, status)
    kinds = {401: errors.Unauthorized, 403: errors.Forbidden, 404: errors.Gone, 410: errors.Gone}
    kinds |= {405: errors.NotMergeable, 409: errors.Conflict}
    raise kinds.get(status, errors.Invalid)(message, status)


def limited(answer: Answer, now: datetime) -> datetime | None:
    """Until when GitHub wants no more requests, where the answer is a rate limit; None where it is not."""
    if answer.status not in (403, 429):
        return None
    headers = answer.headers
    if (after := headers.get("retry-after", "")).isdigit():
        return now + timedelta(seconds=max(1, int(after)))
    if headers.get("x-ratelimit-remaining") == "0" and (reset := headers.get("x-ratelimit-reset", "")).isdigit():
        return max(now + timedelta(seconds=1), datetime.fromtimestamp(int(reset), UTC) + timedelta(seconds=1))
    if answer.status == 429 or Requester.isRateLimitError(_message(answer)):
        return now + timedelta(seconds=SECONDARY_WAIT)
    return None


def _message(answer: Answer) -> str:
    try:
        body = json.loads(answer.body)
    except ValueError:
        return answer.body[:200]
    if not isinstance(body, dict):
        return ""
    told = str(body.get("message", ""))
    if isinstance(body.get("errors"), list):
        told += " " + json.dumps(body["errors"])[:300]
    return told
