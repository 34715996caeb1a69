"""Rate limits met, so that whoever else works for the same installation waits too."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from bot.github import errors


class Limits:
    """Until when GitHub wants nothing more from an installation: an App that goes on asking may be shut out.

    In memory: another process learns of a limit by one refusal of its own.
    """

    def __init__(self) -> None:
        self._until: dict[int, datetime] = {}

    @contextmanager
    def heeded(self, installation_id: int, now: datetime) -> Iterator[None]:
        """Around requests. Raises `Later` instead of asking while a limit stands, and notes one that is met."""
        until = self._until.get(installation_id)
        if until is not None and now < until:
            raise errors.Later(until, "GitHub asked to wait, and was not asked again")
        try:
            yield
        except errors.Later as limit:
            # Another thread may have been told to wait for longer.
            self._until[installation_id] = max(limit.at, self._until.get(installation_id, limit.at))
            raise
