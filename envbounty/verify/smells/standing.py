"""When may a static look alone be an error? When the file leaves no way in which it could be innocent.

Semgrep sees a pattern and not what becomes of it: the function may be replaced further down, the name may be another
thing of that name, the statement may never be reached, the output may have been tested before. Whatever casts a doubt
here makes the error a warning.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

#: With these anything can be replaced by anything, so nothing is certain.
DOUBTFUL = {"globals", "vars", "setattr", "delattr", "__builtins__", "__import__"}
#: What the rules recognise by name must be the thing of that name.
TRUSTED = {
    "eval", "exec", "pickle", "marshal", "dill", "os", "random", "time", "datetime",
    "urllib", "http", "socket", "smtplib", "ftplib", "requests", "httpx",
}  # fmt: skip
#: What may be done with an output before it is run without that making it any safer.
HARMLESS = {"isinstance", "type", "len"}


def stands(rule: str, source: str, line: int) -> bool:
    """Whether what `rule` found on `line` of environment.py is certain. False also when it cannot be parsed."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    function = _the_check(tree)
    if function is None or not _reached(function, line):
        return False
    return rule != "smell-runs-output" or _untested(function, line)


def _the_check(tree: ast.Module) -> ast.FunctionDef | None:
    """The one function `check`, when nothing else can take its place or that of a name it uses."""
    bound: Counter[str] = Counter()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in DOUBTFUL:
            return None
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr in {"__code__", "check"}:
            return None
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            return None
        bound.update(_binds(node))
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "check"]
    if len(found) != 1 or bound["check"] != 1 or any(bound[name] for name in TRUSTED) or found[0].decorator_list:
        return None
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(found[0])):
        return None
    return found[0]


def _binds(node: ast.AST) -> Iterator[str]:
    """The names that a node gives a meaning, imports of whole modules aside."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            root = node.module if isinstance(node, ast.ImportFrom) else alias.name
            name = alias.asname or alias.name.split(".")[0]
            if name != (root or "").split(".")[0]:
                yield name
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names


def _reached(function: ast.FunctionDef, line: int) -> bool:
    """Whether the statement on `line` is run on every call that comes so far: no condition is around it.

    What stands in the test of an `if` is reached like the `if` itself.
    """
    body = function.body
    while True:
        for statement in body:
            if statement.lineno <= line <= (statement.end_lineno or statement.lineno):
                break
            if isinstance(statement, (ast.Return, ast.Raise)):
                return False  # what follows never runs
        else:
            return False
        if isinstance(statement, (ast.Try, ast.With)) and statement.lineno != line:
            body = statement.body
            continue
        if isinstance(statement, (ast.If, ast.While)):
            return statement.lineno <= line <= (statement.test.end_lineno or 0)
        return not isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef, ast.Match, ast.For))


def _untested(function: ast.FunctionDef, line: int) -> bool:
    """Whether the second parameter is used for nothing but its type, and to be run on `line`."""
    if len(function.args.args) < 2:
        return False
    output = function.args.args[1].arg
    harmless = {
        id(name)
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in HARMLESS
        for argument in node.args[:1]
        for name in [argument]
    }
    return not any(
        isinstance(node, ast.Name) and node.id == output and node.lineno != line and id(node) not in harmless
        for node in ast.walk(function)
    )
