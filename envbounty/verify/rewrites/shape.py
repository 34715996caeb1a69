"""The program built otherwise: statements swapped, loops of another form, a function behind another one.

Each takes a tree that it may change and gives a tree that does the same, or None where it does not apply. The first two
are plain; those in `SHAPES` may need something of the interpreter, which is said beside them.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable

from envbounty.verify.rewrites.source import Asked, fresh, identifiers, submitted

Change = Callable[[ast.Module, Asked], ast.Module | None]
#: What stands in a docstring that is added: no word of Python, no claim.
DOCSTRING = "- - -"
_SIMPLE = (ast.Constant, ast.Name, ast.Tuple, ast.List, ast.UnaryOp, ast.USub, ast.Load, ast.Store)


def reordered(tree: ast.Module, asked: Asked) -> ast.Module | None:
    """Two neighbours swapped wherever neither calls anything nor names what the other names."""
    changed = False
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if not isinstance(block, list):
                continue
            at = 0
            while at + 1 < len(block):
                if _independent(block[at], block[at + 1]):
                    block[at], block[at + 1] = block[at + 1], block[at]
                    changed = True
                    at += 1
                at += 1
    return tree if changed else None


def _independent(first: ast.stmt, second: ast.stmt) -> bool:
    pair = (first, second)
    if all(isinstance(one, ast.FunctionDef) for one in pair):
        plain = all(_only_binds(one) for one in pair if isinstance(one, ast.FunctionDef))
        return plain and first.name != second.name  # type: ignore[attr-defined]
    if not all(_plain_assignment(one) for one in pair):
        return False
    return not ({*_names(first)} & {*_names(second)})


def _only_binds(function: ast.FunctionDef) -> bool:
    """Whether defining it evaluates nothing: no decorator, no default, no annotation."""
    every = function.args
    arguments = [*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg]
    free = not any(one is not None and one.annotation is not None for one in arguments)
    defaults = [one for one in (*every.defaults, *every.kw_defaults) if one is not None]
    return free and function.returns is None and not function.decorator_list and not defaults


def _plain_assignment(statement: ast.stmt) -> bool:
    """`name = …` with nothing in it that can run code or fail."""
    if not isinstance(statement, ast.Assign) or not all(isinstance(one, ast.Name) for one in statement.targets):
        return False
    inside = list(ast.walk(statement.value))
    signed = [node.operand for node in inside if isinstance(node, ast.UnaryOp)]
    return all(isinstance(node, _SIMPLE) for node in inside) and all(isinstance(one, ast.Constant) for one in signed)


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def documented(tree: ast.Module, asked: Asked) -> ast.Module | None:
    """A docstring for every function that has none."""
    changed = False
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node) is None:
            node.body.insert(0, ast.Expr(ast.Constant(DOCSTRING)))
            changed = True
    return tree if changed else None


def while_for_range(tree: ast.Module, asked: Asked) -> ast.Module | None:
    """`for i in range(n)` as a `while` over an index of its own."""
    taken = set(identifiers(tree)) | asked.words
    if "range" in _stored(tree):
        return None
    changed = False

    def replaced(loop: ast.For) -> list[ast.stmt] | None:
        call = loop.iter
        if not (
            isinstance(loop.target, ast.Name) and isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
            and call.func.id == "range" and len(call.args) in (1, 2) and not call.keywords
            and not any(isinstance(one, ast.Starred) for one in call.args)
        ):  # fmt: skip
            return None
        index, end = fresh(taken, "v"), ""
        taken.add(index)
        end = fresh(taken, "v")
        taken.add(end)
        low = call.args[0] if len(call.args) == 2 else ast.Constant(0)
        head = [_assign(index, low), _assign(end, call.args[-1])]
        step = [
            ast.Assign([loop.target], _load(index), lineno=1),
            ast.AugAssign(ast.Name(index, ast.Store()), ast.Add(), ast.Constant(1)),
        ]
        test = ast.Compare(_load(index), [ast.Lt()], [_load(end)])
        return [*head, ast.While(test, [*step, *loop.body], loop.orelse)]

    for node in list(ast.walk(tree)):
        if isinstance(node, ast.ClassDef):
            continue
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and not isinstance(node, ast.Module):
                out: list[ast.stmt] = []
                for one in block:
                    new = replaced(one) if isinstance(one, ast.For) else None
                    changed = changed or new is not None
                    out += new or [one]
                setattr(node, field, out)
    return tree if changed else None


def loop_for_comprehension(tree: ast.Module, asked: Asked) -> ast.Module | None:
    """`return [… for x in …]` as a loop that appends."""
    taken = set(identifiers(tree)) | asked.words
    changed = False
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        last = function.body[-1]
        if not isinstance(last, ast.Return) or not isinstance(last.value, ast.ListComp):
            continue
        value = last.value
        nested = (
            ast.Lambda,
            ast.ListComp,
            ast.SetComp,
            ast.DictComp,
            ast.GeneratorExp,
            ast.NamedExpr,
            ast.Await,
            ast.Yield,
        )
        parts = [value.elt, *(test for one in value.generators for test in one.ifs)]
        if (
            len(value.generators) != 1
            or value.generators[0].is_async
            or not isinstance(value.generators[0].target, ast.Name)
        ):
            continue
        if any(isinstance(node, nested) for part in parts for node in ast.walk(part)):
            continue
        item, out = fresh(taken, "v"), ""
        taken.add(item)
        out = fresh(taken, "v")
        taken.add(out)
        old = value.generators[0].target.id
        for part in parts:
            for node in ast.walk(part):
                if isinstance(node, ast.Name) and node.id == old:
                    node.id = item
        append = ast.Expr(ast.Call(ast.Attribute(_load(out), "append", ast.Load()), [value.elt], []))
        body: list[ast.stmt] = [append]
        for test in reversed(value.generators[0].ifs):
            body = [ast.If(test, body, [])]
        loop = ast.For(ast.Name(item, ast.Store()), value.generators[0].iter, body, [], lineno=1)
        function.body[-1:] = [_assign(out, ast.List([], ast.Load())), loop, ast.Return(_load(out))]
        changed = True
    return tree if changed else None


def helper(tree: ast.Module, asked: Asked) -> ast.Module | None:
    """The submitted function's work in a helper that it calls."""
    function = submitted(tree, asked.function)
    if function is None or function.decorator_list:
        return None
    inner = copy.deepcopy(function)
    inner.name = fresh(identifiers(tree) | asked.words, "v")
    inner.args.defaults, inner.args.kw_defaults = [], [None] * len(inner.args.kwonlyargs)
    function.body = [ast.Return(_passed_on(inner.name, function.args))]
    tree.body.insert(tree.body.index(function), inner)
    return tree


