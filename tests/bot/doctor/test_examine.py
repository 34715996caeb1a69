"""A repository set up as documented has no problem; each thing that is missing or loose is one, with its fix."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from bot.checks import NAMES
from bot.doctor import Facts, Severity, Unread, examine, forbidding, workflows
from bot.doctor.facts import ActionsSettings, Ruleset, RunnerGroup
from bot.text.doctor import diagnosis

FORBIDS, ADVICE = Severity.FORBIDS, Severity.ADVICE
DOCUMENT = Path(__file__).parents[3] / "docs/install-app.md"
ACTIONS = ActionsSettings(True, True, "read", False, "all_external_contributors")
OPEN = RunnerGroup("gpu", True, None)
CLOSED = RunnerGroup("gpu", True, ("octo/bounties/.github/workflows/gpu-bench.yml@refs/heads/main",))


def test_a_repository_set_up_as_documented_has_no_problem(make: Any) -> None:
    assert examine(make.safe()) == []
    assert forbidding(examine(make.safe())) == ()
    assert examine(make.safe(organisation=False, granted=dict(list(make.safe().granted.items())[:7]))) == []


def permitted(make: Any, **changes: str) -> Facts:
    return make.safe(granted={**make.safe().granted, **changes})


def added(make: Any, text: str, name: str = "lint") -> Facts:
    files = {**make.safe().workflows, f".github/workflows/{name}.yml": text}
    return make.safe(workflows=files)


def ruleset(make: Any, **changes: Any) -> Facts:
    return make.safe(rulesets=(replace(Ruleset(1, "main", "never", ()), **changes),))


def edited(make: Any, old: str, new: str, tier: str = "verify") -> Facts:
    path = f".github/workflows/{tier}.yml"
    text = make.safe().workflows[path]
    assert old in text
    return make.safe(workflows={**make.safe().workflows, path: text.replace(old, new, 1)})


JOB = "jobs:\n  a:\n    runs-on: {}\n    steps: []\n"

#: (what is wrong, the facts, the code, how much it weighs)
CASES: list[tuple[str, Callable[[Any], Facts], str, Severity]] = [
    ("actions only read", lambda m: permitted(m, actions="read"), "permission-missing", FORBIDS),
    ("no right to see settings", lambda m: permitted(m, administration="none"), "permission-missing", FORBIDS),
    ("teams unseen", lambda m: permitted(m, members="none"), "permission-missing", ADVICE),
    ("may change settings", lambda m: permitted(m, administration="write"), "permission-too-wide", FORBIDS),
    ("may change workflows", lambda m: permitted(m, workflows="write"), "permission-too-wide", FORBIDS),
    ("may write secrets", lambda m: permitted(m, secrets="write"), "permission-too-wide", FORBIDS),
    ("an unknown level", lambda m: permitted(m, secrets="everything"), "permission-too-wide", ADVICE),
    ("may read pages", lambda m: permitted(m, pages="read"), "permission-too-wide", ADVICE),
    ("no ruleset at all", lambda m: m.safe(rules=()), "check-not-required", FORBIDS),
    ("no check required", lambda m: m.safe(rules=m.without("required_status_checks")), "check-not-required", FORBIDS),
    ("a check of another name", lambda m: m.safe(rules=m.ruled(
        "required_status_checks", required_status_checks=[{"context": "verify", "integration_id": m.app}])),
     "check-not-required", FORBIDS),
    ("attack required by the policy alone", lambda m: m.safe(required=("verify", "attack")),
     "check-not-required", FORBIDS),
    ("check by anyone", lambda m: m.safe(rules=m.ruled(
        "required_status_checks", required_status_checks=[{"context": "envbounty/verify"}])),
     "check-by-anyone", FORBIDS),
    ("check by another App", lambda m: m.safe(rules=m.ruled(
        "required_status_checks", required_status_checks=[{"context": "envbounty/verify", "integration_id": 1}])),
     "check-by-anyone", FORBIDS),
    ("checks in no form", lambda m: m.safe(rules=m.ruled("required_status_checks", required_status_checks="all")),
     "check-not-required", FORBIDS),
    ("every merge outdates all others", lambda m: m.safe(rules=m.ruled(
        "required_status_checks", strict_required_status_checks_policy=True)), "checks-strict", ADVICE),
    ("no pull request needed", lambda m: m.safe(rules=m.without("pull_request")), "approval-not-required", FORBIDS),
    ("no approval needed", lambda m: m.safe(rules=m.ruled("pull_request", required_approving_review_count=0)),
     "approval-not-required", FORBIDS),
    ("approvals stay", lambda m: m.safe(rules=m.ruled("pull_request", dismiss_stale_reviews_on_push=False)),
     "stale-approvals", FORBIDS),
    ("pusher approves", lambda m: m.safe(rules=m.ruled("pull_request", require_last_push_approval=False)),
     "last-push-approval", FORBIDS),
    ("owners not asked", lambda m: m.safe(rules=m.ruled("pull_request", require_code_owner_review=False)),
     "code-owner-review", FORBIDS),
    ("threads open", lambda m: m.safe(rules=m.ruled("pull_request", required_review_thread_resolution=False)),
     "open-threads", ADVICE),
    ("force push", lambda m: m.safe(rules=m.without("non_fast_forward")), "rule-missing-non-fast-forward", FORBIDS),
    ("deletion", lambda m: m.safe(rules=m.without("deletion")), "rule-missing-deletion", ADVICE),
    ("the App bypasses", lambda m: ruleset(m, can_bypass="always"), "app-may-bypass", FORBIDS),
    ("the App bypasses in pull requests", lambda m: ruleset(m, can_bypass="pull_requests_only"),
     "app-may-bypass", FORBIDS),
    ("the App is exempt", lambda m: ruleset(m, can_bypass="exempt"), "app-may-bypass", FORBIDS),
    ("the App is on the list", lambda m: ruleset(m, can_bypass=None, bypass_actors=(
        {"actor_type": "Integration", "actor_id": m.app},)), "app-may-bypass", FORBIDS),
    ("others bypass", lambda m: ruleset(m, bypass_actors=({"actor_type": "RepositoryRole", "actor_id": 5},)),
     "others-may-bypass", ADVICE),
    ("bypass not shown", lambda m: ruleset(m, can_bypass=None, bypass_actors=None), "unread", FORBIDS),
    ("a ruleset not shown", lambda m: m.safe(rulesets=()), "unread", FORBIDS),
    ("no CODEOWNERS", lambda m: m.safe(codeowners=None), "no-code-owners", FORBIDS),
    ("CODEOWNERS of nothing", lambda m: m.safe(codeowners="# * @octo/maintainers\n"), "unowned", FORBIDS),
    ("workflows unowned", lambda m: m.safe(codeowners="* @octo/x\n/.github/workflows/\n"), "unowned", FORBIDS),
    ("policies unowned", lambda m: m.safe(codeowners="* @octo/x\n/policies/ # nobody\n"), "unowned", FORBIDS),
    ("Actions off", lambda m: m.safe(actions=replace(ACTIONS, enabled=False)), "actions-off", ADVICE),
    ("token writes", lambda m: m.safe(actions=replace(ACTIONS, default_token="write")), "token-writes", FORBIDS),
    ("Actions approve", lambda m: m.safe(actions=replace(ACTIONS, can_approve=True)), "actions-approve", FORBIDS),
    ("forks of known people run", lambda m: m.safe(actions=replace(ACTIONS, fork_approval="first_time_contributors")),
     "fork-runs", FORBIDS),
    ("forks run by an unknown rule", lambda m: m.safe(actions=replace(ACTIONS, fork_approval="")),
     "fork-runs", FORBIDS),
    ("no pins", lambda m: m.safe(actions=replace(ACTIONS, pinning_required=False)), "actions-unpinned", ADVICE),
    ("pins unseen", lambda m: m.safe(actions=replace(ACTIONS, pinning_required=None)), "actions-unpinned", ADVICE),
    ("pull_request_target", lambda m: added(m, "on: pull_request_target\n" + JOB.format("ubuntu-24.04")),
     "dangerous-trigger", FORBIDS),
    ("workflow_run in a list", lambda m: added(m, "on: [push, workflow_run]\n" + JOB.format("ubuntu-24.04")),
     "dangerous-trigger", FORBIDS),
    ("issue_comment with types", lambda m: added(
        m, "on:\n  issue_comment:\n    types: [created]\n" + JOB.format("ubuntu-24.04")), "dangerous-trigger", FORBIDS),
    ("a quoted key", lambda m: added(m, '"on": pull_request_target\n' + JOB.format("ubuntu-24.04")),
     "dangerous-trigger", FORBIDS),
    ("a machine of one's own", lambda m: added(m, "on: pull_request\n" + JOB.format("self-hosted")),
     "self-hosted-runner", FORBIDS),
    ("a machine by labels", lambda m: added(m, "on: push\n" + JOB.format("[self-hosted, linux, gpu]")),
     "self-hosted-runner", FORBIDS),
    ("a machine by group", lambda m: added(m, "on: push\n" + JOB.format("{group: gpus}")),
     "self-hosted-runner", FORBIDS),
    ("a machine not known before", lambda m: added(m, "on: push\n" + JOB.format("${{ matrix.os }}")),
     "runner-unknown", ADVICE),
    ("no YAML", lambda m: added(m, "on: [push\n"), "workflow-unreadable", FORBIDS),
    ("YAML with tricks", lambda m: added(m, "on: &a push\njobs: {}\nx: *a\n"), "workflow-unreadable", FORBIDS),
    ("a list", lambda m: added(m, "- on\n"), "workflow-unreadable", FORBIDS),
    ("no verify", lambda m: m.safe(workflows={}), "tier-workflow-missing", FORBIDS),
    ("no attack though required", lambda m: m.safe(
        required=("verify", "attack"),
        workflows={p: t for p, t in m.safe().workflows.items() if "attack" not in p}),
     "tier-workflow-missing", FORBIDS),
    ("verify by a branch", lambda m: edited(m, "@" + m.sha, "@main"), "tier-workflow-unpinned", FORBIDS),
    ("verify by a short hash", lambda m: edited(m, "@" + m.sha, "@" + m.sha[:12]), "tier-workflow-unpinned", FORBIDS),
    ("a workflow of another owner", lambda m: edited(m, "envbounty/envbounty/", "mallory/envbounty/"),
     "tier-workflow-changed", FORBIDS),
    ("another commit", lambda m: edited(m, "@" + m.sha, "@" + "b" * 40), "tier-workflow-untrusted", FORBIDS),
    ("one more trigger", lambda m: edited(m, "on:\n", "on:\n  pull_request:\n"), "tier-workflow-changed", FORBIDS),
    ("one more permission", lambda m: edited(m, "permissions: {}", "permissions: write-all"),
     "tier-workflow-changed", FORBIDS),
    ("one more job", lambda m: edited(m, "jobs:\n", "jobs:\n  extra:\n    runs-on: ubuntu-24.04\n    steps: []\n"),
     "tier-workflow-unpinned", FORBIDS),
    ("secrets handed on", lambda m: edited(m, "    with:\n", "    secrets: inherit\n    with:\n"),
     "tier-workflow-changed", FORBIDS),
    ("a changed tier that nobody requires", lambda m: edited(m, "permissions: {}", "permissions: write-all", "attack"),
     "tier-workflow-changed", FORBIDS),
    ("an open runner group", lambda m: m.safe(runner_groups=(OPEN,)), "runner-group-open", FORBIDS),
    ("a group for one workflow too many", lambda m: m.safe(runner_groups=(
        replace(CLOSED, restricted_to=(*CLOSED.restricted_to, "octo/bounties/.github/workflows/lint.yml@main")),)),
     "runner-group-open", FORBIDS),
    ("a group for the workflow on any branch", lambda m: m.safe(runner_groups=(
        replace(CLOSED, restricted_to=("octo/bounties/.github/workflows/gpu-bench.yml",)),)),
     "runner-group-open", FORBIDS),
]  # fmt: skip


@pytest.mark.parametrize(("made", "code", "severity"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_each_thing_that_is_loose_is_found(
    make: Any, made: Callable[[Any], Facts], code: str, severity: Severity
) -> None:
    problems = examine(made(make))
    found = [problem for problem in problems if problem.code == code]
    assert found and all(problem.severity is severity for problem in found), problems
    for problem in problems:
        assert problem.what.endswith(".") and problem.fix
        assert "\n" not in problem.what + problem.fix
    assert bool(forbidding(problems)) is any(problem.severity is FORBIDS for problem in problems)


def test_every_code_is_tried_here() -> None:

    source = inspect.getsource(sys.modules[examine.__module__]) + inspect.getsource(workflows)
    named = set(re.findall(r'Problem\(\s*f?"([a-z-]+)"', source)) | set(
        re.findall(r', "([a-z-]+)", (?:FORBIDS|ADVICE)', source)
    )
    assert named - {"rule-missing-"} <= {case[2] for case in CASES}
    assert len(named) > 20


@pytest.mark.parametrize("name", [field.name for field in fields(Facts) if "Unread" in str(field.type)])
def test_what_could_not_be_read_forbids_merging_and_names_the_permission(make: Any, name: str) -> None:
    problems = examine(make.safe(**{name: Unread("GitHub does not allow it", "administration: read")}))
    forbidden = [problem for problem in problems if problem.severity is FORBIDS]
    assert forbidden
    assert any("administration: read" in problem.fix for problem in forbidden)


@pytest.mark.parametrize(
    "text",
    [
        "on: push\n" + JOB.format("ubuntu-24.04"),
        "on: pull_request\n" + JOB.format("[ubuntu-latest]"),
        "on: schedule\n" + JOB.format("macos-15-xlarge"),
        "on: workflow_dispatch\njobs:\n  a:\n    uses: o/r/.github/workflows/x.yml@main\n",
    ],
)
def test_ordinary_workflows_are_no_problem(make: Any, text: str) -> None:
    assert examine(added(make, text)) == []


OWN = frozenset({"octo/bounties/.github/workflows/{tier}.yml@refs/heads/main"})


def shipped_workflows() -> dict[str, str]:
    """envbounty's own: a fork of it that holds environments is dispatched directly."""
    folder = Path(__file__).parents[3] / ".github/workflows"
    return {f".github/workflows/{tier}.yml": (folder / f"{tier}.yml").read_text() for tier in NAMES}


