"""From facts to problems. Pure: one function for each thing that is looked at, all of them run always."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bot.checks import NAMES
from bot.codeowners import PLACES, Owners
from bot.doctor import workflows
from bot.doctor.facts import Facts, Problem, Rule, Severity, Unread
from bot.manifest import DANGEROUS, ORGANISATION, REPOSITORY, excess, holds, lacking

FORBIDS, ADVICE = Severity.FORBIDS, Severity.ADVICE

#: Files that decide what is tested, by whom it is approved, and what runs. Each needs an owner.
GUARDED = (".github/workflows/verify.yml", "policies/policy.yaml", *PLACES)

#: The only answer to "whose pull requests run only after a maintainer looked" that leaves nobody out.
FORK_APPROVAL = "all_external_contributors"


def examine(facts: Facts) -> list[Problem]:
    """Everything that is unsafe, what forbids merging first. Empty when all was looked at and nothing was found."""
    looks = (_permissions, _checks, _reviews, _branch, _bypass, _owners, _actions, _workflows, _runner_groups)
    found = [problem for look in looks for problem in look(facts)]
    return sorted(dict.fromkeys(found), key=lambda problem: problem.severity is not FORBIDS)


def forbidding(problems: list[Problem]) -> tuple[str, ...]:
    """What `State.unsafe` holds: one line for each problem that forbids merging."""
    return tuple(f"{problem.what} {problem.fix}" for problem in problems if problem.severity is FORBIDS)


def _unread(what: str, fact: Unread) -> Problem:
    """What could not be looked at is not safe."""
    fix = (
        f"Give the App the permission {fact.permission} and accept it for this installation."
        if fact.permission
        else "Run `envbounty doctor` again later."
    )
    return Problem("unread", FORBIDS, f"{what} could not be read: {fact.why}.", fix)


def _permissions(facts: Facts) -> Iterator[Problem]:
    if isinstance(facts.granted, Unread):
        yield _unread("What the App may do", facts.granted)
        return
    needed = {**REPOSITORY, **(ORGANISATION if facts.organisation else {})}
    for name in lacking(facts.granted, needed):
        level, why = needed[name]
        # Teams are rare in CODEOWNERS; without the right nobody of a team counts as an owner, and that is safe.
        severity = ADVICE if name == "members" else FORBIDS
        yield Problem(
            "permission-missing", severity, f"The App lacks {name}: {level}, {why}.", "Add it and accept it again."
        )
    for name, level in excess(facts.granted).items():
        dangerous = name in DANGEROUS and holds(level, "write")
        yield Problem(
            "permission-too-wide",
            FORBIDS if dangerous else ADVICE,
            f"The App has {name}: {level}, which it does not need"
            + (" and with which a stolen key could switch off what protects this repository." if dangerous else "."),
            "Take it away on the App's settings page.",
        )


def _rules(facts: Facts, kind: str) -> list[Rule]:
    return [rule for rule in facts.rules if rule.type == kind] if not isinstance(facts.rules, Unread) else []


def _checks(facts: Facts) -> Iterator[Problem]:
    if isinstance(facts.required, Unread):
        yield _unread("Which tiers the policy requires", facts.required)
    if isinstance(facts.rules, Unread):
        yield _unread(f"The rules of {facts.default_branch}", facts.rules)
        return
    rules = _rules(facts, "required_status_checks")
    listed = [check for rule in rules for check in _dicts(rule.parameters.get("required_status_checks"))]
    for tier in ("verify",) if isinstance(facts.required, Unread) else facts.required:
        name = NAMES[tier]
        found = [check for check in listed if check.get("context") == name]
        if not found:
            yield Problem(
                "check-not-required",
                FORBIDS,
                f"No ruleset requires the check {name} on {facts.default_branch}.",
                "Install policies/rulesets/default-branch.json and add this check.",
            )
        elif not any(check.get("integration_id") == facts.app_id for check in found):
            yield Problem(
                "check-by-anyone",
                FORBIDS,
                f"The required check {name} is taken from anybody who can write a status, not from this App alone.",
                f"Set its integration_id to {facts.app_id} in the ruleset.",
            )
    if any(rule.parameters.get("strict_required_status_checks_policy") is True for rule in rules):
        yield Problem(
            "checks-strict",
            ADVICE,
            f"Each merge makes every other pull request outdated: bringing it up to {facts.default_branch} is a new "
            "head, which has to be tested and approved anew.",
            "Unset strict_required_status_checks_policy in the ruleset: before a merge the bot itself tests against"
            " the environments that came meanwhile.",
        )


#: (parameter of the rule pull_request, code, severity, what is unsafe without it)
_REVIEW = (
    ("dismiss_stale_reviews_on_push", "stale-approvals", FORBIDS, "Approvals stay when new commits are pushed"),
    ("require_last_push_approval", "last-push-approval", FORBIDS, "Whoever pushed last may be the one who approves"),
    ("require_code_owner_review", "code-owner-review", FORBIDS, "Owned files may be merged without their owners"),
    ("required_review_thread_resolution", "open-threads", ADVICE, "Review threads may be open at the merge"),
)


def _reviews(facts: Facts) -> Iterator[Problem]:
    if isinstance(facts.rules, Unread):
        return  # said once, by `_checks`
    rules = _rules(facts, "pull_request")
    if not any(_number(rule.parameters.get("required_approving_review_count")) >= 1 for rule in rules):
        yield Problem(
            "approval-not-required",
            FORBIDS,
            f"GitHub lets changes into {facts.default_branch} that nobody approved.",
            "Install policies/rulesets/default-branch.json.",
        )
    for parameter, code, severity, what in _REVIEW:
        if not any(rule.parameters.get(parameter) is True for rule in rules):
            yield Problem(code, severity, f"{what}.", f"Set {parameter} in the ruleset.")


def _branch(facts: Facts) -> Iterator[Problem]:
    if isinstance(facts.rules, Unread):
        return
    for kind, severity, what in (
        ("non_fast_forward", FORBIDS, "rewritten by a force push"),
        ("deletion", ADVICE, "deleted"),
    ):
        if not _rules(facts, kind):
            yield Problem(
                f"rule-missing-{kind.replace('_', '-')}",
                severity,
                f"{facts.default_branch} can be {what}.",
                "Install policies/rulesets/default-branch.json.",
            )


def _bypass(facts: Facts) -> Iterator[Problem]:
    """Who can bypass the rules of the default branch. Rulesets of other branches may well let the App through."""
    if isinstance(facts.rulesets, Unread):
        yield _unread("Who may bypass the rulesets", facts.rulesets)
        return
    in_force = set() if isinstance(facts.rules, Unread) else {rule.ruleset_id for rule in facts.rules}
    for missing in sorted(in_force - {ruleset.id for ruleset in facts.rulesets}):
        yield _unread(f"Who may bypass ruleset {missing}", Unread("GitHub does not show it", "administration: read"))
    for ruleset in facts.rulesets:
        if ruleset.id not in in_force:
            continue
        named = ruleset.bypass_actors
        ours = [one for one in named or () if _is_app(one, facts.app_id)]
        if ours or ruleset.can_bypass not in ("never", None):
            yield Problem(
                "app-may-bypass",
                FORBIDS,
                f"The App may bypass the ruleset {ruleset.name[:100]}, so nothing but the bot itself guards a merge.",
                "Take the App out of the ruleset's bypass list.",
            )
        elif ruleset.can_bypass is None and named is None:
            yield _unread(
                f"Whether the App may bypass the ruleset {ruleset.name[:100]}", Unread("GitHub does not show it")
            )
        if others := [one for one in named or () if not _is_app(one, facts.app_id)]:
            yield Problem(
                "others-may-bypass",
                ADVICE,
                f"{len(others)} actors other than the App may bypass the ruleset {ruleset.name[:100]}.",
                "Leave its bypass list empty, or make sure that each of them has to be there.",
            )


def _is_app(actor: Any, app_id: int) -> bool:
    return bool(actor.get("actor_type") == "Integration" and actor.get("actor_id") == app_id)


def _owners(facts: Facts) -> Iterator[Problem]:
    if isinstance(facts.codeowners, Unread):
        yield _unread("CODEOWNERS", facts.codeowners)
        return
    if facts.codeowners is None:
        yield Problem(
            "no-code-owners",
            FORBIDS,
            "There is no CODEOWNERS file, so nobody has to look at changes of workflows and policies.",
            "Lay one down with `envbounty init --owner @ORG/TEAM`.",
        )
        return
    owners = Owners(facts.codeowners)
    if bare := [path for path in GUARDED if not owners.of(path)]:
        yield Problem(
            "unowned",
            FORBIDS,
            f"CODEOWNERS names nobody for {', '.join(bare)}.",
            "Begin the file with a line that owns everything: * @ORG/TEAM",
        )


def _actions(facts: Facts) -> Iterator[Problem]:
    actions = facts.actions
    if isinstance(actions, Unread):
        yield _unread("The settings of GitHub Actions", actions)
        return
    if not actions.enabled:
        yield Problem("actions-off", ADVICE, "GitHub Actions is switched off, so no tier can run.", "Switch it on.")
    if actions.default_token != "read":
        yield Problem(
            "token-writes",
            FORBIDS,
            "Workflows that do not say otherwise get a token that may write.",
            "Settings, Actions, General: set the workflow permissions to read.",
        )
    if actions.can_approve:
        yield Problem(
            "actions-approve",
            FORBIDS,
            "Workflows may approve pull requests, and GitHub counts that as a review.",
            "Settings, Actions, General: do not let Actions create and approve pull requests.",
        )
    if facts.public and actions.fork_approval != FORK_APPROVAL:
        yield Problem(
            "fork-runs",
            FORBIDS,
            "Workflows of forks' pull requests run before a maintainer looked at them.",
            "Settings, Actions, General: require approval for all external contributors.",
        )
    if actions.pinning_required is not True:
        yield Problem(
            "actions-unpinned",
            ADVICE,
            "Workflows may use actions by a tag or branch, which their owners can move to other code.",
            "Settings, Actions, General: require actions to be pinned to a full-length commit SHA.",
        )


def _workflows(facts: Facts) -> Iterator[Problem]:
    if isinstance(facts.workflows, Unread):
        yield _unread("The workflow files", facts.workflows)
        return
    required = ("verify",) if isinstance(facts.required, Unread) else facts.required
    yield from workflows.look(
        facts.workflows, tuple(required), facts.trusted, f"{facts.repository}/{{}}@refs/heads/{facts.default_branch}"
    )


def _runner_groups(facts: Facts) -> Iterator[Problem]:
    if not facts.organisation:
        return  # a user's account has no runner groups
    if isinstance(facts.runner_groups, Unread):
        yield _unread("The organisation's runner groups", facts.runner_groups)
        return
    for group in facts.runner_groups:
        if not facts.public or not group.public_allowed:
            continue
        only = f"{facts.repository}/{workflows.path_of('gpu-bench')}@refs/heads/{facts.default_branch}"
        # GitHub goes by the file in which the job stands, and that may be one which ours calls.
        called = {name.replace("{tier}", "gpu-bench") for name in facts.trusted}
        if group.restricted_to is None or not set(group.restricted_to) <= {only, *called}:
            yield Problem(
                "runner-group-open",
                FORBIDS,
                f"The runner group {group.name[:100]} takes jobs of public repositories from workflows that anybody "
                "can bring along in a pull request.",
                f"Restrict it to {only}, or do not allow public repositories.",
            )


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, (list, tuple)) else []


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
