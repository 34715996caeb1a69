"""The edges: folders, indexes, the command line, and the check in its place in an examination."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from envbounty.cli import main
from envbounty.environment import load
from envbounty.findings import Severity, Verdict
from envbounty.provenance.public import Index, load_index, make_index, read_index, read_rows, write_index
from envbounty.provenance.repository import MAX_CANDIDATES, Repository
from envbounty.provenance.surroundings import Surroundings
from envbounty.sandbox.opening import open_jail
from envbounty.sandbox.pool import Pool
from envbounty.verify import examine, examine_all
from envbounty.verify.examination import GRADER, NATIVE
from tests.provenance.conftest import BASE, OTHER, REFERENCE, TASK, Look, Write

# --- the repository --------------------------------------------------------------------------------------------------


def test_only_the_folder_itself_is_looked_through(write: Write, look: Look, tmp_path: Path) -> None:
    write("deeper-one", below="environments/group/more")
    write("beside-it", below="elsewhere")
    (tmp_path / "environments/no-environment").mkdir(parents=True)
    place = write("second-one")
    assert look(place) == []
    shelf = Repository([place]).shelf(place)
    assert [found.name for found in shelf.places] == ["second-one"]


def test_a_broken_neighbour_is_compared_all_the_same(write: Write, look: Look) -> None:
    broken = write("ship-berths", {"env.yaml": "kind: [", "solutions/bad/never.py": None})
    (finding,) = look(write("second-one"))
    assert finding.rule == "near-duplicate" and broken.name in finding.message


def test_a_copy_is_found_among_many_that_share_its_harness(write: Write, look: Look) -> None:
    for number in range(3 * MAX_CANDIDATES):
        solution = f"def berths(ships):\n    return [{' + '.join(['len(ships)'] * (number + 2))}]\n"
        write(f"other-{number}", {"task.md": f"Task {number}.\n", "solutions/reference.py": solution,
                                  "solutions/good/sorted.py": None})  # fmt: skip
    write("the-victim")
    found = look(write("second-one"))
    assert [finding.rule for finding in found] == ["near-duplicate"] and "the-victim" in found[0].message


def test_several_threads_may_ask(write: Write) -> None:
    places = [write("ship-berths"), write("second-one"), write("third-one", base=OTHER)]
    repository = Repository(places)
    found: dict[str, list[str]] = {}

    def ask(place: Path) -> None:
        found[place.name] = [match.place.name for match in repository.matches(load(place))]

    threads = [threading.Thread(target=ask, args=(place,)) for place in places]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"ship-berths": ["second-one"], "second-one": ["ship-berths"], "third-one": []}


def test_a_folder_to_compare_with_has_to_hold_something(tmp_path: Path, write: Write) -> None:
    with pytest.raises(FileNotFoundError):
        Surroundings.of([write()], against=[tmp_path / "nowhere"])


# --- indexes ---------------------------------------------------------------------------------------------------------

ROW = {"task_id": "One/1", "prompt": TASK, "canonical_solution": REFERENCE, "test": ""}


def test_an_index_is_read_as_it_was_written() -> None:
    rows = [ROW, {"id": 2, "text": str(OTHER["task.md"]), "code": str(OTHER["solutions/reference.py"])}]
    index = make_index(rows, name="Two", licence="MIT", source="here")
    assert read_index(write_index(index).encode()) == index
    assert [entry.id for entry in index.entries] == ["One/1", "2"]
    assert "harbour" not in write_index(index) and "ships" not in write_index(index)


def test_what_many_problems_share_is_common() -> None:
    rows = [{**ROW, "task_id": str(number), "prompt": f"Problem {'abcdef'[number]}: count all ships of the harbour now"}
            for number in range(3)]  # fmt: skip
    index = make_index(rows, name="Three", licence="MIT", source="here")
    assert index.shared_by_many and all(entry.layers["solution"] == frozenset() for entry in index.entries)


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "{}", "null", "{" * 5000, '{"schema": 2}', "\ud800",
        '{"schema":1,"name":"x","licence":"MIT","source":"","common":"","entries":[{"id":"a","task":"!"}]}',
        '{"schema":1,"name":"x","licence":"MIT","source":"","common":"AAA=","entries":[]}',
        '{"schema":1,"name":"x","licence":"MIT","source":"","entries":[{"id":"a","text":"def"}]}',
    ],
)  # fmt: skip
def test_what_is_no_index(text: str, tmp_path: Path) -> None:
    file = tmp_path / "index.json"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ValueError, match=r"index\.json: no index of fingerprints"):
        load_index(file)


@pytest.mark.parametrize("content", [b"{", b"[1]", b"\xff", b"[" * 100_000])
def test_what_is_no_corpus(content: bytes, tmp_path: Path) -> None:
    for name, data in (("a.jsonl", content), ("a.jsonl.gz", gzip.compress(content)), ("b.jsonl.gz", content)):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ValueError, match=r"[ab]\.jsonl"):
            list(read_rows(tmp_path / name))


def test_rows_that_cannot_be_compared() -> None:
    with pytest.raises(ValueError, match="row 1 has none of the keys"):
        make_index([{"prompt": TASK}], name="x", licence="MIT", source="")
    with pytest.raises(ValueError, match="a: no text and no code"):
        make_index([{"id": "a", "prompt": "short"}], name="x", licence="MIT", source="")


def test_a_prompt_that_is_the_head_of_its_solution() -> None:
    story = "Return the hours that every ship of the list waited before it could enter the harbour at last."
    prompt = f'def berths(ships):\n    """{story}\n    >>> berths([])\n    []\n    """\n'
    row = {"task_id": "a", "prompt": prompt, "canonical_solution": "    return [ship[0] for ship in ships if ship]\n"}
    (entry,) = make_index([row], name="x", licence="MIT", source="").entries
    (told,) = make_index([{"task_id": "a", "prompt": story}], name="x", licence="MIT", source="").entries
    assert entry.layers["task"] == told.layers["task"] and entry.layers["solution"]


# --- the command line ------------------------------------------------------------------------------------------------


def test_the_command_makes_an_index(tmp_path: Path) -> None:
    corpus, out = tmp_path / "c.jsonl.gz", tmp_path / "new/index.json"
    corpus.write_bytes(gzip.compress(json.dumps(ROW).encode() + b"\n\n"))
    words = [
        "provenance",
        "index",
        str(corpus),
        "--name",
        "One",
        "--licence",
        "MIT",
        "--source",
        "here",
        "--out",
        str(out),
    ]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0 and "1 problems of One" in done.output
    index = load_index(out)
    assert isinstance(index, Index) and (index.name, index.source) == ("One", "here")
    corpus.write_bytes(b"no gzip")
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2 and "c.jsonl.gz" in done.output


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (["--against", "nowhere"], "nowhere is not there, or holds no environment"),
        (["--benchmark", "nowhere.json"], "nowhere.json"),
        (["--benchmark", "env.yaml"], "no index of fingerprints"),
    ],
)
def test_options_that_name_nothing(
    option: list[str], words: str, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = write()
    monkeypatch.chdir(place)
    done = CliRunner().invoke(main, ["verify", str(place), *option])
    assert done.exit_code == 2 and words in done.output


# --- in an examination -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def jail() -> Iterator[Pool]:
    with open_jail("bubblewrap", 2) as pool:
        yield pool


def test_it_comes_first() -> None:
    assert NATIVE[0][0] == GRADER[0][0] == "provenance"


def test_a_copy_fails_with_the_command_that_shows_it(write: Write, jail: Pool) -> None:
    before = write("ship-berths", below="main").parent
    mine = write("second-one")
    around = Surroundings.of([mine], against=[before])
    result = examine(mine, jail, only=["near-duplicate"], surroundings=around)
    (finding,) = result.findings
    assert result.verdict is Verdict.FAIL and result.checks[0] == "provenance"
    assert finding.evidence is not None and f"--against {before}" in finding.evidence.reproduce


def test_of_two_in_one_run_both_are_named_and_none_fails(write: Write, jail: Pool) -> None:
    places = [write("ship-berths"), write("second-one")]
    report = examine_all(places, jail, jobs=2)
    for result in report.results:
        (finding,) = [each for each in result.findings if each.rule == "near-duplicate"]
        assert finding.severity is Severity.WARNING and result.verdict is Verdict.PASS, result


def test_the_samples_have_nothing_to_answer_for(look: Look) -> None:
    samples = sorted(file.parent for file in (Path(__file__).parents[2] / "environments").glob("*/env.yaml"))
    assert len(samples) >= 6
    for place in samples:
        assert look(place) == [], place


def test_the_base_is_an_environment(write: Write) -> None:
    assert BASE.keys() <= {"env.yaml", *(file.relative_to(write()).as_posix() for file in write().rglob("*.*"))}
