"""`domain` in env.yaml: means what JSON Schema means, and holds nothing that could harm whoever applies it."""

from __future__ import annotations

import time
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from envbounty.environment import Spec
from envbounty.environment.domain import MAX_SCHEMAS, BadSchema, check_schema, fault, node

TABLE = [
    ({}, [None, 1, [], {"a": 1}], []),
    ({"type": "integer"}, [1, 1.0, -5, 10**30], [1.5, True, "1", None]),
    ({"type": "number"}, [1, 1.5], [True, "1"]),
    ({"type": ["null", "boolean"]}, [None, True], [0, ""]),
    ({"type": "object"}, [{}], [[], None]),
    ({"minimum": 0, "maximum": 10}, [0, 10, 5.5, "x", None, True], [-1, 10.1]),
    ({"exclusiveMinimum": 0, "exclusiveMaximum": 1}, [0.5], [0, 1]),
    ({"multipleOf": 3}, [9, 0, -3, "x"], [10, 1.5]),
    ({"minLength": 1, "maxLength": 2}, ["a", "éé", 5], ["", "abc"]),
    ({"pattern": "^[a-z]*$"}, ["", "abc", 5], ["A", "a b", "é"]),
    ({"pattern": "^[01]{1,3}$"}, ["0", "101"], ["", "2", "0101"]),
    ({"minItems": 1, "maxItems": 2}, [[1], [1, 2], "x"], [[], [1, 2, 3]]),
    ({"uniqueItems": True}, [[], [1, 2], [1, True], [[1], [2]], [{"a": 1}, {}]], [[1, 1.0], [[1], [1]], [{}, {}]]),
    ({"items": {"type": "integer"}}, [[], [1], "x"], [["a"], [1, None]]),
    ({"prefixItems": [{"type": "string"}], "items": False}, [[], ["a"]], [["a", 1], [1]]),
    ({"required": ["a"]}, [{"a": None}, 5], [{}, {"b": 1}]),
    ({"properties": {"a": {"minimum": 1}}}, [{}, {"a": 1}, {"b": 0}], [{"a": 0}]),
    ({"properties": {"a": True}, "additionalProperties": False}, [{}, {"a": 0}], [{"b": 0}]),
    ({"additionalProperties": {"type": "integer"}}, [{"x": 1}], [{"x": "1"}]),
    ({"enum": [1, "a", [2]]}, [1, 1.0, "a", [2]], [True, "b", [True]]),
    ({"const": {"a": [1]}}, [{"a": [1.0]}], [{"a": [True]}, {}]),
    ({"anyOf": [{"type": "null"}, {"minimum": 5}]}, [None, 7], [3]),
    ({"title": "t", "description": "d", "$comment": "c", "examples": [1], "default": 3}, [1], []),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "inside", "outside"), TABLE, ids=[str(schema) for schema, _, _ in TABLE])
def test_what_is_inside(schema: dict[str, Any], inside: list[Any], outside: list[Any]) -> None:
    check_schema(schema)
    for value in inside:
        assert fault(schema, value) is None, value
    for value in outside:
        assert fault(schema, value) is not None, value


def test_the_place_and_the_keyword_are_named() -> None:
    schema = {"properties": {"v": {"items": {"properties": {"x": {"maximum": 9}}}}}}
    assert fault(schema, {"v": [{"x": 1}, {"x": 10}]}) == "v[1].x: is outside `maximum: 9`"
    assert fault({"required": ["a"]}, {}) == 'the instance: is outside `required: ["a"]`'


BAD = [
    ([], "a schema is a mapping"),
    ({"$ref": "#"}, "not among the keywords"),
    ({"$ref": "http://example.org/schema"}, "not among the keywords"),
    ({"patternProperties": {"(a+)+": {}}}, "not among the keywords"),
    ({"format": "regex"}, "not among the keywords"),
    ({"not": {}}, "not among the keywords"),
    ({"minimun": 1}, "not among the keywords"),
    ({"pattern": "^(a+)+$"}, "one character class"),
    ({"pattern": "[a-z]*"}, "one character class"),
    ({"pattern": "^[z-a]*$"}, "one character class"),
    ({"pattern": "^[a-z]{9,1}$"}, "one character class"),
    ({"pattern": "^[a-z]*[a-z]*$"}, "one character class"),
    ({"type": "int"}, "is one of"),
    ({"type": []}, "is one of"),
    ({"minimum": "1"}, "is a number"),
    ({"minimum": True}, "is a number"),
    ({"minItems": -1}, "a whole number from 0"),
    ({"multipleOf": 0}, "above 0"),
    ({"items": [1]}, "is a schema"),
    ({"properties": {"a": 5}}, "a schema is a mapping"),
    ({"properties": {"a": {"enum": 3}}}, "properties.a.enum: is a list"),
    ({"required": "a"}, "a list of names"),
    ({"anyOf": []}, "a list of schemas"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "words"), BAD, ids=[str(schema) for schema, _ in BAD])
