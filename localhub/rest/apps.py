"""Apps: as themselves (JWT), their installations and tokens, their webhooks, and making one from a manifest."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from localhub import shapes
from localhub.model import Installation, Refused
from localhub.rest.core import Answer, Call, Page, operation
from localhub.webhooks import Delivery


def _own(call: Call) -> Installation:
    found = call.hub.installations.get(call.number("installation_id"))
    if found is None or found.app is not call.app:
        raise Refused(404, "Not Found")
    return found


@operation("GET /app", by="jwt")
def app(call: Call) -> Any:
    assert call.app is not None
    count = sum(one.app is call.app for one in call.hub.installations.values())
    return shapes.app(call.hub, call.app) | {"installations_count": count}


@operation("GET /app/installations", by="jwt")
def installations(call: Call) -> Any:
    mine = [one for one in call.hub.installations.values() if one.app is call.app]
    return Page(mine, lambda one: shapes.installation(call.hub, one))


@operation("GET /app/installations/{installation_id}", by="jwt")
def installation(call: Call) -> Any:
    return shapes.installation(call.hub, _own(call))


@operation("GET /repos/{owner}/{repo}/installation", by="jwt")
def repo_installation(call: Call) -> Any:
    assert call.app is not None
    found = call.hub.installation_for(call.app, call.repo)
    if found is None:
        raise Refused(404, "Not Found")
    return shapes.installation(call.hub, found)


@operation("POST /app/installations/{installation_id}/access_tokens", by="jwt")
def access_token(call: Call) -> Any:
    one, hub = _own(call), call.hub
    if one.suspended_at:
        raise Refused(403, "This installation has been suspended")
    wanted = call.headers.get("x-github-stateless-s2s-token") == "enabled"
    token = hub.installation_token(one, call.json, wanted)
    body: dict[str, Any] = {
        "token": token.value,
        "expires_at": shapes.stamp(token.expires_at),
        "permissions": token.permissions,
        "repository_selection": "selected" if token.repo_ids is not None or not one.all_repos else "all",
    }
    if token.repo_ids is not None:
        body["repositories"] = [shapes.repo(hub, repo) for repo in hub.covered(one) if repo.id in token.repo_ids]
    return 201, body


@operation("GET /installation/repositories", by="installation")
def repositories(call: Call) -> Any:
    one, token = call.installation, call.token
    assert token is not None
    seen = [repo for repo in call.hub.covered(one) if token.repo_ids is None or repo.id in token.repo_ids]
    more = {"repository_selection": "all" if one.all_repos else "selected"}
    return Page(seen, lambda repo: shapes.repo(call.hub, repo, call.user), "repositories", more)


@operation("DELETE /installation/token", by="installation")
def revoke(call: Call) -> Any:
    assert call.token is not None
    del call.hub.tokens[call.token.value]
    return Answer(204)


def _delivery(it: Delivery) -> dict[str, Any]:
    return {
        "id": it.id,
        "guid": it.guid,
        "delivered_at": shapes.stamp(it.delivered_at),
        "redelivery": it.redelivery,
        "duration": it.duration,
        "status": it.status,
        "status_code": it.status_code,
        "event": it.event,
        "action": it.action,
        "installation_id": it.installation_id,
        "repository_id": it.repo_id,
        "throttled_at": None,
    }


def _deliveries(call: Call) -> list[Delivery]:
    mine = [one for one in call.hub.sender.records if one.app is call.app and one.status != "pending"]
    return sorted(mine, key=lambda one: one.id, reverse=True)


@operation("GET /app/hook/deliveries", by="jwt")
def deliveries(call: Call) -> Any:
    """Newest first, by a cursor and not by page numbers."""
    found = _deliveries(call)
    size = min(int(call.query.get("per_page", "30")), 100)
    cursor = call.query.get("cursor", "")
    if cursor:
        if not cursor.removeprefix("v1_").isdecimal():
            raise Refused(422, "Invalid cursor")
        found = [one for one in found if one.id < int(cursor.removeprefix("v1_"))]
    shown = [_delivery(one) for one in found[:size]]
    headers = {}
    if len(found) > size:
        url = call.hub.link(call.path, {"per_page": str(size), "cursor": f"v1_{found[size - 1].id}"})
        headers["Link"] = f'<{url}>; rel="next"'
    return Answer(200, shown, headers)


def _one_delivery(call: Call) -> Delivery:
    number = call.number("delivery_id")
    found = next((one for one in _deliveries(call) if one.id == number), None)
    if found is None:
        raise Refused(404, "Not Found")
    return found


@operation("GET /app/hook/deliveries/{delivery_id}", by="jwt")
def delivery(call: Call) -> Any:
    it = _one_delivery(call)
    return _delivery(it) | {
        "url": it.app.webhook_url,
        "request": {"headers": dict(it.request_headers), "payload": json.loads(it.body)},
        "response": {"headers": dict(it.response_headers), "payload": it.response},
    }


@operation("POST /app/hook/deliveries/{delivery_id}/attempts", by="jwt")
def redeliver(call: Call) -> Any:
    """Send the same event again, under the same GUID."""
    it, hub = _one_delivery(call), call.hub
    hub.sender.put(replace(it, id=hub.next_id(), redelivery=True, status="pending", status_code=0, tampered=False))
    return 202, {}


@operation("POST /app-manifests/{code}/conversions", by="anyone")
def convert(call: Call) -> Any:
    """A code works once."""
    made = call.hub.manifests.pop(call.params["code"], None)
    if made is None:
        raise Refused(404, "Not Found")
    return 201, shapes.app(call.hub, made) | {
        "client_secret": "0" * 40,
        "webhook_secret": made.webhook_secret,
        "pem": made.private_key,
    }
