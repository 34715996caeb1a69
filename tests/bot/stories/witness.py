"""Somebody who looks on, and knows by the hub alone what the bot may do. Nothing here is the bot's reasoning.

The witness sees every pull request as a pass over it begins, and again as its merge is asked for. In one of these
moments everything must have stood well: the bot reads between them, and nobody but GitHub can forbid a change there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

from town import Town

from bot.snapshot import SEVERITIES
from envbounty.policy import BUILT_IN, PLACE, read_policy
from localhub import changes
from localhub.model import Comment, Pull, at_least
from localhub.runs import Run

#: More pull requests than any town here has.
MOST = 12
VERIFY = "envbounty/verify"
RULES = ("accepts-wrong", "rejects-right", "few-solutions")
DONE = ("success", "failure")


@dataclass(frozen=True)
class Told:
    """A report that the bot took."""

    number: int
    head: str
    base: str
    policy: str
    verdict: str
    errors: frozenset[str]
    rules: frozenset[str]
    whole: bool  # it has the pull request's environment, and keeps the form
    sure: bool  # it came while no pass was under way, so nothing can have closed its job first


@dataclass(frozen=True)
class Moment:
    """A pull request's head, and why it may not be merged; empty where it may."""

    head: str
    why: str


@dataclass
class Asked:
    """A merge that the bot asked for."""

    moments: list[Moment] = field(default_factory=list)


