"""Every rule of provenance: an environment that breaks it, beside the one that it was made from, which has none."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest

from benchmarks import disguise
from envbounty.findings import Finding, Severity
from envbounty.verify.rules import RULES, provenance
from tests.provenance.conftest import BASE, GOOD, OTHER, REFERENCE, TASK, VERIFIER, Files, Look, Write

COPY = disguise.retold(
    disguise.code(disguise.everything, {path: str(text) for path, text in BASE.items()}, Random(1)),
    {"task.md": str(OTHER["task.md"])},
)
# A solution's function has to keep its name.
COPY = {path: text for path, text in COPY.items() if "solutions/bad" not in path}
RENAMED_ONLY = disguise.code(disguise.renamed, {path: str(text) for path, text in BASE.items()}, Random(2))
NUMBERS_ONLY = disguise.code(disguise.renumbered, {path: str(text) for path, text in BASE.items()}, Random(3))
BAD = {"solutions/bad/never.py": BASE["solutions/bad/never.py"]}


@dataclass(frozen=True)
class Case:
    """`before`: an environment that lies in the repository already, unchanged: (files, words of env.yaml, base)."""

    files: Files = field(default_factory=dict)
    yaml: Mapping[str, str] = field(default_factory=dict)
    base: Mapping[str, str | bytes] = field(default_factory=lambda: BASE)
    before: bool = False
    spoil: Callable[[Path], None] | None = None
    also: frozenset[str] = frozenset()
    severity: Severity | None = None
    says: str = ""


def executable(place: Path) -> None:
    (place / "environment.py").chmod(0o755)


def link_in_neighbour(place: Path) -> None:
    neighbour = place.parent / "ship-berths"
    (neighbour / "link").symlink_to("/etc/passwd")


VARIANT = {"licence: Apache-2.0": "licence: Apache-2.0\nvariant_of: ship-berths"}
#: Put together here, so that no scanner takes this file for one that holds a secret.
TOKEN = "ghp" + "_" + "a8Kd02LmQz7RtYw3XcVb6NpHs1Ge4JfUi9To"
HIDDEN_WORD = "tok" + "en = 'q9Zx81LmVt0RkYw3JcPb6NsHe2Gd4Uf7'\n"

CASES: dict[str, Case] = {
    "near-duplicate": Case({**COPY, **BAD}, before=True, says="like ship-berths: the same code but for names"),
    "partly-copied": Case(
        {"solutions/reference.py": RENAMED_ONLY["solutions/reference.py"]},
        base=OTHER,
        before=True,
        says="100% of the solution",
    ),
    "variant-identical": Case({**RENAMED_ONLY, **BAD}, VARIANT, before=True, says="ship-berths"),
    "variant-barely-differs": Case({**NUMBERS_ONLY, **BAD}, VARIANT, before=True, says="constants"),
    "variant-unknown": Case(yaml={"licence: Apache-2.0": "licence: Apache-2.0\nvariant_of: no-such-thing"}),
    "neighbour-unreadable": Case(base=OTHER, before=True, spoil=link_in_neighbour, says="1 could not be read: ship-"),
    "good-is-a-copy": Case(
        {"solutions/good/mine.py": "# mine\n" + RENAMED_ONLY["solutions/reference.py"]}, says="but for names and layout"
    ),
    "licence-unknown": Case(yaml={"Apache-2.0": "Apache2"}, says="Did you mean Apache-2.0?"),
    "licence-not-allowed": Case(yaml={"Apache-2.0": "GPL-3.0-only"}, says="GPL-3.0-only cannot be taken"),
    "licence-contradicted": Case(
        {"environment.py": "# SPDX-License-Identifier: GPL-3.0-only\n" + VERIFIER}, says="says GPL-3.0-only"
    ),
    "foreign-notice": Case(
        {"environment.py": "# Copyright (c) 2019 Somebody Else\n" + VERIFIER}, says="Copyright (c) 2019 Somebody Else"
    ),
    "secret-found": Case({"environment.py": f"{VERIFIER}\nTOKEN = '{TOKEN}'\n"}, says="GitHub Token"),
    "secret-possible": Case({"environment.py": VERIFIER + "\n" + HIDDEN_WORD}, says="random text"),
    "binary-file": Case({"boards.dat": b"\x80\x04\x95\x00\x01"}, says="pickle"),
    "unusual-file": Case(spoil=executable, says="mode 755"),
    "code-too-large": Case({"table.py": "T = '" + "x" * 1_000_000 + "'\n", "more.py": "U = '" + "y" * 60_000 + "'\n"}),
    "hidden-characters": Case({"environment.py": VERIFIER + "\n# \u202e evil\n"}, says="U+202E right-to-left override"),
    "lookalike-name": Case({"environment.py": VERIFIER + "\ndef \u0441heck(a, b):\n    return 1.0\n"}, says="`check`"),
}  # fmt: skip


#: The overlap with a benchmark has three cases, and an index of its own: see below.
COVERED = {*CASES, "benchmark-overlap"}


def test_every_rule_of_this_family_has_a_case() -> None:
    assert {rule.id for rule in provenance.RULES} == COVERED


def of(rule: str, found: list[Finding]) -> list[Finding]:
    return [finding for finding in found if finding.rule == rule]


@pytest.mark.parametrize("rule", CASES)
def test_what_breaks_it_is_found_and_nothing_else(rule: str, write: Write, look: Look) -> None:
    case = CASES[rule]
    if case.before:
        write("ship-berths")
    place = write("second-one", case.files, case.yaml, case.base)
    if case.spoil:
        case.spoil(place)
    found = look(place)
    assert {finding.rule for finding in found} == {rule}, found
    finding = found[0]
    assert finding.severity is RULES[rule].severity
    assert case.says in finding.message and finding.fix == RULES[rule].fix
    assert (place / finding.path).exists() and finding.line >= 1


@pytest.mark.parametrize("base", [BASE, OTHER], ids=["base", "other"])
def test_what_breaks_none_of_them(base: Mapping[str, str | bytes], write: Write, look: Look) -> None:
    write("neighbour", base=OTHER if base is BASE else BASE)
    assert look(write("second-one", base=base)) == []


# --- near-duplicates -------------------------------------------------------------------------------------------------


def test_evidence_names_the_other_the_shares_and_both_passages(write: Write, look: Look) -> None:
    write("ship-berths")
    files = {**COPY, **BAD, "solutions/reference.py": COPY["solutions/reference.py"] + "\n\nUNUSED = [1, [], 2]\n"}
    (finding,) = look(write("second-one", files))
    evidence = finding.evidence
    assert evidence is not None and evidence.detail is not None
    assert "100% of the verifier" in finding.message and "% of the solution" in finding.message
    assert "verifier: " in evidence.detail and " here and " in evidence.detail
    assert "second-one/solutions/good/sorted.py, line 1:" in evidence.detail
    assert "ship-berths/solutions/good/sorted.py, line 1:" in evidence.detail
    assert "busy = sorted(end for end in ends if end > arrival)" in evidence.detail  # theirs; ours has other names
    assert evidence.reproduce.endswith("--only near-duplicate")


def test_of_two_examined_together_neither_is_accused(write: Write, look: Look) -> None:
    first, second = write("ship-berths"), write("second-one", {**COPY, **BAD})
    for place, other in ((first, "second-one"), (second, "ship-berths")):
        (finding,) = look(place, examined=[first, second])
        assert (finding.rule, finding.severity) == ("near-duplicate", Severity.WARNING)
        assert other in finding.message and "which was first is not known" in finding.message
        assert finding.evidence is not None and f"/{other} --seed 0 --only" in finding.evidence.reproduce


def test_what_lies_in_against_was_there_before(write: Write, look: Look) -> None:
    before = write("ship-berths", below="main").parent
    mine = write("second-one", {**COPY, **BAD})
    assert look(mine) == []
    (finding,) = look(mine, against=[before])
    assert (finding.rule, finding.severity) == ("near-duplicate", Severity.ERROR)


def test_an_earlier_version_of_itself_is_no_copy(write: Write, look: Look) -> None:
    before = write("ship-berths", below="main").parent
    assert look(write("ship-berths"), against=[before]) == []


def test_one_that_lies_here_and_in_against_is_named_once_and_as_there_before(write: Write, look: Look) -> None:
    before = write("ship-berths", below="main").parent
    here, mine = write("ship-berths"), write("second-one", {**COPY, **BAD})
    (finding,) = look(mine, examined=[here, mine], against=[before])
    assert finding.severity is Severity.ERROR and finding.message.count("ship-berths") == 1


def test_a_small_one_inside_a_larger_one(write: Write, look: Look) -> None:
    write("ship-berths")
    renamed = {path: text for path, text in RENAMED_ONLY.items() if path.endswith(".py")}
    large = {
        "environment.py": "\n\n".join(
            [renamed["environment.py"], str(OTHER["environment.py"]).replace("check", "judge")]
        ),
        "solutions/reference.py": str(OTHER["solutions/reference.py"]) + "\n\n" + renamed["solutions/reference.py"],
        "task.md": str(OTHER["task.md"]),
        **BAD,
    }
    (finding,) = look(write("second-one", large))
    assert finding.rule == "near-duplicate" and "100% of the verifier" in finding.message


def test_another_verifier_for_the_same_task_and_solution_is_still_the_same(write: Write, look: Look) -> None:
    write("ship-berths")
    files = {"environment.py": str(OTHER["environment.py"])}
    (finding,) = look(write("second-one", files))
    assert finding.rule == "near-duplicate" and "100% of the task, 100% of the solution" in finding.message


def test_the_same_verifier_with_other_solutions_is_one_harness_for_two_tasks(write: Write, look: Look) -> None:
    write("ship-berths")
    files = {path: text for path, text in OTHER.items() if path != "environment.py"}
    assert look(write("second-one", {**files, "environment.py": VERIFIER}, base={})) == []


def test_one_code_around_a_package_can_be_two_tasks(write: Write, look: Look) -> None:
    """Adapters differ by the name of what they adapt: that is worth a look, and no accusation."""
    adapter = VERIFIER + "\n\nimport puzzles\n\nPUZZLES = puzzles.load('NAME')\n"
    write("ship-berths", {"environment.py": adapter.replace("NAME", "berths")})
    other = {"environment.py": adapter.replace("NAME", "tickets"), "task.md": str(OTHER["task.md"])}
    (finding,) = look(write("second-one", other))
    assert finding.rule == "partly-copied" and finding.severity is Severity.WARNING
    (finding,) = look(write("third-one", {**other, "task.md": TASK}), examined=[])
    assert finding.rule == "near-duplicate"


def test_two_that_start_from_the_same_example_are_no_copies(tmp_path: Path, look: Look) -> None:
    from envbounty.scaffold import new_environment

    for name, word in (("first-one", "min"), ("second-one", "max")):
        new_environment(tmp_path, name, "function", author="Ada")
        for path in ("environment.py", "solutions/reference.py"):
            file = tmp_path / name / path
            file.write_text(file.read_text() + f"\n\ndef more_{word}(a, b):\n    return {word}(a, b)\n")
    assert look(tmp_path / "second-one") == []


def test_two_untouched_examples_are_the_same(tmp_path: Path, look: Look) -> None:
    from envbounty.scaffold import new_environment

    for name in ("first-one", "second-one"):
        new_environment(tmp_path, name, "function", author="Ada")
    (finding,) = look(tmp_path / "second-one")
    assert finding.rule == "near-duplicate" and "first-one" in finding.message


def test_secrets_in_a_passage_are_not_repeated(write: Write, look: Look) -> None:
    secret = REFERENCE.replace("    free_at = [0, 0, 0]\n", f"    free_at = [0, 0, 0]\n    key = '{TOKEN}'\n")
    write("ship-berths", {"solutions/reference.py": secret})
    found = look(write("second-one", {"solutions/reference.py": secret}))
    assert {finding.rule for finding in found} == {"near-duplicate", "secret-found"}
    assert TOKEN not in repr(found) and TOKEN[8:] not in repr(found)


# --- families --------------------------------------------------------------------------------------------------------

CHANGED = VERIFIER.replace("        start = max(arrival, ready)\n", """\
        start = max(arrival, ready)
        if start - arrival > stay and len(found) % 2:
            heapq.heappush(free, (ready, berth))
            found.append(-1)
            continue
