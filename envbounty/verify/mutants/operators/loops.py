"""Leaving too soon or too late: loops that end after one round, jumps exchanged, results cut short."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envbounty.verify.mutants.model import Draft, Edit
from envbounty.verify.mutants.text import Loop, Tree, is_function

#: So many assignments to a name tell what sort of thing it holds.
MANY = 20
_JUMPS = (ast.Return, ast.Continue, ast.Break, ast.Raise)


def drafts(tree: Tree, node: ast.AST) -> Iterator[Draft]:
    if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        yield from _rounds(tree, node)
    elif isinstance(node, ast.Break):
        yield Draft("early-return", Edit(tree.start(node), tree.end(node), "continue"))
    elif isinstance(node, ast.Continue):
        yield Draft("early-return", Edit(tree.start(node), tree.end(node), "break"))
    elif isinstance(node, ast.Return) and node.value is not None and _sequence(tree, node, node.value):
        base = tree.wrapped(node.value)
        for cut in (":-1", "1:"):
            yield Draft("last-step", tree.replace(node.value, f"{base}[{cut}]"))


def _rounds(tree: Tree, node: Loop) -> Iterator[Draft]:
    last = node.body[-1]
    indent = tree.indent(last)
    if isinstance(last, _JUMPS) or (indent is None and not _simple(last)):
        return
    between = "; " if indent is None else f"\n{indent}"
    yield Draft("early-return", Edit(tree.end(last), tree.end(last), f"{between}break"))
    final = _final(tree, node)
    if final is not None:
        yield Draft("early-return", Edit(tree.end(last), tree.end(last), f"{between}{tree.of(final)}"))


def _simple(item: ast.stmt) -> bool:
    return not hasattr(item, "body")


def _final(tree: Tree, node: Loop) -> ast.Return | None:
    """What the function returns at its end, when more than that comes after the loop."""
    parent = tree.parents.get(node)
    if not is_function(parent) if parent is not None else True:
        return None
    assert isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef))
    last = parent.body[-1]
    if isinstance(last, ast.Return) and parent.body.index(last) - parent.body.index(node) > 1:
        return last
    return None


def _sequence(tree: Tree, node: ast.Return, value: ast.expr) -> bool:
    """Whether what is returned is a list or a text for all that the source shows."""
    if isinstance(value, (ast.List, ast.ListComp)):
        return True
    if isinstance(value, ast.Subscript):
        return isinstance(value.slice, ast.Slice)
    if isinstance(value, ast.Call):
        if isinstance(value.func, ast.Name):
            return value.func.id in ("sorted", "list", "str", "tuple")
        return isinstance(value.func, ast.Attribute) and value.func.attr in (
            "join",
            "replace",
            "split",
            "upper",
            "lower",
        )
    if isinstance(value, ast.Name):
        stores = [use for use in tree.uses(node, value.id) if isinstance(use.ctx, ast.Store)]
        made = [item.value for use in stores[:MANY] if isinstance(item := tree.parents.get(use), ast.Assign)]
        return any(_text(one) or (not isinstance(one, ast.Name) and _sequence(tree, node, one)) for one in made)
    return False


def _text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)
