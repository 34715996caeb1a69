"""What the funnel says about an environment: findings, the verdict they add up to, and the report.

A report is data. How it looks (text, SARIF, Markdown) is the business of `envbounty.render`.
"""

from __future__ import annotations

import enum
import json
import math
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

from envbounty import __version__

REPORT_SCHEMA = 1

#: Evidence is for a reader; anything longer than this is cut, and says so.
MAX_TEXT = 4000


class Severity(enum.StrEnum):
    """How much a finding weighs. Only an error blocks."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Verdict(enum.StrEnum):
    """What became of one environment. Only `pass` and `fail` are final."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    INCOMPLETE = "incomplete"


def clip(text: str, limit: int = MAX_TEXT) -> str:
    """`text` at no more than `limit` characters, saying how much was left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… ({len(text) - limit} more characters)"


def show(value: Any, limit: int = 600) -> str:
    """A JSON value on one line, as JSON, cut to `limit` characters. Never raises."""
    try:
        return clip(json.dumps(value, ensure_ascii=False, default=repr), limit)
    except (ValueError, RecursionError, TypeError):
        return "(a value too deep or too strange to show)"


def _finite(score: float | None) -> float | str | None:
    return score if score is None or math.isfinite(score) else str(score)


#: A score as the verifier gave it. JSON has no word for NaN and infinities, so those are written as text.
Score = Annotated[float, PlainSerializer(_finite, return_type=float | str)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Evidence(_Model):
    """Everything that a sceptic needs to see one finding happen again."""

    submission: str | None = Field(None, description="the submission's file in the environment, or its text")
    instance: str | None = Field(None, description="the instance, as JSON, cut for reading")
    seed: int | None = Field(None, description="the seed that generates the instance")
    difficulty: int | None = Field(None, description="the difficulty that generates the instance")
    output: str | None = Field(None, description="what the verifier was shown, as JSON, cut for reading")
    expected: str | None = Field(None, description="what the reference says, as JSON, cut for reading")
    score: Score | None = Field(None, description="what the verifier said")
    detail: str | None = Field(None, description="a traceback or other words from the run, cut for reading")
    confirmed: int = Field(0, ge=0, description="how often this was seen again in a clean jail")
    reproduce: str = Field("", description="a command that shows the finding again")


class Overridden(_Model):
    """That the policy weighs a finding otherwise than its check did."""

    severity: Severity = Field(description="what the check itself said")
    reason: str = Field("", description="the maintainers' reason, from the policy")


class Finding(_Model):
    """One thing that is wrong, or worth a look."""

    rule: str = Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")
    severity: Severity
    overridden: Overridden | None = Field(None, description="null where the policy leaves the check's own severity")
    message: str = Field(description="what happened, in a sentence or two")
    path: str = Field(description="the file it is about, relative to the environment")
    line: int = Field(1, ge=1, description="the first line it is about")
    evidence: Evidence | None = None
    fix: str = Field(description="what to do next")


class Environment(_Model):
    """Which environment was examined. `digest` is the hash of its files and thereby its identity."""

    name: str
    path: str
    kind: str
    dialect: str
    digest: str = ""


class Stats(_Model):
    """What the examination cost."""

    seconds: float = Field(0.0, ge=0, description="wall-clock seconds")
    runs: int = Field(0, ge=0, description="jailed processes that ran")
    instances: int = Field(0, ge=0, description="instances generated")
    checks: int = Field(0, ge=0, description="calls of the verifier")
    slowest_check_s: float = Field(0.0, ge=0, description="the verifier's slowest call, in seconds")


class Level(_Model):
    """The instances of one difficulty. A size is the length of the instance as JSON, in characters."""

    difficulty: int
    instances: int = Field(ge=1)
    sizes: tuple[float, float, float, float, float] = Field(description="smallest, three quartiles, largest")


class Answer(_Model):
    """One right answer, as JSON cut for reading, and on how many instances it is right."""

    text: str
    count: int = Field(ge=1)


class Scores(_Model):
    """How many outputs earned a score in [0, 0.1), [0.1, 0.2), … [0.9, 1]. What earned no such score is not here."""

    right: tuple[int, ...] = Field(description="of outputs known to be right")
    wrong: tuple[int, ...] = Field(description="of outputs known to be wrong")
    unknown: tuple[int, ...] = Field(description="of the others")


class Strategy(_Model):
    """What a submission earns that does not solve the task."""

    name: str
    tried: int = Field(ge=0, description="instances")
    accepted: int = Field(ge=0, description="instances on which its output reaches pass_score")
    reward: float = Field(ge=0, le=1, description="mean score as a share of pass_score, none above 1")


class Best(Strategy):
    """The strategy that earned most on one half of the instances, measured on the other half."""

    low: float = Field(ge=0, le=1, description="95 % Wilson interval of the share accepted: lower end")
    high: float = Field(ge=0, le=1, description="… upper end")


class Spread(_Model):
    """How instances, answers and rewards are spread. For a grader the instances are the calls it was seen to make."""

    instances: int = Field(ge=0)
    distinct: int = Field(ge=0, description="different instances")
    near_repeats: int = Field(0, ge=0, description="instances that are almost one that came before")
    growth: float | None = Field(None, description="rank correlation of size with difficulty; null: one is constant")
    levels: tuple[Level, ...] = ()
    answers: int = Field(0, ge=0, description="different right answers")
    entropy_bits: float = Field(0.0, ge=0, description="Shannon entropy of the right answers")
    commonest: tuple[Answer, ...] = Field((), description="the commonest right answers, at most 12")
    scores: Scores | None = None
    strategies: tuple[Strategy, ...] = Field((), description="measured on the half on which the best is chosen")
    best: Best | None = None


class Halted(_Model):
    """Why not every check ran to its end. Whatever becomes of the findings, the verdict is then no pass."""

    verdict: Literal[Verdict.ERROR, Verdict.INCOMPLETE]
    reason: str


class Result(_Model):
    """One environment's outcome."""

    environment: Environment
    verdict: Verdict
    reason: str = Field("", description="one sentence on why the verdict is what it is")
    contract: bool = Field(True, description="false when the files break the contract, so nothing was run")
    findings: tuple[Finding, ...] = ()
    checks: tuple[str, ...] = Field((), description="the groups of checks that ran to their end")
    halted: Halted | None = Field(None, description="null when every check ran to its end")
    policy: str = Field("", description="SHA-256 of the policy that weighed the findings; empty for none")
    spread: Spread | None = Field(None, description="null where the examination did not get so far")
    stats: Stats = Stats()


