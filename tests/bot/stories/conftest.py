from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot import logs


def _load(name: str) -> Any:
    """Tests are imported by path (importlib mode), so a helper beside them is loaded by hand, once."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules.setdefault(name, importlib.util.module_from_spec(spec))
    spec.loader.exec_module(module)
    return module


town_module = _load("town")
_load("witness")

logs.configure("WARNING")


@pytest.fixture
def town(database_url: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    it = town_module.Town(database_url, **getattr(request, "param", {}))
    yield it
    trouble, violations = list(it.hub.trouble), list(it.checker.violations)
    it.close()
    assert trouble == [] and violations == []
