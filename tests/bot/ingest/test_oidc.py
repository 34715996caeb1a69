"""Tokens: the one that GitHub makes for our job is taken once; every other one is refused, each for its own reason."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given, settings
from hypothesis import strategies as st

from bot import oidc
from bot.oidc import Refused

NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def verify(issuer: Any, token: str, **changes: Any) -> oidc.Claims:
    return oidc.verify(token, issuer.keys, replace(issuer.expected, **changes), issuer.now, issuer.spend)


def test_our_jobs_token_is_taken_and_says_what_we_need(issuer: Any) -> None:
    claims = verify(issuer, issuer.token())
    assert (claims.run_id, claims.run_attempt, claims.actor_id, claims.repository_id) == (30433642, 1, 12345, 74)
    assert claims.sha == issuer.claims["sha"]
    assert claims.unknown == ()
    assert issuer.spent == {issuer.claims["jti"]}


def test_a_token_is_taken_once(issuer: Any) -> None:
    token = issuer.token()
    verify(issuer, token)
    with pytest.raises(Refused) as caught:
        verify(issuer, token)
    assert caught.value.code == "replayed"


def hs256_with_public_key(issuer: Any) -> str:
    """The old confusion: the public key, which everybody has, used as the secret of a symmetric algorithm."""
    public = issuer.private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    unsigned = issuer.raw({"alg": "HS256", "typ": "JWT", "kid": "one"}).rpartition(".")[0]
    mac = hmac.new(public, unsigned.encode(), hashlib.sha256).digest()
    return f"{unsigned}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def tampered(issuer: Any) -> str:
    header, _, signature = issuer.token().split(".")
    claims = json.dumps({**issuer.claims, "run_id": "1"}).encode()
    return ".".join([header, base64.urlsafe_b64encode(claims).rstrip(b"=").decode(), signature])


def seconds(issuer: Any, name: str) -> int:
    return int(issuer.claims[name])


#: (what is wrong, how it is made, the code that it is refused with)
BAD: list[tuple[str, Callable[[Any], str], str]] = [
    # — the form —
    ("empty", lambda i: "", "malformed"),
    ("no token", lambda i: "a.b", "malformed"),
    ("five parts", lambda i: i.token() + ".x.y", "malformed"),
    ("endless", lambda i: i.token(jti="x" * 20_000), "malformed"),
    ("header is a list", lambda i: i.raw([1]), "malformed"),
    ("header is no JSON", lambda i: i.raw(b"\xff\xfe"), "malformed"),
    ("not a str token", lambda i: "\ud800.e.e", "malformed"),
    # — the signature —
    ("algorithm none", lambda i: i.raw({"alg": "none", "typ": "JWT", "kid": "one"}), "algorithm"),
    ("algorithm missing", lambda i: i.raw({"typ": "JWT", "kid": "one"}), "algorithm"),
    ("HS256 with the public key", hs256_with_public_key, "algorithm"),
    ("RS512 by the right key", lambda i: i.token(algorithm="RS512"), "algorithm"),
    ("PS256 by the right key", lambda i: i.token(algorithm="PS256"), "algorithm"),
    ("ES256", lambda i: i.token(key=ec.generate_private_key(ec.SECP256R1()), algorithm="ES256"), "algorithm"),
    ("lower case algorithm", lambda i: i.raw({"alg": "rs256", "kid": "one"}), "algorithm"),
    ("no key id", lambda i: i.token(headers={}), "no-key-id"),
    ("empty key id", lambda i: i.token(headers={"kid": ""}), "no-key-id"),
    ("key id is a number", lambda i: i.raw({"alg": "RS256", "kid": 1}), "malformed"),
    ("unknown key id", lambda i: i.token(headers={"kid": "two"}), "unknown-key"),
    ("key id is a path", lambda i: i.token(headers={"kid": "../../etc/passwd"}), "unknown-key"),
    ("another key under our id", lambda i: i.token(key=i.other), "signature"),
    (
        "key brought along",
        lambda i: i.token(key=i.other, headers={"kid": "one", "jwk": {}, "jku": "https://x"}),
        "signature",
    ),
    ("no signature", lambda i: i.raw({"alg": "RS256", "kid": "one"}), "signature"),
    ("changed afterwards", tampered, "signature"),
    # — whose and for whom —
    ("another issuer", lambda i: i.token(iss="https://token.actions.githubusercontent.com.evil.example"), "issuer"),
    ("issuer with a slash", lambda i: i.token(iss=i.claims["iss"] + "/"), "issuer"),
    ("issuer is a list", lambda i: i.token_of({**i.claims, "iss": [i.claims["iss"]]}), "issuer"),
    ("another audience", lambda i: i.token(aud="https://github.com/octo"), "audience"),
    ("several audiences", lambda i: i.token(aud=[i.claims["aud"], "sts.amazonaws.com"]), "audience"),
    ("a list with our audience alone", lambda i: i.token(aud=[i.claims["aud"]]), "audience"),
    ("audience in other case", lambda i: i.token(aud=i.claims["aud"].upper()), "audience"),
    # — when —
    ("out of date", lambda i: i.token(exp=seconds(i, "iat") + 5 - 30), "expired"),
    ("from the future", lambda i: i.token(nbf=seconds(i, "iat") + 5 + 31), "too-early"),
    ("made in the future", lambda i: i.token(iat=seconds(i, "iat") + 5 + 31), "too-early"),
    ("expiry as text", lambda i: i.token(exp="never"), "form"),
    ("expiry as a fraction", lambda i: i.token(exp=seconds(i, "exp") + 0.5), "form"),
    ("expiry endless", lambda i: i.raw_signed(b'"exp":1e999'), "form"),
    ("expiry is true", lambda i: i.token(exp=True), "form"),
    # — which job —
    ("another repository", lambda i: i.token(repository_id="75"), "repository"),
    ("another owner", lambda i: i.token(repository_owner_id="66"), "owner"),
    ("ids as numbers", lambda i: i.token(repository_id=74), "form"),
    ("id with a zero in front", lambda i: i.token(repository_id="074"), "form"),
    ("id with a newline", lambda i: i.token(run_id="30433642\n"), "form"),
    ("id in other digits", lambda i: i.token(run_id="٣٠٤٣٣٦٤٢"), "form"),
    ("a pull request's run", lambda i: i.token(event_name="pull_request"), "event"),
    ("pull_request_target", lambda i: i.token(event_name="pull_request_target"), "event"),
    ("workflow_run", lambda i: i.token(event_name="workflow_run"), "event"),
    ("another branch", lambda i: i.token(ref="refs/heads/evil"), "ref"),
    ("the pull request's ref", lambda i: i.token(ref="refs/pull/7/merge"), "ref"),
    ("a tag named like the branch", lambda i: i.token(ref_type="tag"), "ref"),
    (
        "another workflow",
        lambda i: i.token(workflow_ref=i.claims["workflow_ref"].replace("verify", "lint")),
        "workflow",
    ),
    (
        "our workflow on another branch",
        lambda i: i.token(workflow_ref=i.claims["workflow_ref"].replace("main", "evil")),
        "workflow",
    ),
    (
        "a fork's copy of our workflow",
        lambda i: i.token(workflow_ref=i.claims["workflow_ref"].replace("octo", "mallory")),
        "workflow",
    ),
    (
        "a job of a workflow that is not trusted",
        lambda i: i.token(job_workflow_ref="mallory/x/.github/workflows/verify.yml@" + "c" * 40),
        "job-workflow",
    ),
    (
        "the trusted workflow at another commit",
        lambda i: i.token(job_workflow_ref=i.claims["job_workflow_ref"][:-1] + "e"),
        "job-workflow",
    ),
    ("the workflow file of another commit", lambda i: i.token(workflow_sha="e" * 40), "workflow-sha"),
    ("a self-hosted runner", lambda i: i.token(runner_environment="self-hosted"), "runner"),
    ("another run", lambda i: i.token(run_id="30433643"), "run"),
    ("a run that was started again", lambda i: i.token(run_attempt="2"), "attempt"),
    ("a run that a person started", lambda i: i.token(actor_id="666"), "actor"),
    ("a short commit", lambda i: i.token(sha="d" * 39), "form"),
    ("a commit in capitals", lambda i: i.token(sha="D" * 40), "form"),
    ("an endless jti", lambda i: i.token(jti="x" * 256), "form"),
    ("an empty jti", lambda i: i.token(jti=""), "form"),
    ("jti is an object", lambda i: i.token(jti={"a": 1}), "malformed"),
]


@pytest.mark.parametrize(("make", "code"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_a_bad_token_is_refused_for_its_reason_and_uses_up_nothing(
    issuer: Any, make: Callable[[Any], str], code: str
) -> None:
    with pytest.raises(Refused) as caught:
        verify(issuer, make(issuer))
    assert caught.value.code == code
    assert not issuer.spent


@pytest.mark.parametrize("name", oidc._REQUIRED)
def test_no_claim_that_we_rely_on_may_be_missing(issuer: Any, name: str) -> None:
    with pytest.raises(Refused) as caught:
        verify(issuer, issuer.token(without=(name,)))
    assert caught.value.code == "missing-claim"


@pytest.mark.parametrize("name", oidc._REQUIRED)
@pytest.mark.parametrize("value", [None, [], {}, 0, True, ""])
def test_no_claim_may_be_of_another_type(issuer: Any, name: str, value: Any) -> None:
    if value == 0 and value is not True and name in ("iat", "nbf"):
        return  # 1970 is long ago, and that is all there is to say against it
    with pytest.raises(Refused):
        verify(issuer, issuer.token_of({**issuer.claims, name: value}))
    assert not issuer.spent


@pytest.mark.parametrize(("name", "offset"), [("exp", -29), ("nbf", 30), ("iat", 30)])
def test_clocks_may_differ_by_thirty_seconds(issuer: Any, name: str, offset: int) -> None:
    verify(issuer, issuer.token(**{name: int(issuer.now.timestamp()) + offset}))


def test_a_new_claim_raises_an_alarm_and_is_no_reason_to_refuse(issuer: Any) -> None:
    claims = verify(issuer, issuer.token(run_flavour="vanilla", repo_property_team="x", enterprise="y"))
    assert claims.unknown == ("run_flavour",)


def test_what_the_token_calls_things_does_not_matter(issuer: Any) -> None:
    """A repository that was renamed is still the same one: ids decide."""
    verify(issuer, issuer.token(repository="octo/renamed", actor="somebody", sub="repo:anything"))


def test_a_refusal_does_not_repeat_the_token(issuer: Any) -> None:
    for _, make, _ in BAD:
        try:
            verify(issuer, make(issuer))
        except Refused as refusal:
            assert len(str(refusal)) < 120
            assert issuer.claims["jti"] not in str(refusal)


@settings(max_examples=150, deadline=None)
@given(
    token=st.text(max_size=300) | st.binary(max_size=200).map(lambda b: base64.urlsafe_b64encode(b).decode() + ".e.e")
)
def test_nonsense_is_refused_and_never_raises_anything_else(token: str) -> None:
    key = jwt.PyJWK({"kty": "oct", "k": "AAAA"}, algorithm="HS256")
    with pytest.raises(Refused):
        oidc.authenticate(token, {"one": key}, "https://issuer.example", "x", NOW)


def test_a_symmetric_key_in_the_key_set_opens_nothing(issuer: Any) -> None:
    """Even if the issuer's set ever held one: the algorithm is ours to choose, not the key's."""
    secret = b"x" * 32
    key = jwt.PyJWK(
        {"kty": "oct", "k": base64.urlsafe_b64encode(secret).decode().rstrip("="), "kid": "one"}, algorithm="HS256"
    )
    token = jwt.encode(issuer.claims, secret, algorithm="HS256", headers={"kid": "one"})
    with pytest.raises(Refused) as caught:
        oidc.verify(token, {"one": key}, issuer.expected, issuer.now, issuer.spend)
    assert caught.value.code == "algorithm"
    # … nor when the token says RS256 and the key is of another kind.
    with pytest.raises(Refused) as caught:
        oidc.verify(issuer.token(), {"one": key}, issuer.expected, issuer.now, issuer.spend)
    assert caught.value.code == "algorithm"


def test_time_is_the_callers(issuer: Any) -> None:
    token = issuer.token()
    late = issuer.now + timedelta(minutes=6)
    with pytest.raises(Refused) as caught:
        oidc.verify(token, issuer.keys, issuer.expected, late, issuer.spend)
    assert caught.value.code == "expired"
