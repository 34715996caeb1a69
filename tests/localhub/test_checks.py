"""Check runs: who writes them, how much they hold, and what is told about them."""


def post(world, body, path="/repos/acme/bounties/check-runs", method="POST"):
    return world.bot(method, path, body)


def note(n: int) -> dict:
    return {"path": "a.txt", "start_line": n, "end_line": n, "annotation_level": "failure", "message": f"note {n}"}


def test_a_check_run_grows_by_fifty_annotations_at_a_time(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    output = {"title": "Verify", "summary": "…", "annotations": [note(n) for n in range(1, 52)]}
    body = {"name": "verify", "head_sha": pull.head, "status": "in_progress", "output": output}
    assert post(world, body).status_code == 422
    output["annotations"].pop()
    made = post(world, body).json()
    path = f"/repos/acme/bounties/check-runs/{made['id']}"
    more = {"conclusion": "failure", "output": {"title": "Verify", "summary": "done", "annotations": [note(51)]}}
    done = post(world, more, path, "PATCH").json()
    assert (done["status"], done["conclusion"], done["output"]["annotations_count"]) == ("completed", "failure", 51)
    second = world.bot("GET", f"{path}/annotations?per_page=50&page=2").json()
    assert [one["message"] for one in second] == ["note 51"]


def test_what_a_check_run_may_not_hold(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    good = {"name": "verify", "head_sha": pull.head}
    summary = {"title": "t", "summary": "s"}
    for bad in (
        {"head_sha": "0" * 40},
        {"head_sha": pull.head[:10]},
        {"name": None},
        {"status": "waiting"},
        {"status": "completed"},
        {"conclusion": "perfect"},
        {"output": {"title": "t", "summary": "x" * 65_536}},
        {"output": {"title": "t"}},
        {"output": {**summary, "text": "x" * 65_536}},
        {"output": {**summary, "annotations": [{**note(1), "annotation_level": "error"}]}},
        {"output": {**summary, "annotations": [{**note(2), "end_line": 1}]}},
        {"output": {**summary, "annotations": [{**note(1), "end_line": 2, "start_column": 1}]}},
        {"output": {**summary, "annotations": [{**note(1), "title": "x" * 256}]}},
        {"output": {**summary, "annotations": [{**note(1), "message": "x" * 65_537}]}},
        {"output": {**summary, "annotations": [{"path": "a.txt"}]}},
        {"actions": [{"label": "a", "description": "b", "identifier": "c"}] * 4},
    ):
        assert post(world, {**good, **bad}).status_code == 422, bad
    assert world.repo.checks == []


def test_the_newest_check_of_a_name_counts(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    for conclusion in ("failure", "success"):
        post(
            world,
            {
                "name": "verify",
                "head_sha": pull.head,
                "conclusion": conclusion,
                "status": "completed",
                "external_id": "job",
            },
        )
    path = f"/repos/acme/bounties/commits/{pull.head}/check-runs"
    latest = world.bot("GET", path).json()
    assert (latest["total_count"], latest["check_runs"][0]["conclusion"]) == (1, "success")
    assert world.bot("GET", f"{path}?filter=all").json()["total_count"] == 2
    for query, count in (
        ("check_name=verify", 1),
        ("check_name=other", 0),
        ("status=queued", 0),
        (f"app_id={world.app.id}", 1),
    ):
        assert world.bot("GET", f"{path}?{query}").json()["total_count"] == count
    suites = world.bot("GET", f"/repos/acme/bounties/commits/{pull.head}/check-suites").json()["check_suites"]
    # GitHub shows neither branch nor pull request for the commit of a fork.
    assert [(one["head_branch"], one["pull_requests"], one["conclusion"]) for one in suites] == [(None, [], "success")]
    assert latest["check_runs"][0]["pull_requests"] == []
    assert world.bot("GET", f"/repos/acme/bounties/commits/{'0' * 40}/check-runs").status_code == 422


def test_a_pull_request_from_the_repository_itself_is_shown_with_its_checks(world):
    pull = world.max.open_pull(world.repo, {"a.txt": "1\n"}, same_repo=True)
    made = post(world, {"name": "verify", "head_sha": pull.head}).json()
    assert [one["number"] for one in made["pull_requests"]] == [1]


def test_one_app_does_not_touch_anothers_checks(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    made = post(world, {"name": "verify", "head_sha": pull.head}).json()
    other = world.hub.create_app("Other", "", {"checks": "write"}, [])
    stranger = type(world.bot)(world.hub, other, world.hub.install_app(other, world.repo))
    assert (
        stranger("PATCH", f"/repos/acme/bounties/check-runs/{made['id']}", {"conclusion": "success"}).status_code == 403
    )


def test_webhooks_of_checks(world):
    pull = world.ann.open_pull(world.repo, {"a.txt": "1\n"})
    made = post(world, {"name": "verify", "head_sha": pull.head}).json()
    post(
        world,
        {"status": "completed", "conclusion": "success"},
        f"/repos/acme/bounties/check-runs/{made['id']}",
        "PATCH",
    )
    world.max.call("POST", f"/repos/acme/bounties/check-runs/{made['id']}/rerequest")
    world.hub.drain()
    told = [name for name in world.receiver.names() if name.startswith("check")]
    assert told == [
        "check_suite requested",
        "check_run created",
        "check_run completed",
        "check_suite completed",
        "check_run rerequested",
    ]
    assert world.receiver.last("check_run rerequested")["check_run"]["check_suite"]["app"]["id"] == world.app.id
