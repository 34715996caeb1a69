"""Every command, with a case that succeeds beside one that does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from envbounty.findings import Report, report_schema
from tests.cli.conftest import Run

REPOSITORY = Path(__file__).parents[2]


def test_help_loads_nothing_heavy() -> None:
    heavy = "pydantic yaml rich docker envbounty.verify envbounty.sandbox envbounty.environment"
    code = f"import sys, envbounty.cli; print([name for name in {heavy.split()!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_names_every_command_and_exit_status(run: Run) -> None:
    done = run("--help")
    assert done.returncode == 0
    for word in ("verify", "play", "new", "init", "list", "schema", "explain", "demo", "4 could not run"):
        assert word in done.stdout


# --- verify ----------------------------------------------------------------------------------------------------------


def test_verify_passes_a_sound_environment(run: Run, sound: Path) -> None:
    done = run("verify", sound)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS" in done.stdout


def test_verify_fails_a_broken_one_and_says_how_to_see_it_again(run: Run, broken: Path) -> None:
    done = run("verify", broken)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "accepts-nothing" in done.stdout
    assert f"envbounty verify {broken} --seed 0 --only accepts-nothing" in done.stdout


def test_the_reproduce_command_shows_the_same_finding(run: Run, broken: Path) -> None:
    first = json.loads(run("verify", broken, "--format", "json").stdout)
    finding = next(item for item in first["results"][0]["findings"] if item["rule"] == "accepts-wrong-type")
    words = finding["evidence"]["reproduce"].split()[1:]
    again = json.loads(run(*words, "--format", "json").stdout)
    assert [item["rule"] for item in again["results"][0]["findings"]] == ["accepts-wrong-type"]
    assert again["results"][0]["findings"][0] == finding


def test_looking_at_one_rule_is_never_a_pass(run: Run, sound: Path) -> None:
    done = run("verify", sound, "--only", "accepts-nothing")
    assert done.returncode == 3
    assert "only accepts-nothing was looked at" in done.stdout


def test_broken_contract_is_status_2_and_names_the_line(run: Run, sound: Path) -> None:
    text = (sound / "env.yaml").read_text().replace("kind: function", "kind: functoin")
    (sound / "env.yaml").write_text(text)
    done = run("verify", sound)
    assert done.returncode == 2
    line = text[: text.index("functoin")].count("\n") + 1
    assert f"env.yaml:{line}" in done.stdout
    assert f"envbounty verify {sound}" in done.stdout, "every finding says how to see it again"


@pytest.mark.parametrize(
    "arguments", [["verify"], ["verify", "nowhere"], ["verify", ".", "--jobs", "0"], ["frobnicate"]]
)
def test_wrong_usage_is_status_2(run: Run, arguments: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stderr.strip()
    assert "Traceback" not in done.stderr


def test_an_unknown_rule_is_refused_with_the_list(run: Run, sound: Path) -> None:
    done = run("verify", sound, "--only", "accepts-everything")
    assert done.returncode == 2
    assert "accepts-nothing" in done.stderr


def test_both_at_once_in_files_and_in_the_summary(run: Run, sound: Path, broken: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    done = run(
        "verify", tmp_path / "environments", "--json", tmp_path / "r.json", "--sarif", tmp_path / "r.sarif",
        GITHUB_STEP_SUMMARY=str(summary),
    )  # fmt: skip
    assert done.returncode == 1
    body = json.loads((tmp_path / "r.json").read_text())
    jsonschema.validate(body, report_schema())
    assert {item["environment"]["name"]: item["verdict"] for item in body["results"]} == {
        "sound-one": "pass",
        "broken-one": "fail",
    }
    assert Report.from_json((tmp_path / "r.json").read_text()).exit_code == 1
    sarif = json.loads((tmp_path / "r.sarif").read_text())
    assert sarif["version"] == "2.1.0"
    assert any(result["ruleId"] == "accepts-nothing" for result in sarif["runs"][0]["results"])
    assert "broken-one" in summary.read_text()


def test_out_writes_the_chosen_form(run: Run, sound: Path, tmp_path: Path) -> None:
    done = run("verify", sound, "--format", "json", "--out", tmp_path / "deep" / "report.json")
    assert done.returncode == 0
    assert done.stdout == ""
    assert json.loads((tmp_path / "deep" / "report.json").read_text())["verdict"] == "pass"


def test_an_unwritable_place_is_status_4_with_a_word_on_it(run: Run, sound: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = run("verify", sound, "--out", tmp_path / "file" / "report.txt")
    assert done.returncode == 4
    assert "cannot be written" in done.stderr


def test_running_without_a_jail_must_be_typed_out_and_marks_the_report(run: Run, sound: Path) -> None:
    done = run("verify", sound, "--unsafe-no-jail", "--format", "json")
    body = json.loads(done.stdout)
    assert body["jail"] == {"backend": "none", "isolated": False, "detail": body["jail"]["detail"]}
    assert "UNSAFE" in body["jail"]["detail"]
    jailed = json.loads(run("verify", sound, "--format", "json").stdout)
    assert jailed["jail"]["isolated"] is True


def test_no_jail_is_status_4_and_names_the_remedy(run: Run, sound: Path, tmp_path: Path) -> None:
    done = run("verify", sound, "--jail", "docker", DOCKER_HOST=f"unix://{tmp_path}/no.sock")
    assert done.returncode == 4
    assert "docker.io" in done.stderr
    assert "nothing was run" in done.stderr


# --- the others ------------------------------------------------------------------------------------------------------


def test_play_shows_the_task_and_scores_a_file(run: Run, sound: Path) -> None:
    shown = run("play", sound)
    assert shown.returncode == 0
    first_line = (sound / "task.md").read_text().splitlines()[0]
    assert first_line in shown.stdout
    right = run("play", sound, sound / "solutions" / "reference.py")
    assert right.returncode == 0
    assert "(accepted)" in right.stdout
    (sound / "wrong.py").write_text("def nothing(): pass\n")
    wrong = run("play", sound, sound / "wrong.py")
    assert wrong.returncode == 1
    assert "no output" in wrong.stdout


def test_list_shows_what_there_is_and_what_is_broken(run: Run, sound: Path, broken: Path, tmp_path: Path) -> None:
    (broken / "env.yaml").write_text("schema: 1\n")
    done = run("list")
    assert done.returncode == 0
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert "function" in lines["sound-one"]
    assert "broken" in lines["broken-one"]
    assert run("list", tmp_path / "nowhere").returncode == 2


def test_new_lays_down_an_environment_once(run: Run, tmp_path: Path) -> None:
    first = run("new", "my-task", "--kind", "answer")
    assert first.returncode == 0
    assert (tmp_path / "environments" / "my-task" / "env.yaml").is_file()
    assert run("new", "my-task", "--kind", "answer").returncode == 2
    assert run("new", "Not A Slug", "--kind", "answer").returncode == 2


def test_explain_prints_a_page_lists_and_guesses(run: Run) -> None:
    assert run("explain", "accepts-echo").stdout.startswith("# accepts-echo\n")
    assert "accepts-echo" in run("explain").stdout
    wrong = run("explain", "accept-echo")
    assert wrong.returncode == 2
    assert "Did you mean accepts-echo?" in wrong.stderr


@pytest.mark.parametrize("which", ["env", "report"])
def test_schema_prints_what_is_published(run: Run, which: str) -> None:
    published = (REPOSITORY / "docs" / f"{which}.schema.json").read_text()
    assert run("schema", which).stdout == published, "run `make schema`"


def test_the_rule_pages_are_what_explain_writes(run: Run, tmp_path: Path) -> None:
    run("explain", "--out", tmp_path / "rules")
    written = {file.name: file.read_text() for file in (tmp_path / "rules").iterdir()}
    published = {file.name: file.read_text() for file in (REPOSITORY / "docs" / "rules").iterdir()}
    assert written == published, "run `make schema`"


def test_the_readme_names_only_what_exists() -> None:
    import re

    text = (REPOSITORY / "README.md").read_text()
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        assert (REPOSITORY / target).exists(), target
    assert os.access(REPOSITORY / ".ci" / "run", os.X_OK)
