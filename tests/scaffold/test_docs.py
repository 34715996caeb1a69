"""What docs/quickstart.md and docs/grader.md show is what happens."""

import re
from pathlib import Path

from envbounty.environment import load
from envbounty.findings import Severity, Verdict
from envbounty.sandbox import Jail
from envbounty.scaffold import KINDS, new_environment
from envbounty.verify import examine

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (DOCS / page).read_text(), re.M | re.S)


def test_the_grader_shown_passes(tmp_path: Path, jail: Jail) -> None:
    root = tmp_path / "count-vowels"
    (root / "solutions").mkdir(parents=True)
    (root / "env.yaml").write_text(blocks("grader.md", "yaml")[0])
    (root / "task.md").write_text("Count the vowels a, e, i, o, u of a text.\n")
    (root / "grader.py").write_text(blocks("grader.md", "python")[0])
    (root / "solutions/reference.py").write_text(
        "def count_vowels(text):\n    return sum(letter in 'aeiou' for letter in text.lower())\n"
    )

    assert load(root).spec.grader is not None
    result = examine(root, jail)

    assert [finding for finding in result.findings if finding.severity is not Severity.NOTE] == []
    assert result.verdict is Verdict.PASS, result.reason


def test_the_mistake_of_the_quickstart_gives_its_finding(tmp_path: Path, jail: Jail) -> None:
    new_environment(tmp_path, "run-lengths", "function", author="Ada")
    verifier = tmp_path / "run-lengths/environment.py"
    text = verifier.read_text()
    (change,) = blocks("quickstart.md", "diff")
    old = "".join(f"{line[1:]}\n" for line in change.splitlines() if line[0] in " -")
    new = "".join(f"{line[1:]}\n" for line in change.splitlines() if line[0] in " +")
    assert text.count(old) == 1
    verifier.write_text(text.replace(old, new))

    result = examine(tmp_path / "run-lengths", jail, only=["accepts-nothing"])

    (finding,) = result.findings
    assert finding.evidence is not None
    shown = (DOCS / "quickstart.md").read_text()
    assert finding.message in shown
    assert finding.fix in shown
    assert f"instance       {finding.evidence.instance}" in shown
    assert f"made from      seed {finding.evidence.seed}, difficulty {finding.evidence.difficulty}" in shown
    assert f"expected       {finding.evidence.expected}" in shown


def test_every_kind_is_named() -> None:
    assert all(f"`{kind}`" in (DOCS / "quickstart.md").read_text() for kind in KINDS)
