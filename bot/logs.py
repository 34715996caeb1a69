"""Structured logs, one JSON object in a line. What looks like a secret is taken out, wherever it stands."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

#: GitHub's tokens (the newer ones of an App hold dots and dashes), JSON Web Tokens, keys, and passwords in addresses.
SECRETS = re.compile(
    r"gh[a-z]_[A-Za-z0-9._\-]{10,}|github_pat_[A-Za-z0-9_]{20,}"
    r"|eyJ[A-Za-z0-9_\-]{5,}\.[A-Za-z0-9_\-]{5,}\.[A-Za-z0-9_\-]*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)|(?i:(?<=bearer )[A-Za-z0-9._~+/\-]+=*)",
    re.DOTALL,
)


def scrub(text: str) -> str:
    """`text` without anything that looks like a token, a key or a password."""
    return SECRETS.sub("[secret]", text)


def _scrub_value(value: Any) -> Any:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, dict):
        return {key: _scrub_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_scrub_value(item) for item in value]
    return value


def redact(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The last processor but one: nothing is rendered that was not looked at."""
    return {key: _scrub_value(value) for key, value in event.items()}


class _Scrubbed(logging.Formatter):
    """Lines of libraries in the same form as ours."""

    def __init__(self, processor: structlog.stdlib.ProcessorFormatter) -> None:
        super().__init__()
        self.processor = processor

    def format(self, record: logging.LogRecord) -> str:
        return scrub(self.processor.format(record))


def configure(level: str = "INFO", *, pretty: bool = False) -> None:
    """Send logs to standard error. Every line carries what was bound with `bound`: delivery, pull request, SHA."""
    ours: list[Any] = [structlog.stdlib.filter_by_level]  # what is not shown is not worked on
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        redact,
    ]
    render: Any = structlog.processors.JSONRenderer()
    if pretty:  # a richer traceback would show local variables
        render = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, render],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Scrubbed(formatter))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    # PyGithub and urllib3 log requests with their headers at DEBUG.
    for name in ("github", "urllib3", "requests", "uvicorn.access", "httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[*ours, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def logger(name: str) -> structlog.stdlib.BoundLogger:
    log: structlog.stdlib.BoundLogger = structlog.get_logger(name)
    return log


#: `with bound(delivery=…, pull=…, sha=…):` every line inside carries these.
bound = structlog.contextvars.bound_contextvars
