"""Sending webhooks as GitHub does: signed, once, in the background, each attempt recorded."""

from __future__ import annotations

import functools
import hmac
import queue
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

import httpx

from localhub.faults import Faults
from localhub.model import App

#: How long GitHub waits for an answer, seconds.
TIMEOUT = 10.0


def signature(secret: str, body: bytes, algorithm: str = "sha256") -> str:
    """`sha256=` and the hex HMAC of the body."""
    return f"{algorithm}=" + hmac.new(secret.encode(), body, algorithm).hexdigest()


def headers(delivery: Delivery) -> dict[str, str]:
    """The request's headers; they are of the body as it was before anybody tampered with it."""
    app = delivery.app
    return {
        "Accept": "*/*",
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/localhub",
        "X-GitHub-Delivery": delivery.guid,
        "X-GitHub-Event": delivery.event,
        "X-GitHub-Hook-ID": str(app.hook_id),
        "X-GitHub-Hook-Installation-Target-ID": str(app.id),
        "X-GitHub-Hook-Installation-Target-Type": "integration",
        "X-Hub-Signature": signature(app.webhook_secret, delivery.body, "sha1"),
        "X-Hub-Signature-256": signature(app.webhook_secret, delivery.body),
    }


def spoiled(body: bytes) -> bytes:
    """The body with one byte changed in its middle."""
    at = len(body) // 2
    return body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]


@dataclass(eq=False)
class Delivery:
    """One attempt to send one event to one App. An event's `guid` is the same in every attempt."""

    id: int
    guid: str
    app: App
    event: str
    action: str | None
    installation_id: int | None
    repo_id: int | None
    body: bytes
    delivered_at: datetime
    redelivery: bool = False
    duration: float = 0.0
    status: str = "pending"
    status_code: int = 0
    response: str = ""
    request_headers: Mapping[str, str] = field(default_factory=dict)
    response_headers: Mapping[str, str] = field(default_factory=dict)
    tampered: bool = False


@functools.cache
def _certificates() -> ssl.SSLContext:
    """What https receivers are checked against; loaded once, since it is slow."""
    return ssl.create_default_context()


class Sender:
    """One thread that sends what it is given, in order, except where a fault says otherwise."""

    def __init__(self, faults: Faults, now: Callable[[], datetime], next_id: Callable[[], int]) -> None:
        self._faults, self._now, self._next_id = faults, now, next_id
        self._queue: queue.Queue[Delivery | None] = queue.Queue()
        self._held: list[tuple[int, Delivery]] = []
        self._idle = threading.Condition()
        self._waiting = 0
        self._client = httpx.Client(timeout=TIMEOUT, trust_env=False, verify=_certificates())
        self._thread = threading.Thread(target=self._work, name="localhub webhooks", daemon=True)
        self._thread.start()
        self.records: list[Delivery] = []

    def put(self, delivery: Delivery) -> None:
        """Send `delivery` soon, and record it, unless a fault has it lost."""
        fate = self._faults.fate()
        if fate.kind == "lose":
            return
        self.records.append(delivery)
        if fate.kind == "drop":
            delivery.status, delivery.status_code = "timed out", 504
            return
        delivery.tampered = fate.kind == "tamper"
        if fate.kind == "hold":
            with self._idle:
                self._held.append((fate.held, delivery))
            return
        self._enqueue(delivery)
        if fate.kind == "double":
            again = replace(delivery, id=self._next_id())
            self.records.append(again)
            self._enqueue(again)

    def drain(self, timeout: float = 30.0) -> None:
        """Return when everything was sent, what was held back included. Raises TimeoutError."""
        with self._idle:
            held, self._held = self._held, []
        for _, delivery in held:
            self._enqueue(delivery)
        with self._idle:
            if not self._idle.wait_for(lambda: self._waiting == 0, timeout):
                raise TimeoutError(f"{self._waiting} webhooks are still on their way")

    def stop(self) -> None:
        self._queue.put(None)
        self._thread.join(TIMEOUT + 1)
        self._client.close()

    def _enqueue(self, delivery: Delivery) -> None:
        with self._idle:
            self._waiting += 1
            due = [one for left, one in self._held if left <= 1]
            self._held = [(left - 1, one) for left, one in self._held if left > 1]
            self._waiting += len(due)
        for one in (delivery, *due):
            self._queue.put(one)

    def _work(self) -> None:
        while (delivery := self._queue.get()) is not None:
            try:
                self._send(delivery)
            finally:
                with self._idle:
                    self._waiting -= 1
                    self._idle.notify_all()

    def _send(self, delivery: Delivery) -> None:
        sent = headers(delivery)
        delivery.request_headers, delivery.delivered_at = sent, self._now()
        begun = time.monotonic()
        try:
            body = spoiled(delivery.body) if delivery.tampered else delivery.body
            answer = self._client.post(delivery.app.webhook_url, content=body, headers=sent)
            delivery.status_code, delivery.status = answer.status_code, answer.reason_phrase or "OK"
            delivery.response, delivery.response_headers = answer.text[:2000], dict(answer.headers)
        except httpx.TimeoutException:
            delivery.status_code, delivery.status = 504, "timed out"
        except httpx.HTTPError:
            delivery.status_code, delivery.status = 502, "failed to connect to host"
        delivery.duration = round(time.monotonic() - begun, 3)
