"""Smells: the rule pack against its fixtures, and the runner against authors who would rather not be looked at."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from envbounty.environment import load
from envbounty.findings import Finding, Result, Severity, Verdict
from envbounty.verify.bench import Bench
from envbounty.verify.checks import probes
from envbounty.verify.checks import smells as check
from envbounty.verify.context import Context
from envbounty.verify.examination import GRADER, NATIVE
from envbounty.verify.rules import RULES
from envbounty.verify.runner import Trouble
from envbounty.verify.smells import Scanner, engine, look
from envbounty.verify.smells.engine import Hit, Reading
from envbounty.verify.smells.scanner import MAX_BYTES, batches
from envbounty.verify.smells.standing import stands
from envbounty.verify.smells.steering import LEADS
from envbounty.verify.tamper import BATTERY, Attempt, Facts, Group, plan, signs
from tests.verify.conftest import BASES
from tests.verify.test_sound import SOUND

FIXTURES = Path(__file__).parents[1] / "policies" / "semgrep"
LEVELS = {"ERROR": Severity.ERROR, "WARNING": Severity.WARNING, "INFO": Severity.NOTE}
Make = Callable[..., Path]


# --- the pack --------------------------------------------------------------------------------------------------------


def packs() -> dict[str, list[dict[str, Any]]]:
    """{family: its rules}."""
    return {file.stem: yaml.safe_load(file.read_text())["rules"] for file in sorted(engine.policies().glob("*.yaml"))}


def ids() -> dict[str, str]:
    """{rule: its family}."""
    return {rule["id"]: family for family, rules in packs().items() for rule in rules}


#: {rule: where its failing and its passing case are}
CASES = {**{rule: f"tests/policies/semgrep/{family}.*" for rule, family in ids().items()}, "smell-unread": "below"}


def marks(text: str) -> tuple[set[tuple[int, str]], set[str]]:
    """What the comments of a fixture promise: the (line, rule) of each `ruleid`, and the rules with an `ok`."""
    wanted: set[tuple[int, str]] = set()
    fine: set[str] = set()
    pending: list[tuple[str, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.fullmatch(r"\s*# (ok|ruleid): (.+)", line):
            pending += [(match[1], rule.strip()) for rule in match[2].split(",")]
            continue
        wanted |= {(number, rule) for kind, rule in pending if kind == "ruleid"}
        fine |= {rule for kind, rule in pending if kind == "ok"}
        pending = []
    return wanted, fine


def test_every_rule_finds_what_its_fixture_marks_and_nothing_else() -> None:
    files = {file.name: file.read_bytes() for file in sorted(FIXTURES.iterdir()) if file.suffix in (".py", ".sh")}
    readings = engine.scan(files)
    families = ids()
    found_cases, fine_cases = set(), set()
    for name, content in files.items():
        wanted, fine = marks(content.decode())
        family = name.split(".")[0]
        # As `semgrep test` does: a fixture speaks for the rules of its own family.
        found = {(hit.line, hit.rule) for hit in readings[name].hits if families[hit.rule] == family}
        assert readings[name].unread == ""
        assert found == wanted, name
        found_cases |= {rule for _, rule in wanted}
        fine_cases |= fine
    assert found_cases == set(families), "rules without a case that is found"
    assert fine_cases == set(families), "rules without a case that is fine"


def test_every_rule_has_a_page_of_the_same_weight() -> None:
    known = {rule.id: rule.severity for rule in RULES.values() if rule.phase == "smells"}
    written = {rule["id"]: LEVELS[rule["severity"]] for rules in packs().values() for rule in rules}
    assert known == {**written, "smell-unread": Severity.WARNING}
    assert len(written) >= 50 and sum(level is Severity.ERROR for level in written.values()) == 5


def test_the_pack_says_nothing_that_the_runner_does_not_know() -> None:
    for rules in packs().values():
        for rule in rules:
            options = rule.get("metadata", {}).get("envbounty", {})
            assert set(options) <= {"dialects", "where", "literal"}
            assert set(options.get("dialects", ())) <= {"native", "grader"}
            assert options.get("where", "entry") == "entry" and rule["message"].endswith((".", "?", "it."))
            if rule["severity"] == "ERROR":
                assert options == {"dialects": ["native"], "where": "entry"}


# --- what it means for an environment --------------------------------------------------------------------------------


@pytest.fixture
def context(make_env: Make) -> Callable[..., Context]:
    """`context(kind, files, yaml, scanner=…)`: a context whose bench has no jail, since none is needed here."""

    def make(
        kind: str,
        files: Mapping[str, str | None] | None = None,
        yaml: Mapping[str, str] | None = None,
        scanner: Scanner | None = None,
    ) -> Context:
        nothing: Any = None
        bench = Bench(load(make_env(kind, files, yaml)), nothing)
        return Context(bench, "envbounty verify tiny", scanner=scanner or Scanner())

    return make


def found(context: Context) -> list[Finding]:
    return list(check.run(context))


def native(body: str, top: str = "", args: str = "instance, output") -> dict[str, str | None]:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    generate = "def generate(rng, difficulty):\n    return {'values': [rng.randint(100, 999) for _ in range(8)]}\n"
    return {"environment.py": f"{top}\n{generate}\ndef check({args}):\n{lines}"}


def test_a_hit_becomes_a_finding(context: Callable[..., Context]) -> None:
    text = "import random\n\n\ndef shape(output):\n    return random.random() if output else random.choice([1])\n"
    source = native("if abs(output - sum(instance['values'])) > 0.5:\n    return 0.0\nreturn 1.0")
    one = context("function", {**source, "tests/shapes.py": text})
    by_rule = {item.rule: item for item in found(one)}
    assert set(by_rule) == {"smell-nan-passes", "smell-absolute-tolerance", "smell-unseeded-random"}
    item = by_rule["smell-nan-passes"]
    assert (item.path, item.line, item.severity) == ("environment.py", 6, Severity.WARNING)
    assert "NaN" in item.message and item.fix == RULES["smell-nan-passes"].fix
    assert item.evidence is not None and item.evidence.reproduce.endswith("--only smell-nan-passes")
    assert item.evidence.detail == "    if abs(output - sum(instance['values'])) > 0.5:\n        return 0.0"
    elsewhere = by_rule["smell-unseeded-random"]
    assert (elsewhere.path, elsewhere.line) == ("tests/shapes.py", 5), "tests are looked at, which Semgrep leaves out"
    assert one.hints == set(by_rule)


def test_one_finding_for_each_rule_and_file(context: Callable[..., Context]) -> None:
    body = "".join(f"    exec(submission, {{{number}: 1}})\n" for number in range(12))
    (item,) = found(context("grader", {"grader.py": f"def verify(submission):\n{body}    return run(submission)\n"}))
    assert (item.rule, item.line) == ("smell-exec-in-process", 2)
    assert item.message.endswith("Also at line 3, 4, 5, 6, 7, 8, 9, 10, ….")


@pytest.fixture
def only_these(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`only_these(check, …)`: the checks that an examination consists of."""

    def choose(*checks: Any) -> None:
        for dialect in ("NATIVE", "GRADER"):
            # By its name: `envbounty.verify.examination` is also the function that the package hands out.
            module = sys.modules["envbounty.verify.examination"]
            monkeypatch.setattr(module, dialect, tuple((str(one), one) for one in checks))

    return choose


