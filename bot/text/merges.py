"""What a merge commit says. No stranger's word is in it: GitHub reads closing keywords in commit messages."""

from __future__ import annotations

from bot.state import Merge


def merge_title(number: int) -> str:
    return f"Merge pull request #{number}"


def merge_message(merge: Merge) -> str:
    """The grounds of the merge, one a line, so that the history can be audited without the database."""
    lines = [f"Head: {merge.head}"]
    lines += [f"Approving review: {review}" for review in merge.reviews]
    lines += [f"Report of job: {job}" for job in merge.job_ids]
    return "\n".join(lines) + "\n"
