"""Rulesets, and the rules that hold on a branch."""

from __future__ import annotations

from typing import Any

from localhub import rules, shapes
from localhub.auth import may
from localhub.model import Refused, Ruleset, at_least
from localhub.rest.core import Answer, Call, Page, operation

MAX_RULESETS = 75
WRITE = "administration:write"
_TYPES = (
    "creation",
    "update",
    "deletion",
    "required_linear_history",
    "required_signatures",
    "pull_request",
    "required_status_checks",
    "non_fast_forward",
    "merge_queue",
    "required_deployments",
    "commit_message_pattern",
    "commit_author_email_pattern",
    "committer_email_pattern",
    "branch_name_pattern",
    "tag_name_pattern",
    "workflows",
    "code_scanning",
    "copilot_code_review",
    "file_path_restriction",
    "max_file_path_length",
    "file_extension_restriction",
    "max_file_size",
)


def _found(call: Call) -> Ruleset:
    found = call.repo.rulesets.get(call.number("ruleset_id"))
    if found is None:
        raise Refused(404, "Not Found")
    return found


@operation("GET /repos/{owner}/{repo}/rulesets")
def listing(call: Call) -> Any:
    return Page(list(call.repo.rulesets.values()), lambda it: shapes.ruleset(call.hub, it, full=False))


@operation("GET /repos/{owner}/{repo}/rulesets/{ruleset_id}")
def get(call: Call) -> Any:
    """Who may bypass it is shown only to those who may change it; whether the asker may, to everybody."""
    found = _found(call)
    body = shapes.ruleset(call.hub, found)
    token = call.token
    app = token.installation.app.id if token is not None and token.installation is not None else None
    body["current_user_can_bypass"] = "always" if rules.bypasses(found, call.role, app) else "never"
    writer = token is not None and (may(token, WRITE) if token.is_app else at_least(call.role, "admin"))
    if not writer:
        del body["bypass_actors"]
    return body


def _fill(call: Call, it: Ruleset) -> None:
    body = call.json
    for rule in body.get("rules") or []:
        if rule.get("type") not in _TYPES:
            raise Refused.invalid("Ruleset", "rules", "custom", f"Invalid rule '{rule.get('type')}'")
    if body.get("enforcement") not in (None, "active", "disabled", "evaluate"):
        raise Refused.invalid("Ruleset", "enforcement")
    it.name = body.get("name", it.name)
    it.target = body.get("target", it.target)
    it.enforcement = body.get("enforcement", it.enforcement)
    it.conditions = body.get("conditions", it.conditions)
    it.rules = body.get("rules", it.rules)
    it.bypass_actors = [{"bypass_mode": "always", **one} for one in body.get("bypass_actors", it.bypass_actors) or []]
    it.updated_at = call.hub.now()


def _tell(call: Call, it: Ruleset, action: str) -> None:
    shown = shapes.ruleset(call.hub, it)
    call.hub.emit(call.repo, "repository_ruleset", action, call.user, {"repository_ruleset": shown})


@operation("POST /repos/{owner}/{repo}/rulesets", app=WRITE, role="admin")
def create(call: Call) -> Any:
    repo, hub = call.repo, call.hub
    name, enforcement = call.need("name"), call.need("enforcement")
    if len(repo.rulesets) >= MAX_RULESETS:
        raise Refused.invalid("Ruleset", "", "custom", f"Cannot have more than {MAX_RULESETS} rulesets")
    if any(one.name == name for one in repo.rulesets.values()):
        raise Refused.invalid("Ruleset", "name", "already_exists")
    now = hub.now()
    made = Ruleset(hub.next_id(), repo, name, "branch", enforcement, {}, [], [], now, now)
    _fill(call, made)
    repo.rulesets[made.id] = made
    _tell(call, made, "created")
    return 201, shapes.ruleset(hub, made)


@operation("PUT /repos/{owner}/{repo}/rulesets/{ruleset_id}", app=WRITE, role="admin")
def update(call: Call) -> Any:
    it = _found(call)
    _fill(call, it)
    _tell(call, it, "edited")
    return shapes.ruleset(call.hub, it)


@operation("DELETE /repos/{owner}/{repo}/rulesets/{ruleset_id}", app=WRITE, role="admin")
def delete(call: Call) -> Any:
    it = _found(call)
    del call.repo.rulesets[it.id]
    _tell(call, it, "deleted")
    return Answer(204)


@operation("GET /repos/{owner}/{repo}/rules/branches/{branch*}")
def for_branch(call: Call) -> Any:
    def shape(rule: rules.Rule) -> dict[str, Any]:
        shown: dict[str, Any] = {"type": rule.type}
        if rule.parameters:
            shown["parameters"] = rule.parameters
        source = {
            "ruleset_source_type": "Repository",
            "ruleset_source": call.repo.full_name,
            "ruleset_id": rule.ruleset.id,
        }
        return shown | source

    return Page(rules.in_force(call.repo, call.params["branch"]), shape)
