# Cases of policies/semgrep/comparison.yaml.
# ruff: noqa
import json
import math
import re
from fractions import Fraction
from math import isfinite


def check(instance, output):
    # ruleid: smell-substring
    return float(str(instance["answer"]) in output)


def check(instance, output):
    text = output.strip()
    # ruleid: smell-substring
    return float(instance["answer"] in text.lower())


def check(instance, response):
    # ok: smell-substring
    if "Answer:" in response.strip():
        return 0.0
    # ok: smell-substring
    return float(str(instance["answer"]) in instance["allowed"])


def check(instance, output):
    # ruleid: smell-membership
    return float(instance["answer"] in output)


def check(instance, output):
    # ok: smell-membership
    if "key" in output:
        return 0.0
    # ok: smell-membership
    return float(output in instance["answers"])


def check(instance, output):
    # ruleid: smell-prefix-suffix
    return float(str(instance["answer"]).startswith(output))


def check(instance, output):
    gold_answer = str(instance["answer"])
    # ruleid: smell-prefix-suffix
    return float(output.endswith(gold_answer))


def check(instance, output):
    # ok: smell-prefix-suffix
    if output.startswith("move "):
        return float(output == instance["answer"])
    # ok: smell-prefix-suffix
    return float(instance["path"].endswith(instance["suffix"]))


def check(instance, output):
    # ruleid: smell-unanchored-regex
    if re.search(r"\d+", output):
        return float(output == instance["answer"])
    # ruleid: smell-unanchored-regex
    return bool(re.match(instance["pattern"], output.strip()))


def check(instance, output):
    # ok: smell-unanchored-regex
    if re.match(r"^\d+$", output):
        return float(output == instance["answer"])
    # ok: smell-unanchored-regex
    return bool(re.fullmatch(instance["pattern"], output))


def last(text):
    # ruleid: smell-first-or-last
    first = re.findall(r"\d+", text)[-1]
    found = re.findall(r"\d+", text)
    # ruleid: smell-first-or-last
    second = found[0]
    # ruleid: smell-first-or-last
    third = text.splitlines()[-1]
    # ok: smell-first-or-last
    fourth = found[2:]
    # ok: smell-first-or-last
    return text.split()[1], first, second, third, fourth


def check(instance, output):
    # ruleid: smell-zip-short
    return float(all(a == b for a, b in zip(output, instance["answer"])))


def check(instance, output):
    if len(output) != len(instance["answer"]):
        return 0.0
    # ok: smell-zip-short
    return float(all(a == b for a, b in zip(output, instance["answer"])))


def check(instance, output):
    # ok: smell-zip-short
    return float(all(a == b for a, b in zip(output, instance["answer"], strict=True)))


def check(instance, output):
    good = set(instance["good"])
    # ruleid: smell-all-any
    return float(all(x in good for x in output))


def check(instance, output):
    # ruleid: smell-all-any
    return float(isinstance(output, list) and any(x == instance["answer"] for x in output))


def check(instance, output):
    good = set(instance["good"])
    # ok: smell-all-any
    return float(len(output) == 3 and all(x in good for x in output))


def check(instance, output):
    # ok: smell-all-any
    if not isinstance(output, list) or not all(type(x) is int for x in output):
        return 0.0
    # ok: smell-all-any
    return float(sorted(output) == instance["answer"])


def check(instance, output):
    # ok: smell-all-any
    return float(all(x in output for x in instance["good"]))


def check(instance, output):
    # ruleid: smell-int-truncation
    if int(output) == instance["answer"]:
        return 1.0
    # ruleid: smell-int-truncation
    return float(round(output, 2) == instance["answer"])


def check(instance, output):
    # ok: smell-int-truncation
    return float(output == int(instance["answer"]))


def check(instance, output):
    # ruleid: smell-truthiness
    return float(bool(output) == instance["answer"])


def check(instance, output):
    # ruleid: smell-truthiness
    if output:
        return 1.0
    # ruleid: smell-truthiness
    return 1.0 if output else 0.0


def check(instance, output):
    # ok: smell-truthiness
    if not output:
        return 0.0
    # ok: smell-truthiness
    return float(output == instance["answer"])


def check(instance, output):
    # ruleid: smell-str-compare
    if str(output) == str(instance["answer"]):
        return 1.0
    # ruleid: smell-str-compare
    return float(json.dumps(output) == json.dumps(instance["answer"]))


def check(instance, output):
    # ok: smell-str-compare
    return float(output == str(instance["answer"]))


def check(instance, output):
    # ruleid: smell-set-compare
    return float(set(output) == set(instance["answer"]))


def check(instance, output):
    # ok: smell-set-compare
    return float(len(output) == 3 and set(output) == set(instance["answer"]))


def check(instance, output):
    # ok: smell-set-compare
    return float(sorted(output) == sorted(set(instance["answer"])))


def check(instance, output):
    # ruleid: smell-nan-passes, smell-absolute-tolerance
    if abs(output - instance["answer"]) > 0.5:
        return 0.0
    return 1.0


def check(instance, output):
    # ruleid: smell-nan-passes
    return float(not abs(output - instance["answer"]) > instance["slack"])


def check(instance, output):
    if not math.isfinite(output):
        return 0.0
    # ok: smell-nan-passes
    if abs(output - instance["answer"]) > instance["slack"]:
        return 0.0
    return 1.0


def check(instance, output):
    if type(output) is not int:
        return 0.0
    # ok: smell-nan-passes
    if abs(output - instance["answer"]) > instance["slack"]:
        return 0.0
    return 1.0


def check(instance, output):
    # ok: smell-nan-passes
    return float(abs(output - instance["answer"]) <= instance["slack"])


def simulate(a, b):
    # ok: smell-nan-passes
    if abs(a - b) > 3:
        return None
    return a


def check(instance, output):
    # ruleid: smell-clip-nan
    return max(0.0, min(1.0, output / instance["best"]))


def check(instance, output):
    if not isfinite(output):
        return 0.0
    # ok: smell-clip-nan
    return min(1.0, output / instance["best"])


def check(instance, output):
    # ok: smell-clip-nan
    return min(instance["best"], output)


def near(a, b):
    # ruleid: smell-absolute-tolerance
    first = abs(a - b) < 1e-6
    # ruleid: smell-absolute-tolerance
    second = math.isclose(a, b, rel_tol=0, abs_tol=1e-9)
    # ok: smell-absolute-tolerance
    third = math.isclose(a, b, rel_tol=1e-9)
    # ok: smell-absolute-tolerance
    return abs(a - b) <= 2, first, second, third


def check(instance, output):
    # ruleid: smell-shape-only
    return float(isinstance(output, int))


def check(instance, output):
    # ruleid: smell-shape-only
    if isinstance(output, list):
        return 1.0
    # ruleid: smell-shape-only
    return float(len(output) > 3)


def check(instance, output):
    # ok: smell-shape-only
    if not isinstance(output, int):
        return 0.0
    # ok: smell-shape-only
    return float(isinstance(output, int) and output == instance["answer"])


def is_number(value):
    # ok: smell-shape-only
    return isinstance(value, (int, float))


def check(instance, output):
    # ruleid: smell-same-object
    return float(output is instance["answer"])


def check(instance, output):
    # ok: smell-same-object
    if output is None:
        return 0.0
    # ok: smell-same-object
    return float(type(output) is int and output == instance["answer"])
