"""Everything at once and in any order: people, jobs, time, faults, deaths and two bots, as Hypothesis draws them.

    ENVBOUNTY_MINUTES=10 .venv/bin/python -m pytest tests/bot/stories/test_machine.py -s     a long run, by hand

After every step the witness holds what GitHub shows against what it saw itself. What nobody may meddle with at other
times happens here in the middle of a pass, just before one of its requests is handled.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from town import PYTHON, Town, environment, finding
from witness import MOST, RULES, Told, Witness

from bot import checks, crash, snapshot
from bot.core import Scene
from bot.decide import decide
from bot.github.errors import GitHubError
from bot.store import jobs, pulls, writes
from bot.worker import Worker
from envbounty.findings import Severity, Verdict
from envbounty.policy import PLACE
from localhub.faults import Webhooks
from localhub.model import Pull, Refused
from localhub.oidc import claims_of
from localhub.people import Person
from localhub.runs import Run

POLICIES = [f"schema: 1\nbudgets: {{findings_per_rule: {number}}}\n" for number in (2, 3)]

#: The requests before which somebody meddles, or which fail. Only the bot's: people read nothing by the API.
READS = [
    *("GET .*", "GET .*/pulls/[0-9]+$", "GET .*/files", "GET .*/reviews", "GET .*/git/ref/", "GET .*/permission"),
    *("GET .*/actions/runs", "GET .*/check-runs", "GET .*/contents"),
]
WRITES = [
    *("PUT .*/merge", "PUT .*/merge", "POST .*/dispatches", "POST .*/check-runs", "PATCH .*/check-runs"),
    *("POST .*/pulls/[0-9]+/reviews", "POST .*/issues/.*", "PATCH .*/comments", "POST .*/cancel", "POST /graphql"),
    *("POST .*/access_tokens", "(POST|PUT|PATCH) .*"),
]
#: What people do, the likelier ones more than once.
PEOPLE = [
    *("push", "push", "back", "approve", "approve", "approve before", "object", "dismiss", "close", "reopen"),
    *("retarget", "title", "draft", "lose role", "gain role", "words", "policy", "environment", "merge by hand"),
    *("open environment", "open policy", "open words"),
]
OVERRIDES = [f"/override {name} it was looked at by hand" for name in RULES]
COMMANDS = ["/verify", "/hold", "/release", "/explain", *OVERRIDES]
REPORTS = [
    *("pass", "pass", "pass", "fail", "fail", "warn", "error", "trouble", "partial", "other head", "forged", "again"),
    *("ends", "cancelled"),
]
FAULTS = ["bad_gateway", "error_after", "unauthorized", "fresh", "primary_limit", "secondary_limit", "too_many"]
THEN = ["quiet", "quiet", "first", "second", "nothing"]


def drawn(options: Sequence[st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    """One of them, all as likely. `one_of` counts the parts of a part one by one."""
    return st.sampled_from(options).flatmap(lambda it: it)


few = st.integers(0, 5)
calls = st.sampled_from([*READS, *WRITES, *WRITES])
skips = st.integers(0, 8)
meddlers = st.sampled_from(["push", "push", "push", "back", *PEOPLE, *REPORTS, "/hold", "/verify"])
MEDDLING = st.tuples(calls, skips, meddlers, few)
#: Somebody pushes in the instant of a merge.
LAST_PUSH = ("meddling", "PUT .*/merge", 0, "push", 0)
#: Both maintainers lose their role, until the next round.
DEMOTED = ("demoted",)
#: The next run begins, and nobody is told its number.
UNTOLD = ("fails", "error_after", "POST .*/dispatches", 0, 1, None)
TROUBLE = st.one_of(
    st.tuples(
        st.just("fails"),
        st.sampled_from(FAULTS),
        calls,
        st.integers(0, 3),
        st.sampled_from([1, 1, 2, 5]),
        st.sampled_from([None, 20]),
    ),
    # It was done, and the answer says that it was not.
    st.tuples(
        *(st.just("fails"), st.just("error_after"), st.sampled_from(WRITES), st.integers(0, 1), st.just(1), st.none())
    ),
    st.tuples(
        st.just("webhooks"),
        st.sampled_from(["drop", "lose", "double", "hold", "tamper", ""]),
        st.sampled_from([0.3, 1.0]),
    ),
    st.tuples(st.just("lag"), st.integers(0, 3), st.integers(0, 2)),
    MEDDLING.map(lambda it: ("meddling", *it)),
    st.tuples(st.just("other bot"), st.sampled_from(READS), st.integers(0, 12)),
    st.tuples(st.just("death"), st.sampled_from(crash.POINTS), st.integers(1, 2)),
    st.tuples(st.just("death"), st.sampled_from(crash.POINTS), st.integers(1, 2)),
)
then = st.sampled_from(THEN)
ACT = st.tuples(st.just("act"), st.sampled_from([*PEOPLE, *REPORTS, *COMMANDS]), few, few, then)
ROUND = st.tuples(
    st.just("round"),
    few,
    st.sampled_from([True, True, False]),
    st.sampled_from(["pass", "pass", "pass", "fail", "fail", "warn", ""]),
    st.integers(0, 2),
    drawn([st.none(), *map(st.just, (LAST_PUSH, LAST_PUSH, DEMOTED, DEMOTED, UNTOLD)), TROUBLE, TROUBLE, TROUBLE]),
    then,
)
WAITS = ["sweep", "wait 1", "wait 7", "wait 35", "wait 130", "wait 700", "rest"]
TIME = st.tuples(st.just("time"), st.sampled_from([*THEN, *WAITS]))
#: One rule for all of it: Hypothesis leaves out some of many rules for the length of an example.
STEPS = drawn([ROUND, ROUND, ROUND, ACT, ACT, TIME, st.tuples(st.just("trouble"), TROUBLE, then)])

counted: Counter[str] = Counter()


class Killed(BaseException):
    """A process is gone: nothing catches this, and nothing after it runs."""


class Machine(RuleBasedStateMachine):
    def __init__(self, databases: Callable[[], Any]) -> None:
        super().__init__()
        self.failing = sys.exc_info()[1]
        self.stack = ExitStack()
        self.town = town = Town(self.stack.enter_context(databases()), frozen=True, read_back=20)
        town.hub.checker = None  # the stories have it look at every exchange; here it would take half of the time
        self.second = "rival"
        if town.rival is None:
            town.second, self.second = Worker(town.another()), "second"  # type: ignore[attr-defined]
        self.ann, self.max, self.pia = town.ann, town.max, town.pia
        self.bea, self.wes, self.eve, boss = (town.hub.user(name) for name in ("bea", "wes", "eve", "boss"))
        town.repo.collaborators |= {self.wes.user.id: "write", boss.user.id: "admin"}
        self.boss = boss
        self.max.push_commit(town.repo, "release", town.repo.git.ref("refs/heads/main") or "")
        self.posted: dict[int, dict[str, Any]] = {}
        self.count = 0
        self.witness = Witness(town)
        self.witness.watch()
        counted["examples"] += 1

    def teardown(self) -> None:
        try:
            # Hypothesis comes here after a failure too, and then there is nothing more to learn.
            if sys.exc_info()[1] is self.failing:
                self.end()
        finally:
            self.town.close()
            self.stack.close()

    # What is there

    def pull(self, number: int) -> Pull:
        """One of the pull requests, rather an open one. There always is one that can still be merged."""
        found = self.witness.pulls()
        if all(it.merged for it in found) and len(found) < MOST:
            self.open("environment", number)
            found = self.witness.pulls()
        found = [it for it in found if it.open] or found
        return found[number % len(found)]

    def run_of(self, number: int) -> Run | None:
        """One of the runs, the newest that is not over if there is such a one."""
        found = self.town.runs()[::-1]
        found.sort(key=lambda run: run.status == "completed")
        return found[number % len(found)] if found else None

    # What happens

    def act(self, kind: str, number: int, who: int = 0, sure: bool = True) -> None:
        """Something that somebody does, as far as GitHub lets them."""
        self.count += 1
        with self.witness.another():
            try:
                if kind in REPORTS:
                    if (run := self.run_of(number)) is not None:
                        self.job(kind, run, sure)
                else:
                    pull = self.pull(number)
                    author = self.town.hub.people[pull.user.id]
                    self.person(kind, pull, [self.max, self.pia, self.max, self.wes, self.eve, author][who])
            except Refused:
                pass
        self.arrive()

    def person(self, kind: str, pull: Pull, reviewer: Person) -> None:
        town, repo = self.town, self.town.repo
        author = town.hub.people[pull.user.id]
        slug = self.witness.slugs.get(pull.number, "")
        if kind.startswith("open "):
            if len(self.witness.pulls()) < MOST:
                self.open(kind.removeprefix("open "), self.count)
        elif kind == "push":
            more = f"more = {self.count}\n"
            files = {f"environments/{slug}/environment.py": PYTHON + more} if slug else {"README.md": f"# {more}"}
            author.push_to(pull, files)
        elif kind == "back" and pull.past_heads and pull.head_repo is not None:
            author.push_commit(pull.head_repo, pull.head_ref, pull.past_heads[-1], force=True)
        elif kind == "approve":
            reviewer.approve(pull)
        elif kind == "approve before" and pull.past_heads:
            reviewer.approve(pull, commit=pull.past_heads[-1])
        elif kind == "object":
            reviewer.request_changes(pull)
        elif kind == "dismiss":
            for review in [it for it in pull.reviews if it.state == "APPROVED"][:1]:
                self.max.dismiss(review)
        elif kind == "close":
            author.close_issue(pull)
        elif kind == "reopen":
            author.reopen(pull)
        elif kind == "retarget":
            author.edit_pull(pull, base="main" if pull.base_ref == "release" else "release")
        elif kind == "title":
            author.edit_pull(pull, title=f"Title {self.count}")
        elif kind == "draft":
            pull.draft = not pull.draft
            action = "converted_to_draft" if pull.draft else "ready_for_review"
            town.hub.emit_pull(pull, "pull_request", action, author.user, number=pull.number)
        elif kind in ("lose role", "gain role"):
            role = "maintain" if kind == "gain role" else ["read", "write", "none"][self.count % 3]
            self.boss.set_role(repo, self.max if self.count % 2 else self.pia, role)
        elif kind == "words":
            self.max.push(repo, "main", {"README.md": f"# {self.count}\n"})
        elif kind == "policy":
            self.max.push(repo, "main", {PLACE: POLICIES[self.count % 2]})
        elif kind == "environment":
            self.max.push(repo, "main", environment(f"main-{self.count}"))
        elif kind == "merge by hand":
            self.max.merge(pull)
        elif kind.startswith("/"):
            reviewer.comment(pull, kind)

    def job(self, kind: str, run: Run, sure: bool) -> None:
        """What a run does: it reports in one way or another, or ends without a word."""
        hub, over = self.town.hub, run.conclusion
        if kind == "ends":
            hub.finish_run(run, "failure")
        elif kind == "cancelled":
            hub.cancel_run(run)
        elif kind == "again":
            if run.id in self.posted:
                self.post(run, self.posted[run.id])
        else:
            self.report(kind, run, sure)
        run.conclusion = over or run.conclusion  # a report that comes late changes nothing about how its run ended

    def report(self, kind: str, run: Run, sure: bool) -> None:
        town, number = self.town, int(run.inputs["pr"])
        slug = self.witness.slugs.get(number, "none")
        severity = Severity.WARNING if kind == "warn" else Severity.ERROR
        wanted = RULES[self.count % 2 :][:2] if kind in ("fail", "warn") else ()
        findings = [finding(name, [3, 5, 400][(self.count + at) % 3], severity) for at, name in enumerate(wanted)]
        text = town.repo.git.file(run.inputs["base_sha"], PLACE)
        town.policy_text = text.decode() if text is not None else ""
        slugs = ("another",) if kind == "partial" else (slug,)
        body = town.posted(run, findings, Verdict.ERROR if kind == "error" else None, slugs)
        if kind == "trouble":
            body |= {"report": None, "artifact": None, "trouble": "no report.json was left"}
        elif kind == "other head":
            body["head_sha"] = "1" * 40
        answer = self.post(run, body, **({"run_id": "1"} if kind == "forged" else {}))
        if answer.status_code == 202 and answer.json() == {"outcome": "accepted"}:
            assert kind != "forged"
            self.posted[run.id] = body
            told = Told(
                number=number,
                head=run.inputs["head_sha"],
                base=run.inputs["base_sha"],
                policy=town.digest,
                verdict={"fail": "fail", "error": "error"}.get(kind, "pass"),
                errors=frozenset(wanted if kind == "fail" else ()),
                rules=frozenset(wanted),
                whole=kind in ("pass", "warn", "fail", "error"),
                sure=sure,
            )
            self.witness.told.append(told)

    def post(self, run: Run, body: dict[str, Any], **claims: Any) -> Any:
        job = run.start_job("report")
        answer = self.town.post(body, self.town.issuer.sign(claims_of(job), self.town.settings.audience, **claims))
        run.end_job(job, "success")
        self.town.hub.finish_run(run, "success")
        return answer

    def arrive(self) -> None:
        """Every webhook that nothing holds back has arrived."""
        sender = self.town.hub.sender
        with sender._idle:
            assert sender._idle.wait_for(lambda: sender._waiting == 0, 30)

    def meddle(self, kind: str, number: int, who: int) -> Callable[[], None]:
        """What happens in the middle of a pass. What goes wrong with it is told by the witness."""

        def do() -> None:
            if self.witness.others:
                return  # this was somebody else's request
            try:
                self.witness.meddled()
                if kind == "other bot":
                    self.turn(self.second)
                else:
                    self.act(kind, number, who, sure=False)
                counted["meddled"] += 1
            except Exception as error:
                self.witness.wrongs.append(f"{kind} in the middle of a pass: {error!r}")

        return do

    def tick(self, seconds: int) -> None:
        """Time passes. GitHub shows what it has within some seconds; until then the bot trusts no absence."""
        assert self.town.settings.read_back == 20
        self.town.hub.tick(seconds)
        if seconds >= 7:
            self.town.hub.faults._stale.clear()

    def turn(self, name: str) -> bool:
        try:
            return self.town.turn(name)
        except Killed:
            self.town.restart()
            return True

    def live(self) -> bool:
        """Until all is quiet. False when it never is."""
        town = self.town
        for _ in range(60):
            town.hub.drain()
            try:
                worked = town.turns()
            except Killed:
                town.restart()
                worked = True
            self.witness.before.clear()
            if not worked:
                town.hub.drain()
                if not self.turn("worker"):
                    return True
        return False

    # The rules

    @initialize(
        kind=st.sampled_from(["environment", "environment", "policy"]),
        report=st.sampled_from(["", "fail", "fail", "pass"]),
        approve=st.integers(0, 2),
    )
    def begin(self, kind: str, report: str, approve: int) -> None:
        self.open(kind, 0)
        self.round(0, False, report, approve, None)
        self.live()

    def open(self, kind: str, who: int) -> None:
        author = [self.ann, self.bea, self.max][who % 3]
        number = max(self.town.repo.issues, default=0) + 1
        slug = f"e{number}"
        files = {"README.md": f"# Number {number}\n"} if kind == "words" else environment(slug)
        if kind == "policy":
            files |= {PLACE: POLICIES[number % 2]}
        if kind != "words":
            self.witness.slugs[number] = slug
        with self.witness.another():
            author.open_pull(self.town.repo, files, branch=slug)
        self.arrive()

    @rule(it=STEPS)
    def it_happens(self, it: tuple[Any, ...]) -> None:
        match it:
            case ("act", kind, number, who, then):
                self.act(kind, number, who)
            case ("round", number, push, report, approve, wrong, then):
                self.round(number, push, report, approve, wrong)
            case ("time", then):
                pass
            case ("trouble", wrong, then):
                self.goes_wrong(wrong)
        self.then(then)

    def round(self, number: int, push: bool, report: str, approve: int, wrong: tuple[Any, ...] | None) -> None:
        """What usually happens, so that it does: a push, a report, approvals. Something may go wrong at the end."""
        pull = self.pull(number)
        self.roles("maintain")
        if push:
            self.act("push", number)
        if not self.witness.live(pull, pull.head):
            self.live()
        for run in self.witness.live(pull, pull.head)[:1]:
            if report:
                with self.witness.another():
                    self.job(report, run, True)
        for reviewer in (self.pia, self.max)[:approve]:
            with self.witness.another(), suppress(Refused):
                reviewer.approve(pull)
        self.arrive()
        if wrong is not None:
            self.goes_wrong(wrong)

    def goes_wrong(self, it: tuple[Any, ...]) -> None:
        faults = self.town.hub.faults
        match it:
            case ("fails", kind, calls, skip, times, after):
                self.witness.calm = False
                name, fresh = ("unauthorized", 1) if kind == "fresh" else (kind, None)
                faults.add(name, calls, skip=skip, times=times, retry_after=after, fresh=fresh)
            case ("webhooks", kind, chance):
                faults.webhooks = Webhooks(**({kind: chance} if kind else {}))
            case ("lag", lag, unweighed):
                faults.lag, faults.unweighed = lag, unweighed
            case ("meddling", calls, skip, kind, who):
                faults.before(calls, self.meddle(kind, who, who), skip=skip)
            case ("other bot", calls, skip):
                # Before reads only: while a bot writes, the other one waits for its turn to.
                faults.before(calls, self.meddle("other bot", 0, 0), skip=skip)
            case ("demoted",):
                self.roles("write")
            case ("death", point, nth):
                self.doom(point, nth)

    def roles(self, role: str) -> None:
        for person in (self.max, self.pia):
            self.boss.set_role(self.town.repo, person, role)
        self.arrive()

    def doom(self, point: str, nth: int) -> None:
        """The process that comes to this point as the nth one dies there."""
        left = [nth]
        one = threading.Lock()

        def hook(name: str) -> None:
            with one:
                left[0] -= name == point
                if name != point or left[0] != 0:
                    return
            counted["deaths"] += 1
            raise Killed

        crash.hook = hook

    def then(self, kind: str) -> None:
        """What the bots do after it, or how much later the next thing happens."""
        if kind in ("first", "second"):
            self.turn("worker" if kind == "first" else self.second)
            self.witness.before.clear()
        elif kind == "rest":
            self.rest()
        elif kind == "sweep":
            with suppress(GitHubError):  # it fails there as well, and the next sweep does it
                self.town.sweeper.turn(force=True)
        elif kind != "nothing":
            if kind != "quiet":
                self.tick(int(kind.removeprefix("wait ")))
            self.live()

    @invariant()
    def what_github_shows_is_right(self) -> None:
        counted["steps"] += 1
        self.witness.check()

    # The end

    def peace(self) -> None:
        crash.hook = None
        self.town.hub.faults.clear()
        self.witness.watch()

    def rest(self) -> None:
        """Faults stop and time passes: whatever is known by then is done, and a further look does nothing."""
        self.peace()
        hub = self.town.hub
        hub.tick(4000)  # longer than any pause of the bot
        assert self.live(), "the bot does not come to rest"
        self.town.sweeper.turn(force=True)  # finds what was lost
        for seconds in (1, 130, 130, 700):
            assert self.live(), "the bot does not come to rest"
            hub.tick(seconds)
        assert self.live(), "the bot does not come to rest"
        self.witness.check()
        self.twice()
        for pull in self.witness.pulls():
            if pull.open:
                self.witness.rested(pull)
                assert self.town.checks(pull) == self.decided(pull)
                self.nothing_is_missed(pull)
        counted["rests"] += 1

    def twice(self) -> None:
        """One more look at every pull request writes nothing."""
        bot, before = self.town.bot, len(self.town.writes())
        with bot.store.write() as db:
            for pull in self.witness.pulls():
                pulls.mark(bot.store, db, self.town.repo.id, pull.number, bot.clock())
        assert self.live()
        assert self.town.writes()[before:] == []
        with bot.store.read() as db:
            waiting = [row.number for row in pulls.due(db, bot.clock())]
        assert waiting == []

    def decided(self, pull: Pull) -> dict[str, str]:
        """The checks that the bot's decision of now asks for."""
        bot = self.town.bot
        with bot.store.read() as db:
            row, repo = pulls.get(db, self.town.repo.id, pull.number), pulls.get_repo(db, self.town.repo.id)
        assert row is not None and repo is not None and not row.error, row
        scene = Scene(bot, repo, pull.number, bot.clock())
        taken = snapshot.take(scene, snapshot.look(scene, row), ())
        shown = {checks.NAMES[it.tier]: checks.conclusion(it.status) for it in decide(taken.state).tiers}
        return {name: conclusion or status for name, (status, conclusion) in shown.items()}

    def nothing_is_missed(self, pull: Pull) -> None:
        """What may be merged is merged, unless it was put on hold or its head was another in the instant of a merge."""
        with self.town.bot.store.read() as db:
            moved = {it.head for it in writes.merges(db, self.town.repo.id, pull.number) if it.state == "moved"}
        holds = any(it.body == "/hold" for it in pull.issue.comments)
        unsure = any(not it.sure for it in self.witness.told if it.number == pull.number)
        if pull.head not in moved and pull.mergeable and not holds and not unsure:
            assert self.witness.against(pull), f"#{pull.number} is not merged"

    def end(self) -> None:
        """Whatever was dispatched comes to an end, though nothing is heard of it any more."""
        self.rest()
        for _ in range(5):
            self.town.hub.tick(self.town.settings.job_timeout + 60)
            assert self.live()
            self.town.hub.tick(self.town.settings.report_grace + 60)
            assert self.live()
        self.rest()
        with self.town.bot.store.read() as db:
            for pull in self.witness.pulls():
                rows = jobs.of_pull(db, self.town.repo.id, pull.number)
                assert not any(row.live for row in rows), "a job without end"
        sent = set(self.town.hub.calls)
        for run in self.town.repo.runs:
            asked = f"POST /repos/{self.town.repo.full_name}/actions/runs/{run.id}/cancel" in sent
            assert run.status == "completed" or asked, "a run that nobody stopped"
        merged = [it for it in self.witness.pulls() if it.merged and it.merged_by and it.merged_by.type == "Bot"]
        counted["merges"] += len(merged)
        counted["pulls"] += len(self.witness.pulls())
        counted["dispatches"] += len(self.town.repo.runs)


MINUTES = float(os.environ.get("ENVBOUNTY_MINUTES", "0"))
EXAMPLES = {"sqlite": 6, "postgresql": 2}


@pytest.fixture
def machine(request: pytest.FixtureRequest, databases: Any) -> Any:
    """Runs so many examples of the machine."""
    kind = request.node.callspec.params["databases"]

    def run(**changed: Any) -> None:
        asked: dict[str, Any] = {
            "max_examples": EXAMPLES[kind],
            "stateful_step_count": 25,
            "deadline": None,
            "derandomize": bool(os.environ.get("CI")),
            "database": None,
            # Where two bots run at once an example is never the same again, so there is nothing to make smaller.
            "phases": [Phase.generate, Phase.shrink] if kind == "sqlite" else [Phase.generate],
            "suppress_health_check": list(HealthCheck),
            "print_blob": False,
        }
        run_state_machine_as_test(lambda: Machine(databases), settings=settings(**(asked | changed)))

    return run


def test_whatever_happens_what_is_merged_was_tested_and_approved(machine: Any) -> None:
    counted.clear()
    machine()
    end = time.monotonic() + 60 * MINUTES
    while time.monotonic() < end:
        machine(max_examples=10, derandomize=False)
    print(dict(counted))
