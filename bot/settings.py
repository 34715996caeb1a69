"""What the operator sets, read once from the environment. Secrets never show in `repr`, logs or errors."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator

#: GitHub delivers no payload that is larger.
MAX_WEBHOOK = 25 * 1024 * 1024
MAX_REPORT = 4 * 1024 * 1024


class SettingsError(ValueError):
    """Something is missing or cannot be used. The message names the variable and never its value."""


class Settings(BaseModel):
    """Every field is the environment variable of the same name in capitals. Times are in seconds."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    app_id: str = Field(min_length=1, description="the App's id or client id, as the App's page shows it")
    app_private_key: SecretStr = Field(description="PEM text; or APP_PRIVATE_KEY_FILE names a file with it")
    webhook_secret: SecretStr = Field(description="what GitHub signs webhooks with; 16 characters at least")
    public_url: str = Field(description="where GitHub reaches this bot, such as https://bounty.example.org")
    database_url: SecretStr = Field(
        default=SecretStr("sqlite:///envbounty-bot.db"), description="sqlite:///FILE or postgresql://…"
    )
    github_api_url: str = Field(default="https://api.github.com", description="where the REST API lives")
    oidc_issuer: str = Field(default="https://token.actions.githubusercontent.com", description="who signs job tokens")
    oidc_jwks_url: str = Field(default="", description="its keys; empty: <issuer>/.well-known/jwks")
    trusted_workflows: tuple[str, ...] = Field(
        default=(), description="reusable workflows that may report, such as org/repo/.github/workflows/{tier}.yml@SHA"
    )
    oidc_audience: str = Field(default="", description="the audience that job tokens carry; empty: <PUBLIC_URL>/report")
    host: str = "127.0.0.1"
    port: int = Field(default=8080, ge=0, le=65535)
    workers: int = Field(default=4, ge=1, le=32, description="pull requests looked at together")
    pass_spacing: float = Field(default=0.1, ge=0, description="looks of one process are so far apart")
    write_spacing: float = Field(default=1.0, ge=0, description="pause between two writes to one installation")
    gather: float = Field(default=1.0, ge=0, description="a look waits so long for more events of the same bunch")
    sweep_every: float = Field(default=300, gt=0, description="how often every open pull request is looked at anyway")
    redeliver_every: float = Field(default=300, gt=0, description="how often failed deliveries are asked for again")
    dispatch_grace: float = Field(default=90, ge=0, description="how long a dispatch may take to appear as a run")
    report_grace: float = Field(default=120, ge=0, description="how long after a run's end its report may still come")
    job_timeout: float = Field(default=3 * 3600, gt=0, description="a run that takes longer is given up")
    doctor_every: float = Field(default=900, ge=0, description="how long findings about a repository's settings hold")
    lag: float = Field(default=5, ge=0, description="first pause where GitHub still shows older data than it announced")
    lag_limit: float = Field(default=120, ge=0, description="how long an announced head is waited for")
    read_back: float = Field(default=20, ge=0, description="how long after an unclear write GitHub may not show it yet")
    poll_every: float = Field(default=120, gt=0, description="how often a running job is looked at without an event")
    keep_days: float = Field(default=7, gt=0, description="how long payloads of deliveries are kept")

    @field_validator("public_url", "github_api_url", "oidc_issuer")
    @classmethod
    def _address(cls, value: str) -> str:
        if not value.startswith(("https://", "http://")):
            raise ValueError("must start with https:// (http:// only for tests)")
        return value.rstrip("/")

    @field_validator("webhook_secret")
    @classmethod
    def _long_enough(cls, value: SecretStr) -> SecretStr:
        if len(value.get_secret_value()) < 16:
            raise ValueError("must have 16 characters or more: whoever guesses it forges webhooks")
        return value

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: SecretStr) -> SecretStr:
        url = value.get_secret_value()
        if url.startswith(("postgres://", "postgresql://")):
            return SecretStr("postgresql+psycopg://" + url.split("://", 1)[1])
        if url.startswith("postgresql+psycopg://") or (url.startswith("sqlite:///") and ":memory:" not in url):
            return value
        raise ValueError("must be sqlite:///FILE or postgresql://…")

    @model_validator(mode="after")
    def _key_is_pem(self) -> Self:
        if "PRIVATE KEY" not in self.app_private_key.get_secret_value():
            raise ValueError("APP_PRIVATE_KEY is not a PEM private key")
        return self

    @property
    def jwks_url(self) -> str:
        return self.oidc_jwks_url or f"{self.oidc_issuer}/.well-known/jwks"

    @property
    def audience(self) -> str:
        return self.oidc_audience or f"{self.public_url}/report"


def read_settings(environ: Mapping[str, str] | None = None) -> Settings:
    """The settings that the environment spells out. Raises `SettingsError` naming every variable that is wrong."""
    environ = os.environ if environ is None else environ
    given: dict[str, Any] = {
        name: environ[name.upper()] for name in Settings.model_fields if environ.get(name.upper(), "") != ""
    }
    if "app_private_key" not in given and (file := environ.get("APP_PRIVATE_KEY_FILE")):
        try:
            given["app_private_key"] = Path(file).read_text()
        except OSError as error:
            raise SettingsError(f"APP_PRIVATE_KEY_FILE cannot be read: {error.strerror}") from None
    if "trusted_workflows" in given:
        given["trusted_workflows"] = given["trusted_workflows"].replace(",", " ").split()
    if "app_private_key" in given:
        given["app_private_key"] = given["app_private_key"].replace("\\n", "\n")
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        found = error.errors(include_input=False)
        told = [f"{'.'.join(map(str, each['loc'])).upper() or 'settings'}: {each['msg']}" for each in found]
        raise SettingsError("; ".join(told)) from None