def test_every_environment_is_looked_at() -> None:
    assert ("smells", check.run) in NATIVE and ("smells", check.run) in GRADER


def test_an_error_fails_with_its_line_as_evidence(
    examined: Callable[..., Result], only_these: Callable[..., None]
) -> None:
    only_these(check.run)
    text = {
        "environment.py": (
            "def generate(rng, difficulty):\n    return {'a': rng.randint(1000, 9999), 'b': rng.randint(1000, 9999)}\n"
            "def check(instance, output):\n    if not isinstance(output, str):\n        return 0.0\n"
            "    try:\n        value = eval(output)\n    except Exception:\n        return 0.0\n"
            "    return float(type(value) is int and value == instance['a'] + instance['b'])\n"
        )
    }
    result = examined("answer", text)
    (item,) = [item for item in result.findings if item.rule == "smell-runs-output"]
    assert result.verdict is Verdict.FAIL and "smell-runs-output" in result.reason
    assert (item.severity, item.path, item.line) == (Severity.ERROR, "environment.py", 7)
    assert item.evidence is not None and item.evidence.detail == "        value = eval(output)"


CERTAIN = {
    "always": ("smell-always-passes", "return 1.0"),
    "eval": ("smell-runs-output", "return float(eval(output) == 3)"),
    "network": (
        "smell-network",
        "import urllib.request\nreturn urllib.request.urlopen('http://localhost').read() == output",
    ),
    "clock": ("smell-clock-in-score", "import time\nreturn time.time() % 1"),
    "lottery": ("smell-lottery", "import random\nif random.random() < 0.5:\n    return 1.0\nreturn 0.0"),
}
#: Why it may be innocent after all: (what stands above, what is put first in the function, what stands below).
DOUBTS: dict[str, tuple[str, str, str]] = {
    "the function is replaced below": ("", "", "\n\ndef check(instance, output):\n    return 0.0\n"),
    "the name is given to another function": ("", "", "\n\ncheck = judge\n"),
    "an import replaces it": ("", "", "\n\nfrom judges import check\n"),
    "it may be replaced by anything": ("", "", "\n\nglobals()['check'] = judge\n"),
    "its code is replaced": ("", "", "\n\ncheck.__code__ = judge.__code__\n"),
    "it is never reached": ("", "return 0.0", ""),
    "it hangs on a condition": ("", "if instance.get('strange'):", ""),
    "it is decorated": ("@judged", "", ""),
    "everything of a module is imported": ("from judges import *", "", ""),
}


