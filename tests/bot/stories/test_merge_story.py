"""From a fork's pull request to a merge of exactly what was tested and approved, and of nothing else."""

from __future__ import annotations

import pytest
from town import Town, environment, finding, opened

from bot.store import writes
from localhub.model import Pull


def passed(town: Town) -> Pull:
    """A pull request whose report has come and passed."""
    pull = opened(town)
    assert town.report(town.run()).status_code == 202
    town.settle()
    return pull


def attempts(town: Town, pull: Pull) -> list[str]:
    with town.bot.store.read() as db:
        return [it.state for it in writes.merges(db, town.repo.id, pull.number)]


def merged_parents(town: Town, pull: Pull) -> tuple[str, ...]:
    assert pull.merge_commit is not None
    return tuple(town.repo.git.commit(pull.merge_commit).parents)


def test_a_sound_pull_request_is_tested_approved_and_merged(town: Town) -> None:
    pull = opened(town)
    run = town.run()
    assert run.inputs["head_sha"] == pull.head and run.inputs["pr"] == str(pull.number)
    assert run.actor.login == "bounty-bot[bot]" and run.ref == "refs/heads/main"
    assert town.checks(pull) == {"envbounty/verify": "in_progress"}

    assert town.report(run).status_code == 202
    town.settle()
    assert town.checks(pull) == {"envbounty/verify": "success"}
    assert not pull.merged

    head = pull.head
    town.max.approve(pull)
    town.settle()
    assert pull.merged and pull.head == head
    assert merged_parents(town, pull)[1] == head
    assert len(town.runs()) == 1 and attempts(town, pull) == ["merged"]


def test_an_approval_that_came_first_counts_as_well(town: Town) -> None:
    pull = opened(town)
    town.max.approve(pull)
    town.settle()
    assert not pull.merged
    town.report(town.run())
    town.settle()
    assert pull.merged


def test_a_head_that_moves_after_the_approval_is_not_merged(town: Town) -> None:
    pull = passed(town)
    old = pull.head
    town.max.approve(pull)  # its webhook waits while ann pushes
    town.ann.push_to(pull, {"environments/sums/environment.py": "import os\n"})
    town.settle()
    assert not pull.merged and pull.head != old
    assert town.run().inputs["head_sha"] == pull.head
    town.report(town.run())
    town.settle()
    assert not pull.merged  # tested, but nobody approved this one
    town.max.approve(pull)
    town.settle()
    assert pull.merged and merged_parents(town, pull)[1] == pull.head


def test_a_head_that_moves_in_the_instant_of_the_merge_voids_the_approvals(town: Town) -> None:
    pull = passed(town)
    old = pull.head
    town.hub.faults.before("PUT .*/merge", lambda: town.ann.push_to(pull, {"environments/sums/task.md": "Else.\n"}))
    town.max.approve(pull)
    town.settle()
    assert not pull.merged and attempts(town, pull) == ["moved"]
    # Even when the old head comes back, what was refused stays void.
    town.ann.push_commit(pull.head_repo, pull.head_ref, old, force=True)
    town.settle()
    assert pull.head == old and not pull.merged


def test_a_merge_whose_answer_is_lost_is_read_back_and_not_sent_again(town: Town) -> None:
    pull = passed(town)
    town.hub.faults.add("error_after", "PUT .*/merge", times=1)
    town.max.approve(pull)
    town.settle()
    town.wait(60)
    assert pull.merged and attempts(town, pull) == ["merged"]
    assert sum("/merge" in call for call in town.writes()) == 1


def test_a_merge_that_never_arrived_is_asked_for_again(town: Town) -> None:
    pull = passed(town)
    town.hub.faults.add("bad_gateway", "PUT .*/merge", times=1)
    town.max.approve(pull)
    town.settle()
    assert not pull.merged
    town.wait(60)
    town.wait(60)
    assert pull.merged and attempts(town, pull) == ["blocked", "merged"]


