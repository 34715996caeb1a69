"""Other tools beside ours: each driver on a made-up package of its peer's shape, and the counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import peers
from benchmarks.corpora import Row
from benchmarks.peers import NAMES, Said, ask, heard, installed, job, summary
from envbounty.sandbox.opening import open_jail

WEAK = "def verify(text):\n    scope = {}\n    exec(text, scope)\n    return {'passed': scope['double'](2) == 4}\n"
STRICT = """
def verify(text):
    scope = {}
    try:
        exec(text, scope)
        results = [scope["double"](n) for n in (0, 2, 7)]
    except BaseException:
        return False
    return [type(one) for one in results] == [int] * 3 and results == [0, 4, 14]
"""


def row(grader: str, faulty: bool | None, **more: Any) -> Row:
    return Row("a-row", "Double n.", "double", grader, "def double(n):\n    return 2 * n\n", faulty, **more)


#: What the drivers use of each peer, and no more.
BOHRIN = {
    "bohrin/__init__.py": "",
    "bohrin/ir/__init__.py": "",
    "bohrin/ir/task.py": """
import enum, types
class Shape(enum.Enum):
    PROGRAM = "program"
class Source:
    def __init__(self, text): self.text = text
def Task(id, prompt, reference, shape): return types.SimpleNamespace(reference=reference, shape=shape)
""",
    "bohrin/mutate/__init__.py": "",
    "bohrin/mutate/battery.py": """
import types
from bohrin.ir.task import Source
def candidate(name, text):
    return types.SimpleNamespace(payload=Source(text), provenance=types.SimpleNamespace(operator=name))
def battery(task):
    return types.SimpleNamespace(grounded=[
        candidate("constant", "def double(n):\\n    return 4\\n"),
        candidate("exits", "import os\\nos._exit(0)\\n"),
        candidate("hangs up", "def double(n):\\n    raise SystemExit\\n"),
    ])
""",
    "bohrin/relations.py": """
import types
from bohrin.ir.task import Source
def positive_controls(task):
    return [types.SimpleNamespace(relation="oracle", payload=Source(task.reference))]
""",
}
FALSEPASS = {
    "falsepass/__init__.py": "",
    "falsepass/adapter.py": "class Adapter:\n    pass\n",
    "falsepass/model.py": """
class Example:
    def __init__(self, key, prompt, answer, raw): self.key, self.answer = key, answer
class Score:
    def __init__(self, reward): self.reward = reward
""",
    "falsepass/probes.py": "STORE = {}\n",
    "falsepass/runner.py": """
