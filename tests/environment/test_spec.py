"""The model's own arithmetic, and its published schema."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from envbounty.environment import Spec, env_schema, find_environments, load
from envbounty.environment.spec import Difficulty, Seeds

ROOT = Path(__file__).parents[2]
SAMPLES = find_environments([ROOT / "environments"])
Make = Callable[..., Path]


@given(st.integers(0, 100), st.integers(0, 100), st.integers(1, 200))
def test_levels_are_spread_evenly(low: int, high: int, count: int) -> None:
    low, high = sorted((low, high))
    levels = Difficulty(min=low, max=high).levels(count)
    assert len(levels) == count and set(levels) <= set(range(low, high + 1))
    counts = [levels.count(level) for level in range(low, high + 1)]
    assert max(counts) - min(counts) <= 1


@given(st.integers(0, 300), st.integers(20, 100), st.integers(0, 300), st.integers(1, 100))
def test_seed_ranges_overlap_exactly_when_they_share_a_seed(first: int, count: int, start: int, size: int) -> None:
    shared = set(range(first, first + count)) & set(range(start, start + size))
    try:
        Seeds.model_validate({"train": {"first": first, "count": count}, "test": {"first": start, "count": size}})
        assert not shared
    except ValidationError:
        assert shared


# --- the published schema --------------------------------------------------------------------------------------------


def validator() -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(env_schema())


def test_the_schema_is_one() -> None:
    schema = env_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["additionalProperties"] is False
    assert {"schema", "name", "version", "kind", "title", "authors", "licence"} == set(schema["required"])


def test_the_published_schema_is_this_one() -> None:
    """Mend with `envbounty schema`."""
    assert json.loads((ROOT / "docs/env.schema.json").read_text()) == env_schema()


def test_every_key_of_the_model_is_in_the_schema() -> None:
    assert set(env_schema()["properties"]) == {field.alias or name for name, field in Spec.model_fields.items()}


@pytest.mark.parametrize("sample", SAMPLES, ids=[path.name for path in SAMPLES])
def test_the_samples_keep_to_both(sample: Path) -> None:
    validator().validate(yaml.safe_load((sample / "env.yaml").read_text()))
    load(sample)


@pytest.mark.parametrize(
    "change",
    [{"kind": "functions"}, {"bounti": 1}, {"title": "x"}, {"limits": {"wall_s": 0}}, {"name": "A"}, {"bounty": "1"}],
)
def test_what_the_schema_refuses_the_model_refuses(make: Make, change: dict[str, Any]) -> None:
    value = yaml.safe_load((make() / "env.yaml").read_text())
    validator().validate(value)
    Spec.model_validate(value)
    with pytest.raises(jsonschema.ValidationError):
        validator().validate(value | change)
    with pytest.raises(ValidationError):
        Spec.model_validate(value | change)