def test_a_fork_of_envbounty_may_use_its_own_workflows_where_the_operator_says_so(make: Any) -> None:
    assert examine(make.safe(workflows=shipped_workflows(), trusted=OWN)) == []
    codes = [problem.code for problem in examine(make.safe(workflows=shipped_workflows()))]
    assert codes == ["tier-workflow-unpinned"] * 3


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("on:\n", "on:\n  pull_request_target:\n", "tier-workflow-changed"),
        ("\npermissions: {}\n", "\npermissions: write-all\n", "tier-workflow-changed"),
        ("runs-on: ubuntu-24.04", "runs-on: self-hosted", "self-hosted-runner"),
    ],
)
def test_also_then_nobody_else_may_start_them(make: Any, old: str, new: str, code: str) -> None:
    files = shipped_workflows()
    path = ".github/workflows/verify.yml"
    assert old in files[path]
    loose = {**files, path: files[path].replace(old, new, 1)}
    assert [problem.code for problem in examine(make.safe(workflows=loose, trusted=OWN))] == [code]


def test_a_private_repository_is_not_open_to_strangers(make: Any) -> None:
    loose = make.safe(public=False, runner_groups=(OPEN,), actions=replace(ACTIONS, fork_approval=""))
    assert examine(loose) == []


def test_runners_for_the_bench_alone_are_allowed(make: Any) -> None:
    assert examine(make.safe(runner_groups=(CLOSED, replace(OPEN, public_allowed=False)))) == []


