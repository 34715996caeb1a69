"""One process of the bot: HTTP, workers and sweep, started and stopped together."""

from __future__ import annotations

import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from bot.core import Bot
from bot.logs import logger
from bot.sweep import Sweeper
from bot.web.app import build
from bot.worker import Worker

log = logger(__name__)


def application(bot: Bot, *, work: bool = True) -> FastAPI:
    """The ASGI application. Its lifespan runs the workers and the sweep, unless another process does the work."""
    worker = Worker(bot)
    sweeper = Sweeper(bot, worker.wake)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if work:
            worker.start()
            sweeper.start()
        log.info("started", public_url=bot.settings.public_url, workers=bot.settings.workers)
        yield
        await run_in_threadpool(sweeper.stop)
        await run_in_threadpool(worker.stop)
        log.info("stopped")

    secret = bot.settings.webhook_secret.get_secret_value()
    parts = (secret, bot.store, bot.reporting, bot.health)
    gather = bot.seconds(bot.settings.gather)
    return build(*parts, on_delivery=worker.wake, lifespan=lifespan, clock=bot.clock, gather=gather)


def serve(bot: Bot, *, work: bool = True) -> None:
    """Serve until SIGTERM or SIGINT; passes under way come to their end."""
    settings = bot.settings
    # Passes are busy threads of the same interpreter. An answer to GitHub should not wait 5 ms for each of them.
    sys.setswitchinterval(0.0005)
    config = uvicorn.Config(
        application(bot, work=work),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=10,
    )
    # Once it has shut down, uvicorn raises the signal again for whoever handled it before. A stop that was asked for is
    # no failure.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    uvicorn.Server(config).run()
    bot.close()
