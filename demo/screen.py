"""The story in a terminal: what happens line by line, where each pull request stands, and the table at the end."""

from __future__ import annotations

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from demo.entries import End
from demo.story import Case, Story

STYLES = {"success": "green", "failure": "red", "in_progress": "yellow", "action_required": "magenta"}


class Screen:
    """Lines above, a table below that changes while the story is told. Without a terminal, lines alone."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.live = Live(console=console, refresh_per_second=4, transient=True) if console.is_terminal else None

    def tell(self, line: str) -> None:
        self.console.print(f"  {line}", markup=False, highlight=False, soft_wrap=not self.console.is_terminal)

    def update(self, story: Story) -> None:
        if self.live is not None:
            self.live.update(_standing(story.cases))

    def __enter__(self) -> Screen:
        if self.live is not None:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.live is not None:
            self.live.stop()


def _standing(cases: list[Case]) -> Table:
    table = Table(box=None, padding=(0, 2))
    for column in ("", "pull request", "by", "verify", "approved", "merged"):
        table.add_column(column, no_wrap=True)
    for case in cases:
        state = case.state.replace("_", " ")
        table.add_row(
            f"#{case.pull.number}", case.entry.title, case.entry.login, Text(state, STYLES.get(case.state, "dim")),
            "yes" if case.approved else "", "yes" if case.pull.merged else "",
        )  # fmt: skip
    return table


def ending(story: Story) -> Table:
    """What became of each, and whether it should have."""
    table = Table(title="What became of them", title_justify="left")
    for column in ("", "by", "what it brings", "the bot found", "the end"):
        table.add_column(column, overflow="fold")
    for case in story.cases:
        end = case.end
        words = {End.MERGED: f"merged at {case.pull.head[:7]}", End.REFUSED: "not merged"}
        said = words[end] if end is not None else f"undecided ({case.state})"
        found = "" if end is End.MERGED else ", ".join(case.rules[:2]) + (" …" if len(case.rules) > 2 else "")
        style = "bold red" if not case.right else ("green" if end is End.MERGED else "cyan")
        table.add_row(
            f"#{case.pull.number}", case.entry.login, f"{case.entry.title}: {case.entry.what}", found,
            Text(said if case.right else f"{said} (!)", style),
        )  # fmt: skip
    return table
