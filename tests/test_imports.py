"""Imports go one way: the bot may use the funnel; the funnel and localhub use neither of the others."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
OURS = ("envbounty", "bot", "localhub")
MAY = {"envbounty": {"envbounty"}, "bot": {"bot", "envbounty"}, "localhub": {"localhub"}}


def imported(path: Path) -> Iterator[str]:
    """Top-level packages that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), str(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("package", OURS)
def test_imports_go_one_way(package: str):
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in files
        for name in imported(path)
        if name in OURS and name not in MAY[package]
    ]
    assert wrong == []


def test_a_forbidden_import_would_be_seen(tmp_path: Path):
    (tmp_path / "x.py").write_text("def f():\n    from bot.state import State\n    import envbounty.cli\n")
    assert list(imported(tmp_path / "x.py")) == ["bot", "envbounty"]


@pytest.mark.parametrize("package", OURS)
def test_every_package_says_what_it_is_for(package: str):
    text = ast.get_docstring(ast.parse((ROOT / package / "__init__.py").read_text(encoding="utf-8")))
    assert text and len(text.splitlines()) >= 3


def test_the_bot_starts_without_the_checks() -> None:
    """It wants the list of rules alone; what examines environments would take a third of its start."""
    code = "import sys, bot.serve, envbounty.verify as v; print([m for m in sys.modules if 'verify.checks' in m])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "[]\n"
