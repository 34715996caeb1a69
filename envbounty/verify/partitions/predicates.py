"""What it is for one value, or for two, to be in a class. Every function here can be cut out and put into a submission.

So each is plain Python of the standard library, never raises on JSON values (tuples count as lists), and uses nothing
but builtins and other functions of this module, all imports being local.
"""

from __future__ import annotations

from typing import Any

# --- types -----------------------------------------------------------------------------------------------------------


def is_number(x: Any) -> bool:
    return isinstance(x, (int, float)) and not isinstance(x, bool) and x == x and abs(x) != float("inf")


def is_text(x: Any) -> bool:
    return isinstance(x, str)


def is_list(x: Any) -> bool:
    return isinstance(x, (list, tuple))


def is_dict(x: Any) -> bool:
    return isinstance(x, dict)


def numbers(x: Any) -> bool:
    return is_list(x) and len(x) > 0 and all(is_number(item) for item in x)


def orderable(x: Any) -> bool:
    """Two or more items, all numbers or all texts."""
    return is_list(x) and len(x) > 1 and (numbers(x) or all(is_text(item) for item in x))


def pairs(x: Any) -> bool:
    return is_list(x) and len(x) > 0 and all(numbers(item) and len(item) == 2 for item in x)


# --- numbers ---------------------------------------------------------------------------------------------------------


def zero(x: Any) -> bool:
    return is_number(x) and x == 0


def one(x: Any) -> bool:
    return is_number(x) and x == 1


def negative(x: Any) -> bool:
    return is_number(x) and x < 0


def thousand(x: Any) -> bool:
    return is_number(x) and abs(x) >= 1000


def million(x: Any) -> bool:
    return is_number(x) and abs(x) >= 10**6


def beyond_int32(x: Any) -> bool:
    return is_number(x) and abs(x) > 2**31


def beyond_double(x: Any) -> bool:
    """An integer that doubles cannot tell from its neighbours."""
    return isinstance(x, int) and is_number(x) and abs(x) > 2**53


def integral_float(x: Any) -> bool:
    return isinstance(x, float) and is_number(x) and x.is_integer()


def fractional(x: Any) -> bool:
    return isinstance(x, float) and is_number(x) and not x.is_integer()


def tiny(x: Any) -> bool:
    return isinstance(x, float) and 0 < abs(x) < 1e-9


def huge(x: Any) -> bool:
    return isinstance(x, float) and is_number(x) and abs(x) >= 1e100


def negative_zero(x: Any) -> bool:
    return isinstance(x, float) and x == 0 and str(x).startswith("-")


# --- text, lists and dictionaries ------------------------------------------------------------------------------------


def empty_text(x: Any) -> bool:
    return is_text(x) and len(x) == 0


def one_character(x: Any) -> bool:
    return is_text(x) and len(x) == 1


def blank(x: Any) -> bool:
    return is_text(x) and len(x) > 0 and not x.strip()


def inner_space(x: Any) -> bool:
    return is_text(x) and any(c.isspace() for c in x) and bool(x.strip())


def edge_space(x: Any) -> bool:
    return is_text(x) and bool(x.strip()) and x != x.strip()


def upper(x: Any) -> bool:
    return is_text(x) and x.isupper()


def lower(x: Any) -> bool:
    return is_text(x) and x.islower()


def mixed_case(x: Any) -> bool:
    return is_text(x) and x != x.upper() and x != x.lower()


def digits(x: Any) -> bool:
    return is_text(x) and len(x) > 0 and all(c in "0123456789" for c in x)


def has_digit(x: Any) -> bool:
    return is_text(x) and any(c in "0123456789" for c in x) and not digits(x)


