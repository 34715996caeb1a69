"""Reading the facts from GitHub. What cannot be read becomes `Unread`, never an absence."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, TypeVar
from urllib.parse import quote

from bot.codeowners import PLACES
from bot.doctor.facts import ActionsSettings, Facts, Rule, Ruleset, RunnerGroup, Unread
from bot.github import errors
from envbounty.environment.problems import ContractError
from envbounty.policy import BUILT_IN, PLACE, Tier, read_policy
from envbounty.verify.rules import RULES

T = TypeVar("T")

#: A workflow file is read up to here.
MOST_BYTES = 512 * 1024
MOST_WORKFLOWS = 100

ADMINISTRATION = {"administration": "read"}
CONTENTS = {"contents": "read"}
METADATA = {"metadata": "read"}
RUNNERS = {"organization_self_hosted_runners": "read"}


class Reader(Protocol):
    """One repository to read from. `path` is below the repository, or absolute when it begins with `//`.

    Raises what `bot.github.errors` has.
    """

    def get(self, path: str, rights: Mapping[str, str], query: Mapping[str, Any] | None = None) -> Any: ...

    def pages(self, path: str, rights: Mapping[str, str], query: Mapping[str, Any] | None = None) -> Iterator[Any]: ...


def read_facts(
    reader: Reader, app_id: int, granted: Mapping[str, str] | Unread, trusted: frozenset[str] = frozenset()
) -> Facts:
    """Everything that `examine` looks at. `granted`: the installation's permissions, as the App itself reads them.

    Raises `GitHubError` for a rate limit or a failure of the connection, where asking again later will help; what
    GitHub refuses to show is a fact.
    """
    repository = reader.get("", METADATA)
    organisation = repository["owner"].get("type") == "Organization"
    branch = str(repository["default_branch"])
    rules = _or_unread(METADATA, lambda: _rules(reader, branch))
    return Facts(
        repository=str(repository["full_name"]),
        app_id=app_id,
        organisation=organisation,
        public=repository.get("private") is not True,
        default_branch=branch,
        granted=granted,
        rules=rules,
        rulesets=_or_unread(METADATA, lambda: _rulesets(reader, rules)),
        codeowners=_or_unread(CONTENTS, lambda: _codeowners(reader, branch)),
        actions=_or_unread(ADMINISTRATION, lambda: _actions(reader)),
        workflows=_or_unread(CONTENTS, lambda: _workflows(reader, branch)),
        runner_groups=_or_unread(RUNNERS, lambda: _groups(reader, repository["owner"])) if organisation else (),
        required=_or_unread(CONTENTS, lambda: _required(reader, branch)),
        trusted=trusted,
    )


class _Strange(Exception):
    """GitHub shows something that is not what was asked for."""


def _or_unread(rights: Mapping[str, str], read: Callable[[], T]) -> T | Unread:
    """What `read` gives, or why it could not be read. A permission that is lacking is named."""
    named = ", ".join(f"{name}: {level}" for name, level in rights.items())
    try:
        return read()
    except (errors.Forbidden, errors.Unauthorized):
        return Unread("GitHub does not allow it", named)
    except errors.Gone:
        return Unread("GitHub shows nothing there", named)
    except errors.Invalid as error:
        # Also what GitHub says when a token is to be made with a permission that the installation lacks.
        return Unread(f"GitHub answered with something else ({str(error)[:120]})", named)
    except (_Strange, ContractError) as error:
        return Unread(str(error)[:200])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return Unread(f"GitHub's answer has another form ({type(error).__name__})")


def _rules(reader: Reader, branch: str) -> tuple[Rule, ...]:
    found: list[Rule] = []
    for page in reader.pages(f"/rules/branches/{quote(branch, safe='')}", METADATA):
        found += [Rule(str(one["type"]), int(one["ruleset_id"]), dict(one.get("parameters") or {})) for one in page]
    return tuple(found)


def _rulesets(reader: Reader, rules: tuple[Rule, ...] | Unread) -> tuple[Ruleset, ...]:
    """Only those in force on the default branch."""
    if isinstance(rules, Unread):
        raise _Strange(f"the rules are not known: {rules.why}")
    found = []
    for number in sorted({rule.ruleset_id for rule in rules}):
        one = reader.get(f"/rulesets/{number}", METADATA, {"includes_parents": "true"})
        actors = one.get("bypass_actors")
        can = one.get("current_user_can_bypass")
        found.append(
            Ruleset(
                int(one["id"]),
                str(one.get("name", "")),
                None if can is None else str(can),
                None if actors is None else tuple(dict(actor) for actor in actors),
            )
        )
    return tuple(found)


def _codeowners(reader: Reader, branch: str) -> str | None:
    for place in PLACES:
        text = _text(reader, place, branch)
        if text is not None:
            return text
    return None


def _actions(reader: Reader) -> ActionsSettings:
    general = reader.get("/actions/permissions", ADMINISTRATION)
    token = reader.get("/actions/permissions/workflow", ADMINISTRATION)
    forks = reader.get("/actions/permissions/fork-pr-contributor-approval", ADMINISTRATION)
    pinned = general.get("sha_pinning_required")
    return ActionsSettings(
        enabled=general["enabled"] is True,
        pinning_required=None if pinned is None else pinned is True,
        default_token=str(token["default_workflow_permissions"]),
        can_approve=token["can_approve_pull_request_reviews"] is not False,
        fork_approval=str(forks["approval_policy"]),
    )


def _workflows(reader: Reader, branch: str) -> dict[str, str]:
    try:
        listed = reader.get("/contents/.github/workflows", CONTENTS, {"ref": branch})
    except errors.Gone:
        return {}
    if not isinstance(listed, list):
        raise _Strange(".github/workflows is no folder")
    paths = [str(one["path"]) for one in listed if str(one["name"]).lower().endswith((".yml", ".yaml"))]
    if len(paths) > MOST_WORKFLOWS:
        raise _Strange(f"there are more than {MOST_WORKFLOWS} workflow files")
    found = {}
    for path in paths:
        text = _text(reader, path, branch)
        if text is None:
            raise _Strange(f"{path} is listed and not there")
        found[path] = text
    return found


def _groups(reader: Reader, owner: Mapping[str, Any]) -> tuple[RunnerGroup, ...]:
    found: list[RunnerGroup] = []
    for page in reader.pages(f"//orgs/{quote(str(owner['login']), safe='')}/actions/runner-groups", RUNNERS):
        for one in page["runner_groups"]:
            restricted = one.get("restricted_to_workflows") is True
            workflows = tuple(str(name) for name in one.get("selected_workflows") or ())
            found.append(
                RunnerGroup(
                    str(one["name"]),
                    one.get("allows_public_repositories") is not False,
                    workflows if restricted else None,
                )
            )
    return tuple(found)


def _required(reader: Reader, branch: str) -> tuple[Tier, ...]:
    text = _text(reader, PLACE, branch)
    if text is None:
        return tuple(BUILT_IN.tiers.required)
    return tuple(read_policy(text, PLACE, {rule.id: rule.severity for rule in RULES.values()}).tiers.required)


def _text(reader: Reader, path: str, branch: str) -> str | None:
    """A text file on the default branch; None when there is none."""
    try:
        found = reader.get(f"/contents/{quote(path)}", CONTENTS, {"ref": branch})
    except errors.Gone:
        return None
    if not isinstance(found, dict) or found.get("type") != "file" or found.get("encoding") != "base64":
        raise _Strange(f"{path} is no plain file")
    if int(found.get("size", 0)) > MOST_BYTES:
        raise _Strange(f"{path} is larger than {MOST_BYTES // 1024} KiB")
    try:
        return base64.b64decode(found["content"]).decode("utf-8")
    except (ValueError, binascii.Error):
        raise _Strange(f"{path} is no UTF-8 text") from None
