"""Conditions and the branches below them: forced, negated, thinned out; guards removed; statements deleted."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from envbounty.verify.mutants.model import Draft, Edit
from envbounty.verify.mutants.text import Tree, is_function

_JUMPS = (ast.Return, ast.Continue, ast.Break, ast.Raise)
_DELETED = (
    ast.Assign, ast.AugAssign, ast.Expr, ast.Delete, ast.Return, ast.Continue, ast.Break, ast.Raise,
    ast.For, ast.While, ast.AnnAssign,
)  # fmt: skip


def drafts(tree: Tree, node: ast.AST) -> Iterator[Draft]:
    if isinstance(node, ast.If):
        guard = not node.orelse and len(node.body) == 1 and isinstance(node.body[0], _JUMPS)
        if guard and not _elif(tree, node):
            yield Draft("edge-case", Edit(tree.start(node), tree.end(node), "pass"), 0 if _early(tree, node) else 1)
        else:
            yield from _forced(tree, node.test, "False")
        yield from _forced(tree, node.test, "True")
        yield from _negated(tree, node.test)
    elif isinstance(node, ast.While):
        yield from _forced(tree, node.test, "False")
    elif isinstance(node, ast.IfExp):
        yield Draft("branch", tree.put(node, node.body), 1)
        yield Draft("branch", tree.put(node, node.orelse), 1)
    elif isinstance(node, ast.comprehension):
        yield from _filters(tree, node)
    elif isinstance(node, ast.BoolOp):
        yield from _boolean(tree, node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield Draft("boolean", tree.put(node, node.operand))
    if isinstance(node, _DELETED) and _deletable(tree, node):
        yield Draft("delete-statement", Edit(tree.start(node), tree.end(node), "pass"))


def _elif(tree: Tree, node: ast.If) -> bool:
    """Whether an `if` is the `elif` of another, which has no place of its own to be removed from."""
    return tree.data[tree.start(node) : tree.start(node) + 4] == b"elif"


def _early(tree: Tree, node: ast.If) -> bool:
    """Whether a guard comes before the work: only assignments and other conditions stand before it."""
    parent = tree.parents.get(node)
    if not is_function(parent) if parent is not None else True:
        return False
    assert isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef))
    before = parent.body[: parent.body.index(node)]
    return all(isinstance(item, (ast.If, ast.Assign, ast.AnnAssign, ast.Expr, ast.Import)) for item in before)


def _forced(tree: Tree, test: ast.expr, value: str) -> Iterator[Draft]:
    if not isinstance(test, ast.Constant):
        yield Draft("branch", tree.replace(test, value))


def _negated(tree: Tree, test: ast.expr) -> Iterator[Draft]:
    # A comparison is negated by its operator, a `not` by its absence.
    if not isinstance(test, (ast.Compare, ast.Constant)) and not (
        isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    ):
        yield Draft("branch", tree.replace(test, f"not {tree.wrapped(test)}"))


def _filters(tree: Tree, node: ast.comprehension) -> Iterator[Draft]:
    for test in node.ifs:
        yield Draft("drop-condition", tree.replace(test, "True"))


def _boolean(tree: Tree, node: ast.BoolOp) -> Iterator[Draft]:
    other = "or" if isinstance(node.op, ast.And) else "and"
    for left, right in zip(node.values, node.values[1:], strict=False):
        if (place := tree.symbol(left, node.op, right)) is not None:
            yield Draft("boolean", Edit(*place, other))
    neutral = "True" if isinstance(node.op, ast.And) else "False"
    for value in node.values:
        if not isinstance(value, ast.Constant):
            yield Draft("drop-condition", tree.replace(value, neutral))


def _deletable(tree: Tree, node: ast.stmt) -> bool:
    """Whether a statement's absence is more than a crash for want of a name."""
    if isinstance(node, ast.AnnAssign) and node.value is None:
        return False
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if all(isinstance(target, ast.Name) for target in targets):
            names = {target.id for target in targets if isinstance(target, ast.Name)}
            return any(_again(tree, node, name) for name in names)
    return True


def _again(tree: Tree, node: ast.stmt, name: str) -> bool:
    """Whether a name is given a value in more places than one."""
    stores = (use for use in tree.uses(node, name) if isinstance(use.ctx, ast.Store))
    return len(list(islice(stores, 2))) > 1
