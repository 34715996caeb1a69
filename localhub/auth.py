"""Who is calling: App JWTs, installation tokens, people's tokens; and what each may do."""

from __future__ import annotations

import functools
import secrets
import string
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from localhub.model import LEVELS, App, Installation, Refused, Repo, Token

_LETTERS = string.ascii_letters + string.digits

#: Longest life of an App's JWT, seconds.
MAX_JWT = 600


def secret(prefix: str, length: int = 36) -> str:
    """A token's text, such as ghp_ and 36 letters and digits."""
    return prefix + "".join(secrets.choice(_LETTERS) for _ in range(length))


@functools.cache
def private_key(name: str) -> rsa.RSAPrivateKey:
    """The same for one name all through a process: making one is slow, and so is reading one."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@functools.cache
def key_pair(name: str) -> tuple[str, Any]:
    """A private key as PEM and its public key."""
    key = private_key(name)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    return pem.decode(), key.public_key()


def stateless(app: App, installation: Installation, now: datetime) -> str:
    """An installation token of the newer kind: `ghs_`, the App's id, and a JWT; about 520 characters with dots."""
    claims = {"iss": "localhub", "iat": int(now.timestamp()), "jti": secrets.token_hex(16), "ins": installation.id}
    return f"ghs_{app.id}_" + jwt.encode(claims, private_key("stateless tokens"), algorithm="RS256")


def app_of_jwt(text: str, apps: Mapping[str, App], now: datetime) -> App:
    """The App that signed a JWT; `apps` is by id and by client id. Raises Refused (401) with GitHub's reasons."""
    try:
        issuer = jwt.decode(text, options={"verify_signature": False}).get("iss")
        app = apps.get(str(issuer))
        if app is None:
            raise Refused(401, "Integration not found")
        claims = jwt.decode(
            text,
            app.key,
            algorithms=["RS256"],
            options={"require": ["iat", "exp", "iss"], "verify_exp": False, "verify_iat": False, "verify_nbf": False},
        )
    except jwt.PyJWTError as why:
        raise Refused(401, "A JSON web token could not be decoded") from why
    issued, expires, at = int(claims["iat"]), int(claims["exp"]), now.timestamp()
    if expires < at:
        raise Refused(401, "'Expiration time' claim ('exp') must be a numeric value representing the future time")
    if expires > at + MAX_JWT or expires - issued > MAX_JWT + 60:
        raise Refused(401, "'Expiration time' claim ('exp') is too far in the future")
    if issued > at + 5:
        raise Refused(
            401, "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"
        )
    return app


def bearer(header: str | None) -> str | None:
    """The token of an Authorization header, None when there is none. Raises Refused for a scheme nobody knows."""
    if not header:
        return None
    scheme, _, value = header.partition(" ")
    if scheme.lower() not in ("bearer", "token") or not value.strip():
        raise Refused(401, "Bad credentials")
    return value.strip()


def check_token(token: Token | None, now: datetime) -> Token:
    """`token` if it is still good. Raises Refused (401)."""
    if token is None or (token.expires_at and token.expires_at <= now):
        raise Refused(401, "Bad credentials")
    if token.installation and token.installation.suspended_at:
        raise Refused(403, "This installation has been suspended")
    if token.run and token.run.status == "completed":
        raise Refused(401, "Bad credentials")
    return token


def narrowed(
    installation: Installation, repos: list[Repo], body: Mapping[str, Any]
) -> tuple[dict[str, str], frozenset[int] | None]:
    """Permissions and repositories of a new installation token. Raises Refused (422) for more than was granted."""
    granted = installation.permissions
    asked = body.get("permissions")
    if not asked:  # {} means all of them, too: PyGithub sends it
        permissions = dict(granted)
    else:
        for name, level in asked.items():
            if LEVELS.index(level) > LEVELS.index(granted.get(name, "none")):
                raise Refused(422, "The permissions requested are not granted to this installation.")
        permissions = {**asked, "metadata": "read"}
    ids, names = body.get("repository_ids"), body.get("repositories")
    if ids is None and names is None:
        return permissions, None
    chosen = {repo.id for repo in repos if repo.id in (ids or []) or repo.name in (names or [])}
    if len(chosen) < len(set(ids or [])) + len(set(names or [])):
        raise Refused(
            422, "There is at least one repository that does not exist or is not accessible to the parent installation."
        )
    return permissions, frozenset(chosen)


def reaches(token: Token, repo: Repo) -> bool:
    """Whether an App's token has to do with `repo` at all."""
    if token.run:
        return token.run.repo is repo
    assert token.installation is not None
    return token.installation.covers(repo) and (token.repo_ids is None or repo.id in token.repo_ids)


def may(token: Token, needs: str) -> bool:
    """Whether an App's token has one of the permissions in `needs`, such as `issues:write|pull_requests:write`."""
    for need in needs.split("|"):
        name, level = need.split(":")
        have = token.permissions.get(name, "read" if name == "metadata" else "none")
        if LEVELS.index(have) >= LEVELS.index(level):
            return True
    return False


def hours(now: datetime, number: int) -> datetime:
    return now + timedelta(hours=number)