import asyncio, importlib.util
from falsepass import probes
def run(audit, n, search_calls, jobs):
    print("progress")
    spec = importlib.util.spec_from_file_location("adapter", audit / "adapter.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    adapter = module.ADAPTER
    assert (audit / "src/grader.py").is_file()
    scorer, (example,) = adapter.load(n, 0)
    probes.STORE.update(a="def double(n):\\n    return 4\\n", b=adapter.wrong_answer(example), c=example.answer)
    results = []
    for key, text in probes.STORE.items():
        score = asyncio.run(scorer.score(example, [{"role": "assistant", "content": text}])).reward
        right = key == "c"
        results.append({"probe": "P", "variant": key, "expected": "full" if right else "zero", "score": score,
                        "passed": score == right, "same_as_good": False, "completion_id": key})
    return {"results": results}
""",
}
GAMEABILITY = {
    "gameability/__init__.py": "",
    "gameability/engine.py": """
import json, subprocess, sys
RUN = '''
import json, sys
job = json.load(sys.stdin)
passed = []
for source in job["sources"]:
    scope = {}
    exec(job["setup"], scope)
    exec(source, scope)
    try:
        for test in job["tests"]: exec(test, scope)
        passed.append(True)
    except BaseException: passed.append(False)
print(json.dumps(passed))
'''
class Problem:
    def __init__(self, **given):
        self.__dict__ = {"setup": "", "harvest": None, **given}
def audit(problem, timeout):
    if problem.harvest is not None and sorted(problem.harvest) != ["double(%d)" % n for n in problem.wanted]:
        return {"status": "excluded:" + str(problem.harvest)}
    sources = [problem.reference, problem.reference.replace("2 * n", "n + 2"), problem.reference.replace("2 *", "3 *")]
    given = json.dumps({"sources": sources, "setup": problem.setup, "tests": problem.tests})
    done = subprocess.run([sys.executable, "-c", RUN], input=given, capture_output=True, text=True)
    passed = json.loads(done.stdout)
    if not passed[0]:
        return {"status": "excluded:reference-fails-own-tests"}
    survived = [{"src": source} for source, one in zip(sources[1:], passed[1:]) if one]
    return {"status": "ok", "n_broken": 2, "examples": survived}
""",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("peers")
    for above in (place, *place.parents[:3]):
        above.chmod(0o755)  # a job has a uid of its own
    for files in (BOHRIN, FALSEPASS, GAMEABILITY):
        for name, text in files.items():
            file = place / name.partition("/")[0] / "lib/python3.11/site-packages" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace("problem.wanted", "WANTED"))
    return place


def said(folder: Path, peer: str, one: Row, wanted: str = "()") -> Said:
    engine = installed(folder)["gameability"] / "gameability/engine.py"
    text = engine.read_text()
    engine.write_text(text + f"WANTED = {wanted}\n")
    try:
        with open_jail("bubblewrap", 1, packages=[installed(folder)[peer]]) as jail:
            return ask(jail, peer, one)
    finally:
        engine.write_text(text)


CONSTANT = "def double(n):\n    return 4\n"


def test_bohrin_accuses_by_what_it_grounds(folder: Path) -> None:
    weak = said(folder, "bohrin", row(WEAK, True))
    assert (weak.accused, weak.why, weak.programs) == (True, "accepts constant", (CONSTANT,))
    strict = said(folder, "bohrin", row(STRICT, False))
    assert (strict.accused, strict.why) == (False, "3 rejected")


def test_falsepass_accuses_by_what_is_paid_in_full(folder: Path) -> None:
    weak = said(folder, "falsepass", row(WEAK, True))
    assert (weak.accused, weak.why, weak.programs) == (True, "P a", (CONSTANT,))
    assert said(folder, "falsepass", row(STRICT, False)).accused is False


def test_gameability_gets_the_mutants_text_to_a_grader_of_texts(folder: Path) -> None:
    weak = said(folder, "gameability", row(WEAK, True), "[2]")
    assert (weak.accused, weak.programs) == (True, ("def double(n):\n    return n + 2\n",))
    strict = said(folder, "gameability", row(STRICT, False), "[0, 2, 7]")
    assert (strict.accused, strict.why) == (False, "0 of 2 broken mutants survive")


def test_gameability_has_a_format_for_humaneval(folder: Path) -> None:
    test = "def check(candidate):\n    assert candidate(2) == 4\n"
    found = said(folder, "gameability", row("raise SystemExit", None, test=test))
    assert (found.accused, len(found.programs)) == (True, 1)


@pytest.mark.parametrize("peer", NAMES)
def test_a_grader_that_rejects_the_reference_is_not_judged(folder: Path, peer: str) -> None:
    found = said(folder, peer, row("def verify(text):\n    return False\n", True))
    assert found.accused is None
    assert found.why


def test_no_tool_is_given_the_key() -> None:
    one = row(WEAK, True, plus_input=([31337],), group="SECRET")
    for peer in NAMES:
        everything = job(peer, one)
        words = everything.code + "".join(content.decode() for content in everything.inputs.values())
        assert "31337" not in words
        assert "SECRET" not in words


def test_what_is_no_record_is_no_judgement() -> None:
    assert heard(b"", "Traceback\nValueError: no\n", 1.0) == Said(None, "ValueError: no", seconds=1.0)
    assert heard(b"[]", "", 1.0).accused is None
    assert heard(b'{"accused": "yes", "programs": []}', "", 1.0).accused is None
    record = {"accused": True, "why": "w", "programs": ["p", 7]}
    assert heard(json.dumps(record).encode(), "", 2.0) == Said(True, "w", ("p",), 2.0)


def test_the_counts() -> None:
    rows = [row(WEAK, True), row(WEAK, True), row(WEAK, False), row(WEAK, False), row(WEAK, None), row(WEAK, None)]
    answers = [
        Said(True, "a"),
        Said(None, "slow"),
        Said(True, "b"),
        Said(False, ""),
        Said(True, "c", ("p",)),
        Said(True, "d", ("q",)),
    ]
    found = summary(rows, answers, 6.0, lambda _, one: one.programs == ("p",))
    assert (found["n_faulty"], found["caught"]) == (2, 1)
    assert (found["n_sound"], found["false_accusations"], found["accused_sound"]) == (2, 1, ["a-row: b"])
    assert (found["shown_faulty"], found["proved"], found["refuted"]) == (2, 1, 1)
    assert (found["not_judged"], found["why_not"], found["per_grader_s"]) == (1, ["slow"], 1.0)


def test_the_whole(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = tmp_path / "corpus.jsonl"
    fields = {"id": "one", "exploit_type": "weak", "task": "Double n.", "function": "double", "verifier": WEAK}
    rest = {"reference": "def double(n):\n    return 2 * n\n", "test_cases": "[(2, 4), (3, 6)]", "sound_twin": True}
    corpus.write_text(json.dumps({**fields, **rest}) + "\n")
    (folder / "falsepass").rename(folder / "elsewhere")
    try:
        assert peers.main([str(corpus), "--peers", str(folder), "--json"]) == 0
    finally:
        (folder / "elsewhere").rename(folder / "falsepass")
    out = capsys.readouterr()
    tools = json.loads(out.out)["tools"]
    assert list(tools) == ["envbounty", "gameability", "bohrin"]
    assert "falsepass is not installed" in out.err
    assert (tools["bohrin"]["caught"], tools["bohrin"]["false_accusations"]) == (1, 0)
    assert tools["envbounty"]["n_faulty"] == tools["envbounty"]["n_sound"] == 1
    assert tools["envbounty"]["false_accusations"] == 0


def test_without_a_corpus_there_is_nothing_to_measure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert peers.main([str(tmp_path / "absent")]) == 0
    assert "nothing to measure" in capsys.readouterr().err
    assert installed(None) == installed(tmp_path) == {}