@pytest.mark.parametrize("name", CERTAIN)
def test_what_is_certain_is_an_error(name: str, context: Callable[..., Context]) -> None:
    rule, body = CERTAIN[name]
    assert (rule, Severity.ERROR) in {(item.rule, item.severity) for item in found(context("function", native(body)))}


def doubtful(name: str, doubt: str) -> tuple[str, str]:
    above, first, below = DOUBTS[doubt]
    rule, body = CERTAIN[name]
    if first.endswith(":"):
        body = first + "\n" + "".join(f"    {line}\n" for line in body.splitlines()) + "return 0.0"
    elif first:
        body = f"{first}\n{body}"
    source = native(body)["environment.py"] or ""
    return rule, source.replace("def check", f"{above}\ndef check", 1) + below


@pytest.mark.parametrize("doubt", DOUBTS)
def test_what_may_be_innocent_is_no_error(doubt: str) -> None:
    for name in CERTAIN:
        rule, source = doubtful(name, doubt)
        certain = native(CERTAIN[name][1])["environment.py"] or ""
        words = ("return 1.0", "eval(", "urlopen(", "return time", "random.random")
        line = next(number for number, text in enumerate(certain.splitlines(), 1) if any(w in text for w in words))
        assert stands(rule, certain, line), name
        line = next(number for number, text in enumerate(source.splitlines(), 1) if any(w in text for w in words))
        assert not stands(rule, source, line), name


@pytest.mark.parametrize(
    "guard",
    [
        "if not safe(output):\n    return 0.0",
        "if len(set(output) - set('0123456789+')):\n    return 0.0",
        "text = output",
        "if output != '3':\n    return 0.0",
        "for letter in output:\n    assert letter in '0123'",
    ],
)
def test_an_output_that_is_looked_at_before_it_runs_is_a_warning(guard: str, context: Callable[..., Context]) -> None:
    levels = {item.rule: item.severity for item in found(context("function", native(guard + "\nreturn eval(output)")))}
    assert Severity.ERROR not in levels.values() and levels["smell-evaluates"] is Severity.WARNING


def test_a_type_or_a_length_makes_it_no_safer(context: Callable[..., Context]) -> None:
    body = (
        "if not isinstance(output, str) or type(output) is int or len(output) > 9:\n    return 0.0\nreturn eval(output)"
    )
    levels = {item.rule: item.severity for item in found(context("function", native(body)))}
    assert levels["smell-runs-output"] is Severity.ERROR


def test_rules_of_the_native_dialect_are_for_its_verifier_alone(context: Callable[..., Context]) -> None:
    helper = "def check(instance, output):\n    return 1.0\n"
    sound = native("return float(type(output) is int and output == sum(instance['values']))")
    assert found(context("function", {**sound, "hooks.py": helper})) == []
    grader = (
        "def check(instance, output):\n    return True\n\n\ndef verify(submission):\n    return run(submission) == 8\n"
    )
    assert {item.severity for item in found(context("grader", {"grader.py": grader}))} == {Severity.WARNING}


