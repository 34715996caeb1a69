"""`envbounty init`: a bounty repository whose pull requests the App examines."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from envbounty.scaffold.template import fill, read_template

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_OWNER = re.compile(r"@[A-Za-z0-9](-?[A-Za-z0-9]){0,38}(/[A-Za-z0-9_.-]{1,100})?")

#: Each tier has a workflow of its name, whose one job calls envbounty's at the trusted commit.
TIERS = ("verify", "attack", "gpu-bench")
PINNED = """\
  tier:
    name: {tier}
    permissions:
      contents: read # the called workflow's job sandbox: the pull request's commit
      actions: read # … its job report: the artifact with the report
      id-token: write # … its job report: who it is, for the bot alone
    # The commit of envbounty that you trust. Read what changed before you move it.
    uses: envbounty/envbounty/.github/workflows/{tier}.yml@{ref}
    with:
      job_id: ${{{{ inputs.job_id }}}}
      pr: ${{{{ inputs.pr }}}}
      head_sha: ${{{{ inputs.head_sha }}}}
      base_sha: ${{{{ inputs.base_sha }}}}
      bot_url: ${{{{ inputs.bot_url }}}}
      audience: ${{{{ inputs.audience }}}}
"""
#: Without a commit to trust nothing runs and the job fails: a green check must mean that something was examined.
UNPINNED = """\
  # NOT SET UP YET. This job fails on purpose, so that nothing passes unexamined. Delete this file and run
  # `envbounty init . --action-ref <40 hex digits>` with the envbounty commit that you trust; it is written anew then.
  tier:
    name: {tier}
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    permissions: {{}}
    steps:
      - name: Fail until envbounty is pinned
        run: |
          echo "::error file=.github/workflows/{tier}.yml::Nothing was examined: pin envbounty first."
          exit 1
"""
OWNED = """\
* {owner}
/environments/*/
"""
UNOWNED = """\
# NOT SET UP YET. Put the maintainers in place of @YOUR-ORG/MAINTAINERS and take the # away.
# GitHub passes over owners that it does not know without a word, so an invented name would protect nothing.
# * @YOUR-ORG/MAINTAINERS
# /environments/*/
"""


def init_repository(folder: Path, *, action_ref: str | None = None, owner: str | None = None) -> list[Path]:
    """Lay down a bounty repository in `folder`, and return the files written, in sorted order.

    `action_ref` is the full hash of the envbounty commit whose workflows are called; without it the workflows
    fail until they are written anew with one. `owner` (`@login` or `@org/team`) is who must review
    changes to anything but environments.

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
    job = UNPINNED if action_ref is None else PINNED
    words = {
        f"{tier.upper().replace('-', '_')}_JOB": job.format(tier=tier, ref=action_ref).rstrip("\n") for tier in TIERS
    }
    words["OWNERS"] = (UNOWNED if owner is None else OWNED.format(owner=owner)).rstrip("\n")
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
