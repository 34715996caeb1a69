"""What holds for every state, however strange: no merge but of what was tested and approved, and no decision twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st

from bot.decide import decide, touched
from bot.decide.approval import APPROVERS, standing
from bot.decide.tiers import LIVE, NEW_TRIES
from bot.state import Accepted, Ask, Decision, Job, JobState, Override, Review, State, Status
from envbounty.findings import Finding, Severity, Verdict
from envbounty.policy import Policy, Tiers

HEADS = ["1" * 40, "2" * 40, "1" * 39 + "2"]
BASES = ["a" * 40, "b" * 40]
START = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
POLICIES = [Policy(schema=1, tiers=Tiers(required=["verify", *more])) for more in ([], ["attack"], ["gpu-bench"])]
DIGESTS = [policy.digest for policy in POLICIES]
ENVIRONMENTS = ["environments/a", "environments/b"]
RULES = ["accepts-nothing", "flaky-check"]
PATHS = ["environments/a/env.yaml", "environments/b/env.yaml", "policies/policy.yaml", "README.md"]

times = st.integers(0, 90).map(lambda minute: START + timedelta(minutes=minute))


def told(*rules: str) -> tuple[Finding, ...]:
    return tuple(
        Finding(rule=rule, severity=severity, message="what happened", path="environment.py", fix="mend it")
        for rule in rules
        for severity in Severity
    )


FINDINGS = [("environments/a", one) for one in told(*RULES)]
MILD = [pair for pair in FINDINGS if pair[1].severity is not Severity.ERROR]
COVERED = [tuple(ENVIRONMENTS), ("environments/a",), ()]
TIERS = ["verify", "verify", "attack", "gpu-bench"]


def roll(draw: Any, options: Sequence[Any]) -> Any:
    """One of the options, the first of them half of the time: where all is random hardly anything is ever merged."""
    number = draw(st.integers(0, 2 * len(options) - 1))
    return options[number] if number < len(options) else options[0]


@st.composite
def histories(draw: Any) -> dict[str, Any]:
    """Jobs and what they reported. A report has a proved error only where its verdict is fail, as `Report` sees to."""
    jobs, accepted = [], []
    for number in range(draw(st.integers(0, 4))):
        state = roll(draw, [JobState.REPORTED, *JobState])
        job = Job(
            f"{number:032x}", roll(draw, TIERS), roll(draw, HEADS), roll(draw, BASES), state, draw(times), run_id=3
        )
        jobs.append(job)
        if state is not JobState.REPORTED:
            continue
        verdict = roll(draw, [Verdict.PASS, *Verdict])
        pairs = draw(st.lists(st.sampled_from(FINDINGS if verdict is Verdict.FAIL else MILD), max_size=3))
        accepted.append(
            Accepted(
                job.id,
                job.tier,
                job.head,
                job.base,
                roll(draw, DIGESTS),
                verdict,
                roll(draw, COVERED),
                tuple(pairs),
                draw(times),
                complete=draw(st.booleans()),
            )
        )
    return {"jobs": tuple(jobs), "accepted": tuple(accepted)}


@st.composite
def reviews(draw: Any) -> dict[str, Any]:
    return {
        "reviews": tuple(
            Review(
                id=number,
                user_id=roll(draw, [2, 1, 3]),
                login="mia",
                human=roll(draw, [True, False]),
                role=roll(draw, ["maintain", "admin", "write", "triage", ""]),
                state=roll(draw, ["APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED"]),
                commit=roll(draw, HEADS),
                at=draw(times),
                owns=roll(draw, [(), ("policies/policy.yaml",), ("README.md", "policies/policy.yaml")]),
            )
            for number in range(1, 1 + draw(st.integers(0, 3)))
        )
    }


def choice(name: str, *options: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.sampled_from([{name: option} for option in options])


ASKS = [
    Ask(tier, head, "mia", START + timedelta(minutes=minute))  # type: ignore[arg-type]
    for tier in TIERS
    for head in HEADS[:2]
    for minute in (10, 80)
]
OVERRIDES = [Override(rule, head, "looked at", 2, "mia") for rule in RULES for head in HEADS[:2]]

SOUND = State(
    repo_id=1,
    number=7,
    now=START + timedelta(minutes=120),
    author_id=1,
    author_login="ann",
    author_known=True,
    open=True,
    merged=False,
    draft=False,
    head=HEADS[0],
    base=BASES[0],
    base_ref="main",
    default_branch="main",
    mergeable=True,
    files=("environments/a/env.yaml",),
    policy=POLICIES[0],
    kinds={"environments/a": "function"},
    reviews=(Review(1, 2, "mia", True, "maintain", "APPROVED", HEADS[0], START),),
    jobs=(Job("f" * 32, "verify", HEADS[0], BASES[0], JobState.REPORTED, START, run_id=1),),
    accepted=(
        Accepted("f" * 32, "verify", HEADS[0], BASES[0], DIGESTS[0], Verdict.PASS, ("environments/a",), (), START),
    ),
)

CHANGES = [
    histories(),
    reviews(),
    choice("author_known", False),
    choice("open", False),
    choice("merged", True),
    choice("draft", True),
    choice("head", HEADS[1]),
    choice("base", BASES[1]),
    choice("same_base", frozenset(BASES)),
    choice("base_ref", "release"),
    choice("mergeable", None, False),
    choice("files", None, (), *[tuple(PATHS[:n]) for n in range(1, 5)], tuple(PATHS[1:3])),
    choice("policy", None, *POLICIES),
    choice("kinds", {}, {"environments/a": "cuda"}, {"environments/b": "cuda"}),
    choice("removed", ("environments/b",), ("environments/a",)),
    st.lists(st.sampled_from(OVERRIDES), max_size=2).map(lambda found: {"overrides": tuple(found)}),
    st.lists(st.sampled_from(ASKS), max_size=2).map(lambda found: {"asks": tuple(found)}),
    choice("held_by", "mia"),
    choice("appealed", True),
    choice("unsafe", ("no ruleset",)),
    choice("refused_merges", HEADS[:1], HEADS[1:2]),
]


@st.composite
def states(draw: Any) -> State:
    """A sound pull request with some of it changed."""
    state = SOUND
    for change in draw(st.lists(st.sampled_from(CHANGES), max_size=5)):
        state = replace(state, **draw(change))
    return state


def carried_out(state: State, decision: Decision) -> State:
    """The state once everything that was decided is done."""
    cancelled = {cancel.job_id for cancel in decision.cancels}
    kept = [replace(job, state=JobState.CANCELLED) if job.id in cancelled else job for job in state.jobs]
    new = [
        Job(f"{1000 + number:032x}", start.tier, start.head, start.base, JobState.ASKED, state.now)
        for number, start in enumerate(decision.starts)
    ]
    merged = decision.merge is not None
    return replace(state, jobs=(*kept, *new), merged=state.merged or merged, open=state.open and not merged)


@settings(max_examples=500, deadline=None)
@given(states())
def test_no_merge_but_of_what_was_tested_and_approved(state: State) -> None:
    decision = decide(state)
    assert decide(state) == decision  # the same state, the same decision
    assert (decision.merge is not None) is (not decision.blockers)
    event(f"merge: {decision.merge is not None}")
    if decision.merge is None:
        return
    merge, policy = decision.merge, state.policy
    assert policy is not None and state.files is not None
    assert merge.head == state.head
    assert state.open and not state.merged and not state.draft and state.mergeable
    by_id = {review.id: review for review in standing(state.reviews)}
    grounds = [by_id[number] for number in merge.reviews]
    assert grounds and all(one.commit == state.head and one.state == "APPROVED" and one.human for one in grounds)
    assert any(one.role in APPROVERS and one.user_id != state.author_id for one in grounds)
    changed = touched(state.files)
    for path in changed.guarded:
        assert any(path in one.owns for one in grounds)
    tested = [report for report in state.accepted if report.job_id in merge.job_ids]
    assert {report.tier for report in tested} >= (set(policy.tiers.required) - {"gpu-bench"})
    for report in tested:
        assert report.head == state.head and report.policy == policy.digest
        assert set(changed.environments) <= set(report.environments)
        assert report.verdict in (Verdict.PASS, Verdict.FAIL)
    here = state.same_base | {state.base}
    assert any(
        report.tier == "verify" and report.head == state.head and report.base in here for report in state.accepted
    )
    lifted = {one.rule for one in state.overrides if one.head == state.head}
    for report in state.accepted:
        if report.head == state.head and report.policy == policy.digest and report in tested:
            assert all(f.rule in lifted for _, f in report.findings if f.severity is Severity.ERROR)


@settings(max_examples=500, deadline=None)
@given(states())
def test_jobs_run_only_on_the_head_and_one_at_a_time(state: State) -> None:
    decision = decide(state)
    for start in decision.starts:
        assert start.head == state.head and start.base == state.base
        assert state.open and not state.merged
        if start.tier != "verify":
            assert any(known.tier == "verify" and known.status is Status.PASSED for known in decision.tiers)
    after = carried_out(state, decision)
    live = [(job.tier, job.head) for job in after.jobs if job.state in LIVE]
    assert len(live) == len(set(live))
    assert all(head == state.head for _, head in live)


@settings(max_examples=500, deadline=None)
@given(states())
def test_what_was_decided_and_done_is_not_decided_again(state: State) -> None:
    after = carried_out(state, decide(state))
    again = decide(after)
    assert not again.starts and not again.cancels and again.merge is None


SPOILERS: list[dict[str, Any]] = [
    {"draft": True},
    {"open": False},
    {"merged": True},
    {"base_ref": "release"},
    {"mergeable": None},
    {"mergeable": False},
    {"files": None},
    {"policy": None},
    {"reviews": ()},
    {"accepted": ()},
    {"held_by": "mia"},
    {"unsafe": ("x",)},
    {"refused_merges": (HEADS[0],)},
    {"head": HEADS[1]},
    {"author_id": 2},
    {"files": ("x/y",)},
]


@settings(max_examples=500, deadline=None)
@given(states(), st.sampled_from(SPOILERS))
def test_one_more_obstacle_takes_every_merge_away(state: State, spoiler: dict[str, Any]) -> None:
    if decide(state).merge is None:
        return
    if "head" in spoiler:  # nobody looked at the new head
        state = replace(
            state,
            reviews=tuple(replace(one, commit=HEADS[0]) for one in state.reviews),
            accepted=tuple(replace(one, head=HEADS[0]) for one in state.accepted),
        )
    if "author_id" in spoiler:
        state = replace(state, reviews=tuple(one for one in state.reviews if one.user_id in (2, state.author_id)))
    assert decide(replace(state, **spoiler)).merge is None


@settings(max_examples=500, deadline=None)
@given(states(), st.sampled_from([JobState.LOST, JobState.REPORTED]))
def test_jobs_that_bring_nothing_come_to_an_end(state: State, ends: JobState) -> None:
    """Whatever the workflow does wrong, the number of dispatches for one head is bounded."""
    dispatched = 0
    for _ in range(20):
        decision = decide(state)
        dispatched += len(decision.starts)
        after = carried_out(state, decision)
        state = replace(
            after,
            now=after.now + timedelta(minutes=1),
            jobs=tuple(replace(job, state=ends) if job.state in LIVE else job for job in after.jobs),
        )
    assert dispatched <= 3 * (NEW_TRIES + 1)
    assert not decide(state).starts
