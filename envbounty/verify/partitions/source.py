"""A class as source code: a predicate that a submission can carry to know that it is being asked about the class."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from envbounty.verify.partitions import predicates
from envbounty.verify.partitions.classes import Place, read


def predicate_source(*names: str, function: str = "in_class") -> str:
    """Python source that defines `function(arguments) -> bool`: whether arguments are in one of the classes.

    `arguments` maps names to values. The predicate needs nothing but builtins, leaves its argument alone and never
    raises. Raises `ValueError` for a name of no class.
    """
    needed: dict[str, None] = {}
    tests: list[str] = []
    for name in names:
        where, choices = read(name)
        for test in choices:
            _collect(test.holds, needed)
            more = "" if test.length is None else f", {test.length}"
            if isinstance(where, Place):
                _collect(predicates.values_at, needed)
                values = f"values_at(arguments, {where.argument!r}, {where.steps!r})"
                tests.append(f"any(holds({test.holds.__name__}, x{more}) for x in {values})")
            else:
                a, b = where
                both = f"{a!r} in arguments and {b!r} in arguments"
                tests.append(f"{both} and holds({test.holds.__name__}, arguments[{a!r}], arguments[{b!r}]{more})")
    parts = [plain(getattr(predicates, one)) for one in sorted(needed)]
    body = "\n\n".join([*parts, _HOLDS, "return " + "\n    or ".join(["(False", *tests]) + ")"])
    indented = "\n".join("    " + line if line else "" for line in body.splitlines())
    return f"def {function}(arguments):\n{indented}\n"


#: What cannot be tested is in no class, as in `put_to`.
_HOLDS = """\
def holds(test, *values):
    try:
        return bool(test(*values))
    except (TypeError, ValueError, OverflowError, RecursionError):
        return False"""


def _collect(function: Callable[..., Any], needed: dict[str, None]) -> None:
    """Note a function and every other of its module that it uses."""
    if function.__name__ in needed:
        return
    needed[function.__name__] = None
    for name in _names(function.__code__):
        other = getattr(predicates, name, None)
        if isinstance(other, types.FunctionType) and other.__module__ == predicates.__name__:
            _collect(other, needed)


def _names(code: types.CodeType) -> Iterable[str]:
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _names(const)


@cache
def plain(function: Callable[..., Any]) -> str:
    """A function's source without its annotations and docstring."""
    tree = ast.parse(inspect.getsource(function))
    made = tree.body[0]
    assert isinstance(made, ast.FunctionDef)
    made.returns = None
    for argument in made.args.args:
        argument.annotation = None
    if ast.get_docstring(made) is not None:
        del made.body[0]
    return ast.unparse(tree)
