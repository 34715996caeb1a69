"""Rulesets: what a merge and a push must bow to."""

import subprocess

import pytest

from localhub import rules
from localhub.model import Refused

RULES = {
    "name": "main",
    "target": "branch",
    "enforcement": "active",
    "conditions": {"ref_name": {"include": ["~DEFAULT_BRANCH"], "exclude": []}},
    "bypass_actors": [],
}
PULL = {
    "required_approving_review_count": 1,
    "dismiss_stale_reviews_on_push": False,
    "require_code_owner_review": False,
    "require_last_push_approval": False,
    "required_review_thread_resolution": False,
}


def protect(world, *kinds, bypass=(), **pull):
    made = [{"type": "pull_request", "parameters": {**PULL, **pull}}] if pull else []
    return world.olga.add_ruleset(world.repo, {**RULES, "rules": [*made, *kinds], "bypass_actors": list(bypass)})


def why_not(world, pull):
    with pytest.raises(Refused, match="405 Repository rule violations found") as why:
        world.max.merge(pull)
    return str(why.value)


def test_an_approval_is_needed_by_somebody_with_write_access(world):
    protect(world, required_approving_review_count=1)
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    world.eve.approve(pull)
    assert "At least 1 approving review" in why_not(world, pull)
    world.max.request_changes(pull)
    assert "Changes were requested" in why_not(world, pull)
    world.max.approve(pull)
    assert world.max.merge(pull)


def test_a_push_voids_approvals_where_the_rule_says_so(world):
    protect(world, dismiss_stale_reviews_on_push=True)
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    review = world.max.approve(pull)
    world.ann.push_to(pull, {"a.txt": "2\n"})
    assert review.state == "DISMISSED"
    why_not(world, pull)


def test_the_last_pusher_cannot_be_the_only_approver(world):
    protect(world, require_last_push_approval=True)
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"}, branch="x")
    world.ann.set_role(pull.head_repo, world.max, "write")
    world.max.push_to(pull, {"a.txt": "2\n"})
    world.max.approve(pull)
    assert "other than the last pusher" in why_not(world, pull)
    world.olga.approve(pull)
    assert world.max.merge(pull)


def test_code_owners_and_open_conversations(world):
    world.olga.push(world.repo, "main", {".github/CODEOWNERS": "*.txt @max\n/policies/ @olga\n"})
    protect(world, require_code_owner_review=True, required_review_thread_resolution=True)
    pull = world.ann.open_pull(world.repo, {"policies/p.txt": "1\n"})
    world.max.approve(pull)
    assert "code owner review from olga" in why_not(world, pull)
    thread = world.olga.comment_line(pull, "policies/p.txt", 1, "why?")
    world.olga.approve(pull)
    assert "conversation must be resolved" in why_not(world, pull)
    world.ann.resolve(thread)
    assert world.max.merge(pull)


def check(world, pull, bot, name="envbounty", conclusion="success"):
    got = bot(
        "POST",
        "/repos/acme/bounties/check-runs",
        {"name": name, "head_sha": pull.head, "conclusion": conclusion, "status": "completed"},
    )
    assert got.status_code == 201


def test_a_required_check_counts_only_from_the_app_it_is_bound_to(world):
    """A forged status, and another App's check of the same name, change nothing."""
    bound = {"context": "envbounty", "integration_id": world.app.id}
    protect(
        world,
        {
            "type": "required_status_checks",
            "parameters": {"strict_required_status_checks_policy": False, "required_status_checks": [bound]},
        },
    )
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    world.max.call("POST", f"/repos/acme/bounties/statuses/{pull.head}", {"state": "success", "context": "envbounty"})
    other = world.hub.create_app("Other", "", {"checks": "write"}, [])
    stranger = type(world.bot)(world.hub, other, world.hub.install_app(other, world.repo))
    check(world, pull, stranger)
    assert '"envbounty" is expected' in why_not(world, pull)
    check(world, pull, world.bot, conclusion="failure")
    assert '"envbounty" is failing' in why_not(world, pull)
    check(world, pull, world.bot)
    assert world.max.merge(pull)


def test_an_unbound_check_takes_anyones_word_and_strict_wants_the_newest_base(world):
    loose = {"context": "ci"}
    protect(
        world,
        {
            "type": "required_status_checks",
            "parameters": {"strict_required_status_checks_policy": True, "required_status_checks": [loose]},
        },
        bypass=[],
    )
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    world.max.call("POST", f"/repos/acme/bounties/statuses/{pull.head}", {"state": "success", "context": "ci"})
    world.max.push(world.repo, "main", {"other.txt": "x\n"})
    assert "not up to date" in why_not(world, pull)
    assert world.max.call("GET", "/repos/acme/bounties/pulls/1")["mergeable_state"] == "blocked"


