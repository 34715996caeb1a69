"""State: not reset in each round, kept from call to call; and memory of what was computed, which costs only time."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envbounty.verify.mutants.model import Draft, Edit
from envbounty.verify.mutants.text import Function, Tree, call_of, is_function

_EMPTY = ("[]", "{}", "set()", "dict()", "list()", "deque()", "Counter()", "defaultdict(int)", "defaultdict(list)")


def drafts(tree: Tree, node: ast.AST) -> Iterator[Draft]:
    if is_function(node):
        yield from _kept(tree, node)
        yield from _memory(tree, node)
    elif isinstance(node, (ast.For, ast.While)):
        yield from _hoisted(tree, node)
    elif isinstance(node, ast.Assign):
        yield from _lists(tree, node)


def _name(item: ast.stmt) -> str | None:
    """The one name that a plain assignment gives a value."""
    if isinstance(item, ast.Assign) and len(item.targets) == 1 and isinstance(item.targets[0], ast.Name):
        return item.targets[0].id
    if isinstance(item, ast.AnnAssign) and item.value is not None and isinstance(item.target, ast.Name):
        return item.target.id
    return None


def _fresh(tree: Tree, item: ast.stmt) -> bool:
    """Whether an assignment starts something: an empty collection or a constant."""
    assert isinstance(item, (ast.Assign, ast.AnnAssign)) and item.value is not None
    return isinstance(item.value, ast.Constant) or tree.of(item.value) in _EMPTY or _filled(item.value)


def _filled(value: ast.expr) -> bool:
    """`[0] * n`, `[False for _ in xs]`: something filled with one constant."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
        return isinstance(value.left, ast.List)
    return isinstance(value, ast.ListComp) and isinstance(value.elt, ast.Constant)


def _hoisted(tree: Tree, node: ast.For | ast.While) -> Iterator[Draft]:
    """What every round starts anew is started once, before the loop."""
    indent = tree.indent(node)
    if indent is None:
        return
    looped = (
        {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
        if isinstance(node, ast.For)
        else set()
    )
    for item in node.body:
        if _name(item) is None or not _fresh(tree, item) or tree.indent(item) is None:
            continue
        if {name.id for name in ast.walk(item) if isinstance(name, ast.Name)} & looped:
            continue
        start = tree.start(node)
        kept = tree.data[start : tree.start(item)].decode()
        yield Draft("state", Edit(start, tree.end(item), f"{tree.of(item)}\n{indent}{kept}pass"))


def _kept(tree: Tree, node: Function) -> Iterator[Draft]:
    """A local collection becomes the default of a new parameter: what one call leaves in it, the next one finds."""
    args = node.args
    if args.vararg or args.kwonlyargs or args.kwarg:
        return
    given = [*args.posonlyargs, *args.args]
    for item in node.body:
        name = _name(item)
        if name is None or not isinstance(item, (ast.Assign, ast.AnnAssign)) or item.value is None:
            continue
        text = tree.of(item.value)
        if text not in _EMPTY or name in {arg.arg for arg in given}:
            continue
        if args.defaults:
            at = tree.end(args.defaults[-1])
        elif given:
            at = tree.end(given[-1])
        else:
            at = tree.data.find(b"(", tree.start(node)) + 1
        kept = tree.data[at : tree.start(item)].decode()
        yield Draft("state", Edit(at, tree.end(item), f"{', ' if given else ''}{name}={text}{kept}pass"))


def _memory(tree: Tree, node: Function) -> Iterator[Draft]:
    """Results are no longer remembered."""
    for decorator in node.decorator_list:
        text = tree.of(decorator)
        if text.split("(")[0].split(".")[-1] in ("lru_cache", "cache"):
            at = tree.data.rfind(b"@", 0, tree.start(decorator))
            end = tree.end(decorator)
            yield Draft("slower", Edit(at, end, "@(lambda function: function)"))


def _lists(tree: Tree, node: ast.Assign) -> Iterator[Draft]:
    """A set that only answers whether something is in it, as a list: the same answers, later."""
    name = _name(node)
    made = call_of(node.value, "set", "frozenset")
    if name is None or made is None or len(made.args) != 1:
        return
    for use in tree.uses(node, name):
        if use is not node.targets[0]:
            parent = tree.parents.get(use)
            if not (isinstance(parent, ast.Compare) and use in parent.comparators):
                return
            if not isinstance(parent.ops[parent.comparators.index(use)], (ast.In, ast.NotIn)):
                return
    yield Draft("slower", Edit(tree.start(made.func), tree.end(made.func), "list"))
