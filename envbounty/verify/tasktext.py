"""What a task's text plainly says of the inputs: bounds, emptiness, signs, repeats, order, characters.

A small recogniser, no reader. It knows a few dozen phrases, takes them only from sentences about one named argument
(or the only one there is), and says nothing of all the rest: `says` is None far more often than True or False. Nothing
is taken from examples, from what is said of the result, or where two sentences contradict one another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from envbounty.verify.partitions.classes import Place, read
from envbounty.verify.phrases import (
    AT_LEAST,
    AT_LEAST_ONE,
    AT_MOST,
    CASE,
    CHARACTERS,
    COUNT,
    EACH,
    EXACTLY,
    GIVEN,
    IF,
    IS_EMPTY,
    ITEM,
    MAY_EMPTY,
    NOT_EMPTY,
    NUM,
    ORDERS,
    RANGE,
    REPEATS,
    RESULT,
    SIGNS,
    UNPLAIN,
    WORDS,
    Fact,
)

Phrases = Sequence[tuple[re.Pattern[str], Fact, tuple[str, ...]]]


@dataclass(frozen=True)
class Statement:
    """One thing said of one place. `low` and `high` bound a number, with `size` a length; the others name a class."""

    place: str
    fact: Fact
    value: Any  # a number, or what a class is called
    size: bool = False


# --- the text --------------------------------------------------------------------------------------------------------

_HEADING = re.compile(r"#+\s")
_EXAMPLES = re.compile(r"#+\s*(?:worked\s+)?examples?\b", re.IGNORECASE)
_BULLET = re.compile(r"\A\s*(?:[-*+#]+\s+|\d+[.)]\s)")
_END = re.compile(r"(?<=[.;!?])\s+|\n\s*\n|\n\s*(?=[-*+]\s|\d+[.)]\s|#)|\|")
_DIGITS = re.compile(r"[\d,_]{31}")
#: What is longer was not written to be plain, and patterns would take their time over it.
MAX_TEXT, MAX_SENTENCE = 50_000, 500


def sentences(task: str) -> list[str]:
    """The sentences of a task text, without code blocks and examples."""
    prose = _prose(task[:MAX_TEXT])
    parts = (re.sub(r"\s+", " ", _BULLET.sub("", part)).strip() for part in _END.split(prose))
    told = (part for part in parts if 0 < len(part) <= MAX_SENTENCE and not _DIGITS.search(part))
    return [part for part in told if not re.match(r"(?:for example|e\.g\.|example)\b", part, re.IGNORECASE)]


def _prose(task: str) -> str:
    """The lines that are no code and stand under no heading of examples."""
    kept, fence, example = [], "", False
    for line in task.splitlines():
        mark = line.lstrip()[:3]
        if fence:
            fence = "" if mark == fence else fence
        elif mark in ("```", "~~~"):
            fence = mark
        elif _HEADING.match(line):
            example = _EXAMPLES.match(line) is not None
        elif not example and not line.startswith(("    ", "\t", ">>>")):
            kept.append(line)
            continue
        kept.append("")
    return "\n".join(kept)


def number(text: str) -> int | None:
    """`10^5`, `1,000`, `2**31 - 1`, `-1e9` as an integer; None for anything else or beyond 10**30."""
    plain = re.sub(r"[\s,_]", "", text.replace("−", "-"))
    match = re.fullmatch(r"(-?)(\d{1,30})(?:(?:\*\*|\^)(\d{1,3}))?(?:e(\d{1,2}))?(-1)?", plain)
    if match is None:
        return None
    base = int(match[2])
    if match[3] and (base > 1000 or int(match[3]) * len(match[2]) > 100):
        return None
    value = (base ** int(match[3]) if match[3] else base) * 10 ** int(match[4] or 0)
    return int((-value if match[1] else value) - (1 if match[5] else 0))


# --- what a sentence is about ----------------------------------------------------------------------------------------

_NOUN = {
    "list": r"(?:lists?|arrays?|sequences?|input)",
    "text": r"(?:strings?|texts?|words?|input)",
    "number": r"(?:numbers?|integers?|input)",
    "dict": r"(?:dict(?:ionary|ionaries)?|mappings?|objects?|input)",
}


def _mentioned(sentence: str, names: Sequence[str]) -> list[str]:
    """The arguments that a sentence names: in backticks, or as a word of their own that is no English one."""
    found = []
    for name in names:
        ticked = re.search(rf"`[^`]*\b{re.escape(name)}\b[^`]*`", sentence)
        bare = re.search(rf"(?<![\w`]){re.escape(name)}(?![\w`])", sentence)
        if ticked or (bare and ((len(name) == 1 and name not in "aAI") or "_" in name)):
            found.append(name)
    return found


def _subjects(sentence: str, kinds: Mapping[str, str]) -> list[tuple[str, bool]]:
    """(argument, whether its items are meant) that a sentence is about; nothing when that is not plain."""
    named = _mentioned(sentence, list(kinds))
    if len(named) > 1:
        return []
    if named:
        name = named[0]
    elif (
        len(kinds) == 1
        and _only(kinds) in _NOUN
        and re.search(rf"\b(?:the|an empty)\s{_NOUN.get(_only(kinds), 'input')}\b", sentence, re.I)
    ):
        name = next(iter(kinds))
    else:
        return []
    quoted = rf"`?{re.escape(name)}`?"
    items = re.search(
        rf"\b(?:each|every|all|any|some|its|the|an|two|no)\b(?:\s\w+)?\s{EACH}\s(?:of|in|from)\s(?:the\s\w+\s)?{quoted}"
        rf"|\b{EACH}\s(?:of|in)\s{quoted}|{quoted}{ITEM}|^\W*(?:each|every)\s{EACH}\b|\bits\s{EACH}\b",
        sentence,
        re.IGNORECASE,
    )
    return [(name, items is not None)]


def _only(kinds: Mapping[str, str]) -> str:
    return next(iter(kinds.values()))


# --- statements ------------------------------------------------------------------------------------------------------


def statements(task: str, kinds: Mapping[str, str]) -> list[Statement]:
    """All that a task text plainly says of arguments; `kinds` maps each name to list, lists (a list of lists), text,
    number, dict or other."""
    found: list[Statement] = []
    for sentence in sentences(task):
        found += _inequalities(sentence, kinds)
        if RESULT.search(sentence) is None:
            found += _described(sentence, kinds)
            continue
        if (given := GIVEN.match(sentence)) is not None and not RESULT.search(given[1]):
            found += _described(given[1], kinds)
        if IF.search(sentence):
            found += _conditions(sentence, kinds)
    return list(dict.fromkeys(found))


def _inequalities(sentence: str, kinds: Mapping[str, str]) -> Iterator[Statement]:
    """`1 <= n <= 100`, `0 ≤ a, b ≤ 9`, `len(values) >= 1`, `0 <= values[i] < 10^9`."""
    text = sentence.replace("`", "").replace("≤", "<=").replace("≥", ">=").replace("\\le", "<=").replace("\\leq", "<=")
    for name in kinds:
        word = re.escape(name)
        one = rf"(?:len\({word}\)|\|{word}\||length of {word}|{word}\.length|{word}{ITEM}?|{word}\[\])"
        many = rf"(?:{one}|\w+)(?:\s?,\s?(?:{one}|\w+))*"
        chain = re.compile(
            rf"(?<![\w*/+)])(?P<low>{NUM})\s?(?P<a><=?)\s?(?P<mid>{many})\s?(?P<b><=?)\s?(?P<high>{NUM})"
        )
        for match in chain.finditer(text):
            for part in re.split(r"\s?,\s?", match["mid"]):
                if re.fullmatch(one, part):
                    yield from _bound(part, name, "low", match["low"], match["a"] == "<")
                    yield from _bound(part, name, "high", match["high"], match["b"] == "<")
        half = re.compile(rf"(?<![\w<>=.,/*+-])(?P<mid>{one})\s?(?P<op><=?|>=?)\s?(?P<num>{NUM})(?!\s?<)(?!\w|\.\d)")
        for match in half.finditer(text):
            before = text[: match.start()].rstrip()
            if not before.endswith(("<", "<=", ">", ">=")) and not CASE.search(before):
                fact: Fact = "high" if match["op"].startswith("<") else "low"
                yield from _bound(match["mid"], name, fact, match["num"], not match["op"].endswith("="))


def _bound(part: str, name: str, fact: Fact, text: str, strict: bool) -> Iterator[Statement]:
    value = number(text)
    if value is None:
        return
    value += (1 if fact == "low" else -1) if strict else 0
    if part.startswith(("len(", "|", "length")) or part.endswith(".length"):
        yield Statement(name, fact, value, size=True)
    else:
        yield Statement(name if part == name else f"{name}[]", fact, value)


def _described(sentence: str, kinds: Mapping[str, str]) -> Iterator[Statement]:
    """What a sentence about one argument says of it."""
    if UNPLAIN.search(sentence):
        return
    for name, items in _subjects(sentence, kinds):
        kind = kinds[name]
        inner = items or (kind == "list" and _of_items(sentence))
        if kind in ("list", "lists", "text", "dict") and not items:
            yield from _emptiness(sentence, name)
            yield from _lengths(sentence, name)
        numbers = f"{name}[]" if kind == "list" and inner else name if kind == "number" else ""
        if numbers:
            yield from _signs(sentence, numbers)
            yield from _ranges(sentence, numbers, counted=kind == "list" and not items)
        if kind in ("list", "lists", "text"):
            yield from _first(REPEATS, sentence, name)
        if kind in ("list", "lists") and not items:
            yield from _first(ORDERS, sentence, name)
        if kind == "text" or (kind == "list" and (items or re.search(r"\b(?:strings|words|texts)\b", sentence))):
            where = name if kind == "text" else f"{name}[]"
            for pattern, fact, whats in CHARACTERS:
                if pattern.search(sentence):
                    yield from (Statement(where, fact, what) for what in whats)


def _of_items(sentence: str) -> bool:
    """Whether what is said of numbers is said of a list's items: "a list of positive integers"."""
    return (
        re.search(
            r"\b(?:lists?|arrays?|sequences?)\sof\s(?:\w+[\s-]){0,3}(?:integers|numbers|floats|values)\b",
            sentence,
            re.I,
        )
        is not None
    )


