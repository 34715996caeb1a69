"""Odd requests get GitHub's refusals, never a broken hub; and many callers at once see one order of things."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from localhub.rest import OPERATIONS
from localhub.rest.body import TYPES

#: Put into every field there is.
ODD = [None, [], "a\0b", 7, {"x": 1}, [{}]]
IDS = {"owner": "acme", "repo": "bounties", "org": "acme", "username": "ann", "pull_number": "1", "issue_number": "1"}


def paths(template: str) -> list[str]:
    """The path with numbers that are not there, and with odd text."""

    def fill(odd: str) -> str:
        return re.sub(r"\{(\w+)\*?\}", lambda match: IDS.get(match[1], odd), template)

    return [fill("1"), fill("--help"), fill("%00"), fill("..%2f..")]


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
def test_no_request_breaks_the_hub(world, method):
    world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    world.ann.comment(world.repo.issues[1], "hello")
    world.hub.checker = None  # nobody describes requests such as these
    bearers = {"jwt": world.bot.jwt(), "installation": world.bot.mint().json()["token"]}
    for op in (op for op in OPERATIONS if op.method == method):
        by = bearers.get(op.by, world.olga.token)
        for place in paths(op.path):
            for odd in ODD[:1] if method in ("GET", "DELETE") else ODD:
                body = dict.fromkeys(TYPES, odd)
                got = world.bot.client.request(method, place, json=body, headers={"Authorization": f"Bearer {by}"})
                assert got.status_code < 500, f"{method} {place} {odd!r}: {got.status_code}"


def test_odd_queries_of_graphql(world):
    viewer = "{ viewer { login } }"
    wrong = [{}, {"query": 7}, {"query": ""}, {"query": "{"}]
    for body in (*wrong, {"query": viewer, "variables": "x"}, {"query": viewer, "variables": [1]}):
        headers = {"Authorization": f"Bearer {world.max.token}"}
        assert world.bot.client.post(world.hub.graphql, json=body, headers=headers).status_code < 500, body


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
