"""Right only for some inputs: short, small, positive, sorted, distinct, lower case, … A verifier that never tries
others accepts such a submission."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envbounty.verify.mutants.model import Draft, Edit
from envbounty.verify.mutants.text import Function, Tree, call_of, is_function, whole

#: Loops are cut after so many elements, inputs too.
FEW = (10, 3)
#: Numbers above this are "large".
LARGE = 100
_NUMBER, _LIST, _TEXT = "number", "list", "text"

#: What a parameter `{p}` is turned into, for values of that type only.
_CHANGES: tuple[tuple[str, str], ...] = (
    (_NUMBER, "abs({p}) if type({p}) in (int, float) else {p}"),
    (_NUMBER, f"min({{p}}, {LARGE}) if type({{p}}) in (int, float) else {{p}}"),
    (_NUMBER, "int({p}) if type({p}) is float and abs({p}) < 1e300 else {p}"),
    (_LIST, "{p}[:10] if isinstance({p}, list) else {p}"),
    (_LIST, "{p}[:3] if isinstance({p}, list) else {p}"),
    (_LIST, "sorted({p}) if isinstance({p}, list) else {p}"),
    (_LIST, "[v for i, v in enumerate({p}) if v not in {p}[:i]] if isinstance({p}, list) else {p}"),
    (_LIST, "[abs(v) if type(v) in (int, float) else v for v in {p}] if isinstance({p}, list) else {p}"),
    (_LIST, f"[v for v in {{p}} if type(v) not in (int, float) or v <= {LARGE}] if isinstance({{p}}, list) else {{p}}"),
    (_LIST, "[v for v in {p} if v] if isinstance({p}, list) else {p}"),
    (_TEXT, "{p}[:10] if isinstance({p}, str) else {p}"),
    (_TEXT, "{p}.lower() if isinstance({p}, str) else {p}"),
    (_TEXT, '" ".join({p}.split()) if isinstance({p}, str) else {p}'),
    (_TEXT, '{p}.encode("ascii", "ignore").decode() if isinstance({p}, str) else {p}'),
)
#: Words in an annotation, and the sort of value they promise.
_SORTS = {
    "int": _NUMBER, "float": _NUMBER, "complex": _NUMBER, "str": _TEXT,
    "list": _LIST, "List": _LIST, "Sequence": _LIST, "Iterable": _LIST, "Collection": _LIST,
}  # fmt: skip


def drafts(tree: Tree, node: ast.AST) -> Iterator[Draft]:
    if is_function(node):
        if isinstance(tree.parents.get(node), ast.Module):
            yield from _parameters(tree, node)
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield from _iteration(tree, node.iter)


def _parameters(tree: Tree, node: Function) -> Iterator[Draft]:
    """A first statement that flattens a parameter into the class that is treated right."""
    body = node.body
    docstring = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    if docstring and len(body) == 1:
        return
    first = body[docstring]
    indent, at = tree.indent(first), tree.start(first)
    if is_function(first) or isinstance(first, ast.ClassDef):
        return  # decorators stand before what the position says
    between = "; " if indent is None else f"\n{indent}"
    for arg in [*node.args.posonlyargs, *node.args.args]:
        sorts = _sorts(arg.annotation)
        for sort, change in _CHANGES:
            if sorts is None or sort in sorts:
                text = f"{arg.arg} = {change.format(p=arg.arg)}{between}"
                yield Draft("input-class", Edit(at, at, text), 0 if node.name == tree.target else 2)


def _sorts(annotation: ast.expr | None) -> set[str] | None:
    """The sorts of value that an annotation promises outermost; None where it does not say."""
    while isinstance(annotation, ast.Subscript):
        if isinstance(annotation.value, ast.Name) and annotation.value.id in ("Optional", "Union"):
            return None
        annotation = annotation.value
    if isinstance(annotation, ast.Attribute):
        return {_SORTS[annotation.attr]} if annotation.attr in _SORTS else None
    if isinstance(annotation, ast.Name):
        return {_SORTS[annotation.id]} if annotation.id in _SORTS else None
    return None


def _iteration(tree: Tree, over: ast.expr) -> Iterator[Draft]:
    """A loop over the first few only, or over all but the first or the last."""
    call = call_of(over, "range")
    if call is not None:
        if call.keywords or not call.args or len(call.args) > 2:
            return  # the first and the last are left out by the bounds
        stop = call.args[-1]
        if whole(stop) is None:
            for few in FEW:
                yield Draft("small-inputs", tree.replace(stop, f"min({tree.of(stop)}, {few})"))
        return
    if isinstance(over, (ast.Name, ast.Attribute, ast.Subscript)):
        base = tree.of(over)
    else:
        text = tree.of(over)
        base = f"list{text}" if isinstance(over, ast.GeneratorExp) else f"list({text})"
    for few in FEW:
        yield Draft("small-inputs", tree.replace(over, f"{base}[:{few}]"))
    for cut in ("1:", ":-1"):
        yield Draft("skip-element", tree.replace(over, f"{base}[{cut}]"))
    kept = f"[value for value in {base} if type(value) not in (int, float) or value <= {LARGE}]"
    yield Draft("small-inputs", tree.replace(over, kept), 1)
