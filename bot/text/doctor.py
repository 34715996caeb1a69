"""What `envbounty doctor` prints at a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bot.text.words import plural
from envbounty.render.words import clean

if TYPE_CHECKING:
    from bot.doctor.facts import Problem

_WORD = {"forbids": "UNSAFE", "advice": "advice"}


def diagnosis(repository: str, problems: Sequence[Problem]) -> str:
    """The problems of one repository as plain text, the worst first, each with its fix. Ends with a newline."""
    lines = []
    for problem in problems:
        lines.append(f"{_WORD[problem.severity.value]}  {problem.code}: {clean(problem.what, 600)}")
        lines.append(f"        {clean(problem.fix, 600)}")
    unsafe = sum(problem.severity.value == "forbids" for problem in problems)
    name = clean(repository, 200)
    if unsafe:
        lines.append(f"{name}: {plural(unsafe, 'thing')} unsafe. The bot merges nothing until they are mended.")
    else:
        lines.append(f"{name}: nothing unsafe was found.")
    return "\n".join(lines) + "\n"
