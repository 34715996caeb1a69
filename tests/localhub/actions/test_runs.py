"""The shipped workflows, run for real: what the bot is told, whatever a pull request brings."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jwt
import pytest

from bot.ingest import read
from bot.oidc import Expected, verify
from envbounty.findings import Report, Verdict
from envbounty.scaffold import new_environment

pytestmark = pytest.mark.act

ENVIRONMENT = {"environments/one/env.yaml": "name: one\n", "environments/one/task.md": "text\n"}


def results(run: Any) -> dict[str, str]:
    return {job.name: job.conclusion for job in run.jobs}


def sound(folder: Path) -> dict[str, bytes]:
    """What `envbounty new` lays down, by paths in a repository."""
    files = new_environment(folder, "my-walk", "actions", author="Sam")
    return {f"environments/{file.relative_to(folder)}": file.read_bytes() for file in files}


# --- the whole way ----------------------------------------------------------------------------------------------------


def test_a_sound_environment_is_verified_and_the_bot_is_told_by_whom(real: Any) -> None:
    world = real
    pull = world.stranger.open_pull(world.repo, sound(world.home / "new"))

    run = world.dispatch(pull)

    told = world.told(run)
    assert (run.conclusion, results(run)) == (
        "success",
        {"verify / sandbox": "success", "verify / report": "success"},
    )
    report = Report.from_json(json.dumps(told["report"]))
    assert report.verdict is Verdict.PASS, told
    assert [result.environment.path for result in report.results] == ["environments/my-walk"]
    assert told["head_sha"] == pull.head
    (artifact,) = run.artifacts
    assert told["artifact"] == {"id": artifact.id, "digest": artifact.digest, "size": len(artifact.data)}
    ((claims, _),) = world.bot.posts
    trusted = "0123456789abcdef0123456789abcdef01234567"
    assert claims["workflow_ref"] == "acme/bounties/.github/workflows/verify.yml@refs/heads/main"
    assert claims["job_workflow_ref"] == f"envbounty/envbounty/.github/workflows/verify.yml@{trusted}"
    assert claims["job_workflow_sha"] == trusted
    assert claims["repository_id"] == str(world.repo.id)
    assert claims["actor_id"] == str(world.maintainer.user.id)
    assert claims["check_run_id"] == str(run.jobs[1].id)
    # What is posted is what the bot takes, and takes once.
    ((token, body),) = world.bot.raw
    repo = world.repo
    expected = Expected(
        issuer=world.issuer.url,
        audience="https://bot.example",
        repository_id=str(repo.id),
        owner_id=str(repo.owner.id),
        ref="refs/heads/main",
        workflow_ref=f"acme/bounties/{run.workflow_path}@refs/heads/main",
        job_workflow_refs=frozenset({f"envbounty/envbounty/.github/workflows/verify.yml@{trusted}"}),
        runner="github-hosted",
        run_id=str(run.id),
        run_attempt="1",
        actor_id=str(run.actor.id),
    )
    keys = {key.kid: jwt.PyJWK(key.public()) for key in world.issuer.keys}
    known = verify(token, keys, expected, datetime.now(UTC), lambda jti, until: True)
    assert known.unknown == ()  # no claim that the bot has not heard of
    posted = read(body)
    assert (posted.tier, posted.head, posted.report) == ("verify", pull.head, report)


def test_a_report_that_says_fail_is_a_report(world: Any) -> None:
    failing = {**json.loads((world.home / "sound.json").read_text())}
    failing["results"][0]["verdict"] = failing["verdict"] = "fail"
    (world.home / "fail.json").write_text(json.dumps(failing))
    world.envbounty('cp "$home/fail.json" "$json"; exit 1')

    run = world.dispatch(world.stranger.open_pull(world.repo, ENVIRONMENT))

    assert world.told(run)["report"]["verdict"] == "fail"
    assert run.conclusion == "success"  # the jobs did what they were for; the verdict is the bot's business


def test_a_tier_that_this_version_has_not_is_no_pass(world: Any) -> None:
    world.envbounty("exit 2")

    run = world.dispatch(world.stranger.open_pull(world.repo, ENVIRONMENT), "gpu-bench")

    told = world.told(run)
    assert told["report"] is None
    assert told["trouble"] == "This version of envbounty has no gpu-bench tier."


def test_a_tier_that_is_there_runs(world: Any) -> None:
    world.envbounty(world.honest("attack"))

    run = world.dispatch(world.stranger.open_pull(world.repo, ENVIRONMENT), "attack")

    assert world.told(run)["report"]["tier"] == "attack"


def test_where_no_environment_differs_there_is_nothing_to_say(world: Any) -> None:
    run = world.dispatch(world.stranger.open_pull(world.repo, {"README.md": "better\n"}))

    assert "nothing to examine" in world.told(run)["trouble"]


# --- hostile pull requests --------------------------------------------------------------------------------------------


def test_a_pull_request_that_edits_the_workflows_changes_nothing(world: Any) -> None:
    marker = world.home / "PWNED"
    steps = f"steps: [{{shell: bash, run: touch {marker}}}]"
    workflow = (
        "on: {workflow_dispatch: {}, pull_request: {}}\npermissions: write-all\n"
        f"jobs: {{sandbox: {{runs-on: ubuntu-24.04, {steps}}}}}\n"
    )
    action = f"runs: {{using: composite, {steps}}}\n"
    files = {f".github/workflows/{tier}.yml": workflow for tier in ("verify", "attack", "gpu-bench")}
    files |= {f"actions/{name}/action.yml": action for name in ("fetch", "verify", "report")}

    run = world.dispatch(world.stranger.open_pull(world.repo, {**ENVIRONMENT, **files}))

    assert world.told(run)["report"]["verdict"] == "pass"
    assert not marker.exists()
    assert list(results(run)) == ["verify / sandbox", "verify / report"]


def test_titles_branches_and_names_full_of_shell_are_text(world: Any) -> None:
    evil = "$(touch ${HOME}/PWNED)`touch PWNED`;touch${IFS}PWNED"
    files = {
        "environments/$(touch PWNED)/env.yaml": "name: one\n",
        "environments/'; touch PWNED; '/env.yaml": "name: one\n",
        "environments/x\n::error::forged\n::add-path::evil/env.yaml": "name: one\n",
    }
    title = f'${{{{ github.token }}}} "; {evil} #'
    pull = world.stranger.open_pull(world.repo, files, title=title, branch="a;touch${IFS}PWNED;$(touch${IFS}PWNED)")

    run = world.dispatch(pull)

    assert world.told(run)["report"]["verdict"] == "pass"
    assert not list(world.home.rglob("PWNED"))
    assert not Path("PWNED").exists()
    assert "❗  ::error::forged" not in run.jobs[0].log


@pytest.mark.parametrize(
    ("does", "why"),
    [
        ('ln -s /etc/passwd "$json"', "no sound JSON"),
        ('head -c 5000000 /dev/zero | tr "\\0" " " >"$json"', "larger than 4 MiB"),
        ('cp "$home/sound.json" "$json.txt"', "without a report"),
        ('mkdir -p "$json" && cp "$home/sound.json" "$json/x"', "report.json and nothing else"),
    ],
    ids=["link", "huge", "other name", "folder"],
)
def test_a_forged_report_becomes_a_trouble(world: Any, does: str, why: str) -> None:
    world.envbounty(f"{does}; exit 0")

    run = world.dispatch(world.stranger.open_pull(world.repo, ENVIRONMENT))

    told = world.told(run)
    assert told["report"] is None
    assert why in told["trouble"]


# --- a sandbox that somebody has taken over ---------------------------------------------------------------------------

#: What code that is out of its jail can do: read the variables of the processes above it.
STEAL = """
stolen() { # NAME: its value in any process above this one
    local pid=$$
    while ((pid > 1)); do
        tr '\\0' '\\n' </proc/$pid/environ 2>/dev/null | sed -n "s/^$1=//p" | head -1
        pid=$(awk '{print $4}' /proc/$pid/stat)
    done | head -1
}
"""


def test_a_taken_over_sandbox_cannot_say_who_it_is(world: Any) -> None:
    ask = f"{world.issuer.request_url}&audience=x"
    world.envbounty(
        f"{STEAL}\n"
        f'stolen ACTIONS_ID_TOKEN_REQUEST_URL >"$home/url"; stolen ACTIONS_ID_TOKEN_REQUEST_TOKEN >"$home/request"\n'
        f'stolen ACTIONS_RUNTIME_TOKEN >"$home/runtime"\n'
        f"for token in $(stolen ACTIONS_RUNTIME_TOKEN) guess; do\n"
        f'    "$home/http" GET "{ask}" "$token" >>"$home/answers"\n'
        f"done\n" + world.honest()
    )

    run = world.dispatch(world.stranger.open_pull(world.repo, ENVIRONMENT))

    assert (world.home / "runtime").read_text().strip()  # the theft works: this is no test of the jail
    assert (world.home / "url").read_text() == (world.home / "request").read_text() == ""
    assert (world.home / "answers").read_text().split() == ["401", "401"]
    assert len(world.issuer.minted) == 1  # the report job's own
    assert world.told(run)


def test_an_artifact_that_was_there_first_is_not_taken_for_the_report(world: Any) -> None:
    """With the runtime token one can upload under the name that the job will use, and fill the run with others."""
    forged = '{"forged": true}'
    world.envbounty(
        f"{STEAL}\n"
        f"echo '{forged}' >report.json\n"
        "python3 -c \"import zipfile; zipfile.ZipFile('f.zip', 'w').write('report.json')\"\n"
        "results=$(stolen ACTIONS_RESULTS_URL) token=$(stolen ACTIONS_RUNTIME_TOKEN)\n"
        "for name in report results report.json $(seq 9); do\n"
        '    "$home/http" POST "${results}artifacts?name=$name" "$token" f.zip\n'
        "done\n" + world.honest()
    )

    run = world.dispatch(world.stranger.open_pull(world.repo, ENVIRONMENT))

    told = world.told(run)
    assert len(run.artifacts) == 12
    assert (told["artifact"], told["report"]) == (None, None)
    assert told["trouble"] == "The sandbox job failed before there was a report. Its log says more."


def test_a_sandbox_that_dies_ends_in_a_trouble(world: Any) -> None:
    world.envbounty("kill -9 $PPID; sleep 30")

    run = world.dispatch(world.stranger.open_pull(world.repo, ENVIRONMENT))

    assert "without a report" in world.told(run)["trouble"]


def test_a_sandbox_whose_machine_dies_ends_in_a_trouble(world: Any) -> None:
    act = os.path.realpath(world.runner.act)
    world.envbounty(
        'pid=$$; while ((pid > 1)); do\n'
        f'    if [[ $(readlink /proc/$pid/exe) == {act} ]]; then kill -9 $pid; fi\n'
        "    pid=$(awk '{print $4}' /proc/$pid/stat)\n"
        "done; sleep 1"
    )

    run = world.dispatch(world.stranger.open_pull(world.repo, ENVIRONMENT))

    assert results(run) == {"verify / sandbox": "failure", "verify / report": "success"}
    assert "failed before there was a report" in world.told(run)["trouble"]


def test_a_sandbox_that_goes_on_for_ever_is_ended(world: Any) -> None:
    world.runner._seconds = 2.0
    world.envbounty("exec sleep 600")

    run = world.dispatch(world.stranger.open_pull(world.repo, ENVIRONMENT))

    assert results(run)["verify / sandbox"] == "timed_out"
    world.runner._seconds = 100.0


# --- what the bot asks for --------------------------------------------------------------------------------------------


def test_a_cancelled_run_ends_everywhere_and_says_nothing(world: Any) -> None:
    world.envbounty('echo $$ >"$home/pid.new"; mv "$home/pid.new" "$home/pid"; exec sleep 600')
    run = world.dispatch(world.stranger.open_pull(world.repo, ENVIRONMENT), wait=False)
    world.until((world.home / "pid").exists)

    world.maintainer.call("POST", f"/repos/acme/bounties/actions/runs/{run.id}/cancel")
    world.until(lambda: run.status == "completed")

    assert run.conclusion == "cancelled"
    assert results(run) == {"verify / sandbox": "cancelled"}
    assert world.bot.posts == []
    pid = int((world.home / "pid").read_text())
    world.until(lambda: not Path(f"/proc/{pid}").exists())


def test_a_commit_that_is_not_there_is_a_trouble(world: Any) -> None:
    run = world.dispatch(world.stranger.open_pull(world.repo, ENVIRONMENT), head_sha="f" * 40)

    assert results(run)["verify / sandbox"] == "failure"
    assert "failed before there was a report" in world.told(run)["trouble"]


def test_inputs_out_of_shape_run_nothing(world: Any) -> None:
    marker = world.home / "PWNED"
    run = world.dispatch(
        world.stranger.open_pull(world.repo, ENVIRONMENT), head_sha=f"$(touch {marker})", pr="1; touch PWNED"
    )

    assert results(run) == {"verify / sandbox": "failure", "verify / report": "failure"}
    assert not marker.exists()
    assert world.bot.posts == []


def test_the_head_may_move_and_the_named_commit_is_tested(world: Any) -> None:
    world.envbounty('cp environments/one/task.md "$home/seen"; ' + world.honest())
    pull = world.stranger.open_pull(world.repo, ENVIRONMENT)
    first = pull.head
    world.stranger.push_to(pull, {"environments/one/task.md": "another\n"}, force=True)

    run = world.dispatch(pull, head_sha=first)

    assert world.told(run)["head_sha"] == first
    assert (world.home / "seen").read_text() == "text\n"
