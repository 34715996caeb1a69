"""Which lines of a patch can be commented on, and where they are later."""

from hypothesis import given
from hypothesis import strategies as st

from localhub import diff

PATCH = """@@ -1,4 +1,5 @@
 one
-two
+2
+2.5
 three
 four
@@ -20,3 +21,2 @@ def f():
 twenty
-twenty-one
 twenty-two
\\ No newline at end of file"""


def test_every_line_of_a_patch_has_a_number_on_its_side():
    found = {(one.position, one.old, one.new, one.hunk) for one in diff.lines(PATCH)}
    assert found == {
        (1, 1, 1, 0),
        (2, 2, None, 0),
        (3, None, 2, 0),
        (4, None, 3, 0),
        (5, 3, 4, 0),
        (6, 4, 5, 0),
        (8, 20, 21, 1),
        (9, 21, None, 1),
        (10, 22, 22, 1),
    }


def test_a_line_between_hunks_is_not_in_the_diff():
    assert diff.find(PATCH, 10, "RIGHT") is None
    assert diff.find(PATCH, 2, "LEFT").position == 2
    assert diff.find(PATCH, 2, "RIGHT").position == 3
    assert diff.find(PATCH, 21, "LEFT").new is None


def test_the_hunk_of_a_comment_ends_at_its_line():
    assert diff.hunk_until(PATCH, 3).splitlines() == ["@@ -1,4 +1,5 @@", " one", "-two", "+2"]
    assert diff.hunk_until(PATCH, 9).splitlines()[0].startswith("@@ -20,3")


def test_lines_move_with_what_is_added_and_removed_above_them():
    assert [diff.moved(PATCH, n) for n in (1, 2, 3, 10, 20, 21, 22, 30)] == [1, None, 4, 11, 21, None, 22, 30]
    assert diff.moved(None, 7) == 7


@given(st.lists(st.sampled_from("abcdef"), max_size=30), st.lists(st.sampled_from("abcdef"), max_size=30))
def test_a_moved_line_still_says_the_same(old: list[str], new: list[str]):
    import difflib

    rows = list(difflib.unified_diff([f"{x}\n" for x in old], [f"{x}\n" for x in new], n=1))[2:]
    patch = "".join(rows).rstrip("\n") if rows else None
    if patch and ("@@ -0,0" in patch or "+0,0 @@" in patch):
        return  # difflib numbers an empty side in a way of its own
    for number, text in enumerate(old, 1):
        now = diff.moved(patch, number)
        assert now is None or new[now - 1] == text
