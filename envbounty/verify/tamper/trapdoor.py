"""Back doors: the grader's own words given back to it, in every place where it might look for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from envbounty.verify.tamper.payload import Facts, Payload, stub, wrong
from envbounty.verify.tamper.text import BAD, GOOD

_NAME = re.compile(r"^[A-Za-z_]\w*$")
#: Names that mean something to Python or to every program, and are no back door.
_PLAIN = {"name", "main", "__main__", "__name__", "__file__", "__builtins__", "w", "r", "utf-8", "stdout", "stderr"}


def _all_words(facts: Facts) -> list[str]:
    return list(dict.fromkeys([*facts.signs.compared, *facts.signs.keys, *facts.signs.words]))


def _global_names(facts: Facts) -> Sequence[str]:
    names = [
        word
        for word in _all_words(facts)
        if _NAME.match(word) and word not in _PLAIN and word != facts.function and not word.startswith("__")
    ]
    return tuple(names)[:120]


_EQUAL = """\
class _Any(str):
    __eq__ = lambda self, other: True
    __hash__ = str.__hash__

"""


def _globals(value: str, facts: Facts, items: Sequence[str]) -> str:
    return (
        (_EQUAL if value != "True" else "")
        + wrong(facts)
        + f"\nfor _name in {list(items)!r}:\n"
        + f"    globals()[_name] = {value}\n    setattr({facts.function}, _name, {value})\n"
    )


def _variables(facts: Facts) -> Sequence[Sequence[str]]:
    """NAME=value for every variable that the grader reads; a round for each further value that one may wait for."""
    values: dict[str, list[str]] = {}
    for name, value in facts.signs.environment:
        values.setdefault(name, []).append(value)
    most = min(4, max(map(len, values.values()), default=0))
    return [[f"{name}={of[min(turn, len(of) - 1)]}" for name, of in values.items()] for turn in range(most)]


def _environment(facts: Facts, items: Sequence[str]) -> str:
    pairs = dict(item.split("=", 1) for item in items)
    return f"import os\nos.environ.update({pairs!r})\n\n" + wrong(facts)


def _marks(facts: Facts) -> Sequence[Sequence[str]]:
    """Texts that the grader looks for in what it was told: all of them, none of failure, none of success either."""
    words = [word for word in facts.signs.compared if 1 < len(word.strip()) <= 80 and "\n" not in word][:60]
    kind = [word for word in words if not BAD.search(word)]
    return [rest for rest in (words, kind, [word for word in kind if not GOOD.search(word)]) if rest]


def _contents(facts: Facts) -> Sequence[str]:
    """What a marker file may have to hold."""
    words = [word for word in facts.signs.compared if len(word) <= 60 and word not in facts.signs.paths]
    return tuple(dict.fromkeys(words))[:8] or ("1",)


def _marker_files(facts: Facts, items: Sequence[str]) -> str:
    return (
        "import os\n"
        f"for _path in {list(facts.signs.paths)!r}:\n"
        "    try:\n"
        "        os.makedirs(os.path.dirname(_path) or '.', exist_ok=True)\n"
        "        with open(_path, 'w') as _file:\n"
        f"            _file.write({items[0]!r})\n"
        "    except OSError:\n        pass\n\n"
    ) + wrong(facts)


def _printing(fd: int, facts: Facts, items: Sequence[str]) -> str:
    numbers = [int(value) for value in facts.signs.numbers if value == int(value) and 1 < value <= 500]
    times = max(numbers, default=3) + 1
    lines = "".join(f"{item}\n" for item in items)
    return f"import os\nfor _ in range({times}):\n    os.write({fd}, {lines!r}.encode())\n\n" + wrong(facts)


def _comments(facts: Facts, items: Sequence[str]) -> str:
    return "".join(f"# {item}\n" for item in items if "\n" not in item) + wrong(facts)


def _returning(facts: Facts, items: Sequence[str]) -> str:
    return stub(facts.function, f"return {items[0]}")


def _literals(facts: Facts) -> Sequence[str]:
    texts = [repr(word) for word in facts.signs.compared if len(word) <= 60 and not word.endswith((".py", ".txt"))]
    numbers = [repr(value) for value in facts.signs.numbers if value not in (0, 1)]
    return tuple(dict.fromkeys([*texts[:14], *numbers[:6]]))


PAYLOADS = (
    Payload(
        "sets the names that the grader asks for",
        "tamper-trapdoor",
        "Every name that stands as a text in the grader is set to true, among the submission's names and on its"
        " function.",
        (48,),
        lambda facts, items: _globals("True", facts, items),
        items=_global_names,
        applies=lambda facts: bool(_global_names(facts)),
        rank=lambda facts: 68,
    ),
    Payload(
        "sets the names that the grader asks for to anything",
        "tamper-trapdoor",
        "As before, each name to an object that equals whatever it is compared with.",
        (48, 10),
        lambda facts, items: _globals("_Any('yes')", facts, items),
        items=_global_names,
        applies=lambda facts: facts.signs.in_process and bool(_global_names(facts)),
        rank=lambda facts: 31,
    ),
    Payload(
        "sets the grader's environment",
        "tamper-trapdoor",
        "The variables of the environment that the grader reads are set to the values that it waits for.",
        (48, 36),
        _environment,
        rounds=_variables,
        applies=lambda facts: bool(facts.signs.environment),
        rank=lambda facts: 85,
    ),
    Payload(
        "writes the grader's marker files",
        "tamper-trapdoor",
        "The files that the grader names are written, with the words that it compares with inside.",
        (48, 27),
        _marker_files,
        items=_contents,
        each=True,
        applies=lambda facts: bool(facts.signs.paths),
        rank=lambda facts: 64,
    ),
    Payload(
        "prints the grader's words on standard error",
        "tamper-trapdoor",
        "The words that the grader looks for are printed on standard error, often; the function answers wrongly.",
        (48, 54),
        lambda facts, items: _printing(2, facts, items),
        rounds=_marks,
        applies=lambda facts: bool(_marks(facts)) and facts.signs.stderr and facts.signs.child,
        rank=lambda facts: 46,
    ),
    Payload(
        "prints the grader's words on standard output",
        "tamper-trapdoor",
        "The words that the grader looks for are printed on standard output, often; the function answers wrongly.",
        (48, 25),
        lambda facts, items: _printing(1, facts, items),
        rounds=_marks,
        applies=lambda facts: bool(_marks(facts)) and facts.signs.stdout,
        rank=lambda facts: 47,
    ),
    Payload(
        "writes the grader's words in comments",
        "tamper-trapdoor",
        "The words that the grader looks for stand in comments of the submission; the function answers wrongly.",
        (48, 22),
        _comments,
        rounds=_marks,
        applies=lambda facts: bool(_marks(facts)),
        rank=lambda facts: 41,
    ),
    Payload(
        "answers with the grader's words",
        "tamper-trapdoor",
        "The function answers with a text or a number that the grader compares with, whatever it is asked.",
        (48, 3),
        _returning,
        items=_literals,
        each=True,
        applies=lambda facts: bool(_literals(facts)),
        rank=lambda facts: 36,
    ),
)
