"""The report as data: what it adds up to, and that it survives the way to disk and back."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from envbounty.findings import (
    Environment,
    Evidence,
    Finding,
    Jail,
    Report,
    Result,
    Severity,
    Verdict,
    clip,
    report_schema,
    settle,
    show,
)

VALIDATOR = Draft202012Validator(report_schema())
JAIL = Jail(backend="bubblewrap", isolated=True)
anything = st.text(st.characters(exclude_categories=()), max_size=40)


def finding(severity: Severity = Severity.ERROR, rule: str = "bad-accepted", **evidence: Any) -> Finding:
    return Finding(
        rule=rule,
        severity=severity,
        message="m",
        path="env.yaml",
        evidence=Evidence(**evidence),
        fix="f",
    )


def result(verdict: Verdict, *findings: Finding, contract: bool = True) -> Result:
    environment = Environment(name="n", path="environments/n", kind="function", dialect="native")
    return Result(environment=environment, verdict=verdict, findings=findings, contract=contract)


def report(*results: Result) -> Report:
    return Report(jail=JAIL, results=results)


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(report_schema())


@pytest.mark.parametrize(
    "made",
    [
        report(),
        report(result(Verdict.PASS)),
        report(result(Verdict.FAIL, finding(score=1.0, seed=3, confirmed=2))),
        report(result(Verdict.ERROR), result(Verdict.INCOMPLETE, finding(Severity.NOTE))),
    ],
)
def test_a_report_comes_back_as_it_went(made: Report) -> None:
    text = made.to_json()
    VALIDATOR.validate(json.loads(text))
    assert Report.from_json(text) == made


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_a_score_that_json_has_no_word_for_survives(score: float) -> None:
    text = report(result(Verdict.FAIL, finding(score=score))).to_json()
    VALIDATOR.validate(json.loads(text, parse_constant=pytest.fail))
    back = Report.from_json(text).results[0].findings[0].evidence
    assert back is not None
    assert back.score is not None
    assert str(back.score) == str(score)


@given(anything)
def test_any_text_survives_and_can_be_written_to_a_file(text: str) -> None:
    made = report(result(Verdict.FAIL, finding(output=text, detail=text, reproduce=text)))
    written = made.to_json()
    assert Report.from_json(written.encode("utf-8").decode("utf-8")) == made


def test_a_verdict_that_was_tampered_with_is_refused() -> None:
    body = json.loads(report(result(Verdict.FAIL, finding())).to_json())
    body["verdict"] = "pass"
    with pytest.raises(ValueError, match="claims 'pass'"):
        Report.from_json(json.dumps(body))
    body["results"][0]["verdict"] = "pass"
    with pytest.raises(ValueError, match="beside an error"):
        Report.from_json(json.dumps(body))
    del body["verdict"]
    with pytest.raises(ValueError, match="claims None"):
        Report.from_json(json.dumps(body))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", "{}", '{"verdict": "error"}', '{"jail": 1, "verdict": "error"}', "[" * 100_000],
)
def test_what_is_not_a_report_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        Report.from_json(text)


def test_a_key_that_nobody_declared_is_refused() -> None:
    body = json.loads(report(result(Verdict.PASS)).to_json())
    body["results"][0]["trust_me"] = True
    assert not VALIDATOR.is_valid(body)
    with pytest.raises(ValueError, match="trust_me"):
        Report.from_json(json.dumps(body))


@pytest.mark.parametrize(
    ("results", "verdict", "code"),
    [
        ([], Verdict.ERROR, 4),
        ([result(Verdict.PASS)], Verdict.PASS, 0),
        ([result(Verdict.PASS), result(Verdict.FAIL)], Verdict.FAIL, 1),
        ([result(Verdict.FAIL, contract=False)], Verdict.FAIL, 2),
        ([result(Verdict.FAIL, contract=False), result(Verdict.FAIL)], Verdict.FAIL, 1),
        ([result(Verdict.PASS), result(Verdict.INCOMPLETE)], Verdict.INCOMPLETE, 3),
        ([result(Verdict.INCOMPLETE), result(Verdict.ERROR)], Verdict.ERROR, 4),
    ],
)
def test_what_a_run_adds_up_to(results: list[Result], verdict: Verdict, code: int) -> None:
    assert (report(*results).verdict, report(*results).exit_code) == (verdict, code)


def test_only_an_error_fails_and_nothing_unknown_passes() -> None:
    error, warning = finding(), finding(Severity.WARNING)
    assert settle([warning])[0] is Verdict.PASS
    assert settle([warning, error], trouble="no jail", unfinished="slow")[0] is Verdict.FAIL
    assert settle([warning], trouble="no jail", unfinished="slow") == (Verdict.ERROR, "no jail")
    assert settle([], unfinished="slow") == (Verdict.INCOMPLETE, "slow")
    assert "2 proved: bad-accepted" in settle([error, error])[1]


@pytest.mark.parametrize("rule", ["", "Upper", "two words", "a--b", "-a", "a-", "a/b", "é"])
def test_a_rules_id_is_fit_for_a_file_name(rule: str) -> None:
    with pytest.raises(ValidationError):
        finding(rule=rule)


def test_long_text_is_cut_and_says_so() -> None:
    assert clip("abc", 3) == "abc"
    assert clip("abcdef", 3) == "abc… (3 more characters)"


def test_anything_can_be_shown() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (deep, math.nan, {1: {2}}, "\ud800", 10**5000, b"bytes"):
        assert isinstance(show(value), str)
    assert show({"a": [1, "ü"]}) == '{"a": [1, "ü"]}'
