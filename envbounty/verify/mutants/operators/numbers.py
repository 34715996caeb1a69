"""Arithmetic: other operators, operands lost or swapped, rounding the other way."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envbounty.verify.mutants.model import Draft, Edit
from envbounty.verify.mutants.text import Tree, call_of

_OTHERS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Add: ("-",), ast.Sub: ("+",), ast.Mult: ("+",), ast.Pow: ("*",), ast.Mod: ("//",),
    ast.LShift: (">>",), ast.RShift: ("<<",), ast.BitAnd: ("|",), ast.BitOr: ("&", "^"), ast.BitXor: ("|", "&"),
}  # fmt: skip
_DIVISIONS = {ast.Div: "//", ast.FloorDiv: "/"}
_ROUNDING = ("int", "round", "floor", "ceil")
#: Operands that may be exchanged without a difference. Addition too, where both are numbers.
_COMMUTE = (ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)


def drafts(tree: Tree, node: ast.AST) -> Iterator[Draft]:
    if isinstance(node, ast.BinOp):
        yield from _binary(tree, node)
    elif isinstance(node, ast.AugAssign):
        yield from _augmented(tree, node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Invert)):
        if not isinstance(node.operand, ast.Constant):  # a constant's sign: see `constants`
            yield Draft("drop-operand", tree.put(node, node.operand))
    elif isinstance(node, ast.Call):
        yield from _rounding(tree, node)


def _binary(tree: Tree, node: ast.BinOp) -> Iterator[Draft]:
    if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str) and isinstance(node.op, ast.Mod):
        return  # a format
    if (place := tree.symbol(node.left, node.op, node.right)) is None:
        return
    if (other := _DIVISIONS.get(type(node.op))) is not None:
        yield Draft("rounding", Edit(*place, other))
        yield Draft("arithmetic", Edit(*place, "*"))
    for other in _OTHERS.get(type(node.op), ()):
        yield Draft("arithmetic", Edit(*place, other))
    yield Draft("drop-operand", tree.put(node, node.left), 1 if isinstance(node.op, ast.Mod) else None)
    if not isinstance(node.op, ast.Mod):
        yield Draft("drop-operand", tree.put(node, node.right))
    ordered = not isinstance(node.op, _COMMUTE)
    if ordered and (not isinstance(node.op, ast.Add) or _joins(node)) and tree.of(node.left) != tree.of(node.right):
        symbol = tree.data[place[0] : place[1]].decode()
        text = f"{tree.wrapped(node.right)} {symbol} {tree.wrapped(node.left)}"
        yield Draft("swap-operands", tree.replace(node, text, compound=True))


def _joins(node: ast.BinOp) -> bool:
    """Whether an addition joins texts or lists, where order counts."""
    return any(
        isinstance(side, (ast.List, ast.ListComp, ast.JoinedStr))
        or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        or (isinstance(side, ast.Subscript) and isinstance(side.slice, ast.Slice))
        or call_of(side, "str", "list", "sorted") is not None
        for side in (node.left, node.right)
    )


def _augmented(tree: Tree, node: ast.AugAssign) -> Iterator[Draft]:
    place = tree.symbol(node.target, node.op, node.value, suffix="=")
    if place is None:
        return
    if (other := _DIVISIONS.get(type(node.op))) is not None:
        yield Draft("rounding", Edit(*place, f"{other}="))
    for other in _OTHERS.get(type(node.op), ()):
        yield Draft("arithmetic", Edit(*place, f"{other}="))
    yield Draft("arithmetic", Edit(*place, "="), 1)


def _rounding(tree: Tree, node: ast.Call) -> Iterator[Draft]:
    func = node.func
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "math":
        name, prefix = func.attr, "math."
    elif isinstance(func, ast.Name):
        name, prefix = func.id, ""
    else:
        return
    if name not in _ROUNDING or not node.args or node.keywords:
        return
    for other in _ROUNDING:
        if other == name or (other in ("floor", "ceil") and name in ("int", "round")):
            continue
        new = prefix + other if other in ("floor", "ceil") else other
        yield Draft("rounding", Edit(tree.start(func), tree.end(func), new))
    if len(node.args) == 1:
        yield Draft("rounding", tree.put(node, node.args[0]), 2)
    elif name == "round":
        first, places = node.args[0], node.args[1]
        for by in (-1, 1):
            text, compound = tree.shifted(places, by)
            yield Draft("rounding", tree.replace(places, text, compound=compound))
        yield Draft("rounding", tree.put(node, first), 1)
