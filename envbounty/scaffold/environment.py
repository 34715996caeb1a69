"""`envbounty new`: one small, sound environment for its author to change."""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Mapping
from pathlib import Path

from envbounty.environment.spec import NAME, Author, Spec
from envbounty.scaffold.template import fill, read_template

#: What can be asked for: the native kinds, and the dialect `grader` for a `verify(text)` module as found.
KINDS = ("function", "program", "answer", "actions", "grader")


def new_environment(folder: Path, slug: str, kind: str, *, author: str) -> list[Path]:
    """Write the template of `kind` to `folder/slug` and return the files, in sorted order.

    Raises `ValueError` for a slug, kind or author that cannot be, `FileExistsError` when `folder/slug` is
    there already (nothing is written then), and other `OSError`s as they come.
    """
    rendered = render_environment(slug, kind, author)
    root = folder / slug
    folder.mkdir(parents=True, exist_ok=True)
    try:
        root.mkdir()
    except FileExistsError:
        raise FileExistsError(f"{root} is there already: choose another name, or remove it first.") from None
    written = []
    for path, text in rendered.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
        written.append(file)
    return written


def render_environment(slug: str, kind: str, author: str) -> dict[str, str]:
    """{path: text} of a new environment. Raises `ValueError` for a slug, kind or author that cannot be."""
    if kind not in KINDS:
        raise ValueError(f"there is no kind {kind!r}: choose one of {', '.join(KINDS)}.")
    shortest, longest = _bounds(Spec, "name")
    if not shortest <= len(slug) <= longest or not re.fullmatch(NAME, slug):
        raise ValueError(
            f"{slug[:80]!r} cannot be an environment's name: write {shortest} to {longest} lower-case "
            "letters and digits, beginning with a letter, words joined by single hyphens, say fewest-patrols."
        )
    author = author.strip()
    _, longest = _bounds(Author, "name")
    if not 1 <= len(author) <= longest or not author.isprintable():
        raise ValueError(f"the author must be a name of 1 to {longest} printable characters, say Ada Example.")
    template = read_template(kind)
    words = {
        "SLUG": slug,
        "TITLE": title_of(slug),
        # A JSON string is a YAML string too, whatever quotes, colons or braces a name has.
        "AUTHOR": json.dumps(author, ensure_ascii=False),
        "FUNCTION": function_of(slug, template),
    }
    return fill(template, words)


def title_of(slug: str) -> str:
    """A first title, long enough to be one."""
    title = slug.replace("-", " ").capitalize()
    return title if len(title) >= _bounds(Spec, "title")[0] else f"The task {title}"


def function_of(slug: str, template: Mapping[str, str]) -> str:
    """The slug as a Python name, set apart where the language or the template itself uses that name."""
    name = slug.replace("-", "_")
    used = any(re.search(rf"\b{name}\b", text) for path, text in template.items() if path.endswith(".py"))
    return f"solve_{name}" if used or keyword.iskeyword(name) else name


def _bounds(model: type[Author] | type[Spec], field: str) -> tuple[int, int]:
    """The shortest and the longest text that a model takes for a field: the rule stands in one place only."""
    found = model.model_fields[field].metadata
    least = next(item.min_length for item in found if getattr(item, "min_length", None) is not None)
    most = next(item.max_length for item in found if getattr(item, "max_length", None) is not None)
    return int(least), int(most)
