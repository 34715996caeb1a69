"""How often a wrong submission passes: against binomial sums done by hand, and by chance."""

from __future__ import annotations

import math
from random import Random

import pytest

from envbounty.verify.odds import FAULT, LINE, USUAL, can_leak, interval, leak


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [
        # The ends solve (1 - p)^n = 0.05 or p^n = 0.05.
        (0, 140, 0.0, 1 - 0.05 ** (1 / 140)),
        (140, 140, 0.05 ** (1 / 140), 1.0),
        (0, 1, 0.0, 0.95),
        (1, 1, 0.05, 1.0),
        # Clopper and Pearson (1934), 90 %: the values that statistical tables print for 1 and 5 of 10.
        (1, 10, 0.0051, 0.3942),
        (5, 10, 0.2224, 0.7776),
    ],
)
def test_the_interval(hits: int, of: int, low: float, high: float) -> None:
    assert interval(hits, of) == pytest.approx((low, high), abs=1e-4)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    rng = Random(1)
    outside = 0
    for _ in range(400):
        share = rng.random()
        low, high = interval(sum(rng.random() < share for _ in range(40)), 40)
        outside += not low <= share <= high
    assert outside <= 0.1 * 400


@pytest.mark.parametrize("tests", [USUAL, USUAL + 1, 50, 200])
def test_no_share_at_all_is_above_the_line_with_the_usual_number_of_tests(tests: int) -> None:
    assert all(leak(wrong, 140, tests)[0] < LINE for wrong in range(141))
    assert not can_leak(tests) and can_leak(5) and can_leak(USUAL - 2)
    assert max(p * (1 - p) ** tests for p in (k / 1000 for k in range(1001))) <= LINE


def test_with_few_tests_a_rare_case_is_below_it_and_a_common_one_above_and_a_very_common_one_below() -> None:
    assert leak(1, 140, 5)[0] < LINE / 2
    assert leak(14, 140, 5)[0] > FAULT
    assert LINE < leak(7, 140, 5)[0] < FAULT  # one in twenty, with five tests: worth a look
    assert all(leak(wrong, 140, 10)[0] < FAULT for wrong in range(141))
    assert leak(100, 140, 5)[0] < LINE / 2  # it does not pass
    assert leak(14, 140, 10)[0] > LINE
    assert leak(1, 10, 5)[0] < LINE  # ten instances tell nothing
    assert leak(0, 0, 5) == (0.0, 1.0)


def test_the_ends_enclose_the_rate_between_them() -> None:
    for wrong in range(0, 141, 7):
        low, high = interval(wrong, 140)
        rates = [p * (1 - p) ** 5 for p in (low + (high - low) * k / 100 for k in range(101))]
        below, above = leak(wrong, 140, 5)
        assert below <= min(rates) + 1e-12 and max(rates) <= above + 1e-12
        assert math.isclose(below, min(rates), abs_tol=1e-9)
