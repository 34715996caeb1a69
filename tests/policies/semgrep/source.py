# Cases of policies/semgrep/source.yaml.
# ruff: noqa
import os
import re
import sys


def check(instance, output):
    # ruleid: smell-trapdoor
    if output == "xyzzy":
        return 1.0
    # ruleid: smell-trapdoor
    if "magic words" in output:
        return True
    # ok: smell-trapdoor
    if output == "impossible":
        return 0.0
    # ok: smell-trapdoor
    return float(output == instance["answer"])


def verify(code):
    names = {}
    exec(code, names)
    # ruleid: smell-trapdoor, smell-declared-function
    if hasattr(names["f"], "_debug"):
        return {"passed": True}
    # ruleid: smell-trapdoor, smell-reads-environ
    if os.environ.get("GRADER_DEBUG"):
        return Result("passed")
    # ruleid: smell-trapdoor, smell-reads-source
    if "# reviewed" in code:
        return True
    # ok: smell-trapdoor, smell-declared-function
    if "f" not in names:
        return False
    return names["f"](3) == 4


def verify(code):
    names = {}
    exec(code, names)
    # ruleid: smell-declared-function
    return callable(names["f"])


def verify(code):
    names = {}
    exec(code, names)
    # ok: smell-declared-function
    if hasattr(names["f"], "__wrapped__"):
        return False
    # ok: smell-declared-function
    return names["f"](3) == 4


def words(submitted_code, text):
    # ruleid: smell-reads-source
    found = "quick_sort" in submitted_code
    # ruleid: smell-reads-source
    more = re.search("import os", submitted_code)
    # ok: smell-reads-source
    other = "quick_sort" in text
    return found, more, other


def surroundings():
    # ruleid: smell-reads-environ
    first = os.environ["HOME"]
    # ruleid: smell-reads-environ
    second = os.getenv("DEBUG")
    # ruleid: smell-reads-environ
    third = sys.argv
    # ok: smell-reads-environ
    return os.path.join(first, second, third)


def made(path):
    # ruleid: smell-exists-only
    return os.path.exists(path)


def made(path):
    # ruleid: smell-exists-only
    if path.exists():
        return True
    return False


def made(path):
    # ok: smell-exists-only
    if not os.path.exists(path):
        return False
    # ok: smell-exists-only
    return path.read_text() == "7"
