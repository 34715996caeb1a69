"""The database: versions, marks that are never lost, locks that die with their holder. On both kinds."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from bot.state import JobState
from bot.store import deliveries, jobs, pulls, rulings, writes
from bot.store.database import STEPS, Store, StoreError
from bot.store.deliveries import Delivery, DeliveryState
from bot.store.jobs import JobRow
from bot.store.locks import FILES, number
from bot.store.pulls import Repo
from bot.store.rulings import Ruling, Said
from bot.store.schema import version
from bot.store.writes import Shown

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
REPO = Repo(repo_id=7, owner="lab", name="bounties", installation_id=70)


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def prepare(store: Store) -> None:
    with store.write() as db:
        pulls.know_repo(store, db, REPO)


def test_a_database_of_a_newer_version_is_refused(database_url: str) -> None:
    Store(database_url).close()
    store = Store(database_url)  # a second start changes nothing
    with store.write() as db:
        db.execute(version.update().values(version=len(STEPS) + 1))
    store.close()
    with pytest.raises(StoreError, match="update it"):
        Store(database_url)


def test_a_new_step_is_made_once_and_by_one_process(database_url: str) -> None:
    Store(database_url).close()

    def step(db: sa.Connection) -> None:
        db.exec_driver_sql("CREATE TABLE extra (x INTEGER)")

    stores: list[Store] = []

    def start() -> None:
        stores.append(Store(database_url, steps=(*STEPS, step)))

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(stores) == 4  # a second CREATE TABLE would have raised
    for store in stores:
        store.close()


def test_a_database_in_memory_is_refused() -> None:
    with pytest.raises(StoreError, match="file"):
        Store("sqlite:///:memory:")


def test_a_mark_during_a_pass_is_not_lost(store: Store) -> None:
    prepare(store)
    with store.write() as db:
        pulls.mark(store, db, 7, 1, NOW)
        (it,) = pulls.due(db, NOW)
    with store.write() as db:
        pulls.mark(store, db, 7, 1, later(1))  # while the pass reads GitHub
    with store.write() as db:
        pulls.settle(db, it, later(2), later(600))
        (again,) = pulls.due(db, later(2))
        assert again.dirty
        pulls.settle(db, again, later(3), None)
        assert pulls.due(db, later(10_000)) == []


def test_many_events_on_one_pull_request_are_one_pass(store: Store) -> None:
    prepare(store)
    with store.write() as db:
        for _ in range(50):
            pulls.mark(store, db, 7, 1, NOW, head="a" * 40)
        (it,) = pulls.due(db, NOW)
        pulls.settle(db, it, NOW, None)
        assert pulls.due(db, later(1)) == []
        assert it.announced == "a" * 40
        assert pulls.with_head(db, 7, "a" * 40) == [1]


def test_an_older_announcement_that_comes_late_changes_nothing(store: Store) -> None:
    prepare(store)
    with store.write() as db:
        pulls.mark(store, db, 7, 1, later(10), "b" * 40, at=later(9))
        pulls.mark(store, db, 7, 1, later(60), "a" * 40, at=later(2))  # redelivered
        it = pulls.get(db, 7, 1)
        assert it is not None and (it.announced, it.wanted, it.announced_at) == ("b" * 40, 2, later(10))


def test_a_failed_pass_waits_and_events_do_not_hurry_it(store: Store) -> None:
    prepare(store)
    with store.write() as db:
        pulls.mark(store, db, 7, 1, NOW)
        (it,) = pulls.due(db, NOW)
        pulls.postpone(db, it, later(60), "GitHub is down")
        pulls.mark(store, db, 7, 1, later(1))
        assert pulls.due(db, later(30)) == []
        (it,) = pulls.due(db, later(61))
        assert (it.attempts, it.error) == (1, "GitHub is down")
        assert pulls.next_due(db) == later(60)


def test_a_repository_that_the_app_cannot_see_any_more_is_left_alone(store: Store) -> None:
    prepare(store)
    with store.write() as db:
        pulls.mark(store, db, 7, 1, NOW)
        pulls.drop_repo(db, 7)
        assert pulls.due(db, NOW) == []
        pulls.know_repo(store, db, Repo(7, "lab", "renamed", 70))
        assert [it.number for it in pulls.due(db, NOW)] == [1]
        assert pulls.get_repo(db, 7) == Repo(7, "lab", "renamed", 70)


def delivered(state: DeliveryState, error: str = "") -> Delivery:
    return Delivery("g-1", 3, "push", "", 7, "", "{}", state, NOW, error)


def test_a_delivery_is_written_over_only_after_a_failure(store: Store) -> None:
    with store.write() as db:
        assert deliveries.known(db, "g-1", 3) is None
        deliveries.record(store, db, delivered(DeliveryState.FAILED, "odd payload"))
        assert deliveries.known(db, "g-1", 3) is DeliveryState.FAILED
        assert deliveries.known(db, "g-1", 4) is None  # another hook's delivery of the same event
        assert deliveries.missing(db, ["g-1", "g-2"]) == {"g-1", "g-2"}
        (again,) = deliveries.failed(db)
        assert again.error == "odd payload"
        deliveries.record(store, db, delivered(DeliveryState.DONE))
        assert deliveries.known(db, "g-1", 3) is DeliveryState.DONE
        assert deliveries.failed(db) == []
        assert deliveries.missing(db, ["g-1", "g-2"]) == {"g-2"}
        assert deliveries.counts(db) == {"done": 1}


def test_old_payloads_are_forgotten_and_failures_kept(store: Store) -> None:
    with store.write() as db:
        deliveries.record(store, db, delivered(DeliveryState.DONE))
        deliveries.record(store, db, replace(delivered(DeliveryState.FAILED), guid="g-2"))
        deliveries.forget(db, later(-1))
        assert db.exec_driver_sql("SELECT payload FROM delivery ORDER BY guid").scalars().all() == ["{}", "{}"]
        deliveries.forget(db, later(1))
        assert db.exec_driver_sql("SELECT payload FROM delivery ORDER BY guid").scalars().all() == ["", "{}"]


def a_job(number: str = "1" * 32) -> JobRow:
    return JobRow(number, 7, 1, "verify", "a" * 40, "b" * 40, "main", "p", ("environments/x",), JobState.ASKED, "", NOW)


def test_a_job_ends_once(store: Store) -> None:
    with store.write() as db:
        jobs.add(db, a_job())
        jobs.running(db, "1" * 32, 99)
        assert jobs.close(db, "1" * 32, JobState.LOST, "no report came", later(1))
        assert not jobs.close(db, "1" * 32, JobState.REPORTED, "", later(2))
        jobs.running(db, "1" * 32, 99)  # late news of the run changes no final state
        (it,) = jobs.of_pull(db, 7, 1)
        assert (it.state, it.run_id, it.why, it.closed_at) == (JobState.LOST, 99, "no report came", later(1))
        assert jobs.by_run(db, 7, 99) == it and jobs.by_run(db, 8, 99) is None


def test_the_first_report_stands_and_a_token_counts_once(store: Store) -> None:
    with store.write() as db:
        jobs.add(db, a_job())
        assert jobs.receive(store, db, "1" * 32, {"n": 1}, {"jti": "t"}, NOW)
        assert not jobs.receive(store, db, "1" * 32, {"n": 2}, {"jti": "u"}, later(1))
        report = jobs.report_of(db, "1" * 32)
        assert report is not None and report.body == {"n": 1}
        assert jobs.use_once(store, db, "t", later(300))
        assert not jobs.use_once(store, db, "t", later(300))
        jobs.forget_tokens(db, later(301))
        assert jobs.use_once(store, db, "t", later(300))


def test_intents_come_first_and_are_made_once(store: Store) -> None:
    with store.write() as db:
        assert writes.intend(store, db, 7, 1, "check", "verify:aaa", NOW)
        assert not writes.intend(store, db, 7, 1, "check", "verify:aaa", NOW)
        it = writes.find(db, 7, 1, "check", "verify:aaa")
        assert it is not None and it.remote_id is None
        writes.wrote(db, 7, 1, "check", "verify:aaa", 55, "digest")
        (it,) = writes.all_of(db, 7, 1, "check")
        assert (it.remote_id, it.shown) == (55, "digest")
        shown = Shown("f" * 32, "verify", "a" * 40, None, "", "intended", "", "environments/x/env.yaml", 3, NOW)
        writes.put_finding(store, db, 7, 1, shown)
        assert writes.findings(db, 7, 1) == [shown]
        attempt = writes.try_merge(db, 7, 1, "a" * 40, [5], ["1" * 32], NOW)
        writes.end_merge(db, attempt, "moved", "", "409", later(1))
        (it2,) = writes.merges(db, 7, 1)
        assert (it2.state, it2.reviews, it2.jobs) == ("moved", (5,), ("1" * 32,))


def test_a_comment_decides_once_and_a_hold_ends(store: Store) -> None:
    said = Said(9, 7, 1, 42, "ada", "/hold", "a" * 40, NOW)
    with store.write() as db:
        assert rulings.hear(store, db, said)
        assert not rulings.hear(store, db, said)
        assert rulings.unanswered(db, 7, 1) == [said]
        hold = Ruling("hold", "", "", "", 42, "ada", 9, NOW)
        rulings.rule(store, db, 7, 1, hold)
        rulings.rule(store, db, 7, 1, hold)
        rulings.answered(db, 9, "done", "admin", "held", NOW)
        assert rulings.unanswered(db, 7, 1) == []
        assert rulings.standing(db, 7, 1) == [hold]
        assert rulings.end(db, 7, 1, "hold", "ada", later(1)) == 1
        assert rulings.standing(db, 7, 1) == []


HOLDER = """
import sys
from bot.store.database import Store
with Store(sys.argv[1]).exclusive("pull/7/1") as got:
    print(got, flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("postgresql+psycopg://bot:sekret@127.0.0.1:9/bot?connect_timeout=5", "the database bot at 127.0.0.1 cannot"),
        ("postgresql+psycopg://bot:sekret@127.0.0.1:x/bot", "the database cannot be opened"),
        ("cobol://bot:sekret@127.0.0.1/bot", "the database bot at 127.0.0.1 cannot"),
        ("sqlite:////proc/nowhere/bot.db", "the database /proc/nowhere/bot.db cannot"),
        ("sqlite:////proc/version", "the database /proc/version cannot"),
        ("sqlite://", "must be a file"),
        ("sekret", "the database cannot be opened"),
    ],
)
def test_a_database_that_cannot_be_opened_is_told_in_a_sentence(url: str, words: str) -> None:
    with pytest.raises(StoreError, match=words) as caught:
        Store(url)
    assert "sekret" not in str(caught.value) and "\n" not in str(caught.value)


