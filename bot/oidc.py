"""Who posts a result: the claims of a GitHub Actions OIDC token, each checked against what we know ourselves. Pure.

A signature proves that GitHub Actions made the token, not that one of our jobs did: every job on GitHub can have one.
So each claim is listed here with what becomes of it, and a claim that nobody has listed is reported: GitHub may have
added something that matters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import jwt

#: Clocks differ. Seconds.
LEEWAY = 30

#: Longer tokens are not GitHub's (they have about 2,000 characters).
MAX_TOKEN = 16_384

_REQUIRED = (
    *("iss", "aud", "exp", "iat", "nbf", "jti", "sub"),
    *("repository", "repository_id", "repository_owner_id", "event_name", "ref", "ref_type", "sha"),
    *("workflow_ref", "workflow_sha", "job_workflow_ref", "runner_environment", "run_id", "run_attempt", "actor_id"),
)

#: Known and of no use: names that can be changed, or repetitions of what is checked by id.
_UNCHECKED = frozenset(
    {
        *("repository_owner", "repository_visibility", "actor", "workflow", "job_workflow_sha", "ref_protected"),
        *("head_ref", "base_ref", "run_number", "environment", "environment_node_id", "check_run_id"),
        *("enterprise", "enterprise_id", "issuer_scope"),
    }
)
_UNCHECKED_PREFIX = ("repo_property_",)


class Refused(Exception):
    """A token that is not taken. `code` is stable; `str()` says why, without the token's contents."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Expected:
    """What the token of one job has to say, from our own row about that job. Ids are decimal strings."""

    issuer: str
    audience: str
    repository_id: str
    owner_id: str
    ref: str  # refs/heads/<default branch>
    workflow_ref: str  # owner/name/.github/workflows/verify.yml@refs/heads/main
    job_workflow_refs: frozenset[str]  # the same one, or the reusable workflows at the commits that are trusted
    runner: str  # github-hosted or self-hosted
    run_id: str
    run_attempt: str
    actor_id: str  # the bot's own user


@dataclass(frozen=True)
class Claims:
    """A token's claims after every check. `unknown`: names of claims that nobody listed, to be logged."""

    jti: str
    run_id: int
    run_attempt: int
    repository_id: int
    actor_id: int
    sha: str
    workflow_ref: str
    job_workflow_ref: str
    expires: int  # seconds since 1970
    unknown: tuple[str, ...] = ()
    all: Mapping[str, Any] = field(default_factory=dict, repr=False)


#: Takes (jti, until) and says whether it is the first time. `until` in seconds since 1970: no need to keep it longer.
Spend = Callable[[str, int], bool]


def verify(token: str, keys: Mapping[str, jwt.PyJWK], expected: Expected, now: datetime, spend: Spend) -> Claims:
    """The claims of `token`, if it is one that GitHub made for exactly this job and it was not used before.

    `keys`: GitHub's public keys by id. Raises `Refused`; with code `unknown-key` it is worth while to fetch the keys
    anew. The token is spent last, so that no refused token can use up anything.
    """
    claims = authenticate(token, keys, expected.issuer, expected.audience, now)
    _compare(claims, expected)
    checked = Claims(
        jti=claims["jti"],
        run_id=int(claims["run_id"]),
        run_attempt=int(claims["run_attempt"]),
        repository_id=int(claims["repository_id"]),
        actor_id=int(claims["actor_id"]),
        sha=claims["sha"],
        workflow_ref=claims["workflow_ref"],
        job_workflow_ref=claims["job_workflow_ref"],
        expires=int(claims["exp"]),
        unknown=tuple(sorted(name for name in claims if not _listed(name))),
        all=claims,
    )
    if not spend(checked.jti, checked.expires + LEEWAY):
        raise Refused("replayed", "this token was used before")
    return checked


def authenticate(
    token: str, keys: Mapping[str, jwt.PyJWK], issuer: str, audience: str, now: datetime
) -> dict[str, Any]:
    """The claims of a token that this issuer signed for this audience and that is valid at `now`.

    That much says nothing about which job it is from: see `verify`. Raises `Refused`.
    """
    if len(token) > MAX_TOKEN or not token.isascii():
        raise Refused("malformed", "the token is too long, or is no token")
    key = keys.get(_key_id(token))
    if key is None:
        raise Refused("unknown-key", "the token was signed with a key that the issuer does not list")
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=["RS256"],
            issuer=issuer,
            audience=audience,
            # Times are compared below, with the clock that the caller gives.
            options={
                "require": list(_REQUIRED),
                "strict_aud": True,
                "verify_exp": False,
                "verify_nbf": False,
                "verify_iat": False,
            },
        )
    except jwt.PyJWTError as error:
        raise _refusal(error) from None
    _check_forms(claims)
    _check_times(claims, now.timestamp())
    return claims


