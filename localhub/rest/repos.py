"""Repositories, branches, forks, collaborators."""

from __future__ import annotations

from typing import Any

from localhub import changes, rules, shapes
from localhub.git import ZERO, GitError
from localhub.model import ROLES, Refused, Repo
from localhub.rest.core import Answer, Call, Page, operation
from localhub.rest.users import account


@operation("GET /repos/{owner}/{repo}")
def get(call: Call) -> Any:
    return shapes.repo(call.hub, call.repo, call.user if call.token else None, full=True)


@operation("PATCH /repos/{owner}/{repo}", app="administration:write", role="admin")
def update(call: Call) -> Any:
    repo, body, hub = call.repo, call.json, call.hub
    if body.get("name") not in (None, repo.name):
        old = repo.name
        hub.rename(repo, str(body["name"]))
        hub.emit(repo, "repository", "renamed", call.user, {"changes": {"repository": {"name": {"from": old}}}})
    edited: dict[str, Any] = {}
    for key in ("description", "default_branch"):
        before = getattr(repo, key)
        if body.get(key, before) != before:
            edited[key] = {"from": before}
            setattr(repo, key, body[key])
    if edited:
        hub.emit(repo, "repository", "edited", call.user, {"changes": edited})
    repo.archived = body.get("archived", repo.archived)
    for method, key in (("merge", "allow_merge_commit"), ("squash", "allow_squash_merge")):
        repo.allow[method] = body.get(key, repo.allow[method])
    return shapes.repo(call.hub, repo, call.user, full=True)


@operation("POST /repos/{owner}/{repo}/forks", by="user")
def fork(call: Call) -> Any:
    hub, base = call.hub, call.repo
    made = hub.find_repo(f"{call.user.login}/{base.name}")
    if made is None or made.parent is not base:
        made = hub.add_repo(call.user, base.name, parent=base)
    return 202, shapes.repo(hub, made, call.user, full=True)


@operation("GET /repos/{owner}/{repo}/branches", app="contents:read")
def branches(call: Call) -> Any:
    repo = call.repo
    names = sorted(ref.removeprefix("refs/heads/") for ref in repo.git.refs("refs/heads/"))
    return Page(names, lambda name: _branch(call, repo, name))


def _branch(call: Call, repo: Repo, name: str) -> dict[str, Any]:
    sha = changes.tip(repo, name)
    url = f"{call.hub.api}/repos/{repo.full_name}/commits/{sha}"
    return {"name": name, "commit": {"sha": sha, "url": url}, "protected": bool(rules.in_force(repo, name))}


@operation("GET /repos/{owner}/{repo}/branches/{branch*}", app="contents:read")
def branch(call: Call) -> Any:
    repo, name, hub = call.repo, call.params["branch"], call.hub
    sha = repo.git.ref(f"refs/heads/{name}")
    if sha is None:
        raise Refused(404, "Branch not found")
    it = repo.git.commit(sha)
    own = f"{hub.api}/repos/{repo.full_name}/branches/{name}"
    return {
        "name": name,
        "commit": shapes.commit(hub, repo, it, hub.by_email(it.author_email)),
        "_links": {"self": own, "html": f"{hub.url}/{repo.full_name}/tree/{name}"},
        "protected": bool(rules.in_force(repo, name)),
        "protection": {
            "enabled": False,
            "required_status_checks": {"enforcement_level": "off", "contexts": [], "checks": []},
        },
        "protection_url": own + "/protection",
    }


@operation("GET /repos/{owner}/{repo}/collaborators/{username}/permission", role="write")
def permission(call: Call) -> Any:
    """`role_name` is the role; `permission` the older word, which knows neither maintain nor triage."""
    repo, who = call.repo, account(call, "username")
    role = repo.role(who)
    older = {"maintain": "write", "triage": "read"}.get(role, role)
    person = shapes.user(call.hub, who) | {
        "role_name": role,
        "permissions": {
            "pull": role != "none",
            "triage": ROLES.index(role) >= 2,
            "push": ROLES.index(role) >= 3,
            "maintain": ROLES.index(role) >= 4,
            "admin": role == "admin",
        },
    }
    return {"permission": older, "role_name": role, "user": person}


