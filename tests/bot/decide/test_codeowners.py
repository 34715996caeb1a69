"""Who owns a file. Where GitHub's reading is narrower than others', ours is GitHub's."""

from __future__ import annotations

import pytest

from bot.codeowners import MAX_SIZE, Owner, Owners

TEXT = """\
# Everything is the maintainers'
*                      @octo/maintainers
*.md                   docs@example.org
/environments/*/
/.github/              @ann @octo/security   # @mallory asked for it
/policies/policy.yaml  @Ben
apps/                  @apps
docs/*                 @direct
/deep/**/leaf.txt      @leaf
/with\\ space.txt      @spacey
"""


def of(path: str, text: str = TEXT) -> list[str]:
    return [owner.name for owner in Owners(text).of(path)]


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("setup.py", ["octo/maintainers"]),
        ("README.md", ["docs@example.org"]),
        ("environments/two-sum/env.yaml", []),  # the last rule that matches decides, also when it names nobody
        ("environments/README.md", ["docs@example.org"]),
        (".github/workflows/verify.yml", ["ann", "octo/security"]),
        (".github/CODEOWNERS", ["ann", "octo/security"]),
        ("x/.github/workflows/verify.yml", ["octo/maintainers"]),
        ("policies/policy.yaml", ["Ben"]),
        ("policies/policy.yaml.orig", ["octo/maintainers"]),
        ("policies/semgrep/a.yaml", ["octo/maintainers"]),
        ("apps/a", ["apps"]),
        ("x/apps/a/b", ["apps"]),
        ("docs/a", ["direct"]),
        ("docs/a/b", ["octo/maintainers"]),
        ("deep/a/b/leaf.txt", ["leaf"]),
        ("deep/leaf.txt", ["leaf"]),
        ("with space.txt", ["spacey"]),
    ],
)
def test_the_last_rule_that_matches_decides(path: str, owners: list[str]) -> None:
    assert of(path) == owners


def test_a_name_in_a_comment_owns_nothing() -> None:
    assert "mallory" not in of(".github/workflows/verify.yml")
    assert of("a", "* @ann # and @mallory") == ["ann"]
    assert of("a", "* @ann #@mallory") == ["ann"]
    assert of("a", "#* @mallory") == []


@pytest.mark.parametrize("line", ["!a @mallory", "[ab] @mallory", "a[0-9] @mallory", "[section] @mallory"])
def test_a_line_that_github_does_not_read_leaves_the_rule_before_it(line: str) -> None:
    for path in ("a", "b", "a0", "section", "[section]"):
        assert of(path, f"* @ann\n{line}\n") == ["ann"]


def test_a_section_of_another_forge_is_no_rule() -> None:
    assert of("a", "* @ann\n[Docs]\n^[Optional]\n") == ["ann"]


def test_case_counts_in_paths_and_not_in_names() -> None:
    assert of("Policies/policy.yaml") == ["octo/maintainers"]
    (owner,) = Owners(TEXT).of("policies/policy.yaml")
    assert owner == Owner("user", "Ben")
    assert owner.is_user("ben") and not owner.is_user("benn")
    assert not Owner("team", "octo/ben").is_user("octo/ben")


def test_kinds_are_told_apart() -> None:
    kinds = {owner.kind for owner in Owners("* @ann @octo/team a@example.org nobody").of("x")}
    assert kinds == {"user", "team", "email"}


def test_a_file_too_large_for_github_protects_nothing() -> None:
    assert of("a", "* @ann\n" + "#" * MAX_SIZE) == []


def test_no_file_and_no_rules_own_nothing() -> None:
    assert of("a", "") == [] == of("a", "\n\n# nothing\n")


@pytest.mark.parametrize("path", ["a\nb", "a b", "ä/ö", "x" * 4000, "a//b"])
def test_strange_names_are_owned_like_others(path: str) -> None:
    assert of(path, "* @ann\n") == ["ann"]
