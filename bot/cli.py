"""The bot's commands: `python -m bot …`. Each imports what it needs when it runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

import click

from bot import setup_cli

if TYPE_CHECKING:
    from bot.settings import Settings

USAGE, COULD_NOT_RUN = 2, 4


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """The GitHub App of a bounty repository. Settings come from the environment: see docs/operate.md."""


main.add_command(setup_cli.app)
main.add_command(setup_cli.doctor)


@main.command()
@click.option("--log-level", default="INFO", show_default=True, envvar="LOG_LEVEL")
@click.option("--pretty", is_flag=True, help="Logs for eyes instead of JSON.")
@click.option("--no-work", is_flag=True, help="Only receive: another process on the same database does the rest.")
def serve(log_level: str, pretty: bool, no_work: bool) -> None:
    """Receive webhooks and reports, and look after pull requests, until told to stop."""
    from bot import logs

    logs.configure(log_level, pretty=pretty)
    from bot.core import build
    from bot.serve import serve as run

    with _told():
        bot = build(_settings())
    run(bot, work=not no_work)


@main.command()
def migrate() -> None:
    """Bring the database to this version's schema, and stop. `serve` does so too."""
    from bot.store.database import Store

    with _told():
        Store(_settings().database_url.get_secret_value()).close()
    click.echo("The database is up to date.")


@main.command()
@click.argument("repository")
@click.argument("number", type=click.IntRange(min=1))
def look(repository: str, number: int) -> None:
    """Have pull request NUMBER of OWNER/NAME looked at, by whichever process is serving."""
    from datetime import UTC, datetime

    from bot.store import pulls
    from bot.store.database import Store

    with _told():
        store = Store(_settings().database_url.get_secret_value())
    with store.write() as db:
        known = [repo for repo in pulls.repos(db) if repo.full_name.lower() == repository.lower()]
        if not known:
            _fail(f"{repository} is no repository that the App is installed on, as far as this database knows.")
        pulls.mark(store, db, known[0].repo_id, number, datetime.now(UTC))
    store.close()
    click.echo(f"{repository}#{number} is marked.")


@contextmanager
def _told() -> Iterator[None]:
    """A database that cannot be opened is told in a sentence."""
    from bot.store.database import StoreError

    try:
        yield
    except StoreError as error:
        _fail(str(error))


def _settings() -> Settings:
    from bot.settings import SettingsError, read_settings

    try:
        return read_settings()
    except SettingsError as error:
        _fail(str(error), USAGE)


def _fail(message: str, status: int = COULD_NOT_RUN) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(status)
