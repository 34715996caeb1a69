"""What the App is: the permissions and events that it asks for, and no more. Pure.

GitHub makes an App from such a manifest in one click, see `bot.app_create`. The doctor holds an installation against
the same lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

#: What the App may do in a repository, and why.
REPOSITORY: dict[str, tuple[str, str]] = {
    "metadata": ("read", "every App has it"),
    "actions": ("write", "to start and cancel the tiers' workflows and to look at their runs"),
    "checks": ("write", "to show each tier's result on the pull request's head"),
    "contents": ("write", "to merge, to resolve review threads, and to write the ledger branch"),
    "issues": ("write", "to answer comments and to label bounty issues"),
    "pull_requests": ("write", "to review and to merge"),
    "administration": ("read", "to see whether the repository's settings are safe; nothing is ever changed"),
}

#: What it may do in an organisation. Installations on a user's account have none of these.
ORGANISATION: dict[str, tuple[str, str]] = {
    "members": ("read", "to know who is in a team that CODEOWNERS names"),
    "organization_self_hosted_runners": ("read", "to see whether a runner is open to pull requests of strangers"),
}

#: With one of these at the level `write` or `admin` a stolen key of the App could switch off what protects a branch.
DANGEROUS = frozenset(
    {
        *("administration", "environments", "secrets", "workflows", "repository_hooks", "actions_variables"),
        *("members", "organization_administration", "organization_hooks", "organization_secrets"),
        *("organization_self_hosted_runners", "organization_actions_variables", "organization_custom_roles"),
        *("organization_personal_access_tokens", "organization_personal_access_token_requests"),
    }
)

#: Installation events come without being asked for.
EVENTS = (
    *("check_run", "check_suite", "issue_comment", "issues", "member", "pull_request", "pull_request_review"),
    *("push", "repository", "repository_ruleset", "workflow_job", "workflow_run"),
)

#: Paths of the bot that GitHub is told.
WEBHOOK = "/webhook"

_LEVELS = {"none": 0, "read": 1, "write": 2, "admin": 3}


def manifest(name: str, url: str, redirect: str, *, public: bool = False, organisation: bool = True) -> dict[str, Any]:
    """The manifest of an App called `name` whose bot is reached at `url`.

    `redirect` is the local page to which GitHub sends the operator back with a code. `organisation`: whether it will be
    installed on organisations; a user's account knows no such permissions. Raises `ValueError` for a name or an address
    that GitHub would refuse.
    """
    if not 1 <= len(name.strip()) <= 34:
        raise ValueError("an App's name has 1 to 34 characters")
    for what, address in (("the bot's address", url), ("the local page", redirect)):
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError(f"{what} is no address: {address[:100]}")
    permissions = {**REPOSITORY, **(ORGANISATION if organisation else {})}
    base = url.rstrip("/")
    return {
        "name": name.strip(),
        "url": base,
        "hook_attributes": {"url": base + WEBHOOK, "active": True},
        "redirect_url": redirect,
        "description": "Tests environments for reinforcement learning in pull requests, and merges those approved.",
        "public": public,
        "default_events": list(EVENTS),
        "default_permissions": {name: level for name, (level, _) in permissions.items()},
    }


def lacking(granted: Mapping[str, str], needed: Mapping[str, tuple[str, str]]) -> list[str]:
    """The needed permissions that an installation does not have at the level that they need."""
    return [name for name, (level, _) in needed.items() if not holds(granted.get(name, "none"), level)]


def holds(granted: str, level: str) -> bool:
    """Whether a permission at `granted` allows what needs `level`. An unknown word allows nothing."""
    return _LEVELS.get(granted, 0) >= _LEVELS[level]


def excess(granted: Mapping[str, str]) -> dict[str, str]:
    """What an installation may do beyond what the App asks for, with the level that it has."""
    asked = {**REPOSITORY, **ORGANISATION}
    return {
        name: level
        for name, level in sorted(granted.items())
        if level != "none" and _LEVELS.get(level, 9) > _LEVELS[asked.get(name, ("none", ""))[0]]
    }
