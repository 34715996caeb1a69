"""The parts of the jail server that can be tried outside of a jail."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from envbounty.sandbox import server
from envbounty.sandbox.server.serve import first_uid
from envbounty.sandbox.server.storage import wipe
from envbounty.sandbox.worker import server_argv

HOST = "         0          0 4294967295\n"
ROOTLESS = "         0       1000          1\n         1     100000      65536\n"


def test_uids_that_are_there_are_taken() -> None:
    assert first_uid(1_500_000_000, 1000, HOST) == 1_500_000_000


def test_a_rootless_engine_has_fewer() -> None:
    first = first_uid(1_500_000_000, 1000, ROOTLESS)
    assert first > 1000 and first + 1000 == 65537


def test_too_few_uids_are_said_to_be() -> None:
    with pytest.raises(RuntimeError, match="only 1 uids here"):
        first_uid(1_500_000_000, 1000, "0 1000 1\n")


def test_it_needs_nothing_but_the_standard_library() -> None:
    tree = ast.parse(server.source())
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert modules <= set(sys.stdlib_module_names)
    # One argument of a command line may not be longer than this.
    assert len(server.source()) < 120_000


def test_it_ends_when_its_caller_does() -> None:
    config = (
        '{"mode": "none", "filters": {}, "preload": [], "strict": false, "uids": null, "uid_count": 0, "environ": {}}'
    )
    done = subprocess.run(
        server_argv(sys.executable, config), stdin=subprocess.DEVNULL, capture_output=True, timeout=60
    )
    assert done.returncode == 0 and b'"ready": true' in done.stdout and done.stderr == b""


def test_wiping(tmp_path: Path) -> None:
    (tmp_path / "a/b/c").mkdir(parents=True)
    (tmp_path / "a/b/file").write_text("x")
    outside = tmp_path.parent / "outside"
    outside.mkdir(exist_ok=True)
    (outside / "keep").write_text("x")
    (tmp_path / "link").symlink_to(outside)
    (tmp_path / "a/link").symlink_to(outside / "keep")
    os.chmod(tmp_path / "a/b", 0)
    wipe(str(tmp_path))
    assert list(tmp_path.iterdir()) == []
    assert (outside / "keep").read_text() == "x"
