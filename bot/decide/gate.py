"""The gate: everything that stands against a merge, and the merge where nothing does."""

from __future__ import annotations

from collections.abc import Sequence

from bot.decide.approval import approval
from bot.decide.outrun import outrun
from bot.decide.tiers import counting, errors, needed, tiers
from bot.decide.touched import touched
from bot.state import Accepted, Blocker, Decision, Merge, State, Status, TierState
from bot.text import gate as say


def decide(state: State) -> Decision:
    """What is so, why, and what is to be done. Never raises; the same state always gives the same decision."""
    changed = touched(state.files or ())
    environments = tuple(path for path in changed.environments if path not in state.removed)
    tests = tiers(state, environments)
    reports = counting(state, environments) if environments else ()
    agreed = approval(state, changed.guarded)
    held = [
        *_about_the_pull_request(state),
        *_about_files(state, changed.environments, environments),
        *(say.tier(known) for known in tests.states if _short(state, known, environments)),
        *_about_findings(state, reports),
        *agreed.blockers,
        *(say.unsafe(problem) for problem in state.unsafe),
    ]
    # Asked last, when all else is well: each answer may cost a run.
    again = None if held else outrun(state, environments)
    blockers = [*held, *([say.outrun(state.base, again.fix)] if again else [])]
    return Decision(
        tiers=tests.states,
        blockers=tuple(blockers),
        starts=(*tests.starts, *([again.start] if again and again.start else [])),
        cancels=tests.cancels,
        merge=None if blockers else _merge(state, tests.states, [review.id for review in agreed.reviews]),
        notes=_notes(state, reports, [review.login for review in agreed.reviews]),
    )


def _about_the_pull_request(state: State) -> list[Blocker]:
    found = []
    if state.merged:
        found.append(say.MERGED)
    elif not state.open:
        found.append(say.CLOSED)
    if state.draft:
        found.append(say.DRAFT)
    if state.base_ref != state.default_branch:
        found.append(say.base_branch(state.default_branch))
    if state.held_by:
        found.append(say.held(state.held_by))
    if state.mergeable is None:
        found.append(say.MERGEABLE_UNKNOWN)
    elif not state.mergeable:
        found.append(say.CONFLICT)
    if state.policy is None:
        found.append(say.no_policy(state.policy_problem))
    return found


def _about_files(state: State, named: Sequence[str], environments: Sequence[str]) -> list[Blocker]:
    if state.files is None:
        return [say.FILES_UNKNOWN]
    found = []
    if not named:
        found.append(say.NO_ENVIRONMENT)
    if gone := [path for path in named if path not in environments]:
        found.append(say.removed(gone))
    return found


def _short(state: State, known: TierState, environments: Sequence[str]) -> bool:
    """Whether a tier that has to pass has not. A tier which nobody needs blocks while it runs and when it failed."""
    if known.status is Status.PASSED:
        return False
    if needed(state, known.tier, environments):
        return True
    return known.status in (Status.RUNNING, Status.FAILED)


def _about_findings(state: State, reports: Sequence[Accepted]) -> list[Blocker]:
    """One blocker for each rule with an error in any report that counts: a later report never clears a finding."""
    places: dict[str, set[str]] = {}
    for report in reports:
        for directory, finding in errors(state, report):
            places.setdefault(finding.rule, set()).add(directory)
    return [say.finding(rule, sorted(places[rule]), state.head) for rule in sorted(places)]


def _merge(state: State, known: Sequence[TierState], reviews: Sequence[int]) -> Merge | None:
    jobs = [tier.report.job_id for tier in known if tier.report is not None]
    # Belt and braces: blockers already say so where no review or no report stands behind the merge.
    grounds = (state.head, tuple(reviews), tuple(jobs))
    return Merge(*grounds, state.base_ref, state.base) if reviews and jobs else None


def _notes(state: State, reports: Sequence[Accepted], approvers: Sequence[str]) -> tuple[str, ...]:
    found = [say.approved_by(login, state.head) for login in approvers]
    rules = {finding.rule for report in reports for _, finding in report.findings}
    for override in state.overrides:
        if override.head == state.head and override.rule in rules:
            found.append(say.overridden(override))
    if state.appealed:
        found.append(say.APPEALED)
    return tuple(found)
