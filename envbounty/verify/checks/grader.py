"""The first checks for a grader as found in the wild, `verify(text)`, which runs the submission itself.

There is no generator and no oracle here. Who says that an accepted submission is wrong? For text that defines nothing,
its nature: the task asks for a function. For a function, the reference: both are called in jails of their own on the
arguments that the grader itself was seen to use, and an accusation is made only where the two part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from envbounty.findings import Evidence, Finding, clip
from envbounty.verify.bench import Graded, ImportFault, Trouble
from envbounty.verify.context import Context, Stop
from envbounty.verify.rules import RULES

ECHO = "return args[0] if args else None"
STUBS = ("None", "0", "1", "-1", "True", "False", "''", "'0'", "[]", "{}", "[0]", "1.0")


@dataclass(frozen=True)
class Attempt:
    """One submission to try. `by_nature`: it defines no function, so it is no answer to any task."""

    rule: str
    name: str
    text: str
    by_nature: bool


def attempts(function: str, reference: str, rng: Random) -> list[Attempt]:
    """What is tried against a grader for `function`."""
    noise = "".join(chr(rng.randrange(32, 0x17F)) for _ in range(200))
    found = [
        Attempt("accepts-nothing", "an empty submission", "", True),
        Attempt("accepts-nothing", "white space", " \n\t\n ", True),
        Attempt("accepts-nothing", "a comment", "# nothing here\n", True),
        Attempt("accepts-junk", "random characters", noise, True),
        Attempt("accepts-junk", "prose", "I could not solve this, but here is my best attempt.", True),
        Attempt("accepts-wrong-type", "a name that is no function", f"{function} = 42\n", True),
        Attempt("accepts-wrong-type", "another function", _stub(f"{function}_", "return args"), True),
        Attempt("accepts-constant", "a function that raises", _stub(function, "raise ValueError('no')"), False),
        Attempt("accepts-nonfinite", "a function that returns NaN", _stub(function, "return float('nan')"), False),
        Attempt("accepts-nonfinite", "a function that returns infinity", _stub(function, "return float('inf')"), False),
        Attempt("accepts-echo", "a function that returns its argument", _stub(function, ECHO), False),
        Attempt("accepts-huge", "a function that returns a huge list", _stub(function, "return [0] * 100_000"), False),
    ]  # fmt: skip
    found += [
        Attempt("accepts-constant", f"a function that returns {value}", _stub(function, f"return {value}"), False)
        for value in STUBS
    ]
    lines = reference.rstrip().splitlines()
    for keep in dict.fromkeys((len(lines) - 1, len(lines) // 2)):
        if 0 < keep < len(lines):
            text = "\n".join(lines[:keep]) + "\n"
            what = f"the first {keep} of the reference's {len(lines)} lines"
            found.append(Attempt("accepts-truncated", what, text, False))
    return found


def _stub(function: str, body: str) -> str:
    return f"def {function}(*args, **kwargs):\n    {body}\n"


def run(context: Context) -> Iterator[Finding]:
    bench, env = context.bench, context.env
    try:
        reference = bench.grade([env.reference.text])[0]
    except ImportFault as error:
        if (module := missing_module(str(error))) is not None:
            raise Trouble(f"the grader needs the module {module}, which the jail does not have") from None
        raise
    if reference.accepted is not True:
        if (module := missing_module(f"{reference.fault or ''}{reference.words}")) is not None:
            raise Trouble(f"the grader needs the module {module}, which the jail does not have")
        said = _said(reference)
        evidence = _evidence(context, "reference-rejected", env.reference.path, reference)
        message = f"The reference is not accepted: {said}"
        yield RULES["reference-rejected"].finding(message, path=env.entry, evidence=evidence)
        raise Stop
    if reference.score is not None and not 0 <= reference.score <= 1:
        evidence = _evidence(context, "score-invalid", env.reference.path, reference)
        yield RULES["score-invalid"].finding(f"The score is {reference.score}.", path=env.entry, evidence=evidence)
    yield from _solutions(context)
    yield from _attempts(context)
    yield from _again(context, reference)


def _solutions(context: Context) -> Iterator[Finding]:
    env = context.env
    good = context.bench.grade([solution.text for solution in env.good])
    for solution, graded in zip(env.good, good, strict=True):
        if graded.accepted is not True:
            evidence = _evidence(context, "good-rejected", solution.path, graded)
            message = f"{solution.path} is not accepted: {_said(graded)}"
            yield RULES["good-rejected"].finding(message, path=solution.path, evidence=evidence)
    bad = context.bench.grade([solution.text for solution in env.bad])
    for solution, graded in zip(env.bad, bad, strict=True):
        if graded.accepted is True:
            evidence = _evidence(context, "bad-accepted", solution.path, graded)
            message = f"{solution.path} is accepted, although its author says: {solution.why}"
            yield RULES["bad-accepted"].finding(message, path=solution.path, evidence=evidence)


def _attempts(context: Context) -> Iterator[Finding]:
    bench, env = context.bench, context.env
    function = env.spec.submission.function or ""
    tried = attempts(function, env.reference.text, Random(f"{bench.seed}:{env.spec.name}"))
    graded = bench.grade([attempt.text for attempt in tried])
    accepted = [attempt for attempt, answer in zip(tried, graded, strict=True) if answer.accepted is True]
    if not accepted:
        return
    referee = context.referee
    accused: set[str] = set()
    for attempt in accepted:
        if attempt.rule in accused:
            continue
        difference = None if attempt.by_nature else referee.difference(attempt.text)
        if not attempt.by_nature and difference is None:
            continue
        again = [bench.grade([attempt.text], fresh=True)[0] for _ in range(context.confirmations)]
        if (other := next((answer for answer in again if answer.accepted is not True), None)) is not None:
            if "score-unstable" not in accused:
                accused.add("score-unstable")
                yield unstable(context, attempt.name, clip(attempt.text), other)
            continue
        accused.add(attempt.rule)
        given, expected, got = difference or ("", "", "")
        evidence = Evidence(
            submission=clip(attempt.text),
            instance=given or None,
            expected=expected or None,
            output=got or None,
            score=1.0,
            confirmed=context.confirmations,
            reproduce=context.reproduce(attempt.rule),
        )
        yield RULES[attempt.rule].finding(f"The grader accepts {attempt.name}.", path=env.entry, evidence=evidence)


def _again(context: Context, reference: Graded) -> Iterator[Finding]:
    """The same submission twice more, each in a clean jail."""
    env = context.env
    for _ in range(context.confirmations):
        second = context.bench.grade([env.reference.text], fresh=True)[0]
        if second.accepted is not reference.accepted or second.score != reference.score:
            yield unstable(context, "the reference", env.reference.path, second)
            return


def unstable(context: Context, what: str, submission: str, second: Graded) -> Finding:
    """That a grader accepted something once and then did not. Raises `Trouble` when it only ran out of time."""
    if second.fault is not None and second.fault.kind == "timeout":
        raise Trouble(f"the grader judged {what} once and ran out of time later: run again when less is running")
    evidence = _evidence(context, "score-unstable", submission, second)
    message = f"The grader accepts {what} once and then does not: {_said(second)}"
    return RULES["score-unstable"].finding(message, path=context.env.entry, evidence=evidence)


def missing_module(text: str) -> str | None:
    """The third-party module whose absence a traceback complains of."""
    match = re.search(r"ModuleNotFoundError: No module named '([\w.]+)'", text)
    return match[1] if match else None


def _said(graded: Graded) -> str:
    if graded.fault is not None:
        lines = [line.strip() for line in str(graded.fault).splitlines() if line.strip()]
        return f"it gave no verdict ({lines[-1]})" if lines else "it gave no verdict"
    return clip(graded.words or "it gave no verdict", 200)


def _evidence(context: Context, rule: str, path: str, graded: Graded) -> Evidence:
    return Evidence(
        submission=path,
        score=graded.score,
        detail=clip(str(graded.fault) if graded.fault else graded.words, 1500),
        reproduce=context.reproduce(rule),
    )
