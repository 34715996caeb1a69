"""Who the bot is towards GitHub: the App's own JSON Web Token, and installation tokens narrowed to one use."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from pydantic import BaseModel, SecretStr

from bot.github.http import Http

#: Rights that a token is narrowed to. Nothing is asked for that its use does not need.
READ: Mapping[str, str] = {
    "metadata": "read",
    "contents": "read",
    "pull_requests": "read",
    "issues": "read",
    "checks": "read",
    "actions": "read",
}
CHECKS: Mapping[str, str] = {"checks": "write"}
TALK: Mapping[str, str] = {"pull_requests": "write", "issues": "write"}
DISPATCH: Mapping[str, str] = {"actions": "write"}
#: Surprising, and GitHub's: resolving a review thread needs the right to write contents.
RESOLVE: Mapping[str, str] = {"contents": "write", "pull_requests": "write"}
MERGE: Mapping[str, str] = {"contents": "write", "pull_requests": "write"}

#: Tokens live an hour; one that has less left than this is not used any more.
MARGIN = timedelta(minutes=5)
#: Seconds that the App's own token is good for. GitHub takes ten minutes at most.
APP_LIFETIME = 300


class _Minted(BaseModel):
    token: SecretStr
    expires_at: datetime


@dataclass
class Token:
    """Its text does not show in `repr`."""

    secret: SecretStr
    expires_at: datetime
    works: bool = False  # GitHub took it once: before that, a 404 may only mean that it is not known everywhere yet

    @property
    def text(self) -> str:
        return self.secret.get_secret_value()


class Tokens:
    """Mints installation tokens and keeps them until they expire. Safe to use from several threads."""

    def __init__(
        self,
        http: Http,
        app_id: str,
        private_key: SecretStr,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.http = http
        self.clock = clock
        self._app_id = app_id
        self._pem = private_key
        self._kept: dict[tuple[int, int | None, tuple[tuple[str, str], ...]], Token] = {}
        self._lock = threading.Lock()

    @cached_property
    def _key(self) -> RSAPrivateKey:
        # Read once: checking an RSA key takes a tenth of a second, signing with it a thousandth.
        key = load_pem_private_key(self._pem.get_secret_value().encode(), password=None)
        if not isinstance(key, RSAPrivateKey):
            raise TypeError("the App's key is no RSA key")
        return key

    def app(self) -> str:
        """A JSON Web Token of the App itself, good for a few minutes."""
        now = int(self.clock().timestamp())
        claims = {"iat": now - 60, "exp": now + APP_LIFETIME, "iss": self._app_id}  # dated back: clocks differ
        return jwt.encode(claims, self._key, algorithm="RS256")

    def installation(
        self, installation_id: int, repo_id: int | None, rights: Mapping[str, str], *, anew: bool = False
    ) -> Token:
        """A token for one repository (None: all of the installation) and these rights. `anew`: not the one kept.

        Raises what `Http.send` raises: `Gone` where the App is not installed, `Invalid` where it lacks a right.
        """
        key = (installation_id, repo_id, tuple(sorted(rights.items())))
        with self._lock:
            have = self._kept.get(key)
        if have is not None and not anew and have.expires_at - MARGIN > self.clock():
            return have
        body: dict[str, object] = {"permissions": dict(rights)}
        if repo_id is not None:
            body["repository_ids"] = [repo_id]
        answer = self.http.send("POST", f"/app/installations/{installation_id}/access_tokens", self.app(), body)
        minted = _Minted.model_validate(answer.json())
        token = Token(minted.token, minted.expires_at)
        with self._lock:
            self._kept[key] = token
        return token
