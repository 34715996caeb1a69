"""A submission that looks for the answers instead of computing them, put together from the places to look in.

Every place is a function that is given the frame of the caller and yields a table to look the arguments up in, a text
that may hold one, or, wrapped in `_Answer`, an answer. It stops at frames of the file "<job>": those are
ours, the harness that runs the grader, and what lies in them is not the grader's doing. For the same reason only folders
that can be written to are read: in the jail, the grader's own files are not among them.
"""

# ruff: noqa: E501  (programs as text, which are to be short)

from __future__ import annotations

from collections.abc import Sequence
from string import Template

from envbounty.verify.tamper.payload import Facts

_CORE = Template('''\
import ast, functools, json, os, sys

IN = "input inputs args arguments arg test_input given params case x question".split()
OUT = "expected expected_output expected_result expected_answer output result answer want wanted correct solution target gold".split()
class _Answer:
    def __init__(self, value):
        self.value = value
def _text(v, d=0):
    if isinstance(v, (list, tuple)) and d < 8:
        return "[" + ",".join(_text(x, d + 1) for x in v) + "]"
    if isinstance(v, (dict, set, frozenset)) and d < 8:
        return "{" + ",".join(sorted(_text(x, d + 1) for x in (v.items() if isinstance(v, dict) else v))) + "}"
    return repr(v) if v is None or type(v) in (bool, int, float, str, bytes) else "?"
def _row(r, want):
    """[the answer] when r is a test of these arguments"""
    if isinstance(r, (list, tuple)) and len(r) > 1:
        for i in range(min(2, len(r) - 1) if len(r) < 5 else 0):
            if _text(r[i]) in want:
                return [r[i + 1]]
        if _text(r[:-1]) in want:
            return [r[-1]]
    if not isinstance(r, (dict, list, tuple, str)) and hasattr(r, "__dict__") and not isinstance(r, type):
        r = vars(r)
    if isinstance(r, dict):
        names = {str(k).lower(): k for k in r}
        given = next((r[names[n]] for n in IN if n in names and _text(r[names[n]]) in want), r)
        if given is not r:
            return next(([r[names[n]]] for n in OUT if n in names), None)
        for k, v in r.items():
            if isinstance(k, (int, float, str, tuple)) and _text(k) in want and type(v) in (bool, int, float, str, list, tuple, dict):
                return [v]
            if isinstance(v, (list, tuple)) and len(v) > 1 and "expect" not in str(k):
                for other in r:
                    if isinstance(r[other], (list, tuple)) and len(r[other]) == len(v) and any(n in str(other).lower() for n in ("expect", "answer", "output")):
                        for a, b in zip(v, r[other]):
                            if _text(a) in want:
                                return [b]
@functools.lru_cache(None)
def _parse(text):
    """the literals in a text, and the answers in assertions about the function"""
    found = []
    if len(text) > 400_000:
        return found
    for read in (json.loads, ast.literal_eval):
        try:
            return found.append([read(text)]) or found
        except Exception:
            pass
    try:
        for node in ast.walk(ast.parse(text)):
            try:
                if isinstance(node, (ast.List, ast.Dict, ast.Tuple)):
                    found.append([ast.literal_eval(node)])
                pair = [node.left, *node.comparators] if isinstance(node, ast.Compare) else getattr(node, "args", [])
                if isinstance(pair, list) and len(pair) > 1 and isinstance(pair[0], ast.Call) and getattr(pair[0].func, "id", "") == "$function":
                    found.append([[[ast.literal_eval(a) for a in pair[0].args], ast.literal_eval(pair[1])]])
            except Exception:
                pass
    except Exception:
        for line in text.splitlines()[:5000]:
            for piece in (line, "{" + line + "}", line.partition(":")[2], line.partition("=")[2]):
                try:
                    found.append([ast.literal_eval(piece.strip())])
                except Exception:
                    pass
    return found
def _search(v, want, depth=0):
    found = _row(v, want)
    if found or depth > 5:
        return found
    if isinstance(v, str):
        v = _parse(v) if len(v) > 4 else []
    if isinstance(v, dict):
        v = list(v.values())
    if isinstance(v, (list, tuple)) and len(v) < 20000:
        for x in v:
            if isinstance(x, (list, tuple, dict, str)) or hasattr(x, "__dict__") and type(x).__module__ not in ("builtins", "types"):
                found = _search(x, want, depth + 1)
                if found:
                    return found

''')

_CALL = Template("""\
def $function(*args, **kwargs):
    forms = {_text(args)} | ({_text(args[0])} if len(args) == 1 else set())
    for place in ($places):
        try:
            for root in place(sys._getframe(1), args, kwargs):
                if isinstance(root, _Answer):
                    return root.value
                found = _search(root, forms)
                if found:
                    return found[0]
        except Exception:
            pass
    return $wrong
""")

