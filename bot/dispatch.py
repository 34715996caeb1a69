"""Jobs: starting them exactly once, stopping them, and finding out what became of them.

A job's row is committed before its workflow is dispatched. When the answer is lost, or the process dies in between, the
runs that GitHub lists are looked through for the job's id: a dispatch is never sent a second time. A job whose run does
not turn up, or ends without a report, is lost; whether another one starts is decided like everything else.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from datetime import datetime

from bot import crash, ingest, metrics, records
from bot.core import Scene
from bot.github import errors
from bot.github.models import RunInfo
from bot.logs import bound, logger
from bot.reporting import claims_from, workflow_file
from bot.state import Cancel, JobState, Start
from bot.store import jobs
from bot.store.jobs import JobRow, ReportRow
from bot.text import edges as say

log = logger(__name__)


def start(scene: Scene, it: Start, ref: str, policy: str, environments: Sequence[str]) -> None:
    """Dispatch one job. An unclear answer leaves it asked for; the next pass looks for its run."""
    job = JobRow(
        id=secrets.token_hex(16),
        repo_id=scene.repo.repo_id,
        number=scene.number,
        tier=it.tier,
        head=it.head,
        base=it.base,
        ref=ref,
        policy=policy,
        environments=tuple(environments),
        state=JobState.ASKED,
        why="",
        asked_at=scene.bot.clock(),
    )
    with scene.store.write() as db:
        jobs.add(db, job)
    crash.point("before dispatch")
    with bound(job=job.id, tier=job.tier):
        try:
            run_id = scene.writes.dispatch(f"{it.tier}.yml", ref, inputs(scene, job))
        except errors.Unknown as error:
            log.warning("it is not known whether a dispatch arrived", error=str(error))
            return
        except (errors.Later, errors.Unauthorized):
            # It certainly did not happen, and it is nobody's fault: as if it had never been tried.
            with scene.store.write() as db:
                jobs.drop(db, job.id)
            raise
        except errors.GitHubError as error:
            log.error("a dispatch was refused", error=str(error))
            _close(scene, job, JobState.LOST, say.dispatch_refused(error.status))
            return
        crash.point("after dispatch")
        if run_id is not None:
            with scene.store.write() as db:
                jobs.running(db, job.id, run_id)
        metrics.DISPATCHES.labels(job.tier).inc()
        log.info("dispatched", run=run_id, why=it.why)


def inputs(scene: Scene, job: JobRow) -> dict[str, str]:
    """What a tier's workflow is told."""
    return {
        "job_id": job.id,
        "pr": str(job.number),
        "head_sha": job.head,
        "base_sha": job.base,
        "bot_url": scene.settings.public_url,
        "audience": scene.settings.audience,
    }


def stop(scene: Scene, it: Cancel) -> None:
    """Cancel a job. First the row, so that no report of it counts from now on; then the run, as a courtesy."""
    with scene.store.read() as db:
        job = jobs.get(db, it.job_id)
    if job is None or not job.live:
        return
    if job.run_id is None:
        # Its run may turn up yet. Nobody would stop it then, so find it first; without one there is nothing to stop.
        _find_run(scene, job)
    _close(scene, job, JobState.CANCELLED, it.why)


def settle(scene: Scene, default_branch: str) -> None:
    """Bring every job of the pull request up to date with what GitHub and its report say."""
    with scene.store.read() as db:
        rows = jobs.of_pull(db, *scene.key)
        reports = {report.job_id: report for report in jobs.reports_of(db, *scene.key)}
    for job in rows:
        with bound(job=job.id, tier=job.tier):
            report = reports.get(job.id)
            if job.live and report is not None and report.state == "received":
                _judge(scene, job, report, default_branch)
            elif job.live:
                _follow(scene, job)
            elif job.state is JobState.CANCELLED and job.run_id is not None and not job.cancel_sent:
                _stop_run(scene, job)


def look_again(scene: Scene) -> datetime | None:
    """When a live job wants to be looked at though nothing arrives."""
    with scene.store.read() as db:
        live = [job for job in jobs.of_pull(db, *scene.key) if job.live]
    now, settings = scene.bot.clock(), scene.settings
    times = []
    for job in live:
        wait = settings.poll_every
        if job.run_id is None:
            wait = min(wait, max(settings.lag, 1))
        elif job.ended_at is not None:
            wait = min(wait, max(settings.report_grace / 4, 1))
        times.append(now + scene.bot.seconds(wait))
    return min(times, default=None)


def _follow(scene: Scene, job: JobRow) -> None:
    """A job without a report: find its run, see whether that has ended, and give it up in the end."""
    now, settings = scene.bot.clock(), scene.settings
    if job.run_id is None:
        run = _find_run(scene, job)
        if run is None and now - job.asked_at > scene.bot.seconds(settings.dispatch_grace):
            _close(scene, job, JobState.LOST, say.NEVER_BEGAN)
        if run is None:
            return
    else:
        try:
            run = scene.reads.run(job.run_id)
        except errors.Gone:
            _close(scene, job, JobState.LOST, say.RUN_GONE)
            return
    if run.ended:
        with scene.store.write() as db:
            jobs.ended(db, job.id, now)
        since = now - (job.ended_at or now)
        if since >= scene.bot.seconds(settings.report_grace):
            _close(scene, job, JobState.LOST, say.ended_without_report(run.conclusion or "unknown"))
    elif now - job.asked_at > scene.bot.seconds(settings.job_timeout):
        _close(scene, job, JobState.LOST, say.TOO_LONG)


