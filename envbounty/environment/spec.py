"""The shape of `env.yaml`: small models that say exactly what a key may hold."""

from __future__ import annotations

import enum
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from envbounty.environment.domain import check_schema

NAME = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
#: Fewer seeds than this cannot give the instances that every environment is tried on.
MIN_SEEDS = 20
IDENTIFIER = r"^[A-Za-z_][A-Za-z0-9_]*$"

# An SPDX licence expression in form only; whether the licence is one we can take is a policy, not a shape.
SPDX = r"^[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)*$"


class Kind(enum.StrEnum):
    """What a submission is. See docs/environment.md."""

    FUNCTION = "function"
    PROGRAM = "program"
    ANSWER = "answer"
    ACTIONS = "actions"


class Dialect(enum.StrEnum):
    """How the verifier is written: our own contract, or a `verify(text)` module as found in the wild."""

    NATIVE = "native"
    GRADER = "grader"


class Language(enum.StrEnum):
    PYTHON = "python"
    C = "c"
    CPP = "cpp"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Author(_Model):
    name: str = Field(min_length=1, max_length=100)
    github: str | None = Field(None, pattern=r"^[A-Za-z0-9](-?[A-Za-z0-9]){0,38}$")


class Difficulty(_Model):
    """The levels that `generate` knows, ends included."""

    min: int = Field(1, ge=0, le=100)
    max: int = Field(1, ge=0, le=100)

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min > self.max:
            raise ValueError("min is larger than max")
        return self

    def levels(self, count: int) -> list[int]:
        """`count` levels, spread evenly and in turn over the whole range."""
        width = self.max - self.min + 1
        return [self.min + index % width for index in range(count)]


class Submission(_Model):
    function: str | None = Field(None, pattern=IDENTIFIER, description="kind function: what a submission defines")
    parameters: list[str] = Field(default=[], description="kind function: the instance's keys it is called with")
    languages: list[Annotated[Language, Field(strict=False)]] = Field(
        default=[], description="kind program: what it may be written in"
    )


class Limits(_Model):
    """The most that one run of a submission may use."""

    wall_s: float = Field(10, gt=0, le=120)
    cpu_s: int = Field(10, ge=1, le=120)
    memory_mb: int = Field(512, ge=64, le=4096)
    processes: int = Field(1, ge=1, le=64)
    output_kb: int = Field(256, ge=1, le=8192)
    scratch_mb: int = Field(16, ge=1, le=256)
    check_s: float = Field(5, gt=0, le=60, description="one call of check(), in seconds")


class Compare(enum.StrEnum):
    """When two outputs are the same answer. `many`: only the verifier can tell."""

    EXACT = "exact"
    TOLERANCE = "tolerance"
    UNORDERED = "unordered"
    TOKENS = "tokens"
    CUSTOM = "custom"
    MANY = "many"


class Answers(_Model):
    compare: Annotated[Compare, Field(strict=False)] = Compare.MANY
    abs_tol: float = Field(0.0, ge=0, le=1e6)
    rel_tol: float = Field(0.0, ge=0, lt=1)

    @model_validator(mode="after")
    def _tolerances(self) -> Self:
        given = self.abs_tol > 0 or self.rel_tol > 0
        if self.compare is Compare.TOLERANCE and not given:
            raise ValueError("compare: tolerance needs abs_tol or rel_tol above 0")
        if self.compare is not Compare.TOLERANCE and given:
            raise ValueError("abs_tol and rel_tol belong to compare: tolerance")
        return self


class Scoring(_Model):
    instances: int = Field(20, ge=5, le=200)
    aggregate: Literal["all", "mean", "min"] = "all"
    pass_score: float = Field(1.0, gt=0, le=1)
    answers: Answers = Answers()


class SeedRange(_Model):
    first: int = Field(ge=0, le=2**62)
    count: int = Field(ge=1, le=10**9)


