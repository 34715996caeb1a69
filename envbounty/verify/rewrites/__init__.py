"""The same submission written otherwise: what a sound verifier accepts as it accepted the original.

`plain` and `shaped` rewrite Python source; `forms` (a module) writes outputs otherwise. A plain rewrite changes nothing
but names, layout and words that no interpreter reads; a shaped one builds the program otherwise and may need something
of the interpreter that the original did not.

Everything here is pure. No rewrite is trusted: whoever uses one runs it beside the original first.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from envbounty.verify.rewrites import layout, names, shape
from envbounty.verify.rewrites.source import Asked, readable

__all__ = ["Asked", "Rewrite", "plain", "reshaped", "shaped", "together"]


@dataclass(frozen=True)
class Rewrite:
    """A submission written otherwise. `needs`: a line of Python that uses what it asks of the interpreter, if any."""

    what: str
    text: str
    needs: str = ""


_TREES: tuple[tuple[str, Callable[[ast.Module, Asked], ast.Module | None]], ...] = (
    ("statements that do not touch each other are swapped", shape.reordered),
    ("its own names are replaced", names.renamed),
    ("every function has a docstring", shape.documented),
)
_LAYOUTS: tuple[tuple[str, Callable[[str], str | None]], ...] = (
    ("it is laid out anew, without comments", layout.reformatted),
    ("it is indented with tabs", layout.tabbed),
    ("comments and empty lines are added", layout.commented),
    ("lines end in white space, the last one in nothing", layout.trailing),
)


def plain(source: str, asked: Asked) -> list[Rewrite]:
    """Each rewrite of names and layout that applies, alone. Empty for what is no Python or inspects itself."""
    tree = readable(source)
    if tree is None:
        return []
    found = []
    # Layouts first: a change of names loses comments too, and the smallest cause is the one to name.
    for what, alter in _LAYOUTS:
        text = alter(source)
        if text is not None:
            found.append(Rewrite(what, text))
    for what, change in _TREES:
        changed = change(ast.parse(source), asked)
        if changed is not None:
            found.append(Rewrite(what, ast.unparse(ast.fix_missing_locations(changed)) + "\n"))
    return [one for one in found if one.text != source and _written(one.text)]


def together(source: str, asked: Asked) -> list[Rewrite]:
    """All plain rewrites in two texts, one of which has comments: a verifier that accepts both accepts, as a rule, each
    of them alone."""
    tree = readable(source)
    if tree is None:
        return []
    for _, change in _TREES:
        tree = change(tree, asked) or tree
    bare = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    dressed = bare
    for _, alter in _LAYOUTS[1:]:
        dressed = alter(dressed) or dressed
    found = [Rewrite("names and layout are changed", bare), Rewrite("names, layout and comments are changed", dressed)]
    return [one for one in found if one.text != source and _written(one.text)]


def shaped(source: str, asked: Asked) -> list[Rewrite]:
    """Each rewrite of the program's build that applies, alone."""
    if readable(source) is None:
        return []
    found = []
    for what, needs, change in shape.SHAPES:
        changed = change(ast.parse(source), asked)
        if changed is not None:
            found.append(Rewrite(what, ast.unparse(ast.fix_missing_locations(changed)) + "\n", needs))
    return [one for one in found if _written(one.text)]


def reshaped(source: str, asked: Asked) -> list[Rewrite]:
    """Those of the shaped rewrites that go together, in one text, and one that does not go with them."""
    tree = readable(source)
    if tree is None:
        return []
    before = ast.dump(tree)
    for _, _, change in shape.SHAPES:
        if change not in shape.ALONE:
            tree = change(tree, asked) or tree
    found = [Rewrite("the program is built otherwise", ast.unparse(ast.fix_missing_locations(tree)) + "\n")]
    alone = shape.in_class(ast.parse(source), asked)
    if alone is not None:
        found.append(Rewrite("it is a method", ast.unparse(ast.fix_missing_locations(alone)) + "\n"))
    return [one for one in found if _written(one.text)] if ast.dump(tree) != before else []


def _written(text: str) -> bool:
    """Whether a rewrite came out as a program."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