def bound_lambda(tree: ast.Module, asked: Asked) -> ast.Module | None:
    """`def f(…): return …` as `f = lambda …: …`."""
    function = submitted(tree, asked.function)
    if function is None or function.decorator_list:
        return None
    body = [one for one in function.body if not _is_text(one)]
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return None
    arguments = _bare(function.args)
    tree.body[tree.body.index(function)] = _assign(asked.function, ast.Lambda(arguments, body[0].value))
    return tree


def in_class(tree: ast.Module, asked: Asked) -> ast.Module | None:
    """A static method of a class, bound to the function's name at the top."""
    function = submitted(tree, asked.function)
    if function is None or function.decorator_list or any(name.startswith("__") for name in identifiers(function)):
        return None
    name = fresh(identifiers(tree) | asked.words, "V")
    at = tree.body.index(function)
    function.decorator_list = [_load("staticmethod")]
    inside = ast.ClassDef(name, [], [], [function], [])
    tree.body[at : at + 1] = [inside, _assign(asked.function, ast.Attribute(_load(name), asked.function, ast.Load()))]
    return tree


def decorated(tree: ast.Module, asked: Asked) -> ast.Module | None:
    """Behind a decorator that hands everything on."""
    function = submitted(tree, asked.function)
    if function is None or function.decorator_list:
        return None
    taken = identifiers(tree) | asked.words
    name = fresh(taken, "v")
    text = (
        f"import functools as {name}_functools\n"
        f"def {name}({name}_called):\n"
        f"    @{name}_functools.wraps({name}_called)\n"
        f"    def {name}_inner(*{name}_args, **{name}_named):\n"
        f"        return {name}_called(*{name}_args, **{name}_named)\n"
        f"    return {name}_inner\n"
    )
    at = tree.body.index(function)
    function.decorator_list = [_load(name)]
    tree.body[at:at] = ast.parse(text).body
    return tree


def more_arguments(tree: ast.Module, asked: Asked) -> ast.Module | None:
    """One argument more that nobody has to give."""
    function = submitted(tree, asked.function)
    if function is None:
        return None
    function.args.kwonlyargs.append(ast.arg(fresh(identifiers(tree) | asked.words, "v"), None))
    function.args.kw_defaults.append(ast.Constant(None))
    return tree


