"""The tables. Everything is keyed by GitHub's numeric ids: names change, and strangers may take them over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Instant(sa.TypeDecorator[datetime]):
    """A moment, kept as whole microseconds since 1970 in UTC: the same in both databases, and it sorts."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> int | None:
        return None if value is None else (value - EPOCH) // timedelta(microseconds=1)

    def process_result_value(self, value: int | None, dialect: Any) -> datetime | None:
        return None if value is None else EPOCH + timedelta(microseconds=value)


metadata = sa.MetaData()
Big = sa.BigInteger


def _c(name: str, kind: Any, **more: Any) -> sa.Column[Any]:
    return sa.Column(name, kind, nullable=more.pop("nullable", False), **more)


version = sa.Table("schema_version", metadata, _c("version", sa.Integer, primary_key=True))

repo = sa.Table(
    "repo",
    metadata,
    _c("repo_id", Big, primary_key=True, autoincrement=False),
    _c("owner", sa.Text),
    _c("owner_id", Big),
    _c("name", sa.Text),
    _c("installation_id", Big),
    _c("active", sa.Boolean),
    _c("unsafe", sa.Text, server_default="[]"),  # JSON list: what the doctor found that forbids merging
    _c("unsafe_at", Instant, nullable=True),
    _c("swept_at", Instant, nullable=True),
)

delivery = sa.Table(
    "delivery",
    metadata,
    # Two hooks may deliver one event under one GUID.
    _c("guid", sa.Text, primary_key=True),
    _c("hook_id", Big, primary_key=True, autoincrement=False),
    _c("event", sa.Text),
    _c("action", sa.Text),
    _c("repo_id", Big, nullable=True),
    _c("subject", sa.Text),  # the pull request's number, or empty
    _c("payload", sa.Text),  # emptied once it is done and old
    _c("state", sa.Text),  # done, ignored, failed
    _c("attempts", sa.Integer),
    _c("error", sa.Text),
    _c("received_at", Instant),
    sa.Index("delivery_state", "state", "received_at"),
    sa.Index("delivery_age", "received_at"),
)

pull = sa.Table(
    "pull",
    metadata,
    _c("repo_id", Big, primary_key=True, autoincrement=False),
    _c("number", Big, primary_key=True, autoincrement=False),
    # It is dirty while `wanted` is ahead of `settled`: marking counts one up, a pass settles what it started from, so a
    # mark that arrives during a pass is never lost.
    _c("wanted", Big),
    _c("settled", Big),
    _c("due", Instant),  # not to be looked at before
    _c("attempts", sa.Integer),  # failed passes in a row
    _c("error", sa.Text),
    _c("announced", sa.Text),  # the newest head that a webhook named; GitHub may still show an older one
    _c("announced_at", Instant, nullable=True),
    _c("open", sa.Boolean),
    _c("merged", sa.Boolean),
    _c("head", sa.Text),  # as GitHub showed it at the last pass
    _c("author_id", Big, nullable=True),
    _c("passed_at", Instant, nullable=True),
    sa.Index("pull_due", "due"),
    sa.Index("pull_author", "repo_id", "author_id", "merged"),
)

head_seen = sa.Table(
    "head_seen",
    metadata,
    _c("repo_id", Big, primary_key=True, autoincrement=False),
    _c("number", Big, primary_key=True, autoincrement=False),
    _c("sha", sa.Text, primary_key=True),
    _c("at", Instant),
    sa.Index("head_seen_sha", "repo_id", "sha"),
)

job = sa.Table(
    "job",
    metadata,
    _c("id", sa.Text, primary_key=True),
    _c("repo_id", Big),
    _c("number", Big),
    _c("tier", sa.Text),
    _c("head", sa.Text),
    _c("base", sa.Text),
    _c("ref", sa.Text),  # the branch whose workflow file was dispatched
    _c("policy", sa.Text),  # the digest that held when it was dispatched
    _c("environments", sa.Text),  # JSON list of the directories that its report must cover
    _c("state", sa.Text),
    _c("why", sa.Text),
    _c("asked_at", Instant),
    _c("run_id", Big, nullable=True),
    _c("ended_at", Instant, nullable=True),  # when its run was first seen to have ended
    _c("closed_at", Instant, nullable=True),  # when it reached a final state
    _c("cancel_sent", sa.Boolean),
    sa.Index("job_pull", "repo_id", "number"),
    sa.Index("job_run", "run_id"),
)

