"""The phrases by which task texts say what inputs there are. Data for `envbounty.verify.tasktext`."""

from __future__ import annotations

import re
from typing import Literal

Fact = Literal["low", "high", "admit", "exclude"]


def _any(*parts: str) -> re.Pattern[str]:
    """Any of the parts, as whole words in either case. A space stands for white space."""
    joined = "|".join(rf"\b(?:{part})\b" for part in parts).replace(" ", r"\s")
    return re.compile(joined, re.IGNORECASE)


NUM = r"[-−]?\d[\d,_]{0,29}(?:\s?(?:\*\*|\^)\s?\d{1,4})?(?:\s?[-−]\s?1\b)?(?:e\d{1,3})?"
#: One item, behind a list's name: `[i]`, `_i`, `[]`.
ITEM = r"(?:\[\s*[a-z]\s*\]|_[ij]\b|\[\])"
EACH = (
    "(?:items?|elements?|values?|numbers?|integers?|entr(?:y|ies)|members?|words?|strings?|texts?|letters?|characters?)"
)
#: What can be counted.
COUNT = rf"(?:{EACH}|\w+s)\b"
_SOME = rf" (?:\w+ )?{COUNT}"

# --- of result, condition and exception ------------------------------------------------------------------------------

#: What says something of the result rather than of the input.
RESULT = _any(
    "returns?", "returned", "returning", "outputs?", "prints?", "answers?", "results?", "compute", "find", "determine",
    "write", "your function", "should be", "must give",
)  # fmt: skip
#: What is given before it: "Given a non-empty list `a`, return …".
GIVEN = re.compile(r"(given\b.*?)[,:]?\s(?:return|output|print|find|compute|determine|write)\b", re.IGNORECASE)
#: A condition on the input stands in such sentences too: "return 0 if `values` is empty".
IF = _any("if", "when", "for")
#: Behind these, an inequality is a case and no bound.
CASE = _any("if", "when", "unless", "where", "while")
#: Sentences in which a phrase may mean the opposite, or hold for some inputs only.
UNPLAIN = _any(
    "unless", "except", "otherwise", "assume nothing", "do not assume", "don't assume", "not guaranteed", "no guarantee"
)

# --- of lengths ------------------------------------------------------------------------------------------------------

RANGE = re.compile(
    r"\b(?:between|from|of|holds|has|have|contains?|with|in the range|in)\s?[\[(]?\s?"
    rf"(?P<low>{NUM})\s?(?:and|to|–|-|,|\.\.+)\s?(?P<high>{NUM})\b",
    re.IGNORECASE,
)
AT_LEAST = _any(rf"(?:at least|no fewer than|not fewer than) (?P<n>two|{NUM}){_SOME}")
AT_LEAST_ONE = _any(r"at least one \w+")
AT_MOST = _any(rf"(?:at most|up to|no more than|not more than) (?P<n>{NUM}){_SOME}")
EXACTLY = _any(rf"(?:exactly|holds|has) (?P<n>one|two|{NUM}){_SOME}")
WORDS = {"one": 1, "two": 2}

_MAY = "(?:may|might|can|could) (?:also )?"
NOT_EMPTY = _any(r"non-?\s?empty", "(?:not|never) (?:be )?empty", "can(?:not|'t) be empty", "isn't empty")
MAY_EMPTY = _any(
    rf"{_MAY}be empty",
    "possibly (?:an? )?empty",
    "maybe empty",
    r"empty (?:\w+ )?(?:is|are) (?:allowed|valid|possible|permitted)",
    "or empty",
    rf"{_MAY}(?:hold|have|contain) (?:no|zero) \w+",
)
IS_EMPTY = _any(r"(?:if|when)\b[^,;.]*\bis empty", "for an? empty (?:list|array|string|text|input)")

# --- of numbers ------------------------------------------------------------------------------------------------------

#: (phrase, what it says, of which bound or class).
SIGNS: tuple[tuple[re.Pattern[str], Fact, int | str], ...] = (
    (_any(r"non-?\s?negative", "not negative", "never negative", "no negative"), "low", 0),
    (re.compile(r"(?<!non-)(?<!not )(?<!or )(?<!and )\bpositive\b(?!\s(?:or|and))", re.IGNORECASE), "low", 1),
    (
        _any(rf"{_MAY}be negative", "positive (?:or|and) negative", "negative (?:or|and) positive"),
        "admit",
        "negative",
    ),
    (_any(rf"{_MAY}be (?:zero|0)"), "admit", "zero"),
    (_any("non-?zero", "not zero", "never zero"), "exclude", "zero"),
)

