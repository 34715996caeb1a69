"""What somebody does who hands in an environment of another's as his own: renaming, reformatting, other numbers, …

Every disguise keeps the program's structure; none is known to what looks for copies.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Callable, Mapping
from random import Random

Files = Mapping[str, str]

#: Names that mean something outside of the file.
_FIXED = frozenset(dir(builtins)) | sys.stdlib_module_names | {"candidate", "check", "generate", "reference", "verify"}
_MIN_CODE_LINES = 3


class _Rename(ast.NodeTransformer):
    """Gives every name that the file itself binds a new one, its keyword arguments and attributes included."""

    def __init__(self, tree: ast.AST, rng: Random) -> None:
        own = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                own.add(node.name)
            elif isinstance(node, ast.arg):
                own.add(node.arg)
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                own.add(node.id if isinstance(node, ast.Name) else node.attr)
        self.new = {
            name: f"{rng.choice('bcdfghklmnprstvw')}{rng.choice('aeiou')}_{rng.randrange(10**6)}"
            for name in sorted(own - _FIXED)
            if not name.startswith("__")
        }

    def visit(self, node: ast.AST) -> ast.AST:
        self.generic_visit(node)
        for field in ("id", "arg", "attr", "name"):
            value = getattr(node, field, None)
            if isinstance(value, str) and value in self.new:
                setattr(node, field, self.new[value])
        return node


class _Constants(ast.NodeTransformer):
    """Changes numbers and short texts; truth values stay."""

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            return ast.Constant(node.value + 1)
        if isinstance(node.value, str) and node.value and "\n" not in node.value:
            return ast.Constant(node.value[::-1] + "~")
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        return node  # a format that is changed may be none


class _Inside(ast.NodeTransformer):
    """Does the same to code that stands in a text."""

    def __init__(self, change: Callable[[str], str]) -> None:
        self.change = change

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str) and node.value.count("\n") >= _MIN_CODE_LINES:
            return ast.Constant(self.change(node.value))
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        return node


def _python(change: Callable[[ast.Module, Random], ast.AST], rng: Random) -> Callable[[str], str]:
    def changed(text: str) -> str:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            return text
        tree = _Inside(changed).visit(tree)
        return ast.unparse(ast.fix_missing_locations(change(tree, rng))) + "\n"

    return changed


def renamed(tree: ast.Module, rng: Random) -> ast.AST:
    return _Rename(tree, rng).visit(tree)


def renumbered(tree: ast.Module, rng: Random) -> ast.AST:
    return _Constants().visit(tree)


def reordered(tree: ast.Module, rng: Random) -> ast.AST:
    """Functions and classes in another order; what else there is stays before them, imports first."""
    movable = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    rest = [node for node in tree.body if node not in movable]
    for node in movable:
        if isinstance(node, ast.ClassDef):
            rng.shuffle(node.body)
    rng.shuffle(movable)
    tree.body = [*rest, *movable]
    return tree


def untouched(tree: ast.Module, rng: Random) -> ast.AST:
    return tree


def everything(tree: ast.Module, rng: Random) -> ast.AST:
    return renamed(renumbered(reordered(tree, rng), rng), rng)  # type: ignore[arg-type]


class _Pad(ast.NodeTransformer):
    """Puts statements that do nothing between those of functions, one for every `every` of them."""

    def __init__(self, rng: Random, every: int = 5) -> None:
        self.rng, self.every = rng, every

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        body: list[ast.stmt] = []
        for statement in node.body:
            if self.rng.randrange(self.every) == 0:
                padding = ["spare = []", "spare = len(str(3))", "if not 1:\n    spare = 2", "spare = [None] * 2"]
                body += ast.parse(self.rng.choice(padding)).body
            body.append(statement)
        node.body = body
        return node


def padded(tree: ast.Module, rng: Random) -> ast.AST:
    return renamed(_Pad(rng).visit(tree), rng)


def code(change: Callable[[ast.Module, Random], ast.AST], files: Files, rng: Random) -> dict[str, str]:
    """The files with one change made to all Python in them. Comments and layout are lost in any case."""
    apply = _python(change, rng)
    return {path: apply(text) if path.endswith(".py") else text for path, text in files.items()}


def retold(files: Files, other: Files) -> dict[str, str]:
    """Another's story."""
    return {**files, "task.md": other["task.md"]}


def embedded(files: Files, other: Files) -> dict[str, str]:
    """Inside something larger: the other's task and code, and this one's beside it."""
    return {
        "task.md": other["task.md"] + "\n\n" + files["task.md"],
        **{path: text for path, text in other.items() if path.startswith("solutions/good/")},
        **{path: text + "\n\n" + other.get(path, "") for path, text in files.items() if path.endswith(".py")},
    }


def solution_only(files: Files, other: Files) -> dict[str, str]:
    """Another's task and verifier around this one's solutions."""
    kept = {path: text for path, text in files.items() if path.startswith("solutions/")}
    return {**{path: text for path, text in other.items() if not path.startswith("solutions/")}, **kept}
