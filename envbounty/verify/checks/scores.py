"""Is what the verifier says a score, is it the same each time, and does it come in time? Looks at all said so far."""

from __future__ import annotations

from collections.abc import Iterator

from envbounty.findings import Finding, show
from envbounty.verify.context import Context, Scored
from envbounty.verify.runner import NOT_RUN

#: So many of the trials are scored again in a clean jail.
REPEATED = 60


def run(context: Context) -> Iterator[Finding]:
    said = list(context.scored)
    first: dict[str, Scored] = {}
    for item in said:
        if (rule := judge(item)) is not None:
            first.setdefault(rule, item)
    for rule, item in first.items():
        yield context.prove(rule, message(rule, item), item)
    yield from _stability(context, [item for item in said if item.reply.fault is None and judge(item) is None])


def judge(item: Scored) -> str | None:
    """The rule that one answer of the verifier breaks, if any."""
    reply = item.reply
    if reply.fault == NOT_RUN:
        return None
    if reply.fault is not None:
        kinds = {
            "raise": "verifier-raises",
            "timeout": "verifier-too-slow",
            "exit": "verifier-ends-process",
            "died": "verifier-ends-process",
            "memory": "verifier-ends-process",
            "output": "verifier-ends-process",
        }
        return kinds.get(reply.fault.kind, "score-invalid")
    return None if isinstance(reply.value, (int, float)) and 0 <= reply.value <= 1 else "score-invalid"


def message(rule: str, item: Scored) -> str:
    what = f"for {item.trial.source}"
    fault = item.reply.fault
    if rule == "score-invalid":
        gave = fault.detail if fault else show(item.reply.value, 80)
        return f"check() gave {gave} {what}; a score is a finite number from 0 to 1."
    assert fault is not None
    lines = [line.strip() for line in fault.detail.splitlines() if line.strip()]
    last = lines[-1] if lines else fault.kind
    verbs = {"verifier-raises": "raised", "verifier-too-slow": "was too slow"}
    return f"check() {verbs.get(rule, 'ended its process')} {what}: {last}"


def _stability(context: Context, items: list[Scored]) -> Iterator[Finding]:
    """Score a spread of trials again: another process, another hash seed, the opposite order."""
    step = max(1, len(items) // REPEATED)
    chosen = items[::step][:REPEATED]
    chosen.reverse()
    again = context.score([item.trial for item in chosen], fresh=True)
    for before, after in zip(chosen, again, strict=True):
        if after.reply.fault is not None or after.score != before.score:
            yield context.unstable(before, after)
            return
