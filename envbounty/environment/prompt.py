"""What the model is told: `{{ key }}` in task.md, filled from an instance."""

from __future__ import annotations

import json
import re
from typing import Any

_FIELD = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")


def fields(task: str) -> list[tuple[str, int]]:
    """The keys that a task shows, each with its line, in order."""
    return [(match[1], task.count("\n", 0, match.start()) + 1) for match in _FIELD.finditer(task)]


def as_text(value: Any) -> str:
    """How a value stands in a prompt: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def render(task: str, instance: dict[str, Any]) -> str:
    """The task for one instance. Raises `KeyError` for a field that the instance lacks.

    Values are put in once and never looked at again, so a value that holds `{{ … }}` stays as it is.
    """
    return _FIELD.sub(lambda match: as_text(instance[match[1]]), task)
