"""What webhooks are believed, and what they concern."""

from __future__ import annotations

import gzip
import hashlib
import hmac
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot import ledger
from bot.intake import Comment, Effect, Envelope, Mark, Odd, Refused, open_envelope, route, sign
from bot.store import deliveries, pulls, rulings
from bot.store.database import Store
from bot.store.pulls import Repo

SECRET = "a secret of good length"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
HEAD = "a" * 40
REPOSITORY = {"id": 7, "name": "bounties", "owner": {"id": 5, "login": "lab"}, "default_branch": "main"}
REPO = Repo(7, "lab", "bounties", 70, 5)
BASE: dict[str, Any] = {"repository": REPOSITORY, "installation": {"id": 70}}
EXAMPLES = json.loads(gzip.decompress((Path(__file__).parent / "webhook_examples.json.gz").read_bytes()))


def headers(body: bytes, **more: str) -> dict[str, str]:
    return {
        "x-hub-signature-256": sign(SECRET, body),
        "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
        "x-github-event": "ping",
        "x-github-hook-id": "292430182",
        **{name.replace("_", "-"): value for name, value in more.items()},
    }


def envelope(event: str, **payload: Any) -> Envelope:
    return Envelope("g-1", 3, event, BASE | payload)


def test_the_signature_is_the_one_of_githubs_documentation() -> None:
    signed = sign("It's a Secret to Everybody", b"Hello, World!")
    assert signed == "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"


@pytest.mark.parametrize(
    "forged",
    [
        {"x_hub_signature_256": ""},
        {"x_hub_signature_256": sign("another secret of length", b"{}")},
        {"x_hub_signature_256": sign(SECRET, b"{} ")},
        {"x_hub_signature_256": sign(SECRET, b"{}").removeprefix("sha256=")},
        {"x_hub_signature_256": "sha1=" + hmac.new(SECRET.encode(), b"{}", hashlib.sha1).hexdigest()},
        {"x_hub_signature_256": "sha1=" + hmac.new(SECRET.encode(), b"{}", hashlib.sha256).hexdigest()},
        {"x_hub_signature_256": "sha256=\udcff"},
        {"x_hub_signature_256": "", "x_hub_signature": "sha1=" + hmac.new(SECRET.encode(), b"{}", "sha1").hexdigest()},
    ],
)
def test_a_forged_signature_is_refused_before_anything_is_read(forged: dict[str, str]) -> None:
    with pytest.raises(Refused, match="signature") as refused:
        open_envelope(headers(b"{}", **forged), b"{}", SECRET)
    assert refused.value.status == 401


@pytest.mark.parametrize(
    ("body", "more"),
    [
        (b"{", {}),
        (b"[]", {}),
        (b"[" * 100_000, {}),
        (b"\xff", {}),
        (b"{}", {"x_github_delivery": ""}),
        (b"{}", {"x_github_delivery": "x" * 65}),
        (b"{}", {"x_github_event": "Push"}),
        (b"{}", {"x_github_event": ""}),
        (b"{}", {"x_github_hook_id": "one"}),
        (b"{}", {"x_github_hook_id": "9" * 30}),
    ],
)
def test_what_is_signed_and_no_delivery_is_refused(body: bytes, more: dict[str, str]) -> None:
    with pytest.raises(Refused) as refused:
        open_envelope(headers(body, **more), body, SECRET)
    assert refused.value.status == 400


def test_a_pull_request_is_marked_with_the_head_that_the_event_named() -> None:
    pull = {"number": 4, "head": {"sha": HEAD}}
    effect = route(envelope("pull_request", action="synchronize", pull_request=pull))
    assert effect == Effect(repo=REPO, marks=(Mark(4, HEAD),))
    assert route(envelope("pull_request", action="labeled", pull_request=pull)).nothing


def test_a_head_that_is_no_sha_is_not_believed() -> None:
    pull = {"number": 4, "head": {"sha": "main; rm -rf /"}}
    assert route(envelope("pull_request", action="opened", pull_request=pull)).marks == (Mark(4, ""),)


def said(body: str, action: str = "created", kind: str = "User", on_pull: bool = True) -> Effect:
    issue = {"number": 4} | ({"pull_request": {"url": "x"}} if on_pull else {})
    comment = {"id": 9, "body": body, "user": {"id": 42, "login": "ada", "type": kind}}
    return route(envelope("issue_comment", action=action, issue=issue, comment=comment))


def test_a_new_comment_with_a_command_is_kept() -> None:
    assert said("/hold").comment == Comment(9, 4, 42, "ada", "/hold")


@pytest.mark.parametrize(
    "effect",
    [
        pytest.param(said("/hold", action="edited"), id="an edited comment commands nothing"),
        pytest.param(said("/hold", action="deleted"), id="nor does a deleted one"),
        pytest.param(said("/hold", kind="Bot"), id="nor a bot's"),
        pytest.param(said("/hold", on_pull=False), id="nor one on an issue"),
        pytest.param(said("I would not /hold this"), id="nor talk"),
        pytest.param(said("```\n/hold\n```"), id="nor code"),
    ],
)
def test_what_is_no_command_is_ignored(effect: Effect) -> None:
    assert effect.nothing


