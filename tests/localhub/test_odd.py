"""Odd requests get GitHub's refusals, never a broken hub; and many callers at once see one order of things."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from localhub.rest import OPERATIONS

#: Bodies with the right names and the wrong things in them.
ODD = [
    None,
    [],
    "text",
    7,
    True,
    {"x": 1},
    [1],
    [{}],
    [None],
    -1,
    "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
]
WORDS = {
    "title", "body", "head", "base", "event", "comments", "commit_id", "path", "line", "side", "name", "head_sha", "status",
    "conclusion", "output", "actions", "ref", "inputs", "sha", "content", "message", "labels", "state", "permissions",
    "repository_ids", "repositories", "rules", "conditions", "bypass_actors", "enforcement", "force", "reviewers", "merge_method",
    "started_at", "in_reply_to", "subject_type", "start_line", "position", "context", "enabled", "approval_policy", "annotations",
    "commit_title", "expected_head_sha", "description", "default_branch", "draft", "head_repo", "branch", "query", "variables",
}  # fmt: skip
IDS = {"owner": "acme", "repo": "bounties", "org": "acme", "username": "ann", "pull_number": "1", "issue_number": "1"}


def paths(world, template: str) -> list[str]:
    """The path with what is there, with numbers that are not there, and with odd text."""

    def fill(odd: str) -> str:
        return re.sub(r"\{(\w+)\*?\}", lambda match: IDS.get(match[1], odd), template)

    return [fill("1"), fill("--help"), fill("%00"), fill("..%2f..")]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_no_request_breaks_the_hub(world, method):
    world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    world.ann.comment(world.repo.issues[1], "hello")
    token = world.bot.mint().json()["token"]
    for op in (op for op in OPERATIONS if op.method == method):
        by = {"jwt": world.bot.jwt(), "installation": token}.get(op.by, world.olga.token)
        headers = {"Authorization": f"Bearer {by}"}
        for place in paths(world, op.path):
            for body in ODD[:1] if method in ("GET", "DELETE") else ODD:
                got = world.bot.client.request(method, place, json=dict.fromkeys(WORDS, body), headers=headers)
                assert got.status_code < 500, f"{method} {place} {body!r}: {got.status_code}"
    world.hub.checker.violations.clear()  # nobody describes requests such as these


def test_odd_queries_of_graphql(world):
    for body in ({}, {"query": 7}, {"query": ""}, {"query": "{"}, {"query": "{ viewer { login } }", "variables": "x"}, {"query": "{ viewer { login } }", "variables": [1]}):  # fmt: skip
        got = world.bot.client.post(
            world.hub.graphql, json=body, headers={"Authorization": f"Bearer {world.max.token}"}
        )
        assert got.status_code < 500, body


def test_many_at_once(world):
    """Numbers are given once, one pull request is merged once, and nothing waits for ever."""
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})

    def act(number: int):
        if number % 3 == 0:
            return world.bot("PUT", "/repos/acme/bounties/pulls/1/merge", {"sha": pull.head}).status_code
        if number % 3 == 1:
            return world.bot("POST", "/repos/acme/bounties/issues", {"title": str(number)}).json()["number"]
        return world.bot("GET", "/repos/acme/bounties/pulls/1").status_code

    world.bot("GET", "/rate_limit")
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(act, range(48)))
    assert sorted(got[0::3]) == [200] + [405] * 15
    assert sorted(got[1::3]) == list(range(2, 18))
    assert set(got[2::3]) == {200}
    world.hub.drain()
    assert world.receiver.names().count("pull_request closed") == 1
