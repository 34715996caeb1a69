"""A posted report, up to its safe keeping: who sends it is checked here, what it is worth is judged by the next pass.

The token has to be from the very run that we dispatched for the job. GitHub is asked about that run too, but not here:
a report must not be lost because GitHub is slow to answer.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bot import crash, ingest, metrics, oidc
from bot.github import errors
from bot.github.client import Access, App
from bot.github.reads import Reads
from bot.keys import Keys
from bot.logs import bound, logger
from bot.settings import Settings
from bot.store import jobs, pulls
from bot.store.database import Store
from bot.store.jobs import JobRow
from bot.store.pulls import Repo
from envbounty.policy import Tier

log = logger(__name__)


@dataclass(frozen=True)
class Reply:
    """What the job is told. `retry` says that the same post may be taken later."""

    status: int
    code: str
    message: str = ""

    @property
    def retry(self) -> bool:
        return self.status == 503


def workflow_file(tier: Tier) -> str:
    """A tier's workflow in a bounty repository."""
    return f".github/workflows/{tier}.yml"


class Reporting:
    def __init__(self, settings: Settings, store: Store, app: App, keys: Keys) -> None:
        self.settings = settings
        self.store = store
        self.app = app
        self.keys = keys
        self._actor: int | None = None
        self._lock = threading.Lock()

    def actor(self, repo: Repo) -> int:
        """The numeric id of the App's own user, in whose name its dispatches run. Asked for once."""
        with self._lock:
            if self._actor is None:
                self._actor = Reads(Access(self.app, repo)).user_id(self.app.login)
            return self._actor

    def post(self, authorization: str, body: bytes, now: datetime) -> Reply:
        """Take a report, or say why not. Never raises for anything that a sender can do."""
        reply = self._post(authorization, body, now)
        metrics.REPORTS.labels(reply.code).inc()
        return reply

    def _post(self, authorization: str, body: bytes, now: datetime) -> Reply:
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            return Reply(401, "token-missing", "send the job's OIDC token as a bearer token")
        try:
            # First of all: somebody without a token of this issuer for this bot learns nothing about forms and jobs.
            issuer, audience = self.settings.oidc_issuer, self.settings.audience
            seen = self._authenticate(token.strip(), issuer, audience, now)
            posted = ingest.read(body)
            return self._take(token.strip(), seen, posted, body, now)
        except oidc.Refused as refused:
            log.warning("a report's token is refused", code=refused.code)
            if refused.code == "no-keys":
                return Reply(503, refused.code, str(refused))
            return Reply(401, refused.code, str(refused))
        except ingest.Refused as refused:
            return Reply(refused.status, refused.code, str(refused))
        except errors.GitHubError as error:
            log.warning("a report waits for GitHub", error=str(error))
            return Reply(503, "github", "GitHub does not answer at the moment")

    def _authenticate(self, token: str, issuer: str, audience: str, now: datetime) -> dict[str, Any]:
        return self.keys.authenticate(token, issuer, audience, now)

    def _take(self, token: str, seen: dict[str, Any], posted: ingest.Posted, body: bytes, now: datetime) -> Reply:
        with self.store.read() as db:
            job = jobs.get(db, posted.job_id)
            repo = pulls.get_repo(db, job.repo_id) if job is not None else None
            before = jobs.report_of(db, posted.job_id)
        if job is None or repo is None:
            return Reply(409, "job", "this is no job of ours")
        with bound(pull=f"{repo.full_name}#{job.number}", sha=job.head, job=job.id, tier=job.tier):
            expected = self._expected(job, repo, str(seen["run_id"]))
            claims = self.keys.verify(token, expected, now, lambda jti, until: True)
            if claims.unknown:
                log.warning("the token has claims that nobody listed", claims=list(claims.unknown))
            text = json.loads(body)
            if before is not None:
                same = before.body == text
                log.info("a report came again", same=same)
                return Reply(202, "again") if same else Reply(409, "job-state", "this job has reported already")
            if not job.live:
                return Reply(409, "job-state", f"the job is {job.state.value}, so it takes no report")
            return self._keep(job, claims, text, now)

    def _keep(self, job: JobRow, claims: oidc.Claims, text: dict[str, Any], now: datetime) -> Reply:
        until = datetime.fromtimestamp(claims.expires + oidc.LEEWAY, UTC)
        with self.store.write() as db:
            # In one transaction: a token is used up exactly when its report is safe.
            if not jobs.use_once(self.store, db, claims.jti, until):
                raise oidc.Refused("replayed", "this token was used before")
            if not jobs.receive(self.store, db, job.id, text, stored(claims), now):
                return Reply(409, "job-state", "this job has reported already")
            pulls.mark(self.store, db, job.repo_id, job.number, now)
        crash.point("after report")
        log.info("a report came")
        return Reply(202, "accepted")

    def _expected(self, job: JobRow, repo: Repo, claimed_run: str) -> oidc.Expected:
        """What the token has to say. Where GitHub has not named the run yet, the token's own run is taken for now: the
        next pass asks GitHub whether that run bears the job's id."""
        ref = f"refs/heads/{job.ref}"
        own = f"{repo.full_name}/{workflow_file(job.tier)}@{ref}"
        trusted = {name.replace("{tier}", job.tier) for name in self.settings.trusted_workflows}
        return oidc.Expected(
            issuer=self.settings.oidc_issuer,
            audience=self.settings.audience,
            repository_id=str(repo.repo_id),
            owner_id=str(repo.owner_id),
            ref=ref,
            workflow_ref=own,
            # The repository's own file counts only where it calls nobody: else a job beside the call could report.
            job_workflow_refs=frozenset(trusted or {own}),
            # The job that reports runs no contributor's code and needs no GPU, so it never runs on a machine of ours.
            runner="github-hosted",
            run_id=claimed_run if job.run_id is None else str(job.run_id),
            run_attempt="1",
            actor_id=str(self.actor(repo)),
        )


def stored(claims: oidc.Claims) -> dict[str, Any]:
    """Claims as they are kept beside the report."""
    return {name: getattr(claims, name) for name in _CLAIMS}


def claims_from(kept: dict[str, Any]) -> oidc.Claims:
    return oidc.Claims(**{name: kept[name] for name in _CLAIMS})


_CLAIMS = (
    *("jti", "run_id", "run_attempt", "repository_id", "actor_id"),
    *("sha", "workflow_ref", "job_workflow_ref", "expires"),
)
