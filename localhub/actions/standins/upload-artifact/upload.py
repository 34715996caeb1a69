"""Packs the named files as actions/upload-artifact would, and sends them to the results service."""

import io
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path


def files(given: str) -> list[tuple[Path, str]]:
    """(file, its name in the archive): names are relative to the folder that all have in common, links are followed."""
    roots = [Path(os.path.abspath(line.strip())) for line in given.splitlines() if line.strip()]
    every = [path for root in roots for path in ([root] if root.is_file() else sorted(root.rglob("*")))]
    found = [path for path in every if path.is_file()]
    if not found:
        return []
    folders = [root if root.is_dir() else root.parent for root in roots]
    common = Path(os.path.commonpath(folders))
    return [(path, str(path.relative_to(common))) for path in found]


def main() -> int:
    packed = files(os.environ["FILES"])
    if not packed:
        print("No files were found with the provided path.")
        return 1 if os.environ["MISSING"] == "error" else 0
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, name in packed:
            archive.write(path, name)
    url = os.environ["ACTIONS_RESULTS_URL"] + "artifacts?" + urllib.parse.urlencode({"name": os.environ["NAME"]})
    headers = {"Authorization": f"Bearer {os.environ['ACTIONS_RUNTIME_TOKEN']}", "Content-Type": "application/zip"}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, buffer.getvalue(), headers), timeout=60) as answer:
            kept = json.load(answer)
    except urllib.error.HTTPError as error:
        print(f"::error::The artifact was not taken: {error.code}")
        return 1
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as outputs:
        outputs.write(f"artifact-id={kept['id']}\nartifact-digest={kept['digest']}\n")
    print(f"Artifact {kept['id']}: {len(packed)} files, {kept['size']} bytes, SHA-256 {kept['digest']}")
    return 0


sys.exit(main())
