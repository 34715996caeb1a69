"""Does the task text give the answer away?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from envbounty.environment import Kind, prompt
from envbounty.findings import Evidence, Finding, show
from envbounty.verify.context import Context
from envbounty.verify.rules import RULES

#: A field that equals the answer on so many of the instances is no coincidence, if the answers differ.
SHARE, MIN_DISTINCT = 0.8, 3
#: So many lines of the reference in a row, word for word, are the solution and not an example.
MIN_LINES = 4
#: A word that announces the answer, and what may stand between it and the colon.
_TELLS = re.compile(r"\b(?:answer|solution|expected|result|output)\b[^\n]{0,12}$", re.IGNORECASE)
_COLON = re.compile(r"[:=]\s*")


def run(context: Context) -> Iterator[Finding]:
    env, bench = context.env, context.bench
    if env.spec.kind in (Kind.FUNCTION, Kind.PROGRAM):
        if (line := copied_lines(env.task, env.reference.text)) is not None:
            yield RULES["prompt-leaks-answer"].finding(
                f"task.md holds {MIN_LINES} or more lines of {env.reference.path}, word for word.",
                path="task.md",
                line=line,
                evidence=Evidence(submission=env.reference.path, reproduce=context.reproduce("prompt-leaks-answer")),
            )
        return
    answers = [reply.value for reply in bench.expected]
    values = [instance.value for instance in bench.instances]
    for name, line in dict(reversed(prompt.fields(env.task))).items():
        if gives_away(env.task, name, values, answers):
            instance = bench.instances[0]
            yield RULES["prompt-leaks-answer"].finding(
                f"The field `{name}` shows the answer.",
                path="task.md",
                line=line,
                evidence=Evidence(
                    instance=show(instance.value),
                    seed=instance.seed,
                    difficulty=instance.difficulty,
                    expected=show(answers[0]),
                    detail=show(instance.value[name]),
                    reproduce=context.reproduce("prompt-leaks-answer"),
                ),
            )
    if (line := told(env.task, values, answers)) is not None:
        yield RULES["prompt-leaks-answer"].finding(
            "The rendered task says the answer after a word such as `answer:`.",
            path="task.md",
            line=line,
            evidence=Evidence(
                instance=show(values[0]),
                expected=show(answers[0]),
                detail=prompt.render(env.task, values[0])[:1500],
                reproduce=context.reproduce("prompt-leaks-answer"),
            ),
        )


def gives_away(task: str, name: str, values: Sequence[dict[str, Any]], answers: Sequence[Any]) -> bool:
    """Whether a field's text is the answer's text on most instances, and not because all answers are alike."""
    texts = [prompt.as_text(answer).strip() for answer in answers]
    hits = [prompt.as_text(value[name]).strip() == text != "" for value, text in zip(values, texts, strict=True)]
    return sum(hits) >= SHARE * len(hits) and len(set(texts)) >= MIN_DISTINCT


def told(task: str, values: Sequence[dict[str, Any]], answers: Sequence[Any]) -> int | None:
    """The line on which the rendered task says `answer: …` with the right answer, on most instances; else None."""
    hits, where = 0, 1
    texts = [prompt.as_text(answer).strip() for answer in answers]
    for value, text in zip(values, texts, strict=True):
        rendered = prompt.render(task, value)
        for colon in _COLON.finditer(rendered) if text else ():
            after = rendered[colon.end() : colon.end() + len(text) + 1]
            whole = after.startswith(text) and not (after[len(text) :].isalnum() and text[-1].isalnum())
            if whole and _TELLS.search(rendered[max(0, colon.start() - 40) : colon.start()]):
                hits, where = hits + 1, rendered.count("\n", 0, colon.start()) + 1
                break
    return where if hits >= SHARE * len(values) and len(set(texts)) >= MIN_DISTINCT else None


def copied_lines(task: str, solution: str) -> int | None:
    """The line of the task where `MIN_LINES` lines of the solution's code follow one another; None for nowhere."""
    code = [line.strip() for line in solution.splitlines()]
    code = [line for line in code if len(line) > 3 and not line.startswith(("#", "//", '"""'))]
    lines = [line.strip() for line in task.splitlines()]
    kept = [(number, line) for number, line in enumerate(lines, 1) if len(line) > 3]
    runs = {tuple(code[at : at + MIN_LINES]) for at in range(len(code) - MIN_LINES + 1)}
    for at in range(len(kept) - MIN_LINES + 1):
        if tuple(line for _, line in kept[at : at + MIN_LINES]) in runs:
            return kept[at][0]
    return None
