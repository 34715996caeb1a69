"""What a mutant is, and what one is made of."""

from __future__ import annotations

from dataclasses import dataclass, field

#: How much of a changed line is shown.
SHOWN = 100


@dataclass(frozen=True)
class Edit:
    """One splice: the bytes from `start` to `end` of the source (UTF-8) become `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Draft:
    """An edit that an operator proposes. `tier`: see `rank`; None is the operator's own."""

    operator: str
    edit: Edit
    tier: int | None = None


@dataclass(frozen=True)
class Mutant:
    """A source with one small change, or several (`order`), that a hurried person could have made."""

    text: str  # the whole mutated source
    operator: str  # "off-by-one", "delete-statement", …: see `rank.TIERS`
    line: int  # where, in the original; from 1
    before: str  # the changed line or lines, as one line, clipped …
    after: str  # … and what became of them
    order: int = 1
    edits: tuple[Edit, ...] = field(default=(), repr=False)  # in the order of the text


def apply(data: bytes, edits: tuple[Edit, ...]) -> bytes:
    """`data` with edits that do not overlap, given in the order of the text."""
    parts, at = [], 0
    for edit in edits:
        parts += [data[at : edit.start], edit.text.encode()]
        at = edit.end
    return b"".join([*parts, data[at:]])


def build(data: bytes, operator: str, edits: tuple[Edit, ...], order: int = 1) -> Mutant:
    """The mutant of the source `data` (valid UTF-8) that these edits make."""
    shown = [_shown(data, edit) for edit in edits]
    return Mutant(
        text=apply(data, edits).decode(),
        operator=operator,
        line=line_at(data, edits[0].start),
        before=" … ".join(before for before, _ in shown),
        after=" … ".join(after for _, after in shown),
        order=order,
        edits=edits,
    )


def line_at(data: bytes, offset: int) -> int:
    """The line of an offset, from 1; lines end as Python's do."""
    before = data[:offset].replace(b"\r\n", b"\n")
    return 1 + before.count(b"\n") + before.count(b"\r")


def _shown(data: bytes, edit: Edit) -> tuple[str, str]:
    """The whole lines that an edit touches, before and after, each as one line around the change."""
    start = max(data.rfind(b"\n", 0, edit.start), data.rfind(b"\r", 0, edit.start)) + 1
    ends = [at for at in (data.find(b"\n", edit.end), data.find(b"\r", edit.end)) if at >= 0]
    end = min(ends, default=len(data))
    most = 8 * SHOWN
    head = data[max(start, edit.start - most) : edit.start].decode(errors="ignore")
    tail = data[edit.end : min(end, edit.end + most)].decode(errors="ignore")
    middle = data[edit.start : min(edit.end, edit.start + most)].decode(errors="ignore")
    return _window(head, middle, tail), _window(head, edit.text[:most], tail)


def _window(head: str, middle: str, tail: str) -> str:
    """`head`, `middle` and `tail` as one line of at most `SHOWN` characters that begins before `middle`."""
    head = " ".join(head.split()) + (" " if head[-1:].isspace() and head.strip() else "")
    if len(head) > SHOWN // 2:
        head = "…" + head[-SHOWN // 2 :]
    line = head + " ".join((middle + tail).split())
    if middle[:1].isspace() and head and not head.endswith(" "):
        line = head + " " + " ".join((middle + tail).split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"