def test_only_a_push_to_the_default_branch_matters() -> None:
    assert route(envelope("push", ref="refs/heads/main")).every_open
    assert route(envelope("push", ref="refs/heads/topic")).nothing
    assert route(envelope("push", ref="refs/tags/main")).nothing


def test_our_own_check_runs_make_no_loop() -> None:
    run = {"head_sha": HEAD}
    assert route(envelope("check_run", action="created", check_run=run)).nothing
    assert route(envelope("check_run", action="completed", check_run=run)).nothing
    assert route(envelope("check_run", action="rerequested", check_run=run)).head == HEAD


def test_an_event_of_a_hook_that_is_not_the_apps_concerns_nobody() -> None:
    pull = {"number": 4, "head": {"sha": HEAD}}
    payload = {"action": "opened", "pull_request": pull, "repository": REPOSITORY}
    assert route(Envelope("g", 0, "pull_request", payload)) == Effect()


def test_repositories_come_and_go_with_the_installation() -> None:
    short = [{"id": 8, "full_name": "lab/more"}]
    installation = {"id": 70, "account": {"id": 5, "login": "lab"}}
    added = {"action": "added", "installation": installation, "repositories_added": short, "repositories_removed": []}
    assert route(Envelope("g", 0, "installation_repositories", added)).gained == (Repo(8, "lab", "more", 70, 5),)
    gone = {"action": "deleted", "installation": installation, "repositories": short}
    assert route(Envelope("g", 0, "installation", gone)).lost == (8,)


@pytest.mark.parametrize("payload", [{"action": "opened"}, {"action": "opened", "pull_request": {"number": "x"}}])
def test_a_handled_event_in_an_odd_form_is_said_to_be_odd(payload: dict[str, Any]) -> None:
    with pytest.raises(Odd, match="pull_request"):
        route(envelope("pull_request", **payload))


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_published_example_is_understood(number: int) -> None:
    example = EXAMPLES[number]
    body = json.dumps(example["payload"]).encode()
    opened = open_envelope(headers(body, x_github_event=example["event"]), body, SECRET)
    route(opened)  # raises Odd for what is handled and not understood


def test_every_published_example_can_be_filed_and_a_second_time_changes_nothing(store: Store) -> None:
    for repeat in ("first", "again"):
        for number, example in enumerate(EXAMPLES):
            outcome = ledger.file(store, Envelope(f"g-{number}", 1, example["event"], example["payload"]), NOW)
            assert outcome in (("done", "ignored", "unknown") if repeat == "first" else ("again",)), example["event"]
    with store.read() as db:
        assert sum(deliveries.counts(db).values()) == len(EXAMPLES) == 329


def test_a_delivery_that_failed_is_done_when_it_comes_again(store: Store) -> None:
    odd = envelope("pull_request", action="opened", pull_request={"number": "?"})
    assert ledger.file(store, odd, NOW) == "failed"
    good = envelope("pull_request", action="opened", pull_request={"number": 4, "head": {"sha": HEAD}})
    assert ledger.file(store, good, NOW) == "done"
    assert ledger.file(store, good, NOW) == "again"
    with store.read() as db:
        (it,) = pulls.due(db, NOW)
    assert (it.number, it.announced, it.wanted) == (4, HEAD, 1)


def test_a_failed_delivery_is_tried_from_its_kept_payload(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(envelope: Envelope) -> Effect:
        raise Odd("an older version did not know this form")

    good = envelope("pull_request", action="opened", pull_request={"number": 4, "head": {"sha": HEAD}})
    with monkeypatch.context() as patch:
        patch.setattr("bot.intake.route", broken)
        assert ledger.file(store, good, NOW) == "failed"
    with store.read() as db:
        (kept,) = deliveries.failed(db)
    assert ledger.again(store, kept, NOW) == "done"


def test_a_command_is_kept_once_with_the_head_that_was_known(store: Store) -> None:
    pull = {"number": 4, "head": {"sha": HEAD}}
    ledger.file(store, Envelope("g-1", 1, "pull_request", BASE | {"action": "opened", "pull_request": pull}), NOW)
    comment = {"id": 9, "body": "/hold", "user": {"id": 42, "login": "ada", "type": "User"}}
    payload = BASE | {"action": "created", "issue": {"number": 4, "pull_request": {}}, "comment": comment}
    for guid in ("g-2", "g-3"):  # the same event over two hooks
        ledger.file(store, Envelope(guid, 1, "issue_comment", payload), NOW)
    with store.read() as db:
        (it,) = rulings.unanswered(db, 7, 4)
    assert (it.body, it.head, it.user_id) == ("/hold", HEAD, 42)
