"""POST /webhook, POST /report, GET /healthz, GET /metrics."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool

from bot import intake, ledger, metrics
from bot.health import Health
from bot.logs import logger
from bot.reporting import Reporting
from bot.settings import MAX_REPORT, MAX_WEBHOOK
from bot.store.database import Store

log = logger(__name__)

Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


class TooLarge(Exception):
    """A body beyond its cap. The rest of it was not read."""


def build(
    secret: str,
    store: Store,
    reporting: Reporting,
    health: Health,
    *,
    on_delivery: Callable[[], None] = lambda: None,
    lifespan: Lifespan | None = None,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    gather: timedelta = timedelta(0),
) -> FastAPI:
    """The ASGI application. `on_delivery` is called when there is something to look at."""
    app = FastAPI(title="envbounty bot", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)

    @app.post("/webhook")
    async def webhook(request: Request) -> Response:
        try:
            body = await capped(request, MAX_WEBHOOK)
        except TooLarge:
            metrics.DELIVERIES.labels("refused").inc()
            return _error(413, "too-large", "a webhook has at most 25 MiB")
        began = time.perf_counter()
        try:
            envelope = intake.open_envelope(request.headers, body, secret)
        except intake.Refused as refused:
            metrics.DELIVERIES.labels("refused").inc()
            log.warning("a webhook is refused", status=refused.status, why=str(refused))
            return _error(refused.status, "refused", str(refused))
        try:
            outcome = await run_in_threadpool(ledger.file, store, envelope, clock(), gather)
        except SQLAlchemyError as error:
            # Not recorded, so not acknowledged: GitHub shows it as failed, and it is asked for again later.
            log.error("a delivery could not be recorded", delivery=envelope.guid, error=type(error).__name__)
            return _error(503, "database", "it could not be recorded")
        metrics.ACKNOWLEDGED.observe(time.perf_counter() - began)
        on_delivery()
        return JSONResponse({"outcome": outcome}, 202)

    @app.post("/report")
    async def report(request: Request) -> Response:
        try:
            body = await capped(request, MAX_REPORT)
        except TooLarge:
            return _error(413, "too-large", f"a report has at most {MAX_REPORT} bytes")
        given = request.headers.get("authorization", "")
        reply = await run_in_threadpool(reporting.post, given, body, clock())
        if reply.status == 202:
            on_delivery()
            return JSONResponse({"outcome": reply.code}, 202)
        answer = _error(reply.status, reply.code, reply.message)
        if reply.retry:
            answer.headers["retry-after"] = "10"
        return answer

    @app.get("/healthz")
    async def healthz() -> Response:
        found = await run_in_threadpool(health.look, clock())
        return JSONResponse(found.body(), 200 if found.well else 503)

    @app.get("/metrics")
    async def show_metrics() -> Response:
        await run_in_threadpool(health.gauge, clock())
        return PlainTextResponse(metrics.render(), media_type="text/plain; version=0.0.4; charset=utf-8")

    return app


async def capped(request: Request, most: int) -> bytes:
    """The body, read no further than `most` bytes. Raises `TooLarge`."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > most:
        raise TooLarge
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise TooLarge
        parts.append(part)
    return b"".join(parts)


def _error(status: int, code: str, message: str) -> Response:
    return JSONResponse({"error": code, "message": message}, status)
