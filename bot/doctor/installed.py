"""The doctor for an installation of this App: the facts through the bot's own client, and the problems."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from bot.doctor.examine import examine
from bot.doctor.facts import Problem, Unread
from bot.doctor.reading import read_facts
from bot.github import errors
from bot.github.client import Access, App
from bot.github.http import Http
from bot.github.models import Installation
from bot.github.tokens import Tokens
from bot.settings import Settings
from bot.store.pulls import Repo


def look(access: Access, trusted: frozenset[str]) -> list[Problem]:
    """Everything that is unsafe in the repository of `access`. `trusted`: reusable workflows as the settings name them.

    Raises `GitHubError` where GitHub cannot be asked now: whoever merges must then not.
    """
    app_id, granted = _granted(access)
    return examine(read_facts(access, app_id, granted, trusted))


def _granted(access: Access) -> tuple[int, Mapping[str, str] | Unread]:
    """The App's number, and what this installation of it may do."""
    app_id = access.app.me().id
    try:
        answer = access.app.http.get(f"{access.base}/installation", access.app.tokens.app())
        found = Installation.model_validate(answer.json())
    except errors.Gone:
        return app_id, Unread("the App is not installed there")
    except (ValidationError, ValueError):
        return app_id, Unread("GitHub's answer has another form")
    if found.app_id is not None and found.app_id != app_id:
        return app_id, Unread("the installation is of another App")
    return app_id, found.permissions


def repositories_of(settings: Settings) -> list[Access]:
    """Everything that the App of these settings is installed on. Raises `GitHubError`."""
    http = Http(settings.github_api_url, write_spacing=0)
    app = App(http, Tokens(http, settings.app_id, settings.app_private_key))
    found = []
    for installation in app.installations():
        if installation.suspended_at is None:
            for one in app.repositories(installation.id):
                found.append(Access(app, Repo(one.id, one.owner.login, one.name, installation.id, one.owner.id)))
    return found
