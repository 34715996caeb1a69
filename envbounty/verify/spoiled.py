"""A submission that is a right one everywhere but in some classes of input, where it answers wrongly."""

from __future__ import annotations

from collections.abc import Sequence

from envbounty.verify.partitions import predicate_source
from envbounty.verify.partitions.source import plain
from envbounty.verify.partitions.stdin import view

#: The nearest wrong answer of the same type.
_WRONG = """\
def _envbounty_wrong(x):
    if isinstance(x, bool):
        return not x
    if isinstance(x, (int, float)):
        return 2 * abs(x) + 1
    if isinstance(x, str):
        return x + "?"
    if isinstance(x, (list, tuple)):
        return type(x)(x[:-1]) if x else [0]
    return {} if x else 0
"""

#: A call that the right program makes of itself is not spoiled: only what was asked from outside is.
_FUNCTION = """\
_envbounty_right = {name}
_envbounty_inside = [False]


def {name}(*given, **named):
    if _envbounty_inside[0]:
        return _envbounty_right(*given, **named)
    asked = in_these_classes({{**dict(zip({parameters!r}, given)), **named}})
    _envbounty_inside[0] = True
    try:
        answer = _envbounty_right(*given, **named)
    finally:
        _envbounty_inside[0] = False
    return _envbounty_wrong(answer) if asked else answer
"""

_PROGRAM = """\
import io as _io, sys as _sys

{predicate}

{view}

_text = _sys.stdin.buffer.read()
if in_these_classes(view(_text.decode("utf-8", "replace"))):
    print("wrong")
    raise SystemExit
_sys.stdin = _io.TextIOWrapper(_io.BytesIO(_text), encoding="utf-8")

"""


def spoiled_function(text: str, name: str, parameters: Sequence[str], classes: Sequence[str]) -> str:
    """Python source `text`, whose function `name` then answers wrongly in `classes` (see `partitions`)."""
    predicate = predicate_source(*classes, function="in_these_classes")
    wrapper = _FUNCTION.format(name=name, parameters=tuple(parameters))
    return "\n\n".join([text.rstrip(), "\n# In some classes of input, wrong:", predicate, _WRONG, wrapper])


def spoiled_program(text: str, classes: Sequence[str]) -> str:
    """Python program `text`, which then prints a wrong answer where `stdin.view` of its input is in `classes`."""
    predicate = predicate_source(*classes, function="in_these_classes")
    return _PROGRAM.format(predicate=predicate, view=plain(view)) + text
