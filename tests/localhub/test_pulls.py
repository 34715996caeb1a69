"""Pull requests from opening to merge, with GitHub's refusals."""

import pytest

from localhub.model import Refused


def refused(status: int, text: str = ""):
    return pytest.raises(Refused, match=f"{status}.*{text}")


def show(world, pull):
    return world.max.call("GET", f"/repos/acme/bounties/pulls/{pull.number}")


def test_a_forks_pull_request_from_opening_to_merge(world):
    pull = world.ann.open_pull(world.repo, {"env/a.txt": "one\n"}, title="An environment", body="For #1")
    shown = show(world, pull)
    assert (shown["head"]["label"], shown["head"]["repo"]["full_name"]) == ("ann:topic", "ann/bounties")
    assert (shown["mergeable"], shown["mergeable_state"], shown["changed_files"], shown["commits"]) == (
        True,
        "clean",
        1,
        1,
    )
    assert shown["author_association"] == "FIRST_TIME_CONTRIBUTOR"
    assert world.repo.git.ref("refs/pull/1/head") == pull.head  # the base holds what the fork pushed

    sha = world.max.merge(pull, pull.head)
    merged = show(world, pull)
    assert merged["merged"] and merged["merge_commit_sha"] == sha and merged["merged_by"]["login"] == "max"
    assert world.repo.git.file(world.repo.git.commit_sha("main"), "env/a.txt") == b"one\n"
    assert world.repo.association(world.ann.user) == "CONTRIBUTOR"
    world.hub.drain()
    told = world.receiver.names()
    assert told.index("pull_request opened") < told.index("pull_request closed") < told.index("push")
    assert world.receiver.last("pull_request closed")["pull_request"]["merged"] is True


