"""Rate limits as GitHub counts them: so many calls an hour, and so many new things a minute."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta


@dataclass
class _Window:
    ends: datetime
    used: int = 0


@dataclass
class Limits:
    """`primary` calls an hour for each token's owner. The secondary limit, off by default, allows `per_minute` writes
    that make something; GitHub's number is 80."""

    primary: int = 5000
    anonymous: int = 60
    secondary: bool = False
    per_minute: int = 80
    retry_after: bool = True  # whether a refusal by the secondary limit says when to come back
    _windows: dict[str, _Window] = field(default_factory=dict)
    _writes: dict[str, deque[datetime]] = field(default_factory=dict)

    def take(self, who: str, now: datetime) -> bool:
        """Count one call. False when there was none left."""
        window = self._window(who, now)
        window.used += 1
        return window.used <= self._limit(who)

    def give_back(self, who: str, now: datetime) -> None:
        """An answer of 304 costs nothing."""
        window = self._window(who, now)
        window.used = max(0, window.used - 1)

    def headers(self, who: str, now: datetime, exhausted: bool = False) -> dict[str, str]:
        window, limit = self._window(who, now), self._limit(who)
        used = limit if exhausted else min(window.used, limit)
        return {
            "X-RateLimit-Limit": str(limit),
            "X-RateLimit-Remaining": str(limit - used),
            "X-RateLimit-Used": str(used),
            "X-RateLimit-Reset": str(int(window.ends.timestamp())),
            "X-RateLimit-Resource": "core",
        }

    def shown(self, who: str, now: datetime) -> dict[str, int]:
        """As `GET /rate_limit` shows it."""
        window, limit = self._window(who, now), self._limit(who)
        used = min(window.used, limit)
        return {"limit": limit, "used": used, "remaining": limit - used, "reset": int(window.ends.timestamp())}

    def wrote(self, who: str, now: datetime) -> int | None:
        """Count a write that makes something. Seconds to wait when it is one too many, else None."""
        if not self.secondary:
            return None
        recent = self._writes.setdefault(who, deque())
        while recent and recent[0] <= now - timedelta(minutes=1):
            recent.popleft()
        if len(recent) >= self.per_minute:
            return max(1, int((recent[0] + timedelta(minutes=1) - now).total_seconds()))
        recent.append(now)
        return None

    def _limit(self, who: str) -> int:
        return self.anonymous if who == "nobody" else self.primary

    def _window(self, who: str, now: datetime) -> _Window:
        window = self._windows.get(who)
        if window is None or window.ends <= now:
            window = self._windows[who] = _Window(now + timedelta(hours=1))
        return window