class Jail(_Model):
    """What held the untrusted code."""

    backend: str
    isolated: bool = Field(description="false only for --unsafe-no-jail: such a report proves nothing")
    detail: str = ""


class Report(_Model):
    """The outcome of one run over one or more environments."""

    schema_version: int = REPORT_SCHEMA
    tool: str = f"envbounty {__version__}"
    tier: str = "verify"
    seed: int = 0
    policy: str = Field("", description="SHA-256 of the policy that weighed the findings; empty for none")
    jail: Jail
    results: tuple[Result, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The worst verdict: fail, then error, incomplete, pass. No result is an error, never a pass."""
        seen = {result.verdict for result in self.results}
        for verdict in (Verdict.FAIL, Verdict.ERROR, Verdict.INCOMPLETE, Verdict.PASS):
            if verdict in seen:
                return verdict
        return Verdict.ERROR

    @property
    def exit_code(self) -> int:
        """0 pass, 1 a proved failure, 2 only broken contracts, 3 incomplete, 4 could not run."""
        failed = [result for result in self.results if result.verdict is Verdict.FAIL]
        if failed:
            return 1 if any(result.contract for result in failed) else 2
        return {Verdict.PASS: 0, Verdict.INCOMPLETE: 3}.get(self.verdict, 4)

    def to_json(self) -> str:
        """The report as JSON text that keeps to `docs/report.schema.json`."""
        body = self.model_dump(mode="json")
        body["verdict"] = self.verdict.value
        text = json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
        # A submission can output half a surrogate pair, which UTF-8 cannot hold but a JSON escape can.
        return text.encode("utf-8", "backslashreplace").decode("utf-8")

    @classmethod
    def from_json(cls, text: str) -> Report:
        """Read a report back.

        Raises `ValueError` when it is not one, or when a verdict in it is not what its contents add up to.
        """
        try:
            body = json.loads(text)
        except RecursionError:
            raise ValueError("a report is not nested this deeply") from None
        if not isinstance(body, dict):
            raise ValueError("a report is a JSON object")
        claimed = body.pop("verdict", None)
        report = cls.model_validate(body)
        if claimed != report.verdict.value:
            raise ValueError(f"the report claims {claimed!r}, its results add up to {report.verdict.value!r}")
        for result in report.results:
            proved = any(finding.severity is Severity.ERROR for finding in result.findings)
            if proved and result.verdict is not Verdict.FAIL:
                raise ValueError(f"a result claims {result.verdict.value!r} beside an error that is proved")
            if result.halted is not None and result.verdict is Verdict.PASS:
                raise ValueError("a result claims 'pass' although not every check ran to its end")
            if result.policy != report.policy:
                raise ValueError("a result was weighed by another policy than the report names")
            if not result.policy and any(finding.overridden for finding in result.findings):
                raise ValueError("a finding claims that a policy weighed it, and the report names none")
        return report


def report_schema() -> dict[str, Any]:
    """The JSON Schema of `Report.to_json()`."""
    schema = Report.model_json_schema(mode="serialization")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "envbounty report"
    schema["properties"]["verdict"] = {"enum": [v.value for v in Verdict], "title": "Verdict"}
    schema["required"] = sorted({*schema.get("required", []), "verdict", "results"})
    return schema


def settle(findings: Iterable[Finding], *, trouble: str = "", unfinished: str = "") -> tuple[Verdict, str]:
    """The verdict that findings add up to, and why.

    A proved error stands whatever else went wrong. `trouble` is ours (the verdict is `error`), `unfinished`
    means that time or budget ran out (`incomplete`); neither is ever a pass.
    """
    findings = list(findings)
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if errors:
        proved = [finding for finding in errors if not finding.overridden]
        raised = [finding for finding in errors if finding.overridden]
        told = (("proved", proved), ("blocked by the policy", raised))
        return Verdict.FAIL, "; ".join(f"{len(some)} {what}: {_rules(some)}" for what, some in told if some)
    if trouble:
        return Verdict.ERROR, trouble
    if unfinished:
        return Verdict.INCOMPLETE, unfinished
    spared = [finding for finding in findings if finding.overridden and finding.overridden.severity is Severity.ERROR]
    if spared:
        return Verdict.PASS, f"{len(spared)} proved, which the policy does not let block: {_rules(spared)}"
    return Verdict.PASS, "every check passed"


def _rules(findings: Iterable[Finding]) -> str:
    return ", ".join(sorted({finding.rule for finding in findings}))
