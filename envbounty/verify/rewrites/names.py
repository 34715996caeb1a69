"""Names replaced. A name is replaced everywhere in the source at once, which keeps what is bound to what.

Replacing every occurrence of one identifier by one that occurs nowhere is right whatever the scopes are, as long as
nobody outside can see it: no builtin, no attribute, no keyword of a call, no name of a module that others import or
that the task speaks of. `symtable` tells in which scopes a name is bound.
"""

from __future__ import annotations

import ast
import builtins
import symtable
from typing import NamedTuple

from envbounty.verify.rewrites.source import Asked, fresh, identifiers


def renamed(tree: ast.Module, asked: Asked) -> ast.Module | None:
    """The tree with new names for locals and helpers; None when there is none to replace."""
    wanted = replaceable(tree, asked)
    if not wanted:
        return None
    taken = set(identifiers(tree)) | asked.words | set(dir(builtins))
    new: dict[str, str] = {}
    for name in wanted:
        new[name] = fresh(taken, "v")
        taken.add(new[name])
    return _Replace(new).visit(tree)  # type: ignore[no-any-return]


def replaceable(tree: ast.Module, asked: Asked) -> list[str]:
    """The names that nobody outside can see, in the order in which they occur.

    A parameter or a name of the module is one of them only where the task's text does not say it.
    """
    found = _scopes(tree)
    seen = found.outside | set(dir(builtins)) | {asked.function}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg:
            seen.add(node.arg)
        elif isinstance(node, ast.Attribute):
            seen.add(node.attr)
        elif isinstance(node, ast.alias):
            seen |= {*node.name.split("."), *([node.asname] if node.asname else [])}
        elif isinstance(node, (ast.MatchMapping, ast.MatchStar, ast.MatchAs, ast.MatchClass)):
            seen |= identifiers(node)
    if not asked.positional:
        seen |= found.parameters

    def free(name: str) -> bool:
        told = asked.words if name in found.parameters | found.top else asked.code
        return name in found.bound and name not in seen and name.lower() not in told and not name.startswith("__")

    return [name for name in dict.fromkeys(name for node in ast.walk(tree) for name in _named(node)) if free(name)]


def _named(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.arg):
        return [node.arg]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.ExceptHandler) and node.name:
        return [node.name]
    return []


class _Scopes(NamedTuple):
    bound: set[str]  # that some function or the module binds
    top: set[str]  # that the module binds
    parameters: set[str]
    outside: set[str]  # that a class binds, or nobody here


def _scopes(tree: ast.Module) -> _Scopes:
    bound: set[str] = set()
    top: set[str] = set()
    parameters: set[str] = set()
    in_class: set[str] = set()
    read: set[str] = set()
    todo = [symtable.symtable(ast.unparse(tree), "submission", "exec")]
    while todo:
        table = todo.pop()
        todo += table.get_children()
        for symbol in table.get_symbols():
            name = symbol.get_name()
            if not (symbol.is_assigned() or symbol.is_parameter() or symbol.is_namespace()):
                read |= {name} if symbol.is_global() else set()
            elif table.get_type() == "class":
                in_class.add(name)
            else:
                bound.add(name)
                # A function that declares a name global binds it in the module.
                top |= {name} if table.get_type() == "module" or symbol.is_global() else set()
                parameters |= {name} if symbol.is_parameter() else set()
    return _Scopes(bound, top, parameters, in_class | (read - top))


class _Replace(ast.NodeTransformer):
    def __init__(self, new: dict[str, str]) -> None:
        self._new = new

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._new.get(node.id, node.id)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self._new.get(node.arg, node.arg)
        self.generic_visit(node)
        return node

    def _defined(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> ast.AST:
        node.name = self._new.get(node.name, node.name)
        self.generic_visit(node)
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _defined

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if node.name:
            node.name = self._new.get(node.name, node.name)
        self.generic_visit(node)
        return node

    def _declared(self, node: ast.Global | ast.Nonlocal) -> ast.AST:
        node.names = [self._new.get(name, name) for name in node.names]
        return node

    visit_Global = visit_Nonlocal = _declared