def _key_id(token: str) -> str:
    try:
        header = jwt.get_unverified_header(token)
    except jwt.PyJWTError:
        raise Refused("malformed", "this is no signed token") from None
    if header.get("alg") != "RS256":
        raise Refused("algorithm", "the token is not signed with RS256")
    key_id = header.get("kid")
    if not isinstance(key_id, str) or not key_id:
        raise Refused("no-key-id", "the token does not say which key signed it")
    return key_id


def _refusal(error: jwt.PyJWTError) -> Refused:
    if isinstance(error, jwt.MissingRequiredClaimError):
        return Refused("missing-claim", f"the token lacks the claim {error.claim}")
    if isinstance(error, jwt.InvalidIssuerError):
        return Refused("issuer", "the token is from another issuer")
    if isinstance(error, jwt.InvalidAudienceError):
        return Refused("audience", "the token is for another audience, or for several")
    if isinstance(error, (jwt.InvalidAlgorithmError, jwt.InvalidKeyError)):
        return Refused("algorithm", "the token is not signed with RS256")
    if isinstance(error, jwt.InvalidSignatureError):
        return Refused("signature", "the signature is wrong")
    return Refused("malformed", "this is no token of GitHub Actions")


_ID = re.compile(r"[1-9][0-9]{0,18}")
_SHA = re.compile(r"[0-9a-f]{40}")


def _check_forms(claims: Mapping[str, Any]) -> None:
    """GitHub writes ids as strings. Another type is not its, and comparing it could surprise."""
    for name in _REQUIRED:
        if name in ("exp", "iat", "nbf"):
            if isinstance(claims[name], bool) or not isinstance(claims[name], int):
                raise Refused("form", f"the claim {name} is no whole number")
        elif not isinstance(claims[name], str) or not claims[name]:
            raise Refused("form", f"the claim {name} is no text")
    for name in ("repository_id", "repository_owner_id", "run_id", "run_attempt", "actor_id"):
        if _ID.fullmatch(claims[name]) is None:
            raise Refused("form", f"the claim {name} is no id")
    for name in ("sha", "workflow_sha"):
        if _SHA.fullmatch(claims[name]) is None:
            raise Refused("form", f"the claim {name} is no commit")
    if len(claims["jti"]) > 255:
        raise Refused("form", "the claim jti is too long")


def _check_times(claims: Mapping[str, Any], now: float) -> None:
    if now >= claims["exp"] + LEEWAY:
        raise Refused("expired", "the token is out of date")
    if now < claims["nbf"] - LEEWAY or now < claims["iat"] - LEEWAY:
        raise Refused("too-early", "the token is from the future")


def _compare(claims: Mapping[str, Any], expected: Expected) -> None:
    """Each claim against our own row, in the order from the broadest to the most exact."""
    same = (
        ("repository_id", expected.repository_id, "repository", "from another repository"),
        ("repository_owner_id", expected.owner_id, "owner", "from a repository of another owner"),
        ("event_name", "workflow_dispatch", "event", "from a run that we did not dispatch"),
        ("ref_type", "branch", "ref", "from a run on something else than a branch"),
        ("ref", expected.ref, "ref", "from a run on another branch than the default one"),
        ("workflow_ref", expected.workflow_ref, "workflow", "from another workflow"),
        ("runner_environment", expected.runner, "runner", "from another kind of runner"),
        ("actor_id", expected.actor_id, "actor", "from a run that somebody else started"),
        ("run_id", expected.run_id, "run", "from another run"),
        ("run_attempt", expected.run_attempt, "attempt", "from another attempt of the run"),
    )
    for name, wanted, code, what in same:
        if claims[name] != wanted:
            raise Refused(code, f"the token is {what}")
    if claims["job_workflow_ref"] not in expected.job_workflow_refs:
        raise Refused("job-workflow", "the token is from a job of a workflow that is not trusted")
    if claims["workflow_sha"] != claims["sha"]:
        raise Refused("workflow-sha", "the token's workflow file is from another commit than its run")


def _listed(name: str) -> bool:
    return name in _REQUIRED or name in _UNCHECKED or name.startswith(_UNCHECKED_PREFIX)
