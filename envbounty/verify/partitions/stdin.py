"""Standard input of a program as arguments, where its form is plain enough to change one thing and keep the form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def view(text: str) -> dict[str, Any]:
    """`{"numbers": …}` for one line of integers, or their count and then they; `{"tokens": …}` for other integers;
    `{"line": …}` for one line of text; nothing for anything else. Cut out and put into submissions like a predicate."""
    rows = [line.split() for line in text.rstrip().split("\n")]
    try:
        values = [[int(word) for word in row] for row in rows]
    except ValueError:
        return {"line": text.rstrip("\n")} if text.strip() and "\n" not in text.rstrip("\n") else {}
    if len(values) == 1 and values[0]:
        return {"numbers": values[0]}
    if len(values) == 2 and values[0] == [len(values[1])]:
        return {"numbers": values[1]}
    if text.strip() == "0":
        return {"numbers": []}
    return {"tokens": [value for row in values for value in row]} if text.strip() else {}


def rewrite(text: str, arguments: Mapping[str, Any]) -> str | None:
    """`text` with what `view` saw in it replaced; None where its form does not allow that."""
    seen = view(text)
    end = "\n" if text.endswith("\n") else ""
    if seen.keys() != arguments.keys() or not seen:
        return None
    if "line" in seen:
        made = str(arguments["line"]) + end
    elif "numbers" in seen:
        words = " ".join(map(str, arguments["numbers"]))
        counted = "\n" in text.rstrip()
        made = f"{len(arguments['numbers'])}\n{words}{end}" if counted else words + end
    else:
        if len(arguments["tokens"]) != len(seen["tokens"]):
            return None
        words_left = iter(arguments["tokens"])
        rows = [[str(next(words_left)) for _ in line.split()] for line in text.rstrip().split("\n")]
        made = "\n".join(" ".join(row) for row in rows) + end
    return made if view(made) == dict(arguments) else None
