"""Values of arguments as JSON can carry them.

JSON has no tuples, no sets and only text for keys. They are written as `{"__tuple__": […]}`, `{"__set__": […]}` and
`{"__dict__": [[key, value], …]}`; the harnesses that record calls and make them (`harness/common.py`) write and read
the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

#: (positional, named) arguments of one call.
Call = tuple[list[Any], dict[str, Any]]

TUPLE, SET, DICT, OTHER = "__tuple__", "__set__", "__dict__", "__repr__"


def kind(value: Any) -> str:
    """What a value is: none, bool, int, float, str, list, tuple, set, dict (keys are text), map (any keys), other."""
    if value is None:
        return "none"
    if isinstance(value, dict):
        if len(value) == 1:
            (key,) = value
            named = {TUPLE: "tuple", SET: "set", DICT: "map", OTHER: "other"}
            if key in named:
                return named[key]
        return "dict"
    return type(value).__name__


def parts(value: Any) -> list[Any]:
    """The elements of a list, tuple or set; of a map its [key, value] pairs."""
    if isinstance(value, list):
        return value
    if isinstance(value, dict) and len(value) == 1:
        (inner,) = value.values()
        if isinstance(inner, list):
            return inner
    return []


def rebuilt(value: Any, elements: Iterable[Any]) -> Any:
    """A value of the same kind as `value`, a list, tuple, set or map, with other elements."""
    elements = list(elements)
    if isinstance(value, list):
        return elements
    (key,) = value
    return {key: elements}


def shown(value: Any) -> str:
    """A value as Python would write it."""
    what = kind(value)
    if what == "list":
        return f"[{', '.join(map(shown, value))}]"
    if what == "tuple":
        inner = parts(value)
        return f"({shown(inner[0])},)" if len(inner) == 1 else f"({', '.join(map(shown, inner))})"
    if what == "set":
        return f"{{{', '.join(map(shown, parts(value)))}}}" if parts(value) else "set()"
    if what == "map":
        return "{" + ", ".join(f"{shown(pair[0])}: {shown(pair[1])}" for pair in parts(value)) + "}"
    if what == "dict":
        return "{" + ", ".join(f"{key!r}: {shown(item)}" for key, item in value.items()) + "}"
    if what == "other":
        return str(value[OTHER])
    if what == "float" and not math.isfinite(value):
        return f"float('{value}')"
    return repr(value)


def shown_call(function: str, call: Call) -> str:
    """`f(1, key=2)`."""
    positional, named = call
    return f"{function}({', '.join([*map(shown, positional), *(f'{k}={shown(v)}' for k, v in named.items())])})"
