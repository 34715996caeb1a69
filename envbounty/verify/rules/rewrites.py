"""Right answers that are refused for how they are written."""

from __future__ import annotations

from envbounty.findings import Severity
from envbounty.verify.rules.rule import Rule

RULES = [
    Rule(
        "rewrite-rejected", "solutions", Severity.ERROR,
        "The grader rejects the reference written otherwise",
        "A grader that reads names or layout trains a model to please it in those, and refuses right programs.",
        "Judge what the function returns and never its text; what the text must or must not hold belongs in task.md.",
        "`if 'pivot' not in submission: return False`",
        "`return all(scope['quick_sort'](case) == sorted(case) for case in CASES)`",
    ),
    Rule(
        "form-rejected", "solutions", Severity.ERROR,
        "The verifier rejects a right answer in another form",
        "By scoring.answers, or by what task.md allows, it is the same answer; a model is punished for being right.",
        "Compare as scoring.answers says; where the form matters, say so in task.md and declare a stricter comparison.",
        "`return output == expected` beside `answers: {compare: tokens}`",
        "`return output.split() == expected.split()`",
    ),
]  # fmt: skip
