"""What may be rewritten at all, and what a task asks of names."""

from __future__ import annotations

import ast
import keyword
import re
from dataclasses import dataclass

#: Larger sources are left alone: parsing is ours to pay for.
LARGEST = 60_000
#: Who uses these can see how it is written.
SELF_AWARE = frozenset({
    "eval", "exec", "compile", "locals", "globals", "vars", "dir", "inspect", "ast", "dis", "traceback", "pickle",
    "__doc__", "__name__", "__code__", "__dict__", "__file__", "__annotations__", "__defaults__", "__qualname__",
    "__import__", "_getframe", "f_locals", "f_globals", "f_back", "getsource", "setattr", "getattr", "__class__",
    "__wrapped__", "get_type_hints", "dataclass", "NamedTuple", "TypedDict", "Enum", "doctest",
})  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """What the task fixes of names: the submitted function, the words of its text (lower case), those of them that are
    marked as code, and whether the function is known to be called by position alone."""

    function: str
    words: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()
    positional: bool = False

    @classmethod
    def of(cls, task: str, function: str, *, positional: bool) -> Asked:
        spans = re.findall(r"```.*?```|`[^`]*`|\"[^\"\n]{1,40}\"|'[^'\n]{1,40}'", task, re.DOTALL)
        return cls(function, _words(task), _words(" ".join(spans)), positional)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", text))


def readable(source: str) -> ast.Module | None:
    """The source as a tree; None when it is no Python, too large, or looks at itself."""
    if len(source) > LARGEST or "\f" in source or "\0" in source:
        return None
    try:
        tree = ast.parse(source)
        ast.unparse(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return None if identifiers(tree) & SELF_AWARE else tree


def identifiers(tree: ast.AST) -> frozenset[str]:
    """Every word of the tree that is a name of something, in whatever role."""
    found: set[str] = set()
    for node in ast.walk(tree):
        for field in ("id", "attr", "name", "arg", "asname", "rest", "module"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                found.update(value.split("."))
        for field in ("names", "kwd_attrs"):
            found.update(value for value in getattr(node, field, ()) if isinstance(value, str))
    return frozenset(found)


def fresh(taken: frozenset[str] | set[str], stem: str) -> str:
    """A name that is not taken."""
    number = 1
    while f"{stem}{number}" in taken or keyword.iskeyword(f"{stem}{number}"):
        number += 1
    return f"{stem}{number}"


def submitted(tree: ast.Module, function: str) -> ast.FunctionDef | None:
    """The submitted function, when it is one plain `def` at the top and its name is bound nowhere else."""
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == function]
    stores = [
        node
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and node.id == function and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == function)
        or (isinstance(node, (ast.Global, ast.Nonlocal)) and function in node.names)
        or (isinstance(node, ast.alias) and (node.asname or node.name) == function)
    ]
    return found[0] if len(found) == 1 and len(stores) == 1 else None
