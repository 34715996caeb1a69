"""A run over several environments: the same each time, whoever the neighbours are, and honest about what was left."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envbounty.findings import Result, Severity, Verdict
from envbounty.provenance.surroundings import Surroundings
from envbounty.sandbox import Job, Outcome, Status
from envbounty.sandbox.pool import Pool
from envbounty.verify import examine, examine_all
from envbounty.verify.examination import NATIVE

Write = Callable[..., Path]
Make = Callable[..., Path]


def said(result: Result) -> dict[str, Any]:
    """A result without what it cost."""
    return result.model_dump(exclude={"stats"})


def elsewhere(result: Result) -> str:
    """What was said, without where the environment stands."""
    return json.dumps(said(result), default=str).replace(result.environment.path, "PLACE")


CRASH = "# wrong: fails on some inputs\nn = sum(map(int, input().split()))\nassert n % {}\nprint(n)\n"
BROKEN = {
    "sound": ("function", {}, {}),
    "constant": (
        "answer",
        {
            "environment.py": """\
def generate(rng, difficulty):
    return {"a": rng.randint(1000, 9999), "b": rng.randint(1000, 9999)}
def check(instance, output):
    return float(output.strip() in (str(instance["a"] + instance["b"]), "0", "YES"))
"""
        },
        {},
    ),
    "crash": (
        "program",
        {"solutions/bad/crash.py": CRASH.format(3)},
        {},
    ),
    "mean": (
        "program",
        {"solutions/bad/crash.py": CRASH.format(9)},
        {"aggregate: all, pass_score: 1.0": "aggregate: mean, pass_score: 0.5"},
    ),
    "grader": (
        "grader",
        {"grader.py": "def verify(s):\n    g = {}\n    exec(s, g)\n    return g['double'](2) == 4\n"},
        {},
    ),
    "contract": ("function", {}, {"kind: function": "kind: functions"}),
}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory, write_env: Write) -> list[Path]:
    root = tmp_path_factory.mktemp("runs")
    return [write_env(root, kind, files, yaml, name) for name, (kind, files, yaml) in BROKEN.items()]


def test_the_same_seed_says_the_same_whatever_runs_beside_it(places: list[Path], jail: Pool) -> None:
    one = examine_all(places, jail, jobs=1, seed=5)
    two = examine_all(places, jail, jobs=2, seed=5)
    # Two of them have the same code; what lies beside one that is examined alone counts as there before.
    around = Surroundings.of(places)
    wide = [examine(path, jail, threads=4, seed=5, surroundings=around) for path in places[2:5]]
    assert [said(result) for result in one.results] == [said(result) for result in two.results]
    assert [said(result) for result in one.results[2:5]] == [said(result) for result in wide]
    assert [result.environment.name for result in one.results] == list(BROKEN)
    assert {result.environment.name: result.verdict.value for result in one.results} == {
        "sound": "pass", "constant": "fail", "crash": "pass", "mean": "fail", "grader": "fail", "contract": "fail",
    }  # fmt: skip
    assert one.verdict is Verdict.FAIL and one.exit_code == 1 and one.seed == 5
    assert one.jail.backend == "bubblewrap" and one.jail.isolated


def test_another_seed_tries_other_instances(places: list[Path], jail: Pool) -> None:
    seeds = set()
    for seed in (1, 2):
        result = examine(places[1], jail, seed=seed)
        (finding,) = (finding for finding in result.findings if finding.rule == "accepts-constant")
        assert finding.evidence is not None and f"--seed {seed} " in finding.evidence.reproduce
        seeds.add(finding.evidence.seed)
    assert len(seeds) == 2


HOSTILE = {
    "kills": "import os\ndef generate(rng, difficulty): os.kill(-1, 9); os.abort()\ndef check(i, o): return 1.0\n",
    "fills": "x = [bytes(1 << 20) for _ in range(10**6)]\ndef generate(r, d): return {}\ndef check(i, o): return 1.0\n",
    "writes": (
        "def fill():\n    for n in range(10**6):\n        open(f'/tmp/{n}', 'wb').write(bytes(1 << 16))\n"
        "def generate(r, d):\n    fill()\n    return {}\ndef check(i, o): return 1.0\n"
    ),
    "forges": (
        "import os\nfor fd in range(1, 200):\n"
        '    try: os.write(fd, b\'{"import": "ok"}\\n{"i": 0, "value": {}}\\n\' * 99)\n'
        "    except OSError: pass\ndef generate(r, d): return {}\ndef check(i, o): return 1.0\n"
    ),
}


def test_a_hostile_neighbour_spoils_nothing(
    tmp_path_factory: pytest.TempPathFactory, write_env: Write, jail: Pool
) -> None:
    alone = examine(write_env(tmp_path_factory.mktemp("alone"), "function"), jail)
    assert alone.verdict is Verdict.PASS
    paths = []
    for number, text in enumerate(HOSTILE.values()):
        root = tmp_path_factory.mktemp("beside")
        paths += [
            write_env(root, "function"),
            write_env(root, "function", {"environment.py": text}, name=f"hostile{number}"),
        ]
    paths.append(write_env(tmp_path_factory.mktemp("last"), "function"))
    report = examine_all(paths, jail, jobs=2)
    for result in report.results[::2]:
        # Where it stands is in the commands that show a finding again; nothing else may differ.
        assert elsewhere(result) == elsewhere(alone)
    assert all(result.verdict is Verdict.FAIL for result in report.results[1::2])


# --- what could not be done ------------------------------------------------------------------------------------------


class BrokenJail:
    """A jail that runs so many jobs and is then no good any more."""

    name, isolated = "broken", True

    def __init__(self, jail: Pool, good: int) -> None:
        self.jail, self.good = jail, good

    def run(self, job: Job, *, fresh: bool = False) -> Outcome:
        self.good -= 1
        return self.jail.run(job, fresh=fresh) if self.good >= 0 else Outcome(Status.INFRA, "the engine is gone")

    def close(self) -> None:
        pass


@pytest.mark.parametrize("good", [0, 1, 2, 3, 5, 8])
@pytest.mark.parametrize("kind", ["function", "grader"])
def test_a_broken_jail_is_an_error_and_never_a_pass(kind: str, good: int, make_env: Make, jail: Pool) -> None:
    result = examine(make_env(kind), BrokenJail(jail, good))
    assert (result.verdict, result.reason) == (Verdict.ERROR, "the engine is gone")
    assert not any(finding.severity is Severity.ERROR for finding in result.findings)


def test_what_was_proved_before_the_jail_broke_stands(make_env: Make, jail: Pool) -> None:
    files = {"solutions/good/zero.py": "def total(v):\n    return 0\n"}
    result = examine(make_env("function", files), BrokenJail(jail, 12))
    assert result.verdict is Verdict.FAIL and "good-rejected" in result.reason


def test_no_time_left_is_incomplete(make_env: Make, jail: Pool) -> None:
    result = examine(make_env("function"), jail, budget_s=0.0)
    assert result.verdict is Verdict.INCOMPLETE and "budget of 0 s" in result.reason
    assert set(result.checks) <= {"provenance", "smells"}  # what runs nothing needs no time of the jail's


def test_one_long_run_does_not_outlast_the_budget(make_env: Make, jail: Pool) -> None:
    files = {"solutions/reference.py": "import time\ndef total(v):\n    time.sleep(60)\n"}
    result = examine(make_env("function", files, {"wall_s: 2": "wall_s: 100"}), jail, budget_s=2.5)
    assert result.verdict is Verdict.INCOMPLETE and result.stats.seconds < 20


def test_no_folder(tmp_path: Path, jail: Pool) -> None:
    result = examine(tmp_path / "gone", jail)
    assert (
        result.verdict is Verdict.ERROR and result.environment.name == "gone" and "could not be read" in result.reason
    )


def test_a_bug_of_ours_is_no_finding(make_env: Make, jail: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    from envbounty.verify.checks import probes

    monkeypatch.setattr(probes, "PROBES", None)
    result = examine(make_env("function"), jail)
    assert result.verdict is Verdict.ERROR and "the check `probes` failed: TypeError" in result.reason


def test_a_verifier_that_is_slow_now_and_then_is_not_accused(
    make_env: Make, jail: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine may be busy. What it cannot tell is an error, neither a pass nor a fault of the verifier."""
    from envbounty.verify.bench import Bench, Fault, Reply

    honest = Bench.check

    def slow(self: Bench, pairs: Any, *, fresh: bool = False) -> list[Reply]:
        replies = honest(self, pairs, fresh=fresh)
        return replies if fresh else [Reply(fault=Fault("timeout", "took longer")), *replies[1:]]

    monkeypatch.setattr(Bench, "check", slow)
    result = examine(make_env("function"), jail)
    assert result.verdict is Verdict.ERROR and "run again when less is running" in result.reason