""")  # fmt: skip
CHANGED_REFERENCE = REFERENCE.replace("        waited.append(begins - arrival)\n", """\
        if begins - arrival > stay and len(waited) % 2:
            waited.append(-1)
            continue
        waited.append(begins - arrival)
""")  # fmt: skip
DIFFERENT = {"environment.py": CHANGED, "solutions/reference.py": CHANGED_REFERENCE, "solutions/good/sorted.py": None}


def test_a_variant_may_be_alike(write: Write, look: Look) -> None:
    write("ship-berths")
    assert [finding.rule for finding in look(write("second-one", DIFFERENT))] == ["near-duplicate"]
    assert look(write("second-one", DIFFERENT, VARIANT)) == []


def test_variants_of_one_another_and_of_a_third_are_a_family(write: Write, look: Look) -> None:
    write("ship-berths")
    write("second-one", DIFFERENT, VARIANT)
    third = write(
        "third-one",
        {**DIFFERENT, "environment.py": CHANGED.replace("% 2:", "% 2 and not found[0]:")},
        {"licence: Apache-2.0": "licence: Apache-2.0\nvariant_of: second-one"},
    )
    assert look(third) == []
    # … and the first one, when it is examined later, is not held against its variants.
    assert look(third.parent / "ship-berths") == []


def test_a_circle_of_variants_ends(write: Write, look: Look) -> None:
    write("ship-berths", yaml={"licence: Apache-2.0": "licence: Apache-2.0\nvariant_of: second-one"})
    assert look(write("second-one", DIFFERENT, VARIANT)) == []


def test_a_variant_of_something_else_is_no_excuse(write: Write, look: Look) -> None:
    write("ship-berths")
    write("other-one", base=OTHER)
    mine = write("second-one", DIFFERENT, {"licence: Apache-2.0": "licence: Apache-2.0\nvariant_of: other-one"})
    assert [finding.rule for finding in look(mine)] == ["near-duplicate"]


# --- public benchmarks -----------------------------------------------------------------------------------------------


def test_overlap_with_a_benchmark_by_text_by_tests_and_by_solution(tmp_path: Path, write: Write, look: Look) -> None:
    from envbounty.provenance.public import make_index, write_index

    tests = "def check(f):\n" + "".join(f"    assert f([{n}, {n + 1}, {n * n}]) == {n}\n" for n in range(9))
    row = {"task_id": "Berths/7", "prompt": TASK, "canonical_solution": REFERENCE, "test": tests}
    index = tmp_path / "berths.json"
    index.write_text(write_index(make_index([row], name="Berths", licence="MIT", source="here")))
    cases: dict[str, tuple[Files, str]] = {
        "task": ({**OTHER, "task.md": "Preface.\n\n" + TASK}, "task.md"),
        "tests": ({**OTHER, "environment.py": str(OTHER["environment.py"]) + "\n\n" + tests.replace("check", "more")},
                  "environment.py"),
        "solution": ({**OTHER, "solutions/reference.py": RENAMED_ONLY["solutions/reference.py"]},
                     "solutions/reference.py"),
    }  # fmt: skip
    for layer, (files, path) in cases.items():
        place = write(f"has-{layer}", files, base={}, below=layer)
        (finding,) = look(place, benchmarks=[index])
        assert (finding.rule, finding.path, finding.severity) == ("benchmark-overlap", path, Severity.WARNING)
        assert f"Berths has it: Berths/7 (100% of its {layer})" in finding.message
        assert look(place) == []
    assert look(write("has-none", base=OTHER, below="none"), benchmarks=[index]) == []


def test_the_shipped_index_is_of_humaneval_and_holds_no_text() -> None:
    from importlib.resources import files

    from envbounty.provenance.public import shipped

    (index,) = shipped()
    assert (index.name, index.licence, len(index.entries)) == ("HumanEval", "MIT", 164)
    text = (files("envbounty.provenance") / "data/humaneval.json").read_text()
    assert len(text) < 300_000 and not any(word in text for word in ("def ", "return", "Return", "list of", "assert"))


# --- good solutions --------------------------------------------------------------------------------------------------


def test_a_good_solution_that_changes_almost_nothing(write: Write, look: Look) -> None:
    long = REFERENCE + "\n\n" + str(OTHER["solutions/reference.py"]).replace("berths", "tickets")
    small = long.replace("    return waited\n", "    return list(waited)\n").replace("ships", "fleet")
    files = {"solutions/reference.py": long, "solutions/good/small.py": small}
    (finding,) = look(write(files=files))
    assert finding.rule == "good-is-a-copy" and finding.path == "solutions/good/small.py" and " to 9" in finding.message


def test_the_same_good_solution_twice(write: Write, look: Look) -> None:
    (finding,) = look(write(files={"solutions/good/twice.py": GOOD.replace("busy", "taken")}))
    assert finding.rule == "good-is-a-copy" and "solutions/good/sorted.py" in finding.message


def test_short_solutions_of_another_kind_are_no_copies(write: Write, look: Look) -> None:
    one, two = (
        "def berths(ships):\n    return {} * [0]\n".format("len(ships)"),
        "def berths(s):\n    return [0 for x in s]\n",
    )
    assert look(write(files={"solutions/reference.py": one, "solutions/good/sorted.py": two})) == []


# --- licences and notices --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("licence", "rule"),
    [
        ("MIT", None), ("Apache-2.0 OR MIT", None), ("BSD-3-Clause AND CC0-1.0", None), ("CC-BY-4.0", None),
        ("GPL-3.0-only OR MIT", None), ("Apache-2.0 WITH LLVM-exception", None),
        ("GPL-3.0-only", "licence-not-allowed"), ("MIT AND AGPL-3.0-or-later", "licence-not-allowed"),
        ("GPL-2.0-only WITH Classpath-exception-2.0", "licence-not-allowed"), ("CC-BY-NC-4.0", "licence-not-allowed"),
        ("Apache", "licence-unknown"), ("LicenseRef-mine", "licence-unknown"), ("MIT WITH MIT", "licence-unknown"),
        ("MIT AND", "contract"), ("proprietary", "licence-unknown"), ("AND", "licence-unknown"),
    ],
)  # fmt: skip
def test_licences(licence: str, rule: str | None, write: Write, look: Look) -> None:
    place = write(yaml={"Apache-2.0": f"'{licence}'"})
    if rule == "contract":
        from envbounty.environment import ContractError

        with pytest.raises(ContractError):
            look(place)
        return
    assert [finding.rule for finding in look(place)] == ([rule] if rule else [])


def test_another_set_of_licences(write: Write, look: Look) -> None:
    place = write(yaml={"Apache-2.0": "GPL-3.0-only"})
    assert look(place, licences=frozenset({"GPL-3.0-only"})) == []
    assert look(write(), licences=frozenset({"GPL-3.0-only"}))[0].rule == "licence-not-allowed"


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        ("SPDX-License-Identifier: Apache-2.0", None),
        ("SPDX-License-Identifier: MIT", "licence-contradicted"),
        ("Licensed under the Apache License, Version 2.0", None),
        ("This is free software: see the GNU General Public License.", "licence-contradicted"),
        ("Permission is hereby granted, free of charge, to any person", "licence-contradicted"),
        ("Copyright (c) 2024 Ada Example", None),
        ("Copyright 2020-2024 ada-example", None),
        ("© 2024 by Somebody Else Ltd.", "foreign-notice"),
        ("f(c) 1000 times and more", None),
        ("adapted from https://example.org/ships", "foreign-notice"),
        ("Taken verbatim from Stack Overflow", "foreign-notice"),
        ("each row is copied from the row before", None),
        ("the copyright of a ship is not ours", None),
    ],
)
def test_what_files_say(words: str, rule: str | None, write: Write, look: Look) -> None:
    found = look(write(files={"environment.py": f"# {words}\n{VERIFIER}"}))
    assert [finding.rule for finding in found] == ([rule] if rule else [])


def test_a_licence_of_its_own_that_env_yaml_names(write: Write, look: Look) -> None:
    files = {"environment.py": "# SPDX-License-Identifier: MIT\n" + VERIFIER}
    assert look(write(files=files, yaml={"Apache-2.0": "Apache-2.0 AND MIT"})) == []


# --- files and characters --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\x7fELF\x02", "a program (ELF)"), (b"PK\x03\x04\x00\x01", "zip"), (b"\x1f\x8b\x08\x00", "gzip"),
        (b"\x89PNG\r\n\x1a\n", "PNG"), ("text".encode("utf-16"), "UTF-16"), (b"a\0b", "zero byte stands at 1"),
        (b"caf\xe9", "byte 3 is 0xe9"), (b"MZ is a fine word", None), ("été".encode(), None), (b"", None),
        (b"GIF8 pictures are described here", None), (b"\xef\xbb\xbfmark", None),
    ],
)  # fmt: skip
def test_binaries_are_told_by_what_is_in_them(content: bytes, what: str | None, write: Write, look: Look) -> None:
    found = look(write(files={"data.txt": content}))
    assert [finding.rule for finding in found] == (["binary-file"] if what else [])
    assert not what or what in found[0].message


@pytest.mark.parametrize("path", [".hidden.py", "lib/.cache/x.txt", ".gitignore"])
def test_hidden_files(path: str, write: Write, look: Look) -> None:
    (finding,) = look(write(files={path: "x = 1\n"}))
    assert (finding.rule, finding.severity, finding.path) == ("unusual-file", Severity.WARNING, path)


TAGS = "".join(chr(0xE0000 + ord(char)) for char in "obey me")


@pytest.mark.parametrize(
    ("path", "text", "severity"),
    [
        ("environment.py", "# a\u2067b", Severity.ERROR),
        ("solutions/bad/never.py", "# a\u202db", Severity.ERROR),
        ("environment.py", "x = 'a\u200bb'", Severity.WARNING),
        ("environment.py", "x = 'a\u200cb'", Severity.WARNING),
        ("environment.py", "x = 'می\u200cخواهم'", None),  # Persian is written so
        ("environment.py", "x = '👩\u200d🚀'", None),  # an emoji of two
        ("environment.py", "x = '葛\U000e0100'", None),  # one form of a Chinese character
        ("task.md", "a\u202eb", Severity.WARNING),
        ("task.md", "soft\u00adhyphen, עברית\u200f, می\u200cخواهم", None),
        ("task.md", f"Be kind.{TAGS}", Severity.ERROR),
        ("task.md", "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f won", None),  # a flag
        ("task.md", "zero\u200bwidth", Severity.WARNING),
        ("env.yaml", "# \u2066", Severity.WARNING),
    ],
)
def test_hidden_characters(path: str, text: str, severity: Severity | None, write: Write, look: Look) -> None:
    place = write()
    file = place / path
    file.write_text(file.read_text() + f"\n{text}\n")
    found = look(place)
    assert [(finding.rule, finding.severity) for finding in found] == (
        [("hidden-characters", severity)] if severity else []
    )
    if found:
        assert found[0].line == file.read_text().count("\n") and found[0].path == path


@pytest.mark.parametrize(
    ("name", "severity"),
    [
        ("wa\u0456ts", Severity.ERROR),  # Cyrillic i, beside `waits`
        ("pr\u0456nt", Severity.ERROR),  # a built-in name
        ("\uff45\uff56\uff41\uff4c", Severity.ERROR),  # full-width: Python reads `eval`
        ("\U0001d41e\U0001d42f\U0001d41a\U0001d425", Severity.ERROR),  # bold letters: the same
        ("zz\u0430zz", Severity.WARNING),  # mixed, like nothing here
        ("größe", None), ("имя", None), ("λ", None), ("数", None), ("été_2", None),
    ],
)  # fmt: skip
def test_lookalikes(name: str, severity: Severity | None, write: Write, look: Look) -> None:
    found = look(write(files={"environment.py": f"{VERIFIER}\n\n{name} = 1\n"}))
    assert [(finding.rule, finding.severity) for finding in found] == (
        [("lookalike-name", severity)] if severity else []
    )
    assert not found or found[0].message.isascii()


def test_lookalikes_in_c(write: Write, look: Look) -> None:
    yaml = {
        "kind: function": "kind: program",
        "submission: {function: berths, parameters: [ships]}": "submission: {languages: [python, c]}",
    }
    c = "int berths(int n) { return n; }\nint b\u0435rths(int n) { return 0; }\nint main() { return berths(1); }\n"
    (finding,) = look(write(files={"solutions/good/more.c": c}, yaml=yaml))
    assert (finding.rule, finding.severity, finding.line) == ("lookalike-name", Severity.ERROR, 2)


def test_the_cases_are_programs() -> None:
    for case in CASES.values():
        for path, text in case.files.items():
            if path.endswith(".py"):
                ast.parse(str(text))
