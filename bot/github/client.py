"""GitHub as this bot sees it: an `App`, and each repository's `Reads` and `Writes`. Answers come as small models."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from bot.github import errors
from bot.github.http import Answer, Http
from bot.github.limits import Limits
from bot.github.models import AppInfo, HookDelivery, Installation, RepoInfo
from bot.github.tokens import Tokens
from bot.store.pulls import Repo

Model = TypeVar("Model", bound=BaseModel)
Result = TypeVar("Result")

PER_PAGE = 100
#: More pages than any list that we read has; a server that never ends is not followed for ever.
MOST_PAGES = 100

NEXT = re.compile(r'<([^>]+)>;\s*rel="next"')


def parse(model: type[Model], data: Any) -> Model:
    """`data` as `model`. Raises `Invalid` naming what is missing, without the data itself."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        places = ", ".join(".".join(map(str, item["loc"])) for item in error.errors(include_input=False)[:5])
        raise errors.Invalid(f"GitHub's {model.__name__} lacks {places}") from None


class Fixed:
    """Files and folders at full SHAs: those never change, so they are read once."""

    def __init__(self, most: int = 1024) -> None:
        self.most = most
        self._kept: OrderedDict[tuple[int, str, str], Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[int, str, str]) -> Any:
        with self._lock:
            return self._kept.get(key)

    def put(self, key: tuple[int, str, str], value: Any) -> None:
        with self._lock:
            self._kept[key] = value
            while len(self._kept) > self.most:
                self._kept.popitem(last=False)


class App:
    """What the App does in its own name."""

    def __init__(self, http: Http, tokens: Tokens) -> None:
        self.http = http
        self.tokens = tokens
        self.fixed = Fixed()
        self.limits = Limits()
        self._me: AppInfo | None = None

    def me(self) -> AppInfo:
        """The App itself. Asked for once."""
        if self._me is None:
            self._me = parse(AppInfo, self.http.get("/app", self.tokens.app()).json())
        return self._me

    @property
    def login(self) -> str:
        """The login of its user, under which it comments."""
        return f"{self.me().slug}[bot]"

    def installations(self) -> list[Installation]:
        return [parse(Installation, item) for item in self._pages("/app/installations")]

    def repositories(self, installation_id: int) -> list[RepoInfo]:
        """What an installation lets the App see."""
        token = self.tokens.installation(installation_id, None, {"metadata": "read"}).text
        found: list[RepoInfo] = []
        for page in pages(self.http, "/installation/repositories", token):
            found += [parse(RepoInfo, item) for item in page["repositories"]]
        return found

    def deliveries(self, most_pages: int = 20) -> Iterator[HookDelivery]:
        """What GitHub sent to the App's webhook, newest first."""
        for item in self._pages("/app/hook/deliveries", most_pages):
            yield parse(HookDelivery, item)

    def redeliver(self, delivery_id: int) -> None:
        """Ask GitHub to send one delivery again. It will carry the same GUID."""
        self.http.send("POST", f"/app/hook/deliveries/{delivery_id}/attempts", self.tokens.app())

    def _pages(self, path: str, most: int = MOST_PAGES) -> Iterator[Any]:
        for page in pages(self.http, path, self.tokens.app(), most=most):
            yield from page


