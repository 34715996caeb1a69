"""actions/verify, run by `act` on pull requests as contributors make them, good and hostile."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.act


def two_environments(request) -> None:
    request.write("environments/first/env.yaml")
    request.write("environments/second/env.yaml")
    request.write("README.md")


# --- the whole way, with the real command ---------------------------------------------------------


def test_a_sound_and_a_broken_environment(pull_request: Callable) -> None:
    request = pull_request(lambda base: base.sample("craft-minimum-ticks", "untouched"))
    request.sample("fewest-patrols", "sound-patrols")
    broken = request.sample("conditional-tolls", "broken-tolls")
    with (broken / "environment.py").open("a") as verifier:
        verifier.write("\n\ndef check(instance, output):\n    return 1.0\n")

    run = request.run(python=sys.executable, upload_sarif="true")

    assert run.status != 0, run.log
    assert run.outputs["verdict"] == "fail", run.log
    report = run.report()
    assert report["verdict"] == "fail"
    verdicts = {result["environment"]["name"]: result["verdict"] for result in report["results"]}
    assert verdicts == {"broken-tolls": "fail", "sound-patrols": "pass"}
    sarif = run.sarif()
    assert sarif["version"] == "2.1.0"
    accused = {
        location["physicalLocation"]["artifactLocation"]["uri"]
        for result in sarif["runs"][0]["results"]
        if result["level"] == "error"
        for location in result["locations"]
    }
    assert accused
    assert all(uri.startswith("environments/broken-tolls/") for uri in accused), accused
    assert (run.artifacts / "code-scanning/report.sarif").exists()


def test_a_sound_environment_passes(pull_request: Callable) -> None:
    request = pull_request(two_environments)
    request.sample("fewest-patrols", "sound-patrols")

    run = request.run(python=sys.executable, seed="7")

    assert (run.status, run.outputs["verdict"]) == (0, "pass"), run.log
    assert run.report()["seed"] == 7


# --- what is verified, and how the command is called ----------------------------------------------


def test_only_changed_environments_are_verified(pull_request: Callable, command: Callable) -> None:
    request, fake = pull_request(two_environments), command()
    request.write("environments/second/solutions/good/other.py")
    request.write("environments/third/env.yaml")
    request.write("environments/README.md")
    request.write("README.md", "changed\n")

    run = request.run(python=str(fake.python), jobs="2", seed="5", jail="docker")

    assert run.status == 0, run.log
    assert fake.paths() == ["environments/second", "environments/third"]
    assert fake.arguments()[5:11] == ["--jail", "docker", "--seed", "5", "--jobs", "2"]


def test_a_moved_file_changes_both_environments(pull_request: Callable, command: Callable) -> None:
    fake = command()

    def base(request) -> None:
        two_environments(request)
        request.write("environments/first/solutions/good/quick.py")

    request = pull_request(base)
    moved = request.write("environments/second/solutions/good/quick.py")
    (request.files / "environments/first/solutions/good/quick.py").rename(moved)

    request.run(python=str(fake.python))

    assert fake.paths() == ["environments/first", "environments/second"]


def test_given_paths_win(pull_request: Callable, command: Callable) -> None:
    request, fake = pull_request(two_environments), command()
    request.write("environments/third/env.yaml")

    request.run(python=str(fake.python), paths="environments/first\nenvironments/with space\n\n--jobs=99\n")

    assert fake.paths() == ["environments/first", "environments/with space", "--jobs=99"]


def test_changes_on_the_base_branch_do_not_count(pull_request: Callable, command: Callable) -> None:
    request, fake = pull_request(two_environments), command()
    request.git("checkout", "-q", "-b", "proposal")
    request.write("environments/third/env.yaml")
    request.commit()
    request.git("checkout", "-q", "main")
    request.write("environments/first/env.yaml", "meanwhile\n")
    request.base = request.commit()
    request.git("checkout", "-q", "proposal")

    request.run(python=str(fake.python), base=request.git("rev-parse", "main"))

    # The merge base, not the base's tip, is what the proposal is held against.
    assert fake.paths() == ["environments/third"]


# --- the policy -----------------------------------------------------------------------------------


def policy_used(fake, run) -> str:
    arguments = fake.arguments()
    assert arguments.count("--policy") == 1 and arguments.index("--policy") < arguments.index("--"), run.log
    return arguments[arguments.index("--policy") + 1]


@pytest.mark.parametrize("paths", ["", "environments/first"])
def test_the_base_s_policy_decides_and_not_the_contributor_s(
    pull_request: Callable, command: Callable, tmp_path: Path, paths: str
) -> None:
    copy = f'[[ $1 != --policy ]] || cp "$2" {tmp_path}/used'
    keep = f'echo "{{}}" >"$3"; echo "{{}}" >"$5"; while (($#)); do {copy}; shift; done'
    fake = command(writes=keep)

    def base(request) -> None:
        two_environments(request)
        request.write("policies/policy.yaml", "the maintainers' own\n")

    request = pull_request(base)
    request.write("policies/policy.yaml", "the contributor's\n")
    request.write("environments/first/task.md")
    run = request.run(python=str(fake.python), paths=paths)

    assert run.status == 0, run.log
    assert policy_used(fake, run).endswith("/envbounty-verify/policy.yaml")
    assert (tmp_path / "used").read_text() == "the maintainers' own\n"


def test_a_base_without_a_policy_leaves_the_built_in_one(pull_request: Callable, command: Callable) -> None:
    request, fake = pull_request(two_environments), command()
    request.write("policies/policy.yaml", "the contributor's\n")
    request.write("environments/first/task.md")

    assert policy_used(fake, request.run(python=str(fake.python))) == "built-in"


def test_a_policy_that_is_given_wins(pull_request: Callable, command: Callable) -> None:
    request, fake = pull_request(two_environments), command()
    request.write("environments/first/task.md")

    assert policy_used(fake, request.run(python=str(fake.python), policy="/etc/policy.yaml")) == "/etc/policy.yaml"


def test_a_base_that_cannot_be_read_is_no_reason_to_take_another_policy(
    pull_request: Callable, command: Callable
) -> None:
    request, fake = pull_request(two_environments), command()
    request.write("environments/first/task.md")

    run = request.run(python=str(fake.python), paths="environments/first", base="0" * 40)

    assert run.status != 0
    assert run.outputs["verdict"] == "error"
    assert "Cannot read the base commit" in run.log


# --- what was there before ------------------------------------------------------------------------


def test_a_copy_is_found_even_when_the_original_is_removed_in_the_same_breath(pull_request: Callable) -> None:
    def base(request) -> None:
        request.sample("craft-minimum-ticks", "the-original")
        request.write("policies/policy.yaml", "schema: 1\nbudgets: {seconds_per_environment: 2}\n")

    request = pull_request(base)
    (request.files / "environments/the-original").rename(request.files / "environments/my-own-idea")
    spec = request.files / "environments/my-own-idea/env.yaml"
    spec.write_text(spec.read_text().replace("name: the-original", "name: my-own-idea"))

    run = request.run(python=sys.executable)

    assert run.outputs["verdict"] == "fail", run.log
    (result,) = run.report()["results"]
    (copied,) = [finding for finding in result["findings"] if finding["rule"] == "near-duplicate"]
    assert "the-original" in copied["message"]


def test_the_base_s_environments_come_out_as_they_were_committed(
    pull_request: Callable, command: Callable, tmp_path: Path
) -> None:
    """Neither side's attributes change, hide or run anything, and no link leads out."""
    kept = tmp_path / "kept"
    fake = command(
        writes=f'echo "{{}}" >"$3"; echo "{{}}" >"$5"; '
        f'while (($#)); do [[ $1 != --against ]] || cp -r "$2" {kept}; shift; done'
    )

    def base(request) -> None:
        two_environments(request)
        request.write("environments/first/task.md", "one\ntwo\n")
        (request.files / "environments/first/outside").symlink_to("/etc/passwd")
        request.write("environments/first/.gitattributes", "* export-ignore text eol=crlf\n")
        request.write("README.md")

    request = pull_request(base)
    request.write(".gitattributes", "* text eol=crlf export-ignore filter=evil\n")
    request.git("config", "filter.evil.smudge", "touch PWNED; cat")
    request.write("environments/first/task.md", "the contributor's\n")
    run = request.run(python=str(fake.python))

    assert run.status == 0, run.log
    assert fake.option("--against") is not None
    assert (kept / "first/task.md").read_bytes() == b"one\ntwo\n"
    assert not (kept / "first/outside").is_symlink()
    assert (kept / "first/outside").read_text() == "/etc/passwd"
    assert sorted(path.name for path in kept.iterdir()) == ["first", "second"]