def test_a_merge_that_a_rule_forbids_is_tried_again_less_and_less_often(town: Town) -> None:
    owner = town.hub.user("boss")
    town.repo.collaborators[owner.user.id] = "admin"
    ruleset = {
        "name": "two",
        "target": "branch",
        "enforcement": "active",
        "conditions": {"ref_name": {"include": ["~DEFAULT_BRANCH"], "exclude": []}},
        "rules": [
            {
                "type": "pull_request",
                "parameters": {
                    "required_approving_review_count": 2,
                    "dismiss_stale_reviews_on_push": True,
                    "require_code_owner_review": False,
                    "require_last_push_approval": False,
                    "required_review_thread_resolution": False,
                },
            }
        ],
    }
    owner.add_ruleset(town.repo, ruleset)
    pull = passed(town)
    town.max.approve(pull)
    town.settle()
    assert not pull.merged and attempts(town, pull) == ["blocked"]
    for _ in range(10):
        town.look(pull)  # events alone do not hammer
    assert attempts(town, pull) == ["blocked"]
    town.wait(20)
    assert attempts(town, pull) == ["blocked", "blocked"]
    town.pia.approve(pull)
    town.settle()
    town.wait(60)
    assert pull.merged


def test_a_role_that_was_lost_meanwhile_approves_nothing(town: Town) -> None:
    pull = opened(town)
    town.max.approve(pull)
    town.settle()
    town.repo.collaborators[town.max.user.id] = "write"
    town.report(town.run())
    town.settle()
    assert not pull.merged
    town.repo.collaborators[town.max.user.id] = "admin"
    town.sweep()
    assert pull.merged


def test_an_objection_stands_until_it_is_taken_back(town: Town) -> None:
    pull = passed(town)
    town.pia.request_changes(pull)
    town.max.approve(pull)
    town.settle()
    assert not pull.merged
    town.pia.approve(pull)
    town.settle()
    assert pull.merged


def test_files_outside_the_environments_need_their_owner(town: Town) -> None:
    pull = town.ann.open_pull(town.repo, environment() | {"policies/policy.yaml": "schema: 1\n"})
    town.settle()
    town.report(town.run())
    town.max.approve(pull)
    town.settle()
    assert not pull.merged  # pia owns policies/
    town.pia.approve(pull)
    town.settle()
    assert pull.merged


def test_a_pull_request_without_environment_gets_one_note_and_no_merge(town: Town) -> None:
    pull = town.ann.open_pull(town.repo, {"README.md": "# Better\n"})
    town.max.approve(pull)
    town.settle()
    town.look(pull)
    assert not pull.merged and town.runs() == []
    (note,) = town.mine(pull)
    assert "no environment" in note
    assert town.checks(pull) == {"envbounty/verify": "neutral"}


def test_a_draft_is_tested_and_not_merged(town: Town) -> None:
    pull = town.ann.open_pull(town.repo, environment(), draft=True)
    town.settle()
    town.report(town.run())
    town.max.approve(pull)
    town.settle()
    assert town.checks(pull) == {"envbounty/verify": "success"} and not pull.merged


@pytest.mark.parametrize("town", [{"doctor_every": 60}], indirect=True)
def test_while_the_installation_is_unsafe_nothing_is_merged(town: Town) -> None:
    town.bot.examine = lambda access: ("the required check is bound to no App",)
    pull = passed(town)
    town.max.approve(pull)
    town.settle()
    assert not pull.merged
    town.bot.examine = lambda access: ()
    town.wait(town.settings.doctor_every + 1)
    town.sweep()
    assert pull.merged


@pytest.mark.parametrize("slugs", [("sums", "more")])
def test_a_report_that_leaves_out_an_environment_is_no_pass(town: Town, slugs: tuple[str, ...]) -> None:
    pull = town.ann.open_pull(town.repo, environment("sums") | environment("more"))
    town.max.approve(pull)
    town.settle()
    town.report(town.run(), slugs=("sums",))
    town.settle()
    assert not pull.merged and len(town.runs()) == 2  # lost, and tried anew
    town.report(town.run(), slugs=slugs)
    town.settle()
    assert pull.merged


def test_two_that_were_tested_side_by_side_are_merged_one_after_the_other(town: Town) -> None:
    """Each passed while the other was not there. The second is tested against the first before it is merged."""
    first, second = (town.ann.open_pull(town.repo, environment(slug), branch=slug) for slug in ("sums", "sums-again"))
    town.settle()
    for pull, slug in ((first, "sums"), (second, "sums-again")):
        town.report(town.run(pull=pull), slugs=[slug])
    town.settle()
    for pull in (first, second):
        town.max.approve(pull)
    town.settle()
    town.wait(5)
    assert [pull.merged for pull in (first, second)].count(True) == 1
    late = second if first.merged else first
    base = town.repo.git.ref("refs/heads/main")
    assert len(town.runs()) == 3
    again = town.run()
    assert (again.inputs["pr"], again.inputs["head_sha"], again.inputs["base_sha"]) == (
        str(late.number),
        late.head,
        base,
    )
    town.wait(60)
    assert not late.merged and len(town.runs()) == 3
    slug = "sums-again" if late is second else "sums"
    town.report(again, [finding("near-duplicate")], slugs=[slug])
    town.settle()
    assert not late.merged and town.checks(late)["envbounty/verify"] == "failure"


