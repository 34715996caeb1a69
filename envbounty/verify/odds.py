"""How often a wrong submission passes, from a sample. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable

#: The number of instances that the contract recommends, and its default.
USUAL = 20
#: A submission that is wrong on a share p of the instances passes k independent tests with probability (1 - p)^k. The
#: rate of what is wrong and yet rewarded, p (1 - p)^k, is at most 1 / (e k) for any p. With the usual number of tests
#: no submission whatever gets above this; what does is let through by fewer tests, or by tests that are too alike.
LINE = 1 / (math.e * USUAL)
#: What no submission gets above with half the usual number of tests. More is a fault beyond doubt; between the two
#: lines it is a matter of taste, and of the chance in which instances were drawn.
FAULT = 2 * LINE


def interval(hits: int, of: int, outside: float = 0.05) -> tuple[float, float]:
    """Clopper and Pearson's interval of a share: it lies outside with probability `outside` at most on either side."""
    low = 0.0 if hits == 0 else _root(lambda p: 1 - _up_to(hits - 1, of, p) - outside)
    high = 1.0 if hits == of else _root(lambda p: outside - _up_to(hits, of, p))
    return low, high


def leak(wrong: int, of: int, tests: int) -> tuple[float, float]:
    """Between which rates instances are answered wrongly by a submission that passed `tests` tests, when it was wrong
    on `wrong` of `of` other instances. (0, …) where nothing is known."""
    if of == 0:
        return 0.0, 1.0
    low, high = interval(wrong, of)
    ends = [_rate(low, tests), _rate(high, tests)]
    peak = 1 / (tests + 1)  # the rate rises up to here and falls from here
    return min(ends), _rate(peak, tests) if low <= peak <= high else max(ends)


def can_leak(tests: int) -> bool:
    """Whether any submission at all could be above `LINE` with so many independent tests."""
    return _rate(1 / (tests + 1), tests) > LINE


def _rate(share: float, tests: int) -> float:
    return share * (1 - share) ** tests


def _up_to(hits: int, of: int, share: float) -> float:
    """The probability of at most so many hits."""
    return math.fsum(math.comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(hits + 1))


def _root(rising: Callable[[float], float]) -> float:
    """Where a rising function of a share is zero."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return (low + high) / 2