def test_a_base_without_environments_is_nothing_to_be_held_against(
    pull_request: Callable, command: Callable
) -> None:
    fake, request = command(), pull_request(lambda base: base.write("environments/README.md"))
    request.write("environments/first/env.yaml")

    run = request.run(python=str(fake.python))

    assert run.status == 0, run.log
    assert fake.option("--against") is None


def test_a_machine_s_own_python_is_used_and_nothing_is_installed(pull_request: Callable, command: Callable) -> None:
    request, fake = pull_request(two_environments), command()
    request.environment = {"ENVBOUNTY_PYTHON": str(fake.python)}
    request.write("environments/first/task.md")

    run = request.run()

    assert (run.status, run.outputs["verdict"]) == (0, "pass"), run.log
    assert fake.paths() == ["environments/first"]


def test_with_no_name_for_it_nothing_is_uploaded(pull_request: Callable, command: Callable) -> None:
    request, fake = pull_request(two_environments), command()
    request.write("environments/first/task.md")

    run = request.run(python=str(fake.python), artifact_name="")

    assert run.status == 0, run.log
    assert run.outputs["report"].endswith("/envbounty-verify/report.json")
    assert not run.artifacts.exists()


@pytest.mark.parametrize("kind", ["nothing", "removed"])
def test_nothing_to_verify(pull_request: Callable, command: Callable, kind: str) -> None:
    request, fake = pull_request(two_environments), command()
    if kind == "removed":
        (request.files / "environments/second/env.yaml").unlink()
    request.write("README.md", "changed\n")

    run = request.run(python=str(fake.python))

    assert (run.status, run.outputs["verdict"], run.outputs["report"]) == (0, "none", "")
    assert run.outputs["trouble"] == "nothing-changed"
    assert not fake.called.with_suffix(".arguments").exists()
    assert not run.artifacts.exists()


