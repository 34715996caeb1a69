"""Check runs and check suites. Only Apps write them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from localhub import shapes
from localhub.model import CheckRun, CheckSuite, Refused, Repo
from localhub.rest.core import Call, Page, operation

#: GitHub's limits: annotations in one request, characters of summary and text, bytes of one message, buttons.
MAX_ANNOTATIONS, MAX_TEXT, MAX_MESSAGE, MAX_TITLE, MAX_ACTIONS = 50, 65_535, 65_536, 255, 3
CONCLUSIONS = ("action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out")
READ, WRITE = "checks:read", "checks:write"


def _invalid(field: str, text: str) -> Refused:
    return Refused(422, f"Invalid request.\n\nFor 'properties/{field}', {text}")


def _time(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except ValueError as why:
        raise _invalid("started_at", f"{text!r} is not a valid date-time.") from why


def _annotation(it: Any) -> dict[str, Any]:
    """One annotation as it is kept. Raises Refused (422)."""
    for key, kind in (
        ("path", str),
        ("start_line", int),
        ("end_line", int),
        ("annotation_level", str),
        ("message", str),
    ):
        if not isinstance(it, dict) or not isinstance(it.get(key), kind):
            raise _invalid("output", f"an annotation lacks {key}.")
    if it["annotation_level"] not in ("notice", "warning", "failure"):
        raise _invalid("output", f"{it['annotation_level']} is not a member of notice, warning, failure.")
    if not it["message"] or len(it["message"].encode()) > MAX_MESSAGE or len(it.get("raw_details") or "") > MAX_MESSAGE:
        raise _invalid("output", "an annotation's message or raw_details is empty or too long.")
    if len(it.get("title") or "") > MAX_TITLE:
        raise _invalid("output", f"an annotation's title is longer than {MAX_TITLE} characters.")
    if it["start_line"] < 1 or it["end_line"] < it["start_line"]:
        raise _invalid("output", "an annotation ends before it starts.")
    if it["start_line"] != it["end_line"] and ("start_column" in it or "end_column" in it):
        raise _invalid("output", "columns are only for annotations of one line.")
    optional = ("start_column", "end_column", "title", "raw_details")
    return {
        **{key: it.get(key) for key in optional},
        **{key: it[key] for key in ("path", "start_line", "end_line", "annotation_level", "message")},
    }


def _fill(call: Call, check: CheckRun) -> None:
    """Take over what the body says about a check run. Raises Refused before anything is changed."""
    body = call.json
    status, conclusion, output = body.get("status"), body.get("conclusion"), body.get("output")
    if status not in (None, "queued", "in_progress", "completed"):
        raise _invalid("status", f"{status} is not a member of queued, in_progress, completed.")
    if conclusion not in (None, *CONCLUSIONS):
        raise _invalid("conclusion", f"{conclusion} is not a member of {', '.join(CONCLUSIONS)}.")
    if status == "completed" and conclusion is None and check.conclusion is None:
        raise _invalid("conclusion", "it is needed when status is completed.")
    actions = body.get("actions")
    if actions is not None and len(actions) > MAX_ACTIONS:
        raise _invalid("actions", f"no more than {MAX_ACTIONS} items are allowed; {len(actions)} were supplied.")
    fresh: list[dict[str, Any]] = []
    if output is not None:
        if not isinstance(output.get("summary"), str) or (
            not isinstance(output.get("title"), str) and check.title is None
        ):
            raise _invalid("output", "title and summary are needed.")
        for key in ("summary", "text"):
            if len(output.get(key) or "") > MAX_TEXT:
                raise _invalid(f"output/{key}", f"only {MAX_TEXT} characters are allowed.")
        given = output.get("annotations") or []
        if len(given) > MAX_ANNOTATIONS:
            raise _invalid("output", f"No more than {MAX_ANNOTATIONS} items are allowed; {len(given)} were supplied.")
        fresh = [_annotation(it) for it in given]
    started, completed = _time(body.get("started_at")), _time(body.get("completed_at"))
    # From here on nothing is refused.
    if output is not None:
        check.title, check.summary = output.get("title", check.title), output["summary"]
        check.text = output.get("text", check.text)
        check.annotations += fresh
    if conclusion is not None:
        check.conclusion, check.status = conclusion, "completed"
        check.completed_at = completed or call.hub.now()
    elif status is not None:
        check.status = status
        if status != "completed":
            check.conclusion = check.completed_at = None
    check.started_at = started or check.started_at
    check.external_id = body.get("external_id", check.external_id)
    check.details_url = body.get("details_url", check.details_url)
    check.actions = actions if actions is not None else check.actions


@operation("POST /repos/{owner}/{repo}/check-runs", app=WRITE, by="installation")
def create(call: Call) -> Any:
    repo, hub, app = call.repo, call.hub, call.installation.app
    name, wanted = call.need("name"), call.need("head_sha")
    sha = repo.git.commit_sha(wanted)
    if sha is None or sha != wanted:
        raise Refused(422, f"No commit found for SHA: {wanted}")
    suite = next((one for one in repo.suites if one.app is app and one.head_sha == sha), None)
    draft = CheckRun(
        0, suite or CheckSuite(0, repo, app, sha, None, hub.now(), hub.now()), name, "queued", None, hub.now(), None
    )
    _fill(call, draft)
    draft.suite, _ = hub.suite(repo, app, sha, _branch(repo, sha))
    hub.faults.changed(("checks", repo.id, sha), list(repo.checks))
    draft.id = hub.next_id()
    repo.checks.append(draft)
    hub.emit_check(draft, "created", call.user)
    if draft.status == "completed":
        hub.emit_check(draft, "completed", call.user)
    return 201, shapes.check_run(hub, draft)


def _branch(repo: Repo, sha: str) -> str | None:
    heads = repo.git.refs("refs/heads/")
    return next((name.removeprefix("refs/heads/") for name, tip in heads.items() if tip == sha), None)


def _check(call: Call) -> CheckRun:
    number = call.number("check_run_id")
    found = next((one for one in call.repo.checks if one.id == number), None)
    if found is None:
        raise Refused(404, "Not Found")
    return found


@operation("PATCH /repos/{owner}/{repo}/check-runs/{check_run_id}", app=WRITE, by="installation")
def update(call: Call) -> Any:
    check = _check(call)
    if check.suite.app is not call.installation.app:
        raise Refused(
            403,
            f"Invalid app_id `{call.installation.app.id}` - check run can only be modified by the GitHub App that"
            " created it.",
        )
    before = check.status
    _fill(call, check)
    check.name = call.json.get("name", check.name)
    if check.status == "completed" and before != "completed":
        call.hub.emit_check(check, "completed", call.user)
    return shapes.check_run(call.hub, check)


@operation("GET /repos/{owner}/{repo}/check-runs/{check_run_id}", app=READ)
def get(call: Call) -> Any:
    return shapes.check_run(call.hub, _check(call))


@operation("GET /repos/{owner}/{repo}/check-runs/{check_run_id}/annotations", app=READ)
def list_annotations(call: Call) -> Any:
    check, repo = _check(call), call.repo
    blob = f"{call.hub.url}/{repo.full_name}/blob/{check.suite.head_sha}"
    return Page(check.annotations, lambda it: {**it, "blob_href": f"{blob}/{it['path']}"})


@operation("POST /repos/{owner}/{repo}/check-runs/{check_run_id}/rerequest", app=WRITE, role="write")
def rerequest(call: Call) -> Any:
    check = _check(call)
    check.status, check.conclusion, check.completed_at = "queued", None, None
    call.hub.emit_check(check, "rerequested", call.user, only=check.suite.app)
    return 201, {}


def _listed(call: Call, runs: list[CheckRun]) -> Any:
    query = call.query
    if query.get("filter", "latest") == "latest":
        newest = {(one.suite.id, one.name): one for one in sorted(runs, key=lambda one: one.id)}
        runs = list(newest.values())
    for key, value in (
        ("check_name", lambda one: one.name),
        ("status", lambda one: one.status),
        ("app_id", lambda one: str(one.suite.app.id)),
    ):
        if query.get(key):
            runs = [one for one in runs if value(one) == query[key]]
    runs = sorted(runs, key=lambda one: one.id, reverse=True)
    return Page(runs, lambda it: shapes.check_run(call.hub, it), "check_runs")


@operation("GET /repos/{owner}/{repo}/commits/{ref*}/check-runs", app=READ)
def for_ref(call: Call) -> Any:
    repo, sha = call.repo, call.sha("ref")
    seen = call.hub.faults.shown(("checks", repo.id, sha), list(repo.checks))
    return _listed(call, [one for one in seen if one.suite.head_sha == sha])


@operation("GET /repos/{owner}/{repo}/commits/{ref*}/check-suites", app=READ)
def suites_for_ref(call: Call) -> Any:
    repo, sha = call.repo, call.sha("ref")
    found = [one for one in repo.suites if one.head_sha == sha]
    if call.query.get("app_id"):
        found = [one for one in found if str(one.app.id) == call.query["app_id"]]
    return Page(found, lambda it: shapes.check_suite(call.hub, it), "check_suites")


def _suite(call: Call) -> CheckSuite:
    number = call.number("check_suite_id")
    found = next((one for one in call.repo.suites if one.id == number), None)
    if found is None:
        raise Refused(404, "Not Found")
    return found


@operation("GET /repos/{owner}/{repo}/check-suites/{check_suite_id}", app=READ)
def suite(call: Call) -> Any:
    return shapes.check_suite(call.hub, _suite(call))


@operation("GET /repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs", app=READ)
def runs_of_suite(call: Call) -> Any:
    it = _suite(call)
    return _listed(call, [one for one in it.repo.checks if one.suite is it])