def hinted(tree: ast.Module, asked: Asked) -> ast.Module | None:
    """Type hints that say nothing, as text that is not evaluated, or none where there were some."""
    function = submitted(tree, asked.function)
    if function is None:
        return None
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    had = any(one.annotation is not None for one in every) or function.returns is not None
    for one in every:
        one.annotation = None if had else ast.Constant("object")
    function.returns = None if had else ast.Constant("object")
    return tree


def imports_inside(tree: ast.Module, asked: Asked) -> ast.Module | None:
    """Imports that only the submitted function uses, at the top of its body."""
    function = submitted(tree, asked.function)
    if function is None:
        return None
    mine = _loaded(function.body) - _stored(function)
    others = _loaded([node for node in tree.body if node is not function])
    others |= _loaded([function.args, *function.decorator_list, *([function.returns] if function.returns else [])])
    moved = [
        node
        for node in tree.body
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and not (isinstance(node, ast.ImportFrom) and (node.module == "__future__" or node.level))
        and all(one.name != "*" and (one.asname or one.name.split(".")[0]) in mine - others for one in node.names)
    ]
    if not moved:
        return None
    tree.body = [node for node in tree.body if node not in moved]
    at = 1 if ast.get_docstring(function) is not None else 0
    function.body[at:at] = moved
    return tree


def main_block(tree: ast.Module, asked: Asked) -> ast.Module | None:
    """A block at the end that runs only as a script."""
    tree.body += ast.parse("if __name__ == '__main__':\n    pass\n").body
    return tree


def loud(tree: ast.Module, asked: Asked) -> ast.Module | None:
    """A line on standard error while it loads, and a global that nobody reads."""
    name = fresh(identifiers(tree) | asked.words, "v")
    tree.body += ast.parse(f"import sys as {name}\n{name}.stderr.write('- - -\\n')\n{name}_1 = 1.0\n").body
    return tree


SHAPES: tuple[tuple[str, str, Change], ...] = (
    ("a loop over a range is a `while`", "v_ = 0\nwhile v_ < 1:\n    v_ += 1", while_for_range),
    ("a comprehension is a loop", "v_ = []\nv_.append(1)", loop_for_comprehension),
    ("its work is done by a helper", "def v_():\n    return 1", helper),
    ("it is a lambda", "v_ = lambda: 1", bound_lambda),
    ("it is a static method of a class", "class V_:\n    v_ = staticmethod(len)", in_class),
    ("it is decorated with functools.wraps", "import functools as v_\ndef v_w():\n    return v_", decorated),
    ("it has one optional argument more", "def v_(*, v=None):\n    return v", more_arguments),
    ("type hints are added or removed", 'def v_(v: "object"):\n    return v', hinted),
    ("imports are moved inside", "def v_():\n    import sys\nv_()", imports_inside),
    ("there is a block for running it as a script", "v_ = __name__", main_block),
    ("it writes to standard error", "import sys as v_\nv_.stderr.write('- - -\\n')", loud),
)

#: These take the place of the function's `def`, so that no other one can follow.
ALONE = frozenset({bound_lambda, in_class})


def _assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=1)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _stored(tree: ast.AST) -> set[str]:
    """Names that are bound somewhere below, parameters and functions included."""
    found = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    found |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    return found | {node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def _loaded(nodes: list[ast.AST] | list[ast.stmt]) -> set[str]:
    return {
        one.id
        for node in nodes
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
    }


def _bare(arguments: ast.arguments) -> ast.arguments:
    """The same arguments without hints, as a lambda has them."""
    bare = copy.deepcopy(arguments)
    for one in (*bare.posonlyargs, *bare.args, *bare.kwonlyargs, bare.vararg, bare.kwarg):
        if one is not None:
            one.annotation = None
    return bare


def _passed_on(name: str, arguments: ast.arguments) -> ast.Call:
    """A call that hands every argument on."""
    positional: list[ast.expr] = [_load(one.arg) for one in (*arguments.posonlyargs, *arguments.args)]
    if arguments.vararg is not None:
        positional.append(ast.Starred(_load(arguments.vararg.arg), ast.Load()))
    named = [ast.keyword(one.arg, _load(one.arg)) for one in arguments.kwonlyargs]
    if arguments.kwarg is not None:
        named.append(ast.keyword(None, _load(arguments.kwarg.arg)))
    return ast.Call(_load(name), positional, named)
