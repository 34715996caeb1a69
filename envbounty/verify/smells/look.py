"""From what Semgrep found in the texts to what it means for one environment."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from envbounty.environment import Dialect, Environment
from envbounty.findings import Severity
from envbounty.verify.runner import Trouble
from envbounty.verify.smells.engine import ERROR, WARNING, Hit, Reading
from envbounty.verify.smells.scanner import MAX_BYTES, texts_of
from envbounty.verify.smells.standing import stands

_QUOTED = re.compile(r"`([^`]*)`")


@dataclass(frozen=True)
class Smell:
    """One rule's hit in one file of an environment. `text`: the lines it is about, cut."""

    rule: str
    severity: Severity
    message: str
    path: str
    line: int
    text: str


@dataclass(frozen=True)
class Look:
    """All that was found in one environment, and which files could not be read: {path: why}."""

    smells: tuple[Smell, ...] = ()
    unread: Mapping[str, str] | None = None

    @property
    def rules(self) -> frozenset[str]:
        """The ids of the rules that were hit."""
        return frozenset(smell.rule for smell in self.smells)


def look(env: Environment, readings: Mapping[str, Reading]) -> Look:
    """What the readings of `env.code` mean for it.

    Raises `Trouble` for a Python file that neither Semgrep nor Python can parse: nothing can be said about it.
    """
    unread: dict[str, str] = {}
    smells: list[Smell] = []
    texts, _ = texts_of(env.code)
    for path, reading in readings.items():
        source = texts.get(path, b"").decode()
        if path.endswith(".py") and len(env.code[path]) <= MAX_BYTES and not (path in texts and parses(source)):
            raise Trouble(f"{path} cannot be parsed as Python, so nothing can be said of it: mend it or take it out")
        if reading.unread:
            unread[path] = reading.unread
        smells += (
            smell(env, path, source, hit) for hit in reading.hits if applies(env, path, hit) and not asked_for(env, hit)
        )
    return Look(tuple(smells), unread)


def applies(env: Environment, path: str, hit: Hit) -> bool:
    """Whether the rule is meant for this dialect and for this file."""
    dialect = "grader" if env.spec.dialect is Dialect.GRADER else "native"
    return dialect in hit.options.get("dialects", (dialect,)) and (
        hit.options.get("where") != "entry" or path == env.entry
    )


def asked_for(env: Environment, hit: Hit) -> bool:
    """Whether the literal that a rule stumbled over is a word of the task: then it is an answer and no password."""
    if not hit.options.get("literal") or not (quoted := _QUOTED.search(hit.message)):
        return False
    return quoted[1].strip("\"'").lower() in env.task.lower()


def smell(env: Environment, path: str, source: str, hit: Hit) -> Smell:
    severity = {ERROR: Severity.ERROR, WARNING: Severity.WARNING}.get(hit.severity, Severity.NOTE)
    if severity is Severity.ERROR and not stands(hit.rule, source, hit.line):
        severity = Severity.WARNING
    text = "\n".join(source.split("\n")[hit.line - 1 : min(hit.end_line, hit.line + 11)])
    return Smell(hit.rule, severity, hit.message, path, hit.line, text)


def parses(source: str) -> bool:
    """Whether Python can parse it. Nothing of it is run."""
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def grouped(smells: tuple[Smell, ...]) -> Iterator[tuple[Smell, tuple[int, ...]]]:
    """The first smell of each rule in each file, worst first, and the other lines on which the rule was hit."""
    groups: dict[tuple[str, str, Severity], list[Smell]] = {}
    for item in smells:
        groups.setdefault((item.rule, item.path, item.severity), []).append(item)
    order = list(Severity)
    for _, group in sorted(groups.items(), key=lambda pair: (order.index(pair[0][2]), pair[0][1], pair[1][0].line)):
        others = dict.fromkeys(item.line for item in group if item.line != group[0].line)
        yield group[0], tuple(others)
