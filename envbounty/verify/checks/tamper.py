"""The tamper battery against a found grader: which submissions that are no answer does it accept?

An accusation needs all of this: the grader accepted the submission; the submission is wrong by its nature (it defines
no function, or never returns), or the referee saw it part from the reference on a call that the grader itself makes;
and the grader accepted it again each time in a clean jail. What is shown is the smallest of its kind that still passes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from envbounty.findings import Evidence, Finding, clip, show
from envbounty.verify.bench import Graded, OutOfTime, Trouble
from envbounty.verify.checks.grader import unstable
from envbounty.verify.context import Context
from envbounty.verify.inputs.values import shown_call
from envbounty.verify.referee import Difference
from envbounty.verify.rules import RULES
from envbounty.verify.tamper import CONTROL, Attempt, Facts, Group, plan, signs
from envbounty.verify.tamper.payload import wrong_answer

#: Findings of one grader: each is a mechanism of its own, and a few of them say all that there is to do.
MOST = 3
#: So many submissions are graded at a time. Small, so that a grader that falls at once costs little.
CHUNK = 8
#: Once something was found, what ranks lower is not worth its time.
UNLIKELY = 30
#: In a hurry, a grader waits no longer than this (seconds) for anything.
HURRY_S = 0.1
#: Gradings spent on making one submission smaller.
SHRINK = 24
#: A submission is shown whole: cut off it would show nothing.
MOST_TEXT = 12_000


@dataclass
class Hunt:
    """What was found so far. `graded` counts gradings."""

    context: Context
    facts: Facts
    found: dict[str, Finding] = field(default_factory=dict)
    graded: int = 0
    by_chance: bool = False  # it accepts now and then what needs no mechanism

    def grade(self, texts: Sequence[str], *, hurry_s: float | None = None) -> list[bool]:
        self.graded += len(texts)
        return [graded.accepted is True for graded in self.context.bench.grade(texts, hurry_s=hurry_s)]

    # --- the order of attempts ---------------------------------------------------------------------------------------

    def run(self) -> None:
        control = CONTROL.attempts(self.facts)[0]
        if self.grade([control.text])[0]:
            self.accuse(control)  # it needs no trick at all, so none of those below would explain anything
            return
        ranked = plan(self.facts)
        steps = [step for _, step in ranked]
        quick = [(rank, step) for rank, step in ranked if isinstance(step, Group) or not step.payload.slow]
        for start in range(0, len(quick), CHUNK):
            if self.found and quick[start][0] < UNLIKELY:
                return
            chunk = [step for _, step in quick[start : start + CHUNK] if not self.settled(step)]
            accepted = self.grade([self.text(step) for step in chunk])
            for step, yes in zip(chunk, accepted, strict=True):
                if yes and not self.enough:
                    self.follow(step)
            if self.enough:
                return
        slow = [step for step in steps if isinstance(step, Attempt) and step.payload.slow and not self.settled(step)]
        accepted = self.grade([step.text for step in slow], hurry_s=HURRY_S)
        for step, yes in zip(slow, accepted, strict=True):
            if yes and not self.enough and not self.settled(step) and self.grade([step.text])[0]:
                self.accuse(step)

    @property
    def enough(self) -> bool:
        return len(self.found) >= MOST or self.by_chance

    def settled(self, step: Attempt | Group) -> bool:
        """Whether a mechanism of this kind was shown already."""
        return isinstance(step, Attempt) and step.payload.rule in self.found

    def text(self, step: Attempt | Group) -> str:
        return step.write(self.facts, step.applicable(self.facts)) if isinstance(step, Group) else step.text

    def follow(self, step: Attempt | Group) -> None:
        """Something was accepted: make it small, and accuse."""
        if isinstance(step, Attempt):
            if not self.settled(step):
                self.accuse(self.smaller(step))
            return
        members = [payload.attempts(self.facts)[0] for payload in step.applicable(self.facts)]
        alone = [member for member, yes in zip(members, self.grade([one.text for one in members]), strict=True) if yes]
        for member in sorted(alone, key=lambda one: len(one.text)):
            if not self.enough and not self.settled(member):
                self.accuse(member)

    # --- one accusation ----------------------------------------------------------------------------------------------

    def smaller(self, attempt: Attempt) -> Attempt:
        """The attempt with as few items as still pass: ever smaller pieces are left out, within `SHRINK` gradings."""
        items, left, size = list(attempt.items), SHRINK, len(attempt.items) // 2
        while size > 0 and len(items) > 1:
            start = 0
            while start < len(items) and len(items) > 1 and left > 0:
                rest = items[:start] + items[start + size :]
                left -= 1
                if rest and self.grade([attempt.payload.write(self.facts, rest)])[0]:
                    items = rest
                else:
                    start += size
            size //= 2
        return Attempt(attempt.payload, tuple(items), attempt.payload.write(self.facts, items))

    def accuse(self, attempt: Attempt) -> None:
        """Add the finding, if the submission is shown to be wrong and is accepted again."""
        difference = None
        if not self.no_answer(attempt):
            difference = self.difference(attempt) or self.exception(attempt)
            if difference is None:
                return
        context = self.context
        for _ in range(context.confirmations):
            graded = context.bench.grade([attempt.text], fresh=True)[0]
            self.graded += 1
            if graded.accepted is not True:
                self.shaky(attempt, graded)
                return
        control = CONTROL.attempts(self.facts)[0]
        if attempt.payload is not CONTROL and self.grade([control.text])[0]:
            # It was rejected before: time or chance is what lets both pass, and no mechanism explains that.
            self.by_chance = True
            self.accuse(control)
            return
        payload, rule = attempt.payload, RULES[attempt.payload.rule]
        evidence = Evidence(
            submission=clip(attempt.text, MOST_TEXT),
            instance=difference.call if difference else None,
            expected=difference.expected if difference else None,
            output=difference.got if difference else None,
            score=1.0,
            detail=payload.mechanism,
            confirmed=context.confirmations,
            reproduce=context.reproduce(payload.rule),
        )
        how = f" ({attempt.items[0]})" if len(attempt.items) == 1 else ""
        message = f"The grader accepts a submission that {payload.name}{how}."
        self.found[payload.rule] = rule.finding(message, path=context.env.entry, evidence=evidence)

    def no_answer(self, attempt: Attempt) -> bool:
        """Whether a submission is wrong whatever the task: it never returns, or defines no function of that name."""
        payload = attempt.payload
        return payload.by_nature and (payload.slow or not defines(attempt.text, self.facts.function))

    def exception(self, attempt: Attempt) -> Difference | None:
        """For a function that only raises: a call of the grader's to which the reference has an answer.

        The referee abstains where a run ends for want of time or memory, which some exceptions look like.
        """
        if not only_raises(attempt.text, self.facts.function):
            return None
        for case in self.context.referee.known:
            call = clip(shown_call(self.facts.function, case.call), 1000)
            return Difference(call, show(case.expected), "an exception, whatever it is asked")
        return None

    def difference(self, attempt: Attempt) -> Difference | None:
        """Where the submission is wrong on a call that the grader itself makes.

        One that is told the answer is right there: what it is worth shows on other calls.
        """
        referee = self.context.referee
        found = referee.difference(attempt.text)
        if attempt.payload.elsewhere:
            return found
        own = {clip(shown_call(self.facts.function, case.call), 1000) for case in referee.known}
        return found if found is not None and found.call in own else None

    def shaky(self, attempt: Attempt, graded: Graded) -> None:
        """A wrong answer that was accepted once and not again is never silence."""
        if "score-unstable" not in self.found:
            what = f"a wrong submission that {attempt.payload.name}"
            self.found["score-unstable"] = unstable(self.context, what, clip(attempt.text, MOST_TEXT), graded)


def run(context: Context) -> Iterator[Finding]:
    hunt = Hunt(context, facts_of(context, context.hints))
    stopped: OutOfTime | Trouble | None = None
    try:
        hunt.run()
    except (OutOfTime, Trouble) as error:
        stopped = error
    yield from sorted(hunt.found.values(), key=lambda one: len((one.evidence and one.evidence.submission) or ""))
    if stopped is not None:
        raise stopped


def facts_of(context: Context, hints: frozenset[str] = frozenset()) -> Facts:
    """What the battery's payloads are written from. `hints` are rule ids of another look at the grader's source."""
    env = context.env
    seen = signs(source_of(env.code), hints)
    return Facts(
        function=env.spec.submission.function or "",
        reference=env.reference.text,
        signs=seen,
        tests=len(context.referee.calls) or 5,
        wrong=wrong_answer([case.expected for case in context.referee.known]),
    )


def source_of(code: Mapping[str, bytes]) -> str:
    """The Python files of an environment, as one text to look at."""
    return "\n".join(text.decode("utf-8", "replace") for path, text in sorted(code.items()) if path.endswith(".py"))


def only_raises(text: str, name: str) -> bool:
    """Whether a submission's function `name` ends in an exception, however it is called."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    if len(found) != 1 or not isinstance(found[0].body[-1], ast.Raise):
        return False
    return not any(isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom)) for node in ast.walk(found[0]))


def defines(text: str, name: str) -> bool:
    """Whether a submission binds `name` at its top in any way that can be seen; a text that is no Python does not."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == name:
            return True
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store):
            return True
        if isinstance(node, ast.alias) and (node.asname or node.name) in (name, "*"):
            return True
    return False
