"""What the maintainers decide: which findings block, where lines are drawn, what may be spent. Pure.

A policy never makes up for what could not be checked, and never hides a proof: a finding that it weakens stays in the
report with the maintainers' reason. Finding and reading the file is the business of `envbounty.policy_file`.
"""

from __future__ import annotations

import difflib
import enum
import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from envbounty.environment.explain import explain
from envbounty.environment.problems import ContractError, Problem
from envbounty.environment.yamltext import Located, read_yaml
from envbounty.findings import Finding, Overridden, Result, Severity, Verdict, settle

#: Where a repository keeps its policy.
PLACE = "policies/policy.yaml"


class Level(enum.StrEnum):
    """What a rule's findings do under a policy."""

    BLOCK = "block"
    WARN = "warn"
    NOTE = "note"
    OFF = "off"


#: `off` leaves a note of what is proved, so it stands beside `note` here; see `apply`.
SEVERITY = {
    Level.BLOCK: Severity.ERROR,
    Level.WARN: Severity.WARNING,
    Level.NOTE: Severity.NOTE,
    Level.OFF: Severity.NOTE,
}


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def _off(value: Any) -> Any:
    """YAML reads a bare `off` as false."""
    return "off" if value is False else value


class Override(_Model):
    """Another level for one rule."""

    level: Annotated[Level, Field(strict=False), BeforeValidator(_off)] = Field(
        description="block, warn, note, or off (what is proved is then still noted)"
    )
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=10, max_length=500)] | None = Field(
        None, description="why; needed where a rule that blocks by itself is weakened, and shown with its findings"
    )


def _line(default: Any, description: str, *rules: str, **bounds: Any) -> Any:
    """A threshold, and the rules that look at it."""
    return Field(default, description=description, json_schema_extra={"rules": list(rules)}, **bounds)


class Thresholds(_Model):
    """Where the checks draw their lines."""

    instances: int = _line(20, "an environment is tried on so many fresh instances at least", ge=20, le=200)
    confirmations: int = _line(2, "an accusation was seen again in so many clean jails", ge=2, le=10)
    good_solutions: int = _line(2, "so many right solutions beside the reference", "few-solutions", ge=0, le=100)
    bad_solutions: int = _line(5, "so many wrong solutions", "few-solutions", ge=0, le=100)
    distinct_instances: float = _line(
        0.9, "the share of instances that must differ from all others", "generator-repeats", gt=0, le=1
    )
    trivial_share: float = _line(
        0.5,
        "a strategy that does not solve the task may be accepted on no more than this share of the instances",
        "trivial-strategy-pays",
        ge=0.05,
        le=1,
    )
    partial_credit: float = _line(
        0.5,
        "… and may earn no more than this share of pass_score on the mean, partial credit included",
        "partial-credit-farmed",
        ge=0.05,
        le=1,
    )


Licence = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9.+-]+$", max_length=60)]
#: Below a half, candidates are no longer found (`envbounty.provenance.repository`), so a lower line would be a lie.
Share = Annotated[float, Field(ge=0.5, le=1)]


class Copied(_Model):
    """From this share of a layer's fingerprints on, found in another environment, the layer counts as copied."""

    task: Share = 0.6
    verifier: Share = 0.7
    tests: Share = 0.6
    solution: Share = 0.7


class Provenance(_Model):
    """Where an environment may come from."""

    licences: list[Licence] = _line(
        [
            *("0BSD", "Apache-2.0", "BSD-1-Clause", "BSD-2-Clause", "BSD-2-Clause-Patent", "BSD-3-Clause", "BSL-1.0"),
            *("BlueOak-1.0.0", "CC-BY-4.0", "CC0-1.0", "ISC", "MIT", "MIT-0", "NCSA", "PSF-2.0", "PostgreSQL"),
            *("Python-2.0", "UPL-1.0", "Unlicense", "X11", "Zlib"),
        ],
        "SPDX ids that are taken; of `A OR B` one is enough, of `A AND B` both are needed",
        "licence-not-allowed",
        max_length=200,
    )
    copied: Copied = _line(Copied(), "what counts as copied", "near-duplicate", "partly-copied")
    code_kb: int = _line(1024, "the most code that one environment may hold, in KiB", "code-too-large", ge=1, le=8192)


class Budgets(_Model):
    """The most that one environment may cost, and a report may say."""

    seconds_per_environment: float = Field(300, ge=1, le=86_400, description="wall clock of Tier 1")
    dollars_per_environment: float = Field(2, ge=0, le=1000, description="model calls of later tiers; Tier 1 has none")
    findings_per_rule: int = Field(5, ge=1, le=100, description="findings of one rule shown for one environment")


class Dependencies(_Model):
    """What the jail's image has beside the Python standard library."""

    modules: list[Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=60)]] = Field(
        default=[], max_length=200, description="top-level modules that environments may import"
    )


Tier = Literal["verify", "attack", "gpu-bench"]


class Tiers(_Model):
    """What has to pass before a pull request may be merged."""

    required: list[Tier] = Field(default=["verify"], description="verify is always among them")

    @model_validator(mode="after")
    def _verify_always(self) -> Self:
        if "verify" not in self.required:
            raise ValueError("tiers.required must name verify, which every later tier builds on")
        return self


