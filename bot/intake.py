"""From a webhook's bytes to what it concerns. Pure: no sockets, no database, no clock.

A webhook is a hint. Nothing in it is believed but which subject may have changed; GitHub is asked about the rest. Only
the signature with SHA-256 is taken: the older one with SHA-1 may be there too, and counts for nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from bot.commands import MAX_BODY, parse
from bot.store.pulls import Repo

GUID = re.compile(r"[0-9A-Za-z-]{1,64}")
EVENT = re.compile(r"[a-z][a-z0-9_]{0,63}")
SHA = re.compile(r"[0-9a-f]{40}")


class Refused(Exception):
    """A request that is not a webhook of ours: the HTTP status to answer with, and why."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Odd(ValueError):
    """A signed delivery of an event that we handle, in a form that we do not understand. A fault of ours, probably."""


@dataclass(frozen=True)
class Envelope:
    """A delivery that GitHub signed."""

    guid: str
    hook_id: int
    event: str
    payload: dict[str, Any]
    text: str = field(default="", repr=False)  # the body as it came, to be kept

    @property
    def action(self) -> str:
        action = self.payload.get("action")
        return action[:64] if isinstance(action, str) else ""


@dataclass(frozen=True)
class Mark:
    """A pull request that may have changed; `head` where the event named its newest one."""

    number: int
    head: str = ""
    at: datetime | None = None  # when that was so, to the second


@dataclass(frozen=True)
class Comment:
    """A new comment that holds something like a command."""

    comment_id: int
    number: int
    user_id: int
    login: str
    body: str


@dataclass(frozen=True)
class Effect:
    """What a delivery concerns. Nothing of it: the delivery is ignored."""

    repo: Repo | None = None  # as the event names it now
    marks: tuple[Mark, ...] = ()
    every_open: bool = False  # all open pull requests of the repository
    head: str = ""  # … or those with this head
    run_id: int | None = None  # … or the one whose job has this run
    comment: Comment | None = None
    gained: tuple[Repo, ...] = ()  # repositories that the App can see from now on
    lost: tuple[int, ...] = ()  # … and those that it cannot see any more
    settings: bool = False  # rules or permissions changed: what the doctor found is out of date
    known: bool = field(default=True, compare=False)  # False: an event that nobody handles

    @property
    def nothing(self) -> bool:
        return self == Effect(repo=self.repo)


def sign(secret: str, body: bytes) -> str:
    """The value of `X-Hub-Signature-256`."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def open_envelope(headers: Mapping[str, str], body: bytes, secret: str) -> Envelope:
    """Check the signature, then read as much as is needed to file the delivery. `headers` have lower-case names.

    Raises `Refused`: 401 for a missing or wrong signature, before anything else is looked at; 400 for what is no
    delivery although it is signed.
    """
    given = headers.get("x-hub-signature-256", "")
    # Compared as bytes: the comparison takes the same time wherever the first difference is, and takes any header.
    if not hmac.compare_digest(sign(secret, body).encode(), given.encode("utf-8", "surrogateescape")):
        raise Refused(401, "the signature is missing or wrong")
    guid, event = headers.get("x-github-delivery", ""), headers.get("x-github-event", "")
    if GUID.fullmatch(guid) is None or EVENT.fullmatch(event) is None:
        raise Refused(400, "X-GitHub-Delivery or X-GitHub-Event is missing or malformed")
    hook = headers.get("x-github-hook-id", "0")
    if not hook.isascii() or not hook.isdigit() or len(hook) > 18:
        raise Refused(400, "X-GitHub-Hook-ID is no number")
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "the body is not JSON") from None
    if not isinstance(payload, dict):
        raise Refused(400, "the body is not a JSON object")
    return Envelope(guid, int(hook), event, payload, body.decode("utf-8", "replace"))


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _User(_Model):
    id: int
    login: str
    type: str = "User"


class _Repository(_Model):
    id: int
    name: str
    owner: _User
    default_branch: str = ""


class _ShortRepository(_Model):
    id: int
    full_name: str


class _Installation(_Model):
    id: int
    account: _User | None = None


class _Head(_Model):
    sha: str


class _Pull(_Model):
    number: int
    head: _Head
    updated_at: AwareDatetime | None = None


class _Issue(_Model):
    number: int
    pull_request: dict[str, Any] | None = None


class _Said(_Model):
    id: int
    user: _User | None
    body: str | None


def route(envelope: Envelope) -> Effect:
    """What a delivery concerns. Raises `Odd` when it is of an event that we handle and lacks what that needs."""
    handler = _HANDLERS.get(envelope.event)
    if handler is None:
        return Effect(known=False)
    try:
        return handler(envelope, envelope.payload)
    except ValidationError as error:
        places = ", ".join(".".join(map(str, item["loc"])) for item in error.errors(include_input=False)[:3])
        raise Odd(f"{envelope.event}: {places}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise Odd(f"{envelope.event}: {type(error).__name__}") from None


def _repo(payload: Mapping[str, Any]) -> Repo | None:
    """The event's repository, where it is of an installation: a hook set by hand on a repository is not ours."""
    if not payload.get("installation") or not payload.get("repository"):
        return None
    found = _Repository.model_validate(payload["repository"])
    installation = _Installation.model_validate(payload["installation"])
    return Repo(found.id, found.owner.login, found.name, installation.id, found.owner.id)