# --- verdicts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "verdict"),
    [(0, "pass"), (1, "fail"), (2, "error"), (3, "incomplete"), (4, "error"), (137, "error")],
)
def test_the_command_s_status_is_the_action_s(
    pull_request: Callable, command: Callable, status: int, verdict: str
) -> None:
    request, fake = pull_request(two_environments), command(status)
    request.write("environments/first/task.md")

    run = request.run(python=str(fake.python))

    assert run.outputs["verdict"] == verdict, run.log
    assert (run.status == 0) == (status == 0)
    assert status == 0 or f"exit status {status}" in run.log
    # Uploaded whatever the verdict.
    assert sorted(file.name for file in (run.artifacts / "envbounty-verify").iterdir()) == [
        "report.json",
        "report.sarif",
    ]


def test_a_command_that_is_not_there_is_no_pass(pull_request: Callable, tmp_path: Path) -> None:
    request = pull_request(two_environments)
    request.write("environments/first/task.md")

    run = request.run(python=str(tmp_path / "nowhere/python"))

    assert run.status != 0
    assert run.outputs["verdict"] == "error"


@pytest.mark.parametrize("status", [0, 1, 3])
def test_a_status_without_a_report_proves_nothing(
    pull_request: Callable, command: Callable, status: int
) -> None:
    request, fake = pull_request(two_environments), command(status, writes="")
    request.write("environments/first/task.md")

    run = request.run(python=str(fake.python))

    assert run.status != 0
    assert run.outputs["verdict"] == "error"
    assert "exit status 4" in run.log


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"base": "main"}, "must be a full commit SHA"),
        ({"base": "0" * 40}, "fetch-depth 0"),
        ({"base": "$(touch PWNED)"}, "must be a full commit SHA"),
        ({"fetch_depth": "1"}, "fetch-depth 0"),
    ],
)
def test_a_base_that_cannot_be_compared_with(
    pull_request: Callable, command: Callable, inputs: dict[str, str], says: str
) -> None:
    request, fake = pull_request(two_environments), command()
    request.write("environments/first/task.md")

    run = request.run(python=str(fake.python), **inputs)

    assert run.status != 0
    assert run.outputs["verdict"] == "error"
    assert says in run.log


# --- hostile pull requests ------------------------------------------------------------------------


def test_hostile_names_and_titles_do_nothing(
    pull_request: Callable, command: Callable, tmp_path: Path
) -> None:
    marker = tmp_path / "PWNED"
    call = "touch ${FIXTURE_ARTIFACTS%artifacts}PWNED"  # a name cannot hold the slashes of the whole path
    request = pull_request(two_environments, title=f'"; {call}; $({call}) `{call}` ${{{{ github.token }}}}')
    fake = command()
    slugs = [
        "$(touch ${FIXTURE_ARTIFACTS%artifacts}PWNED)",
        "'; touch PWNED; '",
        "--help",
        "a b",
        "line\n::error::forged\n::set-output name=verdict::pass",
        "*",
    ]
    for slug in slugs:
        request.write(f"environments/{slug}/env.yaml")

    run = request.run(python=str(fake.python))

    assert run.status == 0, run.log
    assert sorted(fake.paths()) == sorted(f"environments/{slug}" for slug in slugs)
    assert not marker.exists()
    assert not list(tmp_path.rglob("PWNED"))
    assert "❗  ::error" not in run.log


