"""Filling a `State` from GitHub and the database. Reads only; what cannot be found out is left as unknown.

The webhook's head comes along: as long as GitHub shows an older one than it announced, nothing at all is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from bot import records
from bot.codeowners import PLACES, Owners
from bot.core import HeadChanged, NotYet, Scene
from bot.decide import touched
from bot.decide.touched import ROOT
from bot.github import errors
from bot.github.models import FileInfo, PullInfo, ReviewInfo
from bot.github.reads import MOST_FILES
from bot.state import Accepted, Ask, Override, Review, State
from bot.store import jobs, pulls, rulings, writes
from bot.store.pulls import Pull
from envbounty.environment.problems import ContractError
from envbounty.environment.yamltext import read_yaml
from envbounty.policy import BUILT_IN, PLACE, Policy, Tier, read_policy
from envbounty.verify.rules import RULES

#: An author's account may be deleted; nobody has this id, so nobody is taken for them.
GHOST = 0

SEVERITIES = {rule.id: rule.severity for rule in RULES.values()}


@dataclass(frozen=True)
class Snapshot:
    """A state, and what only the edges need beside it."""

    state: State
    patches: Mapping[str, str | None]  # of the changed files, for inline comments
    environments: tuple[str, ...]  # touched ones that the head still has


def look(scene: Scene, row: Pull) -> PullInfo:
    """The pull request as GitHub shows it now, noted in the database.

    Raises `NotYet` while GitHub shows an older head than a webhook announced, and `Gone`.
    """
    pull = scene.reads.pull(scene.number)
    head = pull.head.sha
    with scene.store.write() as db:
        if head != row.announced and row.announced and row.announced_at is not None:
            older = pulls.seen_at(db, *scene.key, head)
            waited = scene.now - row.announced_at
            # A head that is new to us is newer than what was announced; one that we knew before is a stale answer, or
            # events came in another order than they happened. After a while GitHub's word stands.
            if older is not None and older <= row.announced_at and waited < scene.bot.seconds(scene.settings.lag_limit):
                raise NotYet("GitHub shows an older head than it announced", scene.bot.seconds(scene.settings.lag))
        pulls.saw(scene.store, db, *scene.key, head, scene.now)
        author = pull.user.id if pull.user else GHOST
        is_open = pull.state == "open"
        pulls.observe(db, *scene.key, open_=is_open, merged=pull.is_merged, head=head, author_id=author)
    return pull


def take(scene: Scene, pull: PullInfo, unsafe: tuple[str, ...]) -> Snapshot:
    """Everything that a decision depends on, as of now."""
    head = pull.head.sha
    base = scene.reads.branch(pull.base.ref)
    listed = scene.reads.files(scene.number)
    there = [it for it in listed if it.status != "removed"]  # what is gone can only be had at the base
    if any(not it.contents_url.endswith(f"?ref={head}") for it in there):
        # Whoever pushes another head for a moment, while this is read, must not have its files taken for this one's.
        raise HeadChanged("the list of files is about another commit")
    files = _paths(pull, listed)
    sorted_ = touched(files or ())
    policy, problem = read_base_policy(scene, base)
    kinds, removed = _kinds(scene, head, sorted_.environments)
    guarded = sorted_.guarded if files is not None else ()
    author_id = pull.user.id if pull.user else GHOST
    state = State(
        repo_id=scene.repo.repo_id,
        number=scene.number,
        now=scene.now,
        author_id=author_id,
        author_login=pull.user.login if pull.user else "ghost",
        author_known=False,
        open=pull.state == "open",
        merged=pull.is_merged,
        draft=pull.draft,
        head=head,
        base=base,
        base_ref=pull.base.ref,
        default_branch=pull.default_branch,
        mergeable=pull.mergeable,
        files=files,
        policy=policy,
        policy_problem=problem,
        kinds=kinds,
        removed=removed,
        reviews=_reviews(scene, base, guarded),
        unsafe=unsafe,
    )
    environments = tuple(path for path in sorted_.environments if path not in removed)
    state = recall(scene, state)
    state = replace(state, same_base=_same(scene, state))
    return Snapshot(state, {it.filename: it.patch for it in listed}, environments)


def recall(scene: Scene, state: State) -> State:
    """`state` with what the database knows now: jobs, reports, decisions by command, refused merges."""
    with scene.store.read() as db:
        rows = jobs.of_pull(db, *scene.key)
        reports = jobs.reports_of(db, *scene.key)
        standing = rulings.standing(db, *scene.key)
        attempts = writes.merges(db, *scene.key)
        known = pulls.merged_before(db, scene.repo.repo_id, state.author_id)
    accepted: list[Accepted] = [records.load(report.accepted) for report in reports if report.state == "accepted"]
    holds = [it for it in standing if it.kind == "hold"]
    return replace(
        state,
        author_known=known,
        jobs=tuple(row.value() for row in rows),
        accepted=tuple(accepted),
        overrides=tuple(
            Override(it.what, it.head, it.reason, it.user_id, it.login) for it in standing if it.kind == "override"
        ),
        asks=tuple(Ask(_tier(it.what), it.head, it.login, it.at) for it in standing if it.kind == "ask"),
        held_by=holds[-1].login if holds else "",
        appealed=any(it.kind == "appeal" and it.head == state.head for it in standing),
        refused_merges=tuple(it.head for it in attempts if it.state == "moved"),
    )


def read_base_policy(scene: Scene, base: str) -> tuple[Policy | None, str]:
    """The policy on the base branch, never the pull request's. None and why, where it cannot be read."""
    try:
        text = scene.reads.file(PLACE, base) if _has(scene, PLACE, base) else None
        return (BUILT_IN, "") if text is None else (read_policy(text, PLACE, SEVERITIES), "")
    except ContractError as error:
        return None, "; ".join(str(problem) for problem in error.problems[:3])
    except errors.Invalid as error:
        return None, str(error)


