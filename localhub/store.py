"""All that one hub remembers, and the making of accounts, repositories, Apps and tokens. No HTTP."""

from __future__ import annotations

import itertools
import re
import secrets
import shutil
import tempfile
import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from localhub import auth
from localhub.faults import Faults
from localhub.git import Git
from localhub.model import App, CheckSuite, Installation, Label, Refused, Repo, Token, User
from localhub.runs import Run

#: The App that GitHub's own Actions act as, and its bot account: the same numbers as on GitHub.
ACTIONS_APP_ID, ACTIONS_BOT_ID = 15368, 41898282

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Store:
    """Accounts, repositories, Apps, tokens. `lock` is held by whoever changes or reads more than one thing."""

    def __init__(self, folder: Path | None, faults: Faults) -> None:
        self.lock = threading.RLock()
        self.faults = faults
        self._own_folder = folder is None
        self.folder = folder or Path(tempfile.mkdtemp(prefix="localhub-"))
        self.offset = timedelta()
        self._ids = itertools.count(1001)
        self.users: dict[str, User] = {}
        self.users_by_id: dict[int, User] = {}
        self.repos: dict[str, Repo] = {}
        self.apps: dict[str, App] = {}  # by id and by client id
        self.installations: dict[int, Installation] = {}
        self.tokens: dict[str, Token] = {}
        self.moved: dict[str, Repo] = {}  # by a name that a repository had before
        self.manifests: dict[str, App] = {}  # by one-time code
        self.stateless_tokens = False
        self.ghost = self.add_user("ghost")
        bot = self.add_user("github-actions[bot]", "Bot", ACTIONS_BOT_ID)
        self.actions_app = self._add_app("GitHub Actions", self.ghost, {}, (), "", "", ACTIONS_APP_ID, bot)

    def remove_folder(self) -> None:
        if self._own_folder:
            with self.lock:  # whoever is in the middle of something ends first
                shutil.rmtree(self.folder, ignore_errors=True)

    # Time and numbers

    def now(self) -> datetime:
        return datetime.now(UTC) + self.offset

    def tick(self, seconds: float) -> None:
        """Let the hub's clock jump ahead."""
        self.offset += timedelta(seconds=seconds)

    def next_id(self) -> int:
        return next(self._ids)

    # Accounts

    def add_user(self, login: str, type: str = "User", id: int | None = None) -> User:
        """A new account. Raises ValueError when the name is taken or no name."""
        if login.lower() in self.users or not _NAME.fullmatch(login.removesuffix("[bot]")):
            raise ValueError(f"{login!r} cannot be an account's name")
        user = User(id or self.next_id(), login, self.now(), type)
        self.users[login.lower()] = self.users_by_id[user.id] = user
        return user

    def add_token(self, user: User, value: str = "") -> Token:
        token = Token(value or auth.secret("ghp_"), user, self.now())
        self.tokens[token.value] = token
        return token

    def by_email(self, email: str) -> User | None:
        """The account that a commit's address belongs to."""
        number = email.split("+", 1)[0]
        return self.users_by_id.get(int(number)) if number.isdecimal() else None

    # Repositories

    def find_repo(self, full_name: str) -> Repo | None:
        return self.repos.get(full_name.lower())

    def repo_by_id(self, number: int) -> Repo | None:
        return next((repo for repo in self.repos.values() if repo.id == number), None)

    def add_repo(self, owner: User, name: str, parent: Repo | None = None, **more: Any) -> Repo:
        """A new repository, empty or a fork of `parent`. Raises Refused (422) when the name is taken."""
        key = f"{owner.login}/{name}".lower()
        if key in self.repos or not _NAME.fullmatch(name):
            raise Refused.invalid("Repository", "name", "custom", "name already exists on this account")
        branch = parent.default_branch if parent else more.get("default_branch", "main")
        number = self.next_id()
        git = Git.create(self.folder / f"{number}.git", branch, parent.git if parent else None)
        repo = Repo(number, owner, name, git, self.now(), parent=parent, **{**more, "default_branch": branch})
        for label in ("bug", "enhancement"):
            repo.labels[label] = Label(self.next_id(), label)
        self.repos[key] = repo
        self.moved.pop(key, None)
        return repo

    def rename(self, repo: Repo, name: str) -> None:
        """Another name; requests for the old one are sent on until somebody else takes it. Raises Refused (422)."""
        key = f"{repo.owner.login}/{name}".lower()
        if self.repos.get(key, repo) is not repo or not _NAME.fullmatch(name):
            raise Refused.invalid("Repository", "name", "custom", "name already exists on this account")
        old = repo.full_name.lower()
        del self.repos[old]
        self.moved[old], repo.name = repo, name
        self.repos[key] = repo
        self.moved.pop(key, None)

    def label(self, repo: Repo, name: str) -> Label:
        """The label of that name, made where there is none."""
        return repo.labels.setdefault(name.lower(), Label(self.next_id(), name))

    # Apps

    def _add_app(
        self,
        name: str,
        owner: User,
        permissions: Mapping[str, str],
        events: tuple[str, ...],
        url: str,
        hook_secret: str,
        id: int | None = None,
        bot: User | None = None,
    ) -> App:
        number, slug = id or self.next_id(), re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        if any(app.slug == slug for app in self.apps.values()):
            raise Refused.invalid("App", "name", "already_exists", "Name is already taken")
        pem, public = auth.key_pair(slug)
        app = App(
            number,
            slug,
            name,
            f"Iv23li{number:014d}",
            owner,
            bot or self.add_user(f"{slug}[bot]", "Bot"),
            public,
            url,
            hook_secret,
            self.next_id(),
            {"metadata": "read", **permissions},
            events,
            self.now(),
            pem,
        )
        self.apps[str(number)] = self.apps[app.client_id] = app
        return app

    def add_app(
        self,
        name: str,
        owner: User,
        permissions: Mapping[str, str],
        events: tuple[str, ...],
        webhook_url: str,
        webhook_secret: str = "",
    ) -> App:
        """A new App. Its private key is `app.private_key`."""
        return self._add_app(name, owner, permissions, events, webhook_url, webhook_secret or secrets.token_hex(20))

    def installation_for(self, app: App, repo: Repo) -> Installation | None:
        return next((one for one in self.installations.values() if one.app is app and one.covers(repo)), None)

    def covered(self, installation: Installation) -> list[Repo]:
        return [repo for repo in self.repos.values() if installation.covers(repo)]

    def installation_token(self, installation: Installation, body: Mapping[str, Any], stateless: bool) -> Token:
        """A new token, good for an hour. Raises Refused (422) when `body` asks for more than was granted."""
        permissions, ids = auth.narrowed(installation, self.covered(installation), body)
        now = self.now()
        long = stateless or self.stateless_tokens
        value = auth.stateless(installation.app, installation, now) if long else auth.secret("ghs_")
        token = Token(value, installation.app.bot, now, auth.hours(now, 1), installation, permissions, ids)
        self.tokens[value] = token
        return token

    def token_for_run(self, run: Run, permissions: Mapping[str, str]) -> str:
        """A job's `GITHUB_TOKEN`. Write where the run comes from a fork is cut to read, as on GitHub."""
        if run.head_repo is not None and run.head_repo is not run.repo:
            permissions = {name: "none" if name == "id-token" else "read" for name in permissions}
        token = Token(
            auth.secret("ghs_"),
            self.actions_app.bot,
            self.now(),
            auth.hours(self.now(), 24),
            None,
            dict(permissions),
            run=run,
        )
        self.tokens[token.value] = token
        return token.value

    # Checks

    def suite(self, repo: Repo, app: App, sha: str, branch: str | None) -> tuple[CheckSuite, bool]:
        """The App's check suite for a commit, and whether it was made just now."""
        for one in repo.suites:
            if one.app is app and one.head_sha == sha:
                return one, False
        now = self.now()
        one = CheckSuite(self.next_id(), repo, app, sha, branch, now, now)
        repo.suites.append(one)
        return one, True
