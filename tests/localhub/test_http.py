"""What all operations share: pages, conditional requests, limits, errors, and that GitHub describes each of them."""

from localhub.rest import OPERATIONS

ISSUES = "/repos/acme/bounties/issues"


def test_lists_come_in_pages_with_links(world):
    for number in range(5):
        world.ann.open_issue(world.repo, f"Issue {number}")
    first = world.bot("GET", f"{ISSUES}?per_page=2&direction=asc")
    assert [one["number"] for one in first.json()] == [1, 2] and set(first.links) == {"next", "last"}
    numbers, page = [], first
    while True:
        numbers += [one["number"] for one in page.json()]
        if "next" not in page.links:
            break
        page = world.bot("GET", page.links["next"]["url"].removeprefix(world.hub.api))
    assert numbers == [1, 2, 3, 4, 5] and set(page.links) == {"first", "prev"}
    assert "link" not in world.bot("GET", ISSUES).headers
    assert world.bot("GET", f"{ISSUES}?page=9").json() == []


def test_what_did_not_change_costs_nothing(world):
    first = world.bot("GET", ISSUES)
    again = world.bot("GET", ISSUES, **{"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304 and again.content == b""
    assert again.headers["x-ratelimit-used"] == first.headers["x-ratelimit-used"]
    world.ann.open_issue(world.repo, "New")
    assert world.bot("GET", ISSUES, **{"If-None-Match": first.headers["etag"]}).status_code == 200


def test_the_primary_limit_counts_and_resets(world):
    world.hub.limits.primary = 3
    left = [world.bot("GET", ISSUES).headers["x-ratelimit-remaining"] for _ in range(3)]
    assert left == ["2", "1", "0"]
    refused = world.bot("GET", ISSUES)
    assert refused.status_code == 403 and "rate limit exceeded for installation" in refused.json()["message"]
    core = world.bot("GET", "/rate_limit").json()["resources"]["core"]  # asking is free
    assert core["remaining"] == 0 and core["reset"] == int(refused.headers["x-ratelimit-reset"])
    world.hub.tick(3600)
    assert world.bot("GET", ISSUES, token=world.bot.mint().json()["token"]).status_code == 200


def test_the_secondary_limit_counts_what_makes_something(world):
    world.hub.limits.secondary, world.hub.limits.per_minute = True, 2
    made = [world.bot("POST", ISSUES, {"title": "x"}) for _ in range(3)]
    assert [one.status_code for one in made] == [201, 201, 403] and 1 <= int(made[2].headers["retry-after"]) <= 60
    assert world.bot("GET", ISSUES).status_code == 200
    world.hub.tick(61)
    assert world.bot("POST", ISSUES, {"title": "x"}).status_code == 201


def test_errors_look_as_githubs(world):
    token = world.max.token
    assert world.bot("GET", "/nonsense", token=token).json() == {
        "message": "Not Found",
        "documentation_url": "https://docs.github.com/rest",
        "status": "404",
    }
    headers = {"Authorization": f"Bearer {token}"}
    broken = world.bot.client.post(ISSUES, content=b"{", headers=headers)
    assert (broken.status_code, broken.json()["message"]) == (400, "Problems parsing JSON")
    assert world.bot.client.post(ISSUES, content=b"[]", headers=headers).status_code == 400
    assert world.bot("POST", ISSUES, {}, token=token).status_code == 422
    assert world.bot("POST", ISSUES, {"title": ["x"]}, token=token).status_code == 422


def test_a_repository_is_found_by_its_number_too(world):
    number = world.repo.id
    assert world.bot("GET", f"/repositories/{number}").json()["full_name"] == "acme/bounties"
    assert world.bot("GET", f"/repositories/{number}/pulls").json() == []
    assert world.bot("GET", "/repositories/1").status_code == 404


def test_a_renamed_repository_is_still_found(world):
    world.ann.open_issue(world.repo, "Before")
    world.olga.call("PATCH", "/repos/acme/bounties", {"name": "prizes", "description": "Prizes"})
    moved = world.bot("GET", ISSUES)
    assert moved.status_code == 301
    there = moved.headers["location"].removeprefix(world.hub.api)
    assert there == f"/repositories/{world.repo.id}/issues" and world.bot("GET", there).json()[0]["title"] == "Before"
    assert world.bot("POST", ISSUES, {"title": "x"}).status_code == 307
    world.hub.create_repo("acme/bounties")  # somebody takes the name
    assert world.bot("GET", ISSUES).json() == []
    world.hub.drain()
    assert [name for name in world.receiver.names() if name.startswith("repository ")] == [
        "repository renamed",
        "repository edited",
    ]
    assert world.receiver.last("repository renamed")["changes"]["repository"]["name"]["from"] == "bounties"


def test_accounts(world):
    assert world.ann.call("GET", "/user")["login"] == "ann"
    shown = world.bot("GET", "/users/ann").json()
    assert (shown["type"], shown["id"]) == ("User", world.ann.user.id)
    assert world.bot("GET", f"/user/{shown['id']}").json()["login"] == "ann"
    assert world.bot("GET", "/users/envbounty[bot]").json()["type"] == "Bot"
    assert world.bot("GET", "/users/nobody").status_code == 404


def test_github_describes_every_operation_we_have(hub):
    """A path of ours that GitHub has not would let a client work here and fail there."""
    described = hub.checker._spec["operations"]
    assert [f"{op.method} {op.path}" for op in OPERATIONS if f"{op.method} {op.path}" not in described] == []


def test_the_checker_sees_a_wrong_answer(world):
    """The fixture's check would be worth nothing if it passed everything."""
    from localhub.conformance import Checker
    from localhub.rest.core import Answer, Call

    checker = Checker(world.hub.checker.description)
    op = next(op for op in OPERATIONS if op.path == "/repos/{owner}/{repo}/issues" and op.method == "POST")
    call = Call(world.hub, "POST", ISSUES, {}, {}, {}, b'{"title": "x"}')
    good = world.bot("POST", ISSUES, {"title": "x"}).json()
    checker.check(op, call, Answer(201, good))
    assert checker.violations == []
    for answer in (Answer(201, {**good, "number": "1"}), Answer(202, good), Answer(201, {})):
        checker.check(op, call, answer)
    wrong = Call(world.hub, "POST", ISSUES, {}, {}, {}, b'{"title": "x", "assignees": 7}')
    checker.check(op, wrong, Answer(201, good))
    world.hub.drain()
    delivery = world.hub.sender.records[-1]
    delivery.body = delivery.body.replace(b'"action":"opened"', b'"action":"shut"')
    checker.webhook(delivery)
    assert len(checker.violations) == 5, checker.violations
