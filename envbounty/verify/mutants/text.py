"""A Python source with its syntax tree: where nodes stand in the text, and what stands around them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from envbounty.verify.mutants.model import Edit

_NEWLINE = re.compile(rb"\r\n|\n|\r")
_COMMENT = re.compile(rb"#[^\r\n]*")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Loop = ast.For | ast.AsyncFor | ast.While

#: Expressions that need no parentheses wherever they stand. A tuple or generator brings its own, see `Tree.own`.
_ATOMS = (
    ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript, ast.List, ast.Dict, ast.Set,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.JoinedStr, ast.GeneratorExp,
)  # fmt: skip
#: What may pull a compound expression apart that stands in it without parentheses.
_TIGHT = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Attribute, ast.Starred, ast.Await, ast.IfExp,
    ast.comprehension,
)  # fmt: skip

SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@",
    ast.And: "and", ast.Or: "or",
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip


class Tree:
    """A parsed source.

    Raises what `ast.parse` does: `SyntaxError`, `ValueError`, `RecursionError`, `MemoryError`.
    """

    def __init__(self, source: str, target: str | None = None) -> None:
        self.target = target  # the function that submissions define
        self.data = source.encode()
        self.root = ast.parse(source)
        self._starts = [0, *(match.end() for match in _NEWLINE.finditer(self.data))]
        self._names: dict[ast.AST, dict[str, list[ast.Name]]] = {}
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(self.root):
            for child in ast.iter_child_nodes(node):
                # Contexts and operators are shared objects and stand nowhere.
                if not isinstance(child, (ast.expr_context, ast.operator, ast.boolop, ast.cmpop, ast.unaryop)):
                    self.parents[child] = node

    # --- where --------------------------------------------------------------------------------------------------------

    def start(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> int:
        """The offset in bytes of a node's first character."""
        return self._starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> int:
        """The offset in bytes behind a node's last character."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._starts[node.end_lineno - 1] + node.end_col_offset

    def of(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword) -> str:
        """A node's own text, without parentheses around it."""
        return self.data[self.start(node) : self.end(node)].decode()

    def code(self, start: int, end: int) -> bytes:
        """The bytes from `start` to `end` with comments blanked out. Only for text that holds no string."""
        return _COMMENT.sub(lambda match: b" " * len(match[0]), self.data[start:end])

    def symbol(self, left: ast.expr, operator: ast.AST, right: ast.expr, suffix: str = "") -> tuple[int, int] | None:
        """Where an operator stands between its operands: offsets of its start and end."""
        words = (SYMBOLS[type(operator)] + suffix).split()
        pattern = rb"\s+".join(re.escape(word.encode()) for word in words)
        base = self.end(left)
        match = re.search(pattern, self.code(base, self.start(right)))
        return (base + match.start(), base + match.end()) if match else None

    def indent(self, statement: ast.stmt) -> str | None:
        """The white space before a statement, None when it does not begin its line."""
        begin = self._starts[statement.lineno - 1]
        before = self.data[begin : self.start(statement)].decode()
        return before if not before.strip() else None

    # --- writing ------------------------------------------------------------------------------------------------------

    def own(self, node: ast.expr) -> bool:
        """Whether a node's text holds together wherever it is put."""
        if isinstance(node, ast.Tuple):
            return self.of(node).startswith("(") and self.of(node).endswith(")") and not self._apart(node)
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return True
        return isinstance(node, _ATOMS)

    def _apart(self, node: ast.Tuple) -> bool:
        """Whether a tuple that begins and ends with parentheses is still bare: `(a), (b)`."""
        return bool(node.elts) and self.start(node.elts[0]) == self.start(node)

    def wrapped(self, node: ast.expr) -> str:
        """A node's text, in parentheses where it would come apart elsewhere."""
        return self.of(node) if self.own(node) else f"({self.of(node)})"

    def replace(self, node: ast.expr, text: str, *, compound: bool = False) -> Edit:
        """The edit that puts `text` in a node's place. `compound`: it may need parentheses there."""
        if isinstance(node, ast.GeneratorExp) or (compound and self._tight(node)):
            text = f"({text})"
        start, end = self.start(node), self.end(node)
        if text[:1].isalnum() and start and self.data[start - 1 : start].isalnum():
            text = " " + text  # `in(a, b)` and the like: what stood here needed no space, the new text does
        return Edit(start, end, text)

    def _tight(self, node: ast.expr) -> bool:
        parent = self.parents.get(node)
        if isinstance(parent, ast.Subscript):
            return node is parent.value
        if isinstance(parent, ast.Call):
            return node is parent.func
        return isinstance(parent, _TIGHT)

    def put(self, node: ast.expr, by: ast.expr) -> Edit:
        """The edit that puts another node's text in a node's place."""
        return self.replace(node, self.of(by), compound=not self.own(by))

    def shifted(self, node: ast.expr, by: int) -> tuple[str, bool]:
        """The text of `node + by` in its simplest form, and whether that is compound."""
        if (value := whole(node)) is not None:
            return str(value + by), False
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            right = whole(node.right)
            if right is not None:
                total = (right if isinstance(node.op, ast.Add) else -right) + by
                left = self.of(node.left) if isinstance(node.left, ast.BinOp) and plus(node.left) else ""
                left = left or self.wrapped(node.left)
                if total == 0:
                    return left, not self.own(node.left)
                return f"{left} {'+' if total > 0 else '-'} {abs(total)}", True
        text = self.of(node) if isinstance(node, ast.BinOp) and plus(node) else self.wrapped(node)
        return f"{text} {'+' if by > 0 else '-'} {abs(by)}", True

    # --- around -------------------------------------------------------------------------------------------------------

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around a node, the nearest first."""
        at = self.parents.get(node)
        while at is not None:
            yield at
            at = self.parents.get(at)

    def function(self, node: ast.AST) -> Function | None:
        """The function that a node stands in."""
        return next((at for at in self.above(node) if is_function(at)), None)

    def uses(self, node: ast.AST, name: str) -> list[ast.Name]:
        """Where a name stands in the function around a node, or in the whole module."""
        around = self.function(node) or self.root
        if around not in self._names:
            found = self._names[around] = {}
            for one in ast.walk(around):
                if isinstance(one, ast.Name):
                    found.setdefault(one.id, []).append(one)
        return self._names[around].get(name, [])


def is_function(node: ast.AST) -> TypeGuard[Function]:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))


def plus(node: ast.BinOp) -> bool:
    """Whether adding to this needs no parentheses around it."""
    return isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow))


def whole(node: ast.AST | None) -> int | None:
    """The whole number that a node spells, a minus before it included. Numbers too long to print are none."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = whole(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) < 10**40:
        return node.value
    return None


def call_of(node: ast.AST, *names: str) -> ast.Call | None:
    """The node as a call of a plain name out of `names`, else None."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
        return node
    return None
