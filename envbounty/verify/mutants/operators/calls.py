"""Other calls: a method's neighbour, a step left out, arguments swapped."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envbounty.verify.mutants.model import Draft, Edit
from envbounty.verify.mutants.text import Tree, call_of

#: method → others that take the same arguments.
_METHODS: dict[str, tuple[str, ...]] = {
    "strip": ("lstrip", "rstrip"), "lstrip": ("strip", "rstrip"), "rstrip": ("strip", "lstrip"),
    "lower": ("upper",), "upper": ("lower",), "title": ("capitalize",), "capitalize": ("title",),
    "startswith": ("endswith",), "endswith": ("startswith",),
    "find": ("rfind",), "rfind": ("find",), "index": ("rindex",), "rindex": ("index",),
    "append": ("extend",), "extend": ("append",), "appendleft": ("append",), "popleft": ("pop",),
    "add": ("discard",), "remove": ("append",),
    "islower": ("isupper",), "isupper": ("islower",), "isalpha": ("isalnum",), "isalnum": ("isalpha",),
    "isdigit": ("isalnum",), "isnumeric": ("isdigit",), "isdecimal": ("isdigit",),
    "union": ("intersection",), "intersection": ("union",), "difference": ("symmetric_difference",),
    "symmetric_difference": ("difference",), "issubset": ("issuperset",), "issuperset": ("issubset",),
    "keys": ("values",), "values": ("keys",), "partition": ("rpartition",), "rpartition": ("partition",),
    "ljust": ("rjust",), "rjust": ("ljust",), "bisect_left": ("bisect_right",), "bisect_right": ("bisect_left",),
    "insort": ("append",),
}  # fmt: skip
#: Methods whose absence leaves a value of the same type.
_STEPS = (
    "strip",
    "lstrip",
    "rstrip",
    "lower",
    "upper",
    "title",
    "capitalize",
    "copy",
    "replace",
    "swapcase",
    "casefold",
)
#: function → others that take the same arguments.
_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "any": ("all",), "all": ("any",), "bisect_left": ("bisect_right",), "bisect_right": ("bisect_left",),
    "bisect": ("bisect_left",), "divmod": (), "sum": ("max",), "str": ("repr",), "permutations": ("combinations",),
    "combinations": ("permutations", "combinations_with_replacement"),
}  # fmt: skip


def drafts(tree: Tree, node: ast.AST) -> Iterator[Draft]:
    if not isinstance(node, ast.Call):
        return
    if isinstance(node.func, ast.Attribute):
        yield from _method(tree, node, node.func)
    if (call := call_of(node, *_FUNCTIONS)) is not None and isinstance(call.func, ast.Name):
        for other in _FUNCTIONS[call.func.id]:
            yield Draft("method", tree.replace(call.func, other))
    yield from _wrapping(tree, node)
    yield from _swapped(tree, node)


def _method(tree: Tree, node: ast.Call, func: ast.Attribute) -> Iterator[Draft]:
    name, end = func.attr, tree.end(func)
    start = end - len(name.encode())
    if tree.data[start:end] != name.encode():
        return  # an identifier that Python reads in another form than it is written
    for other in _METHODS.get(name, ()):
        yield Draft("method", Edit(start, end, other))
    plain = not node.keywords and not any(isinstance(arg, ast.Starred) for arg in node.args)
    if name == "append" and len(node.args) == 1 and plain:
        yield Draft("method", Edit(start, tree.start(node.args[0]), "insert(0, "))
    if name == "pop" and plain:
        text = f"{tree.wrapped(func.value)}.pop({'' if node.args else '0'})"
        yield Draft("method", tree.replace(node, text))
    if name == "split" and plain and len(node.args) < 2:
        text = f"{tree.wrapped(func.value)}.split({'' if node.args else repr(' ')})"
        yield Draft("method", tree.replace(node, text))
    if name == "replace" and len(node.args) == 2 and plain:
        at = tree.end(node.args[1])
        yield Draft("method", Edit(at, at, ", 1"))
    if name == "get" and len(node.args) == 2 and plain:
        yield Draft("method", Edit(tree.end(node.args[0]), tree.end(node.args[1]), ""))
    if name in _STEPS:
        yield Draft("method", tree.put(node, func.value))


def _wrapping(tree: Tree, node: ast.Call) -> Iterator[Draft]:
    """A function around a value left out, or one more put around it."""
    if (
        len(node.args) != 1
        or node.keywords
        or not isinstance(node.func, ast.Name)
        or isinstance(node.args[0], ast.Starred)
    ):
        return
    name, inner = node.func.id, node.args[0]
    func = Edit(tree.start(node.func), tree.end(node.func), "list")
    if name in ("set", "frozenset"):
        yield Draft("method", func)  # duplicates stay
    elif name == "abs":
        yield Draft("method", tree.put(node, inner))
    elif name in ("len", "sum", "sorted", "list"):
        text = tree.of(inner)
        text = f"set{text}" if isinstance(inner, ast.GeneratorExp) else f"set({text})"
        if call_of(inner, "set", "range", "str") is None:
            yield Draft("method", tree.replace(inner, text))  # duplicates count once


def _swapped(tree: Tree, node: ast.Call) -> Iterator[Draft]:
    if call_of(node, "print", "min", "max", "zip", "isinstance", "range", "round", "gcd", "lcm") is not None:
        return  # order means nothing, or nothing else would work
    for left, right in zip(node.args, node.args[1:], strict=False):
        if isinstance(left, ast.Starred) or isinstance(right, ast.Starred) or ast.dump(left) == ast.dump(right):
            continue
        start, end = tree.start(left), tree.end(right)
        between = tree.data[tree.end(left) : tree.start(right)].decode()
        if between.strip() == ",":
            yield Draft("swap-arguments", Edit(start, end, f"{tree.of(right)}{between}{tree.of(left)}"))
