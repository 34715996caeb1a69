"""GitHub Actions' OIDC issuer: keys, discovery, and the endpoint where a job asks for a token that says who it is.

A job is made known with `Issuer.admit` and gets a request token. Only with `id-token: write` does it buy tokens; any
other job is answered 403 and a stranger 401. `Issuer.app` is an ASGI application to mount below `Issuer.url`.
"""

from __future__ import annotations

import secrets
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from jwt.algorithms import RSAAlgorithm

if TYPE_CHECKING:
    from localhub.runs import Job

#: GitHub's tokens live this long, and are dated back by so much. Seconds.
LIFETIME_S, DATED_BACK_S = 300, 600


@dataclass(frozen=True)
class Key:
    kid: str
    private: rsa.RSAPrivateKey

    @classmethod
    def make(cls) -> Key:
        return cls(secrets.token_hex(20).upper(), rsa.generate_private_key(public_exponent=65537, key_size=2048))

    def public(self) -> dict[str, Any]:
        """The JWK."""
        numbers = RSAAlgorithm.to_jwk(self.private.public_key(), as_dict=True)
        return {**numbers, "kid": self.kid, "alg": "RS256", "use": "sig"}


@dataclass(frozen=True)
class Grant:
    """What one job may ask for."""

    claims: Mapping[str, str]
    mints: bool  # it has `id-token: write`


class Issuer:
    """Safe to use from several threads. `url` is the issuer's name and the address at which `app` is mounted."""

    def __init__(self, url: str, clock: Callable[[], float] = time.time) -> None:
        self.url = url.rstrip("/")
        self.keys = [Key.make()]
        self._clock = clock
        self._grants: dict[str, Grant] = {}
        self._lock = threading.Lock()
        self.minted: list[str] = []  # the `jti` of every token that a job was given
        self.app = _app(self)

    @property
    def jwks_url(self) -> str:
        return self.url + "/.well-known/jwks"

    @property
    def request_url(self) -> str:
        """ACTIONS_ID_TOKEN_REQUEST_URL. It has a query already, as GitHub's has: `&audience=` is added to it."""
        return self.url + "/token?api-version=2.0"

    def admit(self, claims: Mapping[str, str], mints: bool) -> str:
        """Make a job known. What comes back is its ACTIONS_ID_TOKEN_REQUEST_TOKEN, good until `dismiss`."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._grants[token] = Grant(claims, mints)
        return token

    def dismiss(self, request_token: str) -> None:
        """The job is over."""
        with self._lock:
            self._grants.pop(request_token, None)

    def grant(self, request_token: str) -> Grant | None:
        with self._lock:
            return self._grants.get(request_token)

    def sign(self, claims: Mapping[str, Any], audience: str | list[str] | None = None, **changed: Any) -> str:
        """A token with these claims, signed with the newest key. A claim changed to None is left out."""
        now = int(self._clock())
        told: dict[str, Any] = {
            "jti": str(uuid.uuid4()),
            "iss": self.url,
            "aud": audience or f"https://github.com/{claims.get('repository_owner', '')}",
            "iat": now,
            "nbf": now - DATED_BACK_S,
            "exp": now + LIFETIME_S,
            **claims,
            **changed,
        }
        key = self.keys[-1]
        kept = {name: value for name, value in told.items() if value is not None}
        return jwt.encode(kept, key.private, algorithm="RS256", headers={"kid": key.kid})

    def rotate(self) -> None:
        """Sign with a new key from now on. The old ones stay in the key set, as GitHub leaves them for a while."""
        with self._lock:
            self.keys.append(Key.make())


def claims_of(job: Job, called: str = "", called_sha: str = "", runner: str = "github-hosted") -> dict[str, str]:
    """What GitHub says of a job, all of it text. `called` is the reusable workflow that holds the job
    (OWNER/REPO/.github/workflows/x.yml@REF, with its commit in `called_sha`) where it was called by another."""
    run = job.run
    repo, owner = run.repo, run.repo.owner
    branch = run.ref.removeprefix("refs/heads/")
    return {
        # The form for repositories made since July 2026: a new repository of an old name is another subject.
        "sub": f"repo:{owner.login}@{owner.id}/{repo.name}@{repo.id}:ref:{run.ref}",
        "repository": repo.full_name,
        "repository_id": str(repo.id),
        "repository_owner": owner.login,
        "repository_owner_id": str(owner.id),
        "repository_visibility": "private" if repo.private else "public",
        "actor": run.actor.login,
        "actor_id": str(run.actor.id),
        "workflow": run.name,
        "workflow_ref": run.workflow_ref,
        "workflow_sha": run.head_sha,
        "job_workflow_ref": called or run.workflow_ref,
        "job_workflow_sha": called_sha or run.head_sha,
        "ref": run.ref,
        "ref_type": "branch",
        "ref_protected": "true" if branch == repo.default_branch else "false",
        "sha": run.head_sha,
        "event_name": run.event,
        "head_ref": "",
        "base_ref": "",
        "run_id": str(run.id),
        "run_number": str(run.number),
        "run_attempt": str(run.attempt),
        "runner_environment": runner,
        "check_run_id": str(job.id),
    }


def _app(issuer: Issuer) -> FastAPI:
    app = FastAPI(openapi_url=None)

    @app.get("/.well-known/openid-configuration")
    def discovery() -> dict[str, Any]:
        standing = ["iss", "aud", "exp", "iat", "nbf", "jti", "sub"]
        return {
            "issuer": issuer.url,
            "jwks_uri": issuer.jwks_url,
            "subject_types_supported": ["public", "pairwise"],
            "response_types_supported": ["id_token"],
            "claims_supported": standing + CLAIMS,
            "id_token_signing_alg_values_supported": ["RS256"],
            "scopes_supported": ["openid"],
        }

    @app.get("/.well-known/jwks")
    def keys() -> dict[str, Any]:
        return {"keys": [key.public() for key in issuer.keys]}

    @app.get("/token")
    def token(request: Request, audience: str = "") -> JSONResponse:
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        grant = issuer.grant(bearer) if scheme.lower() == "bearer" else None
        if grant is None:
            return JSONResponse({"message": "Bad credentials"}, 401)
        if not grant.mints:
            return JSONResponse({"message": "The job does not have the permission id-token: write"}, 403)
        value = issuer.sign(grant.claims, audience or None)
        issuer.minted.append(jwt.decode(value, options={"verify_signature": False})["jti"])
        return JSONResponse({"count": len(value), "value": value})

    return app


#: Every claim about the job itself.
CLAIMS = [
    *("repository", "repository_id", "repository_owner", "repository_owner_id", "repository_visibility"),
    *("actor", "actor_id", "workflow", "workflow_ref", "workflow_sha", "job_workflow_ref", "job_workflow_sha"),
    *("ref", "ref_type", "ref_protected", "sha", "event_name", "head_ref", "base_ref"),
    *("run_id", "run_number", "run_attempt", "runner_environment", "check_run_id"),
]