def test_the_head_that_is_merged_is_the_one_that_was_meant(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    approved = pull.head
    world.ann.push_to(pull, {"a.txt": "2\n"})
    with refused(409, "Head branch was modified"):
        world.max.merge(pull, approved)
    assert not pull.merged


def test_a_draft_a_conflict_and_a_closed_one_are_not_merged(world):
    draft = world.ann.open_pull(world.repo, {"a.txt": "1\n"}, branch="draft", draft=True)
    with refused(405, "still a draft"):
        world.max.merge(draft)
    torn = world.ann.open_pull(world.repo, {"README.md": "mine\n"}, branch="torn")
    world.max.push(world.repo, "main", {"README.md": "theirs\n"})
    shown = show(world, torn)
    assert (shown["mergeable"], shown["mergeable_state"]) == (False, "dirty")
    with refused(405, "not mergeable"):
        world.max.merge(torn)
    world.ann.close_issue(torn)
    with refused(405, "not mergeable"):
        world.max.merge(torn)
    with refused(405, "Rebase merges are not allowed"):
        world.max.merge(world.ann.open_pull(world.repo, {"b.txt": "b\n"}, branch="b"), method="rebase")


def test_a_squash_has_one_parent(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"}, title="Two steps")
    world.ann.push_to(pull, {"a.txt": "2\n"})
    sha = world.max.merge(pull, method="squash")
    commit = world.repo.git.commit(sha)
    assert len(commit.parents) == 1 and commit.message == "Two steps (#1)"


def test_a_push_to_the_head_is_told_and_kept(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    first = pull.head
    second = world.ann.push_to(pull, {"a.txt": "2\n"})
    world.hub.drain()
    told = world.receiver.last("pull_request synchronize")
    assert (told["before"], told["after"], told["pull_request"]["head"]["sha"]) == (first, second, second)
    assert world.repo.git.ref("refs/pull/1/head") == second
    forced = world.ann.push_to(pull, {"b.txt": "b\n"}, force=True)
    files = world.max.call("GET", "/repos/acme/bounties/pulls/1/files")
    assert [one["filename"] for one in files] == ["b.txt"] and pull.head == forced


def test_base_sha_stays_when_only_the_base_moves(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    before = show(world, pull)["base"]["sha"]
    tip = world.max.push(world.repo, "main", {"other.txt": "x\n"})
    assert show(world, pull)["base"]["sha"] == before != tip
    assert [one["filename"] for one in world.max.call("GET", "/repos/acme/bounties/pulls/1/files")] == ["a.txt"]
    world.ann.push_to(pull, {"a.txt": "2\n"})
    assert show(world, pull)["base"]["sha"] == tip


def test_a_deleted_branch_or_fork_closes_the_pull_request(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    world.ann.delete_branch(pull.head_repo, "topic")
    assert pull.issue.state == "closed" and not pull.merged
    other = world.eve.open_pull(world.repo, {"b.txt": "1\n"})
    world.eve.delete_fork(other.head_repo)
    shown = show(world, other)
    assert (shown["state"], shown["head"]["repo"], shown["head"]["label"]) == ("closed", None, "eve:topic")


def test_pushing_the_head_to_the_base_counts_as_merged(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    world.max.push_commit(world.repo, "main", pull.head)
    assert pull.merged and pull.merge_commit == pull.head and pull.merged_by is world.max.user


def test_closing_opening_again_and_editing(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    world.ann.close_issue(pull)
    world.ann.reopen(pull)
    world.ann.edit_pull(pull, title="Better", body="words")
    with refused(403):
        world.eve.edit_pull(pull, title="Worse")
    world.hub.drain()
    assert [name for name in world.receiver.names() if name.startswith("pull_request ")] == [
        "pull_request opened",
        "pull_request closed",
        "pull_request reopened",
        "pull_request edited",
    ]
    assert world.receiver.last("pull_request edited")["changes"]["title"]["from"] == "Add a.txt"


def test_what_cannot_be_opened(world):
    world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    for branch, text in (("topic", "already exists"), ("nowhere", "Validation Failed")):
        with refused(422) as why:
            world.ann.open_pull(world.repo, branch=branch)
        assert text in f"{why.value} {why.value.errors}"
    fork = world.ann.fork(world.repo)
    world.ann.push_commit(fork, "same", world.repo.git.ref("refs/heads/main"))
    with refused(422) as why:
        world.ann.open_pull(world.repo, branch="same")
    assert "No commits between" in str(why.value.errors)


def test_files_say_what_changed_and_how(world):
    pull = world.ann.open_pull(
        world.repo,
        {
            "list.txt": None,
            "renamed.txt": "".join(f"line {n}\n" for n in range(1, 41)),
            "bin": b"\0\1",
            "ü b.txt": "x\n",
        },
    )
    files = {one["filename"]: one for one in world.max.call("GET", f"/repos/acme/bounties/pulls/{pull.number}/files")}
    assert set(files) == {"renamed.txt", "bin", "ü b.txt"}
    assert (files["renamed.txt"]["status"], files["renamed.txt"]["previous_filename"]) == ("renamed", "list.txt")
    assert "patch" not in files["bin"] and files["ü b.txt"]["patch"] == "@@ -0,0 +1 @@\n+x"


def test_comparing_reading_trees_and_blobs(world):
    pull = world.ann.open_pull(world.repo, {"dir/a.txt": "1\n"})
    get = lambda path, **query: world.max.call("GET", f"/repos/acme/bounties/{path}", **query)  # noqa: E731
    compared = get(f"compare/main...{pull.head}")
    assert (compared["status"], compared["ahead_by"], [one["filename"] for one in compared["files"]]) == (
        "ahead",
        1,
        ["dir/a.txt"],
    )
    tree = get(f"git/trees/{pull.head}", recursive="1")
    blob = next(one for one in tree["tree"] if one["path"] == "dir/a.txt")
    assert get(f"git/blobs/{blob['sha']}")["content"] == "MQo="
    assert [one["name"] for one in get("contents/dir", ref=pull.head)] == ["a.txt"]
    assert get("contents/dir/a.txt", ref=pull.head)["content"] == "MQo=\n"
    raw = world.bot(
        "GET", f"/repos/acme/bounties/contents/dir/a.txt?ref={pull.head}", Accept="application/vnd.github.raw+json"
    )
    assert raw.content == b"1\n"
    for path in ("contents/none", "git/trees/none", f"git/blobs/{'0' * 40}", "git/ref/heads/none", "branches/none"):
        with refused(404):
            get(path)
    assert get("git/ref/heads/main")["object"]["sha"] == get("branches/main")["commit"]["sha"]
    assert [one["name"] for one in get("branches")] == ["main"]


def test_one_file_is_written_through_the_api(world):
    path = "/repos/acme/bounties/contents/new.txt"
    made = world.max.call("PUT", path, {"message": "Add", "content": "MQo="})
    with refused(409):
        world.max.call("PUT", path, {"message": "Blind", "content": "Mgo=", "sha": "0" * 40})
    world.max.call("PUT", path, {"message": "Change", "content": "Mgo=", "sha": made["content"]["sha"]})
    assert world.max.call("GET", path)["content"] == "Mgo=\n"


def test_issues_labels_comments_and_reactions(world):
    issue = world.ann.open_issue(world.repo, "Wanted", "an environment", labels=["bounty"])
    assert issue.labels == []  # a stranger's labels are dropped
    world.max.label(issue, "bounty")
    assert [one["number"] for one in world.max.call("GET", "/repos/acme/bounties/issues", labels="bounty")] == [1]
    comment = world.eve.comment(issue, "I will do it")
    for person in (world.eve, world.max):
        world.hub.drain()
        person.edit_comment(comment, f"changed by {person.login}")
    with refused(403):
        world.ann.edit_comment(comment, "not mine")
    path = f"/repos/acme/bounties/issues/comments/{comment.id}/reactions"
    first = world.bot("POST", path, {"content": "+1"})
    assert (first.status_code, world.bot("POST", path, {"content": "+1"}).status_code) == (201, 200)
    assert world.max.call("GET", path)[0]["user"]["login"] == "envbounty[bot]"
    assert world.bot("DELETE", f"{path}/{first.json()['id']}").status_code == 204
    with refused(422):
        world.eve.comment(issue, "x" * 65_537)
    world.eve.delete_comment(comment)
    world.ann.close_issue(issue)
    world.hub.drain()
    told = [name for name in world.receiver.names() if name.startswith("issue")]
    assert told == [
        "issues opened",
        "issues labeled",
        "issue_comment created",
        "issue_comment edited",
        "issue_comment edited",
        "issue_comment deleted",
        "issues closed",
    ]
    assert world.receiver.last("issue_comment edited")["changes"]["body"]["from"] == "changed by eve"
