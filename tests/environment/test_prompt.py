"""What the model is told."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envbounty.environment import prompt

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@pytest.mark.parametrize(
    ("task", "instance", "rendered"),
    [
        ("Sort {{ values }}.", {"values": [3, 1]}, "Sort [3, 1]."),
        ("Sort {{values}}{{ values }}.", {"values": "x"}, "Sort xx."),
        ("{{ a }}", {"a": {"été": [True, None, 1.5, "数"]}}, '{"été": [true, null, 1.5, "数"]}'),
        ("{{ a }}", {"a": "été 数 \U0001f600 \n x"}, "été 数 \U0001f600 \n x"),
        ("{{ a }}", {"a": "\\1 \\g<0>"}, "\\1 \\g<0>"),
        ("{{ a }} {{ b }}", {"a": "{{ b }}", "b": "{{ a }}"}, "{{ b }} {{ a }}"),
        ("{{ a-b }} { a } {{ 1a }} {{}}", {"a": 1}, "{{ a-b }} { a } {{ 1a }} {{}}"),
        ("{{\n a\n}}", {"a": 1}, "1"),
        ("{{{ a }}}", {"a": 1}, "{1}"),
    ],
)
def test_render(task: str, instance: dict[str, object], rendered: str) -> None:
    assert prompt.render(task, instance) == rendered


def test_a_field_that_is_not_there() -> None:
    with pytest.raises(KeyError, match="gone"):
        prompt.render("{{ gone }}", {})


def test_fields_with_their_lines() -> None:
    assert prompt.fields("{{ a }}\n\n{{ b }} {{ a }}\n") == [("a", 1), ("b", 3), ("a", 3)]
    assert prompt.fields("none here") == []


@given(JSON)
def test_any_value_stands_as_it_is_or_as_json(value: object) -> None:
    text = prompt.render("<{{ a }}>", {"a": value})[1:-1]
    assert text == value if isinstance(value, str) else json.dumps(json.loads(text)) == json.dumps(value)