report = sa.Table(
    "report",
    metadata,
    _c("job_id", sa.Text, primary_key=True),
    _c("body", sa.Text),  # JSON as it was posted and checked against the schema
    _c("claims", sa.Text),  # JSON of the token's claims
    _c("state", sa.Text),  # received, accepted, refused
    _c("why", sa.Text),
    _c("received_at", Instant),
    _c("accepted_at", Instant, nullable=True),
    _c("accepted", sa.Text),  # JSON of what was accepted, empty before
)

finding = sa.Table(
    "finding",
    metadata,
    _c("repo_id", Big, primary_key=True, autoincrement=False),
    _c("number", Big, primary_key=True, autoincrement=False),
    _c("fingerprint", sa.Text, primary_key=True),
    _c("tier", sa.Text),
    _c("head", sa.Text),  # on which it was first shown inline
    _c("comment_id", Big, nullable=True),
    _c("thread_id", sa.Text),
    _c("state", sa.Text),  # intended, live, resolved; told (in a summary); refused (not a line of the diff)
    _c("body", sa.Text),  # as it was last written
    _c("path", sa.Text),
    _c("line", sa.Integer),
    _c("at", Instant),
)

#: What was or may have been written to GitHub, one row for each thing. A row without an id is an intent: GitHub is
#: asked whether the thing is there before it is written again.
written = sa.Table(
    "written",
    metadata,
    _c("repo_id", Big, primary_key=True, autoincrement=False),
    _c("number", Big, primary_key=True, autoincrement=False),
    _c("kind", sa.Text, primary_key=True),  # check, review, comment, reply
    _c("key", sa.Text, primary_key=True),  # tier:head, head, the command's comment id …
    _c("remote_id", Big, nullable=True),
    _c("shown", sa.Text),  # digest of what it shows
    _c("at", Instant),
)

command = sa.Table(
    "command",
    metadata,
    _c("comment_id", Big, primary_key=True, autoincrement=False),
    _c("repo_id", Big),
    _c("number", Big),
    _c("user_id", Big),
    _c("login", sa.Text),
    _c("body", sa.Text),
    _c("body_sha256", sa.Text),
    _c("head", sa.Text),  # the head that was known when it arrived
    _c("state", sa.Text),  # new, done, refused, ignored
    _c("role", sa.Text),  # what its author might do at that moment
    _c("outcome", sa.Text),  # JSON of what is answered
    _c("sent", sa.Boolean),  # the answer went out
    _c("received_at", Instant),
    _c("done_at", Instant, nullable=True),
    sa.Index("command_pull", "repo_id", "number", "state"),
)

#: What maintainers decided by command. Rows are added and ended, never deleted.
ruling = sa.Table(
    "ruling",
    metadata,
    _c("id", sa.Integer, primary_key=True, autoincrement=True),
    _c("repo_id", Big),
    _c("number", Big),
    _c("kind", sa.Text),  # override, ask, hold, appeal
    _c("head", sa.Text),
    _c("what", sa.Text),  # the rule, or the tier
    _c("reason", sa.Text),
    _c("user_id", Big),
    _c("login", sa.Text),
    _c("comment_id", Big),
    _c("at", Instant),
    _c("ended_at", Instant, nullable=True),
    _c("ended_by", sa.Text),
    sa.UniqueConstraint("comment_id", "kind", "what", name="ruling_once"),
    sa.Index("ruling_pull", "repo_id", "number"),
)

merge_attempt = sa.Table(
    "merge_attempt",
    metadata,
    _c("id", sa.Integer, primary_key=True, autoincrement=True),
    _c("repo_id", Big),
    _c("number", Big),
    _c("head", sa.Text),
    _c("reviews", sa.Text),
    _c("jobs", sa.Text),
    _c("state", sa.Text),  # trying, merged, moved (409), blocked (405), forbidden, outrun
    _c("sha", sa.Text),
    _c("why", sa.Text),
    _c("at", Instant),
    _c("ended_at", Instant, nullable=True),
    sa.Index("merge_pull", "repo_id", "number"),
)

jti = sa.Table("jti", metadata, _c("jti", sa.Text, primary_key=True), _c("expires", Instant))

#: When something was last done by any process: sweep, redeliver.
clock = sa.Table("clock", metadata, _c("name", sa.Text, primary_key=True), _c("at", Instant))
