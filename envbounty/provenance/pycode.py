"""Fingerprints of Python: a walk over the syntax tree, so that layout, comments and brackets do not count.

Left out are docstrings, annotations, imports and `pass`. Names of the author's own count only by where they are used
again. Built-in names, called methods of built-in types and whatever comes out of the standard library keep their
meaning (`import heapq as h; h.heappush` and `from heapq import heappush as p; p` are the same token). Constants count
by kind. Each function, method and class is a unit, and what is left at the top level another.

The text is a stranger's: it is parsed, never run, and what cannot be parsed is None.
"""

from __future__ import annotations

import ast
import builtins
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from envbounty.provenance.streams import Stream, Unit, code_of, fingerprint

#: Nodes in a run. Measured: `python -m benchmarks provenance`.
WIDTH = 12
#: A name used longer ago than this many tokens is as new.
REACH = WIDTH
#: The smallest literal that counts as data: so many constants in one display, or so many characters in one text.
MIN_LEAVES, MIN_TEXT = 3, 12
#: A text constant of so many lines may itself be code: graders often hold their tests and their driver so.
MIN_CODE_LINES = 3
MAX_NESTED = 2

_BUILTINS = frozenset(dir(builtins))
_METHODS = frozenset(
    name
    for kind in (str, bytes, bytearray, list, dict, set, frozenset, tuple, int, float, complex, range)
    for name in dir(kind)
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
#: Fields that are no part of what a program does.
_UNREAD = frozenset({"annotation", "returns", "type_comment", "ctx", "format_spec", "kind", "type_ignores", "simple"})
_parsing = threading.Lock()


@dataclass
class Python:
    """One file: its units, the fingerprints of the literals in it, and the modules that the library does not have."""

    units: list[Unit] = field(default_factory=list)
    data: set[int] = field(default_factory=set)
    modules: set[str] = field(default_factory=set)


def read(path: str, text: str, first: int = 1, depth: int = 0) -> Python | None:
    """The fingerprints of a Python file; None when it is no Python that can be parsed."""
    tree = parse(text)
    if tree is None:
        return None
    found = Python()
    _Walk(path, first - 1, depth, found).file(tree)
    return found


def parse(text: str) -> ast.Module | None:
    """The syntax tree of a stranger's text, or None."""
    try:
        # The parser warns of odd escapes, and a stranger's are no business of whoever runs this.
        with _parsing, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None


def docstrings(tree: ast.Module) -> list[str]:
    """The lines of every docstring of functions and classes, with an empty line after each."""
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            text = ast.get_docstring(node)
            lines += [*text.splitlines(), ""] if text else []
    return lines


class _Walk:
    """Walks one file. Thousands of files are walked for one index, hence the table of handlers by type."""

    def __init__(self, path: str, shift: int, depth: int, found: Python) -> None:
        self.path, self.shift, self.depth, self.found = path, shift, depth, found
        self.modules: dict[str, str] = {}  # alias of a standard module → the module
        self.members: dict[str, str] = {}  # alias of something from one → its own name
        self.methods = _METHODS
        self.called: set[ast.AST] = set()  # attributes that are called
        self.stream = Stream(REACH)
        self.pending: list[ast.AST | str] = []

    def file(self, tree: ast.Module) -> None:
        """Walk a file, then every unit that was met on the way, without recursion: a stranger sets the depth."""
        self.methods = _METHODS - _own_methods(tree)
        waiting: list[ast.AST] = [tree]
        while waiting:
            node = waiting.pop()
            self.stream = Stream(REACH)
            self._unit(node, waiting)
            if self.stream.tokens:
                first, last = _lines(node)
                self.found.units.append(self.stream.unit(self.path, first + self.shift, last + self.shift, WIDTH))

    def _unit(self, root: ast.AST, waiting: list[ast.AST]) -> None:
        # A function in a function is no unit: it shares its names.
        apart = (ast.ClassDef,) if isinstance(root, _FUNCTIONS) else (ast.ClassDef, *_FUNCTIONS)
        pending = self.pending = list(_children(root)) if isinstance(root, ast.Module) else [root]
        pending.reverse()
        tokens = self.stream.tokens
        while pending:
            node = pending.pop()
            kind = node.__class__
            if isinstance(node, str):
                self.stream.name(node)
            elif kind in apart and node is not root:
                waiting.append(node)
            elif (handler := _HANDLERS.get(kind)) is not None:
                handler(self, node)
            else:
                plan = _PLANS.get(kind)
                code, fields = plan if plan is not None else _plan(kind)
                tokens.append(code)
                for field in fields:
                    value = getattr(node, field, None)
                    if isinstance(value, list):
                        pending.extend(item for item in reversed(value) if isinstance(item, ast.AST))
                    elif isinstance(value, ast.AST | str):
                        pending.append(value)

    # Each handler adds the tokens of one node and leaves its children in `pending`, the first of them last.

    def _plain(self, node: ast.AST) -> None:
        self.stream.word(type(node).__name__)
        self.pending.extend(reversed(list(_children(node))))

    def _expression(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # a docstring, or as good as one
            self._plain(node)

    def _call(self, node: ast.Call) -> None:
        self.called.add(node.func)
        self._plain(node)

    def _display(self, node: ast.List | ast.Tuple | ast.Set | ast.Dict) -> None:
        leaves = _leaves(node)
        if leaves is None:
            self._plain(node)
        else:
            self.stream.constant("[]", "\0".join(leaves))
            self._data(node)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.stream.word("Assign")
            self.pending += (node.value, node.target)

    def _skipped(self, node: ast.AST) -> None:
        pass

    def _name(self, node: ast.Name) -> None:
        name = node.id
        if (member := self.members.get(name)) is not None:
            self.stream.word(member)
        elif name in _BUILTINS or name in self.modules:
            self.stream.word(self.modules.get(name, name))
        else:
            self.stream.name(name)

    def _attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name) and node.value.id in self.modules:
            self.stream.word(node.attr)
            return
        if node.attr in self.methods and node in self.called:
            self.stream.word(f".{node.attr}")
        else:
            self.stream.word(".")
            self.pending.append(f".{node.attr}")
        self.pending.append(node.value)

    def _constant(self, node: ast.Constant) -> None:
        value = node.value
        if value is None or value is Ellipsis or isinstance(value, bool):
            self.stream.word(str(value))
        elif isinstance(value, str | bytes):
            if isinstance(value, str) and value.count("\n") >= MIN_CODE_LINES and self._code(value, node.lineno):
                self.stream.word("code")  # what it says counts as units of its own
                return
            self.stream.constant("''", _shown(value))
            if isinstance(value, str) and len(value) >= MIN_TEXT:
                self.found.data.add(fingerprint(value))
        else:
            self.stream.constant("0", _shown(value))

    def _joined(self, node: ast.JoinedStr) -> None:
        parts = [str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values]
        text = "".join(parts)
        if text.count("\n") >= MIN_CODE_LINES and self._code(text, node.lineno):
            self.stream.word("code")
        else:
            self.stream.constant("f''", "\0".join(parts))
        self.pending += [part for part in reversed(node.values) if not isinstance(part, ast.Constant)]

    def _code(self, text: str, line: int) -> bool:
        """Whether a text constant is code itself; then its units are the file's."""
        if self.depth >= MAX_NESTED:
            return False
        nested = read(self.path, text, line + self.shift, self.depth + 1)
        if nested is None or not nested.units:
            return False
        self.found.units += nested.units
        self.found.data |= nested.data
        self.found.modules |= nested.modules
        return True

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            if top in sys.stdlib_module_names:
                self.modules[alias.asname or top] = alias.name
            else:
                self.found.modules.add(top)

    def _import_from(self, node: ast.ImportFrom) -> None:
        top = (node.module or "").partition(".")[0]
        if not node.level and top in sys.stdlib_module_names:
            self.members |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif not node.level:
            self.found.modules.add(top)

    def _data(self, node: ast.AST) -> None:
        """The literal, and every literal in it that is large enough to be told from others."""
        pending = [node]
        while pending:
            inner = pending.pop()
            leaves = _leaves(inner)
            if leaves is not None and len(leaves) >= MIN_LEAVES:
                self.found.data.add(fingerprint("\0".join(leaves)))
            for child in ast.iter_child_nodes(inner):
                if isinstance(child, _DISPLAYS):
                    pending.append(child)
                elif isinstance(child, ast.Constant) and isinstance(child.value, str) and len(child.value) >= MIN_TEXT:
                    self.found.data.add(fingerprint(child.value))


def _own_methods(root: ast.AST) -> set[str]:
    """The methods of the classes at the top of a file: calling one of these calls no built-in type's."""
    classes = [node for node in getattr(root, "body", ()) if isinstance(node, ast.ClassDef)]
    return {node.name for each in classes for node in each.body if isinstance(node, _FUNCTIONS)}


def _lines(node: ast.AST) -> tuple[int, int]:
    """The first and the last line of a unit: of a file, those of its statements."""
    if isinstance(node, ast.Module):
        return node.body[0].lineno, node.body[-1].end_lineno or node.body[-1].lineno
    first = min(getattr(part, "lineno", 1) for part in (node, *getattr(node, "decorator_list", ())))
    return first, getattr(node, "end_lineno", None) or first


_HANDLERS: dict[type, Callable[[_Walk, Any], None]] = {
    ast.Name: _Walk._name,
    ast.Attribute: _Walk._attribute,
    ast.Constant: _Walk._constant,
    ast.Call: _Walk._call,
    ast.Expr: _Walk._expression,
    ast.JoinedStr: _Walk._joined,
    ast.AnnAssign: _Walk._annotated,
    ast.Import: _Walk._import,
    ast.ImportFrom: _Walk._import_from,
    **dict.fromkeys(_DISPLAYS, _Walk._display),
    **dict.fromkeys((ast.Pass, ast.Global, ast.Nonlocal), _Walk._skipped),
}


_PLANS: dict[type, tuple[int, tuple[str, ...]]] = {}


def _plan(kind: type) -> tuple[int, tuple[str, ...]]:
    """The token of a kind of node, and the fields in which its children are, the last one first."""
    fields = tuple(name for name in reversed(getattr(kind, "_fields", ())) if name not in _UNREAD)
    _PLANS[kind] = code_of(kind.__name__), fields
    return _PLANS[kind]


def _children(node: ast.AST) -> Iterator[ast.AST | str]:
    for name in node._fields:
        if name in _UNREAD:
            continue
        value = getattr(node, name, None)
        if isinstance(value, list):
            yield from (item for item in value if isinstance(item, ast.AST))
        elif isinstance(value, ast.AST):
            yield value
        elif isinstance(value, str):
            yield value  # the name of a function, an argument, a keyword, a caught exception


def _leaves(node: ast.AST) -> list[str] | None:
    """The constants of a display that holds nothing else, in order; None when it holds something else."""
    leaves: list[str] = []
    pending = [node]
    while pending:
        inner = pending.pop()
        if isinstance(inner, ast.Constant):
            leaves.append(_shown(inner.value))
        elif isinstance(inner, ast.UnaryOp) and isinstance(inner.operand, ast.Constant):
            leaves.append(type(inner.op).__name__ + _shown(inner.operand.value))
        elif isinstance(inner, ast.Dict):
            if None in inner.keys:
                return None
            pending += [part for part in (*inner.values, *inner.keys) if part is not None]
        elif isinstance(inner, ast.List | ast.Tuple | ast.Set):
            pending += inner.elts
        else:
            return None
    return leaves


def _shown(value: object) -> str:
    """A constant as text. A number of any size has one: Python refuses to write very long ones in decimal."""
    return hex(value) if isinstance(value, int) and not isinstance(value, bool) else repr(value)
