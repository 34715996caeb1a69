"""Accounts, rate limits, organisations' runner groups."""

from __future__ import annotations

from typing import Any

from localhub import shapes
from localhub.model import Refused, User
from localhub.rest.core import Call, Page, operation


def account(call: Call, name: str) -> User:
    found = call.hub.users.get(call.params[name].lower())
    if found is None:
        raise Refused(404, "Not Found")
    return found


def _profile(call: Call, who: User) -> dict[str, Any]:
    public = sum(repo.owner is who and not repo.private for repo in call.hub.repos.values())
    return shapes.profile(call.hub, who, public)


@operation("GET /user", by="user")
def me(call: Call) -> Any:
    return _profile(call, call.user)


@operation("GET /users/{username}", by="anyone")
def user(call: Call) -> Any:
    return _profile(call, account(call, "username"))


@operation("GET /user/{account_id}", by="anyone")
def user_by_id(call: Call) -> Any:
    found = call.hub.users_by_id.get(call.number("account_id"))
    if found is None:
        raise Refused(404, "Not Found")
    return _profile(call, found)


@operation("GET /rate_limit", by="anyone")
def rate_limit(call: Call) -> Any:
    from localhub.server import principal

    core = call.hub.limits.shown(principal(call), call.hub.now())
    return {"resources": {"core": core, "search": core, "graphql": core}, "rate": core}


@operation("GET /orgs/{org}/actions/runner-groups", by="anyone")
def runner_groups(call: Call) -> Any:
    owner = account(call, "org")
    token = call.token
    if owner.type != "Organization" or token is None:
        raise Refused(404, "Not Found")
    if token.is_app:
        has = token.permissions.get("organization_self_hosted_runners", "none")
        if has == "none" or token.installation is None or token.installation.account is not owner:
            raise Refused(403, "Resource not accessible by integration")
    elif owner.members.get(token.user.id) != "admin":
        raise Refused(403, "Must have admin rights to Organization.")
    return Page(owner.runner_groups, lambda group: group, "runner_groups")
