from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot import logs

# Tests are imported by path (importlib mode), so a helper beside them is loaded by hand, once.
_spec = importlib.util.spec_from_file_location("town", Path(__file__).parent / "town.py")
assert _spec is not None and _spec.loader is not None
town_module = sys.modules.setdefault("town", importlib.util.module_from_spec(_spec))
_spec.loader.exec_module(town_module)

logs.configure("WARNING")


@pytest.fixture
def town(database_url: str, request: pytest.FixtureRequest) -> Iterator[Any]:
    it = town_module.Town(database_url, **getattr(request, "param", {}))
    yield it
    trouble, violations = list(it.hub.trouble), list(it.checker.violations)
    it.close()
    assert trouble == [] and violations == []
