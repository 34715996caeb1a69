"""The list of attacks names tests that exist; and the attacks that are warded off by what the bot cannot do."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

from bot import checks, commands, state, text
from bot.commands import NAMES, parse

ROOT = Path(__file__).parents[2]
LIST = (Path(__file__).parent / "ATTACKS.md").read_text()
LINES = re.findall(r"^\| (A\d+) \|(.*)$", LIST, re.MULTILINE)


def test_every_attack_is_in_the_list() -> None:
    assert [name for name, _ in LINES] == [f"A{number}" for number in range(1, 22)]


@pytest.mark.parametrize(("name", "line"), LINES)
def test_the_tests_that_the_list_names_exist(name: str, line: str) -> None:
    named = re.findall(r"`(tests/[\w/.]+)::(\w+)`", line)
    assert named
    for file, function in named:
        tree = ast.parse((ROOT / file).read_text())
        defined = {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
        assert function in defined, f"{file}::{function}"


def test_the_bot_makes_no_ref_of_a_contributors_commit() -> None:
    """Pushed as a branch or tag here, a fork's commit would run its workflow files with this repository's trust.

    The only way into the repository is the merge that GitHub makes itself, of the commit that was approved.
    """
    for file in sorted((ROOT / "bot").rglob("*.py")):
        source = file.read_text()
        for words in ("/git/refs", "/git/commits", "/git/trees", "/update-branch", "createRef", "updateRef"):
            assert words not in source, f"{file.name}: {words}"
        assert not re.search(r'["\'](?:/repos/[^"\']*)?/merges["\']', source), file.name


@pytest.mark.parametrize(
    "line", ["/claim", "/pay @mallory", "/payout 0xdeadbeef", "/tip 100", "/bounty 7", "/wallet abc"]
)
def test_no_comment_names_who_is_paid(line: str) -> None:
    """There is no such command, and none of those that there are takes a name, an address or an amount."""
    assert parse(line) == []
    assert not {"claim", "pay", "payout", "tip", "bounty", "wallet"} & set(NAMES)
    fields = set(inspect.signature(commands.Command).parameters)
    assert fields == {"name", "sha", "rule", "reason", "line"}


def test_a_decision_knows_only_what_it_is_given() -> None:
    """No clock, network or disk in what decides and what speaks: nothing can be slipped in on the way."""
    forbidden = {"socket", "httpx", "requests", "github", "sqlalchemy", "dbos", "time", "random", "os", "subprocess"}
    pure = [*(ROOT / "bot/decide").glob("*.py"), *(ROOT / "bot/text").glob("*.py")]
    pure += [ROOT / "bot" / f"{name}.py" for name in ("checks", "codeowners", "commands", "diff", "escape", "ingest",
                                                       "manifest", "oidc", "review", "state")]  # fmt: skip
    pure += [ROOT / "bot/doctor" / f"{name}.py" for name in ("examine", "facts", "workflows")]
    for file in pure:
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not {name.split(".")[0] for name in names} & forbidden, file.name
            if isinstance(node, ast.Attribute):
                assert node.attr not in ("now", "utcnow", "today") or not isinstance(node.value, ast.Name) or (
                    node.value.id != "datetime"
                ), file.name
    assert checks and state and text