#: What can change a decision. Labels, assignments and the like cannot.
_PULL_ACTIONS = frozenset(
    {"opened", "reopened", "synchronize", "closed", "edited", "ready_for_review", "converted_to_draft"}
)


def _pull_request(envelope: Envelope, payload: dict[str, Any]) -> Effect:
    repo = _repo(payload)
    if repo is None or envelope.action not in _PULL_ACTIONS:
        return Effect(repo=repo)
    pull = _Pull.model_validate(payload["pull_request"])
    return Effect(repo=repo, marks=(Mark(pull.number, _sha(pull.head.sha), pull.updated_at),))


def _review(envelope: Envelope, payload: dict[str, Any]) -> Effect:
    repo = _repo(payload)
    if repo is None:
        return Effect()
    # The head in a review's payload may be older than the newest that we heard of, so it announces nothing.
    return Effect(repo=repo, marks=(Mark(_Pull.model_validate(payload["pull_request"]).number),))


def _issue_comment(envelope: Envelope, payload: dict[str, Any]) -> Effect:
    """Commands. Only `created` counts: an edit would put words under what others have read and answered."""
    repo = _repo(payload)
    if repo is None or envelope.action != "created":
        return Effect(repo=repo)
    issue, said = _Issue.model_validate(payload["issue"]), _Said.model_validate(payload["comment"])
    if issue.pull_request is None or said.user is None or said.user.type != "User" or not parse(said.body or ""):
        return Effect(repo=repo)
    comment = Comment(said.id, issue.number, said.user.id, said.user.login, (said.body or "")[:MAX_BODY])
    return Effect(repo=repo, marks=(Mark(issue.number),), comment=comment)


def _push(envelope: Envelope, payload: dict[str, Any]) -> Effect:
    """The default branch moved: policy, owners and bases may be others now."""
    repo = _repo(payload)
    default = _Repository.model_validate(payload["repository"]).default_branch if repo else ""
    if repo is None or not default or payload["ref"] != f"refs/heads/{default}":
        return Effect(repo=repo)
    return Effect(repo=repo, every_open=True)


def _workflow_run(envelope: Envelope, payload: dict[str, Any]) -> Effect:
    repo = _repo(payload)
    if repo is None or envelope.action != "completed":
        return Effect(repo=repo)
    run_id = payload["workflow_run"]["id"]
    return Effect(repo=repo, run_id=run_id if isinstance(run_id, int) else None)


def _check(envelope: Envelope, payload: dict[str, Any]) -> Effect:
    """Our own check runs tell us nothing, and answering them would make a loop. A wish to run again is a look."""
    repo = _repo(payload)
    if repo is None or envelope.action != "rerequested":
        return Effect(repo=repo)
    return Effect(repo=repo, head=_sha(payload[envelope.event]["head_sha"]))


def _settings(envelope: Envelope, payload: dict[str, Any]) -> Effect:
    repo = _repo(payload)
    return Effect() if repo is None else Effect(repo=repo, every_open=True, settings=True)


def _people(envelope: Envelope, payload: dict[str, Any]) -> Effect:
    """Who may do what has changed, and approvals count by what their authors may do now."""
    repo = _repo(payload)
    return Effect() if repo is None else Effect(repo=repo, every_open=True)


def _repository(envelope: Envelope, payload: dict[str, Any]) -> Effect:
    repo = _repo(payload)
    if repo is not None and envelope.action == "deleted":
        return Effect(lost=(repo.repo_id,))
    return Effect(repo=repo)  # renamed or transferred: the names are noted, the id stays


def _installation(envelope: Envelope, payload: dict[str, Any]) -> Effect:
    found = _Installation.model_validate(payload["installation"])
    short = [_ShortRepository.model_validate(item) for item in payload.get("repositories") or []]
    if envelope.action in ("deleted", "suspend"):
        return Effect(lost=tuple(item.id for item in short))
    if envelope.action in ("created", "unsuspend", "new_permissions_accepted"):
        return Effect(gained=tuple(_named(item, found) for item in short), settings=True)
    return Effect()


def _installation_repositories(envelope: Envelope, payload: dict[str, Any]) -> Effect:
    found = _Installation.model_validate(payload["installation"])
    added = [_ShortRepository.model_validate(item) for item in payload.get("repositories_added") or []]
    removed = [_ShortRepository.model_validate(item) for item in payload.get("repositories_removed") or []]
    return Effect(gained=tuple(_named(item, found) for item in added), lost=tuple(item.id for item in removed))


def _named(short: _ShortRepository, installation: _Installation) -> Repo:
    owner, _, name = short.full_name.partition("/")
    return Repo(short.id, owner, name, installation.id, installation.account.id if installation.account else 0)


def _ping(envelope: Envelope, payload: dict[str, Any]) -> Effect:
    return Effect()


def _sha(text: Any) -> str:
    return text if isinstance(text, str) and SHA.fullmatch(text) else ""


_HANDLERS = {
    "check_run": _check,
    "check_suite": _check,
    "branch_protection_rule": _settings,
    "installation": _installation,
    "installation_repositories": _installation_repositories,
    "issue_comment": _issue_comment,
    "member": _people,
    "ping": _ping,
    "pull_request": _pull_request,
    "pull_request_review": _review,
    "push": _push,
    "repository": _repository,
    "repository_ruleset": _settings,
    "workflow_run": _workflow_run,
}
