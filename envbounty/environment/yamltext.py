"""Reading YAML from strangers: safe, bounded, and able to say on which line a key stands."""

from __future__ import annotations

from typing import Any

import yaml

from envbounty.environment.problems import ContractError, Problem

MAX_BYTES = 64 * 1024
MAX_DEPTH = 20

Path = tuple[str | int, ...]


class Located:
    """A YAML document as plain values, and the line of every key in it."""

    def __init__(self, value: Any, lines: dict[Path, int]) -> None:
        self.value = value
        self.lines = lines

    def line(self, path: Path) -> int:
        """The line of `path`, or of its closest parent that stands in the file; 1 for none."""
        for end in range(len(path), -1, -1):
            if (line := self.lines.get(path[:end])) is not None:
                return line
        return 1


def read_yaml(text: str, file: str) -> Located:
    """Parse `text`. Raises `ContractError` naming the line for anything but one plain document.

    Anchors and aliases are refused: they let ten lines stand for a billion values. Tags are refused: nothing here is
    anything but text, numbers, lists and mappings. A key given twice is refused: YAML keeps the last and says nothing,
    so one of the two is not what its writer thinks.
    """
    if len(text.encode()) > MAX_BYTES:
        raise ContractError(
            [Problem(file, 1, "", f"is larger than {MAX_BYTES // 1024} KiB.", "Keep data in environment.py.")]
        )
    try:
        _refuse_tricks(text, file)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = " ".join(part for part in (error.context, error.problem) if part) or "cannot be read"
        problem = Problem(file, mark.line + 1 if mark else 1, "", f"is not YAML: {what}.", "Mend the syntax here.")
        raise ContractError([problem]) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        message = f"holds the character {text[error.position]!r}, which YAML does not have."
        raise ContractError([Problem(file, line, "", message, "Take it out.")]) from None
    lines: dict[Path, int] = {}
    value = {} if node is None else _build(node, (), file, lines)
    return Located(value, lines)


def _refuse_tricks(text: str, file: str) -> None:
    """Raise for anchors, aliases, tags and deep nesting, before anything is built from them.

    The parser's time grows with the square of the depth, so this also bounds how long a file can keep it busy.
    """
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if anchor is not None:
            message = f"uses the YAML anchor or alias {anchor!r}."
            raise ContractError([Problem(file, line, "", message, "Write the value out.")])
        if tag is not None:
            message = f"uses the YAML tag {tag!r}."
            raise ContractError([Problem(file, line, "", message, "Write the value without a tag.")])
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise ContractError([Problem(file, line, "", "is nested too deeply.", "Flatten it.")])


def _build(node: yaml.Node, path: Path, file: str, lines: dict[Path, int]) -> Any:
    line = node.start_mark.line + 1
    lines.setdefault(path, line)
    if isinstance(node, yaml.MappingNode):
        out: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key_line = key_node.start_mark.line + 1
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key is None:
                raise ContractError([Problem(file, key_line, _dotted(path), "has a key that is no word.", "Name it.")])
            if key in out:
                where = _dotted((*path, key))
                raise ContractError([Problem(file, key_line, where, "stands twice.", "Keep one of the two.")])
            lines[(*path, key)] = key_line
            out[key] = _build(value_node, (*path, key), file, lines)
        return out
    if isinstance(node, yaml.SequenceNode):
        return [_build(item, (*path, index), file, lines) for index, item in enumerate(node.value)]
    try:
        # The safe loader's own reading of a scalar (true, 12, 1.5, text, null); nothing else can be made here.
        value = yaml.SafeLoader("").construct_object(node, deep=True)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        problem = Problem(file, line, _dotted(path), f"is not a plain value: {error}.", "Write text or a number.")
        raise ContractError([problem]) from None
    if isinstance(value, int) and abs(value) >= 1 << 63:
        problem = Problem(file, line, _dotted(path), "is a number beyond 64 bits.", "Write a smaller one.")
        raise ContractError([problem])
    return value


def _dotted(path: Path) -> str:
    return ".".join(str(part) for part in path)