class Seeds(_Model):
    train: SeedRange = SeedRange(first=0, count=100_000)
    test: SeedRange = SeedRange(first=1_000_000, count=1_000)

    @model_validator(mode="after")
    def _apart(self) -> Self:
        low, high = sorted((self.train, self.test), key=lambda seeds: seeds.first)
        if low.first + low.count > high.first:
            raise ValueError("the train and test ranges overlap, so a model would be tested on what it trained on")
        if self.train.count < MIN_SEEDS:
            raise ValueError(f"train.count is below {MIN_SEEDS}, the number of instances that are tried at least")
        return self


class Grader(_Model):
    """Where a found grader lives and what it is called."""

    file: str = Field("grader.py", pattern=r"^[A-Za-z0-9_]+\.py$")
    function: str = Field("verify", pattern=IDENTIFIER)


class Spec(_Model):
    """`env.yaml`, whole."""

    schema_version: Literal[1] = Field(alias="schema")
    name: Annotated[str, StringConstraints(pattern=NAME, min_length=3, max_length=60)]
    version: str = Field(pattern=r"^\d+\.\d+\.\d+$")
    dialect: Annotated[Dialect, Field(strict=False)] = Dialect.NATIVE
    kind: Annotated[Kind, Field(strict=False)]
    title: str = Field(min_length=5, max_length=100)
    authors: list[Author] = Field(min_length=1, max_length=20)
    licence: str = Field(pattern=SPDX, max_length=100)
    tags: list[Annotated[str, StringConstraints(pattern=NAME, max_length=40)]] = Field(default=[], max_length=20)
    bounty: int | None = Field(None, ge=1)
    variant_of: Annotated[str, StringConstraints(pattern=NAME, min_length=3, max_length=60)] | None = Field(
        None, description="the environment that this one is a declared variant of"
    )
    difficulty: Difficulty = Difficulty()
    submission: Submission = Submission()
    limits: Limits = Limits()
    scoring: Scoring = Scoring()
    seeds: Seeds = Seeds()
    grader: Grader | None = None
    domain: dict[str, Any] | None = Field(
        None, description="which instances the task allows: JSON Schema, see docs/environment.md for its keywords"
    )

    @field_validator("domain")
    @classmethod
    def _applicable(cls, domain: dict[str, Any] | None) -> dict[str, Any] | None:
        if domain is not None:
            check_schema(domain)
        return domain

    @model_validator(mode="before")
    @classmethod
    def _grader_by_default(cls, data: Any) -> Any:
        return {"grader": {}, **data} if isinstance(data, dict) and data.get("dialect") == "grader" else data

    @model_validator(mode="after")
    def _belongs_together(self) -> Self:
        submission = self.submission
        if self.variant_of == self.name:
            raise ValueError("variant_of names the environment itself; name the one that it is a variant of")
        if self.dialect is Dialect.GRADER:
            if self.kind is not Kind.FUNCTION:
                raise ValueError("dialect grader takes kind: function only (a submission is Python source)")
        elif self.grader is not None:
            raise ValueError("the key grader belongs to dialect: grader")
        if self.domain is not None and self.dialect is Dialect.GRADER:
            raise ValueError("the key domain is about the instances of generate(), which dialect: grader has not")
        if self.kind is Kind.FUNCTION:
            if submission.function is None:
                raise ValueError("kind function needs submission.function, the name that a submission defines")
            if self.dialect is Dialect.NATIVE and not submission.parameters:
                raise ValueError("kind function needs submission.parameters, the instance's keys in calling order")
        elif submission.function is not None or submission.parameters:
            raise ValueError("submission.function and submission.parameters belong to kind: function")
        if self.kind is Kind.PROGRAM:
            if not submission.languages:
                raise ValueError("kind program needs submission.languages, from python, c, cpp")
        elif submission.languages:
            raise ValueError("submission.languages belongs to kind: program")
        return self


def env_schema() -> dict[str, Any]:
    """The JSON Schema of `env.yaml`, as published in docs/env.schema.json."""
    schema = Spec.model_json_schema(by_alias=True)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "env.yaml of an envbounty environment"
    return schema
