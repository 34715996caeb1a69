"""SARIF that the OASIS schema and GitHub accept, and that never makes an unchecked environment look clean."""

from __future__ import annotations

import gzip
import json
import random
import re
import string
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from envbounty.findings import Report, Severity
from envbounty.render.rules import UNCHECKED
from envbounty.render.sarif import MAX_RESULTS, fingerprint, render_sarif

anything = st.text(st.characters(exclude_categories=()), max_size=80)
SCHEMA = json.loads((Path(__file__).parent / "data" / "sarif-2.1.0.json").read_text("utf-8"))
VALIDATOR = Draft4Validator(SCHEMA)
#: RFC 3986, for a relative path or a `file:` URI: what GitHub's own check refused in other tools' files.
URI = re.compile(r"(file:///)?(?!/)([A-Za-z0-9._~/-]|%[0-9A-F]{2})+")
GITHUB_TEXT_LIMIT = 1024


@dataclass(frozen=True)
class KnownRule:
    severity: Severity
    title: str = "Title"
    why: str = "Why it matters."
    fix: str = "What to do."
    phase: str = "solutions"


RULES = {"bad-accepted": KnownRule(Severity.ERROR), "never-found": KnownRule(Severity.NOTE)}


def sarif(report: Report, root: str = "/repo", **more: Any) -> dict[str, Any]:
    """The run, after everything that is true of every log has been checked."""
    log = json.loads(render_sarif(report, root, **{"rules": RULES, **more}))
    VALIDATOR.validate(log)
    check_github(log)
    run: dict[str, Any] = log["runs"][0]
    return run