class Witness:
    def __init__(self, town: Town) -> None:
        self.town, self.repo = town, town.repo
        self.told: list[Told] = []
        self.slugs: dict[int, str] = {}  # the environment that a pull request brings; none: it brings words only
        self.others = 0  # how many others than the bot are acting at this moment
        self.began: dict[int, Moment] = {}
        self.before: dict[int, Moment] = {}  # before somebody meddled with the pass under way
        self.asked: dict[int, list[Asked]] = {}
        self.seen: set[int] = set()  # merged, and found to be right
        self.wrongs: list[str] = []  # found out inside the hub, where nothing can be raised
        self.calm = True  # no fault was ever set

    # Watching

    def watch(self) -> None:
        """Begin to look on. To be called again when the hub's hooks were cleared."""
        faults = self.town.hub.faults
        for number in range(1, MOST + 1):
            faults.before(f"GET .*/pulls/{number}$", partial(self._begins, number), times=None)
            faults.before(f"PUT .*/pulls/{number}/merge$", partial(self._asks, number), times=None)

    @contextmanager
    def another(self) -> Iterator[None]:
        """While somebody else than the bot acts, no fault strikes: those are between the bot and GitHub."""
        faults = self.town.hub.faults
        active, faults.active = faults.active, []
        self.others += 1
        try:
            yield
        finally:
            self.others -= 1
            faults.active = [*active, *faults.active]

    def _begins(self, number: int) -> None:
        if (pull := self.pull(number)) is not None and not self.others:
            self.began[number] = self.moment(pull)

    def _asks(self, number: int) -> None:
        pull = self.pull(number)
        if pull is None or self.others:
            return
        began = self.began.get(number, Moment("", "no pass has begun"))
        moments = [began, self.moment(pull)]
        if number in self.before:
            moments.append(self.before[number])
        if began.why == "merged":
            self.wrongs.append(f"#{number} was merged, the bot knew, and it asked for a merge again")
        self.asked.setdefault(number, []).append(Asked(moments))

    def meddled(self) -> None:
        """Somebody is about to change something in the middle of a pass."""
        for pull in self.pulls():
            self.before.setdefault(pull.number, self.moment(pull))

    # Knowing

    def pulls(self) -> list[Pull]:
        return list(self.repo.pulls)

    def pull(self, number: int) -> Pull | None:
        issue = self.repo.issues.get(number)
        return issue.pull if issue is not None else None

    def main(self) -> str:
        return changes.tip(self.repo, "main")

    def policy(self, sha: str) -> str:
        """The digest of the policy that a commit of the base branch has."""
        text = self.repo.git.file(sha, PLACE)
        return BUILT_IN.digest if text is None else read_policy(text.decode(), PLACE, SEVERITIES).digest

    def environments(self, sha: str) -> str:
        entry = self.repo.git.entry(sha, "environments")
        return entry.sha if entry is not None else ""

    def moment(self, pull: Pull) -> Moment:
        return Moment(pull.head, self.against(pull))

    def against(self, pull: Pull) -> str:
        """The first thing that stands against merging this head now."""
        if pull.merged:
            return "merged"
        if not pull.open or pull.draft or pull.base_ref != "main":
            return "it is closed, a draft, or for another branch"
        if self.held(pull):
            return "it is on hold"
        return self.unapproved(pull) or self.untested(pull)

    def unapproved(self, pull: Pull) -> str:
        latest = {
            review.user.id: review
            for review in pull.reviews
            if review.state in ("APPROVED", "CHANGES_REQUESTED", "DISMISSED")
        }
        writers = [it for it in latest.values() if at_least(self.repo.role(it.user), "write")]
        if any(it.state == "CHANGES_REQUESTED" for it in writers):
            return "somebody objects"
        agreeing = [
            it.user
            for it in writers
            if it.state == "APPROVED" and it.commit == pull.head and it.user.type == "User" and it.user is not pull.user
        ]
        if not any(at_least(self.repo.role(user), "maintain") for user in agreeing):
            return f"nobody who may has approved {pull.head[:7]}"
        names = {user.login for user in agreeing}
        for path in (change.path for change in changes.files(pull)):
            owner = "pia" if path.startswith("policies/") else "max"
            if not path.startswith("environments/") and owner not in names:
                return f"{owner} has not approved {path}"
        return ""

    def final(self, pull: Pull, head: str = "") -> list[Told]:
        """The reports on a head that count, which is one that says pass or fail, by the policy of now."""
        digest = self.policy(self.main())
        mine = [it for it in self.told if it.number == pull.number and it.head == (head or pull.head)]
        return [it for it in mine if it.policy == digest and it.whole and it.verdict in ("pass", "fail")]

    def untested(self, pull: Pull) -> str:
        final = self.final(pull)
        if not final:
            return f"{pull.head[:7]} has no report that counts"
        if any(it.errors - self.overridden(pull) for it in final):
            return f"{pull.head[:7]} has failed"
        now = self.environments(self.main())
        if not any(self.environments(it.base) == now for it in final):
            return "it was tested beside other environments"
        return ""

    def overridden(self, pull: Pull) -> set[str]:
        said = [it for it in pull.issue.comments if it.body.startswith("/override ") and self.faces(it) == ["+1"]]
        return {it.body.split()[1] for it in said}

    def held(self, pull: Pull) -> bool:
        """Certainly on hold: the bot said yes to a `/hold`, and nobody said `/release` after it."""
        said = [it for it in pull.issue.comments if it.body in ("/hold", "/release")]
        return bool(said) and said[-1].body == "/hold" and self.faces(said[-1]) == ["+1"]

    def faces(self, comment: Comment) -> list[str]:
        """The bot's reactions."""
        return [it.content for it in comment.reactions if it.user.type == "Bot"]

    def live(self, pull: Pull, head: str = "") -> list[Run]:
        mine = [run for run in self.repo.runs if run.inputs.get("pr") == str(pull.number)]
        return [run for run in mine if run.status != "completed" and head in ("", run.inputs["head_sha"])]

    # What must hold at every moment

    def check(self) -> None:
        assert self.wrongs == []
        assert self.town.hub.trouble == []
        for pull in self.pulls():
            if pull.merged and pull.number not in self.seen:
                self.seen.add(pull.number)
                self.merged(pull)
            self.said_once(pull)

    def merged(self, pull: Pull) -> None:
        """A merge by the bot is of a head for which, at some moment that it can have read, nothing was missing."""
        assert pull.merged_by is not None and pull.merge_commit is not None
        if pull.merged_by.type != "Bot":
            return
        parents = self.repo.git.commit(pull.merge_commit).parents
        assert len(parents) == 2 and parents[1] == pull.head
        asked = self.asked.get(pull.number)
        if asked is None and self.town.rival is not None:
            return  # it was asked for in the same instant as another one acted
        assert asked, "nobody asked for this merge"
        moments = asked[-1].moments
        assert any(it.head == pull.head and not it.why for it in moments), (pull.number, pull.head, moments)

    def said_once(self, pull: Pull) -> None:
        app = self.town.gh_app
        inline = [it.body for it in pull.comments if it.user is app.bot]
        reviews = [(it.commit, it.body) for it in pull.reviews if it.user is app.bot and it.state != "PENDING"]
        for rule in RULES:
            told = [body for body in (*inline, *(body for _, body in reviews)) if rule in body]
            assert len(told) <= 1, f"{rule} is told {len(told)} times on #{pull.number}: {told}"
        assert len(set(reviews)) == len(reviews), "a review was posted twice"
        # Each command gets one answer at most, `/verify` none where it is followed.
        mine = [it.body for it in pull.issue.comments if it.user is app.bot]
        asked = [it for it in pull.issue.comments if it.user is not app.bot and it.body.startswith("/")]
        silent = [it for it in asked if it.body == "/verify" and self.faces(it) == ["+1"]]
        notes = [body for body in mine if body.startswith("This changes no environment")]
        assert len(mine) <= len(asked) - len(silent) + 1, mine
        assert len(notes) <= 1
        for head in (pull.head, *pull.past_heads):
            checks = [it for it in self.repo.checks if it.suite.app is app and it.suite.head_sha == head]
            assert max(Counter(it.name for it in checks).values(), default=0) <= 1, "two checks of one name"
            for check in checks:
                for rule in RULES:
                    most = sum(it.head == head and rule in it.rules for it in self.told)
                    assert sum(it["title"] == rule for it in check.annotations) <= most, "annotated twice"

    # What must hold when all is quiet

    def rested(self, pull: Pull) -> None:
        """The check on an open pull request's head shows what the reports on it say."""
        shown = self.town.checks(pull).get(VERIFY)
        if pull.base_ref != "main":
            return
        if pull.number not in self.slugs:
            assert shown == "neutral", shown
            return
        final, lifted = self.final(pull), self.overridden(pull)
        sure = [it for it in final if it.sure]
        if not final:
            assert shown not in DONE, f"{shown} without a report"
        elif any(it.errors for it in sure):
            assert shown == "failure" or (lifted and shown == "success"), shown
        elif len(sure) == len(final):
            assert shown == "success", shown
        if not final and self.live(pull, pull.head):
            assert shown == "in_progress", shown
        assert len(self.live(pull)) <= 1 or not self.calm, "two runs for one pull request"


__all__ = ["MOST", "RULES", "Told", "Witness"]
