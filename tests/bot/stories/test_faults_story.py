"""Lost, doubled, reordered and forged events, a GitHub that lags, limits and fails: it comes right in the end."""

from __future__ import annotations

import json

import pytest
from town import Town, environment, finding, opened

from bot.intake import sign
from bot.store import deliveries, pulls
from bot.sweep import redeliver
from localhub.faults import Kind, Webhooks


def merge(town: Town) -> None:
    """Everything that a pull request lives through, with whatever goes wrong meanwhile."""
    pull = opened(town)
    for _ in range(4):
        town.wait(20)
        town.sweep()
    assert len(town.runs()) == 1
    town.report(town.run())
    town.max.approve(pull)
    for _ in range(4):
        town.wait(20)
        town.sweep()
    assert pull.merged
    assert len(town.runs()) == 1 and sum("/merge" in call for call in town.writes()) == 1


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "webhooks",
    [
        pytest.param(Webhooks(lose=1), id="all lost"),
        pytest.param(Webhooks(double=1), id="all doubled"),
        pytest.param(Webhooks(hold=0.5), id="out of order"),
        pytest.param(Webhooks(tamper=0.5), id="tampered with"),
    ],
)
def test_it_merges_whatever_becomes_of_the_webhooks(town: Town, webhooks: Webhooks) -> None:
    town.hub.faults.webhooks = webhooks
    merge(town)


def test_a_lost_webhook_is_found_by_the_sweep(town: Town) -> None:
    town.hub.faults.webhooks = Webhooks(lose=1)
    pull = town.ann.open_pull(town.repo, environment())
    town.settle()
    assert town.runs() == []
    town.sweep()
    assert town.run().inputs["head_sha"] == pull.head


def test_a_delivery_that_failed_is_asked_for_again(town: Town) -> None:
    town.hub.faults.webhooks = Webhooks(drop=1)
    pull = town.ann.open_pull(town.repo, environment())
    town.settle()
    assert town.runs() == []
    town.hub.faults.webhooks = Webhooks()
    assert redeliver(town.bot, town.bot.clock()) > 0
    town.settle()
    assert town.run().inputs["head_sha"] == pull.head
    assert redeliver(town.bot, town.bot.clock()) == 0  # once is enough


def test_a_forged_webhook_leaves_no_trace(town: Town) -> None:
    pull = opened(town)
    body = json.dumps({"action": "closed", "number": pull.number}).encode()
    before = counted(town)
    for signature in ("", sign("another secret of length", body), sign(town.gh_app.webhook_secret, body)[:-1] + "x"):
        headers = {
            "X-GitHub-Event": "pull_request",
            "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
            "X-Hub-Signature-256": signature,
        }
        assert town.client.post(f"{town.url}/webhook", content=body, headers=headers).status_code == 401
    assert counted(town) == before  # no id was used up


def counted(town: Town) -> int:
    with town.bot.store.read() as db:
        return sum(deliveries.counts(db).values())


def test_a_body_that_is_too_large_is_not_read(town: Town) -> None:
    def parts() -> object:
        for _ in range(26):
            yield b"x" * (1 << 20)

    assert town.client.post(f"{town.url}/webhook", content=parts()).status_code == 413  # type: ignore[arg-type]
    assert town.client.post(f"{town.url}/report", content=b"x" * (5 << 20)).status_code == 413


def test_while_github_shows_an_older_head_nothing_is_done(town: Town) -> None:
    pull = opened(town)
    town.report(town.run())
    town.max.approve(pull)
    town.hub.drain()  # the approval has arrived, and was not looked at yet
    town.hub.faults.lag = 3
    town.ann.push_to(pull, {"environments/sums/task.md": "Else.\n"})
    town.hub.drain()
    assert town.worker.turn() and not pull.merged  # GitHub still says that the old head is the newest
    with town.bot.store.read() as db:
        row = pulls.get(db, town.repo.id, pull.number)
    assert row is not None and row.dirty and "older head" in row.error
    for _ in range(5):
        town.wait(10)
    assert not pull.merged and town.run().inputs["head_sha"] == pull.head


