"""git over HTTP: the real `git http-backend`, behind the hub's tokens and rules."""

from __future__ import annotations

import base64
import binascii
import gzip
import subprocess
from collections.abc import Mapping
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from localhub import auth, changes, rules
from localhub.git import ZERO, clean_env
from localhub.model import Refused, Repo, Token, at_least

if TYPE_CHECKING:
    from localhub.hub import Hub

_SERVICES = ("git-upload-pack", "git-receive-pack")


def routes(hub: Hub) -> list[Route]:
    """`/{owner}/{repo}.git/…`, and the same without `.git`."""

    async def serve(request: Request) -> Response:
        body = await request.body()
        return await run_in_threadpool(_serve, hub, request, body)

    paths = ("info/refs", *_SERVICES)
    return [
        Route(f"/{{owner}}/{{repo}}/{path}", serve, methods=["GET" if path == "info/refs" else "POST"])
        for path in paths
    ]


def _token(hub: Hub, header: str | None) -> Token | None:
    """The caller by Basic authentication, whose password is a token, or by a bearer token. Raises Refused (401)."""
    if header and header.lower().startswith("basic "):
        try:
            name, _, password = base64.b64decode(header[6:]).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError) as why:
            raise Refused(401, "Bad credentials") from why
        value: str | None = password or name
    else:
        value = auth.bearer(header)
    return None if value is None else auth.check_token(hub.tokens.get(value), hub.now())


def _serve(hub: Hub, request: Request, body: bytes) -> Response:
    service = request.query_params.get("service") or request.url.path.rsplit("/", 1)[-1]
    name = request.path_params["repo"].removesuffix(".git")
    pushing = service == "git-receive-pack"
    with hub.lock:
        repo = hub.find_repo(f"{request.path_params['owner']}/{name}")
        try:
            token = _token(hub, request.headers.get("authorization"))
        except Refused as why:
            return Response(why.message, why.status, {"WWW-Authenticate": 'Basic realm="localhub"'})
        if repo is None or service not in _SERVICES or not _may(token, repo, pushing):
            if token is None:
                return Response("Authentication required", 401, {"WWW-Authenticate": 'Basic realm="localhub"'})
            return Response("Repository not found.", 403 if repo and not repo.private else 404)
        env = _backend_env(request, repo, name, token)
        if not pushing or request.method == "GET":
            before: dict[str, str] = {}
        else:
            # The lock is held all through a push, so that what the hub knows and what git knows change together.
            before = repo.git.refs()
            env |= _forbidden(repo, token)
            response = _backend(env, body, request)
            assert token is not None
            after = repo.git.refs()
            for ref in sorted(before.keys() | after.keys()):
                changes.pushed(hub, repo, ref, before.get(ref, ZERO), after.get(ref, ZERO), token.user)
            return response
    return _backend(env, body, request)


def _may(token: Token | None, repo: Repo, pushing: bool) -> bool:
    if token is None:
        return not pushing and not repo.private
    if token.is_app:
        if auth.reaches(token, repo):
            return auth.may(token, "contents:write" if pushing else "contents:read") or not (pushing or repo.private)
        return not pushing and not repo.private
    return at_least(repo.role(token.user), "write" if pushing else "read")


def _forbidden(repo: Repo, token: Token | None) -> dict[str, str]:
    """What the update hook must refuse, by branch."""
    assert token is not None
    named: dict[str, list[str]] = {"LOCALHUB_NO_UPDATE": [], "LOCALHUB_NO_DELETE": [], "LOCALHUB_NO_FORCE": []}
    role = repo.role(token.user)
    app_id = token.installation.app.id if token.installation else None
    for ref in repo.git.refs("refs/heads/"):
        for rule in rules.for_actor(repo, ref.removeprefix("refs/heads/"), role, app_id):
            kind = {
                "pull_request": "NO_UPDATE",
                "update": "NO_UPDATE",
                "deletion": "NO_DELETE",
                "non_fast_forward": "NO_FORCE",
            }
            if rule.type in kind:
                named[f"LOCALHUB_{kind[rule.type]}"].append(ref)
    return {name: " ".join(refs) for name, refs in named.items()}


def _backend_env(request: Request, repo: Repo, name: str, token: Token | None) -> dict[str, str]:
    tail = request.url.path.split(f"/{request.path_params['repo']}/", 1)[1]
    return {
        "GIT_PROJECT_ROOT": str(repo.git.path.parent),
        "GIT_HTTP_EXPORT_ALL": "1",
        "PATH_INFO": f"/{repo.git.path.name}/{tail}",
        "QUERY_STRING": request.url.query,
        "REQUEST_METHOD": request.method,
        "CONTENT_TYPE": request.headers.get("content-type", ""),
        "REMOTE_USER": token.user.login if token else "",
        "REMOTE_ADDR": "127.0.0.1",
        "GIT_PROTOCOL": request.headers.get("git-protocol", ""),
    }


def _backend(env: Mapping[str, str], body: bytes, request: Request) -> Response:
    if request.headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    done = subprocess.run(
        ["git", "http-backend"],
        input=body,
        capture_output=True,
        check=False,
        env=clean_env({**env, "CONTENT_LENGTH": str(len(body))}),
    )
    head, _, content = done.stdout.partition(b"\r\n\r\n")
    status, headers = 200, {}
    for line in head.decode(errors="replace").split("\r\n"):
        key, _, value = line.partition(": ")
        if key.lower() == "status":
            status = int(value.split(" ")[0])
        elif key:
            headers[key] = value
    if done.returncode and not head:
        return Response("git http-backend failed", 500)
    return Response(content, status, headers)
