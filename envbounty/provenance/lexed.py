"""Fingerprints of C and C++, and of code that no parser of ours takes: words and signs, one after another."""

from __future__ import annotations

import re

from envbounty.provenance.streams import Stream, Unit

#: Tokens in a run.
WIDTH = 12
_WORDS = """
    alignas alignof and auto bool break case catch char class const consteval constexpr constinit const_cast continue
    decltype default delete do double dynamic_cast else enum explicit extern false final float for friend goto if
    inline int long mutable namespace new noexcept not nullptr operator or override private protected public register
    reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch
    template this throw true try typedef typeid typename union unsigned using virtual void volatile while xor
    as assert async await def del elif except from global import in is lambda nonlocal pass raise with yield
    NULL None True False size_t int64_t uint64_t int32_t uint32_t
    std cin cout cerr endl string vector map set unordered_map unordered_set multiset multimap pair tuple array deque
    queue stack priority_queue bitset optional function greater less make_pair make_tuple get first second begin end
    rbegin rend size empty push_back emplace_back push pop top front back insert erase find count clear resize assign
    reserve sort stable_sort reverse unique lower_bound upper_bound binary_search accumulate iota min max min_element
    max_element swap move fill next_permutation abs gcd lcm getline to_string stoi stoll substr length append
    scanf printf puts putchar getchar fgets fopen malloc calloc realloc free memset memcpy qsort strlen strcmp
"""
#: Words that mean the same in every program.
_KEPT = frozenset(_WORDS.split())
_TOKEN = re.compile(
    r"""
    (?P<skip> \s+ | //[^\n]* | /\*.*?(?:\*/|\Z) | ^\s*\#[^\n]* )
  | (?P<text> "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' )
  | (?P<number> \.?\d(?:[\w.']|[eEpP][+-])* )
  | (?P<name> [^\W\d]\w* )
  | (?P<sign> <<=|>>=|->|\+\+|--|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||:: | . )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def units(path: str, text: str) -> list[Unit]:
    """A unit for each thing that a closing brace ends at the top level, and one for what is left."""
    found: list[Unit] = []
    stream = Stream(WIDTH)
    depth, first, line, at = 0, 1, 1, 0
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "skip":
            continue
        line += text.count("\n", at, match.start())
        at = match.start()
        if not stream.tokens:
            first = line
        token = match[0]
        _add(stream, match.lastgroup or "", token)
        depth = max(0, depth + (token == "{") - (token == "}"))
        if token == "}" and depth == 0:
            found.append(stream.unit(path, first, line, WIDTH))
            stream = Stream(WIDTH)
    if len(stream.tokens) > 1:
        found.append(stream.unit(path, first, line, WIDTH))
    return found


def _add(stream: Stream, kind: str, token: str) -> None:
    if kind == "text":
        stream.constant("''", token)
    elif kind == "number":
        stream.constant("0", token)
    elif kind == "name" and token not in _KEPT:
        stream.name(token)
    else:
        stream.word(token)
