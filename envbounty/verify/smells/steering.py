"""Where a smell leads: the rules of the tamper battery that are likely to catch what smells so.

Only the order of attempts may hang on this. Smells that nearly every grader has, such as running the submission in
process, lead nowhere: they would put everything first.
"""

from __future__ import annotations

from collections.abc import Collection

LEADS: dict[str, tuple[str, ...]] = {
    "smell-except-passes": ("tamper-exception",),
    "smell-except-counts": ("tamper-exception",),
    "smell-except-ignored": ("tamper-exception",),
    "smell-timeout-passes": ("tamper-exhaustion",),
    "smell-skip-passes": ("tamper-skip",),
    "smell-was-successful": ("tamper-skip",),
    "smell-reward-first": ("tamper-exit", "tamper-files"),
    "smell-str-compare": ("tamper-equality",),
    "smell-object-compare": ("tamper-equality",),
    "smell-evaluates": ("tamper-deserialise", "tamper-output"),
    "smell-exec-shares-scope": ("tamper-frames", "tamper-patch"),
    "smell-expected-in-scope": ("tamper-frames", "tamper-disclosure"),
    "smell-expected-passed": ("tamper-arguments",),
    "smell-returncode-only": ("tamper-exit",),
    "smell-stdout-verdict": ("tamper-output",),
    "smell-stderr-verdict": ("tamper-output",),
    "smell-tests-on-disk": ("tamper-disclosure", "tamper-files"),
    "smell-world-readable": ("tamper-files",),
    "smell-secret-in-environ": ("tamper-disclosure",),
    "smell-python-not-isolated": ("tamper-files", "tamper-patch"),
    "smell-pytest-in-tree": ("tamper-files",),
    "smell-report-file": ("tamper-files",),
    "smell-input-reused": ("tamper-arguments",),
    "smell-timed-verdict": ("tamper-patch",),
    "smell-state": ("tamper-state",),
    "smell-trapdoor": ("tamper-trapdoor",),
    "smell-reads-source": ("tamper-trapdoor",),
    "smell-reads-environ": ("tamper-trapdoor",),
    "smell-declared-function": ("tamper-trapdoor",),
}


def leads(hints: Collection[str]) -> frozenset[str]:
    """The tamper rules that these smells make likely: what is to be tried before the rest."""
    return frozenset(rule for hint in hints for rule in LEADS.get(hint, ()))