def _find_run(scene: Scene, job: JobRow) -> RunInfo | None:
    """The run that bears the job's id, among those dispatched since; noted in the job's row."""
    since = job.asked_at - scene.bot.seconds(120)  # clocks differ
    wanted = f"job={job.id}"
    for run in scene.reads.dispatched(since):
        if wanted in run.display_title and run.path.partition("@")[0] == workflow_file(job.tier):
            with scene.store.write() as db:
                jobs.running(db, job.id, run.id)
            log.info("found the run of a dispatch", run=run.id)
            return run
    return None


def _judge(scene: Scene, job: JobRow, report: ReportRow, default_branch: str) -> None:
    """Ask GitHub about the run that a report came from, and make of the report what it is worth."""
    claims = claims_from(report.claims)
    now = scene.bot.clock()
    try:
        posted = ingest.read(json.dumps(report.body).encode())
        run = _seen(scene.reads.run(claims.run_id))
        ingest.bind(claims, job.value(), run, path=workflow_file(job.tier), branch=default_branch)
        _check_artifact(scene, claims.run_id, posted)
        worth = ingest.accept(posted, job.value(), job.environments, job.policy or None, now)
    except (ingest.Refused, errors.Gone) as refused:
        why = say.report_refused(str(refused))
        log.error("a report is refused", why=str(refused))
        with scene.store.write() as db:
            jobs.judge(db, job.id, "refused", why, None, now)
            jobs.close(db, job.id, JobState.LOST, why, now)
        metrics.JOBS_ENDED.labels(job.tier, "lost").inc()
        return
    with scene.store.write() as db:
        jobs.running(db, job.id, claims.run_id)
        if isinstance(worth, ingest.Lost):
            jobs.judge(db, job.id, "refused", worth.why, None, now)
            jobs.close(db, job.id, JobState.LOST, worth.why, now)
        else:
            jobs.judge(db, job.id, "accepted", "", records.dump(worth), now)
            jobs.close(db, job.id, JobState.REPORTED, "", now)
    state = "lost" if isinstance(worth, ingest.Lost) else worth.verdict.value
    metrics.JOBS_ENDED.labels(job.tier, state).inc()
    log.info("a report was judged", outcome=state)


def _check_artifact(scene: Scene, run_id: int, posted: ingest.Posted) -> None:
    """The report must be from an artifact of this very run, with the digest that GitHub computed. Raises `Refused`."""
    if posted.artifact is None:
        return
    named = next((it for it in scene.reads.artifacts(run_id) if it.id == posted.artifact.id), None)
    if named is None:
        raise ingest.Refused(409, "artifact", "the run has no such artifact")
    if named.digest != posted.artifact.digest:
        raise ingest.Refused(409, "artifact", "the artifact has another digest")
    if named.size_in_bytes > ingest.MAX_BODY:
        raise ingest.Refused(409, "artifact", "the artifact is too large")


def _seen(run: RunInfo) -> ingest.Run:
    """GitHub's run with a value that equals nothing for whatever it does not say."""
    return ingest.Run(
        id=run.id,
        attempt=run.run_attempt,
        path=run.path,
        event=run.event,
        head_branch=run.head_branch or "",
        head_sha=run.head_sha,
        repository_id=run.repository.id if run.repository else 0,
        head_repository_id=run.head_repository.id if run.head_repository else 0,
        actor_id=run.actor.id if run.actor else 0,
        triggering_actor_id=run.triggering_actor.id if run.triggering_actor else 0,
        title=run.display_title,
    )


def _stop_run(scene: Scene, job: JobRow) -> None:
    assert job.run_id is not None
    try:
        scene.writes.cancel(job.run_id)
    except errors.Gone:
        pass
    except (errors.Unknown, errors.Forbidden, errors.Invalid) as error:
        # It ends by itself, and its report counts for nothing.
        log.warning("a run could not be cancelled", error=str(error))
    crash.point("after cancel")
    with scene.store.write() as db:
        jobs.cancel_sent(db, job.id)


def _close(scene: Scene, job: JobRow, state: JobState, why: str) -> None:
    with scene.store.write() as db:
        closed = jobs.close(db, job.id, state, why, scene.bot.clock())
        row = jobs.get(db, job.id)
    if closed:
        metrics.JOBS_ENDED.labels(job.tier, state.value).inc()
        log.info("a job is over", state=state.value, why=why, job=job.id)
    # Also a run that is given up, not only one that is cancelled, should stop costing.
    if row is not None and row.run_id is not None and not row.cancel_sent and row.ended_at is None:
        _stop_run(scene, row)
