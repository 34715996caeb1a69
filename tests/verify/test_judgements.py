"""The pure parts of the checks: what is concluded from what was seen."""

from __future__ import annotations

import json
import math
import time
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envbounty.environment import Compare, Kind
from envbounty.environment.spec import Answers
from envbounty.sandbox import Outcome, Status
from envbounty.verify.bench import Instance
from envbounty.verify.checks import probes, scores
from envbounty.verify.checks.generator import judge_distinct, judge_instances
from envbounty.verify.checks.grader import attempts, missing_module
from envbounty.verify.checks.leaks import copied_lines, gives_away, told
from envbounty.verify.context import Scored, Trial
from envbounty.verify.referee import read_calls
from envbounty.verify.runner import NOT_RUN, Fault, Reply, claims, fault_of, records, reply_of, seconds_of
from envbounty.verify.values import canonical, same

# --- the generator ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        (Reply({"a": 1}), None),
        (Reply({}), None),
        (Reply({"a": [1, {"b": None}], "c": "\ud800"}), None),
        (Reply([1]), "generator-not-json"),
        (Reply(None), "generator-not-json"),
        (Reply({"a": math.nan}), "generator-not-json"),
        (Reply({"a": [{"b": math.inf}]}), "generator-not-json"),
        (Reply(fault=Fault("not-json", "gave a set, which is not JSON")), "generator-not-json"),
        (Reply(fault=Fault("raise", "ValueError: no")), "generator-fails"),
        (Reply(fault=Fault("timeout", "")), "generator-fails"),
        (Reply(fault=Fault("died", "was killed by signal 11")), "generator-fails"),
        (Reply(fault=NOT_RUN), None),
    ],
)
def test_judge_instances(reply: Reply, rule: str | None) -> None:
    found = list(judge_instances([Reply({"a": 0}), reply, reply]))
    assert [(item[0], item[2]) for item in found] == ([(rule, 1)] if rule else [])


