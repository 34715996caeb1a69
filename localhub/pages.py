"""Plain pages to look at: repositories, issues, pull requests, checks, runs. No JavaScript, everything escaped."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

import jinja2
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from localhub import changes, shapes
from localhub.model import App, CheckRun, Pull, Refused, Repo

if TYPE_CHECKING:
    from localhub.hub import Hub

_ENV = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=jinja2.StrictUndefined,
)
#: Raw HTML in a comment is shown as text; images are not fetched.
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").disable("image")
_ENV.filters["markdown"] = lambda text: Markup(_MARKDOWN.render(text or ""))
_ENV.filters["when"] = shapes.stamp
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; form-action *",
    "Cache-Control": "no-store",
}


def routes(hub: Hub) -> list[Route]:
    """All pages, and the files behind them."""

    def page(path: str, do: Callable[[Hub, Request], Response], methods: tuple[str, ...] = ("GET",)) -> Route:
        async def serve(request: Request) -> Response:
            request.state.form = dict(parse_qsl((await request.body()).decode(errors="replace")))
            return await run_in_threadpool(locked, request)

        def locked(request: Request) -> Response:
            with hub.lock:
                try:
                    return do(hub, request)
                except Refused as why:
                    return _show("message.html", hub, why.status, title=str(why.status), text=why.message)

        return Route(path, serve, methods=list(methods))

    return [
        page("/", _front),
        page("/-/artifacts/{ticket}", _download),
        page("/settings/apps/new", _new_app, ("POST",)),
        page("/organizations/{org}/settings/apps/new", _new_app, ("POST",)),
        page("/settings/apps/confirm", _confirm_app, ("POST",)),
        page("/apps/{slug}", _app),
        page("/apps/{slug}/installations/new", _app),
        page("/apps/{slug}/installations/new", _install, ("POST",)),
        page("/{owner}/{repo}", _repo),
        page("/{owner}/{repo}/issues", _issues),
        page("/{owner}/{repo}/pulls", _issues),
        page("/{owner}/{repo}/issues/{number:int}", _issue),
        page("/{owner}/{repo}/pull/{number:int}.diff", _diff),
        page("/{owner}/{repo}/pull/{number:int}", _pull),
        page("/{owner}/{repo}/pull/{number:int}/files", _pull_files),
        page("/{owner}/{repo}/pull/{number:int}/checks", _pull_checks),
        page("/{owner}/{repo}/runs/{id:int}", _check),
        page("/{owner}/{repo}/actions", _runs),
        page("/{owner}/{repo}/actions/runs/{id:int}", _run),
        page("/{owner}/{repo}/commits/{branch:path}", _commits),
        page("/{owner}/{repo}/commit/{sha}", _commit),
        page("/{owner}/{repo}/blob/{ref}/{path:path}", _blob),
        page("/{owner}/{repo}/raw/{ref}/{path:path}", _raw),
    ]


def _show(template: str, hub: Hub, status: int = 200, **values: Any) -> Response:
    text = _ENV.get_template(template).render(hub=hub, repo=values.pop("repo", None), **values)
    return HTMLResponse(text, status, _HEADERS)


def _find(hub: Hub, request: Request) -> Repo:
    found = hub.find_repo(f"{request.path_params['owner']}/{request.path_params['repo']}")
    if found is None or found.private:
        raise Refused(404, "There is no such repository, or it is private.")
    return found


def _front(hub: Hub, request: Request) -> Response:
    return _show("front.html", hub, repos=[repo for repo in hub.repos.values() if not repo.private])


def _repo(hub: Hub, request: Request) -> Response:
    repo = _find(hub, request)
    sha = repo.git.ref(f"refs/heads/{repo.default_branch}")
    entries = repo.git.tree(sha, recursive=True) if sha else []
    readme = (repo.git.file(sha, "README.md") or b"").decode(errors="replace") if sha else ""
    files = [one.path for one in entries if one.type == "blob"]
    return _show("repo.html", hub, repo=repo, sha=sha, files=files, readme=readme)


def _issues(hub: Hub, request: Request) -> Response:
    repo, pulls = _find(hub, request), request.url.path.endswith("/pulls")
    found = [issue for issue in repo.issues.values() if bool(issue.pull) == pulls]
    return _show("issues.html", hub, repo=repo, pulls=pulls, issues=sorted(found, key=lambda one: -one.number))


def _issue(hub: Hub, request: Request) -> Response:
    repo, number = _find(hub, request), request.path_params["number"]
    issue = repo.issues.get(number)
    if issue is None:
        raise Refused(404, "There is no such issue.")
    if issue.pull:
        return RedirectResponse(f"/{repo.full_name}/pull/{number}")
    return _show("issue.html", hub, repo=repo, issue=issue)


def _the_pull(hub: Hub, request: Request) -> Pull:
    issue = _find(hub, request).issues.get(request.path_params["number"])
    if issue is None or issue.pull is None:
        raise Refused(404, "There is no such pull request.")
    return issue.pull


def newest_checks(pull: Pull) -> list[CheckRun]:
    """The newest check run of each App and name on the pull request's head."""
    runs = [run for run in pull.repo.checks if run.suite.head_sha == pull.head]
    return list({(run.suite.app.id, run.name): run for run in sorted(runs, key=lambda run: run.id)}.values())


def _pull(hub: Hub, request: Request) -> Response:
    pull = _the_pull(hub, request)
    talk = [("comment", one.created_at, one) for one in pull.issue.comments]
    shown = [one for one in pull.reviews if one.state != "PENDING" and (one.body or one.state != "COMMENTED")]
    talk += [("review", one.submitted_at or pull.issue.created_at, one) for one in shown]  # type: ignore[misc]
    talk.sort(key=lambda one: (one[1], one[2].id))
    mergeable, state = changes.state(hub, pull)
    blocked = changes.unmet(hub, pull, hub.ghost, None) if pull.open and mergeable else []
    return _show(
        "pull.html",
        hub,
        repo=pull.repo,
        pull=pull,
        issue=pull.issue,
        talk=talk,
        checks=newest_checks(pull),
        mergeable=mergeable,
        state=state,
        blocked=blocked,
    )


def _pull_files(hub: Hub, request: Request) -> Response:
    pull = _the_pull(hub, request)
    return _show("files.html", hub, repo=pull.repo, pull=pull, issue=pull.issue, files=changes.files(pull))


def _pull_checks(hub: Hub, request: Request) -> Response:
    pull = _the_pull(hub, request)
    return _show("checks.html", hub, repo=pull.repo, pull=pull, issue=pull.issue, checks=newest_checks(pull))


def _diff(hub: Hub, request: Request) -> Response:
    pull = _the_pull(hub, request)
    start = pull.repo.git.merge_base(pull.base_sha, pull.head) or pull.base_sha
    return PlainTextResponse(pull.repo.git.diff_text(start, pull.head))


def _check(hub: Hub, request: Request) -> Response:
    repo = _find(hub, request)
    check = next((one for one in repo.checks if one.id == request.path_params["id"]), None)
    if check is None:
        raise Refused(404, "There is no such check.")
    return _show("checks.html", hub, repo=repo, pull=None, checks=[check])


def _runs(hub: Hub, request: Request) -> Response:
    repo = _find(hub, request)
    return _show("runs.html", hub, repo=repo, runs=repo.runs[::-1])


def _run(hub: Hub, request: Request) -> Response:
    repo = _find(hub, request)
    run = next((one for one in repo.runs if one.id == request.path_params["id"]), None)
    if run is None:
        raise Refused(404, "There is no such run.")
    return _show("run.html", hub, repo=repo, run=run)


def _commits(hub: Hub, request: Request) -> Response:
    repo = _find(hub, request)
    sha = repo.git.commit_sha(request.path_params["branch"])
    if sha is None:
        raise Refused(404, "There is no such branch.")
    return _show("commits.html", hub, repo=repo, commits=repo.git.log(sha, limit=100))


def _commit(hub: Hub, request: Request) -> Response:
    repo = _find(hub, request)
    sha = repo.git.commit_sha(request.path_params["sha"])
    if sha is None:
        raise Refused(404, "There is no such commit.")
    it = repo.git.commit(sha)
    files = repo.git.diff(it.parents[0], sha) if it.parents else []
    return _show("commit.html", hub, repo=repo, commit=it, files=files)


def _bytes(hub: Hub, request: Request) -> bytes:
    repo = _find(hub, request)
    sha = repo.git.commit_sha(request.path_params["ref"])
    data = repo.git.file(sha, request.path_params["path"]) if sha else None
    if data is None:
        raise Refused(404, "There is no such file.")
    return data


def _blob(hub: Hub, request: Request) -> Response:
    text = _bytes(hub, request).decode(errors="replace")
    return _show("blob.html", hub, repo=_find(hub, request), path=request.path_params["path"], lines=text.splitlines())


def _raw(hub: Hub, request: Request) -> Response:
    return PlainTextResponse(_bytes(hub, request), headers=_HEADERS | {"X-Content-Type-Options": "nosniff"})


def _download(hub: Hub, request: Request) -> Response:
    """An artifact's bytes, by the ticket that the API gave."""
    artifact, until = hub.downloads.get(request.path_params["ticket"], (None, None))
    if artifact is None or until is None or until < hub.now():
        raise Refused(404, "This address is not good, or not any more.")
    return Response(artifact.data, media_type="application/zip")


# Apps from a manifest


def _find_app(hub: Hub, request: Request) -> App:
    found = next((app for app in hub.apps.values() if app.slug == request.path_params["slug"]), None)
    if found is None:
        raise Refused(404, "There is no such App.")
    return found


def _app(hub: Hub, request: Request) -> Response:
    app = _find_app(hub, request)
    return _show("app.html", hub, app=app, repos=[repo for repo in hub.repos.values() if not repo.parent])


def _install(hub: Hub, request: Request) -> Response:
    """Install on one repository, as its owner would."""
    app, repo = _find_app(hub, request), hub.find_repo(str(request.state.form.get("repo") or ""))
    if repo is None:
        raise Refused(404, "There is no such repository.")
    if hub.installation_for(app, repo) is None:
        hub.install_app(app, repo)
    return _show("message.html", hub, title="Installed", text=f"{app.name} is installed on {repo.full_name}.")


def _new_app(hub: Hub, request: Request) -> Response:
    """What GitHub shows when a manifest arrives: what the App asks for, and a button."""
    text = str(request.state.form.get("manifest") or "{}")
    try:
        manifest = json.loads(text)
    except ValueError as why:
        raise Refused(422, "The manifest is no JSON.") from why
    return _show("new_app.html", hub, manifest=manifest, text=text, state=request.query_params.get("state", ""))


def _confirm_app(hub: Hub, request: Request) -> Response:
    form = request.state.form
    manifest = json.loads(str(form.get("manifest") or "{}"))
    code = hub.convert_manifest(manifest, hub.user("operator").user)
    back = str(manifest.get("redirect_url") or "")
    if not back.startswith(("http://127.0.0.1", "http://localhost", "https://")):
        return _show("message.html", hub, title="App created", text=f"Code: {escape(code)}")
    mark = "&" if "?" in back else "?"
    return RedirectResponse(f"{back}{mark}{urlencode({'code': code, 'state': str(form.get('state') or '')})}", 302)
