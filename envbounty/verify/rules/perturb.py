"""Near misses of right outputs."""

from __future__ import annotations

from envbounty.findings import Severity
from envbounty.verify.rules.rule import Rule

RULES = [
    Rule(
        "accepts-near-miss", "probes", Severity.ERROR,
        "An output that is almost right is accepted",
        "A model lands near the right answer all the time: what is rewarded there is what it will settle on.",
        "Compare the whole answer: every item, its order, its sign, its end, and nothing beside it.",
        "`return float(set(output) == set(answer))`, which takes a doubled item",
        "`return float(output == answer)`",
    ),
    Rule(
        "outscores-reference", "scoring", Severity.WARNING,
        "An output scores more than the reference's own",
        "The reference stands for the best there is: what is paid better is a better answer, or a hole in check().",
        "Make the reference the best answer, or stop check() from paying more for what is worse.",
        "`return min(1.0, len(output) / 10)`, which pays for length",
        "`return best_time(instance) / time_of(output)`",
    ),
]  # fmt: skip
