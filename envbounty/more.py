"""Commands that come from other packages: `app` and `doctor` from the bot, `demo` from the checkout.

They are entry points of the group `envbounty.commands`, so that nothing here knows them, and one is loaded only when it
is asked for: `--help` names those that there are without importing any.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points

import click

GROUP = "envbounty.commands"


class Commands(click.Group):
    """A group that also has the commands of other packages."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_found()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        if own is not None or cmd_name not in _found():
            return own
        try:
            command = _found()[cmd_name].load()
        except ImportError as error:
            return _missing(cmd_name, error.name or str(error))
        except AttributeError as error:  # another version of that part
            return _missing(cmd_name, error.name or str(error))
        return command if isinstance(command, click.Command) else None


@cache
def _found() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _missing(name: str, module: str) -> click.Command:
    """Stands for a command of a part that is not installed: says so, whatever is asked of it."""

    @click.command(name, short_help="(not installed)", context_settings={"ignore_unknown_options": True})
    @click.argument("words", nargs=-1)
    def missing(words: tuple[str, ...]) -> None:
        raise click.UsageError(
            f"`envbounty {name}` needs the module {module}, which is not installed: pip install 'envbounty[bot]', "
            "or `make .venv/.bot` in a checkout."
        )

    return missing