@pytest.mark.parametrize("kind", ["primary_limit", "secondary_limit", "too_many"])
def test_a_rate_limit_is_waited_for(town: Town, kind: Kind) -> None:
    town.hub.faults.add(kind, "GET .*/pulls/1$", times=1, retry_after=None if kind == "primary_limit" else 40)
    pull = opened(town)
    assert town.runs() == []
    town.hub.tick(30)
    town.settle()
    assert kind == "primary_limit" or town.runs() == []
    for _ in range(3):
        town.wait(60)
    if kind == "primary_limit":
        with town.bot.store.read() as db:
            row = pulls.get(db, town.repo.id, pull.number)
        assert row is not None and row.dirty  # the limit is lifted within an hour
    else:
        assert len(town.runs()) == 1


@pytest.mark.parametrize("kind", ["primary_limit", "secondary_limit", "too_many"])
def test_who_was_limited_on_one_pull_request_asks_for_none(town: Town, kind: Kind) -> None:
    """Each bot learns of the limit by one refusal, whatever else there is to do; then both wait."""
    pulls_ = [town.ann.open_pull(town.repo, environment(slug), branch=slug) for slug in ("sums", "sorts", "graphs")]
    town.hub.faults.add(kind, retry_after=None if kind == "primary_limit" else 40)
    town.settle()
    for pull in pulls_:
        town.look(pull)
    assert town.hub.faults.counts[kind] == (1 if town.rival is None else 2)
    town.hub.faults.clear()
    town.wait(30)
    assert town.runs() == []
    town.wait(3600 if kind == "primary_limit" else 30)
    assert len(town.runs()) == len(pulls_)


def test_a_fresh_token_that_is_not_known_everywhere_is_replaced_once(town: Town) -> None:
    town.hub.faults.add("unauthorized", "GET /repos/.*", times=1, fresh=1)
    opened(town)
    assert len(town.runs()) == 1


@pytest.mark.parametrize("calls", ["GET .*", "(POST|PUT|PATCH) /repos/.*"])
def test_a_github_that_fails_half_of_the_time_only_slows_things_down(town: Town, calls: str) -> None:
    town.hub.faults.seed = 7
    fault = town.hub.faults.add("bad_gateway", calls, chance=0.3)
    # people's own requests fail, too, so they act while all is well
    town.hub.faults.active.remove(fault)
    opened_pull = town.ann.open_pull(town.repo, environment())
    town.hub.faults.active.append(fault)
    for _ in range(15):
        town.wait(20)
    town.hub.faults.active.remove(fault)
    for _ in range(3):
        town.wait(20)
    running = [run for run in town.runs() if run.status != "completed"]
    assert len(running) == 1
    assert town.report(running[0], [finding()]).status_code == 202
    for _ in range(3):
        town.wait(20)
    assert town.checks(opened_pull) == {"envbounty/verify": "failure"}
    assert len(town.inline(opened_pull)) == 1


def test_a_renamed_repository_stays_the_same_one(town: Town) -> None:
    pull = opened(town)
    town.report(town.run())
    town.settle()
    owner = town.hub.user("boss")
    town.repo.collaborators[owner.user.id] = "admin"
    try:
        owner.call("PATCH", f"/repos/{town.repo.full_name}", {"name": "prizes"})
    except Exception as error:  # localhub without renames
        pytest.skip(f"localhub does not rename: {error}")
    town.sweep()
    town.max.approve(pull)
    town.settle()
    assert pull.merged


@pytest.mark.parametrize("town", [{"frozen": True}], indirect=True)
def test_two_pull_requests_with_one_head_have_a_check_each(town: Town) -> None:
    first = opened(town)
    town.hub.faults.add("bad_gateway", "POST .*/check-runs", times=1)
    second = town.ann.open_pull(town.repo, environment(), branch="again")
    assert first.head == second.head
    town.settle()
    for _ in range(4):
        town.wait(60)
    made = [it.external_id for it in town.repo.checks if it.suite.app is town.gh_app]
    assert sorted(made) == [f"verify:{pull.number}:{pull.head}" for pull in (first, second)]