def test_what_is_no_schema_here(schema: Any, words: str) -> None:
    with pytest.raises(BadSchema, match=words):
        check_schema(schema)


def test_a_schema_is_bounded() -> None:
    deep: dict[str, Any] = {}
    for _ in range(40):
        deep = {"items": deep}
    with pytest.raises(BadSchema, match="nested"):
        check_schema(deep)
    with pytest.raises(BadSchema, match=str(MAX_SCHEMAS)):
        check_schema({"anyOf": [{}] * (MAX_SCHEMAS + 1)})


def test_large_values_take_a_moment() -> None:
    started = time.process_time()
    schema = {"items": {"pattern": "^[a-z]{0,99999}$"}, "uniqueItems": True}
    assert fault(schema, ["a" * 50_000 + str(i) for i in range(50)]) is not None
    assert fault(schema, [[[i]] for i in range(20_000)]) is None
    assert time.process_time() - started < 5


def test_the_part_about_a_place() -> None:
    schema = {"properties": {"v": {"items": {"minimum": 1}}, "d": {"additionalProperties": {"maxLength": 2}}}}
    assert node(schema, ["v", "[]"]) == {"minimum": 1} and node(schema, ["d", "{}"]) == {"maxLength": 2}
    assert node(schema, ["x", "[]"]) == {} and node({"items": True}, ["[]"]) == {}


SCALARS = st.none() | st.booleans() | st.integers(-3, 12) | st.floats(-3, 12, width=16) | st.text("abA1é\n", max_size=3)
VALUES = st.recursive(
    SCALARS, lambda x: st.lists(x, max_size=3) | st.dictionaries(st.sampled_from("ab"), x, max_size=2), max_leaves=6
)
TYPE = st.sampled_from(["null", "boolean", "integer", "number", "string", "array", "object"])
COUNT = st.integers(0, 3)


def _with(schemas: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPE | st.lists(TYPE, min_size=1, max_size=2, unique=True),
            "minimum": COUNT, "maximum": COUNT, "exclusiveMinimum": COUNT, "exclusiveMaximum": COUNT,
            "multipleOf": st.integers(1, 4), "minLength": COUNT, "maxLength": COUNT, "minItems": COUNT,
            "maxItems": COUNT, "minProperties": COUNT, "maxProperties": COUNT, "uniqueItems": st.booleans(),
            "pattern": st.sampled_from(["^[a-z]*$", "^[A-Za-z]+$", "^[01]{1,2}$"]),
            "enum": st.lists(VALUES, max_size=3), "const": VALUES,
            "items": schemas, "prefixItems": st.lists(schemas, min_size=1, max_size=2),
            "properties": st.dictionaries(st.sampled_from("ab"), schemas, max_size=2),
            "required": st.lists(st.sampled_from("ab"), max_size=2, unique=True),
            "additionalProperties": schemas, "anyOf": st.lists(schemas, min_size=1, max_size=2),
        },
    )  # fmt: skip


SCHEMAS = st.recursive(st.booleans() | _with(st.booleans()), lambda x: st.booleans() | _with(x), max_leaves=4)


@settings(max_examples=300, deadline=None)
@given(SCHEMAS, VALUES)
def test_it_means_what_json_schema_means(schema: Any, value: Any) -> None:
    check_schema(schema)
    assert (fault(schema, value) is None) is jsonschema.Draft202012Validator(schema).is_valid(value)


@settings(max_examples=100, deadline=None)
@given(st.recursive(SCALARS, lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(max_size=8), x, max_size=3)))
def test_any_yaml_is_taken_or_refused(schema: Any) -> None:
    try:
        check_schema(schema)
    except BadSchema:
        return
    assert fault(schema, {"a": [1]}) is None or isinstance(fault(schema, {"a": [1]}), str)


def test_env_yaml_takes_a_domain_and_says_what_is_wrong_with_one() -> None:
    text: dict[str, Any] = {
        "schema": 1, "name": "tiny", "version": "1.0.0", "kind": "answer", "title": "A tiny environment",
        "authors": [{"name": "Ada Example"}], "licence": "Apache-2.0",
    }  # fmt: skip
    assert Spec.model_validate(text).domain is None
    wide = {"properties": {"n": {"minimum": 0}}}
    assert Spec.model_validate({**text, "domain": wide}).domain == wide
    with pytest.raises(ValidationError, match=r"properties\.n\.minimun: is not among the keywords"):
        Spec.model_validate({**text, "domain": {"properties": {"n": {"minimun": 0}}}})
    grader = {**text, "kind": "function", "dialect": "grader", "submission": {"function": "f"}}
    with pytest.raises(ValidationError, match="dialect: grader has not"):
        Spec.model_validate({**grader, "domain": wide})
