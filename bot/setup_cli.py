"""The commands with which an operator sets the App up: `app create` and `doctor`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

import click

UNSAFE, USAGE, COULD_NOT_RUN = 1, 2, 4


@click.group()
def app() -> None:
    """The GitHub App itself."""


@app.command()
@click.option("--name", required=True, help="The App's name on GitHub, 1 to 34 characters; nobody else may have it.")
@click.option("--url", required=True, help="Where GitHub will reach the bot, such as https://bounty.example.org.")
@click.option("--organisation", default="", help="The organisation that will own the App. Default: your own account.")
@click.option("--public", is_flag=True, help="Others may install it too.")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), default=Path("."), show_default=True)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port of the local page. Default: a free one.")
@click.option("--github", default="https://github.com", show_default=True, help="The web address of GitHub.")
@click.option("--api", default="https://api.github.com", show_default=True, help="The REST API's address.")
def create(
    name: str, url: str, organisation: str, public: bool, folder: Path, port: int, github: str, api: str
) -> None:
    """Make the App in one click, and write its key and the bot's settings to two files in FOLDER."""
    from bot.app_create import Failed, Plan
    from bot.app_create import create as make

    plan = Plan(name, url.rstrip("/"), organisation, public, github, api)
    try:
        files = make(plan, folder.resolve(), click.echo, port=port)
    except (FileExistsError, ValueError) as error:
        _fail(str(error), USAGE)
    except (Failed, OSError) as error:
        _fail(str(error))
    for file in files:
        click.echo(f"Wrote {file}")
    click.echo("Install the App on the repository, set TRUSTED_WORKFLOWS in bot.env, and run the doctor.")


@click.command()
@click.argument("repositories", nargs=-1, metavar="[OWNER/NAME]...")
def doctor(repositories: tuple[str, ...]) -> None:
    """Say what is unsafe in the repositories that the App is installed on. Exit 1 if anything forbids merging.

    The bot asks the same by itself and merges nothing while something unsafe stands. Settings are in the environment,
    as for `serve`.
    """
    from bot.doctor import Severity
    from bot.doctor.installed import look, repositories_of
    from bot.github import errors
    from bot.settings import SettingsError, read_settings
    from bot.text.doctor import diagnosis

    try:
        settings = read_settings()
        found = repositories_of(settings)
        wanted = [
            one for one in found if not repositories or one.repo.full_name.lower() in map(str.lower, repositories)
        ]
        if not wanted:
            _fail("The App is installed on no such repository.")
        unsafe = False
        for access in wanted:
            problems = look(access, frozenset(settings.trusted_workflows))
            unsafe = unsafe or any(problem.severity is Severity.FORBIDS for problem in problems)
            click.echo(diagnosis(access.repo.full_name, problems), nl=False)
    except SettingsError as error:
        _fail(str(error), USAGE)
    except errors.GitHubError as error:
        _fail(f"GitHub could not be asked: {error}")
    sys.exit(UNSAFE if unsafe else 0)


def _fail(message: str, status: int = COULD_NOT_RUN) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(status)
