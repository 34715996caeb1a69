"""`envbounty demo`."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

    from demo.story import Story


@click.command()
@click.option("--once", is_flag=True, help="End with the table. By default the pages stay open until Ctrl-C.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Of the pages.  [default: a free one]")
@click.option("--seconds", type=click.FloatRange(10), default=240.0, help="Give up after so long.", show_default=True)
def demo(once: bool, port: int, seconds: float) -> None:
    """The whole story on this machine, with no account: a bounty, five pull requests, findings, and the right merge.

    Starts a GitHub of its own, the bot and the shipped workflows. Exit status 0 when every pull request ended as it
    should, 1 when one did not, 4 when the bot did not start.
    """
    from rich.console import Console

    from demo.screen import Screen, ending
    from demo.story import Story
    from demo.world import NotStarted, World

    console = Console()
    with tempfile.TemporaryDirectory(prefix="envbounty-demo-") as folder:
        began = time.monotonic()
        console.print("Starting a GitHub on this machine, the bot, and a bounty repository …", markup=False)
        try:
            world = World.start(Path(folder), port)
        except NotStarted as error:
            console.print(str(error), style="bold red", markup=False)
            sys.exit(4)
        try:
            pages = f"{world.hub.url}/{world.repo.full_name}"
            console.print(f"Look at it while it runs: {pages}/pulls\n", markup=False)
            screen = Screen(console)
            story = Story(world, screen.tell)
            with screen:
                right = story.play(seconds, on_turn=lambda: screen.update(story))
            console.print()
            console.print(ending(story))
            took = time.monotonic() - began
            if right:
                console.print(f"All {len(story.cases)} ended as they should, in {took:.0f} s.", markup=False)
            else:
                console.print("One or more ended otherwise than they should. The bot's last words:", style="bold red")
                console.print(world.log_tail(), markup=False, highlight=False, soft_wrap=True)
            _linger(console, story, pages, once)
        finally:
            world.stop()
    sys.exit(0 if right else 1)


def _linger(console: Console, story: Story, pages: str, once: bool) -> None:
    """Addresses to click, for as long as somebody wants to look."""
    if once or not console.is_terminal:
        return
    for case in story.cases:
        console.print(f"  {pages}/pull/{case.pull.number}", markup=False)
    console.print("Ctrl-C ends it.")
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        console.print()