# --- of repeats and order --------------------------------------------------------------------------------------------

_REPEATED = (
    "duplicates", "all equal", "tie for the largest", "tie for the smallest", "repeated character",
    "one letter over and over",
)  # fmt: skip
#: The first that is found counts: (phrase, what it says, of which classes).
REPEATS: tuple[tuple[re.Pattern[str], Fact, tuple[str, ...]], ...] = (
    (
        _any(
            "(?:not necessarily|may not be|need not be|not always|not all) (?:all )?(?:distinct|unique|different)",
            rf"{_MAY}(?:repeat|be repeated|be equal|(?:contain|have|hold) (?:duplicates|repeats))",
            rf"{_MAY}(?:occur|appear) (?:twice|several times|more than once)",
            "duplicates are (?:allowed|possible)",
            "with possible duplicates",
        ),
        "admit",
        ("duplicates",),
    ),
    (
        _any(
            "pairwise distinct",
            "(?:all|are|of|be|with) (?:all )?(?:distinct|unique|different)",
            rf"(?:distinct|unique) {EACH}",
            "(?:no|without) (?:duplicates?|repeats?|repetitions?|two equal)",
        ),
        "exclude",
        _REPEATED,
    ),
)
#: As `REPEATS`.
ORDERS: tuple[tuple[re.Pattern[str], Fact, tuple[str, ...]], ...] = (
    (
        _any("in (?:no particular|any|arbitrary) order", "unsorted", "not (?:necessarily )?sorted", "unordered"),
        "admit",
        ("unsorted",),
    ),
    (_any("strictly (?:increasing|ascending)"), "exclude", ("unsorted", "descending", *_REPEATED[:4])),
    (
        _any(
            "(?:is|are|a|the|already|given) (?:already )?sorted",
            "in (?:ascending|increasing|non-?decreasing|descending|decreasing|non-?increasing) order",
            "non-?decreasing",
        ),
        "exclude",
        ("unsorted",),
    ),
)

# --- of characters ---------------------------------------------------------------------------------------------------

_OF = "(?:only|consists? of|consisting of|made of|of|all|contains only) (?:only )?"
_LETTERS = "(?:(?:english|latin|ascii|roman) )?(?:letters?|characters?|words?|alphabet)"
_ALONE = r"(?!\s(?:and|or)\b)"
_SPACES = ("inner space", "edge space", "blank")
_NO_LETTERS = ("digits only", "has a digit", "punctuation", "non-ASCII", *_SPACES)
CHARACTERS: tuple[tuple[re.Pattern[str], Fact, tuple[str, ...]], ...] = (
    (
        _any(rf"{_OF}lower-? ?case {_LETTERS}\b{_ALONE}", "is (?:all )?(?:in )?lower-? ?case"),
        "exclude",
        ("upper case", "mixed case", *_NO_LETTERS),
    ),
    (
        _any(rf"{_OF}upper-? ?case {_LETTERS}\b{_ALONE}", "is (?:all )?(?:in )?upper-? ?case"),
        "exclude",
        ("lower case", "mixed case", *_NO_LETTERS),
    ),
    (
        _any(rf"(?:only|consists? of|made of|contains only) (?:only )?(?:decimal )?digits\b{_ALONE}"),
        "exclude",
        ("upper case", "lower case", "mixed case", *_NO_LETTERS[1:]),
    ),
    (_any("ascii only", "only ascii", "(?:consist(?:s|ing)? of|of) (?:printable )?ascii"), "exclude", ("non-ASCII",)),
    (
        _any("any unicode", "unicode (?:text|characters?|strings?)", "non-ascii characters? (?:may|can|are)"),
        "admit",
        ("non-ASCII",),
    ),
    (
        _any("(?:upper-? ?(?:case )?and lower|lower-? ?(?:case )?and upper)-? ?case", "both cases", "mixed case"),
        "admit",
        ("mixed case",),
    ),
    (_any(rf"{_MAY}(?:contain|have|hold|include) (?:white ?)?spaces?"), "admit", ("inner space",)),
    (_any("(?:without|no) (?:white ?)?spaces?"), "exclude", _SPACES),
)
