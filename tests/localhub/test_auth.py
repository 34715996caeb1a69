"""Who may do what: Apps by their keys, installations by their permissions, people by their roles."""

import jwt
import pytest


def test_an_app_proves_itself_by_its_key(world):
    got = world.bot.as_itself("GET", "/app")
    assert got.status_code == 200 and got.json()["slug"] == "envbounty"
    assert world.bot.as_itself("GET", "/repos/acme/bounties/installation").json()["id"] == world.installation.id
    assert [one["id"] for one in world.bot.as_itself("GET", "/app/installations").json()] == [world.installation.id]


@pytest.mark.parametrize(
    "claims, says",
    [
        ({"exp": 1}, "future time"),
        ({"exp": 99999999999}, "too far in the future"),
        ({"iss": "nobody"}, "Integration not found"),
        ({"iat": 99999999999, "exp": None}, "could not be decoded"),
        ({"iss": None}, "Integration not found"),
    ],
)
def test_a_bad_claim_is_refused(world, claims, says):
    got = world.bot.client.get("/app", headers={"Authorization": f"Bearer {world.bot.jwt(**claims)}"})
    assert got.status_code == 401 and says in got.json()["message"]


def test_a_key_that_is_not_the_apps_is_refused(world):
    other = world.hub.create_app("Other", "", {}, [])
    forged = jwt.encode({"iat": 0, "exp": 1, "iss": world.app.client_id}, other.private_key, algorithm="RS256")
    unsigned = jwt.encode({"iat": 0, "exp": 1, "iss": world.app.client_id}, None, algorithm="none")
    public = world.bot.client.get
    for text in (forged, unsigned):
        got = public("/app", headers={"Authorization": f"Bearer {text}"})
        assert got.status_code == 401 and "could not be decoded" in got.json()["message"]


def test_a_narrowed_token_may_only_what_it_was_narrowed_to(world):
    reader = world.bot.mint({"permissions": {"pull_requests": "read"}, "repository_ids": [world.repo.id]}).json()
    assert reader["permissions"] == {"pull_requests": "read", "metadata": "read"}
    assert [one["id"] for one in reader["repositories"]] == [world.repo.id]
    assert world.bot("GET", "/repos/acme/bounties/pulls", token=reader["token"]).status_code == 200
    for method, path in (
        ("GET", "contents/README.md"),
        ("POST", "issues"),
        ("POST", "check-runs"),
        ("GET", "actions/runs"),
    ):
        got = world.bot(
            method, f"/repos/acme/bounties/{path}", {"title": "x"} if method == "POST" else None, reader["token"]
        )
        assert (got.status_code, got.json()["message"]) == (403, "Resource not accessible by integration"), path


def test_a_token_cannot_be_wider_than_what_was_granted(world):
    assert world.bot.mint({"permissions": {"administration": "write"}}).status_code == 422
    assert world.bot.mint({"permissions": {"actions": "admin"}}).status_code == 422
    assert world.bot.mint({"repository_ids": [1]}).status_code == 422


def test_a_token_is_good_for_an_hour(world):
    token = world.bot.mint().json()["token"]
    assert world.bot("GET", "/installation/repositories", token=token).status_code == 200
    world.hub.tick(3601)
    got = world.bot("GET", "/installation/repositories", token=token)
    assert (got.status_code, got.json()["message"]) == (401, "Bad credentials")


def test_a_token_given_back_is_void(world):
    token = world.bot.mint().json()["token"]
    assert world.bot("DELETE", "/installation/token", token=token).status_code == 204
    assert world.bot("GET", "/installation/repositories", token=token).status_code == 401


def test_the_newer_kind_of_token_is_long_and_has_dots(world):
    header = {"X-GitHub-Stateless-S2S-Token": "enabled"}
    token = world.bot.mint(None, **header).json()["token"]
    assert token.startswith(f"ghs_{world.app.id}_") and token.count(".") == 2 and 400 < len(token) < 700
    assert world.bot("GET", "/installation/repositories", token=token).json()["total_count"] == 1


def test_a_suspended_installation_gets_no_token_and_no_webhook(world):
    token = world.bot.mint().json()["token"]
    world.installation.suspended_at = world.hub.now()
    assert world.bot.mint().status_code == 403
    assert world.bot("GET", "/installation/repositories", token=token).status_code == 403
    world.hub.drain()
    before = len(world.receiver.got)
    world.ann.open_issue(world.repo, "A bug")
    world.hub.drain()
    assert len(world.receiver.got) == before


def test_an_installation_has_no_say_elsewhere(world):
    other = world.hub.create_repo("umbrella/secret", private=True)
    public = world.hub.create_repo("umbrella/open")
    assert world.bot("GET", f"/repos/{other.full_name}").status_code == 404
    assert world.bot("GET", f"/repos/{public.full_name}").status_code == 200
    assert world.bot("POST", f"/repos/{public.full_name}/issues", {"title": "x"}).status_code == 403


def test_people_may_what_their_role_says(world):
    path = f"/repos/{world.repo.full_name}"
    roles = {}
    for person in (world.ann, world.max, world.olga):
        roles[person.login] = world.max.call("GET", f"{path}/collaborators/{person.login}/permission")
    assert {who: (one["permission"], one["role_name"]) for who, one in roles.items()} == {
        "ann": ("read", "read"),
        "max": ("write", "maintain"),
        "olga": ("admin", "admin"),
    }
    pull = world.ann.open_pull(world.repo, {"a.txt": "a\n"})
    for attempt in (
        lambda: world.ann.merge(pull),
        lambda: world.ann.label(pull, "bug"),
        lambda: world.max.add_ruleset(world.repo, {}),
    ):
        with pytest.raises(Exception, match="403"):
            attempt()


def test_a_role_is_given_changed_and_taken_away(world):
    for role in ("write", "maintain", "maintain", "none"):
        world.olga.set_role(world.repo, world.eve, role)
    assert world.repo.role(world.eve.user) == "read"
    with pytest.raises(Exception, match="403"):
        world.max.set_role(world.repo, world.eve, "admin")
    world.hub.drain()
    told = [name for name in world.receiver.names() if name.startswith("member")]
    assert told == ["member added", "member edited", "member removed"]


def test_only_apps_write_checks(world):
    with pytest.raises(Exception, match="403 You must authenticate via a GitHub App"):
        world.olga.call("POST", f"/repos/{world.repo.full_name}/check-runs", {"name": "x", "head_sha": "0" * 40})


def test_nobody_may_read_what_is_public_and_nothing_else(world):
    private = world.hub.create_repo("acme/private", private=True)
    get = world.bot.client.get
    assert get("/repos/acme/bounties").status_code == 200
    assert get(f"/repos/{private.full_name}").status_code == 404
    assert world.bot.client.post("/repos/acme/bounties/issues", json={"title": "x"}).status_code == 401
    assert get("/repos/acme/bounties", headers={"Authorization": "Bearer wrong"}).status_code == 401
