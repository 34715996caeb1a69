"""An issuer of our own that signs tokens with all of GitHub's claims, and the job that one of them belongs to."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from bot.oidc import Expected

ISSUER, AUDIENCE = "https://issuer.example", "https://bot.example/report"
NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
WORKFLOW = "octo/bounties/.github/workflows/verify.yml@refs/heads/main"
CALLED = "envbounty/envbounty/.github/workflows/verify.yml@" + "c" * 40
SHA = "d" * 40

#: Every claim that GitHub documents for a dispatched run, as it writes them.
CLAIMS: dict[str, Any] = {
    "jti": "6f4762ed-0758-4ccb-808d-ee3af5d723a8",
    "sub": "repo:octo@65/bounties@74:ref:refs/heads/main",
    "aud": AUDIENCE,
    "iss": ISSUER,
    "iat": int(NOW.timestamp()) - 5,
    "nbf": int(NOW.timestamp()) - 5,
    "exp": int(NOW.timestamp()) + 300,
    "ref": "refs/heads/main",
    "ref_type": "branch",
    "ref_protected": "true",
    "sha": SHA,
    "repository": "octo/bounties",
    "repository_id": "74",
    "repository_owner": "octo",
    "repository_owner_id": "65",
    "repository_visibility": "public",
    "run_id": "30433642",
    "run_number": "10",
    "run_attempt": "1",
    "actor": "bounty-bot[bot]",
    "actor_id": "12345",
    "workflow": "verify",
    "workflow_ref": WORKFLOW,
    "workflow_sha": SHA,
    "job_workflow_ref": CALLED,
    "job_workflow_sha": "c" * 40,
    "event_name": "workflow_dispatch",
    "head_ref": "",
    "base_ref": "",
    "runner_environment": "github-hosted",
    "check_run_id": "999",
}

EXPECTED = Expected(
    issuer=ISSUER,
    audience=AUDIENCE,
    repository_id="74",
    owner_id="65",
    ref="refs/heads/main",
    workflow_ref=WORKFLOW,
    job_workflow_refs=frozenset({CALLED}),
    runner="github-hosted",
    run_id="30433642",
    run_attempt="1",
    actor_id="12345",
)


def jwk(private: rsa.RSAPrivateKey, key_id: str) -> dict[str, Any]:
    public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(private.public_key()))
    return {**public, "kid": key_id, "use": "sig", "alg": "RS256"}


@dataclass
class Issuer:
    """Signs tokens. `spent` is the memory of used ones that the bot would keep."""

    private: rsa.RSAPrivateKey
    other: rsa.RSAPrivateKey
    spent: set[str] = field(default_factory=set)
    now: datetime = NOW
    claims: dict[str, Any] = field(default_factory=lambda: dict(CLAIMS))
    expected: Expected = EXPECTED

    @property
    def key_set(self) -> dict[str, Any]:
        return {"keys": [jwk(self.private, "one")]}

    @property
    def keys(self) -> dict[str, jwt.PyJWK]:
        return {"one": jwt.PyJWK(jwk(self.private, "one"), algorithm="RS256")}

    def spend(self, jti: str, until: int) -> bool:
        assert until > 0
        if jti in self.spent:
            return False
        self.spent.add(jti)
        return True

    def token(
        self,
        *,
        key: Any = None,
        algorithm: str = "RS256",
        without: tuple[str, ...] = (),
        headers: dict[str, Any] | None = None,
        **changes: Any,
    ) -> str:
        claims = {name: value for name, value in {**self.claims, **changes}.items() if name not in without}
        headers = {"kid": "one"} if headers is None else headers
        return jwt.encode(claims, self.private if key is None else key, algorithm=algorithm, headers=headers)

    def token_of(self, claims: dict[str, Any]) -> str:
        """A rightly signed token of any claims at all: the library checks some of them before it signs."""
        return self.signed(json.dumps(claims).encode())

    def raw_signed(self, fragment: bytes) -> str:
        """A rightly signed token with a piece of JSON put into it that no JSON writer would write."""
        name = fragment.split(b":")[0].strip(b'"').decode()
        rest = json.dumps({key: value for key, value in self.claims.items() if key != name}).encode()
        return self.signed(b"{" + fragment + b"," + rest[1:])

    def signed(self, payload: bytes) -> str:
        return jwt.api_jws.encode(payload, self.private, algorithm="RS256", headers={"kid": "one"})

    def raw(self, header: Any, claims: Any = None, signature: bytes = b"") -> str:
        """A token that no library would make."""

        def part(value: Any) -> str:
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

        return ".".join([part(header), part(self.claims if claims is None else claims), part(signature)])


@pytest.fixture(scope="session")
def _privates() -> tuple[rsa.RSAPrivateKey, rsa.RSAPrivateKey]:
    return rsa.generate_private_key(65537, 2048), rsa.generate_private_key(65537, 2048)


@pytest.fixture
def issuer(_privates: tuple[rsa.RSAPrivateKey, rsa.RSAPrivateKey]) -> Issuer:
    return Issuer(*_privates)
