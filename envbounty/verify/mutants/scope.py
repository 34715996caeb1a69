"""Which parts of a source a mutant may change: the code that answers, nothing about it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envbounty.verify.mutants.text import is_function

#: Statements that hold no behaviour worth changing. An assertion is the author's test.
_LEFT_ALONE = (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Assert, ast.Pass)


def entry(root: ast.Module, function: str | None) -> ast.stmt | None:
    """The statement that defines `function` last: that is the one which counts."""
    return next((item for item in reversed(root.body) if function in _defines(item)), None)


def reachable(root: ast.Module, function: str | None) -> list[ast.stmt]:
    """The module's own statements that a mutant may change, in their order.

    With `function`, those it needs: itself, and every function, class and constant that these name. Else all of them.
    """
    usable = [item for item in root.body if not _aside(item) and not _kept(item)]
    if entry(root, function) is None:
        return usable
    reached, todo = {function}, [item for item in usable if function in _defines(item)]
    kept: set[ast.stmt] = set(todo)
    while todo:
        used = {node.id for node in ast.walk(todo.pop()) if isinstance(node, ast.Name)}
        reached |= used
        new = [item for item in usable if item not in kept and _defines(item) & used]
        kept |= set(new)
        todo += new
    return [item for item in root.body if item in kept]


def _defines(item: ast.stmt) -> set[str | None]:
    """The names that a statement of a module gives a meaning."""
    if is_function(item) or isinstance(item, ast.ClassDef):
        return {item.name}
    if _main(item):
        return set()
    return {node.id for node in ast.walk(item) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _aside(item: ast.stmt) -> bool:
    """Whether a statement of a module is no part of the solution: an import, a test, type definitions."""
    if is_function(item) or isinstance(item, ast.ClassDef):
        return item.name.lower().startswith("test")
    if isinstance(item, ast.If) and isinstance(item.test, ast.Name) and item.test.id == "TYPE_CHECKING":
        return True
    if isinstance(item, (ast.Assign, ast.AnnAssign)) and isinstance(item.value, ast.Call):
        made = item.value.func
        return isinstance(made, ast.Name) and made.id in ("TypeVar", "NewType", "ParamSpec", "NamedTuple")
    return isinstance(item, _LEFT_ALONE)


def _main(item: ast.stmt) -> bool:
    """Whether a statement is `if __name__ == …:`."""
    return isinstance(item, ast.If) and any(
        isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(item.test)
    )


def nodes(item: ast.stmt) -> Iterator[ast.AST]:
    """The nodes below a statement, itself included, that operators may look at, in the order of the text.

    Left out: annotations, docstrings, decorators, patterns, assertions, and formatted strings, whose parts have no
    trustworthy position before Python 3.12.
    """
    todo: list[ast.AST] = [item]
    while todo:
        node = todo.pop()
        if not (isinstance(node, ast.stmt) and _main(node)):
            yield node
        todo += reversed(list(_below(node)))


def _below(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases", "pattern", "type_params"):
            continue
        if (name == "keywords" and isinstance(node, ast.ClassDef)) or (
            name == "test" and isinstance(node, ast.If) and _main(node)
        ):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _kept(child):
                yield child


def _kept(child: ast.AST) -> bool:
    """Whether a node is left as it is, with all that is below it."""
    if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
        return True  # a docstring, or an ellipsis
    return isinstance(
        child, (*_LEFT_ALONE, ast.JoinedStr, ast.expr_context, ast.operator, ast.boolop, ast.cmpop, ast.unaryop)
    )