class Access:
    """One repository with the rights that a use needs. Reads go through here, and so do writes."""

    def __init__(self, app: App, repo: Repo) -> None:
        self.app = app
        self.repo = repo
        self.base = f"/repos/{repo.owner}/{repo.name}"

    def get(self, path: str, rights: Mapping[str, str], query: Mapping[str, Any] | None = None) -> Any:
        """`path` is below the repository, or absolute when it begins with `//`."""
        return self._read(path, rights, query).json()

    def pages(
        self, path: str, rights: Mapping[str, str], query: Mapping[str, Any] | None = None, *, most: int = MOST_PAGES
    ) -> Iterator[Any]:
        """Every page of a list, as JSON."""
        answer = self._read(path, rights, {"per_page": PER_PAGE, **(query or {})})
        for _ in range(most):
            yield answer.json()
            onward = NEXT.search(answer.headers.get("link", ""))
            if onward is None:
                return
            answer = self._read(onward.group(1), rights, None)
        raise errors.Invalid(f"{path} has more than {most} pages")

    def send(self, verb: str, path: str, rights: Mapping[str, str], body: Any = None) -> Answer:
        """A write. A 401 or 404 for a token that is seconds old did nothing, and is tried once with a new token."""
        return self._with_token(rights, lambda token: self._write(verb, self._path(path), token, body))

    def query(self, text: str, variables: Mapping[str, Any], rights: Mapping[str, str], *, write: bool = False) -> Any:
        """A GraphQL query. GitHub answers 200 with `errors` too: those raise `Forbidden`, `Gone` or `Invalid`."""
        body = {"query": text, "variables": dict(variables)}
        path = graphql_path(self.app.http.api_url)
        writer = str(self.repo.installation_id) if write else ""

        def ask(token: str) -> Any:
            try:
                answer = self.app.http.send("POST", path, token, body, writer=writer).json()
            except errors.Unknown as error:
                if write:
                    raise
                raise errors.Unavailable(str(error), error.status) from None
            if not isinstance(answer, dict) or answer.get("errors") or "data" not in answer:
                raise graphql_error(answer)
            return answer["data"]

        return self._with_token(rights, ask)

    def _write(self, verb: str, path: str, token: str, body: Any) -> Answer:
        return self.app.http.send(verb, path, token, body, writer=str(self.repo.installation_id))

    def _read(self, path: str, rights: Mapping[str, str], query: Mapping[str, Any] | None) -> Answer:
        scope = f"{self.repo.installation_id}/{self.repo.repo_id}/{sorted(rights.items())}"
        url = self._path(path)
        return self._with_token(rights, lambda token: self.app.http.get(url, token, query, scope=scope))

    def _path(self, path: str) -> str:
        if path.startswith("http"):
            return path
        return path[1:] if path.startswith("//") else self.base + path

    def _with_token(self, rights: Mapping[str, str], use: Callable[[str], Result]) -> Result:
        with self.app.limits.heeded(self.repo.installation_id, self.app.http.clock()):
            return self._tried(rights, use)

    def _tried(self, rights: Mapping[str, str], use: Callable[[str], Result]) -> Result:
        tokens, repo = self.app.tokens, self.repo
        token = tokens.installation(repo.installation_id, repo.repo_id, rights)
        try:
            result = use(token.text)
        except errors.Unauthorized:
            pass  # it was revoked, or is not known everywhere yet
        except errors.Gone:
            if token.works:
                raise  # this is about the thing, not about the token
        else:
            token.works = True
            return result
        token = tokens.installation(repo.installation_id, repo.repo_id, rights, anew=True)
        token.works = True  # whatever comes now is the answer
        return use(token.text)


def pages(http: Http, path: str, token: str, *, most: int = MOST_PAGES) -> Iterator[Any]:
    """The pages of a list that is not a repository's."""
    answer = http.get(path, token, {"per_page": PER_PAGE})
    for _ in range(most):
        yield answer.json()
        onward = NEXT.search(answer.headers.get("link", ""))
        if onward is None:
            return
        answer = http.get(onward.group(1), token)


def graphql_path(api_url: str) -> str:
    """Where GraphQL lives beside a REST root, as an address that the transport takes."""
    return api_url.removesuffix("/v3") + "/graphql" if api_url.endswith("/api/v3") else api_url + "/graphql"


def graphql_error(answer: Any) -> errors.GitHubError:
    """What an answer with `errors` stands for, by its types."""
    found = answer.get("errors") if isinstance(answer, dict) else None
    kinds = {str(item.get("type", "")) for item in found or [] if isinstance(item, dict)}
    told = "; ".join(str(item.get("message", ""))[:200] for item in found or [] if isinstance(item, dict))
    message = f"GraphQL: {told or 'no data'}"
    if "FORBIDDEN" in kinds or "INSUFFICIENT_SCOPES" in kinds:
        return errors.Forbidden(message, 200)
    if "NOT_FOUND" in kinds:
        return errors.Gone(message, 200)
    return errors.Invalid(message, 200)