def test_the_second_is_merged_too_when_it_is_no_copy(town: Town) -> None:
    first, second = (town.ann.open_pull(town.repo, environment(slug), branch=slug) for slug in ("sums", "sorts"))
    town.settle()
    for pull, slug in ((first, "sums"), (second, "sorts")):
        town.report(town.run(pull=pull), slugs=[slug])
    for pull in (first, second):
        town.max.approve(pull)
    town.settle()
    town.wait(5)
    late = second if first.merged else first
    town.report(town.run(), slugs=["sorts" if late is second else "sums"])
    town.settle()
    town.wait(5)
    assert first.merged and second.merged and len(town.runs()) == 3


def test_another_heads_files_are_not_taken_for_this_ones(town: Town) -> None:
    """The author pushes something harmless while the files are read, and then again what nobody owning it approved."""
    policy = {"policies/policy.yaml": "schema: 1\nbudgets: {findings_per_rule: 1}\n"}
    pull = town.ann.open_pull(town.repo, {**environment(), **policy}, branch="topic")
    town.settle()
    town.report(town.run())
    town.settle()
    fork, guarded = pull.head_repo, pull.head
    assert fork is not None
    onto = town.repo.git.merge_base(pull.base_sha, guarded) or ""
    as_many = {**environment(), "environments/sums/notes.md": "As many files as the other head has.\n"}
    harmless = town.ann.push(fork, "aside", as_many, onto=onto)

    def away() -> None:
        town.ann.push_commit(fork, pull.head_ref, harmless, force=True)
        town.hub.faults.before("GET .*/reviews", lambda: town.ann.push_commit(fork, pull.head_ref, guarded, force=True))

    town.hub.faults.before("GET .*/files", away)
    town.max.approve(pull)
    town.settle()
    town.wait(60)
    assert pull.head == guarded and not pull.merged
    town.pia.approve(pull)  # who owns policies/
    town.settle()
    assert pull.merged


def test_a_push_that_changes_no_environment_asks_for_no_second_test(town: Town) -> None:
    pull = passed(town)
    town.max.push(town.repo, "main", {"README.md": "# Other words\n"})
    town.settle()
    town.max.approve(pull)
    town.settle()
    assert pull.merged and len(town.runs()) == 1


def test_a_pull_requests_life_takes_few_requests(town: Town) -> None:
    """Every look reads the pull request, its branch, files and reviews anew: GitHub is the truth. What stands at a full
    SHA is read once, a token lives an hour, and six writes are the floor: dispatch, check, its two changes, review,
    merge."""
    before = len(town.hub.calls)
    pull = passed(town)
    town.max.approve(pull)
    town.settle()
    assert pull.merged
    by_people = 3  # fork, branch, pull request
    if town.rival is None:  # each bot has its own tokens and remembers only its own answers
        assert len(town.hub.calls) - before - by_people <= 33
    mine = [call for call in town.writes() if "/forks" not in call and "/git/refs" not in call]
    assert sum("/check-runs" in call or "/dispatches" in call or "/merge" in call for call in mine) == 5


def test_an_attempt_on_a_pull_request_that_is_gone_holds_up_nobody(town: Town) -> None:
    gone = passed(town)
    with town.bot.store.write() as db:  # the bot died in the middle of a merge …
        writes.try_merge(db, town.repo.id, gone.number, gone.head, [1], ["0" * 32], town.bot.clock())
    other = town.ann.open_pull(town.repo, environment("sorts"), branch="sorts")
    town.settle()
    town.report(town.run(), slugs=["sorts"])
    town.max.approve(other)
    town.settle()
    assert not other.merged, "nobody knows what became of the first one"
    del town.repo.issues[gone.number]  # … and GitHub took the pull request away
    town.look(gone)
    town.wait(5)
    assert attempts(town, gone) == ["blocked"]
    assert other.merged