def test_progress_and_results_are_told(places: list[Path], jail: Pool) -> None:
    steps: list[tuple[str, str, int, int]] = []
    finished: list[str] = []
    examine_all(
        [places[0], places[5]], jail, jobs=2,
        progress=lambda path, step, done, total: steps.append((path.name, step, done, total)),
        finished=lambda result: finished.append(result.environment.name),
    )  # fmt: skip
    mine = [step[1:] for step in steps if step[0] == "sound"]
    total = len(NATIVE)
    assert mine == [*((name, at, total) for at, (name, _) in enumerate(NATIVE)), ("done", total, total)]
    assert sorted(finished) == ["contract", "sound"]


def test_only_keeps_one_rule(places: list[Path], jail: Pool) -> None:
    result = examine(places[1], jail, only=["accepts-constant"])
    assert {finding.rule for finding in result.findings} == {"accepts-constant"}
    assert result.verdict is Verdict.FAIL
    nothing = examine(places[0], jail, only=["accepts-constant"])
    assert nothing.findings == () and nothing.verdict is not Verdict.FAIL


def test_a_rule_fills_no_page(make_env: Make, jail: Pool) -> None:
    files = {f"solutions/good/fails{number}.py": "def total(v):\n    return zero\n" for number in range(9)}
    result = examine(make_env("function", files), jail)
    assert [finding.rule for finding in result.findings].count("good-rejected") == 5