@operation("GET /repos/{owner}/{repo}/git/ref/{ref*}", app="contents:read")
def ref(call: Call) -> Any:
    name = f"refs/{call.params['ref']}"
    sha = call.repo.git.ref(name)
    if sha is None:
        raise Refused(404, "Not Found")
    return _ref(call, name, sha)


def _ref(call: Call, name: str, sha: str) -> dict[str, Any]:
    from localhub.model import node_id

    repo, git = call.repo, f"{call.hub.api}/repos/{call.repo.full_name}/git"
    kind = repo.git.type(sha) or "commit"
    return {
        "ref": name,
        "node_id": node_id("REF", int(sha[:12], 16)),
        "url": f"{git}/{name}",
        "object": {"type": kind, "sha": sha, "url": f"{git}/{kind}s/{sha}"},
    }


@operation("GET /repos/{owner}/{repo}/git/matching-refs/{ref*}", app="contents:read")
def matching_refs(call: Call) -> Any:
    found = list(call.repo.git.refs(f"refs/{call.params['ref']}").items())
    return Page(found, lambda pair: _ref(call, *pair))


def check_push(call: Call, ref: str, old: str, new: str) -> None:
    """Raises Refused (422) where a ruleset forbids this actor to move the branch so."""
    if not ref.startswith("refs/heads/"):
        return
    repo, app = call.repo, call.acting_app
    for rule in rules.for_actor(repo, ref.removeprefix("refs/heads/"), call.role, app.id if app else None):
        forced = ZERO not in (old, new) and not repo.git.is_ancestor(old, new)
        reason = {
            "pull_request": "Changes must be made through a pull request." if new != ZERO else "",
            "update": "Cannot update this protected ref." if old != ZERO else "",
            "creation": "Cannot create ref due to creations being restricted." if old == ZERO else "",
            "deletion": "Cannot delete this protected ref." if new == ZERO else "",
            "non_fast_forward": "Cannot force-push to this branch" if forced else "",
        }.get(rule.type)
        if reason:
            raise Refused(422, f"Repository rule violations found\n\n{reason}\n\n")


def _set(repo: Repo, name: str, sha: str, old: str | None = None) -> None:
    try:
        repo.git.set_ref(name, sha, old)
    except GitError as why:
        raise Refused(422, f"{name} is not a valid ref name.") from why


@operation("POST /repos/{owner}/{repo}/git/refs", app="contents:write", role="write")
def create_ref(call: Call) -> Any:
    repo, name, sha = call.repo, call.need("ref"), call.need("sha")
    if not name.startswith(("refs/heads/", "refs/tags/")):
        raise Refused(422, "Reference name must start with 'refs/heads/' or 'refs/tags/'.")
    if repo.git.type(sha) is None:
        raise Refused(422, "Object does not exist")
    if repo.git.ref(name):
        raise Refused(422, "Reference already exists")
    check_push(call, name, ZERO, sha)
    _set(repo, name, sha)
    changes.pushed(call.hub, repo, name, ZERO, sha, call.user)
    return 201, _ref(call, name, sha)


@operation("PATCH /repos/{owner}/{repo}/git/refs/{ref*}", app="contents:write", role="write")
def update_ref(call: Call) -> Any:
    repo, name, sha = call.repo, f"refs/{call.params['ref']}", call.need("sha")
    old = repo.git.ref(name)
    if old is None:
        raise Refused(422, "Reference does not exist")
    if repo.git.type(sha) is None:
        raise Refused(422, "Object does not exist")
    if not call.json.get("force") and not repo.git.is_ancestor(old, sha):
        raise Refused(422, "Update is not a fast forward")
    check_push(call, name, old, sha)
    _set(repo, name, sha, old)
    changes.pushed(call.hub, repo, name, old, sha, call.user)
    return _ref(call, name, sha)


@operation("DELETE /repos/{owner}/{repo}/git/refs/{ref*}", app="contents:write", role="write")
def delete_ref(call: Call) -> Any:
    repo, name = call.repo, f"refs/{call.params['ref']}"
    old = repo.git.ref(name)
    if old is None:
        raise Refused(422, "Reference does not exist")
    check_push(call, name, old, ZERO)
    repo.git.delete_ref(name)
    changes.pushed(call.hub, repo, name, old, ZERO, call.user)
    return Answer(204)