def test_what_the_task_asks_for_is_no_password(context: Callable[..., Context]) -> None:
    body = "if output == 'impossible':\n    return 1.0\nreturn 0.0"
    assert [item.rule for item in found(context("function", native(body)))] == ["smell-trapdoor"]
    task = {"task.md": "Write `total(values)`, or say Impossible.\n"}
    assert found(context("function", {**native(body), **task})) == []


# --- no false accusations --------------------------------------------------------------------------------------------


HUMANEVAL = """TEST = {test!r}

def verify(submission):
    scope = {{}}
    try:
        exec(submission, scope)
        exec(TEST, scope)
        scope["check"](scope["double"])
    except Exception:
        return False
    return True
"""


def test_sound_environments_smell_of_nothing(write_env: Callable[..., Path], tmp_path: Path) -> None:
    """The samples, the tiny bases, the odd ones of test_sound, and graders as HumanEval has them: notes at most."""
    samples = sorted(file.parent for file in (Path(__file__).parents[2] / "environments").glob("*/env.yaml"))
    assert len(samples) >= 6
    table: dict[str, tuple[str, Any, Any]] = {kind: (kind, None, None) for kind in BASES} | SOUND
    for number in range(3):
        tests = (
            f"def check(candidate):\n    assert candidate({number}) == {2 * number}\n    assert candidate(7) == 14\n"
        )
        table[f"HumanEval {number}"] = ("grader", {"grader.py": HUMANEVAL.format(test=tests)}, None)
    places = {name: write_env(tmp_path / str(number), *row) for number, (name, row) in enumerate(table.items())}
    places |= {sample.name: sample for sample in samples}
    with Scanner() as scanner:
        scanner.start(list(places.values()))
        looks = {name: look(env := load(place), scanner.read(env.code)) for name, place in places.items()}
    loud = {name: [s for s in seen.smells if s.severity is not Severity.NOTE] for name, seen in looks.items()}
    assert {name: smells for name, smells in loud.items() if smells} == {}
    assert not any(seen.unread for seen in looks.values())
    assert not any(looks[sample.name].smells for sample in samples)
    assert looks["HumanEval 1"].rules == {"smell-exec-in-process"}


# --- authors who would rather not be looked at -----------------------------------------------------------------------


def test_the_author_has_no_say(context: Callable[..., Context], tmp_path: Path) -> None:
    loud = "return float(str(sum(instance['values'])) in output)"
    quiet = {
        ".semgrepignore": "*\n",
        ".gitignore": "*\n",
        ".semgrep.yml": "rules: []\n",
        ".semgrep/settings.yml": "has_shown_metrics_notification: true\n",
        "semgrep.yml": "rules:\n  - {id: smell-a, languages: [python], severity: INFO, message: no, pattern: x}\n",
        "pyproject.toml": "[tool.semgrep]\nexclude = ['*']\n",
    }
    source = native(f"{loud}  # nosemgrep\n# nosem: smell-substring", top="# nosemgrep")
    for name in ("tests/test_it.py", "node_modules/a.py", "vendor/b.min.py", ".hidden/c.py", "-d.py", "a b'$(x).py"):
        quiet[name] = f"def judge(instance, output):\n    {loud}  # nosemgrep: smell-substring\n"
    seen = found(context("function", {**source, **quiet}))
    assert {item.rule for item in seen} == {"smell-substring"}
    assert {item.path for item in seen} == {"environment.py", *(name for name in quiet if name.endswith(".py"))}


def test_a_link_is_not_followed(make_env: Make, tmp_path: Path) -> None:
    outside = tmp_path / "outside.py"
    outside.write_text("import random\nx = random.random()\n")
    place = make_env("function")
    (place / "link.py").symlink_to(outside)
    seen: list[str] = []

    def scan(texts: Mapping[str, bytes], stop: threading.Event) -> dict[str, Reading]:
        seen.extend(text.decode() for text in texts.values())
        return {name: Reading() for name in texts}

    with Scanner(scan) as scanner:
        scanner.start([place])
    assert all("random.random" not in text for text in seen)