def test_another_rulesets_bypass_is_its_own_business(make: Any) -> None:
    """The ledger's branch is written by the App, which bypasses the ruleset of that branch."""
    ledger = Ruleset(2, "ledger", "always", ({"actor_type": "Integration", "actor_id": make.app},))
    assert examine(make.safe(rulesets=(*make.safe().rulesets, ledger))) == []


def test_two_rulesets_together_may_hold_what_one_does_not(make: Any) -> None:
    """An organisation's ruleset and the repository's: what counts is what is in force."""
    half = make.ruled("pull_request", require_code_owner_review=False)
    other = [replace(rule, ruleset_id=1) for rule in make.ruled("pull_request") if rule.type == "pull_request"]
    assert examine(make.safe(rules=(*half, *other))) == []


def test_what_forbids_comes_first(make: Any) -> None:
    problems = examine(make.safe(rules=(), actions=replace(ACTIONS, pinning_required=None)))
    severities = [problem.severity for problem in problems]
    assert severities == sorted(severities, key=lambda severity: severity is not FORBIDS)


def test_the_diagnosis_names_each_problem_with_its_fix(make: Any) -> None:
    facts = make.safe(codeowners=None, runner_groups=(replace(OPEN, name="\x1b[2J\u202egroup"),))
    text = diagnosis("octo/bounties", examine(facts))
    assert text.count("UNSAFE") == 2 and "2 things unsafe" in text
    assert all(problem.fix in text for problem in examine(facts))
    assert text.replace("\n", "").isprintable()
    assert "nothing unsafe" in diagnosis("octo/bounties", examine(make.safe()))


def test_the_documentation_lists_every_code_with_its_weight() -> None:
    documented = dict(re.findall(r"^\| (`[^|]*`) \| ([a-z ]+) \|", DOCUMENT.read_text(), re.MULTILINE))
    listed = {code: weight for codes, weight in documented.items() for code in re.findall(r"`([a-z-]+)`", codes)}
    for _, _, code, severity in CASES:
        assert severity.value in listed[code] or code == "permission-missing", code
    assert set(listed) == {case[2] for case in CASES}


def test_a_runner_group_may_be_for_the_called_workflow_at_the_commit_that_is_trusted(make: Any) -> None:
    called = next(name for name in make.trusted if "gpu-bench" in name or "{tier}" in name).replace(
        "{tier}", "gpu-bench"
    )
    group = replace(CLOSED, restricted_to=(*CLOSED.restricted_to, called))
    assert "runner-group-open" not in [problem.code for problem in examine(make.safe(runner_groups=(group,)))]
    moved = replace(CLOSED, restricted_to=(called.rpartition("@")[0] + "@" + "f" * 40,))
    assert "runner-group-open" in [problem.code for problem in examine(make.safe(runner_groups=(moved,)))]
