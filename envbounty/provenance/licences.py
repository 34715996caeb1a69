"""Licences: is it one, may we take it, and do the files say the same as env.yaml?"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from license_expression import ExpressionError, Licensing, get_spdx_licensing

#: What is taken when no policy says otherwise: licences that ask for no more than their notice to be kept.
PERMISSIVE = frozenset(
    {
        "0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-1-Clause", "BSD-2-Clause", "BSD-2-Clause-Patent", "BSD-3-Clause",
        "BSL-1.0", "CC-BY-4.0", "CC0-1.0", "ISC", "MIT", "MIT-0", "NCSA", "PostgreSQL", "PSF-2.0", "Python-2.0",
        "Unlicense", "UPL-1.0", "X11", "Zlib",
    }
)  # fmt: skip

_DECLARED = re.compile(r"SPDX-License-Identifier:[ \t]*([A-Za-z0-9.+() -]{2,100})")
#: How files say a licence without an SPDX line.
_SAID: Mapping[str, re.Pattern[str]] = {
    "AGPL-3.0-or-later": re.compile(r"GNU\s+Affero\s+General\s+Public\s+Licen[cs]e", re.I),
    "LGPL-2.1-or-later": re.compile(r"GNU\s+(?:Lesser|Library)\s+General\s+Public\s+Licen[cs]e", re.I),
    "GPL-2.0-or-later": re.compile(r"GNU\s+General\s+Public\s+Licen[cs]e", re.I),
    "MPL-2.0": re.compile(r"Mozilla\s+Public\s+Licen[cs]e", re.I),
    "Apache-2.0": re.compile(r"Licensed\s+under\s+the\s+Apache\s+Licen[cs]e", re.I),
    "MIT": re.compile(r"Permission\s+is\s+hereby\s+granted,\s+free\s+of\s+charge,\s+to\s+any\s+person", re.I),
    "BSD-3-Clause": re.compile(r"Redistribution\s+and\s+use\s+in\s+source\s+and\s+binary\s+forms", re.I),
    "CC-BY-NC-4.0": re.compile(r"Creative\s+Commons\s+[^\n]{0,20}Non-?Commercial|\bCC[ -]BY[ -]NC\b", re.I),
}
#: Of these the words of a notice do not tell which version or variant is meant.
_FAMILY = re.compile(r"^(?:[AL]?GPL|MPL|BSD|CC-BY-NC)(?=-)")
#: A notice stands at the top; a file called LICENSE is one throughout.
_TOP_LINES = 60


@dataclass(frozen=True)
class Said:
    """A licence that a file names."""

    licence: str
    line: int


@lru_cache(maxsize=1)
def _spdx() -> Licensing:
    return get_spdx_licensing()


@lru_cache(maxsize=1)
def known_ids() -> tuple[str, ...]:
    """The ids of SPDX; the library knows others too, which begin with `LicenseRef-`."""
    return tuple(sorted(key for key in _spdx().known_symbols if not key.startswith("LicenseRef-")))


def unknown(expression: str) -> list[str]:
    """What is no SPDX id in an expression, and what cannot stand where it does; empty for a valid expression."""
    try:
        info = _spdx().validate(expression)
    except (ExpressionError, AttributeError, TypeError, RecursionError):
        return [expression]
    if info.errors:
        return [str(symbol) for symbol in info.invalid_symbols] or [expression]
    # A name of somebody's own tells a stranger nothing.
    return [key for key in _keys(expression) if key.startswith("LicenseRef-")]


def nearest(identifier: str) -> str | None:
    """The SPDX id that was most likely meant."""
    lower = {known.lower(): known for known in known_ids()}
    shortened = re.sub(r"[\s_]+", "-", identifier.strip().lower())
    usual = {"apache": "Apache-2.0", "apache-2": "Apache-2.0", "apache2": "Apache-2.0", "bsd": "BSD-3-Clause"}
    if shortened in usual:
        return usual[shortened]
    near = difflib.get_close_matches(shortened, lower, n=1, cutoff=0.6)
    return lower[near[0]] if near else None


def refused(expression: str, allowed: frozenset[str]) -> list[str]:
    """The licences that stand in the way of taking a valid expression; empty when it can be taken.

    Of `A OR B` one is enough, of `A AND B` both are needed; an exception (`WITH`) only adds to what is allowed.
    """
    return sorted(set(_refused(_spdx().parse(expression), allowed)))


def _refused(node: object, allowed: frozenset[str]) -> list[str]:
    parts = getattr(node, "args", ())
    if type(node).__name__ in ("OR", "AND"):
        each = [_refused(part, allowed) for part in parts]
        if type(node).__name__ == "OR" and not all(each):
            return []
        return [key for keys in each for key in keys]
    key = str(getattr(getattr(node, "license_symbol", node), "key", node))
    return [] if key in allowed else [key]


def _keys(expression: str) -> list[str]:
    try:
        return [str(key) for key in _spdx().license_keys(expression)]
    except (ExpressionError, AttributeError, TypeError, RecursionError):
        return [expression]


def said_in(text: str) -> Iterator[Said]:
    """The licences that a file names, each once, with its line."""
    seen = set()
    for match in _DECLARED.finditer(text):
        licence = match[1].strip().removesuffix("*/").strip(" -")
        if licence not in seen:
            seen.add(licence)
            yield Said(licence, text.count("\n", 0, match.start()) + 1)
    if seen:
        return
    top = "\n".join(text.split("\n", _TOP_LINES)[:_TOP_LINES])
    for licence, pattern in _SAID.items():
        if (found := pattern.search(top)) is not None:
            yield Said(licence, text.count("\n", 0, found.start()) + 1)
            return


def contradicts(said: str, declared: str) -> bool:
    """Whether a file's licence is no part of what env.yaml declares, whatever version of the same family."""
    names = {_family(key) for key in _keys(declared)}
    return not {_family(key) for key in _keys(said)} <= names


def _family(key: str) -> str:
    found = _FAMILY.match(key)
    return found[0] if found else key
