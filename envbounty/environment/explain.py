"""Pydantic's validation errors in words a contributor can act on."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from envbounty.environment.problems import Problem
from envbounty.environment.yamltext import Located
from envbounty.findings import clip

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_PATTERNS = {
    "name": ("lower-case words joined by single hyphens", "fewest-patrols"),
    "variant_of": ("the name of an environment", "fewest-patrols"),
    "tags": ("lower-case words joined by single hyphens", "dynamic-programming"),
    "version": ("three numbers", "1.0.0"),
    "licence": ("an SPDX licence id", "Apache-2.0"),
    "github": ("a GitHub login", "ada-example"),
    "licences": ("an SPDX licence id", "Apache-2.0"),
    "modules": ("a top-level Python module", "numpy"),
    "function": ("a Python name", "fewest_patrols"),
    "file": ("a plain file name that ends in .py", "grader.py"),
}

_TYPES = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "model_type": "a mapping (key: value)",
    "dict_type": "a mapping (key: value)",
}


def explain(error: ValidationError, document: Located, file: str, model: type[BaseModel]) -> list[Problem]:
    """One problem for each thing that `model` did not accept, with its line in `file`."""
    return [_problem(item, document, file, model) for item in error.errors(include_url=False)]


def _problem(item: ErrorDetails, document: Located, file: str, model: type[BaseModel]) -> Problem:
    path = tuple(item["loc"])
    key = ".".join(str(part) for part in path)
    last = next((part for part in reversed(path) if isinstance(part, str)), "")
    message, fix = _words(item, path, last, model)
    return Problem(file, document.line(path), key, message, fix)


def _words(item: ErrorDetails, path: tuple[Any, ...], last: str, model: type[BaseModel]) -> tuple[str, str]:
    kind, context, given = item["type"], item.get("ctx", {}), item.get("input")
    shown = clip(repr(given), 60)
    if kind == "missing":
        return "is missing.", f"Add `{last}:` here."
    if kind == "extra_forbidden":
        near = difflib.get_close_matches(last, _known_keys(model, path[:-1]), n=1)
        return "is not a key that is known here.", f"Write `{near[0]}`." if near else "Take it out."
    if kind == "string_pattern_mismatch":
        what, example = _PATTERNS.get(last, (f"text of the form {context.get('pattern')}", ""))
        return f"is {shown}; expected {what}.", f"Write for example `{example}`." if example else "Write it so."
    if kind in ("enum", "literal_error"):
        expected = str(context.get("expected", ""))
        return f"is {shown}; expected {expected}.", "Choose one of them."
    if kind in _TYPES:
        hint = " Put it in quotes." if kind == "string_type" and not isinstance(given, (dict, list)) else ""
        return f"is {shown}; expected {_TYPES[kind]}.", f"Write {_TYPES[kind]}.{hint}"
    if kind == "value_error":
        return f"does not fit: {context.get('error', item['msg'])}.", "Change one of the keys named."
    expected = item["msg"][:1].lower() + item["msg"][1:]
    return f"is {shown}: {expected}.", "Choose a value within that bound."


def _known_keys(model: type[BaseModel], path: tuple[Any, ...]) -> list[str]:
    """The keys that the model at `path` declares."""
    current: Any = model
    for part in path:
        field = getattr(current, "model_fields", {}).get(part)
        if field is None:
            continue  # a place in a list, or a name in a mapping: `current` is what stands there already
        choices = (field.annotation, *getattr(field.annotation, "__args__", ()))
        current = next((one for one in choices if hasattr(one, "model_fields")), None)
    return [field.alias or name for name, field in getattr(current, "model_fields", {}).items()]
