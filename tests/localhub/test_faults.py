"""Failures to order: each strikes what it should, as often as it should, and is counted."""

import time

import httpx
import pytest

from localhub.faults import Faults, Webhooks

ISSUES = "/repos/acme/bounties/issues"


def test_without_faults_nothing_strikes():
    faults = Faults()
    assert {faults.strike("GET /x", 0).fault for _ in range(100)} == {None}
    assert {faults.fate().kind for _ in range(100)} == {"send"}
    assert not faults.counts


def test_a_fault_strikes_what_it_matches_as_often_as_it_says():
    faults = Faults()
    faults.add("bad_gateway", "POST .*/merge", times=2, skip=1)
    struck = [bool(faults.strike("POST /pulls/1/merge", 0).fault) for _ in range(5)]
    assert struck == [False, True, True, False, False] and not faults.strike("GET /merge", 0).fault
    assert faults.counts == {"bad_gateway": 2}


def test_the_same_seed_gives_the_same_story():
    def story(seed: int) -> list[str]:
        faults = Faults(seed, webhooks=Webhooks(drop=0.2, double=0.2, hold=0.2, tamper=0.1, lose=0.1))
        faults.add("error_after", chance=0.3)
        return [faults.fate().kind + str(bool(faults.strike("GET /", 0).fault)) for _ in range(50)]

    assert story(1) == story(1) != story(2)


def test_an_error_before_does_nothing_and_an_error_after_has_done_it(world):
    world.hub.faults.add("bad_gateway", f"POST {ISSUES}", times=1)
    assert world.bot("POST", ISSUES, {"title": "one"}).status_code == 502 and not world.repo.issues
    world.hub.faults.add("error_after", f"POST {ISSUES}", times=1)
    assert world.bot("POST", ISSUES, {"title": "one"}).status_code == 500 and len(world.repo.issues) == 1
    assert world.bot("POST", ISSUES, {"title": "two"}).status_code == 201
    assert world.hub.faults.counts == {"bad_gateway": 1, "error_after": 1}


def test_a_fresh_token_may_be_refused_at_first(world):
    world.hub.faults.add("unauthorized", fresh=1)
    for _ in range(2):
        token = world.bot.mint().json()["token"]
        assert [world.bot("GET", ISSUES, token=token).status_code for _ in range(3)] == [401, 200, 200]
    assert world.hub.faults.counts == {"unauthorized": 2}


@pytest.mark.parametrize(
    "kind, retry_after, status, left",
    [
        ("primary_limit", None, 403, "0"),
        ("secondary_limit", 3, 403, ""),
        ("secondary_limit", None, 403, ""),
        ("too_many", 2, 429, ""),
    ],
)
def test_limits_to_order(world, kind, retry_after, status, left):
    world.hub.faults.add(kind, f"GET {ISSUES}", times=1, retry_after=retry_after)
    got = world.bot("GET", ISSUES)
    assert got.status_code == status and "rate limit" in got.json()["message"].lower()
    assert got.headers.get("retry-after") == (str(retry_after) if retry_after else None)
    assert (got.headers["x-ratelimit-remaining"] == "0") is (left == "0")
    assert world.bot("GET", ISSUES).status_code == 200


def test_a_slow_answer(world):
    world.bot("GET", ISSUES)
    world.hub.faults.add("slow", f"GET {ISSUES}", times=1, seconds=5)
    begun = time.monotonic()
    with pytest.raises(httpx.ReadTimeout):
        world.bot.client.get(ISSUES, timeout=0.05)
    assert time.monotonic() - begun < 5


def test_the_head_moves_between_two_calls(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    head = pull.head
    world.hub.faults.before("PUT .*/merge", lambda: world.ann.push_to(pull, {"a.txt": "2\n"}))
    got = world.bot("PUT", "/repos/acme/bounties/pulls/1/merge", {"sha": head})
    assert got.status_code == 409 and pull.head != head
    assert world.bot("PUT", "/repos/acme/bounties/pulls/1/merge", {"sha": pull.head}).status_code == 200


def test_reads_lag_behind_writes(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    old = pull.head
    world.hub.faults.lag = 2
    new = world.ann.push_to(pull, {"a.txt": "2\n"})
    heads = [world.bot("GET", "/repos/acme/bounties/pulls/1").json()["head"]["sha"] for _ in range(3)]
    assert heads == [old, old, new]
    world.bot("POST", "/repos/acme/bounties/check-runs", {"name": "verify", "head_sha": new})
    path = f"/repos/acme/bounties/commits/{new}/check-runs"
    assert [world.bot("GET", path).json()["total_count"] for _ in range(3)] == [0, 0, 1]
    assert world.hub.faults.counts["stale_read"] == 4


def test_whether_it_merges_is_not_known_at_once(world):
    world.hub.faults.unweighed = 2
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})  # the answer to opening it is the first read
    known = [world.bot("GET", f"/repos/acme/bounties/pulls/{pull.number}").json() for _ in range(2)]
    assert [(one["mergeable"], one["mergeable_state"]) for one in known] == [(None, "unknown"), (True, "clean")]


def test_clearing_ends_all_of_it(world):
    world.hub.faults.add("bad_gateway")
    world.hub.faults.lag = 5
    world.hub.faults.webhooks = Webhooks(drop=1)
    world.hub.faults.clear()
    assert world.bot("GET", ISSUES).status_code == 200
    assert world.hub.faults.fate().kind == "send"
