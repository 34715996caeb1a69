"""Other constants: one more or less, another start, a shorter text, a list that lacks one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envbounty.verify.mutants.model import Draft, Edit
from envbounty.verify.mutants.text import Tree, call_of, whole

#: A literal collection with more elements than this is data, not code.
MANY = 24
_STARTS: dict[str, tuple[str, ...]] = {"0": ("1", "-1"), "1": ("0", "2"), "-1": ("0",), "[]": ("[0]",), "None": ("0",)}
_FILLED = {"0": "1", "1": "0", "True": "False", "False": "True"}


def drafts(tree: Tree, node: ast.AST) -> Iterator[Draft]:
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        yield from _initial(tree, node.value)
    if isinstance(node, ast.Constant):
        yield from _constant(tree, node)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        yield Draft("constant", tree.put(node, node.operand))
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        yield from _elements(tree, node, node.elts)
    elif isinstance(node, ast.Dict):
        yield from _entries(tree, node)


def _initial(tree: Tree, value: ast.expr) -> Iterator[Draft]:
    text = tree.of(value)
    for other in _STARTS.get(text, ()):
        yield Draft("initial-value", tree.replace(value, other))
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub) and _infinite(value.operand):
        yield Draft("initial-value", tree.replace(value, "0"))
        yield Draft("initial-value", tree.replace(value, "-1"))
    elif _infinite(value):
        yield Draft("initial-value", tree.replace(value, "0"))
        yield Draft("initial-value", tree.replace(value, "-1" if "-" in text else "1000"))
    elif isinstance(value, ast.Subscript) and whole(value.slice) in (0, -1):
        yield Draft("initial-value", tree.replace(value, "0"))
    elif isinstance(value, ast.List) and len(value.elts) == 1:
        yield Draft("initial-value", tree.replace(value, "[]"))
    elif (first := _repeated(value)) is not None and (new := _FILLED.get(tree.of(first))) is not None:
        yield Draft("initial-value", tree.replace(first, new))


def _repeated(value: ast.expr) -> ast.expr | None:
    """The x of `[x] * n`."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult) and isinstance(value.left, ast.List):
        return value.left.elts[0] if len(value.left.elts) == 1 else None
    return None


def _infinite(node: ast.expr) -> bool:
    """Whether an expression is an infinity: `float("-inf")`, `math.inf`, `inf`, `sys.maxsize`."""
    call = call_of(node, "float")
    if call is not None and call.args:
        given = call.args[0]
        return isinstance(given, ast.Constant) and isinstance(given.value, str) and "inf" in given.value.lower()
    return (isinstance(node, ast.Attribute) and node.attr in ("inf", "maxsize")) or (
        isinstance(node, ast.Name) and node.id == "inf"
    )


def _constant(tree: Tree, node: ast.Constant) -> Iterator[Draft]:
    value = node.value
    if isinstance(value, bool):
        yield Draft("constant", tree.replace(node, str(not value)), 1 if _flag(tree, node) else None)
    elif isinstance(value, str):
        yield from _text(tree, node, value)
    elif isinstance(value, (int, float)) and (isinstance(value, float) or whole(node) is not None):
        new = [value + 1, value - 1, 0, -value]
        if isinstance(value, float):
            new = [value + 1, value * 0.9, 0.0, -value]
        for number in dict.fromkeys(repr(one) for one in new if one == one and abs(one) != float("inf")):
            if number != repr(value):
                yield Draft("constant", tree.replace(node, number, compound=number[0] == "-" and _bound(tree, node)))


def _bound(tree: Tree, node: ast.Constant) -> bool:
    """Whether a sign in a constant's place would bind to more than the constant."""
    parent = tree.parents.get(node)
    return isinstance(parent, ast.Attribute) or (isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Pow))


def _flag(tree: Tree, node: ast.Constant) -> bool:
    """Whether a truth value is a variable's start, so that it counts only where nothing changes it."""
    return isinstance(tree.parents.get(node), ast.Assign)


def _text(tree: Tree, node: ast.Constant, value: str) -> Iterator[Draft]:
    if _infinite_text(tree, node):
        return
    word_list = isinstance(tree.parents.get(node), ast.Compare)
    tier = 1 if word_list else None
    new = [value[:-1], value[1:], value.swapcase(), ""]
    if word_list and 2 < len(value) <= MANY:
        new += [value[:at] + value[at + 1 :] for at in range(1, len(value) - 1)]
    if not value:
        new = [" "]
    for text in dict.fromkeys(new):
        if text != value:
            lacks = word_list and len(text) == len(value) - 1
            yield Draft("drop-element" if lacks else "constant", tree.replace(node, _quoted(text)), tier)


def _quoted(text: str) -> str:
    """A text as a literal with double quotes where that needs no escape."""
    plain = all(char.isprintable() and char not in '"\\' for char in text)
    return f'"{text}"' if plain else ascii(text)


def _infinite_text(tree: Tree, node: ast.Constant) -> bool:
    parent = tree.parents.get(node)
    return isinstance(parent, ast.Call) and call_of(parent, "float") is not None


def _elements(tree: Tree, node: ast.expr, elements: list[ast.expr]) -> Iterator[Draft]:
    """A literal collection of constants without one of them."""
    if not 2 <= len(elements) <= MANY or not all(isinstance(one, ast.Constant) for one in elements):
        return
    for at in range(len(elements)):
        yield Draft("drop-element", _without(tree, node, elements, at), 1 if len(elements) > 2 else 2)


def _without(tree: Tree, node: ast.expr, elements: list[ast.expr], at: int) -> Edit:
    """The edit that removes one element with the comma on one side of it."""
    if at + 1 < len(elements):
        return Edit(tree.start(elements[at]), tree.start(elements[at + 1]), "")
    if len(elements) == 2 and isinstance(node, ast.Tuple):
        return Edit(tree.end(elements[0]), tree.end(elements[1]), ",")
    return Edit(tree.end(elements[at - 1]), tree.end(elements[at]), "")


def _entries(tree: Tree, node: ast.Dict) -> Iterator[Draft]:
    keys = [key for key in node.keys if isinstance(key, ast.Constant)]
    if not 2 <= len(keys) <= MANY or len(keys) != len(node.keys):
        return
    for at, key in enumerate(keys):
        if at + 1 < len(keys):
            edit = Edit(tree.start(key), tree.start(keys[at + 1]), "")
        else:
            edit = Edit(tree.end(node.values[at - 1]), tree.end(node.values[at]), "")
        yield Draft("drop-element", edit)
