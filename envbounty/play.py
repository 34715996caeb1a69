"""One instance as a model would meet it, and what a submission for it is worth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from envbounty.environment import ContractError, Dialect, Environment, Kind, Language, Solution, load, prompt
from envbounty.environment.load import SUFFIXES
from envbounty.findings import show
from envbounty.render.words import clean, clean_lines
from envbounty.sandbox import Jail
from envbounty.verify.bench import Bench, ImportFault, Instance, Reply, Trouble
from envbounty.verify.values import Unreadable, read_json

Say = Callable[[str], None]

#: So many lines of a task or of an error are shown at the most.
LINES = 400


def play(path: Path, submission: Path | None, seed: int, difficulty: int | None, jail: Jail, say: Say) -> int:
    """Show the task of the instance (`seed`, `difficulty`) and score `submission` on it. Returns an exit status.

    Raises `ValueError` for a file that cannot be a submission of this kind.
    """
    try:
        env = load(path)
    except ContractError as error:
        for problem in error.problems:
            say(clean(str(problem)))
        return 2
    bench = Bench(env, jail, seed=seed)
    try:
        if env.spec.dialect is Dialect.GRADER:
            return _grader(env, bench, submission, say)
        level = env.spec.difficulty.min if difficulty is None else difficulty
        if not env.spec.difficulty.min <= level <= env.spec.difficulty.max:
            low, high = env.spec.difficulty.min, env.spec.difficulty.max
            raise ValueError(f"difficulty {level} is not among this environment's, {low} to {high}.")
        return _native(env, bench, submission, seed, level, say)
    except ImportFault as error:
        say(f"{env.entry} could not be loaded:")
        _lines(str(error), say)
        return 1
    except Trouble as error:
        say(f"could not run: {clean(str(error))}")
        return 4


def _native(env: Environment, bench: Bench, submission: Path | None, seed: int, level: int, say: Say) -> int:
    reply = bench.generate([(seed, level)])[0]
    if reply.fault is not None or not isinstance(reply.value, dict):
        say("generate() gave no instance:")
        _lines(str(reply.fault or show(reply.value)), say)
        return 1
    instance = Instance(seed, level, reply.value)
    try:
        _lines(prompt.render(env.task, instance.value), say)
    except KeyError as error:
        say(f"the instance lacks the key {clean(str(error))} that task.md shows.")
        return 1
    if env.spec.kind in (Kind.FUNCTION, Kind.PROGRAM):
        say(f"\n--- an instance (seed {seed}, difficulty {level}); a model does not see it")
        say(clean(show(instance.value, 2000)))
    if submission is None:
        say(f"\nScore an answer with: envbounty play {env.root} FILE --seed {seed} --difficulty {level}")
        return 0
    output = _output(env, bench, submission, instance)
    if output.fault is not None:
        say("\n--- the submission gave no output:")
        _lines(str(output.fault), say)
        return 1
    scored = bench.check([(instance.value, output.value)])[0]
    say(f"\n--- output: {clean(show(output.value, 1000))}")
    if scored.fault is not None:
        say("--- check() gave no score:")
        _lines(str(scored.fault), say)
        return 1
    return _score(scored.value, env, say)


def _score(value: object, env: Environment, say: Say) -> int:
    number = value if isinstance(value, (int, float)) else None
    accepted = number is not None and number >= env.spec.scoring.pass_score
    say(f"--- score: {show(value, 200)} ({'accepted' if accepted else 'not accepted'})")
    return 0 if accepted else 1


def _output(env: Environment, bench: Bench, file: Path, instance: Instance) -> Reply:
    try:
        text = file.read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError) as error:
        raise ValueError(f"{file} cannot be read as UTF-8 text: {error}") from None
    language = SUFFIXES.get(file.suffix)
    kind = env.spec.kind
    if kind is Kind.FUNCTION or (kind in (Kind.ANSWER, Kind.ACTIONS) and language is Language.PYTHON):
        return bench.solve(Solution(str(file), Language.PYTHON, text), [instance])[0]
    if kind is Kind.PROGRAM:
        if language is None or language not in env.spec.submission.languages:
            wanted = ", ".join(env.spec.submission.languages)
            raise ValueError(f"{file} is none of the languages that this environment takes: {wanted}.")
        return bench.solve(Solution(str(file), language, text), [instance])[0]
    if kind is Kind.ANSWER:
        return Reply(text)
    try:
        value = read_json(text)
    except Unreadable as error:
        raise ValueError(f"{file} is not JSON: {error}. A submission is a JSON list.") from None
    if not isinstance(value, list):
        raise ValueError(f"{file} holds no JSON list.")
    return Reply(value)


def _grader(env: Environment, bench: Bench, submission: Path | None, say: Say) -> int:
    _lines(env.task, say)
    if submission is None:
        say(f"\nScore a submission with: envbounty play {env.root} FILE")
        return 0
    try:
        text = submission.read_text(encoding="utf-8")
    except (UnicodeDecodeError, OSError) as error:
        raise ValueError(f"{submission} cannot be read as UTF-8 text: {error}") from None
    graded = bench.grade([text])[0]
    if graded.fault is not None:
        say("\n--- the grader gave no verdict:")
        _lines(str(graded.fault), say)
        return 1
    say(f"\n--- the grader said: {clean(graded.words, 500)}")
    word = {True: "accepted", False: "not accepted", None: "no verdict"}[graded.accepted]
    say(f"--- score: {graded.score} ({word})")
    return 0 if graded.accepted is True else 1


def _lines(text: str, say: Say) -> None:
    for line in clean_lines(text, count=LINES):
        say(line)
