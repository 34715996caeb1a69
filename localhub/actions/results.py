"""Where a job's `upload-artifact` sends its files: what GitHub's results service does, with its limits."""

from __future__ import annotations

import re
import secrets
import threading
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

if TYPE_CHECKING:
    from localhub.runs import Job

#: GitHub's: so many artifacts for one job. The size is ours, to spare the machine.
MOST, MAX_BYTES = 500, 64 * 1024 * 1024
_NAME = re.compile(r'[^\x00-\x1f":<>|*?/\\]{1,256}')


class Results:
    """Takes artifacts from jobs that were made known. `app` is an ASGI application."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._counts: dict[int, int] = {}
        self._lock = threading.Lock()
        self.app = Starlette(routes=[Route("/artifacts", self._upload, methods=["POST"])])

    def admit(self, job: Job) -> str:
        """Its ACTIONS_RUNTIME_TOKEN, good until `dismiss`."""
        token = secrets.token_urlsafe(32)
        with self._lock:
            self._jobs[token] = job
        return token

    def dismiss(self, runtime_token: str) -> None:
        with self._lock:
            self._jobs.pop(runtime_token, None)

    async def _upload(self, request: Request) -> JSONResponse:
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        with self._lock:
            job = self._jobs.get(bearer)
        if job is None:
            return JSONResponse({"msg": "this job is over, or never was"}, 401)
        name = request.query_params.get("name", "")
        if not _NAME.fullmatch(name):
            return JSONResponse({"msg": "an artifact cannot have this name"}, 400)
        data = bytearray()
        async for chunk in request.stream():
            data += chunk
            if len(data) > MAX_BYTES:
                return JSONResponse({"msg": "the artifact is too large"}, 413)
        return await run_in_threadpool(self._keep, job, name, bytes(data))

    def _keep(self, job: Job, name: str, data: bytes) -> JSONResponse:
        with self._lock:
            if any(one.name == name for one in job.run.artifacts):
                return JSONResponse({"msg": "an artifact with this name already exists on the workflow run"}, 409)
            if self._counts.get(job.id, 0) >= MOST:
                return JSONResponse({"msg": "too many artifacts for one job"}, 429)
            self._counts[job.id] = self._counts.get(job.id, 0) + 1
            number = job.run.add_artifact(name, data)
        (kept,) = [one for one in job.run.artifacts if one.id == number]
        return JSONResponse({"id": number, "digest": kept.digest.removeprefix("sha256:"), "size": len(data)})
