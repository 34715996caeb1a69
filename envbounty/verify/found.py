"""Found graders on the bench: one submission text in, what the grader makes of it out."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from envbounty.environment import Environment
from envbounty.findings import clip
from envbounty.sandbox import Job, Limits, Outcome
from envbounty.verify import harness
from envbounty.verify.runner import Fault, ImportFault, Runner, fault_of, records, reply_of

#: The harness says two things. A submission that shares its process may say more.
MOST_RECORDS = 64
#: How long a grader in a hurry may take altogether, in seconds.
HURRIED_S = 4.0


@dataclass(frozen=True)
class Graded:
    """What a found grader said about one submission. `accepted` is None when it gave no verdict."""

    accepted: bool | None
    score: float | None
    words: str
    fault: Fault | None = None
    seconds: float = 0.0


def grade(
    runner: Runner,
    env: Environment,
    text: str,
    *,
    outputs: Sequence[str] = (),
    fresh: bool = False,
    hurry_s: float | None = None,
) -> tuple[Graded, Outcome]:
    """What the grader says about submission `text`; the outcome holds the files named in `outputs`.

    With `hurry_s`, every wait of the grader that has a limit is cut to that, and all of it to a few seconds. Raises
    `ImportFault` when the grader does not load.
    """
    spec = env.spec
    assert spec.grader is not None
    nonce = secrets.token_hex(16)
    task = {
        "file": spec.grader.file,
        "function": spec.grader.function,
        "pass_score": spec.scoring.pass_score,
        "nonce": nonce,
        "hurry_s": hurry_s,
    }
    own = spec.limits
    wall_s = own.wall_s if hurry_s is None else min(own.wall_s, HURRIED_S)
    outcome = runner.run(
        Job(
            code=harness.source("grader"),
            inputs={
                **{f"env/{path}": content for path, content in env.code.items()},
                "submission.py": text.encode("utf-8", "surrogatepass"),
                "task.json": json.dumps(task).encode(),
            },
            outputs=outputs,
            # A found grader starts processes and threads as it likes; that is no fault of a submission.
            limits=Limits(wall_s, own.cpu_s, max(own.memory_mb, 512), 64, own.output_kb, own.scratch_mb),
        ),
        fresh=fresh,
    )
    for record in records(outcome.result, MOST_RECORDS):
        if record is None:
            continue
        if record.get("import") == "fault":
            raise ImportFault(clip(str(record.get("detail")), 2000))
        if record.get("nonce") == nonce:
            return _graded(record), outcome
    fault = fault_of(outcome) or Fault("died", "the process ended before the grader answered")
    return Graded(None, None, "", fault), outcome


def _graded(record: dict[str, object]) -> Graded:
    reply = reply_of(record)
    value = reply.value
    if reply.fault is not None or not isinstance(value, dict):
        return Graded(None, None, "", reply.fault or Fault("not-json", "gave no verdict"))
    accepted, score = value.get("accepted"), value.get("score")
    return Graded(
        accepted if isinstance(accepted, bool) else None,
        score if isinstance(score, float) else None,
        clip(str(value.get("words", "")), 600),
        seconds=reply.seconds,
    )
