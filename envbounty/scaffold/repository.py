"""`envbounty init`: a bounty repository that verifies what contributors propose."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from envbounty.scaffold.template import fill, read_template

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_OWNER = re.compile(r"@[A-Za-z0-9](-?[A-Za-z0-9]){0,38}(/[A-Za-z0-9_.-]{1,100})?")

#: Without a commit to trust nothing is installed and the job fails: a green check must mean that it verified.
PINNED = """\
      # The commit of envbounty that you trust. Read what changed before you move it.
      - uses: envbounty/envbounty/actions/verify@{ref}
"""
UNPINNED = """\
      # NOT SET UP YET. This step fails on purpose, so that nothing passes unverified. Put these two lines in
      # its place, with the full hash of the envbounty commit that you trust:
      #   # The commit of envbounty that you trust. Read what changed before you move it.
      #   - uses: envbounty/envbounty/actions/verify@<40 hex digits>
      - name: Fail until the verify action is pinned
        run: |
          echo "::error file=.github/workflows/verify.yml::Nothing was verified: pin the action first."
          exit 1
"""
OWNED = """\
/.github/ {owner}
/policies/ {owner}
"""
UNOWNED = """\
# NOT SET UP YET. Put the maintainers in place of @YOUR-ORG/MAINTAINERS and take the # away.
# GitHub passes over owners that it does not know without a word, so an invented name would protect nothing.
# /.github/ @YOUR-ORG/MAINTAINERS
# /policies/ @YOUR-ORG/MAINTAINERS
"""


def init_repository(folder: Path, *, action_ref: str | None = None, owner: str | None = None) -> list[Path]:
    """Lay down a bounty repository in `folder`, and return the files written, in sorted order.

    `action_ref` is the full hash of the envbounty commit that the workflow runs; without it the workflow
    fails until somebody puts one in. `owner` (`@login` or `@org/team`) is who must review
    changes to `.github/` and `policies/`.

    A file that holds the same bytes already is left alone, so a second call writes nothing. Raises
    `FileExistsError`, which lists them all, when something else is where a file must go (nothing is written
    then), and `ValueError` for a hash or an owner that cannot be.
    """
    rendered = render_repository(action_ref, owner)
    if conflicts := _conflicts(folder, rendered):
        raise FileExistsError(
            f"{folder} has other things already where these would go, so nothing was written: "
            f"{', '.join(conflicts)}. Move them away, or choose an empty folder."
        )
    written = []
    for path, text in rendered.items():
        file = folder / path
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            # "x": what came there since the look above is not overwritten either.
            with open(file, "x", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
            written.append(file)
    return written


def render_repository(action_ref: str | None, owner: str | None) -> dict[str, str]:
    """{path: text} of a bounty repository. Raises `ValueError` for a hash or an owner that cannot be."""
    if action_ref is not None and not _SHA.fullmatch(action_ref):
        raise ValueError(
            f"{action_ref[:80]!r} is no full commit hash: give all 40 hex digits, in lower case. A branch or "
            "a tag can be moved to other code, so it is not taken."
        )
    if owner is not None and not _OWNER.fullmatch(owner):
        raise ValueError(f"{owner[:80]!r} cannot own code: write @login or @organisation/team.")
    words = {
        "VERIFY_STEP": (UNPINNED if action_ref is None else PINNED.format(ref=action_ref)).rstrip("\n"),
        "OWNERS": (UNOWNED if owner is None else OWNED.format(owner=owner)).rstrip("\n"),
    }
    return fill(read_template("repository"), words)


def _conflicts(folder: Path, rendered: Mapping[str, str]) -> list[str]:
    """What stands where one of the files, or a folder for it, must go. A link is never followed."""
    found: dict[str, None] = {}
    for path, text in rendered.items():
        place = folder
        for part in Path(path).parts[:-1]:
            place /= part
            if os.path.lexists(place) and (place.is_symlink() or not place.is_dir()):
                found[str(place.relative_to(folder))] = None
                break
        else:
            file = folder / path
            plain = file.is_file() and not file.is_symlink()
            if os.path.lexists(file) and not (plain and file.read_bytes() == text.encode()):
                found[path] = None
    return list(found)
