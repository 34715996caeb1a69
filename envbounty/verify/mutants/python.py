"""The mutants of a Python source."""

from __future__ import annotations

import ast
import threading
import types
import warnings
from bisect import bisect_right

from envbounty.verify.mutants import scope
from envbounty.verify.mutants.model import Draft, Edit, Mutant, apply, build
from envbounty.verify.mutants.operators import OPERATORS
from envbounty.verify.mutants.rank import ordered
from envbounty.verify.mutants.text import Tree, is_function

#: A larger source is no solution that a person wrote.
MAX_SOURCE = 64 << 10
MAX_MUTANTS = 2000
#: So many edits are looked at. They are made in the order of the text, so a far longer source is not seen to its end.
MAX_DRAFTS = 12_000
#: So many bytes are parsed to see which edits compile: a few seconds.
MAX_PARSED = 2 << 20
#: All mutants together have so many bytes.
MAX_TEXT = 16 << 20
#: Nobody writes a longer change by mistake.
MAX_CHANGE = 2000

#: What parsing a text can raise.
UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
#: Python's warnings are settings of the whole process.
_QUIET = threading.Lock()


def mutants(source: str, function: str | None) -> list[Mutant]:
    """See `envbounty.verify.mutants.mutants`."""
    with _QUIET, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _mutants(source, function)
        except UNPARSABLE:
            return []


def _mutants(source: str, function: str | None) -> list[Mutant]:
    if len(source) > MAX_SOURCE or len(source.encode()) > MAX_SOURCE:
        return []
    tree = Tree(source, function)
    pieces = Pieces(tree)
    found: list[Mutant] = []
    for draft in ordered(_drafts(tree, function)):
        if len(found) >= min(MAX_MUTANTS, MAX_TEXT // len(tree.data)) or pieces.parsed > MAX_PARSED:
            break
        if pieces.new((draft.edit,)):
            found.append(build(tree.data, draft.operator, (draft.edit,)))
    return found


def _drafts(tree: Tree, function: str | None) -> list[Draft]:
    found: list[Draft] = []
    for item in scope.reachable(tree.root, function):
        for node in scope.nodes(item):
            for operator in OPERATORS:
                found += (draft for draft in operator(tree, node) if len(draft.edit.text) <= MAX_CHANGE)
            if len(found) > MAX_DRAFTS:
                return found
    return found


def compiling(source: str, combined: list[tuple[Edit, ...]], limit: int) -> list[tuple[Edit, ...]]:
    """The first `limit` of these sets of edits that make something new that compiles."""
    with _QUIET, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            pieces = Pieces(Tree(source))
        except UNPARSABLE:
            return []
        kept: list[tuple[Edit, ...]] = []
        for edits in combined:
            if len(kept) >= limit or pieces.parsed > MAX_PARSED:
                break
            if pieces.new(edits):
                kept.append(edits)
        return kept


class Pieces:
    """The statements of a module, each of which can be parsed alone; knows what has been made of each so far.

    Raises `SyntaxError` when one does not compile.
    """

    def __init__(self, tree: Tree) -> None:
        self._data = tree.data
        self._spans = [(_first(tree, item), tree.end(item)) for item in tree.root.body]
        self._starts = [start for start, _ in self._spans]
        self.parsed = 0
        self._seen: set[object] = set()
        for index, (start, end) in enumerate(self._spans):
            if (made := self._made(index, [])) is None:
                raise SyntaxError(f"bytes {start} to {end} do not compile")
            self._seen.add((index, made))

    def new(self, edits: tuple[Edit, ...]) -> bool:
        """Whether these edits make something that compiles and has not been there. Edits are in the text's order."""
        by_piece: dict[int, list[Edit]] = {}
        for edit in edits:
            index = bisect_right(self._starts, edit.start) - 1
            if index < 0 or edit.end > self._spans[index][1]:
                return False
            by_piece.setdefault(index, []).append(edit)
        made = [(index, self._made(index, mine)) for index, mine in by_piece.items()]
        key = made[0] if len(made) == 1 else tuple(made)
        if any(code is None for _, code in made) or key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _made(self, index: int, edits: list[Edit]) -> object:
        """What a statement with these edits compiles to, see `essence`; None when it does not."""
        start, end = self._spans[index]
        moved = tuple(Edit(edit.start - start, edit.end - start, edit.text) for edit in edits)
        text = apply(self._data[start:end], moved)
        self.parsed += len(text)
        try:
            return essence(compile(text, "<mutant>", "exec", dont_inherit=True, optimize=0))
        except UNPARSABLE:
            return None


def essence(code: types.CodeType) -> object:
    """All of a code object but where it stands: equal for sources with equal syntax trees, and only for such that do
    the same. It is faster to make than the tree is to print, and sees through what the compiler sees through."""
    constants = tuple(
        essence(one) if isinstance(one, types.CodeType) else (type(one).__name__, repr(one)) for one in code.co_consts
    )
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return code.co_code, getattr(code, "co_exceptiontable", b""), constants, names, counts


def _first(tree: Tree, item: ast.stmt) -> int:
    """Where a statement begins, its decorators included."""
    decorators = item.decorator_list if is_function(item) or isinstance(item, ast.ClassDef) else []
    if not decorators:
        return tree.start(item)
    return tree.data.rfind(b"@", 0, tree.start(decorators[0]))
