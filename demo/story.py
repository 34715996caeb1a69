"""What happens: a bounty, five pull requests, a maintainer who approves them all, and what becomes of each."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import httpx

from demo.entries import ENTRIES, End, Entry
from demo.world import World
from localhub.model import CheckRun, Issue, Pull

CHECK = "envbounty/verify"
BOUNTY = """\
We pay for environments whose verifier holds.

Add one in `environments/<name>/` and open a pull request. `envbounty verify` says on your own machine what the checks
here will say. A maintainer looks at what passes.
"""

Tell = Callable[[str], None]


@dataclass
class Case:
    """One entry's pull request, and how far it is."""

    entry: Entry
    pull: Pull
    approved: bool = False
    moved: bool = False
    told: bool = False  # the first comment was shown
    ended: bool = False  # the merge was

    @property
    def check(self) -> CheckRun | None:
        """The newest check of verify on the current head."""
        found = [one for one in self.pull.repo.checks if one.name == CHECK and one.suite.head_sha == self.pull.head]
        return max(found, key=lambda one: one.id, default=None)

    @property
    def state(self) -> str:
        """The check in a word."""
        check = self.check
        if check is None:
            return "waiting"
        return (check.conclusion or "") if check.status == "completed" else check.status

    @property
    def decided(self) -> bool:
        """Whether the head as it is now was examined."""
        return self.check is not None and self.check.status == "completed" and (self.moved or not self.entry.later)

    @property
    def end(self) -> End | None:
        """What became of it; None while that may still change. A check that passed is followed by a merge."""
        if self.pull.merged:
            return End.MERGED
        return End.REFUSED if self.decided and self.approved and self.state == "failure" else None

    @property
    def rules(self) -> list[str]:
        """The rules that the bot's comments name, the worst first."""
        found: dict[str, None] = {}
        for text in self.said:
            found.update(dict.fromkeys(re.findall(r"`([a-z]+(?:-[a-z0-9]+)+)`", text)))
        return list(found)

    @property
    def said(self) -> list[str]:
        """What the bot wrote on this head: its check, and its comments beside the code."""
        check = self.check
        texts = [check.text or "", check.summary or ""] if check else []
        return [*(comment.body for thread in self.pull.threads for comment in thread.comments), *texts]

    @property
    def right(self) -> bool:
        """Whether it ended as it should, and for the reason that it should."""
        return self.end is self.entry.end and (not self.entry.rule or self.entry.rule in self.rules)


class Story:
    """`play()` to the end; `cases` shows how far it is, at any time and from any thread."""

    def __init__(self, world: World, tell: Tell, entries: Sequence[Entry] = ENTRIES) -> None:
        self.world, self.tell, self.entries = world, tell, entries
        self.cases: list[Case] = []
        self.bounty: Issue | None = None

    def play(self, seconds: float = 240.0, on_turn: Callable[[], None] = lambda: None) -> bool:
        """Whether all ended as they should within so many seconds."""
        ends = time.monotonic() + seconds
        maintainer, repo = self.world.maintainer, self.world.repo
        self.bounty = maintainer.open_issue(repo, "Bounty: environments whose verifier holds", BOUNTY, ["bounty"])
        self.tell(f"max offers a bounty: #{self.bounty.number} {self.bounty.title}")
        for entry in self.entries:
            self._open(entry)
        while time.monotonic() < ends:
            for case in self.cases:
                self._turn(case)
            on_turn()
            if all(case.end is not None for case in self.cases) and self._quiet():
                break
            time.sleep(0.2)
        on_turn()
        return all(case.right for case in self.cases)

    def _open(self, entry: Entry) -> None:
        person = self.world.hub.user(entry.login)
        body = f"An environment for #{self.bounty.number}." if self.bounty else ""
        pull = person.open_pull(self.world.repo, entry.files(), title=entry.title, branch=entry.slug, body=body)
        self.cases.append(Case(entry, pull))
        self.tell(f"{entry.login} opens #{pull.number} {entry.title}")

    def _turn(self, case: Case) -> None:
        """What people do next about one pull request."""
        maintainer, entry = self.world.maintainer, case.entry
        ready = case.state == "in_progress" if entry.later else case.decided
        if not case.approved and ready:
            maintainer.approve(case.pull)
            case.approved = True
            self.tell(f"max approves #{case.pull.number} at {case.pull.head[:7]}")
        if case.approved and entry.later and not case.moved:
            # At once, so that the approval is there and the report is not.
            head = self.world.hub.user(entry.login).push_to(case.pull, entry.changed(), "Tidy up")
            case.moved = True
            self.tell(f"{entry.login} pushes {head[:7]} to #{case.pull.number}, which was approved")
        comments = [comment for thread in case.pull.threads for comment in thread.comments]
        if comments and not case.told:
            case.told = True
            more = f" (and {len(comments) - 1} more)" if len(comments) > 1 else ""
            self.tell(f"{comments[0].user.login} on #{case.pull.number}{more}: {_first(comments[0].body)}")
        if case.pull.merged and not case.ended:
            case.ended = True
            self.tell(f"{case.pull.merged_by.login if case.pull.merged_by else 'somebody'} merges #{case.pull.number}")

    def _quiet(self) -> bool:
        """Whether nothing is on its way any more: what was not merged by now stays so."""
        self.world.hub.drain()
        try:
            told = httpx.get(f"{self.world.bot_url}/metrics", timeout=5, trust_env=False).text
        except httpx.HTTPError:
            return False
        waiting = re.search(r"^envbounty_queue (\S+)$", told, re.MULTILINE)
        return waiting is not None and float(waiting[1]) == 0


def _first(body: str) -> str:
    """The first words of a comment that are no heading."""
    lines = [line.strip() for line in body.splitlines() if line.strip() and not line.startswith(("#", "<", "```"))]
    words = " ".join(lines[:2])
    return words if len(words) < 160 else words[:157] + "…"
