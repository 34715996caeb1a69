"""Templates as values: {path: text}, with the few words that differ put in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable

#: Every template's name ends so; else git, linters and `envbounty verify` would take it for what it will be.
SUFFIX = ".tmpl"
_PLACE = re.compile(r"__([A-Z][A-Z_]*?[A-Z])__")


def read_template(kind: str) -> dict[str, str]:
    """The files of one template, by the paths that they will have, sorted. Raises `FileNotFoundError`."""
    return dict(sorted(_walk(files("envbounty.scaffold") / "templates" / kind, "")))


def _walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(SUFFIX):
            yield prefix + entry.name.removesuffix(SUFFIX), entry.read_text(encoding="utf-8")


def fill(template: Mapping[str, str], words: Mapping[str, str]) -> dict[str, str]:
    """The template with `__WORD__` replaced by `words["WORD"]`. Raises `KeyError` for a word not given.

    One pass, so that a value which looks like a place itself stays as it is.
    """
    return {path: _PLACE.sub(lambda match: words[match[1]], text) for path, text in template.items()}
