"""Smells: one rule for each of `policies/semgrep/*.yaml`, with the same id and the same weight.

The YAML says how it is recognised and what a finding says; here is what it means and what to do.
"""

from __future__ import annotations

from envbounty.findings import Severity
from envbounty.verify.rules.rule import Rule
from envbounty.verify.rules.smells import judging, running

#: Not a rule of Semgrep's: what it could not read.
UNREAD = Rule(
    "smell-unread", "smells", Severity.WARNING,
    "A file could not be searched for smells",
    "Rules that did not run found nothing, which says nothing about the file.",
    "Read it yourself. To have it searched, keep files under 256 KiB and to syntax that is a year old or more.",
    "a verifier with a table of 400 KiB in the same file",
    "the table in a module of its own, which holds nothing else",
)  # fmt: skip

RULES = [*judging.RULES, *running.RULES, UNREAD]
