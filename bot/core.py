"""The parts of a running bot, put together once. Everything that needs the clock or the network goes through here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import httpx

from bot.doctor.examine import forbidding
from bot.doctor.installed import look
from bot.github.client import Access, App
from bot.github.http import Http
from bot.github.reads import Reads
from bot.github.tokens import Tokens
from bot.github.writes import Writes
from bot.health import Health
from bot.keys import Keys, fetcher
from bot.reporting import Reporting
from bot.settings import Settings
from bot.store.database import Store
from bot.store.pulls import Repo


class NotYet(Exception):
    """GitHub does not show what it has to show before anything may be done. Look again after `wait`."""

    def __init__(self, why: str, wait: timedelta) -> None:
        super().__init__(why)
        self.wait = wait


class HeadChanged(Exception):
    """The head moved during a pass: everything found out so far is about another commit."""


@dataclass
class Bot:
    settings: Settings
    store: Store
    app: App
    reporting: Reporting
    health: Health
    examine: Callable[[Access], tuple[str, ...]]  # what makes a repository's settings unsafe to merge under
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    def seconds(self, number: float) -> timedelta:
        return timedelta(seconds=number)

    def close(self) -> None:
        self.store.close()


@dataclass
class Scene:
    """One pull request during one pass, under its lock."""

    bot: Bot
    repo: Repo
    number: int
    now: datetime  # when the pass began

    def __post_init__(self) -> None:
        access = Access(self.bot.app, self.repo)
        self.reads = Reads(access)
        self.writes = Writes(access)

    @property
    def store(self) -> Store:
        return self.bot.store

    @property
    def settings(self) -> Settings:
        return self.bot.settings

    @property
    def key(self) -> tuple[int, int]:
        """What every row about this pull request is found by."""
        return self.repo.repo_id, self.number

    @property
    def name(self) -> str:
        return f"{self.repo.full_name}#{self.number}"


def build(settings: Settings) -> Bot:
    """Open the database and the clients. Asks GitHub nothing yet."""
    store = Store(settings.database_url.get_secret_value(), pool=settings.workers + 8)

    @contextmanager
    def turn(installation: str) -> Iterator[None]:
        """GitHub wants no two writes of one installation at a time, whichever process they come from."""
        while True:
            with store.exclusive(f"writer/{installation}") as mine:
                if mine:
                    yield
                    return
            time.sleep(0.05)

    http = Http(settings.github_api_url, write_spacing=settings.write_spacing, turn=turn)
    app = App(http, Tokens(http, settings.app_id, settings.app_private_key))
    keys = Keys(fetcher(settings.jwks_url, httpx.Client(timeout=10, follow_redirects=False)))
    trusted = frozenset(settings.trusted_workflows)

    def examine(access: Access) -> tuple[str, ...]:
        return forbidding(look(access, trusted))

    return Bot(settings, store, app, Reporting(settings, store, app, keys), Health(store), examine)
