"""What a rule is."""

from __future__ import annotations

from dataclasses import dataclass

from envbounty.findings import Evidence, Finding, Severity, clip

#: A message may quote what a stranger's code said.
MAX_MESSAGE = 1000


@dataclass(frozen=True)
class Rule:
    """One thing that an environment can do wrong."""

    id: str
    phase: str  # contract, generator, reference, solutions, probes, scoring, prompt
    severity: Severity
    title: str
    why: str
    fix: str
    bad: str  # a case that is found …
    good: str  # … and the same, mended

    def finding(
        self,
        message: str,
        *,
        path: str,
        line: int = 1,
        evidence: Evidence | None = None,
        severity: Severity | None = None,
    ) -> Finding:
        return Finding(
            rule=self.id,
            severity=severity or self.severity,
            message=clip(message, MAX_MESSAGE),
            path=path,
            line=line,
            evidence=evidence,
            fix=self.fix,
        )
