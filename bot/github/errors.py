"""What GitHub may answer that callers are expected to handle, as types. Nobody else looks at message texts."""

from __future__ import annotations

from datetime import datetime


class GitHubError(Exception):
    """An answer that is no success. `status` is 0 where there was no answer at all."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class Later(GitHubError):
    """A rate limit, primary or secondary: nothing before `at`."""

    def __init__(self, at: datetime, message: str, status: int = 429) -> None:
        super().__init__(message, status)
        self.at = at


class Unavailable(GitHubError):
    """A read that failed for no reason of ours: worth trying again soon."""


class Unknown(GitHubError):
    """A write that may or may not have happened. It must be read back, never sent again blindly."""


class Unauthorized(GitHubError):
    """401: the token or the App's key is not taken."""


class Forbidden(GitHubError):
    """403 that is no rate limit: the App may not do this."""


class Gone(GitHubError):
    """404 or 410: it is not there, or not for us to see."""


class Conflict(GitHubError):
    """409: what is asked for does not fit what is there."""


class HeadMoved(Conflict):
    """409 on a merge: the head is no longer the one that was named."""


class NotMergeable(GitHubError):
    """405 on a merge: a rule, a conflict or a missing check stands against it."""


class OffDiff(GitHubError):
    """422 on a review: one of its comments is not on a line of the difference. GitHub does not say which."""


class Invalid(GitHubError):
    """400 or 422 for another reason, or an answer that is not what it should be: a mistake in this program."""
