"""Accounts, Apps and installations as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol

from localhub.model import App, Installation, User, node_id


class Place(Protocol):
    """Where the hub answers, so that addresses can be made."""

    @property
    def url(self) -> str: ...
    @property
    def api(self) -> str: ...


def stamp(when: datetime | None) -> str | None:
    """A time as the API writes it: UTC, whole seconds, a Z."""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ") if when else None


_KIND = {"User": "U", "Organization": "O", "Bot": "BOT"}
_USER_URLS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}


def user(hub: Place, who: User) -> dict[str, Any]:
    base = f"{hub.api}/users/{who.login}"
    return {
        "login": who.login,
        "id": who.id,
        "node_id": node_id(_KIND[who.type], who.id),
        "avatar_url": f"{hub.url}/avatars/u/{who.id}",
        "gravatar_id": "",
        "url": base,
        "html_url": f"{hub.url}/{who.login}",
        **{key: base + tail for key, tail in _USER_URLS.items()},
        "type": who.type,
        "user_view_type": "public",
        "site_admin": False,
    }


def profile(hub: Place, who: User, repos: int) -> dict[str, Any]:
    """`GET /users/{username}`; `repos` counts the public repositories."""
    empty = ("name", "company", "location", "email", "hireable", "bio", "twitter_username")
    return {
        **user(hub, who),
        **dict.fromkeys(empty),
        "blog": "",
        "public_repos": repos,
        "public_gists": 0,
        "followers": 0,
        "following": 0,
        "created_at": stamp(who.created_at),
        "updated_at": stamp(who.created_at),
    }


def app(hub: Place, one: App) -> dict[str, Any]:
    return {
        "id": one.id,
        "client_id": one.client_id,
        "slug": one.slug,
        "node_id": node_id("A", one.id),
        "owner": user(hub, one.owner),
        "name": one.name,
        "description": "",
        "external_url": hub.url,
        "html_url": f"{hub.url}/apps/{one.slug}",
        "created_at": stamp(one.created_at),
        "updated_at": stamp(one.created_at),
        "permissions": one.permissions,
        "events": list(one.events),
    }


def installation(hub: Place, one: Installation) -> dict[str, Any]:
    return {
        "id": one.id,
        "client_id": one.app.client_id,
        "account": user(hub, one.account),
        "repository_selection": "all" if one.all_repos else "selected",
        "access_tokens_url": f"{hub.api}/app/installations/{one.id}/access_tokens",
        "repositories_url": f"{hub.api}/installation/repositories",
        "html_url": f"{hub.url}/settings/installations/{one.id}",
        "app_id": one.app.id,
        "app_slug": one.app.slug,
        "target_id": one.account.id,
        "target_type": one.account.type,
        "permissions": one.permissions,
        "events": list(one.app.events),
        "created_at": stamp(one.created_at),
        "updated_at": stamp(one.created_at),
        "single_file_name": None,
        "has_multiple_single_files": False,
        "single_file_paths": [],
        "suspended_by": None,
        "suspended_at": stamp(one.suspended_at),
    }
