"""Who owns a file, by a CODEOWNERS file. Pure.

The matching is the library `codeowners`'. Read before it, for GitHub reads the file more narrowly than others do: the
rest of a line after ` #` is a comment, and a pattern with `!` or `[` is none at all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import codeowners

#: Where GitHub looks for the file, in this order; the first one found counts.
PLACES = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")

#: GitHub loads no larger one, in bytes.
MAX_SIZE = 3 * 1024 * 1024

_COMMENT = re.compile(r"(?:^|\s)#.*$")


@dataclass(frozen=True)
class Owner:
    """A user or a team, by the name written in the file, or an address. Names are compared without case."""

    kind: str  # user, team or email
    name: str  # octocat, org/team or somebody@example.org

    def is_user(self, login: str) -> bool:
        return self.kind == "user" and self.name.casefold() == login.casefold()


_KIND = {"USERNAME": "user", "TEAM": "team", "EMAIL": "email"}


class Owners:
    """The rules of one CODEOWNERS file. The last rule that matches a path decides, also when it names nobody."""

    def __init__(self, text: str) -> None:
        if len(text.encode("utf-8", "replace")) > MAX_SIZE:
            text = ""
        self._rules = codeowners.CodeOwners("\n".join(_lines(text)))

    def of(self, path: str) -> tuple[Owner, ...]:
        """The owners of a file; empty for one that nobody owns. `path` has no leading slash."""
        return tuple(Owner(_KIND[kind], name.removeprefix("@")) for kind, name in self._rules.of(path))


def _lines(text: str) -> list[str]:
    kept = []
    for raw in text.splitlines():
        line = _COMMENT.sub("", raw).strip()
        pattern = line.split()[0] if line else ""
        # Left out as a whole, as on GitHub: then an earlier, broader rule holds.
        if pattern and not pattern.startswith("!") and not {"[", "]"} & set(pattern):
            kept.append(line)
    return kept
