"""How instances, answers and scores are spread: plain statistics, values in and values out."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from operator import eq
from random import Random
from typing import Any

from envbounty.findings import Answer, Level, clip
from envbounty.verify.values import canonical

BINS = 10
#: So many of an instance's parts are held against another's; more would cost more than it tells.
PARTS = 200
#: So many of the commonest answers go into the report.
COMMONEST = 12


def wilson(successes: float, tried: int, z: float = 1.959964) -> tuple[float, float]:
    """The Wilson score interval for a share, 95 % by default; (0, 1) when nothing was tried.

    E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927), 209-212.
    """
    if tried == 0:
        return 0.0, 1.0
    share = successes / tried
    slack = z * z / tried
    middle = (share + slack / 2) / (1 + slack)
    reach = z / (1 + slack) * math.sqrt(share * (1 - share) / tried + slack / (4 * tried))
    # In exact arithmetic the interval holds the share; rounding may leave it out at 0 and 1.
    return min(share, max(0.0, middle - reach)), max(share, min(1.0, middle + reach))


def entropy_bits(counts: Iterable[int]) -> float:
    """Shannon entropy, in bits, of what was seen so many times each."""
    counts = [count for count in counts if count > 0]
    total = sum(counts)
    return max(0.0, -sum(count / total * math.log2(count / total) for count in counts))


def histogram(scores: Iterable[float]) -> tuple[int, ...]:
    """How many scores lie in each tenth of [0, 1]; 1 belongs to the last. What lies outside is left out."""
    counts = [0] * BINS
    for score in scores:
        if 0 <= score <= 1:
            counts[min(BINS - 1, int(score * BINS))] += 1
    return tuple(counts)


def commonest(answers: Sequence[Any]) -> tuple[Answer, ...]:
    """The commonest answers; among equals the one that came first."""
    counts = Counter(canonical(answer) for answer in answers)
    return tuple(Answer(text=clip(text, 60), count=count) for text, count in counts.most_common(COMMONEST))


def levels(cases: Sequence[tuple[int, Any]]) -> tuple[Level, ...]:
    """The sizes of (difficulty, instance) by difficulty."""
    by: dict[int, list[int]] = {}
    for difficulty, instance in cases:
        by.setdefault(difficulty, []).append(size(instance))
    return tuple(
        Level(difficulty=level, instances=len(sizes), sizes=_five(sizes)) for level, sizes in sorted(by.items())
    )


def size(instance: Any) -> int:
    """The length of an instance as JSON, in characters."""
    return len(canonical(instance))


def _five(sizes: list[int]) -> tuple[float, float, float, float, float]:
    if len(sizes) == 1:
        return (float(sizes[0]),) * 5
    first, second, third = statistics.quantiles(sizes, method="inclusive")
    return float(min(sizes)), first, second, third, float(max(sizes))


def growth(cases: Sequence[tuple[int, Any]]) -> float | None:
    """Spearman's rank correlation of size with difficulty, equal values sharing their rank; None where one is constant.

    C. Spearman, "The proof and measurement of association between two things", Am. J. Psychol. 15 (1904), 72-101.
    """
    try:
        found = statistics.correlation(
            _ranks([difficulty for difficulty, _ in cases]), _ranks([size(instance) for _, instance in cases])
        )
    except statistics.StatisticsError:
        return None
    return round(max(-1.0, min(1.0, found)), 4)


def _ranks(values: Sequence[int]) -> list[float]:
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for index in order[start:end]:
            ranks[index] = (start + end - 1) / 2
        start = end
    return ranks


def near_repeats(instances: Sequence[Any], near: float = 0.9) -> int:
    """How many instances are another one that came before, or one of the same shape with the share `near` of its parts.

    Parts are numbers, words, and what else cannot be taken apart; an instance of fewer than 10 is only held for itself.
    """
    seen: list[list[Any]] = []
    repeats = 0
    for instance in instances:
        parts = list(islice(_parts(instance), PARTS))
        least = len(parts) if len(parts) < 10 else math.ceil(near * len(parts))
        repeats += any(len(other) == len(parts) and sum(map(eq, parts, other)) >= least for other in seen)
        seen.append(parts)
    return repeats


def _parts(value: Any) -> Iterable[Any]:
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            for key in sorted(item):
                stack += [item[key], key]
        elif isinstance(item, list):
            stack += item
        elif isinstance(item, str):
            yield from item.split() or [item]
        else:
            yield item


def halves(count: int, rng: Random) -> tuple[list[int], list[int]]:
    """The places 0 … count - 1 in two halves by lot, each in order; the second is never the smaller one."""
    order = list(range(count))
    rng.shuffle(order)
    return sorted(order[: count // 2]), sorted(order[count // 2 :])
