"""What every REST operation shares: who calls, on which repository, with what right; pages of a list; the answer."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from localhub import auth
from localhub.model import App, Installation, Issue, Pull, Refused, Repo, Token, User, at_least
from localhub.rest import body

if TYPE_CHECKING:
    from localhub.hub import Hub

MAX_PAGE = 100


@dataclass
class Answer:
    """An answer that is more than JSON with status 200."""

    status: int = 200
    body: Any = None  # JSON, or bytes as they are
    headers: dict[str, str] = field(default_factory=dict)
    type: str = "application/json; charset=utf-8"


@dataclass(frozen=True)
class Page:
    """A list that is given out page by page. With `key`, wrapped as {"total_count": n, key: [...]}."""

    items: Sequence[Any]
    shape: Callable[[Any], Any]
    key: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Operation:
    """One operation, and who may call it.

    `app` is the permission that an App's token needs (alternatives separated by |), `role` what a person needs.
    `by`: "token" (anyone with the right; reads of public repositories need no token), "jwt" (an App as itself),
    "installation" (only an App's installation), "user" (only a person).
    """

    method: str
    path: str
    do: Callable[[Call], Any]
    app: str
    role: str
    by: str


OPERATIONS: list[Operation] = []


def operation(
    spec: str, *, app: str = "metadata:read", role: str = "read", by: str = "token"
) -> Callable[[Callable[[Call], Any]], Callable[[Call], Any]]:
    """Register a function as an operation; `spec` is `METHOD /path/{with}/{names}`. See `Operation`."""

    def register(do: Callable[[Call], Any]) -> Callable[[Call], Any]:
        method, path = spec.split(" ")
        OPERATIONS.append(Operation(method, path, do, app, role, by))
        return do

    return register


@dataclass
class Call:
    """One request, parsed. Its properties raise Refused when what they stand for is not there."""

    hub: Hub
    method: str
    path: str  # without the API's root
    params: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]  # names in lower case
    body: bytes = b""
    token: Token | None = None
    app: App | None = None  # the caller is an App as itself, by JWT

    @functools.cached_property
    def json(self) -> dict[str, Any]:
        """The body as a JSON object; {} when there is none. Raises Refused (400, or 422 for a wrong type)."""
        if not self.body.strip():
            return {}
        try:
            parsed = json.loads(self.body)
        except ValueError as why:
            raise Refused(400, "Problems parsing JSON") from why
        if not isinstance(parsed, dict):
            raise Refused(400, "Body should be a JSON object")
        body.check(parsed)
        return parsed

    def need(self, name: str) -> Any:
        """A field of the body that must be there; `localhub.rest.body` has seen to its type. Raises Refused (422)."""
        value = self.json.get(name)
        if value is None:
            raise Refused(422, f'Invalid request.\n\n"{name}" wasn\'t supplied.')
        return value

    def number(self, name: str) -> int:
        """A number in the path. Raises Refused (404)."""
        text = self.params[name]
        if not text.isdecimal() or len(text) > 18:
            raise Refused(404, "Not Found")
        return int(text)

    @property
    def user(self) -> User:
        if self.token is None:
            raise Refused(401, "Requires authentication")
        return self.token.user

    @property
    def installation(self) -> Installation:
        if self.token is None or self.token.installation is None:
            raise Refused(403, "You must authenticate via a GitHub App.")
        return self.token.installation

    @property
    def acting_app(self) -> App | None:
        """The App whose token this is, None for people."""
        return self.token.installation.app if self.token and self.token.installation else None

    @property
    def repo(self) -> Repo:
        """The repository in the path. Raises Refused (404) where it is not there or the caller must not see it."""
        found = self.hub.find_repo(f"{self.params['owner']}/{self.params['repo']}")
        if found is None or (found.private and not self._sees(found)):
            raise Refused(404, "Not Found")
        return found

    def _sees(self, repo: Repo) -> bool:
        if self.app:
            return any(one.app is self.app and one.covers(repo) for one in self.hub.installations.values())
        if self.token is None:
            return False
        return auth.reaches(self.token, repo) if self.token.is_app else at_least(repo.role(self.token.user), "read")

    @property
    def role(self) -> str:
        """What the caller's user may do on the repository, as a role; an App's right is its permissions."""
        return self.repo.role(self.token.user if self.token else None)

    @property
    def issue(self) -> Issue:
        found = self.repo.issues.get(self.number("issue_number"))
        if found is None:
            raise Refused(404, "Not Found")
        return found

    @property
    def pull(self) -> Pull:
        found = self.repo.issues.get(self.number("pull_number"))
        if found is None or found.pull is None:
            raise Refused(404, "Not Found")
        return found.pull

    def sha(self, name: str) -> str:
        """The commit that a ref in the path means. Raises Refused (422, as GitHub does for an unknown SHA)."""
        found = self.repo.git.commit_sha(self.params[name].removeprefix("heads/"))
        if found is None:
            raise Refused(422, f"No commit found for SHA: {self.params[name]}")
        return found


def authorize(op: Operation, call: Call) -> None:
    """Let the call pass, or raise Refused as GitHub would."""
    if op.by == "jwt":
        if call.app is None:
            raise Refused(401, "A JSON web token could not be decoded")
        return
    if call.app is not None:
        raise Refused(401, "Bad credentials")
    if "{owner}" not in op.path:
        if op.by != "anyone" and call.token is None:
            raise Refused(401, "Requires authentication")
        if op.by == "installation":
            _ = call.installation
        if op.by == "user" and (call.token is None or call.token.is_app):
            raise Refused(403, "Resource not accessible by integration")
        return
    repo, token, reading = call.repo, call.token, op.method == "GET"
    if token is None:
        if not reading or op.role != "read":
            raise Refused(401, "Requires authentication")
    elif token.is_app:
        if not auth.reaches(token, repo):
            if not (reading and op.role == "read" and not repo.private):
                raise Refused(403, "Resource not accessible by integration")
        elif not auth.may(token, op.app) or op.by == "user":
            raise Refused(403, "Resource not accessible by integration")
    elif op.by == "installation":
        raise Refused(403, "You must authenticate via a GitHub App.")
    elif not at_least(repo.role(token.user), op.role):
        word = "admin rights to" if op.role == "admin" else "push access to" if op.role == "write" else f"{op.role} on"
        raise Refused(403, f"Must have {word} Repository.")


def finish(call: Call, result: Any) -> Answer:
    """What an operation returned, as an answer: pages are cut and linked."""
    if isinstance(result, Answer):
        return result
    if isinstance(result, tuple):
        return Answer(*result)
    if isinstance(result, Page):
        return _cut(call, result)
    return Answer(200, result)


def _cut(call: Call, page: Page) -> Answer:
    size = min(max(_int(call.query.get("per_page"), 30), 1), MAX_PAGE)
    number = max(_int(call.query.get("page"), 1), 1)
    total = len(page.items)
    shown = [page.shape(one) for one in page.items[(number - 1) * size : number * size]]
    last = max(1, -(-total // size))

    def link(to: int, rel: str) -> str:
        return f'<{call.hub.link(call.path, {**call.query, "page": str(to)})}>; rel="{rel}"'

    links: Iterable[str] = []
    if number > 1:
        links = [link(1, "first"), link(number - 1, "prev")]
    if number < last:
        links = [*links, link(number + 1, "next"), link(last, "last")]
    headers = {"Link": ", ".join(links)} if links else {}
    body: Any = {"total_count": total, page.key: shown, **page.more} if page.key else shown
    return Answer(200, body, headers)


def _int(text: str | None, default: int) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else default