def _emptiness(sentence: str, name: str) -> Iterator[Statement]:
    if NOT_EMPTY.search(sentence):
        yield Statement(name, "low", 1, size=True)
    elif MAY_EMPTY.search(sentence) or IS_EMPTY.search(sentence):
        yield Statement(name, "admit", "empty")


def _lengths(sentence: str, name: str) -> Iterator[Statement]:
    """`holds 8 to 16 sectors`, `a list of 0 to 300 shifts`, `at least one item`, `at most 100 characters`."""
    for match in RANGE.finditer(sentence):
        after = sentence[match.end() :]
        low, high = number(match["low"]), number(match["high"])
        counted = re.match(rf"\s(?:\w+\s)?{COUNT}", after) or re.search(r"\blength\b", sentence[: match.start() + 12])
        if (
            counted
            and low is not None
            and high is not None
            and 0 <= low <= high
            and not re.match(r"\s?(?:%|seconds|MB)", after)
        ):
            yield Statement(name, "low", low, size=True)
            yield Statement(name, "high", high, size=True)
            return
    least = AT_LEAST.search(sentence)
    low = _count(least["n"]) if least else 1 if AT_LEAST_ONE.search(sentence) else None
    if low is not None:
        yield Statement(name, "low", low, size=True)
    most = AT_MOST.search(sentence)
    if most is not None and (high := _count(most["n"])) is not None:
        yield Statement(name, "high", high, size=True)
    exact = EXACTLY.search(sentence)
    if exact is not None and not least and not most and (size := _count(exact["n"])) is not None:
        yield Statement(name, "low", size, size=True)
        yield Statement(name, "high", size, size=True)


def _count(text: str) -> int | None:
    return WORDS.get(text.lower()) or number(text)


def _ranges(sentence: str, place: str, *, counted: bool) -> Iterator[Statement]:
    """`between 1 and 100`, `from 0 to 9`, `in [1, 1000]`: of numbers, unless things are counted."""
    for match in RANGE.finditer(sentence):
        low, high = number(match["low"]), number(match["high"])
        things = re.match(rf"\s(?!inclusive|each|both|and|or)(?:\w+\s)?{COUNT}", sentence[match.end() :])
        if low is None or high is None or low > high or things or re.search(r"\blength\b", sentence):
            continue
        if re.match(r"(?:between|from|in)\b", match[0], re.IGNORECASE) or not counted:
            yield Statement(place, "low", low)
            yield Statement(place, "high", high)
            return


def _signs(sentence: str, place: str) -> Iterator[Statement]:
    for pattern, fact, value in SIGNS:
        if pattern.search(sentence):
            yield Statement(place, fact, value)


def _first(table: Phrases, sentence: str, place: str) -> Iterator[Statement]:
    for pattern, fact, whats in table:
        if pattern.search(sentence):
            yield from (Statement(place, fact, what) for what in whats)
            return


def _conditions(sentence: str, kinds: Mapping[str, str]) -> Iterator[Statement]:
    """Of a sentence about the result: the case of an empty input that it names."""
    for name, items in _subjects(sentence, kinds):
        if kinds[name] in ("list", "lists", "text", "dict") and not items and IS_EMPTY.search(sentence):
            yield Statement(name, "admit", "empty")


# --- what they say of a class ----------------------------------------------------------------------------------------


def says(found: Sequence[Statement], name: str) -> bool | None:
    """Whether a class is admitted (True) or excluded (False) by what was said; None when nobody said, or both ways."""
    where, tests = read(name)
    if not isinstance(where, Place):
        return None
    what = tests[0].what
    if what in _NEEDS and says(found, f"{where}[]: {_NEEDS[what]}") is False:
        return False
    mine = [one for one in found if one.place == str(where)]
    verdicts = {True for one in mine if one.fact == "admit" and one.value == what}
    verdicts |= {False for one in mine if one.fact == "exclude" and one.value == what}
    for size in (False, True):
        lows = [one.value for one in mine if one.fact == "low" and one.size is size]
        highs = [one.value for one in mine if one.fact == "high" and one.size is size]
        bounded = _by_size(tests[0].length, what, lows, highs) if size else _by_value(what, lows, highs)
        verdicts |= {bounded} - {None}  # type: ignore[arg-type]
    return verdicts.pop() if len(verdicts) == 1 else None


#: What an item must be for a list to be in a class.
_NEEDS = {"all negative": "negative", "mixed signs": "negative", "all zero": "zero"}
#: The least size of number that a class asks for, by name.
_LEAST = {"1000 or more": 1000, "a million or more": 10**6, "beyond 2^31": 2**31 + 1, "beyond 2^53": 2**53 + 1}


def _by_value(what: str, lows: Sequence[int], highs: Sequence[int]) -> bool | None:
    """What bounds on a number say: outside of any excludes, and only a bound that was stated admits."""
    low, high = max(lows, default=None), min(highs, default=None)
    if len(set(lows)) > 1 or len(set(highs)) > 1:
        return None
    if what in ("zero", "one"):
        point = 0 if what == "zero" else 1
        if (low is not None and low > point) or (high is not None and high < point):
            return False
        return True if low is not None and (low == point or high is not None) else None
    if what == "negative":
        return None if low is None else low < 0
    if what in _LEAST:
        least = _LEAST[what]
        if high is not None and high >= least:
            return True
        return False if high is not None and low is not None and low > -least else None
    return None


def _by_size(length: int | None, what: str, lows: Sequence[int], highs: Sequence[int]) -> bool | None:
    if len(set(lows)) > 1 or len(set(highs)) > 1:
        return None
    low, high = max(lows, default=None), min(highs, default=None)
    if length is not None:
        return None if high is None else high >= length
    points = {"empty": 0, "single": 1, "one character": 1, "two": 2}
    if what not in points:
        return None
    point = points[what]
    if (low is not None and low > point) or (high is not None and high < point):
        return False
    return True if low is not None and (low == point or high is not None) else None
