"""A JSON Schema validator for the words that docs/report.schema.json uses: the report job installs nothing.

A word that is not known here is an error, so a schema can never say more than is checked.
"""

from __future__ import annotations

import re
from typing import Any

SILENT = frozenset({"$defs", "$schema", "default", "description", "title"})  # they ask for nothing
OF_PARTS = frozenset({"$ref", "additionalProperties", "anyOf", "items", "prefixItems", "properties", "required"})
OF_VALUES = frozenset({"const", "enum", "maximum", "maxItems", "maxLength", "minimum", "minItems", "minLength"})
KNOWN = SILENT | OF_PARTS | OF_VALUES | {"pattern", "type"}


def check_schema(schema: Any) -> None:
    """Raise `ValueError` where the schema uses a word that `violation` does not know."""
    if not isinstance(schema, dict):
        if not isinstance(schema, bool):
            raise ValueError("a schema is an object or a boolean")
        return
    if unknown := sorted(set(schema) - KNOWN):
        raise ValueError(f"the schema uses words that are not checked here: {', '.join(unknown)}")
    for word in ("properties", "$defs"):
        for part in schema.get(word, {}).values():
            check_schema(part)
    for word in ("anyOf", "prefixItems"):
        for part in schema.get(word, ()):
            check_schema(part)
    for word in ("items", "additionalProperties"):
        if word in schema:
            check_schema(schema[word])


def violation(value: Any, schema: Any, root: dict[str, Any] | None = None, where: str = "") -> str | None:
    """The first place where `value` breaks `schema`, such as "results/0/verdict"; "" is the whole. None: it keeps it.

    The place is written in the schema's own names and in numbers, never in names that came with the value.
    """
    if isinstance(schema, bool):
        return None if schema else where
    root = schema if root is None else root
    if "$ref" in schema and (found := violation(value, _target(schema["$ref"], root), root, where)) is not None:
        return found
    if "anyOf" in schema and all(violation(value, one, root, where) is not None for one in schema["anyOf"]):
        return where
    if not _fits(value, schema):
        return where
    if isinstance(value, dict):
        return _object(value, schema, root, where)
    if isinstance(value, list):
        return _array(value, schema, root, where)
    return None


def _target(reference: str, root: dict[str, Any]) -> Any:
    name = reference.removeprefix("#/$defs/")
    if name == reference:
        raise ValueError("only references into $defs are followed")
    return root["$defs"][name]


def _fits(value: Any, schema: dict[str, Any]) -> bool:
    """The words that concern the value itself, and not its parts."""
    kinds = schema.get("type")
    if kinds is not None and not any(_is(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    if "enum" in schema and not any(_same(value, one) for one in schema["enum"]):
        return False
    if "const" in schema and not _same(value, schema["const"]):
        return False
    if isinstance(value, str):
        pattern, length = schema.get("pattern"), len(value)
        return (pattern is None or re.search(pattern, value) is not None) and _within(length, schema, "Length")
    if _is(value, "number"):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return not isinstance(value, list) or _within(len(value), schema, "Items")


def _object(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], where: str) -> str | None:
    known = schema.get("properties", {})
    if any(name not in value for name in schema.get("required", ())):
        return where
    for name, part in value.items():
        if name in known:
            found = violation(part, known[name], root, f"{where}/{name}".lstrip("/"))
        else:
            found = violation(part, schema.get("additionalProperties", True), root, where)
        if found is not None:
            return found
    return None


def _array(value: list[Any], schema: dict[str, Any], root: dict[str, Any], where: str) -> str | None:
    first = schema.get("prefixItems", [])
    for number, part in enumerate(value):
        rule = first[number] if number < len(first) else schema.get("items", True)
        if (found := violation(part, rule, root, f"{where}/{number}".lstrip("/"))) is not None:
            return found
    return None


def _is(value: Any, kind: str) -> bool:
    if kind in ("integer", "number"):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        return number and (kind == "number" or float(value).is_integer())
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    return isinstance(value, kinds[kind])


def _same(value: Any, other: Any) -> bool:
    """JSON's equality: true is not 1."""
    return isinstance(value, bool) == isinstance(other, bool) and bool(value == other)


def _within(length: int, schema: dict[str, Any], what: str) -> bool:
    least, most = schema.get(f"min{what}", 0), schema.get(f"max{what}", length)
    return bool(least <= length <= most)