def check_github(log: dict[str, Any]) -> None:
    """What GitHub's page on SARIF support requires beyond the schema."""
    assert log["version"] == "2.1.0"
    assert len(log["runs"]) == 1
    run = log["runs"][0]
    driver = run["tool"]["driver"]
    assert driver["name"]
    assert run["automationDetails"]["id"].count("/") == 2
    rules = driver["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules) <= 25_000
    for rule in rules:
        for text in (rule["id"], rule["shortDescription"]["text"], rule["fullDescription"]["text"]):
            assert 0 < len(text) <= GITHUB_TEXT_LIMIT
        assert rule["help"]["text"]
        assert rule["help"]["markdown"]
        assert rule["defaultConfiguration"]["level"] in ("note", "warning", "error")
        assert rule["properties"]["problem.severity"] in ("error", "warning", "recommendation")
        assert 0 < len(rule["properties"]["tags"]) <= 10
    assert len(run["results"]) <= 25_000
    for result in run["results"]:
        assert 0 < len(result["message"]["text"]) <= 1200
        assert "](" not in result["message"]["text"], "a link in SARIF's plain text"
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        (location,) = result["locations"]
        artifact = location["physicalLocation"]["artifactLocation"]
        assert URI.fullmatch(artifact["uri"]), artifact
        assert ("uriBaseId" in artifact) is not artifact["uri"].startswith("file:")
        assert location["physicalLocation"]["region"]["startLine"] >= 1
        assert re.fullmatch(r"[0-9a-f]{16}:[0-9]+", result["partialFingerprints"]["primaryLocationLineHash"])
    found = [
        (r["ruleId"], str(r["locations"]), r["partialFingerprints"]["primaryLocationLineHash"])
        for r in run["results"]
    ]
    assert len(set(found)) == len(found), "two results that GitHub would take for one"


KINDS = ["pass", "fail", "error", "incomplete", "nothing", "unjailed", "hostile", "story"]


@pytest.mark.parametrize("home", [None, "https://example.org/envbounty"])
@pytest.mark.parametrize("name", KINDS)
def test_every_report_is_valid(reports: Any, name: str, home: str | None) -> None:
    sarif(reports[name](), home=home)
    sarif(reports[name](), rules={}, home=home)


def test_a_pass_is_an_empty_successful_run(reports: Any) -> None:
    run = sarif(reports["pass"]())
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is True
    assert run["invocations"][0]["toolExecutionNotifications"] == []
    assert run["properties"]["environments"][0]["verdict"] == "pass"


def test_a_finding_keeps_what_matters(make: Any) -> None:
    run = sarif(make.story(), home="https://example.org/e")
    first, second = run["results"]
    assert (first["ruleId"], first["level"]) == ("bad-accepted", "error")
    assert (second["ruleId"], second["level"]) == ("slow-check", "warning")
    where = first["locations"][0]["physicalLocation"]
    assert where["artifactLocation"] == {
        "uri": "environments/two-sum/solutions/bad/greedy.py",
        "uriBaseId": "%SRCROOT%",
    }
    assert where["region"]["startLine"] == 1
    assert first["message"]["text"].startswith("A wrong solution scored 1.")
    assert "Fix: Compare the whole list." in first["message"]["text"]
    assert first["properties"]["evidence"]["reproduce"] == "envbounty verify environments/two-sum --seed 11"
    assert first["properties"]["evidence"]["verifier said"] == "1.0"
    driver = run["tool"]["driver"]
    assert driver["version"] == driver["semanticVersion"]
    assert driver["informationUri"] == "https://example.org/e"
    assert run["automationDetails"]["id"] == "envbounty/verify/seed-11"
    assert run["invocations"][0]["exitCode"] == 1
    assert run["invocations"][0]["executionSuccessful"] is True, "a proof is a successful run"


def test_known_rules_are_described_even_when_nothing_was_found(reports: Any) -> None:
    run = sarif(reports["pass"](), home="https://example.org/e")
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert set(rules) == {UNCHECKED, "bad-accepted", "never-found"}
    rule = rules["never-found"]
    assert rule["shortDescription"]["text"] == "Title"
    assert rule["help"]["markdown"] == "Why it matters.\n\n**Fix:** What to do."
    assert rule["helpUri"] == "https://example.org/e/blob/main/docs/rules/never-found.md"
    assert rule["properties"]["problem.severity"] == "recommendation"
    assert rule["properties"]["tags"] == ["envbounty", "solutions"]


def test_an_unknown_rule_is_described_by_its_finding_and_inertly(make: Any) -> None:
    finding = make.finding(rule="brand-new", message="[click](http://evil) @octocat", fix="Do <b>this</b>.")
    run = sarif(make.report(make.result(finding)))
    rule = next(rule for rule in run["tool"]["driver"]["rules"] if rule["id"] == "brand-new")
    assert rule["shortDescription"]["text"] == "Brand new"
    assert rule["help"]["markdown"] == "`[click] (http://evil) @octocat`\n\n**Fix:** `Do <b>this</b>.`"


@pytest.mark.parametrize(
    ("name", "why"), [("error", "the jail did not start"), ("incomplete", "out of time")]
)
def test_what_was_not_checked_never_looks_clean(reports: Any, name: str, why: str) -> None:
    run = sarif(reports[name]())
    invocation = run["invocations"][0]
    assert invocation["executionSuccessful"] is False
    (note,) = invocation["toolExecutionNotifications"]
    assert (note["level"], note["descriptor"]["id"]) == ("error", UNCHECKED)
    assert why in note["message"]["text"]
    first = run["results"][0]
    assert (first["ruleId"], first["level"]) == (UNCHECKED, "error")
    assert why in first["message"]["text"]


def test_one_unchecked_environment_among_good_ones_shows(make: Any) -> None:
    run = sarif(make.report(make.result(verdict="pass"), make.result(verdict="error", text="b", reason="")))
    assert run["invocations"][0]["executionSuccessful"] is False
    assert [result["message"]["text"] for result in run["results"]] == [
        "b could not be checked (error): it could not be run"
    ]


def test_no_environment_at_all_never_looks_clean(reports: Any) -> None:
    run = sarif(reports["nothing"]())
    assert run["invocations"][0]["executionSuccessful"] is False
    assert [result["ruleId"] for result in run["results"]] == [UNCHECKED]


def test_a_run_without_a_jail_says_so(reports: Any) -> None:
    run = sarif(reports["unjailed"]())
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("NOT ISOLATED")
    assert run["properties"]["jail"]["isolated"] is False


@pytest.mark.parametrize(
    ("environment", "path", "root", "uri"),
    [
        ("environments/a", "env.yaml", "/repo", "environments/a/env.yaml"),
        ("/repo/environments/a", "env.yaml", "/repo/", "environments/a/env.yaml"),
        ("/repo/environments/a", "env.yaml", "/repository", "file:///repo/environments/a/env.yaml"),
        ("/elsewhere/a", "env.yaml", "/repo", "file:///elsewhere/a/env.yaml"),
        ("./environments/a/", "solutions\\bad\\x y.py", ".", "environments/a/solutions/bad/x%20y.py"),
        (
            "environments/a",
            "../../.github/workflows/x.yml",
            "/repo",
            "environments/a/.github/workflows/x.yml",
        ),
        ("//host/share", "x", "/repo", "file:///host/share/x"),
        ("http://evil/a", "x", "/repo", "http%3A/evil/a/x"),
        ("environments/ü", "漢#?%.py", "/repo", "environments/%C3%BC/%E6%BC%A2%23%3F%25.py"),
        ("", "", "/repo", "environments"),
    ],
)
def test_a_file_is_named_from_the_root(make: Any, environment: str, path: str, root: str, uri: str) -> None:
    result = make.result(make.finding(path=path), text=environment)
    run = sarif(make.report(result), root)
    artifact = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uri"] == uri
    assert "\\" not in unquote(artifact["uri"])


def test_a_fingerprint_outlives_lines_seeds_and_examples(make: Any) -> None:
    result = make.result(text="environments/a")
    one = make.finding(message="Score 1.0 for `abc` on instance 17", path="x.py", line=4)
    two = make.finding(message="Score 0.5 for `q\nq` on instance 93", path="x.py", line=90, text="other")
    assert fingerprint(result, one) == fingerprint(result, two)
    for other in (
        make.finding(message=one.message, path="y.py"),
        make.finding(message=one.message, path="x.py", rule="another-rule"),
        make.finding(message="Key `abc` is not known", path="x.py"),
        make.finding(
            message=one.message, path="x.py", evidence=make.evidence(submission="solutions/bad/z.py")
        ),
    ):
        assert fingerprint(result, other) != fingerprint(result, one)
    assert fingerprint(make.result(text="environments/b"), one) != fingerprint(result, one)


def test_findings_that_are_alike_are_told_apart(make: Any) -> None:
    run = sarif(make.report(make.result(make.finding(line=1), make.finding(line=2))))
    marks = [r["partialFingerprints"]["primaryLocationLineHash"] for r in run["results"]]
    assert [mark[-2:] for mark in marks] == [":1", ":2"]
    assert marks[0][:16] == marks[1][:16]


@given(anything)
@settings(max_examples=60, deadline=None)
def test_any_text_gives_a_valid_log(make: Any, text: str) -> None:
    run = sarif(make.full(text))
    for result in run["results"]:
        assert all(line.isprintable() for line in result["message"]["text"].split("\n"))


def test_thirty_thousand_findings_fit_and_the_worst_stay(make: Any) -> None:
    many = [make.finding("note", line=n + 1) for n in range(29_990)]
    worst = [make.finding("error", line=n + 1) for n in range(10)]
    text = render_sarif(make.report(make.result(*many, *worst)), "/repo", rules=RULES)
    log = json.loads(text)
    check_github(log)
    run = log["runs"][0]
    assert len(run["results"]) == MAX_RESULTS
    assert [result["level"] for result in run["results"][:11]] == ["error"] * 10 + ["note"]
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("5000 results of the least severity were left out")
    run["results"] = run["results"][:50]  # one by one the rest differ only in their line
    VALIDATOR.validate(log)


def test_evidence_that_does_not_compress_cannot_make_the_file_too_large(make: Any) -> None:
    noise = random.Random(1)
    letters = string.ascii_letters + string.digits

    def words() -> str:
        return "".join(noise.choices(letters, k=1000))

    def finding(n: int) -> Any:
        evidence = make.evidence(submission=words(), instance=words(), output=words(), detail=words())
        return make.finding("warning", words(), path="x.py", line=n + 1, evidence=evidence)

    error = make.finding("error", "kept", path="x.py")
    text = render_sarif(make.report(make.result(*map(finding, range(3000)), error)), "/repo", rules={})
    assert len(gzip.compress(text.encode())) < 10_000_000
    run = json.loads(text)["runs"][0]
    assert run["results"][0]["level"] == "error"
    assert 1000 < len(run["results"]) < 3000
    left_out = 3001 - len(run["results"])
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith(f"{left_out} results")


def test_a_flood_of_unknown_rules_does_not_flood_the_catalogue(make: Any) -> None:
    many = [make.finding(rule=f"rule-{n}") for n in range(1000)]
    log = json.loads(render_sarif(make.report(make.result(*many)), "/repo", rules={}))
    VALIDATOR.validate(log)
    run = log["runs"][0]
    assert len(run["results"]) == 1000
    assert len(run["tool"]["driver"]["rules"]) == 201


def test_rules_come_from_the_catalogue_unless_given(make: Any) -> None:
    VALIDATOR.validate(json.loads(render_sarif(make.story(), "/repo")))


def test_the_same_report_gives_the_same_log(make: Any) -> None:
    assert render_sarif(make.story(), "/repo", rules=RULES) == render_sarif(
        make.story(), "/repo", rules=RULES
    )
