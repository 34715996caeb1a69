"""Off by one: comparisons, ranges, slices, indices; and other comparisons."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envbounty.verify.mutants.model import Draft, Edit
from envbounty.verify.mutants.text import Tree, call_of, whole

#: The comparison that treats equals the other way …
EQUALS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
#: … and others that agree with it on part of the inputs.
OTHERS = {
    ast.Lt: ("!=", ">"), ast.LtE: ("==", ">="), ast.Gt: ("!=", "<"), ast.GtE: ("==", "<="),
    ast.Eq: ("<=", ">=", "!="), ast.NotEq: ("<", ">", "=="),
    ast.In: ("not in",), ast.NotIn: ("in",), ast.Is: ("is not",), ast.IsNot: ("is",),
}  # fmt: skip


def drafts(tree: Tree, node: ast.AST) -> Iterator[Draft]:
    if isinstance(node, ast.Compare):
        yield from _comparison(tree, node)
    elif isinstance(node, ast.Subscript):
        yield from _subscript(tree, node)
    elif (call := call_of(node, "range")) is not None and not call.keywords:
        yield from _range(tree, call)


def _comparison(tree: Tree, node: ast.Compare) -> Iterator[Draft]:
    operands = [node.left, *node.comparators]
    for left, operator, right in zip(operands, node.ops, node.comparators, strict=False):
        place = tree.symbol(left, operator, right)
        if place is None:
            continue
        if (new := EQUALS.get(type(operator))) is not None:
            yield Draft("tie-break" if _picks(tree, node) else "off-by-one", Edit(*place, new))
        for new in OTHERS.get(type(operator), ()):
            yield Draft("comparison", Edit(*place, new))


def _picks(tree: Tree, node: ast.Compare) -> bool:
    """Whether a comparison keeps the better of two: `if x > best: best = x`, `a if a < b else b`."""
    parent = tree.parents.get(node)
    if isinstance(parent, ast.IfExp):
        compared = {ast.dump(side) for side in (node.left, *node.comparators)}
        return ast.dump(parent.body) in compared or ast.dump(parent.orelse) in compared
    if not isinstance(parent, ast.If):
        return False
    named = {
        name.id for side in (node.left, *node.comparators) for name in ast.walk(side) if isinstance(name, ast.Name)
    }
    assigned = [item for item in parent.body if isinstance(item, ast.Assign)]
    stored = {name.id for item in assigned for target in item.targets for name in ast.walk(target)
              if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}  # fmt: skip
    return bool(named & stored)


def _range(tree: Tree, call: ast.Call) -> Iterator[Draft]:
    args = call.args
    if any(isinstance(arg, ast.Starred) for arg in args) or not args:
        return
    for arg in args[:2]:
        for by in (-1, 1):
            text, compound = tree.shifted(arg, by)
            yield Draft("off-by-one", tree.replace(arg, text, compound=compound))
    if len(args) == 1:
        yield Draft("off-by-one", tree.replace(args[0], f"1, {tree.of(args[0])}"))


def _subscript(tree: Tree, node: ast.Subscript) -> Iterator[Draft]:
    inner = node.slice
    if isinstance(inner, ast.Slice):
        yield from _slice(tree, inner)
        return
    countable = (ast.Name, ast.BinOp, ast.Call, ast.UnaryOp)
    if whole(inner) is not None or (isinstance(inner, countable) and not _text(inner)):
        for by in (-1, 1):
            text, compound = tree.shifted(inner, by)
            yield Draft("off-by-one", tree.replace(inner, text, compound=compound))


def _text(node: ast.expr) -> bool:
    """Whether an index holds a text, and so looks something up by its name."""
    return any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in ast.walk(node))


def _slice(tree: Tree, node: ast.Slice) -> Iterator[Draft]:
    if node.step is not None and node.lower is None and node.upper is None:
        return  # the whole, in another order: see `order`
    for bound in (node.lower, node.upper):
        if bound is None:
            continue
        for by in (-1, 1):
            text, compound = tree.shifted(bound, by)
            # -1 + 1 is no bound from the end any more: everything up to the end is what is meant.
            text = "" if text == "0" and bound is node.upper and whole(bound) == -1 else text
            yield Draft("off-by-one", tree.replace(bound, text, compound=compound))
    if node.lower is None:
        yield Draft("off-by-one", Edit(tree.start(node), tree.start(node), "1"))
    if node.upper is None and node.step is None:
        yield Draft("off-by-one", Edit(tree.end(node), tree.end(node), "-1"))