def test_who_may_bypass(world):
    everyone = {"actor_id": 2, "actor_type": "RepositoryRole", "bypass_mode": "always"}
    protect(world, required_approving_review_count=1, bypass=[everyone])
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    got = world.bot("PUT", "/repos/acme/bounties/pulls/1/merge", {"sha": pull.head})
    assert got.status_code == 405  # an App has no role
    assert world.max.merge(pull)


def test_pushes_bow_too(world, tmp_path):
    protect(world, {"type": "non_fast_forward"}, {"type": "deletion"}, required_approving_review_count=0)
    with pytest.raises(Refused, match="422 Repository rule violations found"):
        world.max.push(world.repo, "main", {"x.txt": "x\n"})
    with pytest.raises(Refused, match="422"):
        world.max.delete_branch(world.repo, "main")
    url = f"{world.hub.url.replace('//', f'//x:{world.max.token}@')}/acme/bounties.git"

    def git(*args: str, ok: bool = True):
        done = subprocess.run(
            ["git", "-c", "user.name=m", "-c", "user.email=m@x", *args], cwd=tmp_path, capture_output=True, text=True
        )
        assert (done.returncode == 0) is ok, done.stderr
        return done.stdout + done.stderr

    git("clone", "-q", url, "there")
    tmp_path = tmp_path / "there"
    git("commit", "-q", "--allow-empty", "-m", "past the rules")
    assert "GH013" in git("push", "origin", "HEAD:main", ok=False)
    assert "GH013" in git("push", "origin", ":main", ok=False)
    git("push", "-q", "origin", "HEAD:side")
    assert world.repo.git.ref("refs/heads/side") and "only branches" in git(
        "push", "origin", "HEAD:refs/other/x", ok=False
    )


def test_rules_can_be_read_and_bypass_only_by_those_who_set_it(world):
    number = protect(world, {"type": "deletion"}, required_approving_review_count=2)
    shown = world.bot("GET", "/repos/acme/bounties/rules/branches/main").json()
    assert [(one["type"], one["ruleset_id"]) for one in shown] == [("pull_request", number), ("deletion", number)]
    assert world.bot("GET", "/repos/acme/bounties/rules/branches/other").json() == []
    assert "bypass_actors" not in world.bot("GET", f"/repos/acme/bounties/rulesets/{number}").json()
    assert world.olga.call("GET", f"/repos/acme/bounties/rulesets/{number}")["bypass_actors"] == []
    assert [one["name"] for one in world.bot("GET", "/repos/acme/bounties/rulesets").json()] == ["main"]
    world.olga.call("PUT", f"/repos/acme/bounties/rulesets/{number}", {"enforcement": "disabled"})
    assert world.bot("GET", "/repos/acme/bounties/rules/branches/main").json() == []
    world.olga.call("DELETE", f"/repos/acme/bounties/rulesets/{number}")
    world.hub.drain()
    told = [name for name in world.receiver.names() if name.startswith("repository_ruleset")]
    assert told == [f"repository_ruleset {action}" for action in ("created", "edited", "deleted")]
    for body in (
        {"name": "x", "enforcement": "active", "rules": [{"type": "nonsense"}]},
        {"name": "x", "enforcement": "sometimes"},
    ):
        with pytest.raises(Refused, match="422"):
            world.olga.add_ruleset(world.repo, body)


@pytest.mark.parametrize(
    "pattern, path, owned",
    [
        ("*", "a/b.txt", True),
        ("*.js", "x/y.js", True),
        ("/build/", "build/a/b", True),
        ("/build/", "x/build/a", False),
        ("docs/*", "docs/a.md", True),
        ("docs/*", "docs/a/b.md", False),
        ("apps/", "x/apps/y", True),
        ("/docs/**/x", "docs/a/b/x", True),
        ("/scripts", "scripts/a", True),
        ("a?.txt", "ab.txt", True),
        ("/.github", ".github/workflows/x.yml", True),
        (".github/", "my.github/x", False),
        ("**/logs", "deep/er/logs/x", True),
    ],
)
def test_owners_by_pattern(pattern, path, owned):
    assert (rules.owners(f"{pattern} @max", path) == ["@max"]) is owned


def test_the_last_line_that_matches_names_the_owners():
    text = "# all\n* @all\n*.md @docs @team\n/secret.md\n"
    assert rules.owners(text, "a/b.md") == ["@docs", "@team"]
    assert rules.owners(text, "secret.md") == []
    assert rules.owners(text, "x.py") == ["@all"]
