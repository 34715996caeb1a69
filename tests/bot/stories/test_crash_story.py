"""The process dies at every point between a write to GitHub and its commit, and starts again on the same database."""

from __future__ import annotations

import threading

import pytest
from town import Town, environment, finding, opened

from bot import crash
from bot.store import writes
from localhub.model import Pull
from localhub.oidc import claims_of


class Killed(BaseException):
    """The process is gone: nothing catches this, and nothing after it runs."""


def die_at(point: str, nth: int = 1) -> list[str]:
    """Die the `nth` time that `point` is passed. Returns a list that holds the point once that happened.

    Where there are two bots, one of them dies, whichever comes there first, and the other one goes on.
    """
    died: list[str] = []
    left = nth
    one = threading.Lock()

    def hook(name: str) -> None:
        nonlocal left
        with one:
            if name != point or died:
                return
            left -= 1
            if left:
                return
            died.append(name)
        raise Killed

    crash.hook = hook
    return died


def live(town: Town) -> None:
    """Work until the process dies, then start again and come to rest, however often it takes."""
    for _ in range(5):
        try:
            town.settle()
        except Killed:
            town.restart()
        else:
            return
    raise AssertionError("it dies again and again")


def whole_life(town: Town) -> Pull:
    """Fails, is mended, is talked about, is approved, is merged: every kind of write happens."""
    pull = town.ann.open_pull(town.repo, environment())
    live(town)
    settle_time(town)
    push(town, pull, 13)  # while the first run is under way
    report(town, [finding("accepts-wrong", 3), finding("few-solutions", 400)])
    town.ann.comment(pull, "/explain")
    live(town)
    push(town, pull, 14)
    report(town, [])
    town.max.approve(pull)
    live(town)
    settle_time(town)
    return pull


def push(town: Town, pull: Pull, lines: int) -> None:
    python = "".join(f"line_{number} = {number}\n" for number in range(1, lines + 1))
    town.ann.push_to(pull, {"environments/sums/environment.py": python})
    live(town)
    settle_time(town)


def settle_time(town: Town) -> None:
    for _ in range(3):
        town.hub.tick(town.settings.dispatch_grace + 5)
        live(town)


def report(town: Town, findings: list[object]) -> None:
    running = [run for run in town.runs() if run.status != "completed"]
    assert len(running) == 1
    assert town.report(running[0], findings).status_code == 202  # type: ignore[arg-type]
    live(town)
    settle_time(town)


#: Deaths in the server's thread, and on the one note, have tests of their own below.
OTHERS = ("after ledger", "after report", "before comment", "after comment")
POINTS = [point for point in crash.POINTS if point not in OTHERS]


@pytest.mark.both_databases
@pytest.mark.parametrize("point", POINTS)
def test_whenever_it_dies_everything_is_done_once(town: Town, point: str) -> None:
    died = die_at(point)
    pull = whole_life(town)
    assert died == [point], "the point was never passed"
    assert pull.merged
    heads = [run.inputs["head_sha"] for run in town.runs()]
    assert len(heads) == len(set(heads)) == 3, "a second dispatch"
    assert [run.conclusion for run in town.runs()] == ["cancelled", "success", "success"]
    assert len(set(town.inline(pull))) == len(town.inline(pull)) == 1, "a finding was said twice"
    assert len([it for it in pull.reviews if it.user.type == "Bot"]) == 1, "a second review"
    assert len(town.mine(pull)) == 1, "an answer was given twice"
    assert sum(call.endswith("/merge") for call in town.writes()) <= 2
    with town.bot.store.read() as db:
        states = [it.state for it in writes.merges(db, town.repo.id, pull.number)]
    assert states.count("merged") == 1 and "trying" not in states
    for check in {it.id: it for it in town.repo.checks if it.name == "envbounty/verify"}.values():
        places = [(it["path"], it["start_line"]) for it in check.annotations]
        assert len(set(places)) == len(places), "an annotation was appended twice"
    assert all(thread.resolved for thread in pull.threads)
    before = len(town.writes())
    town.look(pull)
    assert town.writes()[before:] == []


@pytest.mark.parametrize("point", ["before comment", "after comment"])
def test_the_note_is_written_once(town: Town, point: str) -> None:
    died = die_at(point)
    pull = town.ann.open_pull(town.repo, {"README.md": "# Better\n"})
    live(town)
    settle_time(town)
    assert died == [point] and len(town.mine(pull)) == 1


def test_a_death_after_the_ledger_loses_no_delivery(town: Town) -> None:
    died = die_at("after ledger")
    pull = town.ann.open_pull(town.repo, {"environments/sums/env.yaml": "name: sums\n"})
    town.hub.drain()
    assert died and len(town.runs()) == 0
    town.restart()
    town.settle()  # recorded is recorded, though GitHub was never told so
    assert town.run().inputs["head_sha"] == pull.head


def test_a_death_after_a_report_keeps_the_report(town: Town) -> None:
    pull = opened(town)
    run = town.run()
    body = town.posted(run, [], None, ["sums"])
    token = town.issuer.sign(claims_of(run.start_job("report")), town.settings.audience)
    died = die_at("after report")
    assert town.post(body, token).status_code == 500 and died
    town.restart()
    assert town.post(body, token).json() == {"outcome": "again"}
    town.settle()
    assert town.checks(pull) == {"envbounty/verify": "success"}
