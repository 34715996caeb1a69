"""The HTTP side: one Starlette application on a port of 127.0.0.1, served from a thread."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
import time
from typing import TYPE_CHECKING, Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from localhub import auth, rest
from localhub.faults import Struck, wait
from localhub.model import App, Refused, Token
from localhub.rest.core import Answer, Call, Operation

if TYPE_CHECKING:
    from localhub.hub import Hub

DOCS = "https://docs.github.com/rest"
_METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]


class Server:
    """Serves one hub."""

    def __init__(self, hub: Hub) -> None:
        from localhub import graphql, pages, smart_http  # they need a whole hub, which needs this module

        self._hub = hub
        self._operations = [(op.method, _pattern(op.path), op) for op in rest.OPERATIONS]
        self._operations.append(("POST", re.compile(r"/graphql\Z"), graphql.OPERATION))
        self._app = Starlette(
            routes=[
                Route("/api/v3", self._api, methods=_METHODS),
                Route("/api/v3/{path:path}", self._api, methods=_METHODS),
                Route("/api/graphql", self._api, methods=["POST"]),
                *smart_http.routes(hub),
                *pages.routes(hub),
            ]
        )
        self.app = self._app
        self.url = ""
        self._uvicorn: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    def start(self, port: int) -> None:
        # Named as TCP, since asyncio turns off Nagle's delay (40 ms for each answer) only where it is.
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", port))
        self.url = f"http://127.0.0.1:{sock.getsockname()[1]}"
        config = uvicorn.Config(
            self._app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            # Longer than any test: a client whose idle connection ends while it writes cannot know what was done.
            timeout_keep_alive=3600,
            timeout_graceful_shutdown=2,
        )
        server = self._uvicorn = uvicorn.Server(config)
        self._thread = threading.Thread(target=server.run, args=([sock],), name="localhub", daemon=True)
        self._thread.start()
        while not server.started:
            if not self._thread.is_alive():
                raise RuntimeError("localhub did not start")
            time.sleep(0.005)

    def stop(self) -> None:
        """Stop listening. The thread ends by itself a moment later: uvicorn sleeps before it looks up."""
        if self._uvicorn:
            self._uvicorn.should_exit = self._uvicorn.force_exit = True

    def mount(self, prefix: str, asgi: Any) -> None:
        self._app.router.routes.insert(0, Mount(prefix, app=asgi))

    async def _api(self, request: Request) -> Response:
        body = await request.body()
        return await run_in_threadpool(self._handle, request, body)

    def _handle(self, request: Request, body: bytes) -> Response:
        hub = self._hub
        path = request.scope["path"].removeprefix("/api").removeprefix("/v3") or "/"
        if any(ord(letter) < 32 for letter in path):
            return Response(_dump({"message": "Not Found"}), 404, media_type="application/json")
        path = self._by_id(path)
        line = f"{request.method} {path}"
        for do in hub.faults.hooks_for(line):
            do()
        headers = {name.lower(): value for name, value in request.headers.items()}
        with hub.lock:
            hub.calls.append(line)
        if moved := self._moved(request.method, path):
            return moved
        op, params = self._find(request.method, path)
        call = Call(hub, request.method, path, params, dict(request.query_params), headers, body)
        struck = Struck()
        try:
            call.token, call.app = self._caller(headers.get("authorization"))
            struck = hub.faults.strike(line, call.token.uses if call.token else None)
            if call.token:
                call.token.uses += 1
            if struck.seconds:
                wait(struck.seconds, stop=[hub.stopping])
                if hub.stopping.is_set():
                    raise Refused(503, "Service Unavailable")
            answer = self._answer(op, call, struck)
        except Refused as why:
            answer = refusal(why)
        except Exception:
            hub.trouble.append(line)
            raise
        if hub.checker is not None and op is not None and struck.fault is None:
            hub.checker.check(op, call, answer)
        return self._response(call, answer, struck)

    def _by_id(self, path: str) -> str:
        """`/repositories/{id}/…` is another name of `/repos/{owner}/{repo}/…`."""
        match = re.match(r"/repositories/(\d+)(/.*)?\Z", path)
        repo = self._hub.repo_by_id(int(match[1])) if match else None
        return f"/repos/{repo.full_name}{(match and match[2]) or ''}" if repo else path

    def _moved(self, method: str, path: str) -> Response | None:
        """GitHub sends on who asks for a repository by a name it had before."""
        match = re.match(r"/repos/([^/]+/[^/]+)(/.*)?\Z", path)
        if match is None or self._hub.find_repo(match[1]) or match[1].lower() not in self._hub.moved:
            return None
        to = f"{self._hub.api}/repositories/{self._hub.moved[match[1].lower()].id}{match[2] or ''}"
        body = {"message": "Moved Permanently", "url": to, "documentation_url": DOCS}
        return Response(_dump(body), 301 if method == "GET" else 307, {"Location": to}, "application/json")

    def _find(self, method: str, path: str) -> tuple[Operation | None, dict[str, str]]:
        for verb, pattern, op in self._operations:
            if verb == method and (match := pattern.match(path)):
                return op, match.groupdict()
        return None, {}

    def _caller(self, header: str | None) -> tuple[Token | None, App | None]:
        text, hub = auth.bearer(header), self._hub
        if text is None:
            return None, None
        with hub.lock:
            if text.count(".") == 2 and not text.startswith("ghs_"):
                return None, auth.app_of_jwt(text, hub.apps, hub.now())
            return auth.check_token(hub.tokens.get(text), hub.now()), None

    def _answer(self, op: Operation | None, call: Call, struck: Struck) -> Answer:
        hub, fault = self._hub, struck.fault
        who, now = principal(call), hub.now()
        if fault is not None and (early := _struck(fault.kind, fault.retry_after)):
            return early
        with hub.lock:
            left = call.path == "/rate_limit" or hub.limits.take(who, now)
        if not left:
            raise Refused(403, f"API rate limit exceeded for {who}.")
        if op is None:
            raise Refused(404, "Not Found")
        with hub.lock:
            rest.authorize(op, call)
            makes = call.method in ("POST", "PUT", "PATCH") and not call.path.endswith("/access_tokens")
            if makes:
                seconds = hub.limits.wrote(who, now)
                if seconds is not None:
                    return _secondary(403, seconds if hub.limits.retry_after else None)
            if call.method != "GET":
                _ = call.json  # a body that cannot be is refused, whether the operation reads it or not
            answer = rest.finish(call, op.do(call))
        if fault is not None and fault.kind == "error_after":
            return Answer(500, {"message": "Server Error"})
        return answer

    def _response(self, call: Call, answer: Answer, struck: Struck) -> Response:
        hub = self._hub
        content = answer.body if isinstance(answer.body, bytes) else b"" if answer.body is None else _dump(answer.body)
        headers = {
            "X-GitHub-Media-Type": "github.v3; format=json",
            "X-GitHub-Request-Id": hashlib.md5(content).hexdigest()[:20],
        }
        if call.method == "GET" and answer.status == 200:
            etag = f'W/"{hashlib.sha256(content).hexdigest()}"'
            headers["ETag"], headers["Cache-Control"] = etag, "private, max-age=60, s-maxage=60"
            if call.headers.get("if-none-match") == etag:
                hub.limits.give_back(principal(call), hub.now())
                answer, content = Answer(304), b""
        out = struck.fault is not None and struck.fault.kind == "primary_limit"
        headers |= hub.limits.headers(principal(call), hub.now(), exhausted=out)
        headers |= answer.headers
        if content or answer.status not in (204, 302, 304):
            headers["Content-Type"] = answer.type
        return Response(content, answer.status, headers)


def principal(call: Call) -> str:
    """Whose rate limit a call counts against."""
    if call.app:
        return f"app ID {call.app.id}"
    if call.token is None:
        return "nobody"
    if call.token.installation:
        return f"installation ID {call.token.installation.id}"
    return f"user ID {call.token.user.id}"


def refusal(why: Refused) -> Answer:
    body: dict[str, Any] = {"message": why.message, "documentation_url": DOCS, "status": str(why.status)}
    return Answer(why.status, body | ({"errors": why.errors} if why.errors else {}))


def _secondary(status: int, retry_after: int | None) -> Answer:
    text = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    answer = refusal(Refused(status, text))
    if retry_after is not None:
        answer.headers["Retry-After"] = str(retry_after)
    return answer


def _struck(kind: str, retry_after: int | None) -> Answer | None:
    """The answer of a fault that strikes before anything is done."""
    if kind == "bad_gateway":
        return Answer(502, b"<html><body><h1>502 Bad Gateway</h1></body></html>", type="text/html")
    if kind == "unauthorized":
        return refusal(Refused(401, "Bad credentials"))
    if kind == "primary_limit":
        return refusal(Refused(403, "API rate limit exceeded for installation ID."))
    if kind in ("secondary_limit", "too_many"):
        return _secondary(429 if kind == "too_many" else 403, retry_after)
    return None


def _dump(body: Any) -> bytes:
    return json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode()


def _pattern(path: str) -> re.Pattern[str]:
    """`/repos/{owner}/contents/{path*}`: a name with a star takes slashes as well."""
    pieces = re.split(r"(\{\w+\*?\})", path)
    made: list[str] = []
    for piece in pieces:
        if piece.startswith("{"):
            name = piece.strip("{}*")
            made.append(f"(?P<{name}>{'.*' if piece.endswith('*}') else '[^/]+'})")
        else:
            made.append(re.escape(piece))
    return re.compile("".join(made) + r"\Z")