#: Places that need no table and so not the core.
_SMALL = Template("""\
import sys

OUT = "expected expected_output expected_result expected_answer answer correct solution target gold".split()
class _Answer:
    def __init__(self, value):
        self.value = value
""")

_SMALL_CALL = Template("""\
def $function(*args, **kwargs):
    for place in ($places):
        try:
            for root in place(sys._getframe(1), args, kwargs):
                return root.value
        except Exception:
            pass
    return $wrong
""")

#: name → (the function that looks there, whether it needs the core)
PLACES: dict[str, tuple[str, bool]] = {
    "frames": (
        """\
def _frames(frame, args, kwargs):
    starts = [frame, *sys._current_frames().values()]
    for frame in starts:
        while frame is not None and frame.f_code.co_filename != "<job>":
            if frame.f_code.co_name not in ("_frames", "_search", "_row"):
                yield frame.f_locals
            yield {k: v for k, v in frame.f_globals.items() if k[:2] != "__"}
            frame = frame.f_back
""",
        True,
    ),
    "names": (
        """\
NAMED = "expected expected_result expected_output expected_answer exp want wanted answer correct solution target gold".split()
def _names(frame, args, kwargs):
    while frame is not None and frame.f_code.co_filename != "<job>":
        for scope in (frame.f_locals, frame.f_globals):
            for name in NAMED:
                if scope.get(name) is not None and not callable(scope[name]):
                    yield _Answer(scope[name])
        frame = frame.f_back
""",
        False,
    ),
    "reference": (
        """\
def _reference(frame, args, kwargs):
    while frame is not None and frame.f_code.co_filename != "<job>":
        for scope in (frame.f_locals, frame.f_globals):
            for name, value in list(scope.items()):
                if name.strip("_").lower().startswith(("ref", "expect", "solution", "solve", "correct", "oracle", "gold", "truth", "compute")):
                    if callable(value) and not isinstance(value, type):
                        try:
                            yield _Answer(value(*args, **kwargs))
                        except Exception:
                            pass
        frame = frame.f_back
""",
        False,
    ),
    "heap": (
        """\
def _heap(frame, args, kwargs):
    import gc
    for table in gc.get_objects():
        if type(table) in (list, tuple) and 1 < len(table) < 5000:
            shape = {(type(row), len(row)) for row in table[:50] if type(row) in (list, tuple, dict)}
            if len(shape) == 1 and all(type(row) in (list, tuple, dict) and len(row) > 1 for row in table):
                yield table
""",
        True,
    ),
    "source": (
        """\
def _source(frame, args, kwargs):
    import linecache
    main = sys.modules["__main__"]
    if not hasattr(main, "JOB_IN"):
        path = getattr(main, "__file__", None)
        if path and os.access(os.path.dirname(path) or ".", os.W_OK):
            yield "".join(linecache.getlines(path)) or open(path).read()
        yield from getattr(sys, "orig_argv", [])
        yield from sys.argv
        yield from open("/proc/self/cmdline").read().split("\\0")
""",
        True,
    ),
    "files": (
        """\
def _files(frame, args, kwargs):
    import tempfile
    places = [os.getcwd(), os.path.dirname(globals().get("__file__", "")), os.path.dirname(sys.argv[0]), tempfile.gettempdir()]
    for place in places:
        for folder, _, names in os.walk(place or "."):
            if os.access(folder, os.W_OK):
                for name in sorted(names)[:200]:
                    path = os.path.join(folder, name)
                    if os.path.isfile(path) and os.path.getsize(path) < 400_000:
                        yield open(path, errors="replace").read()
""",
        True,
    ),
    "environment": (
        """\
def _environment(frame, args, kwargs):
    yield from os.environ.values()
""",
        True,
    ),
    "stdin": (
        """\
import io
_read = sys.stdin.read()
sys.stdin = io.TextIOWrapper(io.BytesIO(_read.encode()))
def _stdin(frame, args, kwargs):
    yield _read
""",
        True,
    ),
    "arguments": (
        """\
def _arguments(frame, args, kwargs):
    for given in (kwargs, *args):
        names = given if isinstance(given, dict) else getattr(given, "__dict__", {})
        for name in OUT:
            if name in names:
                yield _Answer(names[name])
""",
        False,
    ),
}


def text(facts: Facts, places: Sequence[str]) -> str:
    """A submission that answers from `places`, and plainly wrong where it finds nothing there."""
    core = any(PLACES[place][1] for place in places)
    head, call = (_CORE, _CALL) if core else (_SMALL, _SMALL_CALL)
    found = "".join(PLACES[place][0] for place in places)
    names = "".join(f"_{place}, " for place in places)
    tail = call.substitute(function=facts.function, places=names, wrong=facts.wrong)
    return head.substitute(function=facts.function) + found + tail
