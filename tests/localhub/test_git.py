"""git over HTTP, with the real git on both sides."""

import os
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def git(tmp_path: Path):
    def run(*args: str, ok: bool = True, cwd: str = "") -> str:
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }
        who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
        done = subprocess.run(
            ["git", *who, *args], cwd=tmp_path / cwd, env=env, capture_output=True, text=True, check=False
        )
        assert (done.returncode == 0) is ok, done.stderr
        return (done.stdout + done.stderr).strip()

    return run


def address(world, person, repo) -> str:
    return f"{world.hub.url.replace('//', f'//x-access-token:{person.token}@')}/{repo.full_name}.git"


def test_anyone_clones_what_is_public_and_only_those_who_may_push(world, git, tmp_path):
    git("clone", "-q", f"{world.hub.url}/acme/bounties.git", "copy")
    (tmp_path / "copy" / "new.txt").write_text("new\n")
    git("add", ".", cwd="copy")
    git("commit", "-q", "-m", "new", cwd="copy")
    git("push", "origin", "main", ok=False, cwd="copy")
    git("push", address(world, world.eve, world.repo), "main", ok=False, cwd="copy")
    git("push", "-q", address(world, world.max, world.repo), "main", cwd="copy")
    assert world.repo.git.ref("refs/heads/main") == git("rev-parse", "HEAD", cwd="copy")
    world.hub.drain()
    assert world.receiver.last("push")["pusher"]["name"] == "max"


def test_a_forks_push_moves_its_pull_request_and_can_be_fetched_from_the_base(world, git, tmp_path):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    git("clone", "-q", "-b", "topic", address(world, world.ann, pull.head_repo), "fork")
    (tmp_path / "fork" / "a.txt").write_text("2\n")
    git("commit", "-q", "-a", "-m", "second", cwd="fork")
    git("push", "-q", "origin", "topic", cwd="fork")
    assert pull.head == git("rev-parse", "HEAD", cwd="fork")
    git("init", "-q", "runner")
    # As a runner does: by the SHA alone, from the base repository.
    git("fetch", "-q", "--depth", "1", f"{world.hub.url}/acme/bounties.git", pull.head, cwd="runner")
    assert git("show", "FETCH_HEAD:a.txt", cwd="runner") == "2"
    git("fetch", "-q", f"{world.hub.url}/acme/bounties", "refs/pull/1/head", "refs/pull/1/merge", cwd="runner")
    world.hub.drain()
    assert world.receiver.last("pull_request synchronize")["after"] == pull.head


def test_refs_of_pull_requests_are_githubs_own(world, git):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    git("clone", "-q", address(world, world.max, world.repo), "copy")
    git("push", "origin", "HEAD:refs/pull/1/head", ok=False, cwd="copy")
    assert world.repo.git.ref("refs/pull/1/head") == pull.head


def test_a_private_repository_is_not_there_for_others(world, git):
    private = world.hub.create_repo("acme/private", private=True, maintainers=[world.max])
    git("clone", "-q", address(world, world.max, private), "mine")
    git("clone", "-q", address(world, world.eve, private), "theirs", ok=False)
    git("clone", "-q", f"{world.hub.url}/acme/private.git", "nobodys", ok=False)


def test_an_apps_token_pushes_only_with_contents_write(world, git):
    git("clone", "-q", f"{world.hub.url}/acme/bounties.git", "copy")
    git("commit", "-q", "--allow-empty", "-m", "by the bot", cwd="copy")
    for level, ok in (("read", False), ("write", True)):
        token = world.bot.mint({"permissions": {"contents": level}}).json()["token"]
        url = f"{world.hub.url.replace('//', f'//x-access-token:{token}@')}/acme/bounties.git"
        git("push", "-q", url, "HEAD:side", ok=ok, cwd="copy")


def test_refs_by_the_api(world):
    call = world.max.call
    sha = world.repo.git.ref("refs/heads/main")
    call("POST", "/repos/acme/bounties/git/refs", {"ref": "refs/heads/deep/er", "sha": sha})
    found = call("GET", "/repos/acme/bounties/git/matching-refs/heads/deep")
    assert [one["ref"] for one in found] == ["refs/heads/deep/er"]
    assert call("GET", "/repos/acme/bounties/branches/deep/er")["commit"]["sha"] == sha
    new = world.max.push(world.repo, "deep/er", {"x.txt": "x\n"})
    for body, says in (({"sha": sha}, "not a fast forward"), ({"sha": "0" * 40}, "does not exist")):
        with pytest.raises(Exception, match=f"422.*{says}"):
            call("PATCH", "/repos/acme/bounties/git/refs/heads/deep/er", body)
    for body in (
        {"ref": "main", "sha": sha},
        {"ref": "refs/heads/main", "sha": sha},
        {"ref": "refs/heads/y", "sha": "0" * 40},
    ):
        with pytest.raises(Exception, match="422"):
            call("POST", "/repos/acme/bounties/git/refs", body)
    listed = call("GET", "/repos/acme/bounties/commits", sha="deep/er")
    assert [one["sha"] for one in listed] == [new, sha] and listed[0]["author"]["login"] == "max"
    shown = call("GET", f"/repos/acme/bounties/commits/{new}")
    assert ([one["filename"] for one in shown["files"]], shown["stats"]["additions"]) == (["x.txt"], 1)
    assert call("GET", f"/repos/acme/bounties/git/commits/{new}")["tree"]["sha"] == shown["commit"]["tree"]["sha"]
    world.max.delete_branch(world.repo, "deep/er")
    with pytest.raises(Exception, match="404"):
        call("GET", "/repos/acme/bounties/git/ref/heads/deep/er")
