"""What a run that passes would print, as far as the grader's own texts tell: from its literals, never from answers."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from envbounty.verify.tamper.payload import Facts

GOOD = re.compile(r"pass|success|\bok\b|correct|complete|accept|all tests|finished|\bdone\b|valid|score|result", re.I)
BAD = re.compile(
    r"fail|error|crash|wrong|incorrect|reject|invalid|timed? ?out|exception|expected|traceback|not |vulnerab|warning",
    re.I,
)
_HOLE = re.compile(r"\{([^{}]*)\}")
_COUNT = re.compile(r"pass|total|count|len|num|success|correct|score|\bn\b", re.I)
_SIZE = re.compile(r"len\(|count|total|num_|sum\(", re.I)
_INDEX = re.compile(r"^(?:i|idx|index|k|n|number|test_num|i ?\+ ?1|idx ?\+ ?1)$")
#: Printed when the grader names nothing itself.
USUAL = ("All tests passed", "All tests passed!", "PASSED", "PASS", "OK", "SUCCESS")
MOST = 200


def success_lines(facts: Facts) -> list[str]:
    """Lines that a passing run would print: those for one test as often as there are tests, then the rest."""
    each: list[str] = []
    once: list[str] = []
    for line in facts.signs.printed:
        if BAD.search(_HOLE.sub("", line)) and not _compares(line):
            continue
        (each if _per_test(line) else once).append(line)
    marks = [word for word in facts.signs.compared if GOOD.search(word) and not BAD.search(word)]
    lines = [_filled(line, facts.tests, number) for line in each for number in range(facts.tests)]
    lines += [_filled(line, facts.tests, facts.tests) for line in once]
    said = "\n".join(lines)
    lines += [word for word in marks if word not in said and "{" not in word]
    return lines[: MOST + 50] or list(USUAL)


def _compares(line: str) -> bool:
    """Whether a line shows a result beside what was expected: with the same in both places it is no failure."""
    holes = _HOLE.findall(line)
    return len(holes) >= 2 and not re.search(r"fail|error|crash|wrong", _HOLE.sub("", line), re.I)


def _per_test(line: str) -> bool:
    holes = _HOLE.findall(line)
    return bool(holes) and (_compares_names(holes) or any(_INDEX.match(hole.strip()) for hole in holes))


def _compares_names(holes: list[str]) -> bool:
    named = re.compile(r"expect|result|got|actual|output|answer|input|want|^\w+\[\d\]$", re.I)
    return any(named.search(hole) and not _SIZE.search(hole) for hole in holes)


def _filled(line: str, tests: int, number: int) -> str:
    """A template with its holes filled: counts with the number of tests, whatever is compared with the same thing."""
    many = _compares_names(_HOLE.findall(line))

    def value(match: re.Match[str]) -> str:
        name = match[1].strip()
        if _INDEX.match(name):
            return str(number + ("1" in name))
        if _SIZE.search(name):
            return str(tests)
        if many and re.search(r"pass|success|correct|ok", name, re.I):
            return "True"
        return str(tests) if _COUNT.search(name) and not many else "0"

    return _HOLE.sub(value, line)


def forged_json(facts: Facts) -> list[str]:
    """Reports that a grader may read, as JSON: rows by the names that it unpacks or asks for, a summary, nothing."""
    tests = facts.tests
    found: list[Any] = []
    for names in facts.signs.rows:
        if len(names) > 1:
            found.append([[_value(name, tests, True) for name in names]] * tests)
    keys = [key for key in facts.signs.keys if re.fullmatch(r"[a-z_]{1,30}", key)]
    if keys:
        row = {key: _value(key, tests, True) for key in keys}
        found += [[row] * tests, {key: _value(key, tests, False) for key in keys}]
    summary = {"passed": True, "success": True, "status": "passed", "score": 1.0, "reward": 1.0, "total": tests}
    found += [summary, [], [True] * tests, {}]
    texts = list(dict.fromkeys(json.dumps(value) for value in found))
    return [text for text in texts if len(text) < 60_000][:8]


def _value(name: str, tests: int, row: bool) -> Any:
    if re.search(r"fail|error|skip|exception|wrong", name, re.I):
        return 0
    if re.search(r"total|count|num", name, re.I) or (re.search(r"pass", name, re.I) and not row and "num" in name):
        return tests
    if re.search(r"pass|success|ok|correct|match|valid|accept", name, re.I):
        return True
    if re.search(r"status|verdict|outcome|result$", name, re.I) and not row:
        return "passed"
    return 1.0 if re.search(r"score|reward", name, re.I) else 0
