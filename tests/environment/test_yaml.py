"""Reading YAML from strangers: whatever it is, one answer, at once, with a line."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envbounty.environment import ContractError, load
from envbounty.environment.yamltext import MAX_BYTES, read_yaml

Make = Callable[..., Path]

REFUSED = [
    ("anchor", "a: 1\nb: &x 2\n", 2, "anchor or alias 'x'", "Write the value out"),
    ("alias", "a: &x [1]\nb: *x\n", 1, "anchor or alias 'x'", "Write the value out"),
    ("billion laughs", "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", 1, "anchor", "Write"),
    ("twice", "a: 1\nb: 2\na: 3\n", 3, "stands twice", "Keep one"),
    ("twice, below", "a:\n  b: 1\n  b: 2\n", 3, "stands twice", "Keep one"),
    ("python object", "a: 1\nb: !!python/object/apply:os.system ['true']\n", 2, "uses the YAML tag", "without a tag"),
    ("python name", "b: !!python/name:os.system ''\n", 1, "uses the YAML tag", "without a tag"),
    ("own tag", "b: !secret x\n", 1, "uses the YAML tag '!secret'", "without a tag"),
    ("binary", "b: !!binary aGk=\n", 1, "uses the YAML tag", "without a tag"),
    ("tag on a mapping", "b: !!set {x: null}\n", 1, "uses the YAML tag", "without a tag"),
    ("two documents", "a: 1\n---\nb: 2\n", 2, "expected a single document", "syntax"),
    ("tab", "a:\n\tb: 1\n", 2, "found character '\\t'", "syntax"),
    ("open quote", "a: 1\nb: 'x\n", 3, "unexpected end of stream", "syntax"),
    ("bad indent", "a: 1\n   b: 2\n", 2, "mapping values are not allowed here", "syntax"),
    ("open list", "a: [1, 2\nb: 3\n", 2, "expected ',' or ']'", "syntax"),
    ("no word", "? [1, 2]\n: 3\n", 1, "a key that is no word", "Name it"),
    ("control character", "a: 1\nb: \x07\n", 2, "'\\x07', which YAML does not have", "Take it out"),
    ("NUL", "a: 1\n\0", 2, "'\\x00', which YAML does not have", "Take it out"),
    ("huge", "a: " + "x" * MAX_BYTES, 1, "larger than 64 KiB", "Keep data in environment.py"),
    ("deep flow", "a: " + "[" * 30_000, 1, "nested too deeply", "Flatten"),
    ("deep mapping", "{a: " * 15_000, 1, "nested too deeply", "Flatten"),
    ("deep block", "\n".join(" " * n + "a:" for n in range(200)), 21, "nested too deeply", "Flatten"),
    ("deep list", "- " * 20_000, 1, "nested too deeply", "Flatten"),
    ("number too long", "a: 1\nb: " + "9" * 5000, 2, "is not a plain value", "Write"),
    ("hexadecimal", "a: 0x" + "f" * 5000, 1, "beyond 64 bits", "smaller"),
    ("sexagesimal", "a: " + "1" + ":1" * 5000, 1, "beyond 64 bits", "smaller"),
    ("no such day", "a: 2024-13-45\n", 1, "is not a plain value", "Write"),
    ("unknown directive", "%TAG ! tag:x\n--- !x y\n", 2, "uses the YAML tag", "without a tag"),
]


@pytest.mark.parametrize(
    ("text", "line", "message", "fix"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_refused(text: str, line: int, message: str, fix: str) -> None:
    started = time.process_time()
    with pytest.raises(ContractError) as caught:
        read_yaml(text, "env.yaml")
    assert time.process_time() - started < 5
    (problem,) = caught.value.problems
    assert message in problem.message and "\n" not in problem.message
    assert (problem.file, problem.line) == ("env.yaml", line)
    assert fix in problem.fix


def test_taken() -> None:
    text = (
        "# words\nplain: 1\nfloat: 1.5\ntext: 'no'\nyes: true\nnothing:\nlist:\n- 1\n- {a: b}\n12: x\nday: 2024-01-02\n"
    )
    document = read_yaml(text, "env.yaml")
    value = document.value
    assert value["plain"] == 1 and value["float"] == 1.5 and value["text"] == "no" and value["nothing"] is None
    assert value["list"] == [1, {"a": "b"}] and value["12"] == "x" and value["yes"] is True
    assert document.line(("list", 1, "a")) == 9 and document.line(("list", 1, "zzz")) == 9
    assert document.line(("gone",)) == 2 and document.line(()) == 2


def test_nothing_but_comments_is_an_empty_mapping() -> None:
    assert read_yaml("# only words\n", "env.yaml").value == {}


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text_is_taken_or_refused(text: str) -> None:
    try:
        read_yaml(text, "env.yaml")
    except ContractError as error:
        assert error.problems


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", 1, "is empty"),
        (b" \n\n", 1, "is empty"),
        (b"schema: 1\nname: \xff\xfe\n", 2, "is not UTF-8"),
        (b"\xff\xfes\x00c\x00", 1, "is not UTF-8"),
        (b"- schema: 1\n", 1, "expected a mapping"),
        (b"just words\n", 1, "expected a mapping"),
        (b"null\n", 1, "expected a mapping"),
        (None, 1, "is missing"),
    ],
)
def test_no_document(make: Make, content: bytes | None, line: int, message: str) -> None:
    with pytest.raises(ContractError) as caught:
        load(make({"env.yaml": content}))
    problem = caught.value.problems[0]
    assert (problem.file, problem.line) == ("env.yaml", line) and message in problem.message


@pytest.mark.parametrize(
    "file", ["env.yaml", "task.md", "environment.py", "solutions/bad/a.py", "solutions/reference.py"]
)
@pytest.mark.parametrize("change", ["bom", "crlf"])
def test_byte_order_mark_and_windows_line_ends_are_taken(make: Make, file: str, change: str) -> None:
    root = make()
    content = (root / file).read_bytes()
    changed = b"\xef\xbb\xbf" + content if change == "bom" else content.replace(b"\n", b"\r\n")
    (root / file).write_bytes(changed)
    env = load(root)
    assert env.spec.name == "sort-numbers" and env.bad[0].why == "sorts the wrong way round"
    if file.startswith("solutions/"):
        assert not env.reference.text.startswith("\ufeff") and not env.bad[0].text.startswith("\ufeff")
