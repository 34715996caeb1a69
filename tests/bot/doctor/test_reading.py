"""The facts as GitHub's API gives them; whatever it refuses or garbles is a fact that could not be read."""

from __future__ import annotations

import base64
import copy
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from bot.doctor import Facts, Severity, Unread, examine, read_facts
from bot.github import errors


class GitHub:
    """Answers by path, as recorded; a path that maps to an exception raises it. Every use of a right is noted."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers
        self.used: dict[str, dict[str, str]] = {}

    def get(self, path: str, rights: Mapping[str, str], query: Mapping[str, Any] | None = None) -> Any:
        self.used[path] = dict(rights)
        found = self.answers.get(path, errors.Gone("not found", 404))
        if isinstance(found, Exception):
            raise found
        return copy.deepcopy(found)

    def pages(self, path: str, rights: Mapping[str, str], query: Mapping[str, Any] | None = None) -> Iterator[Any]:
        yield self.get(path, rights, query)


def file(text: str) -> dict[str, Any]:
    content = base64.encodebytes(text.encode()).decode()
    return {"type": "file", "encoding": "base64", "size": len(text), "content": content}


FOLDER = "/contents/.github/workflows"
RULES, RULESET = "/rules/branches/main", "/rulesets/1"
SETTINGS, TOKEN = "/actions/permissions", "/actions/permissions/workflow"
FORKS = "/actions/permissions/fork-pr-contributor-approval"
GROUPS = "//orgs/octo/actions/runner-groups"


@pytest.fixture
def answers(make: Any) -> dict[str, Any]:
    files = make.laid_down()
    workflows = {path: text for path, text in files.items() if path.startswith(".github/workflows/")}
    rules = [{**rule, "ruleset_id": 1, "ruleset_source_type": "Repository"} for rule in make.shipped()["rules"]]
    return {
        "": {
            "full_name": "octo/bounties", "private": False, "default_branch": "main",
            "owner": {"login": "octo", "type": "Organization"},
        },
        RULES: rules,
        RULESET: {"id": 1, "name": "main", "current_user_can_bypass": "never", "enforcement": "active"},
        "/contents/.github/CODEOWNERS": file(files[".github/CODEOWNERS"]),
        FOLDER: [{"name": path.rpartition("/")[2], "path": path, "type": "file"} for path in workflows],
        **{f"/contents/{path}": file(text) for path, text in workflows.items()},
        SETTINGS: {"enabled": True, "allowed_actions": "all", "sha_pinning_required": True},
        TOKEN: {"default_workflow_permissions": "read", "can_approve_pull_request_reviews": False},
        FORKS: {"approval_policy": "all_external_contributors"},
        GROUPS: {"total_count": 0, "runner_groups": []},
        "/contents/policies/policy.yaml": file(files["policies/policy.yaml"]),
    }  # fmt: skip


def read(make: Any, answers: dict[str, Any]) -> Facts:
    return read_facts(GitHub(answers), make.app, make.safe().granted, make.trusted)


def test_what_is_laid_down_and_installed_as_documented_is_read_as_safe(make: Any, answers: dict[str, Any]) -> None:
    facts = read(make, answers)
    assert facts == make.safe(rulesets=facts.rulesets)
    assert examine(facts) == []


def test_each_answer_is_asked_for_with_the_one_right_that_it_needs(make: Any, answers: dict[str, Any]) -> None:
    github = GitHub(answers)
    read_facts(github, make.app, make.safe().granted, make.trusted)
    assert {tuple(rights.items()) for rights in github.used.values()} == {
        (("metadata", "read"),),
        (("contents", "read"),),
        (("administration", "read"),),
        (("organization_self_hosted_runners", "read"),),
    }


@pytest.mark.parametrize(
    "refusal",
    [
        errors.Forbidden("Resource not accessible by integration", 403),
        errors.Unauthorized("Bad credentials", 401),
        errors.Invalid("The permissions requested are not granted to this installation", 422),
        errors.Gone("Not Found", 404),
    ],
)
@pytest.mark.parametrize(
    ("path", "fact", "permission"),
    [
        (RULES, "rules", "metadata: read"),
        (RULESET, "rulesets", "metadata: read"),
        (SETTINGS, "actions", "administration: read"),
        (TOKEN, "actions", "administration: read"),
        (FORKS, "actions", "administration: read"),
        (GROUPS, "runner_groups", "organization_self_hosted_runners: read"),
    ],
)
def test_what_github_refuses_to_show_forbids_merging(
    make: Any, answers: dict[str, Any], path: str, fact: str, permission: str, refusal: Exception
) -> None:
    facts = read(make, {**answers, path: refusal})
    unread = getattr(facts, fact)
    assert isinstance(unread, Unread) and unread.permission == permission
    assert any(problem.severity is Severity.FORBIDS and permission in problem.fix for problem in examine(facts))


@pytest.mark.parametrize("path", [FOLDER, "/contents/.github/CODEOWNERS", "/contents/policies/policy.yaml"])
def test_a_file_that_may_not_be_read_is_not_an_absent_one(make: Any, answers: dict[str, Any], path: str) -> None:
    facts = read(make, {**answers, path: errors.Forbidden("no", 403)})
    assert any(problem.code == "unread" and problem.severity is Severity.FORBIDS for problem in examine(facts))


@pytest.mark.parametrize(
    ("path", "garbled"),
    [
        (RULES, [{"no": "type"}]),
        (RULES, "nonsense"),
        (RULES, None),
        (RULESET, {"name": "no id"}),
        (RULESET, []),
        (FOLDER, {"type": "file"}),
        (FOLDER, [{"name": "x.yml"}]),
        (FOLDER, [{"name": "gone.yml", "path": ".github/workflows/gone.yml"}]),
        (FOLDER, [{"name": f"{n}.yml", "path": f".github/workflows/{n}.yml"} for n in range(101)]),
        ("/contents/.github/workflows/verify.yml", {"type": "symlink", "target": "/etc/passwd"}),
        ("/contents/.github/workflows/verify.yml", {**file("x"), "content": "!"}),
        ("/contents/.github/workflows/verify.yml", {**file("x"), "size": 10**9}),
        ("/contents/.github/workflows/verify.yml", {**file("x"), "content": base64.b64encode(b"\xff").decode()}),
        ("/contents/.github/CODEOWNERS", []),
        (SETTINGS, {}),
        (TOKEN, {"default_workflow_permissions": "read"}),
        (FORKS, {}),
        (GROUPS, {"runner_groups": [{}]}),
        (GROUPS, []),
        ("/contents/policies/policy.yaml", file("schema: 2\n")),
        ("/contents/policies/policy.yaml", file("{")),
    ],
)
def test_a_garbled_answer_is_never_a_safe_one(make: Any, answers: dict[str, Any], path: str, garbled: Any) -> None:
    problems = examine(read(make, {**answers, path: garbled}))
    assert any(problem.severity is Severity.FORBIDS for problem in problems)


@pytest.mark.parametrize("trouble", [errors.Unavailable("down", 502), errors.Later(None, "slow down")])  # type: ignore[arg-type]
def test_a_github_that_cannot_be_asked_now_is_no_fact(make: Any, answers: dict[str, Any], trouble: Exception) -> None:
    with pytest.raises(type(trouble)):
        read(make, {**answers, SETTINGS: trouble})


def test_a_users_repository_has_no_runner_groups_to_ask_for(make: Any, answers: dict[str, Any]) -> None:
    owner = {"login": "ann", "type": "User"}
    github = GitHub({**answers, "": {**answers[""], "owner": owner, "full_name": "ann/bounties"}})
    facts = read_facts(github, make.app, make.safe().granted, make.trusted)
    assert facts.runner_groups == () and not facts.organisation
    assert not any("runner-groups" in path for path in github.used)


def test_a_repository_without_codeowners_or_workflows_is_read_as_such(make: Any, answers: dict[str, Any]) -> None:
    left = {path: found for path, found in answers.items() if "CODEOWNERS" not in path and FOLDER not in path}
    facts = read(make, left)
    assert facts.codeowners is None and facts.workflows == {}


def test_codeowners_is_taken_from_where_github_takes_it(make: Any, answers: dict[str, Any]) -> None:
    facts = read(make, {**answers, "/contents/CODEOWNERS": file("* @mallory\n")})
    assert isinstance(facts.codeowners, str) and "mallory" not in facts.codeowners


def test_runner_groups_are_read_with_what_restricts_them(make: Any, answers: dict[str, Any]) -> None:
    only = "octo/bounties/.github/workflows/gpu-bench.yml@refs/heads/main"
    group = {
        "name": "gpu",
        "allows_public_repositories": True,
        "restricted_to_workflows": True,
        "selected_workflows": [only],
    }
    assert examine(read(make, {**answers, GROUPS: {"runner_groups": [group]}})) == []
    for change in ({"restricted_to_workflows": False}, {"selected_workflows": [only, "x"]}):
        facts = read(make, {**answers, GROUPS: {"runner_groups": [{**group, **change}]}})
        assert [problem.code for problem in examine(facts)] == ["runner-group-open"]


def test_a_stricter_policy_asks_for_more_checks(make: Any, answers: dict[str, Any]) -> None:
    strict = file("schema: 1\ntiers:\n  required: [verify, attack]\n")
    facts = read(make, {**answers, "/contents/policies/policy.yaml": strict})
    assert facts.required == ("verify", "attack")
    assert "check-not-required" in [problem.code for problem in examine(facts)]