class Policy(_Model):
    """`policies/policy.yaml`, whole. `Policy(schema=1)` is the built-in one."""

    schema_version: Literal[1] = Field(alias="schema")
    rules: dict[str, Override] = Field(
        default={}, max_length=500, description="rules with another level than their own; the rest keep theirs"
    )
    thresholds: Thresholds = Thresholds()
    provenance: Provenance = Provenance()
    budgets: Budgets = Budgets()
    dependencies: Dependencies = Dependencies()
    tiers: Tiers = Tiers()

    @property
    def digest(self) -> str:
        """SHA-256 of what the policy says, whatever the order and form in which it says it: its version."""
        body = self.model_dump(mode="json", by_alias=True)
        for group, name in (("provenance", "licences"), ("dependencies", "modules"), ("tiers", "required")):
            body[group][name] = sorted(set(body[group][name]))
        return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def weakened(self, rules: Mapping[str, Severity]) -> dict[str, Override]:
        """The overrides that keep a rule from blocking which would block by itself."""
        return {
            name: override
            for name, override in self.rules.items()
            if rules.get(name) is Severity.ERROR and override.level is not Level.BLOCK
        }


#: What holds where no file says otherwise. The shipped policies/policy.yaml says the same, in words.
BUILT_IN = Policy(schema=1)


def read_policy(text: str, file: str, rules: Mapping[str, Severity]) -> Policy:
    """The policy that `text` spells out. `rules`: the rules there are, with their own severities.

    Raises `ContractError` with a line for everything wrong: also for a rule that nobody knows (it would guard nothing)
    and for a rule weakened without a reason.
    """
    document = read_yaml(text, file)
    try:
        policy = Policy.model_validate(document.value)
    except ValidationError as error:
        raise ContractError(explain(error, document, file, Policy)) from None
    if problems := _problems(policy, document, file, rules):
        raise ContractError(problems)
    return policy


def _problems(policy: Policy, document: Located, file: str, rules: Mapping[str, Severity]) -> list[Problem]:
    found = []
    for name in policy.rules:
        if name not in rules:
            near = difflib.get_close_matches(name, rules, n=1)
            fix = f"Write `{near[0]}`." if near else "Take it out, or see `envbounty explain` for those there are."
            message = "is no rule of this version, so it would guard nothing."
            found.append(Problem(file, document.line(("rules", name)), f"rules.{name}", message, fix))
    for name, override in policy.weakened(rules).items():
        if override.reason is None:
            message = f"lets a rule that blocks by itself only `{override.level}`, and does not say why."
            fix = "Add `reason:` in words that a contributor and an auditor understand."
            found.append(Problem(file, document.line(("rules", name)), f"rules.{name}", message, fix))
    return sorted(found, key=lambda problem: problem.line)


def apply(policy: Policy, result: Result) -> Result:
    """`result` as `policy` weighs it, with the verdict settled anew.

    Starts from the findings' own severities, so a second policy undoes the first, but for what that one dropped. A
    finding that would block by itself is never dropped: `off` leaves it as a note that carries the reason. What could
    not be checked stays so.
    """
    findings = tuple(kept for finding in result.findings if (kept := _weigh(policy, finding)) is not None)
    verdict, reason = _verdict(result, findings)
    return result.model_copy(
        update={"findings": findings, "verdict": verdict, "reason": reason, "policy": policy.digest}
    )


def own_severity(finding: Finding) -> Severity:
    """What the check itself said, before any policy."""
    return finding.overridden.severity if finding.overridden else finding.severity


def _weigh(policy: Policy, finding: Finding) -> Finding | None:
    own = own_severity(finding)
    override = policy.rules.get(finding.rule)
    if override is None:
        return finding.model_copy(update={"severity": own, "overridden": None})
    if override.level is Level.OFF and own is not Severity.ERROR:
        return None
    severity = SEVERITY[override.level]
    overridden = None if severity is own else Overridden(severity=own, reason=override.reason or "")
    return finding.model_copy(update={"severity": severity, "overridden": overridden})


def _verdict(result: Result, findings: tuple[Finding, ...]) -> tuple[Verdict, str]:
    if any(finding.severity is Severity.ERROR for finding in findings):
        return settle(findings)
    if result.halted is not None:
        return result.halted.verdict, result.halted.reason
    blocked = any(Severity.ERROR in (finding.severity, own_severity(finding)) for finding in result.findings)
    if result.verdict is not Verdict.PASS and not (result.verdict is Verdict.FAIL and blocked):
        return result.verdict, result.reason  # it did not come from the findings, so they cannot take it back
    if not result.contract:
        return Verdict.INCOMPLETE, "the files break the contract, so nothing was run"
    return settle(findings)


#: The groups of a policy's keys that checks look at.
LINES: dict[str, type[BaseModel]] = {"thresholds": Thresholds, "provenance": Provenance}


def thresholds_of(rule: str) -> list[str]:
    """The keys of a policy that a rule looks at, with dots."""
    found = []
    for group, model in LINES.items():
        for name, field in model.model_fields.items():
            extra = field.json_schema_extra
            if isinstance(extra, dict) and rule in list(extra.get("rules") or []):  # type: ignore[arg-type]
                found.append(f"{group}.{name}")
    return found


def policy_schema() -> dict[str, Any]:
    """The JSON Schema of `policies/policy.yaml`, as published in docs/policy.schema.json."""
    schema = Policy.model_json_schema(by_alias=True)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "policies/policy.yaml of a bounty repository"
    return schema
