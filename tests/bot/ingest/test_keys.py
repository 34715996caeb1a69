"""The issuer's keys are fetched when needed, and not once more because a stranger shows an unknown one."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from bot.keys import COOL_DOWN, MAX_AGE, Keys, fetcher, read
from bot.oidc import Refused


class Source:
    """A key set that can change, break, and count how often it was asked for; and a clock to go with it."""

    def __init__(self, key_set: dict[str, Any]) -> None:
        self.key_set, self.broken, self.asked, self.time = key_set, False, 0, 1000.0

    def fetch(self) -> dict[str, Any]:
        self.asked += 1
        if self.broken:
            raise httpx.ConnectError("down")
        return self.key_set

    def clock(self) -> float:
        return self.time


@pytest.fixture
def source(issuer: Any) -> Source:
    return Source(issuer.key_set)


def keys_of(source: Source) -> Keys:
    return Keys(source.fetch, clock=source.clock)


def refusal(keys: Keys, issuer: Any, token: str) -> str:
    with pytest.raises(Refused) as caught:
        keys.verify(token, issuer.expected, issuer.now, issuer.spend)
    return caught.value.code


def test_keys_are_fetched_once_for_many_tokens(issuer: Any, source: Source) -> None:
    keys = keys_of(source)
    for number in range(5):
        keys.verify(issuer.token(jti=f"token {number}"), issuer.expected, issuer.now, issuer.spend)
    assert source.asked == 1


def test_unknown_keys_do_not_make_us_hammer_the_issuer(issuer: Any, source: Source) -> None:
    keys = keys_of(source)
    keys.current()
    for number in range(50):
        assert refusal(keys, issuer, issuer.token(headers={"kid": f"made up {number}"})) == "unknown-key"
        source.time += 1
    assert source.asked == 1
    source.time += COOL_DOWN
    assert refusal(keys, issuer, issuer.token(headers={"kid": "made up"})) == "unknown-key"
    assert source.asked == 2


def test_a_new_key_of_the_issuer_is_found(issuer: Any, source: Source) -> None:
    keys = keys_of(source)
    keys.current()
    source.key_set = {"keys": [{**source.key_set["keys"][0], "kid": "two"}]}
    source.time += COOL_DOWN
    keys.verify(issuer.token(headers={"kid": "two"}), issuer.expected, issuer.now, issuer.spend)
    # … and the one that it withdrew does not work any more.
    assert refusal(keys, issuer, issuer.token(jti="other")) == "unknown-key"


def test_a_withdrawn_key_stops_working_within_the_hour(issuer: Any, source: Source) -> None:
    keys = keys_of(source)
    keys.verify(issuer.token(), issuer.expected, issuer.now, issuer.spend)
    source.key_set = {"keys": [{**source.key_set["keys"][0], "kid": "two"}]}
    source.time += MAX_AGE + 1
    assert refusal(keys, issuer, issuer.token(jti="other")) == "unknown-key"


def test_without_keys_nothing_is_taken(issuer: Any, source: Source) -> None:
    source.broken = True
    assert refusal(keys_of(source), issuer, issuer.token()) == "no-keys"
    source.broken, source.key_set = False, {"keys": []}
    assert refusal(keys_of(source), issuer, issuer.token()) == "no-keys"


def test_an_issuer_that_is_down_for_a_while_stops_nothing_and_for_a_day_everything(issuer: Any, source: Source) -> None:
    keys = keys_of(source)
    keys.current()
    source.broken = True
    source.time += 3 * MAX_AGE
    keys.verify(issuer.token(), issuer.expected, issuer.now, issuer.spend)
    source.time += 24 * MAX_AGE
    assert refusal(keys, issuer, issuer.token(jti="other")) == "no-keys"


def test_a_token_is_spent_once_although_keys_were_fetched_in_between(issuer: Any, source: Source) -> None:
    keys = keys_of(source)
    keys.current()
    source.key_set = {"keys": [{**source.key_set["keys"][0], "kid": "two"}]}
    source.time += COOL_DOWN
    keys.verify(issuer.token(headers={"kid": "two"}), issuer.expected, issuer.now, issuer.spend)
    assert issuer.spent == {issuer.claims["jti"]}


@pytest.mark.parametrize(
    "change",
    [{"kty": "oct", "k": "AAAA"}, {"kty": "EC"}, {"use": "enc"}, {"kid": ""}, {"kid": 7}, {"n": "!"}, {"d": "AQAB"}],
)
def test_what_is_no_rsa_signing_key_is_left_out(issuer: Any, change: dict[str, Any]) -> None:
    good = issuer.key_set["keys"][0]
    assert list(read({"keys": [{**good, **change}, good]})) == ["one"]


@pytest.mark.parametrize("body", [{}, {"keys": None}, {"keys": "one"}, {"keys": [None, 1, "x", []]}])
def test_a_strange_key_set_is_an_empty_one(body: dict[str, Any]) -> None:
    assert read(body) == {}


@pytest.fixture
def server(issuer: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """A key set over real HTTP on this machine; what it answers can be changed."""
    answer: dict[str, Any] = {"status": 200, "body": json.dumps(issuer.key_set).encode()}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(answer["status"])
            self.end_headers()
            self.wfile.write(answer["body"])

        def log_message(self, *args: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{listening.server_address[1]}/jwks", answer
        listening.shutdown()
        thread.join()


def test_over_http(issuer: Any, server: tuple[str, dict[str, Any]]) -> None:
    url, answer = server
    with httpx.Client() as client:
        keys = Keys(fetcher(url, client))
        keys.verify(issuer.token(), issuer.expected, issuer.now, issuer.spend)
        for status, body in ((500, b"{}"), (200, b"<html>"), (200, b"[]"), (200, b"x" * 300_000)):
            answer.update(status=status, body=body)
            assert refusal(Keys(fetcher(url, client)), issuer, issuer.token(jti="other")) == "no-keys"
