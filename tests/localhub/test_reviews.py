"""Reviews, comments on lines, and threads."""

import pytest

from localhub.model import Refused, node_id

THREADS = """query($number: Int!) { repository(owner: "acme", name: "bounties") { pullRequest(number: $number) {
  reviewThreads(first: 50) { pageInfo { hasNextPage endCursor } nodes { id isResolved isOutdated path line
    comments(first: 1) { nodes { databaseId author { login } body } } } } } } }"""
RESOLVE = "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved } } }"


def bad_review(world, pull, *comments):
    """The errors of a review that GitHub refuses."""
    got = world.bot(
        "POST",
        f"/repos/acme/bounties/pulls/{pull.number}/reviews",
        {"event": "COMMENT", "body": "x", "comments": list(comments)},
    )
    assert got.status_code == 422
    return got.json()["errors"]


def test_a_review_with_one_line_off_the_diff_leaves_nothing_behind(world):
    pull = world.ann.open_pull(world.repo, {"list.txt": "".join(f"line {n}\n" for n in range(1, 40))})
    good = {"path": "list.txt", "line": 39, "side": "RIGHT", "body": "good"}
    for bad in ({**good, "line": 2}, {**good, "path": "README.md"}, {**good, "line": 40}, {**good, "start_line": 2}):
        assert bad_review(world, pull, good, bad)
    assert pull.reviews == [] and pull.threads == []
    world.bot(
        "POST",
        "/repos/acme/bounties/pulls/1/reviews",
        {"event": "COMMENT", "body": "x", "comments": [good, {**good, "line": 40, "side": "LEFT"}]},
    )
    assert [(thread.line, thread.side) for thread in pull.threads] == [(39, "RIGHT"), (40, "LEFT")]


def test_a_comment_over_several_lines_stays_in_one_hunk(world):
    text = [f"line {n}" for n in range(1, 41)]
    text[1], text[30] = "two", "thirty-one"
    pull = world.ann.open_pull(world.repo, {"list.txt": "\n".join(text) + "\n"})
    span = {"path": "list.txt", "start_line": 1, "line": 3, "side": "RIGHT", "body": "these"}
    world.max.review(pull, comments=[span])
    shown = world.max.call("GET", "/repos/acme/bounties/pulls/1/comments")[0]
    assert (shown["start_line"], shown["line"], shown["original_line"], shown["position"]) == (1, 3, 3, 4)
    assert shown["diff_hunk"].splitlines()[-1] == " line 3"
    assert "same hunk" in str(bad_review(world, pull, {**span, "line": 30}))
    assert "precede" in str(bad_review(world, pull, {**span, "start_line": 3, "line": 1}))


def test_nobody_reviews_themselves_into_a_merge(world):
    pull = world.max.open_pull(world.repo, {"a.txt": "1\n"}, same_repo=True)
    with pytest.raises(Refused) as why:
        world.max.approve(pull)
    assert why.value.errors == ["Can not approve your own pull request"]
    with pytest.raises(Refused, match="422"):
        world.ann.review(pull, "COMMENT", body="")


