"""Rulesets: which rules hold on a branch, and what keeps a pull request from being merged. Pure."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from localhub.model import CheckRun, CommitStatus, Pull, Repo, Review, Ruleset, User, at_least

PASSING = ("success", "neutral", "skipped")


@dataclass(frozen=True)
class Rule:
    """One rule in force on a branch, and the ruleset it comes from."""

    type: str
    parameters: dict[str, Any]
    ruleset: Ruleset


def _matches(pattern: str, branch: str, default: str) -> bool:
    if pattern == "~ALL":
        return True
    if pattern == "~DEFAULT_BRANCH":
        return branch == default
    return fnmatch.fnmatchcase(f"refs/heads/{branch}", pattern)


def covers(ruleset: Ruleset, branch: str) -> bool:
    """Whether an enforced ruleset is about this branch."""
    if ruleset.enforcement != "active" or ruleset.target != "branch":
        return False
    names = ruleset.conditions.get("ref_name", {})
    default = ruleset.repo.default_branch
    included = any(_matches(one, branch, default) for one in names.get("include", []))
    return included and not any(_matches(one, branch, default) for one in names.get("exclude", []))


def in_force(repo: Repo, branch: str) -> list[Rule]:
    """Every rule on `branch`, whoever may bypass it."""
    return [
        Rule(rule["type"], rule.get("parameters") or {}, ruleset)
        for ruleset in repo.rulesets.values()
        if covers(ruleset, branch)
        for rule in ruleset.rules
    ]


_ROLE_IDS = {1: "read", 2: "maintain", 3: "triage", 4: "write", 5: "admin"}


def bypasses(ruleset: Ruleset, role: str, app_id: int | None) -> bool:
    """Whether somebody with `role`, or the App with `app_id`, is let through this ruleset."""
    for actor in ruleset.bypass_actors:
        kind, number = actor.get("actor_type"), actor.get("actor_id")
        if kind == "Integration" and app_id is not None and number == app_id:
            return True
        if app_id is not None:
            continue
        if kind == "RepositoryRole" and at_least(role, _ROLE_IDS.get(number or 0, "admin")):
            return True
        if kind == "OrganizationAdmin" and role == "admin":
            return True
    return False


def for_actor(repo: Repo, branch: str, role: str, app_id: int | None = None) -> list[Rule]:
    """The rules on `branch` that bind this actor."""
    return [rule for rule in in_force(repo, branch) if not bypasses(rule.ruleset, role, app_id)]


def owners(codeowners: str, path: str) -> list[str]:
    """Owners of `path` as CODEOWNERS names them: the last line that matches decides, and may name nobody."""
    found: list[str] = []
    for line in codeowners.splitlines():
        words = line.split("#", 1)[0].split()
        if words and _owner_pattern(words[0]).match(path):
            found = words[1:]
    return found


def _owner_pattern(glob: str) -> re.Pattern[str]:
    anchored = "/" in glob.rstrip("/")
    body = glob.strip("/")
    pieces = []
    for piece in re.split(r"(\*\*/|/\*\*|\*|\?)", body):
        pieces.append({"**/": "(?:.*/)?", "/**": "/.*", "*": "[^/]*", "?": "[^/]"}.get(piece, re.escape(piece)))
    tail = "/.*" if glob.endswith("/") else "" if body.endswith("/*") else "(?:/.*)?"
    return re.compile(("" if anchored else "(?:.*/)?") + "".join(pieces) + tail + r"\Z")


def latest_reviews(reviews: Iterable[Review]) -> dict[int, Review]:
    """Each user's opinion: their last review that is an approval or asks for changes, unless it was dismissed."""
    latest: dict[int, Review] = {}
    for review in reviews:
        if review.state in ("APPROVED", "CHANGES_REQUESTED", "DISMISSED"):
            latest[review.user.id] = review
    return {who: review for who, review in latest.items() if review.state != "DISMISSED"}