def punctuation(x: Any) -> bool:
    return is_text(x) and any(c in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" for c in x)


def non_ascii(x: Any) -> bool:
    return is_text(x) and any(ord(c) > 127 for c in x)


def repeated_character(x: Any) -> bool:
    return is_text(x) and len(set(x)) < len(x)


def one_letter_over(x: Any) -> bool:
    return is_text(x) and len(x) > 1 and len(set(x)) == 1


def palindrome(x: Any) -> bool:
    return is_text(x) and len(x) > 1 and x == x[::-1]


def empty_list(x: Any) -> bool:
    return is_list(x) and len(x) == 0


def single(x: Any) -> bool:
    return is_list(x) and len(x) == 1


def two(x: Any) -> bool:
    return is_list(x) and len(x) == 2


def all_equal(x: Any) -> bool:
    return is_list(x) and len(x) > 1 and all(item == x[0] for item in x)


def duplicates(x: Any) -> bool:
    if not is_list(x):
        return False
    seen = set()
    for item in x:
        key = repr(item) if is_list(item) or is_dict(item) else (isinstance(item, bool), item)
        if key in seen:
            return True
        seen.add(key)
    return False


def ascending(x: Any) -> bool:
    return orderable(x) and list(x) == sorted(x)


def strictly_ascending(x: Any) -> bool:
    return orderable(x) and all(x[i] < x[i + 1] for i in range(len(x) - 1))


def descending(x: Any) -> bool:
    return orderable(x) and list(x) == sorted(x, reverse=True)


def unsorted(x: Any) -> bool:
    return orderable(x) and not ascending(x) and not descending(x)


def all_negative(x: Any) -> bool:
    return numbers(x) and all(item < 0 for item in x)


def all_zero(x: Any) -> bool:
    return numbers(x) and all(item == 0 for item in x)


def mixed_signs(x: Any) -> bool:
    return numbers(x) and min(x) < 0 < max(x)


def tie_for_max(x: Any) -> bool:
    return numbers(x) and list(x).count(max(x)) > 1


def tie_for_min(x: Any) -> bool:
    return numbers(x) and list(x).count(min(x)) > 1


def same_length_rows(x: Any) -> bool:
    return is_list(x) and len(x) > 1 and all(is_list(row) for row in x) and len({len(row) for row in x}) == 1


def ragged_rows(x: Any) -> bool:
    return is_list(x) and len(x) > 1 and all(is_list(row) for row in x) and len({len(row) for row in x}) > 1


def collinear(x: Any) -> bool:
    """Three or more points on one line."""
    if not pairs(x) or len(x) < 3:
        return False
    (ax, ay), (bx, by) = x[0], next((p for p in x if list(p) != list(x[0])), x[0])
    return all((bx - ax) * (cy - ay) == (by - ay) * (cx - ax) for cx, cy in x)


def zero_length_pair(x: Any) -> bool:
    return pairs(x) and any(a == b for a, b in x)


def backward_pair(x: Any) -> bool:
    return pairs(x) and any(a > b for a, b in x)


def touching_pairs(x: Any) -> bool:
    """One pair ends where another one begins."""
    starts = [a for a, _ in x] if pairs(x) else []
    known = set(starts)
    return len(starts) > 1 and any(b in known and (a != b or starts.count(b) > 1) for a, b in x)


def nested_pairs(x: Any) -> bool:
    return pairs(x) and any(
        a <= c <= d <= b and (a, b) != (c, d)
        for i, (a, b) in enumerate(x[:200])
        for j, (c, d) in enumerate(x[:200])
        if i != j
    )


def empty_dict(x: Any) -> bool:
    return is_dict(x) and len(x) == 0


def single_key(x: Any) -> bool:
    return is_dict(x) and len(x) == 1


def true(x: Any) -> bool:
    return x is True


def false(x: Any) -> bool:
    return x is False


def null(x: Any) -> bool:
    return x is None


def at_least(x: Any, length: int) -> bool:
    return (is_list(x) or is_text(x)) and len(x) >= length


# --- two arguments ---------------------------------------------------------------------------------------------------


def equal(a: Any, b: Any) -> bool:
    return type(a) is type(b) and a == b


def greater(a: Any, b: Any) -> bool:
    return is_number(a) and is_number(b) and a > b


def less(a: Any, b: Any) -> bool:
    return is_number(a) and is_number(b) and a < b


def divides(a: Any, b: Any) -> bool:
    return isinstance(a, int) and isinstance(b, int) and is_number(a) and is_number(b) and a != 0 and b % a == 0


def sized(a: Any, b: Any) -> bool:
    """Two lists or two texts."""
    return (is_list(a) and is_list(b)) or (is_text(a) and is_text(b))


def same_length(a: Any, b: Any) -> bool:
    return sized(a, b) and len(a) == len(b)


def longer(a: Any, b: Any) -> bool:
    return sized(a, b) and len(a) > len(b)


def shorter(a: Any, b: Any) -> bool:
    return sized(a, b) and len(a) < len(b)


def keys_of(x: Any) -> set[Any]:
    return {repr(item) if is_list(item) or is_dict(item) else item for item in x}


def disjoint(a: Any, b: Any) -> bool:
    return sized(a, b) and len(a) > 0 and len(b) > 0 and not keys_of(a) & keys_of(b)


def subset(a: Any, b: Any) -> bool:
    return sized(a, b) and len(a) > 0 and keys_of(a) <= keys_of(b)


def over_length(a: Any, b: Any) -> bool:
    return is_number(a) and (is_list(b) or is_text(b)) and a > len(b)


def equals_length(a: Any, b: Any) -> bool:
    return is_number(a) and (is_list(b) or is_text(b)) and a == len(b)


def contained(a: Any, b: Any) -> bool:
    return (is_number(a) and is_list(b) and a in list(b)) or (is_text(a) and (is_list(b) or is_text(b)) and a in b)


def missing(a: Any, b: Any) -> bool:
    return (is_number(a) and is_list(b) and a not in list(b)) or (is_text(a) and is_list(b) and a not in list(b))


# --- walking ---------------------------------------------------------------------------------------------------------


def is_record(x: Any) -> bool:
    """A dictionary whose keys are names of its parts, as against one from things to things."""
    return is_dict(x) and 0 < len(x) <= 12 and all(is_text(key) and key.isidentifier() and key.isascii() for key in x)


def values_at(arguments: Any, name: str, steps: Any) -> list[Any]:
    """All values that a path leads to: `[]` every item, `{}` every value of no record, else that key of a record."""
    found = [arguments[name]] if name in arguments else []
    for step in steps:
        if step == "[]":
            found = [item for value in found if is_list(value) for item in value]
        elif step == "{}":
            found = [item for value in found if is_dict(value) and not is_record(value) for item in value.values()]
        else:
            found = [value[step] for value in found if is_record(value) and step in value]
    return found
