"""The gate: a pull request that nothing stands against is merged at exactly its head; any one thing stops it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot.decide import decide
from bot.state import JobState, State
from envbounty.findings import Verdict


def codes(state: State) -> list[str]:
    return [blocker.code for blocker in decide(state).blockers]


def test_a_sound_pull_request_is_merged_at_the_head_that_was_tested_and_approved(make: Any) -> None:
    decision = decide(make.state())
    assert decision.blockers == ()
    assert decision.merge is not None
    assert decision.merge.head == make.head
    assert decision.merge.reviews == (1,)
    assert decision.merge.job_ids == (make.job().id,)
    assert "approved" in decision.notes[0]


#: One change each that must stop the merge, and the code that says so.
STOPS: list[tuple[str, Callable[[Any], State]]] = [
    ("merged", lambda make: make.state(merged=True, open=False)),
    ("closed", lambda make: make.state(open=False)),
    ("draft", lambda make: make.state(draft=True)),
    ("base-branch", lambda make: make.state(base_ref="release")),
    ("held", lambda make: make.state(held_by="mia")),
    ("mergeable-unknown", lambda make: make.state(mergeable=None)),
    ("conflict", lambda make: make.state(mergeable=False)),
    ("policy-unreadable", lambda make: make.state(policy=None, policy_problem="line 3")),
    ("files-unknown", lambda make: make.state(files=None)),
    ("no-environment", lambda make: make.state(files=())),
    ("environment-removed", lambda make: make.state(removed=("environments/two-sum",))),
    ("unsafe-installation", lambda make: make.state(unsafe=("the App may bypass a ruleset",))),
    ("merge-refused", lambda make: make.state(refused_merges=("1" * 40,))),
    ("approval-missing", lambda make: make.state(reviews=())),
    (
        "changes-requested",
        lambda make: make.state(
            reviews=(make.review(), make.review(2, user_id=300, role="write", state="CHANGES_REQUESTED"))
        ),
    ),
    ("owner-missing", lambda make: make.state(files=(*make.state().files, ".github/workflows/verify.yml"))),
    ("verify-waiting", lambda make: make.state(jobs=(), accepted=())),
    ("verify-running", lambda make: make.state(jobs=(make.job(state=JobState.RUNNING),), accepted=())),
    ("verify-failed", lambda make: make.state(accepted=(make.failed(),))),
    ("verify-error", lambda make: make.state(accepted=(make.report(verdict=Verdict.ERROR),))),
    ("base-moved", lambda make: make.state(base=make.old_base)),
    ("finding", lambda make: make.state(accepted=(make.failed(),))),
]


@pytest.mark.parametrize(("code", "spoiled"), STOPS, ids=[code for code, _ in STOPS])
def test_any_one_thing_stops_the_merge_and_says_what_ends_it(
    make: Any, code: str, spoiled: Callable[[Any], State]
) -> None:
    decision = decide(spoiled(make))
    assert decision.merge is None
    blocker = next(blocker for blocker in decision.blockers if blocker.code == code)
    assert blocker.why.endswith((".", "`", "`.")) and blocker.fix


def test_every_code_is_tried_here() -> None:
    """Whoever adds a blocker adds its failing case above."""
    import inspect
    import re

    from bot.text import gate

    source = inspect.getsource(gate)
    found = set(re.findall(r'Blocker\(\s*"([a-z-]+)"', source)) | {
        f"verify-{status}" for status in ("waiting", "running", "failed", "error")
    }
    assert found == {code for code, _ in STOPS}


# --- what else it touches ---

OWNED = (".github/workflows/verify.yml", "policies/policy.yaml")


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/verify.yml",
        "policies/policy.yaml",
        "CODEOWNERS",
        "docs/CODEOWNERS",
        "actions/verify/action.yml",
        "README.md",
        "environments/README.md",
        "environments",
        "Environments/two-sum/env.yaml",
        "environments/../policies/policy.yaml",
        "/environments/two-sum/env.yaml",
        "environments//env.yaml",
        ".gitattributes",
    ],
)
def test_whatever_is_outside_the_environments_needs_a_code_owner(make: Any, path: str) -> None:
    files = (*make.state().files, path)
    assert codes(make.state(files=files)) == ["owner-missing"]
    assert codes(make.state(files=files, reviews=(make.review(owns=(path,)),))) == []


def test_every_guarded_file_needs_an_owner_of_its_own(make: Any) -> None:
    files = (*make.state().files, *OWNED)
    one = make.state(files=files, reviews=(make.review(owns=OWNED[:1]),))
    assert codes(one) == ["owner-missing"]
    assert OWNED[1] in decide(one).blockers[0].why
    assert OWNED[0] not in decide(one).blockers[0].why
    owner = make.review(2, user_id=300, login="otto", role="write", owns=OWNED[1:])
    both = make.state(files=files, reviews=(make.review(owns=OWNED[:1]), owner))
    merge = decide(both).merge
    assert merge is not None and merge.reviews == (1, 2)


@pytest.mark.parametrize(
    "change",
    [
        {"role": "read"},
        {"role": "triage"},
        {"commit": "2" * 40},
        {"human": False},
        {"user_id": 100},
        {"state": "COMMENTED"},
        {"state": "DISMISSED"},
    ],
)
def test_an_owners_word_counts_like_any_other_only_on_this_head(make: Any, change: dict[str, Any]) -> None:
    owner = make.review(2, **{"user_id": 300, "role": "write", "owns": OWNED[:1], **change})
    state = make.state(files=(*make.state().files, OWNED[0]), reviews=(make.review(), owner))
    assert "owner-missing" in codes(state)


def test_an_owner_without_the_role_does_not_replace_a_maintainer(make: Any) -> None:
    owner = make.review(2, user_id=300, role="write", owns=OWNED[:1])
    state = make.state(files=(*make.state().files, OWNED[0]), reviews=(owner,))
    assert codes(state) == ["approval-missing"]


def test_a_pull_request_without_environments_gets_no_job_and_no_merge(make: Any) -> None:
    decision = decide(make.new(files=("README.md",), reviews=(make.review(owns=("README.md",)),)))
    assert [blocker.code for blocker in decision.blockers] == ["no-environment"]
    assert not decision.starts and decision.merge is None


def test_an_environment_that_is_taken_away_is_not_tested_and_not_merged(make: Any) -> None:
    files = (*make.state().files, "environments/gone/env.yaml")
    assert codes(make.state(files=files, removed=("environments/gone",))) == ["environment-removed"]


# --- approvals ---


@pytest.mark.parametrize(
    ("change", "counts"),
    [
        ({}, True),
        ({"role": "admin"}, True),
        ({"role": "write"}, False),
        ({"role": "triage"}, False),
        ({"role": "read"}, False),
        ({"role": "none"}, False),
        ({"role": ""}, False),
        ({"role": "Maintain"}, False),
        ({"human": False}, False),
        ({"user_id": 100}, False),
        ({"commit": "2" * 40}, False),
        ({"commit": "1" * 39}, False),
        ({"commit": ""}, False),
        ({"state": "COMMENTED"}, False),
        ({"state": "DISMISSED"}, False),
        ({"state": "PENDING"}, False),
        ({"state": "approved"}, False),
    ],
)
def test_whose_approval_counts(make: Any, change: dict[str, Any], counts: bool) -> None:
    state = make.state(reviews=(make.review(**change),))
    assert (decide(state).merge is not None) is counts
    assert codes(state) == ([] if counts else ["approval-missing"])


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"human": False}, "no human"),
        ({"user_id": 100}, "author's"),
        ({"role": "write"}, "`write`"),
        ({"commit": "2" * 40}, "2" * 12),
    ],
)
def test_an_approval_that_does_not_count_is_told_why(make: Any, change: dict[str, Any], word: str) -> None:
    (blocker,) = decide(make.state(reviews=(make.review(**change),))).blockers
    assert word in blocker.why


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        (["APPROVED", "COMMENTED"], []),  # a comment takes nothing back
        (["CHANGES_REQUESTED", "APPROVED"], []),
        (["APPROVED", "CHANGES_REQUESTED"], ["changes-requested", "approval-missing"]),
        (["APPROVED", "DISMISSED"], ["approval-missing"]),
        (["CHANGES_REQUESTED", "DISMISSED"], ["approval-missing"]),
        (["CHANGES_REQUESTED", "COMMENTED"], ["changes-requested", "approval-missing"]),
    ],
)
def test_each_users_latest_review_counts(make: Any, states: list[str], expected: list[str]) -> None:
    reviews = tuple(make.review(number, state=one) for number, one in enumerate(states, 1))
    assert codes(make.state(reviews=reviews)) == expected
    assert codes(make.state(reviews=reviews[::-1])) == expected  # in whatever order GitHub lists them


def test_an_approval_of_an_older_commit_is_replaced_by_the_users_later_one(make: Any) -> None:
    reviews = (make.review(1, commit=make.old_head), make.review(2))
    assert codes(make.state(reviews=reviews)) == []
    # … and the other way round: who approved the head and later approved something else approves that.
    moved = (make.review(1), make.review(2, commit=make.old_head))
    assert codes(make.state(reviews=moved)) == ["approval-missing"]


@pytest.mark.parametrize(
    ("role", "blocks"),
    [("admin", True), ("maintain", True), ("write", True), ("triage", False), ("read", False), ("none", False)],
)
def test_whose_objection_counts(make: Any, role: str, blocks: bool) -> None:
    other = make.review(2, user_id=300, role=role, state="CHANGES_REQUESTED", commit=make.old_head)
    assert (decide(make.state(reviews=(make.review(), other))).merge is None) is blocks


def test_two_approvers_are_both_grounds_of_the_merge(make: Any) -> None:
    reviews = (make.review(5), make.review(3, user_id=300, role="admin"))
    merge = decide(make.state(reviews=reviews)).merge
    assert merge is not None and merge.reviews == (3, 5)


def test_an_appeal_is_noted_and_lifts_nothing(make: Any) -> None:
    failed = make.state(accepted=(make.failed(),), appealed=True)
    assert decide(failed).merge is None
    assert any("appeal" in note for note in decide(failed).notes)
    assert decide(make.state(appealed=True)).merge is not None


def test_a_refused_merge_of_another_head_is_history(make: Any) -> None:
    assert decide(make.state(refused_merges=(make.old_head,))).merge is not None