@dataclass(frozen=True)
class Evidence:
    """What the rules are weighed against, all for the pull request's present head."""

    pull: Pull
    checks: Sequence[CheckRun]
    statuses: Sequence[CommitStatus]
    paths: Sequence[str]
    codeowners: str
    behind: bool  # the base branch has commits that the head has not


def unmet(rules: Iterable[Rule], seen: Evidence, method: str = "merge") -> list[str]:
    """Why these rules forbid the merge, in GitHub's words; empty when nothing does."""
    reasons: list[str] = []
    for rule in rules:
        if rule.type == "pull_request":
            reasons += _reviews(rule.parameters, seen, method)
        elif rule.type == "required_status_checks":
            reasons += _checks(rule.parameters, seen)
        elif rule.type == "required_linear_history" and method == "merge":
            reasons.append("This branch must not contain merge commits.")
        elif rule.type == "update":
            reasons.append("Cannot update this protected ref.")
    return list(dict.fromkeys(reasons))


def _reviews(want: dict[str, Any], seen: Evidence, method: str) -> list[str]:
    pull, repo = seen.pull, seen.pull.repo
    reasons = []
    methods = want.get("allowed_merge_methods")
    if methods and method not in methods:
        reasons.append(f"This branch does not allow the merge method {method}.")
    opinions = latest_reviews(pull.reviews)
    counted = [one for one in opinions.values() if at_least(repo.role(one.user), "write") and one.user is not pull.user]
    approvals = [one for one in counted if one.state == "APPROVED"]
    if any(one.state == "CHANGES_REQUESTED" for one in counted):
        reasons.append("Changes were requested by reviewers with write access.")
    needed = want.get("required_approving_review_count", 0)
    if len(approvals) < needed:
        plural = "s" if needed > 1 else ""
        by = "by reviewers with write access."
        reasons.append(f"At least {needed} approving review{plural} is required {by}")
    if want.get("require_last_push_approval") and not any(one.user is not pull.last_pusher for one in approvals):
        reasons.append("New changes require approval from someone other than the last pusher.")
    if want.get("require_code_owner_review"):
        reasons += _owner_reviews(seen, [one.user for one in approvals])
    if want.get("required_review_thread_resolution") and any(not thread.resolved for thread in pull.threads):
        reasons.append("A conversation must be resolved before this pull request can be merged.")
    return reasons


def _owner_reviews(seen: Evidence, approvers: Sequence[User]) -> list[str]:
    handles = {f"@{user.login}".lower() for user in approvers}
    for path in seen.paths:
        named = owners(seen.codeowners, path)
        if named and not handles & {name.lower() for name in named}:
            return [f"Waiting on code owner review from {' or '.join(named).replace('@', '')}."]
    return []


def _checks(want: dict[str, Any], seen: Evidence) -> list[str]:
    reasons = []
    if want.get("strict_required_status_checks_policy") and seen.behind:
        reasons.append("The head branch is not up to date with the base branch.")
    for check in want.get("required_status_checks", []):
        name, app_id = check["context"], check.get("integration_id")
        state = _state(name, app_id, seen)
        if state is None:
            reasons.append(f'Required status check "{name}" is expected.')
        elif state not in PASSING:
            reasons.append(f'Required status check "{name}" is {"failing" if state != "pending" else "in progress"}.')
    return reasons


def _state(name: str, app_id: int | None, seen: Evidence) -> str | None:
    """The newest word on one context; with `app_id`, only that App's word counts. None: nobody said anything."""
    runs = [run for run in seen.checks if run.name == name and app_id in (None, run.suite.app.id)]
    if runs:
        newest = max(runs, key=lambda run: run.id)
        return newest.conclusion or "failure" if newest.status == "completed" else "pending"
    if app_id is None:
        statuses = [one for one in seen.statuses if one.context == name]
        if statuses:
            return max(statuses, key=lambda one: one.id).state
    return None
