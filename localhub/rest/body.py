"""What a request's body may hold: one name means one type all through GitHub's API, so one table checks every body."""

from __future__ import annotations

import json
from typing import Any

from localhub.model import LEVELS, Refused

_WORDS = [
    "body", "head", "base", "event", "commit_id", "path", "side", "start_side", "name", "head_sha", "status",
    "conclusion", "ref", "sha", "content", "message", "state", "state_reason", "enforcement", "merge_method",
    "commit_title", "commit_message", "started_at", "completed_at", "subject_type", "context", "description",
    "target_url", "default_branch", "branch", "head_repo", "approval_policy", "expected_head_sha",
    "external_id", "details_url", "allowed_actions", "default_workflow_permissions", "target", "color", "query",
    "operationName", "summary", "text", "type", "actor_type", "annotation_level", "raw_details",
]  # fmt: skip
_NUMBERS = [
    "line", "start_line", "end_line", "start_column", "end_column", "position", "in_reply_to", "actor_id",
    "integration_id",
]  # fmt: skip
_FLAGS = [
    "force", "draft", "enabled", "return_run_details", "can_approve_pull_request_reviews",
    "sha_pinning_required", "archived", "allow_merge_commit", "allow_squash_merge",
]  # fmt: skip
_MAPS = ["output", "inputs", "permissions", "conditions", "variables", "parameters", "ref_name"]
#: Lists, and what is in them.
_LISTS: dict[str, tuple[type, ...]] = {
    "comments": (dict,), "actions": (dict,), "annotations": (dict,), "rules": (dict,), "bypass_actors": (dict,),
    "required_status_checks": (dict,), "labels": (str, dict), "repository_ids": (int,), "repositories": (str,),
    "reviewers": (str,), "include": (str,), "exclude": (str,), "allowed_merge_methods": (str,),
}  # fmt: skip

TYPES: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(_WORDS, (str,)),
    **dict.fromkeys(_NUMBERS, (int,)),
    **dict.fromkeys(_FLAGS, (bool,)),
    **dict.fromkeys(_MAPS, (dict,)),
    **dict.fromkeys(_LISTS, (list,)),
    "title": (str, int),
}


def _is(value: Any, types: tuple[type, ...]) -> bool:
    return isinstance(value, types) and not (isinstance(value, bool) and bool not in types)


def _refuse(place: str, value: Any, types: tuple[type, ...]) -> Refused:
    words = {str: "a string", int: "an integer", bool: "a boolean", dict: "an object", list: "an array"}
    wanted = " or ".join(words[one] for one in types)
    return Refused(422, f"Invalid request.\n\nFor '{place}', {json.dumps(value)[:80]} is not {wanted}.")


def check(body: dict[str, Any], place: str = "properties") -> None:
    """Raises Refused (422) for a value of the wrong type. null is as good as nothing, and unknown names are let be."""
    for name, value in body.items():
        types = TYPES.get(name)
        if types is None or value is None or place.endswith("/inputs"):
            continue
        here = f"{place}/{name}"
        if not _is(value, types):
            raise _refuse(here, value, types)
        if isinstance(value, str) and "\0" in value:
            raise Refused(422, f"Invalid request.\n\nFor '{here}', a null byte is not allowed.")
        if name == "permissions":
            for level in value.values():
                if level not in LEVELS:
                    raise Refused(422, f"Invalid request.\n\nFor '{here}', {json.dumps(level)[:80]} is no level.")
        elif isinstance(value, dict) and name != "variables":
            check(value, here)
        elif isinstance(value, list):
            for one in value:
                if not _is(one, _LISTS[name]):
                    raise _refuse(here, one, _LISTS[name])
                if isinstance(one, dict):
                    check(one, here)