def _same(scene: Scene, state: State) -> frozenset[str]:
    """The bases of reports on this head that have the environments which the base branch has now."""
    bases = {report.base for report in state.accepted if report.head == state.head} - {state.base}
    if not bases:
        return frozenset()
    now = scene.reads.tree(ROOT, state.base)
    return frozenset(base for base in bases if scene.reads.tree(ROOT, base) == now)


def _paths(pull: PullInfo, listed: Sequence[FileInfo]) -> tuple[str, ...] | None:
    """Every changed path, both names of what was renamed. None where GitHub may not have listed all."""
    if len(listed) >= MOST_FILES or (pull.changed_files is not None and pull.changed_files != len(listed)):
        return None
    found = {it.filename for it in listed} | {it.previous_filename for it in listed if it.previous_filename}
    return tuple(sorted(found))


def _kinds(scene: Scene, head: str, directories: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Each environment's kind, read as data from the head, and which environments the head no longer has."""
    kinds: dict[str, str] = {}
    removed = []
    for directory in directories:
        names = scene.reads.folder(directory, head)
        if names is None:
            removed.append(directory)
        elif "env.yaml" in names and (kind := _kind(scene, f"{directory}/env.yaml", head)):
            kinds[directory] = kind
        elif "task.toml" in names:
            kinds[directory] = "container"
    return kinds, tuple(removed)


def _kind(scene: Scene, path: str, head: str) -> str:
    """The kind that an env.yaml names; empty where it cannot be read, which is then taken for the worst."""
    try:
        text = scene.reads.file(path, head)
        value = read_yaml(text, path).value if text is not None else None
    except (ContractError, errors.Invalid):
        return ""
    kind = value.get("kind") if isinstance(value, dict) else None
    return kind if isinstance(kind, str) and len(kind) <= 40 else ""


def _reviews(scene: Scene, base: str, guarded: Sequence[str]) -> tuple[Review, ...]:
    listed = [it for it in scene.reads.reviews(scene.number) if it.user is not None and it.submitted_at is not None]
    weighty = [it for it in listed if it.state in ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")]
    owners = _owners(scene, base) if guarded and weighty else None
    roles: dict[int, str] = {}
    found = []
    for it in weighty:
        assert it.user is not None and it.submitted_at is not None
        if it.user.id not in roles:
            # A bot's role does not matter: it never approves. Asking for it could fail, too.
            roles[it.user.id] = scene.reads.role(it.user.login, it.user.id) if it.user.human else "none"
        owns = _owned(scene, owners, guarded, it.user.login) if it.state == "APPROVED" and owners else ()
        found.append(_review(it, roles[it.user.id], owns))
    return tuple(found)


def _review(it: ReviewInfo, role: str, owns: tuple[str, ...]) -> Review:
    assert it.user is not None and it.submitted_at is not None
    at: datetime = it.submitted_at
    return Review(it.id, it.user.id, it.user.login, it.user.human, role, it.state, it.commit_id or "", at, owns)


def _owners(scene: Scene, base: str) -> Owners | None:
    """The base branch's CODEOWNERS; None when there is none, and then nobody owns anything."""
    for place in PLACES:
        if _has(scene, place, base):
            text = scene.reads.file(place, base)
            return Owners(text) if text is not None else None
    return None


def _owned(scene: Scene, owners: Owners, guarded: Sequence[str], login: str) -> tuple[str, ...]:
    teams: dict[str, bool] = {}

    def owns(path: str) -> bool:
        for owner in owners.of(path):
            if owner.is_user(login):
                return True
            if owner.kind == "team":
                if owner.name not in teams:
                    teams[owner.name] = scene.reads.in_team(owner.name, login)
                if teams[owner.name]:
                    return True
        return False

    return tuple(path for path in guarded if owns(path))


def _has(scene: Scene, path: str, sha: str) -> bool:
    """Whether a file is there, by its folder's list: lists at a full SHA are read only once, absences never are."""
    folder, _, name = path.rpartition("/")
    if folder and not _has(scene, folder, sha):
        return False
    return name in (scene.reads.folder(folder, sha) or ())


def _tier(name: str) -> Tier:
    return cast(Tier, name)
