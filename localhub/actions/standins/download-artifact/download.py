"""Fetches artifacts by id through the REST API and unpacks them, holding each against the digest that GitHub keeps."""

import hashlib
import io
import json
import os
import sys
import urllib.request
import zipfile
from pathlib import Path
from urllib.parse import urlsplit


class Bare(urllib.request.HTTPRedirectHandler):
    """Follows a redirect without the token."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):  # type: ignore[no-untyped-def]
        return urllib.request.Request(newurl)


def get(url: str) -> bytes:
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {os.environ['TOKEN']}"})
    with urllib.request.build_opener(Bare).open(request, timeout=60) as answer:
        return bytes(answer.read())


def main() -> int:
    folder = Path(os.environ["GITHUB_WORKSPACE"], os.environ["FOLDER"])
    root = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}/actions/artifacts"
    assert urlsplit(root).scheme in ("http", "https")
    for number in os.environ["IDS"].split(","):
        record = json.loads(get(f"{root}/{int(number)}"))
        data = get(f"{root}/{int(number)}/zip")
        if f"sha256:{hashlib.sha256(data).hexdigest()}" != record["digest"]:
            print("::error::The artifact's digest is another one.")
            return 1
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            archive.extractall(folder)
        print(f"Artifact {number}: {len(data)} bytes")
    return 0


sys.exit(main())