def test_judge_distinct() -> None:
    assert judge_distinct([{"n": number} for number in range(20)]) is None
    assert judge_distinct([{"n": number // 2 if number < 4 else number} for number in range(20)]) is None  # 18 of 20
    assert judge_distinct([{"n": number % 17} for number in range(20)]) == "20 seeds gave only 17 different instances."
    assert judge_distinct([{"n": 1, "m": 2}, {"m": 2, "n": 1}]) is not None


# --- scores ----------------------------------------------------------------------------------------------------------


def scored(reply: Reply) -> Scored:
    return Scored(Trial(Instance(0, 1, {}), None, "x", None), reply)


@pytest.mark.parametrize(
    ("reply", "rule"),
    [
        *((Reply(value), None) for value in (0, 1, 0.0, 1.0, 0.5, True, False)),
        *(
            (Reply(value), "score-invalid")
            for value in (1.0001, -0.1, 2, math.nan, math.inf, -math.inf, 10**400, -(10**400), "1", None, [], {}, [1.0])
        ),
        (Reply(fault=Fault("not-json", "gave a set")), "score-invalid"),
        (Reply(fault=Fault("raise", "")), "verifier-raises"),
        (Reply(fault=Fault("timeout", "")), "verifier-too-slow"),
        *((Reply(fault=Fault(kind, "")), "verifier-ends-process") for kind in ("exit", "died", "memory", "output")),
        (Reply(fault=NOT_RUN), None),
    ],
)
def test_judge_a_score(reply: Reply, rule: str | None) -> None:
    item = scored(reply)
    assert scores.judge(item) == rule
    if rule is not None:
        assert scores.message(rule, item).startswith("check() ")
    assert item.score is None or isinstance(item.score, float)


# --- probes ----------------------------------------------------------------------------------------------------------

ANSWERS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False)
    | st.text(max_size=12)
    | st.sampled_from(["", " ", "yes", "A", "nan", "12", 0, [], {}, [[]], ["up", "down"], "9" * 50])
    | st.lists(st.integers(0, 9) | st.text(max_size=3), max_size=5)
    | st.dictionaries(st.text(max_size=3), st.integers(0, 9), max_size=3)
)


def case(kind: Kind, expected: Any, instance: dict[str, Any], other: Any) -> probes.Case:
    return probes.Case(
        kind=kind, instance=instance, expected=expected, others=[other], commonest=other, shown=list(instance.values()),
        parameters=list(instance), prompt="What is it?", rng=Random(1),
    )  # fmt: skip


@given(ANSWERS, ANSWERS, st.sampled_from(list(Kind)))
@settings(deadline=None, max_examples=150)
def test_probes_give_what_a_submission_can_be(expected: Any, other: Any, kind: Kind) -> None:
    if kind in (Kind.ANSWER, Kind.PROGRAM):
        expected, other = str(expected), str(other)
    if kind is Kind.ACTIONS:
        expected, other = [expected], [other]
    instance = {"stdin": "5 6", "values": [1, 2]}
    for probe in probes.PROBES:
        for output in probes._fits(kind, probe.outputs(case(kind, expected, instance, other))):
            canonical(output)
            if kind in (Kind.ANSWER, Kind.PROGRAM):
                assert isinstance(output, str)
            if kind is Kind.ACTIONS:
                assert isinstance(output, list)


@given(ANSWERS, st.sampled_from(["exact", "unordered", "tokens", "tolerance", "many"]))
@settings(deadline=None, max_examples=150)
def test_a_right_answer_is_never_known_to_be_wrong(expected: Any, compare: str) -> None:
    """An output that is the expected one in another form is neither wrong by the declared rule nor by its nature."""
    answers = Answers(compare=Compare(compare), abs_tol=1e-6 if compare == "tolerance" else 0.0)
    for output in (expected, json.loads(json.dumps(expected))):
        assert same(expected, output, answers) is not False
        for probe in probes.PROBES:
            if isinstance(expected, float) and not math.isfinite(expected):
                continue
            if not isinstance(expected, str):
                assert probes.of_a_make(probe.rule, expected, output)


@pytest.mark.parametrize(
    ("rule", "expected", "output", "alike"),
    [
        ("accepts-nothing", "abc", "", False),
        ("accepts-nothing", "", " ", True),
        ("accepts-nothing", [1], [], True),
        ("accepts-nothing", 5, "", False),
        ("accepts-nothing", 5, None, False),
        ("accepts-nothing", None, None, True),
        ("accepts-junk", "abc", "noise", False),
        ("accepts-junk", "abc", ["noise"], False),
        ("accepts-huge", "anna", "9" * 1000, True),  # a palindrome too
        ("accepts-huge", 9, 10**3000, True),  # divisible by 9 too
        ("accepts-huge", 9, [0], False),
        ("accepts-huge", "abc", [0], False),
        ("accepts-nonfinite", "word", "nan", True),
        ("accepts-nonfinite", "5.5", "nan", False),
        ("accepts-nonfinite", 5.5, "nan", False),
        ("accepts-nonfinite", 5.5, math.nan, False),
        ("accepts-nonfinite", 5, math.inf, False),
        ("accepts-nonfinite", [5], [math.nan], True),
        ("accepts-wrong-type", "7", 7, True),  # may be a spelling
        ("accepts-wrong-type", 7, "8", True),
        ("accepts-wrong-type", "abc", 7, False),
        ("accepts-wrong-type", 7, "x", False),
        ("accepts-wrong-type", "7", ["7"], False),
        ("accepts-wrong-type", True, "x", False),
        ("accepts-wrong-type", {"a": 1}, {"answer": 1}, True),
    ],
)
def test_of_a_make(rule: str, expected: Any, output: Any, alike: bool) -> None:
    assert probes.of_a_make(rule, expected, output) is alike


def test_only_what_a_model_sees_is_echoed() -> None:
    hidden = case(Kind.ANSWER, "x", {"question": "q", "answer": "x "}, "y")
    shown = probes.Case(**{**hidden.__dict__, "shown": ["q"]})
    assert probes.echo(shown) == ["What is it?", "q"]


# --- leaks -----------------------------------------------------------------------------------------------------------

VALUES = [{"a": number, "b": str(number), "c": f"it is {number}", "d": [number]} for number in range(10, 30)]
RIGHT = [str(value["a"]) for value in VALUES]


@pytest.mark.parametrize(("name", "away"), [("a", True), ("b", True), ("c", False), ("d", False)])
def test_gives_away(name: str, away: bool) -> None:
    assert gives_away("", name, VALUES, RIGHT) is away


def test_what_is_equal_now_and_then_or_by_poverty_gives_nothing_away() -> None:
    assert not gives_away("", "a", VALUES, RIGHT[:12] + ["x"] * 8)
    assert not gives_away("", "n", [{"n": 1}, {"n": 0}] * 10, [1, 0] * 10)
    assert not gives_away("", "n", [{"n": ""}] * 20, [""] * 20)


@pytest.mark.parametrize(
    ("task", "line"),
    [
        ("Answer: {{ a }}", 1),
        ("Add.\n\nexpected output = {{ a }}.", 3),
        ("The solution is: \n{{ a }}", 1),
        ("The result of this (as text): '{{ a }}'", None),
        ("Count to {{ a }}: go", None),
        ("Give the answer for n: x, where x is {{ a }}", None),
        ("Answer: {{ a }}5", None),  # another number, which starts like it
        ("Answer: {{ d }}", None),
        ("Answer in one word.", None),
    ],
)
def test_told(task: str, line: int | None) -> None:
    assert told(task, VALUES, RIGHT) == line


def test_a_long_task_is_read_at_once() -> None:
    started = time.process_time()
    values = [{"x": "answer: " * 50_000 + str(number)} for number in range(20)]
    told("{{ x }}", values, [str(number % 10) for number in range(20)])
    assert time.process_time() - started < 10


CODE = "def f(values):\n    total = 0\n    for value in values:\n        total += value\n    return total\n"


@pytest.mark.parametrize(
    ("task", "line"),
    [
        (f"Like so:\n\n{CODE}", 3),
        ("Like so:\n\n> def f(values):\n", None),
        ("def f(values):\n    total = 0\n    for value in values:\n    ...\n", None),  # three lines are a start
        (CODE.replace("\n", "\n\n\n"), 1),
        ("total = 0\nreturn total\nfor value in values:\ntotal += value\n", None),
        ("", None),
    ],
)
def test_copied_lines(task: str, line: int | None) -> None:
    assert copied_lines(task, CODE) == line


def test_comments_and_blank_lines_are_no_code() -> None:
    text = "# one of them\n# two of them\n# three of them\n# four of them\n"
    assert copied_lines(text, text + "x = 1\n") is None


# --- found graders ---------------------------------------------------------------------------------------------------


def test_attempts_at_a_grader_define_or_lack_the_function() -> None:
    tried = attempts("double", "def double(x):\n    y = x\n    return y + y\n", Random(1))
    assert len({attempt.name for attempt in tried}) == len(tried)
    for attempt in tried:
        scope: dict[str, Any] = {}
        try:
            exec(attempt.text, scope)
        except Exception:
            assert attempt.by_nature or attempt.rule == "accepts-truncated"
            continue
        assert callable(scope.get("double")) is not attempt.by_nature


def test_read_calls() -> None:
    lines = [
        b"[[1], {}]",
        b"[[1], {}]",
        b'[[2], {"k": 3}]',
        b"junk",
        b"[1, 2]",
        b"[[1]]",
        b"{}",
        b"[" * 10_000,
        b"\xff",
    ]
    assert read_calls(b"\n".join(lines)) == [([1], {}), ([2], {"k": 3})]
    assert read_calls(b"") == []
    assert len(read_calls(b"".join(b"[[%d], {}]\n" % number for number in range(100_000)))) <= 400


@pytest.mark.parametrize(
    ("text", "module"),
    [
        ("ModuleNotFoundError: No module named 'numpy'", "numpy"),
        ("x\nModuleNotFoundError: No module named 'a.b'\n", "a.b"),
        ("ImportError: cannot import name 'x'", None),
        ("", None),
    ],
)
def test_missing_module(text: str, module: str | None) -> None:
    assert missing_module(text) == module


# --- what comes out of the jail --------------------------------------------------------------------------------------


def lines(*items: object) -> bytes:
    return b"".join(item if isinstance(item, bytes) else json.dumps(item).encode() + b"\n" for item in items)


OK = {"import": "ok", "has": ["reference"]}


def test_an_honest_harness() -> None:
    said = lines(OK, {"i": 0, "value": 1.0, "s": 0.5}, {"i": 1, "fault": "raise", "detail": "ValueError"})
    head, replies = claims(said, 3)
    assert head == OK
    assert replies == [Reply(1.0, seconds=0.5), Reply(fault=Fault("raise", "ValueError"))]


@pytest.mark.parametrize(
    ("said", "count"),
    [
        (b"", 0),
        (b"not json\n", 0),
        (lines({"i": 0, "value": 1}), 0),  # before it says that it loaded
        (lines(OK), 0),
        (lines(OK, {"i": 5, "value": 1}), 0),
        (lines(OK, {"i": -1}, {"i": "0"}, {"i": None}, {"i": [0]}, {}), 0),
        (lines(OK, [1], 7, None, "x"), 3),  # no objects: whoever wrote them gets no value for it
        (lines(OK, OK, {"i": 0, "value": 1}, {"i": 0, "value": 2}), 1),
        (lines(OK, {"i": 1, "value": 2}, {"i": 0, "value": 1}), 1),
        (lines(OK, b'{"i": 0, "value": 1'), 0),  # cut off
        (lines(OK, b'{"i": 0, "value": ' + b"[" * 500 + b"]" * 500 + b"}\n"), 1),
        (lines(OK, b'{"i": 0, "value": ' + b"9" * 9999 + b"}\n"), 1),
        (lines(OK, {"i": 0}, {"i": 1, "value": 0, "s": 10**400}, {"i": 2, "fault": [1], "detail": {}}), 3),
        (lines(OK, b"\n\n\n"), 3),
    ],
)
def test_forged_records(said: bytes, count: int) -> None:
    head, replies = claims(said, 3)
    assert len(replies) == count
    assert (head is not None) == (b'"import": "ok"' in said)
    for reply in replies:
        assert isinstance(reply, Reply) and 0 <= reply.seconds < math.inf


def test_a_flood_of_records_costs_nothing() -> None:
    started = time.process_time()
    for junk in (b"{}\n", b"[\n", b"\n", b"9" * 5000 + b"\n"):
        head, replies = claims(lines(OK) + junk * (8_000_000 // len(junk)), 20)
        assert head == OK and len(replies) <= 20
        head, replies = claims(junk * (8_000_000 // len(junk)), 20)
        assert head is None
    assert time.process_time() - started < 5


@given(
    st.lists(st.binary(max_size=40) | st.just(b'{"import": "ok"}') | st.just(b'{"i": 0, "value": [1]}')),
    st.integers(0, 4),
)
def test_any_bytes_are_read(parts: list[bytes], count: int) -> None:
    _, replies = claims(b"\n".join(parts) + b"\n", count)
    assert len(replies) <= count


def test_records() -> None:
    assert list(records(b'{"a": 1}\n[]\n\nx\n{"b": 2}', 10)) == [{"a": 1}, None, None, None]
    assert list(records(b"{}\n{}\n{}\n", 2)) == [{}, {}]


@pytest.mark.parametrize("kind", ["not-run", "timeout", "memory", "", "x" * 10_000, 5, None, ["raise"]])
def test_a_harness_can_claim_only_its_own_faults(kind: object) -> None:
    reply = reply_of({"fault": kind, "detail": "y" * 10_000_000})
    assert reply.fault is not None and reply.fault.kind == "died" and len(reply.fault.detail) < 3000


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf, 10**400, "1", None, True, [], {}])
def test_no_duration(value: object) -> None:
    assert seconds_of(value) == 0.0


@pytest.mark.parametrize("status", list(Status))
def test_fault_of(status: Status) -> None:
    fault = fault_of(Outcome(status, "why", stderr=b"\xff" * 100_000))
    assert (fault is None) == (status in (Status.OK, Status.INFRA))
    assert fault is None or (fault.detail.startswith("why") and len(fault.detail) < 2000)
