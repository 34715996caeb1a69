"""Which of equals comes first, and what order there is at all."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envbounty.verify.mutants.model import Draft, Edit
from envbounty.verify.mutants.text import Tree, call_of, whole


def drafts(tree: Tree, node: ast.AST) -> Iterator[Draft]:
    if (call := call_of(node, "sorted")) is not None and call.args:
        yield from _sorting(tree, call)
        if len(call.args) == 1 and not call.keywords:
            yield Draft("method", Edit(tree.start(call.func), tree.end(call.func), "list"))
        else:
            yield Draft("method", tree.replace(call, f"list({_inside(tree, call.args[0])})"))
    elif (call := call_of(node, "min", "max")) is not None and call.args:
        yield from _extreme(tree, call)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "sort":
        yield from _keywords(tree, node)
        if not any(word.arg == "reverse" for word in node.keywords):
            yield Draft("tie-break", _more(tree, node, "reverse=True"), 1)
    elif (call := call_of(node, "reversed")) is not None and len(call.args) == 1:
        yield Draft("method", tree.put(call, call.args[0]))
    elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        cut = node.slice
        if cut.lower is None and cut.upper is None and whole(cut.step) == -1:
            yield Draft("method", tree.put(node, node.value))


def _sorting(tree: Tree, call: ast.Call) -> Iterator[Draft]:
    yield from _keywords(tree, call)
    first = call.args[0]
    if call.keywords:  # without a key, equals look the same
        yield Draft("tie-break", tree.replace(first, f"list({_inside(tree, first)})[::-1]"))
    if not any(word.arg == "reverse" for word in call.keywords):
        yield Draft("tie-break", _more(tree, call, "reverse=True"), 1)


def _extreme(tree: Tree, call: ast.Call) -> Iterator[Draft]:
    assert isinstance(call.func, ast.Name)
    other = "max" if call.func.id == "min" else "min"
    yield Draft("tie-break", Edit(tree.start(call.func), tree.end(call.func), other), 2)
    yield from _keywords(tree, call)
    if any(word.arg == "key" for word in call.keywords) and len(call.args) == 1:
        first = call.args[0]
        yield Draft("tie-break", tree.replace(first, f"list({_inside(tree, first)})[::-1]"))


def _keywords(tree: Tree, call: ast.Call) -> Iterator[Draft]:
    """Other keys and directions of a call that orders."""
    for word in call.keywords:
        if word.arg == "reverse" and isinstance(word.value, ast.Constant):
            yield Draft("tie-break", tree.replace(word.value, str(not word.value.value)), 1)
        if word.arg != "key":
            continue
        yield Draft("tie-break", tree.replace(word.value, "lambda item: item"), 1)
        if not isinstance(word.value, ast.Lambda):
            continue
        body = word.value.body
        if isinstance(body, ast.Tuple) and len(body.elts) > 1:
            kept = ", ".join(tree.of(part) for part in body.elts[:-1])
            yield Draft("tie-break", tree.replace(body, f"({kept},)"))
            swapped = [tree.of(part) for part in (body.elts[1], body.elts[0], *body.elts[2:])]
            yield Draft("tie-break", tree.replace(body, f"({', '.join(swapped)})"), 1)
        for part in body.elts if isinstance(body, ast.Tuple) else [body]:
            if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.USub):
                yield Draft("tie-break", tree.put(part, part.operand), 1)
            else:
                yield Draft("tie-break", tree.replace(part, f"-{tree.wrapped(part)}"), 1)


def _inside(tree: Tree, node: ast.expr) -> str:
    """A node as the only argument of a call: a generator leaves its parentheses behind."""
    text = tree.of(node)
    return text[1:-1] if isinstance(node, ast.GeneratorExp) else text


def _more(tree: Tree, call: ast.Call, argument: str) -> Edit:
    """The edit that gives a call one more argument, behind the others."""
    end = tree.end(call) - 1
    given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    last = max((tree.end(item) for item in given), default=end)
    trailing = b"," in tree.code(last, end)
    if given and last == tree.end(call):  # a generator, whose parentheses are the call's
        first = call.args[0]
        return Edit(tree.start(first), tree.end(first), f"({tree.of(first)}, {argument})")
    return Edit(end, end, f"{'' if trailing or not given else ', '}{argument}")
