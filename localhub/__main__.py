"""`python -m localhub [FOLDER]`: a hub to try a GitHub App against, with one repository made of a folder's files."""

from __future__ import annotations

import argparse
import signal
import threading
from pathlib import Path

from localhub.hub import Hub

SKIPPED = {".git", ".venv", "node_modules", "__pycache__"}


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below `folder`, by its path in the repository."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    inside = ((path.relative_to(folder), path) for path in paths)
    return {name.as_posix(): path.read_bytes() for name, path in inside if not SKIPPED & set(name.parts)}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="localhub", description="A GitHub on this machine, for trying an App against."
    )
    parser.add_argument("folder", nargs="?", type=Path, help="its files become the repository's first commit")
    parser.add_argument("--port", type=int, default=8010)
    parser.add_argument("--repo", default="acme/project", metavar="OWNER/NAME")
    given = parser.parse_args()
    with Hub.start(given.port) as hub:
        maintainer, contributor, owner = hub.user("max"), hub.user("ann"), hub.user("olga")
        repo = hub.create_repo(given.repo, files_of(given.folder) if given.folder else None, maintainers=[maintainer])
        if repo.owner.type == "Organization":
            hub.organization(repo.owner.login, [owner])
        print(f"Pages    {hub.url}/{repo.full_name}")
        print(f"API      {hub.api} (GraphQL: {hub.graphql})")
        print(f"Clone    git clone {hub.url}/{repo.full_name}.git")
        for person, role in ((owner, "owner"), (maintainer, "maintainer"), (contributor, "contributor")):
            print(f"Token    {person.login}, {role}: {person.token}")
        print(f"New App  post a manifest to {hub.url}/settings/apps/new; Ctrl-C ends everything", flush=True)
        ended = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: ended.set())
        ended.wait()


if __name__ == "__main__":
    main()
