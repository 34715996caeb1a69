"""What a grader's source shows of how it works. Pure: the text is parsed, never run.

Signs steer which attacks go first and leave out those that cannot apply; they never prove anything. The source is a
stranger's: whatever cannot be parsed gives signs that rule nothing out.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

#: More than this of source is not looked at, more than so many constants are not kept.
MOST_SOURCE, MOST_CONSTANTS, MOST_DEPTH = 400_000, 400, 3
_PATH = re.compile(
    r"^[\w./~-]*\.(?:txt|json|xml|log|csv|out|result|done|ok|ya?ml|flag|status)$|^/[\w.-]+(?:/[\w.-]+)+$"
)
_CHILD = {
    "subprocess",
    "Popen",
    "multiprocessing",
    "system",
    "popen",
    "spawn",
    "fork",
    "ProcessPoolExecutor",
    "pexpect",
}
_CLOCKS = re.compile(r"time|elapsed|duration|took|second", re.IGNORECASE)


@dataclass(frozen=True)
class Signs:
    """See the module. Texts are in the order in which they were found, each once."""

    parsed: bool = False
    in_process: bool = True  # it executes or imports the submission itself
    child: bool = True  # it starts other processes
    timeouts: bool = True
    stdout: bool = True
    stderr: bool = True
    returncode: bool = True
    json_read: bool = True
    stdin: bool = True
    called: frozenset[str] = frozenset()  # names of functions and methods that it calls
    imports: tuple[str, ...] = ()
    handlers: tuple[str, ...] = ()  # names of the exceptions that it catches
    compared: tuple[str, ...] = ()  # texts that something is compared with, or looked for in something
    numbers: tuple[float, ...] = ()  # numbers that something is compared with
    words: tuple[str, ...] = ()  # all other short texts
    keys: tuple[str, ...] = ()  # of subscripts and `.get()`
    environment: tuple[tuple[str, str], ...] = ()  # (variable, value that is waited for)
    paths: tuple[str, ...] = ()  # files that it names
    slow: tuple[float, ...] = ()  # durations that a measured time is compared with
    printed: tuple[str, ...] = ()  # what its scripts print; a hole is written as {its source}
    rows: tuple[tuple[str, ...], ...] = ()  # names that a loop unpacks
    hints: frozenset[str] = frozenset()

    def mentions(self, *names: str) -> bool:
        """Whether one of these names is caught, called or imported, or nothing is known."""
        return not self.parsed or any(
            name in self.handlers or name in self.called or name in self.imports or name in self.hints for name in names
        )


@dataclass
class _Found:
    called: dict[str, None] = field(default_factory=dict)
    imports: dict[str, None] = field(default_factory=dict)
    handlers: dict[str, None] = field(default_factory=dict)
    compared: dict[str, None] = field(default_factory=dict)
    numbers: dict[float, None] = field(default_factory=dict)
    words: dict[str, None] = field(default_factory=dict)
    keys: dict[str, None] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)
    keywords: dict[str, None] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)  # variable of the environment → the default it has
    holders: dict[str, str] = field(default_factory=dict)  # name in the source → the variable it was read from
    values: dict[tuple[str, str], None] = field(default_factory=dict)
    slow: dict[float, None] = field(default_factory=dict)
    printed: dict[str, None] = field(default_factory=dict)
    rows: dict[tuple[str, ...], None] = field(default_factory=dict)


def signs(source: str, hints: frozenset[str] = frozenset()) -> Signs:
    """The signs in `source`, a Python module. `hints` are rule ids of another look at it, kept for steering.

    Never raises: a source that is too long, broken or nested too deeply gives signs that rule nothing out.
    """
    tree = _parse(source)
    if tree is None:
        return Signs(hints=hints)
    found = _Found()
    try:
        _look(tree, found, 0)
    except (RecursionError, MemoryError, ValueError):
        return Signs(hints=hints)
    named = {**found.called, **found.names, **found.imports, **found.keys}
    known = set(named)
    waits = {"alarm", "setitimer", "wait_for", "join"} & set(found.called) or "timeout" in found.keywords
    values = dict(found.values)
    for variable in found.environment:
        if not any(name == variable for name, _ in values):
            values.update({(variable, value): None for value in ("1", "true")})
    return Signs(
        parsed=True,
        in_process=bool(
            {"exec", "eval", "import_module", "exec_module", "run_path", "__import__", "load_module", "loads"} & known
        ),
        child=bool(_CHILD & known) or any(name.split(".")[0] in _CHILD for name in found.imports),
        timeouts=bool(waits) or "TimeoutExpired" in found.handlers or "TimeoutError" in found.handlers,
        stdout=bool({"stdout", "communicate", "check_output", "getvalue", "getoutput"} & known),
        stderr=bool({"stderr", "communicate", "STDOUT"} & known),
        returncode=bool({"returncode", "check", "check_call", "system", "exitcode", "wait", "poll"} & known),
        json_read=bool({"loads", "load", "literal_eval"} & known),
        stdin=bool({"stdin", "input"} & (known | set(found.keywords))),
        called=frozenset(found.called),
        imports=tuple(found.imports),
        handlers=tuple(found.handlers),
        compared=tuple(found.compared)[:MOST_CONSTANTS],
        numbers=tuple(found.numbers)[:MOST_CONSTANTS],
        words=tuple(word for word in found.words if word not in found.compared)[:MOST_CONSTANTS],
        keys=tuple(found.keys)[:MOST_CONSTANTS],
        environment=tuple(values)[:MOST_CONSTANTS],
        paths=tuple(word for word in {**found.compared, **found.words} if _PATH.match(word))[:50],
        slow=tuple(found.slow),
        printed=tuple(found.printed)[:100],
        rows=tuple(found.rows)[:20],
        hints=hints,
    )


def _parse(source: str) -> ast.AST | None:
    if len(source) > MOST_SOURCE:
        return None
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _look(tree: ast.AST, found: _Found, level: int) -> None:
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            module = getattr(node, "module", None)
            for alias in node.names:
                found.imports.setdefault(module or alias.name)
                found.names.setdefault(alias.name)
        elif isinstance(node, ast.Call):
            _call(node, found)
        elif isinstance(node, ast.Compare):
            _compare(node, found)
        elif isinstance(node, ast.ExceptHandler):
            for part in ast.walk(node.type) if node.type else ():
                if isinstance(part, ast.Attribute) or (isinstance(part, ast.Name) and part.id[:1].isupper()):
                    found.handlers.setdefault(part.attr if isinstance(part, ast.Attribute) else part.id)
        elif isinstance(node, ast.Attribute):
            found.names.setdefault(node.attr)
        elif isinstance(node, ast.Subscript):
            if (asked := text_of(node.slice)) is not None:
                found.keys.setdefault(asked)
            if (named := _variable(node)) is not None:
                found.environment.setdefault(named, "")
        elif isinstance(node, ast.Assign):
            _assign(node, found)
        elif isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.target, (ast.Tuple, ast.List)):
            names = tuple(part.id for part in ast.walk(node.target) if isinstance(part, ast.Name))
            found.rows.setdefault(names)
        elif isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and id(node) not in inside):
            text = text_of(node)
            if text is not None:
                _text(text, found, level)


def _text(text: str, found: _Found, level: int) -> None:
    """A text of the source: a word, or a program that it writes for another process."""
    stripped = text.strip()
    if 0 < len(stripped) <= 100 and "\n" not in stripped:
        found.words.setdefault(stripped)
    if level >= MOST_DEPTH or not re.search(r"[(=:]", text) or len(text) < 6:
        return
    # Holes of a template are not code yet: a name stands in, so that what is around them can be parsed.
    plain = re.sub(r"\{[^{}\n]*\}", "_", text) if "{" in text else text
    for version in dict.fromkeys((text, plain)):
        inner = _parse(version.strip("\n")) or _parse(version.strip())
        if inner is not None:
            _look(inner, found, level + 1)
            return
    if "\n" in stripped:
        for line in stripped.splitlines()[:400]:
            _text(line, found, level + 1)


def _call(node: ast.Call, found: _Found) -> None:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", None)
    if name is None:
        return
    found.called.setdefault(name)
    for keyword in node.keywords:
        if keyword.arg:
            found.keywords.setdefault(keyword.arg)
    first = text_of(node.args[0]) if node.args else None
    if name in ("startswith", "endswith", "search", "match", "fullmatch", "count", "find", "index", "findall"):
        for text in _constants(node):
            found.compared.setdefault(text)
    if name == "get" and first is not None:
        found.keys.setdefault(first)
    if (named := _variable(node)) is not None:
        found.environment.setdefault(named, "")
    if name == "print" and node.args:
        line = text_of(node.args[0])
        if line is not None and line.strip():
            found.printed.setdefault(line.strip())
    if name in ("getattr", "hasattr", "setattr") and len(node.args) > 1 and (asked := text_of(node.args[1])):
        found.keys.setdefault(asked)


def _compare(node: ast.Compare, found: _Found) -> None:
    texts = list(_constants(node))
    for text in texts:
        found.compared.setdefault(text)
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, (int, float)) and not isinstance(part.value, bool):
            found.numbers.setdefault(part.value)
            if any(_CLOCKS.search(name) for name in _names(node)):
                found.slow.setdefault(float(part.value))
    for waiting in _waiting(node, found):
        for text in texts:
            if text != waiting:
                found.values.setdefault((waiting, text))


def _waiting(node: ast.AST, found: _Found) -> Iterator[str]:
    """The variables of the environment that an expression reads."""
    for part in ast.walk(node):
        if (variable := _variable(part)) is not None:
            yield variable
        elif isinstance(part, ast.Name) and part.id in found.holders:
            yield found.holders[part.id]


def _assign(node: ast.Assign, found: _Found) -> None:
    for waiting in _waiting(node.value, found):
        for target in node.targets:
            if isinstance(target, ast.Name):
                found.holders.setdefault(target.id, waiting)


def _variable(node: ast.AST) -> str | None:
    """`NAME` for os.environ["NAME"], os.environ.get("NAME", …) and os.getenv("NAME")."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "environ":
        return text_of(node.slice)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        of = node.func.value
        environ = isinstance(of, ast.Attribute) and of.attr == "environ"
        if (environ and node.func.attr in ("get", "pop")) or node.func.attr == "getenv":
            return text_of(node.args[0])
    return None


def _names(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr


def _constants(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and 0 < len(part.value.strip()) <= 100:
            yield part.value


def text_of(node: ast.AST) -> str | None:
    """A text as the source writes it: a constant, an f-string or texts added up; holes as {their source}."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        parts = [
            str(part.value) if isinstance(part, ast.Constant) else "{" + _source(part) + "}" for part in node.values
        ]
        return "".join(parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        if left is None and right is None:
            return None
        return ("{" + _source(node.left) + "}" if left is None else left) + (
            "{" + _source(node.right) + "}" if right is None else right
        )
    return None


def _source(node: ast.AST) -> str:
    """The source of a hole, without what would end it."""
    inner: ast.AST = node.value if isinstance(node, ast.FormattedValue) else node
    if isinstance(inner, ast.Call) and getattr(inner.func, "id", "") in ("str", "repr") and len(inner.args) == 1:
        inner = inner.args[0]
    try:
        text = ast.unparse(inner)
    except (ValueError, RecursionError):
        text = "_"
    return re.sub(r"[{}\n]", " ", text)[:60].strip()