def test_a_pass_never_waits_for_itself(store: Store) -> None:
    """It holds its pull request's lock and asks for the writer's. Files are few, so the names of two may be alike."""
    writer = "writer/70"
    alike = next(f"pull/7/{n}" for n in range(10**6) if number(f"pull/7/{n}") % FILES == number(writer) % FILES)
    with store.exclusive(alike) as pull, store.exclusive(writer) as mine, store.exclusive("sweep") as sweep:
        assert (pull, mine, sweep) == (True, True, True)
        with store.exclusive(writer) as twice:
            assert not twice


def test_a_lock_is_seen_by_threads_and_processes_and_dies_with_its_holder(store: Store, database_url: str) -> None:
    with store.exclusive("pull/7/1") as got, store.exclusive("pull/7/1") as twice, store.exclusive("pull/7/2") as other:
        assert (got, twice, other) == (True, False, True)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, database_url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None and holder.stdout.readline() == "True\n"
    with store.exclusive("pull/7/1") as got:
        assert not got
    holder.kill()
    holder.wait()
    for _ in range(200):
        with store.exclusive("pull/7/1") as got:
            if got:
                break
        threading.Event().wait(0.02)
    assert got, "a dead process still holds the lock"


def test_writers_of_several_threads_take_turns(store: Store) -> None:
    prepare(store)

    def marks() -> None:
        for _ in range(20):
            with store.write() as db:
                pulls.mark(store, db, 7, 1, NOW)

    threads = [threading.Thread(target=marks) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.read() as db:
        it = pulls.get(db, 7, 1)
    assert it is not None and it.wanted == 120
