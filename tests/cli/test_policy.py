"""`envbounty policy`, and what a policy does to `envbounty verify`."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from envbounty.findings import Report
from envbounty.policy import BUILT_IN
from tests.cli.conftest import Run

REASON = "a maintainer looks at these by hand until March"


def write(folder: Path, rules: str, more: str = "") -> Path:
    file = folder / "policies" / "policy.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"schema: 1\nrules:\n{rules}{more}")
    return file


def test_check_says_that_a_policy_is_sound_and_what_it_weakens(run: Run, tmp_path: Path) -> None:
    plain = run("policy", "check")
    assert plain.returncode == 0
    assert plain.stdout.startswith(f"built-in is sound. Version {BUILT_IN.digest}.")
    assert "Every rule that blocks by itself blocks." in plain.stdout
    more = "thresholds: {instances: 30}\nprovenance: {licences: [MIT, GPL-3.0-only]}\n"
    rules = f"  accepts-echo: {{level: note, reason: {REASON}}}\n  few-solutions: {{level: block}}\n"
    file = write(tmp_path, rules, more)
    for arguments in ([], [file], [tmp_path]):
        done = run("policy", "check", *arguments)
        assert done.returncode == 0, done.stderr
        assert f"accepts-echo: note, because: {REASON}" in done.stdout
        assert "few-solutions: block instead of warning" in done.stdout
        assert "thresholds.instances: 30 (built in: 20)" in done.stdout
        assert "provenance.licences: and GPL-3.0-only; without 0BSD" in done.stdout


def test_check_refuses_what_is_not_sound(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path, "  accepts-ecko: {level: block}\n  accepts-echo: {level: off}\n")
    done = run("policy", "check", file)
    assert done.returncode == 1
    assert f"{file}:3 (rules.accepts-ecko): is no rule of this version" in done.stderr
    assert "Write `accepts-echo`." in done.stderr
    assert f"{file}:4 (rules.accepts-echo): lets a rule that blocks by itself only `off`" in done.stderr
    assert done.stdout == ""
    missing = run("policy", "check", tmp_path / "nowhere.yaml")
    assert missing.returncode == 2
    assert "cannot be read" in missing.stderr
    assert run("policy", "check", tmp_path / "policies" / "policies").returncode == 2


def test_explain_says_whether_a_rule_blocks_and_why(run: Run, tmp_path: Path) -> None:
    blocks = run("policy", "explain", "generator-repeats")
    assert blocks.returncode == 0
    assert "Under built-in it blocks" in blocks.stdout
    assert "error is the rule's own severity" in blocks.stdout
    assert "thresholds.distinct_instances: 0.9" in blocks.stdout
    assert "docs/rules/generator-repeats.md" in blocks.stdout
    write(
        tmp_path, f"  generator-repeats: {{level: off, reason: {REASON}}}\n", "thresholds: {distinct_instances: 0.5}\n"
    )
    off = run("policy", "explain", "generator-repeats")
    assert "is off: what is proved is still noted, and does not block" in off.stdout
    assert f"reason: {REASON}" in off.stdout
    assert "thresholds.distinct_instances: 0.5 (built in: 0.9)" in off.stdout
    wrong = run("policy", "explain", "generator-repeat")
    assert wrong.returncode == 2
    assert "Did you mean generator-repeats?" in wrong.stderr


def test_verify_goes_by_the_policy_above_the_environment(run: Run, broken: Path, tmp_path: Path) -> None:
    write(tmp_path, f"  accepts-nothing: {{level: off, reason: {REASON}}}\n")
    strict = run("verify", broken, "--policy", "built-in", "--json", tmp_path / "strict.json")
    assert strict.returncode == 1
    report = Report.from_json((tmp_path / "strict.json").read_text())
    assert report.policy == report.results[0].policy == BUILT_IN.digest
    proved = sorted({finding.rule for finding in report.results[0].findings if finding.severity == "error"})
    write(tmp_path, "".join(f"  {rule}: {{level: warn, reason: {REASON}}}\n" for rule in proved))
    lax = run("verify", broken, "--json", tmp_path / "lax.json")
    assert lax.returncode == 0, lax.stdout
    weighed = Report.from_json((tmp_path / "lax.json").read_text())
    assert weighed.policy != BUILT_IN.digest
    assert {finding.rule for finding in weighed.results[0].findings if finding.overridden} == set(proved)
    assert all(rule in weighed.results[0].reason for rule in proved)
    assert f"The check says error, the policy says warning: {REASON}" in " ".join(lax.stdout.split())


def test_verify_refuses_a_policy_that_is_not_sound_or_comes_from_the_environment(run: Run, sound: Path) -> None:
    own = write(sound, "  accepts-nothing: {level: off}\n")
    done = run("verify", sound, "--policy", own)
    assert done.returncode == 2
    assert "no environment brings the policy that it is judged by" in done.stderr
    above = write(sound.parents[1], "  accepts-nothing: {level: off}\n")
    unsound = run("verify", sound)
    assert unsound.returncode == 2
    assert f"{above}:3" in unsound.stderr and "does not say why" in unsound.stderr
    assert run("verify", sound, "--policy", sound / "none.yaml").returncode == 2


def test_verify_takes_its_thresholds_and_budget_from_the_policy(run: Run, sound: Path, tmp_path: Path) -> None:
    more = "thresholds: {instances: 30, confirmations: 3, good_solutions: 50}\nbudgets: {findings_per_rule: 1}\n"
    more += "provenance: {licences: [MIT], code_kb: 1}\n"
    write(tmp_path, "  few-solutions: {level: block}\n", more)
    done = run("verify", sound, "--format", "json")
    (result,) = json.loads(done.stdout)["results"]
    assert result["stats"]["instances"] == 30
    assert result["verdict"] == "fail" and result["reason"].endswith("1 blocked by the policy: few-solutions")
    assert {"licence-not-allowed", "code-too-large"} <= {finding["rule"] for finding in result["findings"]}
    write(tmp_path, "  few-solutions: {level: off}\n", "budgets: {seconds_per_environment: 1}\n")
    (sound / "environment.py").write_text((sound / "environment.py").read_text() + "\nimport time\ntime.sleep(3)\n")
    short = run("verify", sound)
    assert short.returncode == 3
    assert "the budget of 1 s was used up" in short.stdout


def test_verify_draws_plots_and_the_summary_names_them(run: Run, sound: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    done = run("verify", sound, "--plots", tmp_path / "plots", GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode in (0, 1), done.stdout
    files = sorted((tmp_path / "plots").iterdir())
    assert [file.name.rpartition("-")[2] for file in files] == ["answers.svg", "scores.svg", "sizes.svg"]
    for file in files:
        assert ElementTree.parse(file).getroot().tag.endswith("svg")
        assert f"`{file}`" in summary.read_text()