def test_files_that_cannot_be_read(context: Callable[..., Context]) -> None:
    big = "import random\nx = random.random()\n" + "# filler\n" * (MAX_BYTES // 9)
    (item,) = found(context("function", {"table.py": big}))
    assert (item.rule, item.path, item.severity) == ("smell-unread", "table.py", Severity.WARNING)
    assert "larger than 256 KiB" in item.message
    for text in ("def f(:\n    return 1\n", "x = 1\n\0\n", "# -*- coding: no-such -*-\n", "(" * 300 + ")" * 300):
        with pytest.raises(Trouble, match=r"broken\.py cannot be parsed"):
            found(context("function", {"broken.py": text}))


def test_other_encodings_are_read(context: Callable[..., Context], make_env: Make) -> None:
    one = context("function")
    text = '# -*- coding: latin-1 -*-\nimport random\né = "ÿ"\nx = random.random()\n'
    (one.env.root / "latin.py").write_bytes(text.encode("latin-1"))
    (one.env.root / "mark.py").write_bytes(b"\xef\xbb\xbfimport random\r\nx = random.random()\r\n")
    (one.env.root / "data.bin").write_bytes(bytes(range(256)) * 100)
    env = load(one.env.root)
    seen = look(env, Scanner().read(env.code))
    assert [(item.path, item.line) for item in seen.smells] == [("latin.py", 4), ("mark.py", 2)]


def test_nothing_but_a_closed_port_of_this_machine_is_ever_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        monkeypatch.setattr(engine, "NOWHERE", f"http://127.0.0.1:{server.getsockname()[1]}")
        assert engine.scan({"a.py": b"import random\nrandom.random()\n"})["a.py"].hits
        with pytest.raises(TimeoutError):  # whatever wanted to go out would have come here
            server.accept()


def test_it_works_without_a_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-rn", "true"], capture_output=True).returncode:
        pytest.skip("no network namespace can be made here")
    inner = f'exec -a osemgrep {engine.binary()} "$@"'
    monkeypatch.setattr(
        engine, "binary", lambda: script(tmp_path, f"exec {unshare} -rn bash -c '{inner}' semgrep \"$@\"")
    )
    assert engine.scan({"a.py": b"import random\nrandom.random()\n"})["a.py"].hits


def test_nothing_is_left_at_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    home.mkdir()
    temporary.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setenv("SEMGREP_APP_TOKEN", "secret")
    monkeypatch.setenv("SEMGREP_RULES", "p/default")
    assert "SEMGREP_APP_TOKEN" not in engine.surroundings(home)
    assert engine.scan({"a.py": b"import random\nrandom.random()\n"})["a.py"].hits
    assert list(home.iterdir()) == list(temporary.iterdir()) == []


# --- when Semgrep fails ----------------------------------------------------------------------------------------------


def script(folder: Path, text: str) -> Path:
    file = folder / "program"
    file.write_text(f"#!/bin/bash\n{text}\n")
    file.chmod(0o700)
    return file


ANSWER: dict[str, Any] = {"results": [], "errors": [], "paths": {"scanned": []}, "skipped_rules": []}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("exit 2", "ended with status 2"),
        ("echo out of memory >&2; exit 137", "ended with status 137: out of memory"),
        ("kill -SEGV $$", "ended with status -11"),
        ("sleep 60", "took more than"),
        ("echo '{'", "cannot be read"),
        ("echo '[]'", "cannot be read"),
        (f"echo '{json.dumps({**ANSWER, 'results': [{'path': 'other.py'}]})}'", "cannot be read"),
        (f"echo '{json.dumps({**ANSWER, 'skipped_rules': [{'rule_id': 'smell-a'}]})}'", "left rules out: smell-a"),
        ("head -c 99 /dev/zero", "cannot be read"),
    ],
)
def test_a_run_that_fails_is_trouble(text: str, says: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(engine, "binary", lambda: script(tmp_path, text))
    monkeypatch.setattr(engine, "RUN_S", 0.5)
    with pytest.raises(Trouble, match=re.escape(says)):
        engine.scan({"a.py": b"x = 1\n"})


def test_a_rule_that_cannot_be_used_is_trouble(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text(
        "rules:\n  - {id: a, languages: [python], severity: INFO, message: m, pattern: 'f('}\n"
    )
    with pytest.raises(Trouble, match=r"cannot use its rules|ended with status"):
        engine.scan({"a.py": b"x = 1\n"}, packs=tmp_path)


def errors(kind: Any, **more: Any) -> bytes:
    error = {"type": kind, "level": "warn", "path": "texts/a.py", "message": "m", **more}
    return json.dumps({**ANSWER, "errors": [error], "paths": {"scanned": ["texts/a.py"]}}).encode()


def test_what_it_says_of_a_file() -> None:
    names = frozenset({"a.py"})
    spans = [{"start": {"line": 7}, "end": {"line": 8}}, {"start": {"line": 3}, "end": {"line": 3}}]
    said = engine.read(errors(["PartialParsing", []], spans=spans), names)
    assert said == {"a.py": Reading(unread="Semgrep cannot parse it at line 3, 7")}
    assert engine.read(json.dumps(ANSWER).encode(), names) == {"a.py": Reading(unread="Semgrep did not look at it")}
    for kind in ("Timeout", "Out of memory", "Stack overflow"):
        with pytest.raises(Trouble, match="gave up"):
            engine.read(errors(kind), names)
    with pytest.raises(Trouble, match="cannot use its rules"):
        engine.read(errors("Rule parse error", path=None, level="error"), names)


def test_failing_is_an_error_and_not_a_pass(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    examined: Callable[..., Result],
    only_these: Callable[..., None],
) -> None:
    only_these(probes.run, check.run)
    monkeypatch.setattr(engine, "binary", lambda: script(tmp_path, "exit 2"))
    result = examined("function")
    assert result.verdict is Verdict.ERROR and "Semgrep ended with status 2" in result.reason
    # What others proved stands all the same.
    wrong = native("return 1.0 if output == -1 or output == sum(instance['values']) else 0.0")
    assert examined("function", wrong).verdict is Verdict.FAIL


def test_hints_are_empty_where_nobody_could_look(context: Callable[..., Context]) -> None:
    def fails(texts: Mapping[str, bytes], stop: threading.Event) -> dict[str, Reading]:
        raise Trouble("no")

    one = context("grader", scanner=Scanner(fails))
    assert one.hints == frozenset()
    with pytest.raises(Trouble):
        found(one)


def test_hints_only_change_the_order_of_attacks() -> None:
    sources = ("", "def verify(submission):\n    return subprocess.run(submission).stdout == b'ok'\n")
    for source in sources:
        plain = plan(Facts("double", "", signs(source)))
        for hint in ids():
            hinted = plan(Facts("double", "", signs(source, frozenset({hint}))))
            assert sorted(names(hinted)) == sorted(names(plain))
    first = names(plan(Facts("double", "", signs(sources[1]))))
    moved = 0
    for hint, rules in LEADS.items():
        meant = {payload.name for payload in BATTERY if payload.rule in rules} & set(first)
        then = names(plan(Facts("double", "", signs(sources[1], frozenset({hint})))))
        before, after = (min(map(order.index, meant), default=0) for order in (first, then))
        assert after <= before, hint
        moved += after < before
    assert moved > 5


def names(planned: Sequence[tuple[int, Attempt | Group]]) -> list[str]:
    return [step.payload.name if isinstance(step, Attempt) else "group" for _, step in planned]


def test_every_lead_is_from_a_rule_to_a_rule() -> None:
    assert set(LEADS) <= set(ids())
    assert {rule for rules in LEADS.values() for rule in rules} <= {rule.id for rule in RULES.values()}
    assert "smell-exec-in-process" not in LEADS, "what all have tells nothing"


# --- early and together ----------------------------------------------------------------------------------------------


class Fake:
    """Stands in for Semgrep: notes what it was asked, and fails where told to."""

    def __init__(self, fails: Callable[[Mapping[str, bytes]], bool] = lambda texts: False, wait: float = 0.0) -> None:
        self.asked: list[list[bytes]] = []
        self._fails, self._wait = fails, wait

    def __call__(self, texts: Mapping[str, bytes], stop: threading.Event) -> dict[str, Reading]:
        self.asked.append(sorted(texts.values()))
        if stop.wait(self._wait):
            raise Trouble("stopped")
        if self._fails(texts):
            raise Trouble("it crashed")
        return {name: Reading((Hit(text.decode(), "INFO", "m", 1, 1),)) for name, text in texts.items()}


def rules(readings: Mapping[str, Reading]) -> dict[str, str]:
    return {path: reading.hits[0].rule for path, reading in readings.items()}


def test_a_text_is_scanned_once() -> None:
    fake = Fake()
    scanner = Scanner(fake)
    assert rules(scanner.read({"a.py": b"x", "sub/b.py": b"x", "c.sh": b"x", "d.txt": b"x"})) == {
        "a.py": "x", "sub/b.py": "x", "c.sh": "x",
    }  # fmt: skip
    assert rules(scanner.read({"other.py": b"x"})) == {"other.py": "x"}
    assert fake.asked == [[b"x", b"x"]], "once as Python and once as shell"


def test_environments_are_scanned_ahead_and_together(make_env: Make) -> None:
    places = [make_env("function", {"more.py": f"x = {number}\n"}, name=f"tiny-{number}") for number in range(3)]
    fake = Fake()
    with Scanner(fake) as scanner:
        scanner.start(places)
        scanner._thread.join()  # type: ignore[union-attr]
        for number, place in enumerate(places):
            assert rules(scanner.read(load(place).code))["more.py"] == f"x = {number}\n"
    assert [len(texts) for texts in fake.asked] == [4], "three of their own and the environment.py that they share"


def test_one_that_breaks_a_batch_harms_itself_alone(make_env: Make) -> None:
    places = [make_env("function", {"more.py": f"x = {number}\n"}, name=f"tiny-{number}") for number in range(3)]
    fake = Fake(fails=lambda texts: b"x = 1\n" in texts.values())
    with Scanner(fake) as scanner:
        scanner.start(places)
        scanner._thread.join()  # type: ignore[union-attr]
        for number in (0, 2):
            assert rules(scanner.read(load(places[number]).code))["more.py"] == f"x = {number}\n"
        with pytest.raises(Trouble, match="it crashed"):
            scanner.read(load(places[1]).code)


def test_whoever_waits_is_told_when_it_is_closed(make_env: Make) -> None:
    scanner = Scanner(Fake(wait=60))
    scanner.start([place := make_env("function")])
    while not scanner._known:
        time.sleep(0.01)
    threading.Timer(0.2, scanner.close).start()
    started = time.monotonic()
    with pytest.raises(Trouble, match="stopped"):
        scanner.read(load(place).code)
    assert time.monotonic() - started < 10


def test_a_real_run_ends_when_it_is_told_to(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(engine, "binary", lambda: script(tmp_path, f"sleep 61 & echo $! > {tmp_path}/pid; wait"))
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    with pytest.raises(Trouble, match="was not waited for"):
        engine.scan({"a.py": b"x = 1\n"}, stop)
    pid = (tmp_path / "pid").read_text().strip()
    state = Path("/proc", pid, "stat")
    deadline = time.monotonic() + 5
    while state.exists() and " Z " not in state.read_text() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not state.exists() or " Z " in state.read_text(), "what it started lives on"


def test_the_first_environments_do_not_wait_for_the_last() -> None:
    paths = [Path(str(number)) for number in range(150)]
    assert [len(batch) for batch in batches(paths)] == [8, 64, 64, 14]
    assert [path for batch in batches(paths) for path in batch] == paths


def test_time_memory_and_output_are_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = tmp_path / "limits"
    monkeypatch.setattr(engine, "binary", lambda: script(tmp_path, f"sleep 0.5; ulimit -v -f -t -c > {said}; exit 5"))
    with pytest.raises(Trouble, match="status 5"):
        engine.scan({"a.py": b"x = 1\n"})
    limits = {line.split("(")[0].strip(): line.split()[-1] for line in said.read_text().splitlines()}
    assert limits == {
        "virtual memory": str(engine.HARD_MB << 10),
        "file size": str(engine.MAX_OUTPUT >> 10),
        "cpu time": str(int(engine.RUN_S + engine.TEXT_S)),
        "core file size": "0",
    }
    words = " ".join(engine.arguments(tmp_path, tmp_path))
    assert f"--max-memory={engine.SOFT_MB}" in words and f"--timeout={engine.RULE_S}" in words


def test_the_pack_travels_with_the_wheel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    wheel = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"]["policies/semgrep"] == "envbounty/_policies/semgrep"
    assert engine.policies() == root / "policies" / "semgrep"
    installed = tmp_path / "envbounty" / "_policies" / "semgrep"
    installed.mkdir(parents=True)
    monkeypatch.setattr(engine, "__file__", str(tmp_path / "envbounty" / "verify" / "smells" / "engine.py"))
    assert engine.policies.__wrapped__() == installed
