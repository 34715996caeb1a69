"""The independent judge: is an accepted submission wrong? It never asks the verifier."""

from __future__ import annotations

from typing import Any

from envbounty.environment.spec import Answers, Compare
from envbounty.findings import show
from envbounty.verify.context import Context
from envbounty.verify.values import Unreadable, read_json, same

#: Floats are held together as loosely as any test does, so that only a real difference accuses. This also stands for
#: a grader that declares nothing: most that are found compare with one right result.
LOOSE = Answers(compare=Compare.TOLERANCE, abs_tol=1e-6, rel_tol=1e-6)
#: So many of the grader's own calls are kept.
CALLS = 200
CAPTURED = "envbounty-calls.jsonl"

#: Put behind a reference, it notes every call's arguments before passing them on.
RECORDER = """

def _envbounty_record(function, path={path!r}, limit={limit}):
    import functools, json
    count = [0]
    @functools.wraps(function)
    def recorded(*args, **kwargs):
        if count[0] < limit:
            count[0] += 1
            try:
                line = json.dumps([args, kwargs])
                with open(path, "a") as file:
                    file.write(line + "\\n")
            except Exception:
                pass
        return function(*args, **kwargs)
    return recorded

{name} = _envbounty_record({name})
"""


class Referee:
    """Holds a submission against the reference on the calls that the grader makes, each in a jail of its own."""

    def __init__(self, context: Context) -> None:
        self._bench = context.bench
        env = context.env
        name = env.spec.submission.function or ""
        text = env.reference.text + RECORDER.format(path=f"/tmp/{CAPTURED}", limit=CALLS, name=name)
        _, files = self._bench.grade_and_fetch(text, [CAPTURED])
        self.calls = read_calls(files.get(CAPTURED, b""))
        self._expected = self._bench.call(env.reference.text, self.calls, loose=True) if self.calls else []
        declared = env.spec.scoring.answers
        self._many = declared.compare is Compare.MANY and "compare" in declared.model_fields_set
        self._answers = LOOSE if declared.compare in (Compare.MANY, Compare.EXACT, Compare.CUSTOM) else declared

    def difference(self, text: str) -> tuple[str, str, str] | None:
        """(arguments, the reference's result, the submission's) where the two part; None where they never do, or when
        that cannot be known."""
        if not self.calls:
            return None
        got = self._bench.call(text, self.calls, loose=True)
        for (positional, named), right, mine in zip(self.calls, self._expected, got, strict=True):
            if right.fault is not None:
                continue  # the reference is not defined there, or its result cannot cross
            if mine.fault is not None and mine.fault.kind in ("raise", "exit", "died"):
                return show([positional, named]), show(right.value), str(mine.fault)[-300:]
            if mine.fault is None and self._differs(right.value, mine.value):
                return show([positional, named]), show(right.value), show(mine.value)
        return None

    def _differs(self, right: Any, mine: Any) -> bool:
        if self._many and type(right) is type(mine):
            return False  # it is declared that several results are right, so another one of that type may be
        return same(right, mine, self._answers) is False


def read_calls(data: bytes) -> list[tuple[list[Any], dict[str, Any]]]:
    """The calls that the recorder wrote, each once. Lines that are no call are left out."""
    found: dict[bytes, tuple[list[Any], dict[str, Any]]] = {}
    for line in data.splitlines()[: 2 * CALLS]:
        try:
            call = read_json(line)
        except Unreadable:
            continue
        if isinstance(call, list) and len(call) == 2 and isinstance(call[0], list) and isinstance(call[1], dict):
            found.setdefault(line, (call[0], call[1]))
    return list(found.values())
