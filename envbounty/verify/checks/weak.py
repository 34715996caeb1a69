"""Are a grader's tests strong enough? Wrong programs close to the reference, shown to the grader.

A wrong program comes from the reference by one change or two (`envbounty.verify.mutants`). It accuses when the grader
accepts it and the referee sees it part from the reference on inputs like those that the grader uses, on so many of
them that it is no matter of a rare case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from envbounty.findings import Evidence, Finding, Severity, clip
from envbounty.verify.context import Context
from envbounty.verify.examples import examples
from envbounty.verify.inputs.values import Call, shown, shown_call
from envbounty.verify.mutants import Mutant, mutants, pairs
from envbounty.verify.referee import Difference, Referee, Screened
from envbounty.verify.rules import RULES

#: So many mutants are looked at, the most telling first.
LOOKED_AT = 150
#: So many are shown to the grader: those that agree with the reference on all of its own calls, and a few that do not.
QUIET, LOUD = 24, 10
#: Two single changes that pass may make one wrong program together.
PAIRS = 30
#: Accepted programs that are named.
SHOWN = 5
#: An input is derived by guesswork, so a few may be outside the task. A program is worth a word when it is wrong on at
#: least this share of them, and on at least so many …
SHARE, LEAST = 0.05, 3
#: … and that is enough to accuse a grader of fewer calls than this. One that makes more has to miss more.
THIN, GROSS = 10, 1 / 6
#: Tests that were drawn like the derived inputs would let a program pass by luck with (1 - share) ** calls. Where that
#: is less likely than this, it was not luck: the inputs that tell it apart are not of the sort that the tests have.
LUCK = 0.01


@dataclass(frozen=True)
class Survivor:
    """A program that the grader accepts and the referee knows to be wrong."""

    mutant: Mutant
    known: list[Difference]  # on the grader's own calls
    fresh: list[Difference]  # on derived ones …
    of: int  # … of so many

    @property
    def share(self) -> float:
        return len(self.fresh) / max(1, self.of)


def run(context: Context) -> Iterator[Finding]:
    referee = context.referee
    if not referee.fresh:
        return
    yield from _examples(context, referee)
    for survivor in survivors(context, referee):
        yield _finding(context, survivor, len(referee.known))


def survivors(context: Context, referee: Referee) -> list[Survivor]:
    """Accepted wrong programs, the ones to show first in front; each was accepted three times."""
    env = context.env
    source, function = env.reference.text, env.spec.submission.function
    made = mutants(source, function)[:LOOKED_AT]
    looks = referee.screen([mutant.text for mutant in made])
    quiet, loud = chosen(made, looks)
    accepted = _accepted(context, [*quiet, *loud])
    found = _proved(context, referee, accepted)
    if not found:
        passed = [mutant for mutant, look in zip(made, looks, strict=True) if look and not look.known and not look.slow]
        second = pairs(source, passed, PAIRS)
        looks = referee.screen([mutant.text for mutant in second])
        quiet, _ = chosen(second, looks)
        found = _proved(context, referee, _accepted(context, quiet))
    return found


def chosen(made: Sequence[Mutant], looks: Sequence[Screened | None]) -> tuple[list[Mutant], list[Mutant]]:
    """(those that only derived calls tell from the reference, some that the grader's own calls tell too)."""
    quiet: list[tuple[float, int, Mutant]] = []
    loud: list[tuple[float, int, Mutant]] = []
    for index, (mutant, look) in enumerate(zip(made, looks, strict=True)):
        if look is None or look.slow:
            continue
        if not look.known and _worth(look.fresh, look.of_fresh):
            quiet.append((-look.fresh / look.of_fresh, index, mutant))
        elif look.known:
            # Wrong on one call of the grader's, or on all of them: the two ends where a lenient grader shows.
            middle = abs(look.known / look.of_known - 0.5)
            loud.append((-middle, index, mutant))
    return [m for *_, m in sorted(quiet)[:QUIET]], [m for *_, m in sorted(loud)[:LOUD]]


def _accepted(context: Context, made: Sequence[Mutant]) -> list[Mutant]:
    graded = context.bench.grade([mutant.text for mutant in made])
    return [mutant for mutant, answer in zip(made, graded, strict=True) if answer.accepted is True]


def _proved(context: Context, referee: Referee, accepted: Sequence[Mutant]) -> list[Survivor]:
    """Those of `accepted` that the referee, running each alone, knows to be wrong; accepted twice more."""
    found = []
    for mutant in accepted:
        known, fresh = referee.differences(mutant.text)
        if known or _worth(len(fresh), len(referee.fresh)):
            found.append(Survivor(mutant, known, fresh, len(referee.fresh)))
    # The one that is wrong most often leads: there the case is plainest.
    found.sort(key=lambda one: (not one.known, -one.share, one.mutant.order, len(one.mutant.before)))
    kept = []
    for one in _apart(found)[:SHOWN]:
        again = [context.bench.grade([one.mutant.text], fresh=True)[0].accepted for _ in range(context.confirmations)]
        if all(answer is True for answer in again):
            kept.append(one)
    return kept


def _apart(found: Sequence[Survivor]) -> list[Survivor]:
    """The same, those first that no one before them resembles: another change at the same place says little more."""
    first: list[Survivor] = []
    rest: list[Survivor] = []
    seen: set[object] = set()
    for one in found:
        marks = {one.mutant.line, (*one.known, *one.fresh)}
        (rest if marks & seen else first).append(one)
        seen |= marks
    return first + rest


def _worth(differs: int, of: int) -> bool:
    return differs >= LEAST and differs >= SHARE * of


def accuses(differs: int, of: int, calls: int) -> bool:
    """Whether a grader of so many calls is to blame for accepting a program wrong on `differs` of `of` inputs."""
    share = differs / max(1, of)
    return _worth(differs, of) and share >= (SHARE if calls < THIN else GROSS) and (1 - share) ** calls >= LUCK


def _finding(context: Context, survivor: Survivor, calls: int) -> Finding:
    call, expected, got = [*survivor.known, *survivor.fresh][0]
    # A program that fails on the grader's own calls and passes needs no weighing.
    blame = bool(survivor.known) or accuses(len(survivor.fresh), survivor.of, calls)
    message = (
        f"The grader accepts a wrong program: {context.env.reference.path} with {change(survivor.mutant)}. It differs "
        f"from the reference on {len(survivor.known)} of the {calls} inputs tested and on {len(survivor.fresh)} of "
        f"{survivor.of} inputs like them, for instance {clip(call, 200)}."
    )
    if not blame:
        message += " Whether the task means such inputs is for a reviewer."
    evidence = Evidence(
        submission=clip(survivor.mutant.text, 8000),
        instance=call,
        expected=expected,
        output=got,
        score=1.0,
        confirmed=context.confirmations,
        reproduce=context.reproduce("accepts-wrong-program"),
    )
    return RULES["accepts-wrong-program"].finding(
        message, path=context.env.entry, evidence=evidence, severity=None if blame else Severity.WARNING
    )


def change(mutant: Mutant) -> str:
    """What was done to the reference, in a line."""
    after = f"`{clip(mutant.after, 100)}`" if mutant.after.strip() else "nothing"
    return f"line {mutant.line}: `{clip(mutant.before, 100)}` replaced by {after}"


# --- a table of the examples ---------------------------------------------------------------------------------------


def _examples(context: Context, referee: Referee) -> Iterator[Finding]:
    """Does a table of the examples in the task's text pass?"""
    env = context.env
    function = env.spec.submission.function or ""
    shown_calls = examples(env.task, function)
    known = [(case.call, case.expected) for case in referee.known]
    visible = [(call, value) for call, value in known if _key(call) in {_key(one) for one in shown_calls}]
    if not visible or len(visible) < len(known):
        return
    text = table(function, visible)
    if context.bench.grade([text])[0].accepted is not True:
        return
    _, differences = referee.differences(text)
    if not _worth(len(differences), len(referee.fresh)):
        return
    if not all(context.bench.grade([text], fresh=True)[0].accepted is True for _ in range(context.confirmations)):
        return
    call, expected, got = differences[0]
    evidence = Evidence(
        submission=clip(text, 4000),
        instance=call,
        expected=expected,
        output=got,
        score=1.0,
        confirmed=context.confirmations,
        reproduce=context.reproduce("tests-are-examples"),
    )
    message = f"The grader accepts a table of the {len(visible)} examples that the task's text shows."
    yield RULES["tests-are-examples"].finding(message, path=env.entry, evidence=evidence)


def _key(call: Call) -> str:
    return shown_call("f", call)


def table(function: str, known: Sequence[tuple[Call, object]]) -> str:
    """A program that knows these calls and nothing else."""
    rows = "".join(f"    ({shown_call('call', call)!r}, {shown(value)}),\n" for call, value in known)
    return (
        f"TABLE = [\n{rows}]\n\n\n"
        f"def {function}(*args, **kwargs):\n"
        '    named = [f"{key}={value!r}" for key, value in kwargs.items()]\n'
        "    call = f\"call({', '.join([*map(repr, args), *named])})\"\n"
        "    for shown, result in TABLE:\n"
        "        if shown == call:\n"
        "            return result\n"
    )
