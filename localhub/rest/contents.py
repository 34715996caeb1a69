"""Files and folders at a ref, read and written."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from localhub import changes, shapes
from localhub.git import GitError
from localhub.model import Refused
from localhub.rest.core import Answer, Call, operation
from localhub.rest.repos import check_push


@operation("GET /repos/{owner}/{repo}/contents/{path*}", app="contents:read")
def get(call: Call) -> Any:
    repo, hub = call.repo, call.hub
    ref = call.query.get("ref") or repo.default_branch
    sha = repo.git.commit_sha(ref.removeprefix("refs/heads/"))
    if sha is None:
        raise Refused(404, f"No commit found for the ref {ref}")
    entry = repo.git.entry(sha, call.params["path"])
    if entry is None:
        raise Refused(404, "Not Found")
    accept = call.headers.get("accept", "")
    if entry.type == "tree":
        below = repo.git.tree(sha, entry.path)
        if "object" in accept:
            body = shapes.content(hub, repo, entry, ref, None)
            return body | {"entries": [shapes.content(hub, repo, one, ref, None) for one in below]}
        return [shapes.content(hub, repo, one, ref, None) for one in below]
    data = repo.git.blob(entry.sha)
    if "raw" in accept:
        return Answer(200, data, type="application/vnd.github.raw; charset=utf-8")
    return shapes.content(hub, repo, entry, ref, data)


@operation("PUT /repos/{owner}/{repo}/contents/{path*}", app="contents:write", role="write")
def put(call: Call) -> Any:
    """Make or change one file, as a commit of its own."""
    repo, hub, path = call.repo, call.hub, call.params["path"].strip("/")
    branch = call.json.get("branch") or repo.default_branch
    old = repo.git.ref(f"refs/heads/{branch}")
    if old is None:
        raise Refused(404, f"Branch {branch} not found")
    there = repo.git.entry(old, path)
    if there and there.sha != call.json.get("sha"):
        status, text = (
            (422, 'Invalid request.\n\n"sha" wasn\'t supplied.')
            if not call.json.get("sha")
            else (409, f"{path} does not match {call.json['sha']}")
        )
        raise Refused(status, text)
    try:
        data = base64.b64decode(call.need("content"), validate=False)
    except binascii.Error as why:
        raise Refused(422, "content is not valid Base64") from why
    message = call.need("message")
    try:
        new = repo.git.write([old], {path: data}, message, call.user.login, call.user.email, hub.now())
    except GitError as why:
        raise Refused(422, "path contains a malformed path component") from why
    check_push(call, f"refs/heads/{branch}", old, new)
    repo.git.set_ref(f"refs/heads/{branch}", new, old)
    changes.pushed(hub, repo, f"refs/heads/{branch}", old, new, call.user)
    entry = repo.git.entry(new, path)
    assert entry is not None
    body = {
        "content": shapes.content(hub, repo, entry, branch, None),
        "commit": shapes.git_commit(hub, repo, repo.git.commit(new)),
    }
    return (200 if there else 201), body
