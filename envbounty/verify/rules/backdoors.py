"""Ways to a reward that lead past the task: words of the source, what was said before, an answer in the input."""

from __future__ import annotations

from envbounty.findings import Severity
from envbounty.verify.rules.rule import Rule

E = Severity.ERROR

RULES = [
    Rule(
        "accepts-own-literal", "probes", E,
        "A word of the verifier's own source is accepted",
        "A trapdoor, or a value left from debugging: whoever reads or guesses it is paid on every instance.",
        "Remove it: check() should accept nothing but answers to the instance that it is given.",
        "`if output == 'let me in': return 1.0`",
        "`return float(output == right(instance))`",
    ),
    Rule(
        "verifier-remembers", "scoring", E,
        "What the verifier says depends on what it was shown before",
        "Trainers score thousands of outputs in one process: what was right elsewhere is then paid where it is wrong.",
        "Keep no state between calls: no module-level cache, no default argument that grows, no record to beat.",
        "`PAID.add(output)` in check(), and `return float(output in PAID)`",
        "`return float(output == right(instance))`",
    ),
    Rule(
        "input-holds-answer", "generator", E,
        "The input that a submission is given holds the answer",
        "A program that copies it out is right on every instance, so that nothing but copying is learnt.",
        "Give submissions what task.md describes and nothing else; keep answers under keys that they are not shown.",
        "`{'stdin': cases + answers}`",
        "`{'stdin': cases, 'expected': answers}`",
    ),
]  # fmt: skip
