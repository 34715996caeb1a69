"""The issuer's public keys, fetched seldom: a stranger's made-up key id must not make us hammer the issuer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

import httpx
import jwt

from bot.oidc import Claims, Expected, Refused, Spend, authenticate, verify

#: Seconds between two fetches, however many unknown keys are shown meanwhile, and however the last one ended.
COOL_DOWN = 60.0
#: Seconds after which keys are fetched anew though all are known: a key that the issuer withdrew must stop working.
MAX_AGE = 3600.0
#: A key set is a few kilobytes.
MAX_SIZE = 256 * 1024

Checked = TypeVar("Checked")
Fetch = Callable[[], Mapping[str, Any]]


def fetcher(url: str, client: httpx.Client) -> Fetch:
    """A function that gets the key set (JWKS) at `url`. It raises `httpx.HTTPError` or `ValueError`."""

    def fetch() -> Mapping[str, Any]:
        answer = client.get(url, headers={"accept": "application/json"})
        answer.raise_for_status()
        if len(answer.content) > MAX_SIZE:
            raise ValueError("the issuer's key set is too large")
        body = answer.json()
        if not isinstance(body, dict):
            raise ValueError("the issuer's key set is no JSON object")
        return body

    return fetch


class Keys:
    """The keys as they were last fetched. Safe to use from several threads; only one of them fetches at a time."""

    def __init__(self, fetch: Fetch, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._clock = clock
        self._lock = threading.Lock()
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched: float | None = None  # when the keys that we have were fetched
        self._tried: float | None = None  # when a fetch was last begun

    def verify(self, token: str, expected: Expected, now: datetime, spend: Spend) -> Claims:
        """`bot.oidc.verify` with these keys, fetched anew once where the token's is unknown. Raises `Refused`.

        With code `no-keys` the fault is ours or the issuer's: the sender may try again later.
        """
        return self._with_keys(lambda keys: verify(token, keys, expected, now, spend))

    def authenticate(self, token: str, issuer: str, audience: str, now: datetime) -> dict[str, Any]:
        """`bot.oidc.authenticate` with these keys, likewise: who signed it for whom, and nothing about which job."""
        return self._with_keys(lambda keys: authenticate(token, keys, issuer, audience, now))

    def _with_keys(self, use: Callable[[Mapping[str, jwt.PyJWK]], Checked]) -> Checked:
        try:
            return use(self.current())
        except Refused as refusal:
            if refusal.code != "unknown-key" or not self._refresh():
                raise
            return use(self._keys)

    def current(self) -> Mapping[str, jwt.PyJWK]:
        """The keys by id. Raises `Refused` with code `no-keys` when there are none that are fresh enough."""
        if self._age() > MAX_AGE:
            self._refresh()
        # A day without the issuer is survived; after that nobody knows which keys it still stands by.
        if not self._keys or self._age() > 24 * MAX_AGE:
            raise Refused("no-keys", "the issuer's keys cannot be had at the moment")
        return self._keys

    def _age(self) -> float:
        return float("inf") if self._fetched is None else self._clock() - self._fetched

    def _refresh(self) -> bool:
        """Fetch, unless that was tried a moment ago. Says whether there are new keys."""
        with self._lock:
            now = self._clock()
            if self._tried is not None and now - self._tried < COOL_DOWN:
                # Another thread may have fetched while this one waited for the lock.
                return self._fetched is not None and self._fetched >= self._tried
            self._tried = now
            try:
                found = read(self._fetch())
            except (httpx.HTTPError, ValueError):
                return False
            if not found:
                return False
            self._keys, self._fetched = found, now
            return True


def read(body: Mapping[str, Any]) -> dict[str, jwt.PyJWK]:
    """The RSA signing keys of a key set by id. What is of another kind, or cannot be read, is left out."""
    found: dict[str, jwt.PyJWK] = {}
    listed = body.get("keys")
    for entry in listed if isinstance(listed, list) else []:
        if not isinstance(entry, dict) or entry.get("kty") != "RSA" or entry.get("use", "sig") != "sig":
            continue
        key_id = entry.get("kid")
        if not isinstance(key_id, str) or not key_id or "d" in entry:
            continue
        try:
            found[key_id] = jwt.PyJWK(entry, algorithm="RS256")
        except jwt.PyJWTError:
            continue
    return found
