"""falsepass with a hand-written adapter, as its documentation has it for what it cannot infer: the answer is a program.

Only what it calls a false pass counts (a known-bad completion paid in full), and a score that changes. Its two ways to
write the right answer differently are replaced by ones that leave a program a program.
"""
# ruff: noqa: F821
# mypy: ignore-errors

import builtins
from pathlib import Path

ADAPTER = """
import builtins

from falsepass.adapter import Adapter
from falsepass.model import Example, Score

given, grade = builtins.benchmark


class Scorer:
    weights = {}

    async def score(self, example, completion):
        text = completion if isinstance(completion, str) else "\\n".join(
            str(message.get("content") or "") for message in completion if message.get("role") == "assistant"
        )
        return Score(1.0 if grade(text) is True else 0.0)

    async def close(self):
        pass


class Program(Adapter):
    name = "grader"

    def load(self, n, seed):
        return Scorer(), [Example("task", given["task"], given["reference"], given)]

    def render(self, answer, example):
        return answer

    def wrong_answer(self, example):
        return f"def {given['function']}(*args, **kwargs):\\n    raise NotImplementedError\\n"

    def equivalent_forms(self, example):
        return {"comment": example.answer + "\\n# done\\n", "blank_lines": "\\n\\n" + example.answer + "\\n\\n"}


ADAPTER = Program()
"""


def main():
    import io

    from falsepass import probes, runner

    given = row()
    if grade(given["reference"]) is not True:
        return tell(None, "the reference is not accepted")
    builtins.benchmark = given, grade
    audit = Path("/tmp/audit")
    (audit / "src").mkdir(parents=True)
    (audit / "adapter.py").write_text(ADAPTER)
    (audit / "env.toml").write_text('[env]\nid = "local/grader"\n')
    (audit / "src/grader.py").write_text(given["grader"])
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        found = runner.run(audit, n=1, search_calls=given["search"], jobs=1)
    paid = [
        one
        for one in found["results"]
        if (one["expected"] == "zero" and not one["passed"] and not one["same_as_good"] and (one["score"] or 0) >= 1)
        or (one["expected"] == "stable" and not one["passed"])
    ]
    texts = [probes.STORE.get(one["completion_id"]) for one in paid if one["expected"] == "zero"]
    why = "; ".join(dict.fromkeys(f"{one['probe']} {one['variant']}" for one in paid))
    tell(bool(paid), why or f"{len(found['results'])} probes", [text for text in texts if isinstance(text, str)])


main()