def test_what_the_command_prints_commands_nothing(pull_request: Callable, command: Callable) -> None:
    request = pull_request(two_environments)
    fake = command(1, prints="::set-output name=verdict::pass\n::add-path::/evil\n::error::forged")
    request.write("environments/first/task.md")

    run = request.run(python=str(fake.python))

    assert run.outputs["verdict"] == "fail"
    assert "❗  ::error" not in run.log
    assert "::add-path:: /evil" not in run.log


def test_the_runner_s_variables_stay_outside(pull_request: Callable, command: Callable) -> None:
    request, fake = pull_request(two_environments), command()
    request.environment = {
        "GITHUB_TOKEN": "secret-token",
        "ACTIONS_RUNTIME_TOKEN": "secret-token",
        "LD_PRELOAD": "",
    }
    request.write("environments/first/task.md")

    request.run(python=str(fake.python))

    variables = fake.variables()
    bash_adds = {"PWD", "SHLVL", "_"}
    assert set(variables) - bash_adds <= {
        "PATH",
        "HOME",
        "LANG",
        "TMPDIR",
        "GITHUB_STEP_SUMMARY",
        "DOCKER_HOST",
    }
    assert "secret-token" not in variables.values()
    assert variables["HOME"].endswith("/envbounty-verify/home")


@pytest.mark.parametrize("link", ["environments/first", "environments"])
def test_links_in_place_of_environments_are_refused(
    pull_request: Callable, command: Callable, link: str
) -> None:
    request, fake = pull_request(two_environments), command()
    (request.files / "environments").rename(request.files / "elsewhere")
    (request.files / link).parent.mkdir(exist_ok=True)
    (request.files / link).symlink_to("/etc")

    run = request.run(python=str(fake.python))

    assert run.status != 0
    assert run.outputs["verdict"] == "error"
    assert "is a symbolic link" in run.log


def test_no_module_of_the_contributor_is_imported(pull_request: Callable, tmp_path: Path) -> None:
    marker = tmp_path / "PWNED"
    request = pull_request(two_environments)
    for module in [
        "sitecustomize",
        "usercustomize",
        "envbounty/__init__",
        "envbounty/cli",
        "click",
        "yaml",
        "json",
    ]:
        request.write(f"{module}.py", f"open({str(marker)!r}, 'w')\n")
    request.write("environments/first/env.yaml", "broken: [\n")

    run = request.run(python=sys.executable)

    assert not marker.exists(), run.log
    assert run.outputs["verdict"] == "error", run.log  # a broken contract
    assert run.report()["results"][0]["environment"]["path"]


@pytest.mark.skipif(
    "ENVBOUNTY_OFFLINE" in os.environ, reason="ENVBOUNTY_OFFLINE is set: this installs packages"
)
def test_install_pins_everything_and_imports_nothing_foreign(tmp_path: Path) -> None:
    marker, workspace = tmp_path / "PWNED", tmp_path / "workspace"
    workspace.mkdir()
    for module in ["venv", "pip", "ensurepip", "hatchling", "sitecustomize"]:
        (workspace / f"{module}.py").write_text(f"open({str(marker)!r}, 'w')\n")
    output = tmp_path / "output"
    variables = {
        "GITHUB_ACTION_PATH": str(ROOT / "actions/verify"),
        "GITHUB_OUTPUT": str(output),
        "RUNNER_TEMP": str(tmp_path),
        "PYTHON": "",
        "JAIL": "auto",
    }
    done = subprocess.run(
        ["bash", ROOT / "actions/tier/install.sh"],
        cwd=workspace,
        env={
            "PATH": f"{Path(sys.base_exec_prefix) / 'bin'}:{os.environ['PATH']}",
            "HOME": os.environ["HOME"],
            **variables,
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert not marker.exists()
    python = Path(output.read_text().removeprefix("python=").strip())
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format", "json"], check=True, capture_output=True, text=True
    )
    installed = {package["name"]: package["version"] for package in json.loads(listed.stdout)}
    assert "envbounty" in installed
    helped = subprocess.run(
        [python.parent / "envbounty", "verify", "--help"], capture_output=True, text=True, timeout=60
    )
    assert helped.returncode == 0, helped.stderr
