"""What is wrong with an environment's files, said so that it can be mended without asking."""

from __future__ import annotations

from dataclasses import dataclass

from envbounty.findings import Finding, Severity


@dataclass(frozen=True)
class Problem:
    """One broken clause of the contract."""

    file: str  # relative to the environment
    line: int  # from 1
    key: str  # dotted, empty when it is about the file
    message: str  # what is there and what was expected
    fix: str
    rule: str = "contract-broken"

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}" + (f" ({self.key})" if self.key else "")
        return f"{where}: {self.message} Fix: {self.fix}"

    def finding(self) -> Finding:
        key = f"`{self.key}`: " if self.key else ""
        return Finding(
            rule=self.rule,
            severity=Severity.ERROR,
            message=key + self.message,
            path=self.file,
            line=self.line,
            fix=self.fix,
        )


class ContractError(Exception):
    """The files of an environment do not keep the contract. `problems` is never empty."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems
