"""Near misses: outputs that are almost a right one. Pure; nothing is run here.

A verifier that compares loosely (a substring, a prefix, a set, a sum, a last line) accepts one of these long before it
accepts noise. Whether a near miss is wrong is not for this module to say: dropping a step may leave a proof a proof.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from envbounty.verify.values import canonical, is_number

#: So many near misses of one output at most, one of each sort before a second of any; so many leaves are changed.
MOST, LEAVES = 48, 3
#: Longer outputs are left alone: copies of them would only fill memory.
LONGEST = 200_000


@dataclass(frozen=True)
class NearMiss:
    """One output and how it was made. `form`: it may still say the right answer, in other words or another place."""

    name: str
    output: Any
    form: bool = False


def near_misses(
    right: Any, rng: Random, *, others: Sequence[Any] = (), options: Sequence[str] = (), most: int = MOST
) -> list[NearMiss]:
    """Up to `most` outputs that differ from `right` as JSON values and from one another. Never raises on JSON.

    `others` are right answers of other instances, `options` all the short answers that there seem to be.
    """
    if _size(right) > LONGEST:
        return []
    seen = {canonical(right)}
    sorts: dict[str, list[NearMiss]] = {}
    for one in _made(right, rng, list(others)[:3], list(dict.fromkeys(options))[:12]):
        text = canonical(one.output)
        if text not in seen:
            seen.add(text)
            sorts.setdefault(one.name, []).append(one)
    turns = [one for round_ in range(LEAVES + 3) for sort in sorts.values() for one in sort[round_ : round_ + 1]]
    return turns[:most]


def _size(value: Any) -> int:
    return len(canonical(value)) if isinstance(value, (str, list, dict)) else 1


def _made(right: Any, rng: Random, others: Sequence[Any], options: Sequence[str]) -> Iterator[NearMiss]:
    if isinstance(right, bool):
        yield NearMiss("the other truth value", not right)
    elif is_number(right):
        yield from _numbers(right, rng)
    elif isinstance(right, str):
        yield from _texts(right, rng, [one for one in others if isinstance(one, str)], options)
    elif isinstance(right, list):
        yield from _lists(right, rng, [one for one in others if isinstance(one, list)])
    elif isinstance(right, dict):
        yield from _dicts(right, rng)
    elif right is None:
        yield NearMiss("a zero for nothing", 0)


# --- numbers ---------------------------------------------------------------------------------------------------------


def _numbers(x: int | float, rng: Random) -> Iterator[NearMiss]:
    if not math.isfinite(x) or abs(x) > 10**300:
        return
    for name, made in (
        ("one more", x + 1),
        ("one less", x - 1),
        ("the sign changed", -x),
        ("a tenth more", _tenth(x, 11)),
        ("a tenth less", _tenth(x, 9)),
        ("twice as much", 2 * x),
    ):
        yield NearMiss(name, made)
    if isinstance(x, float):
        yield NearMiss("rounded", float(round(x)))
        yield NearMiss("rounded", round(x, 1))
        yield NearMiss("a thousandth more", x * 1.001)
        return
    yield NearMiss("as 32 bits would hold it, or overflow", x - 2**32 if x >= 2**31 else x + 2**32)
    if abs(x) < 2**50:  # what int() cuts off and round() takes away
        yield NearMiss("a fraction further from zero", x + 0.4 if x >= 0 else x - 0.4)
    digits = str(abs(x))
    for name, text in _digits(digits, rng):
        yield NearMiss(name, int(text) * (-1 if x < 0 else 1))
    if len(digits) > 1:
        unit = 10 ** (len(digits) - 1)
        yield NearMiss("rounded", round(x / unit) * unit if len(digits) < 15 else x // unit * unit)


def _tenth(x: int | float, tenths: int) -> int | float:
    return x * tenths // 10 if isinstance(x, int) else x * tenths / 10


def _digits(digits: str, rng: Random) -> Iterator[tuple[str, str]]:
    """Spellings of another number: two neighbours swapped, a digit left out, written twice, or another one."""
    if len(digits) > 1:
        at = rng.randrange(len(digits) - 1)
        yield "two digits swapped", digits[:at] + digits[at + 1] + digits[at] + digits[at + 2 :]
        yield "a digit left out", digits[:at] + digits[at + 1 :]
        yield "a digit left out", digits[:-1]
    at = rng.randrange(len(digits))
    yield "a digit written twice", digits[:at] + digits[at] + digits[at:]
    yield "another digit", digits[:at] + str((int(digits[at]) + rng.randint(1, 9)) % 10) + digits[at + 1 :]


_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def _number_in(text: str, rng: Random) -> Iterator[NearMiss]:
    """One number of the text changed, the rest as it was."""
    found = [match for match in _NUMBER.finditer(text) if len(match[0]) <= 40]
    chosen = [found[0], found[-1], rng.choice(found)] if found else []
    for match in dict.fromkeys(chosen):
        before, after = text[: match.start()], text[match.end() :]
        value: int | float = float(match[0]) if "." in match[0] else int(match[0])
        for miss in _numbers(value, rng):
            spelt = str(miss.output)
            if miss.name != "the sign changed" and "e" not in spelt and not spelt.startswith("-"):
                yield NearMiss(f"a number in it: {miss.name}", before + spelt + after)
        signed = before[:-1] + match[0] if before.endswith("-") else before + "-" + match[0]
        yield NearMiss("a number in it: the sign changed", signed + after)


# --- text ------------------------------------------------------------------------------------------------------------


def _texts(text: str, rng: Random, others: Sequence[str], options: Sequence[str]) -> Iterator[NearMiss]:
    if not text.strip():
        yield NearMiss("a word for nothing", "nothing")
        return
    lines = text.splitlines()
    if len([line for line in lines if line.strip()]) > 1:
        yield from _line_lists(lines, rng, others)
    yield from _number_in(text, rng)
    yield from _wording(text.strip(), rng, options)
    for other in others:
        if other.strip() and other.strip() != text.strip():
            yield NearMiss("two answers, the other first", f"{other.rstrip()}\n{text}")
            yield NearMiss("two answers, the other last", f"{text.rstrip()}\n{other}")


def _wording(text: str, rng: Random, options: Sequence[str]) -> Iterator[NearMiss]:
    words = text.split(" ")
    if len(words) > 1:
        at = rng.randrange(len(words) - 1)
        yield NearMiss("two words swapped", " ".join([*words[:at], words[at + 1], words[at], *words[at + 2 :]]))
        yield NearMiss("a word left out", " ".join([*words[:at], *words[at + 1 :]]))
        yield NearMiss("the last word left out", " ".join(words[:-1]))
        yield NearMiss("a word twice", " ".join([*words[: at + 1], *words[at:]]))
    letters = [index for index, character in enumerate(text) if character.isalpha()]
    if letters:
        at = rng.choice(letters)
        other = chr((ord(text[at].lower()) - 97 + rng.randint(1, 25)) % 26 + 97)
        yield NearMiss("another letter", text[:at] + other + text[at + 1 :])
        if len(text) > 1:
            yield NearMiss("a letter left out", text[:at] + text[at + 1 :])
    if len(text) > 1:
        yield NearMiss("written backwards", text[::-1])
    yield NearMiss("denied", f"not {text}")
    yield NearMiss("denied", f"The answer is not {text}.")
    more = [one for one in options if one.strip() and one.strip() != text]
    if more:
        yield NearMiss("two answers, the other last", f"{text} or {more[0].strip()}")
        yield NearMiss("two answers, the other first", f"{more[0].strip()}, {text}")
        everything = [text, *(one.strip() for one in more)]
        yield NearMiss("every answer there is", ", ".join(everything))
        yield NearMiss("every answer there is", "\n".join(sorted(everything)))
    # What a reader may still take for the right answer: whether a verifier does is a matter of style.
    yield NearMiss("in a sentence", f"The answer is {text}.", form=True)
    yield NearMiss("with a full stop", f"{text}.", form=True)
    yield NearMiss("with a question mark", f"{text}?", form=True)
    yield NearMiss("in quotes", f'"{text}"', form=True)
    yield NearMiss("in the other case", text.swapcase(), form=True)
    yield NearMiss("said twice", f"{text} {text}", form=True)


def _line_lists(lines: list[str], rng: Random, others: Sequence[str]) -> Iterator[NearMiss]:
    """An answer of several lines, line by line."""
    for miss in _items(lines, rng, "line"):
        yield NearMiss(miss.name, "\n".join(miss.output))
    ends = [index for index, line in enumerate(lines) if ":" in line]
    if len(ends) > 1:
        a, b = rng.sample(ends, 2)
        swapped = list(lines)
        (first, one), (second, two) = lines[a].rsplit(":", 1), lines[b].rsplit(":", 1)
        swapped[a], swapped[b] = f"{first}:{two}", f"{second}:{one}"
        yield NearMiss("two reasons swapped", "\n".join(swapped))
    yield NearMiss("the end at the beginning", "\n".join([lines[-1], *lines[:-1]]))
    yield NearMiss("the end alone", lines[-1])
    for at in dict.fromkeys((rng.randrange(len(lines)), 0, len(lines) // 2)):
        if (shorter := _without_step(lines, at)) is not None:
            yield NearMiss("a step left out, the rest numbered anew", "\n".join(shorter))


_STEP = re.compile(r"(\s*)(\d+)([.):])")


def _without_step(lines: list[str], at: int) -> list[str] | None:
    """Numbered lines without one of them, with the numbers that refer to later ones made to fit; None if not numbered.

    A reference is a number behind the line's last colon.
    """
    matches = [_STEP.match(line) for line in lines]
    if any(match is None or int(match[2][:9]) != index for index, match in enumerate(matches, 1)):
        return None
    gone = at + 1
    made = []
    for index, (line, match) in enumerate(zip(lines, matches, strict=True), 1):
        if index == gone or match is None:
            continue
        number = index - (index > gone)
        body = line[match.end() :]
        head, colon, reasons = body.rpartition(":")
        fitted = re.sub(r"\b\d{1,9}\b", lambda m: str(int(m[0]) - (int(m[0]) > gone)), reasons)
        made.append(f"{match[1]}{number}{match[3]}{head}{colon}{fitted}")
    return made


# --- lists and objects -----------------------------------------------------------------------------------------------


def _lists(x: list[Any], rng: Random, others: Sequence[list[Any]]) -> Iterator[NearMiss]:
    yield from _items(x, rng, "item")
    yield NearMiss("a foreign item in the middle", [*x[: len(x) // 2], "no such thing", *x[len(x) // 2 :]])
    yield NearMiss("nothing in the middle", [*x[: len(x) // 2], None, *x[len(x) // 2 :]])
    for other in others:
        yield NearMiss("another instance's answer behind it", [*x, *other])
        yield NearMiss("another instance's answer before it", [*other, *x])
        if other and x:
            at = rng.randrange(len(x))
            yield NearMiss("an item of another instance's", [*x[:at], rng.choice(other), *x[at + 1 :]])
    # One leaf changed, at the beginning, the end and anywhere.
    for spot in _some(list(range(len(x))), rng):
        for miss in _leaf_changes(x[spot], rng):
            yield NearMiss(f"in one item, {miss.name}", [*x[:spot], miss.output, *x[spot + 1 :]])


def _leaf_changes(value: Any, rng: Random) -> Iterator[NearMiss]:
    """Changes of one thing within a value; a list is gone into, and left as long as it is."""
    if isinstance(value, list):
        for spot in _some(list(range(len(value))), rng):
            for miss in _leaf_changes(value[spot], rng):
                yield NearMiss(miss.name, [*value[:spot], miss.output, *value[spot + 1 :]])
    elif isinstance(value, str):
        yield NearMiss("another word", value[:-1] + ("x" if value[-1:] != "x" else "y"))
        yield from _number_in(value, rng)
    else:
        yield from _made(value, rng, (), ())


def _some(items: list[int], rng: Random) -> list[int]:
    return list(dict.fromkeys([*items[:1], *items[-1:], rng.choice(items)]))[:LEAVES] if items else []


def _items(x: list[Any], rng: Random, what: str) -> Iterator[NearMiss]:
    """A list with one thing wrong in its order or its number."""
    spots = _some(list(range(len(x))), rng)
    for at in spots:
        yield NearMiss(f"without one {what}", [*x[:at], *x[at + 1 :]])
        yield NearMiss(f"one {what} twice", [*x[: at + 1], *x[at:]])
    if len(x) > 1:
        for at in _some(list(range(len(x) - 1)), rng):
            yield NearMiss(f"two neighbouring {what}s swapped", [*x[:at], x[at + 1], x[at], *x[at + 2 :]])
        yield NearMiss(f"its {what}s in another order", rng.sample(x, len(x)))
        yield NearMiss("reversed", x[::-1])
        yield NearMiss("its first half", x[: len(x) // 2])
        yield NearMiss("its second half", x[len(x) // 2 :])
        yield NearMiss(f"its first {what} throughout", [x[0]] * len(x))
    if x:
        yield NearMiss("twice over", [*x, *x])
        yield NearMiss(f"its first {what} again at the end", [*x, x[0]])


def _dicts(x: dict[str, Any], rng: Random) -> Iterator[NearMiss]:
    keys = list(x)
    for spot in _some(list(range(len(keys))), rng):
        key = keys[spot]
        yield NearMiss("without one key", {one: value for one, value in x.items() if one != key})
        for miss in _leaf_changes(x[key], rng):
            yield NearMiss(f"in one value, {miss.name}", {**x, key: miss.output})
    if len(keys) > 1:
        a, b = keys[0], keys[-1]
        yield NearMiss("two values swapped", {**x, a: x[b], b: x[a]})
    yield NearMiss("with a key more", {**x, "and": 0})
