"""`domain` in env.yaml: which instances the task allows, as JSON Schema without what could harm whoever checks it.

The schema comes from a stranger and is applied by us, outside any jail. So there are no references (which could be
fetched, or go in a circle) and, of regular expressions, only one character class repeated (which cannot run away).
What is here means what it means in JSON Schema 2020-12.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

#: Schemas within one schema, at most, and how deep they may lie in one another.
MAX_SCHEMAS, MAX_DEPTH = 300, 16
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
_WORDS = ("$schema", "title", "description", "$comment", "examples", "default")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_PATTERN = re.compile(r"\^(\[(?:[^\[\]\\]|\\[dws\\\[\]^-])+\])([*+]|\{\d{1,5}(?:,\d{0,5})?\})\$")

Path = tuple[str | int, ...]


class BadSchema(ValueError):
    """`domain` is no schema of this kind. `path` leads to the key at fault."""

    def __init__(self, message: str, path: Path) -> None:
        super().__init__(f"{'.'.join(map(str, path)) or 'domain'}: {message}")
        self.path = path


def check_schema(schema: Any) -> None:
    """Raises `BadSchema` unless `schema` is a schema that `fault` can apply."""
    count = 0
    todo: list[tuple[Any, Path]] = [(schema, ())]
    while todo:
        one, path = todo.pop()
        count += 1
        if isinstance(one, bool):
            continue
        if not isinstance(one, dict):
            raise BadSchema("a schema is a mapping", path)
        if count > MAX_SCHEMAS or len(path) > 2 * MAX_DEPTH:
            raise BadSchema(f"holds more than {MAX_SCHEMAS} schemas, or is nested more than {MAX_DEPTH} deep", path)
        for key, value in one.items():
            _check_key(str(key), value, (*path, str(key)))
        todo += [(below, (*path, *more)) for below, more in _below(one)]


def _check_key(key: str, value: Any, path: Path) -> None:
    kinds: dict[str, tuple[bool, str]] = {
        "type": (_types(value), f"is one of {', '.join(TYPES)}, or a list of them"),
        "enum": (isinstance(value, list), "is a list"),
        "const": (True, ""),
        "multipleOf": (_whole(value) and value > 0, "is a whole number above 0"),
        "uniqueItems": (isinstance(value, bool), "is true or false"),
        "items": (isinstance(value, (dict, bool)), "is a schema"),
        "prefixItems": (isinstance(value, list) and bool(value), "is a list of schemas"),
        "properties": (_names_to_schemas(value), "is a mapping from names to schemas"),
        "required": (isinstance(value, list) and all(isinstance(one, str) for one in value), "is a list of names"),
        "additionalProperties": (isinstance(value, (dict, bool)), "is true, false or a schema"),
        "anyOf": (isinstance(value, list) and bool(value), "is a list of schemas"),
        "pattern": (
            isinstance(value, str) and _compiles(value),
            "is one character class, repeated and anchored, such as ^[a-z]*$ or ^[01]{1,20}$",
        ),
        **{one: (_whole(value) and value >= 0, "is a whole number from 0") for one in _COUNTS},
        **{one: (_number(value), "is a number") for one in _BOUNDS},
        **dict.fromkeys(_WORDS, (True, "")),
    }
    if key not in kinds:
        raise BadSchema("is not among the keywords of JSON Schema that a domain may use", path)
    good, words = kinds[key]
    if not good:
        raise BadSchema(words, path)


def _types(value: Any) -> bool:
    several = value if isinstance(value, list) and value else [value]
    return all(isinstance(one, str) and one in TYPES for one in several)


def _names_to_schemas(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) for key in value)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


def _compiles(pattern: str) -> bool:
    if _PATTERN.fullmatch(pattern) is None:
        return False
    try:
        re.compile(pattern)
    except (re.error, OverflowError):
        return False
    return True


def _below(schema: Mapping[str, Any]) -> Iterator[tuple[Any, Path]]:
    """The schemas right inside a schema, with the keys that lead there."""
    for key in ("items", "additionalProperties"):
        if key in schema:
            yield schema[key], (key,)
    for key in ("prefixItems", "anyOf"):
        for index, one in enumerate(schema.get(key, ())):
            yield one, (key, index)
    for name, one in schema.get("properties", {}).items():
        yield one, ("properties", name)


# --- applying it -----------------------------------------------------------------------------------------------------


def fault(schema: Any, value: Any) -> str | None:
    """Why a JSON value is outside a checked schema, as `where: what`; None when it is inside. Never raises on JSON."""
    found = next(_faults(schema, value, ()), None)
    return None if found is None else f"{_place(found[0])}: {found[1]}"


def _place(path: Path) -> str:
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.lstrip(".") or "the instance"


def _faults(schema: Any, value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    if isinstance(schema, bool):
        if not schema:
            yield path, "is not allowed"
        return
    for key, test in _TESTS.items():
        if key in schema and not test(schema[key], value):
            yield path, f"is outside `{key}: {json.dumps(schema[key], ensure_ascii=False)[:200]}`"
            return
    if "anyOf" in schema and all(next(_faults(one, value, path), None) is not None for one in schema["anyOf"]):
        yield path, "fits none of `anyOf`"
        return
    if isinstance(value, list):
        first = schema.get("prefixItems", [])
        for index, item in enumerate(value):
            yield from _faults(first[index] if index < len(first) else schema.get("items", True), item, (*path, index))
    elif isinstance(value, dict):
        known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for key, item in value.items():
            yield from _faults(known.get(key, others), item, (*path, key))


def _is(name: str, value: Any) -> bool:
    if name == "integer":
        return _whole(value) or (isinstance(value, float) and value.is_integer())
    if name == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    kinds: dict[str, type] = {"null": type(None), "boolean": bool, "string": str, "array": list, "object": dict}
    return isinstance(value, kinds[name])


def _same(a: Any, b: Any) -> bool:
    return bool(_key(a) == _key(b))


def _key(value: Any) -> Any:
    """Equal for equal JSON values: 1 and 1.0 are, 1 and true are not."""
    if isinstance(value, bool):
        return ("boolean", value)
    if isinstance(value, list):
        return ("array", tuple(_key(item) for item in value))
    if isinstance(value, dict):
        return ("object", frozenset((key, _key(item)) for key, item in value.items()))
    return value


def _numbers(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda bound, value: not _is("number", value) or test(value, bound)


_Sized = type[str] | type[list[Any]] | type[dict[str, Any]]


def _sizes(kind: _Sized, test: Callable[[int, int], bool]) -> Callable[[Any, Any], bool]:
    return lambda bound, value: not isinstance(value, kind) or test(len(value), bound)


_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "type": lambda names, value: any(_is(name, value) for name in (names if isinstance(names, list) else [names])),
    "enum": lambda choices, value: any(_same(value, one) for one in choices),
    "const": lambda wanted, value: _same(value, wanted),
    "minimum": _numbers(lambda x, y: bool(x >= y)),
    "maximum": _numbers(lambda x, y: bool(x <= y)),
    "exclusiveMinimum": _numbers(lambda x, y: bool(x > y)),
    "exclusiveMaximum": _numbers(lambda x, y: bool(x < y)),
    "multipleOf": _numbers(lambda x, y: bool(x % y == 0)),
    "minLength": _sizes(str, lambda x, y: x >= y),
    "maxLength": _sizes(str, lambda x, y: x <= y),
    "minItems": _sizes(list, lambda x, y: x >= y),
    "maxItems": _sizes(list, lambda x, y: x <= y),
    "minProperties": _sizes(dict, lambda x, y: x >= y),
    "maxProperties": _sizes(dict, lambda x, y: x <= y),
    "uniqueItems": lambda on, value: not on or not isinstance(value, list) or len(set(map(_key, value))) == len(value),
    "pattern": lambda text, value: not isinstance(value, str) or re.search(text, value, re.ASCII) is not None,
    "required": lambda names, value: not isinstance(value, dict) or all(name in value for name in names),
}


def node(schema: Any, steps: Sequence[str]) -> Mapping[str, Any]:
    """The part of a schema that is about a place: keys, `[]` for items, `{}` for other values. Empty for nothing."""
    for step in steps:
        if not isinstance(schema, dict):
            return {}
        if step == "[]":
            schema = schema.get("items", {})
        elif step == "{}":
            schema = schema.get("additionalProperties", {})
        else:
            schema = schema.get("properties", {}).get(step, {})
    return schema if isinstance(schema, dict) else {}