def test_a_review_is_of_one_commit_and_stays_so(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    first = pull.head
    review = world.max.approve(pull)
    world.ann.push_to(pull, {"a.txt": "2\n"})
    shown = world.max.call("GET", "/repos/acme/bounties/pulls/1/reviews")
    assert [(one["state"], one["commit_id"]) for one in shown] == [("APPROVED", first)]
    world.max.dismiss(review)
    assert review.state == "DISMISSED"
    assert world.eve.approve(pull, commit=first).commit == first  # anyone may review, of any commit that was a head
    with pytest.raises(Refused, match="422"):
        world.eve.approve(pull, commit="0" * 40)
    world.hub.drain()
    told = [name for name in world.receiver.names() if name.startswith("pull_request_review ")]
    assert told == ["pull_request_review submitted", "pull_request_review dismissed", "pull_request_review submitted"]
    assert world.receiver.last("pull_request_review submitted")["review"]["state"] == "approved"


def test_a_commit_on_the_way_to_the_head_can_be_reviewed_and_one_of_the_base_cannot(world):
    fork = world.ann.fork(world.repo)
    first = world.ann.push(fork, "topic", {"a.txt": "1\n"})
    world.ann.push(fork, "topic", {"a.txt": "2\n"})
    pull = world.ann.open_pull(world.repo)
    assert world.max.approve(pull, commit=first).commit == first
    with pytest.raises(Refused, match="422"):
        world.max.approve(pull, commit=world.repo.git.ref("refs/heads/main"))


def test_a_draft_review_is_its_authors_secret(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    draft = world.max.review(pull, None, "not yet", comments=[{"path": "a.txt", "line": 1, "body": "hm"}])
    assert draft.state == "PENDING"
    for path in ("reviews", "comments"):
        assert world.bot("GET", f"/repos/acme/bounties/pulls/1/{path}").json() == []
    world.max.call("POST", f"/repos/acme/bounties/pulls/1/reviews/{draft.id}/events", {"event": "REQUEST_CHANGES"})
    assert world.bot("GET", "/repos/acme/bounties/pulls/1/reviews").json()[0]["state"] == "CHANGES_REQUESTED"
    assert len(world.bot("GET", "/repos/acme/bounties/pulls/1/comments").json()) == 1


def test_a_thread_follows_its_line_until_the_line_changes(world):
    pull = world.ann.open_pull(world.repo, {"new.txt": "a\nb\nc\n"})
    thread = world.max.comment_line(pull, "new.txt", 2, "why b?")
    first = pull.head
    world.ann.push_to(pull, {"new.txt": "0\na\nb\nc\n"})
    shown = world.max.call("GET", "/repos/acme/bounties/pulls/1/comments")[0]
    assert (shown["line"], shown["original_line"], shown["commit_id"], shown["original_commit_id"]) == (
        3,
        2,
        pull.head,
        first,
    )
    second = pull.head
    world.ann.push_to(pull, {"new.txt": "0\na\nB\nc\n"})
    shown = world.max.call("GET", "/repos/acme/bounties/pulls/1/comments")[0]
    assert (shown["line"], shown["position"], shown["commit_id"]) == (None, None, second)
    assert thread.outdated and not thread.resolved


def test_answers_and_comments_on_whole_files(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n", "bin": b"\0"})
    thread = world.max.comment_line(pull, "a.txt", 1, "one?")
    first = thread.comments[0].id
    reply = world.ann.call("POST", f"/repos/acme/bounties/pulls/1/comments/{first}/replies", {"body": "yes"})
    assert reply["in_reply_to_id"] == first and len(pull.threads) == 1
    whole = {"path": "bin", "commit_id": pull.head, "subject_type": "file", "body": "what is this?"}
    assert world.max.call("POST", "/repos/acme/bounties/pulls/1/comments", whole)["subject_type"] == "file"
    with pytest.raises(Refused, match="422"):
        world.max.call("POST", "/repos/acme/bounties/pulls/1/comments", {**whole, "path": "none"})
    path = f"/repos/acme/bounties/pulls/comments/{first}"
    assert world.max.call("PATCH", path, {"body": "changed"})["body"] == "changed"
    world.max.call("DELETE", path)
    with pytest.raises(Refused, match="404"):
        world.max.call("GET", path)


def test_resolving_a_thread_needs_the_right_to_write_contents(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    thread = world.max.comment_line(pull, "a.txt", 1, "hm")
    found = world.eve.graphql(THREADS, number=1)["repository"]["pullRequest"]["reviewThreads"]["nodes"][0]
    assert (found["path"], found["line"], found["isResolved"]) == ("a.txt", 1, False)
    assert found["comments"]["nodes"][0] == {
        "databaseId": thread.comments[0].id,
        "author": {"login": "max"},
        "body": "hm",
    }
    weak = world.bot.mint({"permissions": {"pull_requests": "write"}}).json()["token"]

    def resolve(token: str):
        headers = {"Authorization": f"Bearer {token}"}
        body = {"query": RESOLVE, "variables": {"id": found["id"]}}
        return world.bot.client.post(world.hub.graphql, json=body, headers=headers).json()

    assert resolve(weak)["errors"][0]["type"] == "FORBIDDEN" and not thread.resolved
    with pytest.raises(Refused, match="not accessible"):
        world.eve.resolve(thread)
    strong = world.bot.mint({"permissions": {"contents": "write"}}).json()["token"]
    assert resolve(strong)["data"]["resolveReviewThread"]["thread"]["isResolved"] is True and thread.resolved


def test_hiding_a_comment_and_asking_for_what_is_not_there(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    comment = world.eve.comment(pull, "spam")
    hide = """mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) {
      minimizedComment { isMinimized minimizedReason } } }"""
    node = node_id("IC", comment.id)
    with pytest.raises(Refused, match="not accessible"):
        world.ann.graphql(hide, id=node)
    assert world.max.graphql(hide, id=node)["minimizeComment"]["minimizedComment"] == {
        "isMinimized": True,
        "minimizedReason": "outdated",
    }
    for query, says in (
        ('{ node(id: "nothing") { id } }', "global id"),
        ('{ repository(owner: "a", name: "b") { id } }', "Repository"),
        ("{ nonsense }", "nonsense"),
        (THREADS.replace("(first: 50)", ""), "first"),
    ):
        with pytest.raises(Refused, match=says):
            world.max.graphql(query, number=1)
