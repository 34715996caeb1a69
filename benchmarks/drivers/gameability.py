"""gameability's audit: mutants of the reference, kept when they differ from it on fresh inputs, against the tests.

HumanEval's format is its own. It has no format for a grader of texts, so there the one visible test is that the grader
accepts the mutant's text, and the calls from which it makes fresh inputs are those that the grader was seen to make.
"""
# ruff: noqa: F821
# mypy: ignore-errors

import ast

RECORD = """

def _recorded(function):
    def call(*args, **kwargs):
        with open("/tmp/calls", "a") as file:
            file.write(repr(args) + "\\n")
        return function(*args, **kwargs)
    return call

{function} = _recorded({function})
"""
#: Runs before each mutant is executed, and remembers its text.
SETUP = """
import builtins
if not hasattr(builtins, "plain_exec"):
    builtins.plain_exec = builtins.exec
    def keeping(source, scope):
        if "assert bridge" not in source:
            builtins.last_source = source
        return builtins.plain_exec(source, scope)
    builtins.keeping_exec = keeping
builtins.exec = builtins.keeping_exec
"""
TEST = """
import builtins, sys
builtins.exec = builtins.plain_exec  # for the grader, and for imports
sys.path.insert(0, "/tmp")
import bridge
assert bridge.grade(builtins.last_source) is True
"""


def calls(given):
    """Literal calls of the function, as the grader made them to the reference."""
    grade(given["reference"] + RECORD.format(function=given["function"]))
    try:
        with open("/tmp/calls", encoding="utf-8") as file:
            lines = list(dict.fromkeys(file))[:200]
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            arguments = ast.literal_eval(line)
        except (ValueError, SyntaxError):
            continue
        found.append(f"{given['function']}({', '.join(map(repr, arguments))})")
    return found


def main():
    from gameability.engine import Problem, audit

    given = row()
    if given["test"]:
        problem = Problem(
            pid="task",
            reference=given["reference"],
            tests=[given["test"] + f"\ncheck({given['function']})\n"],
            entry=given["function"],
            call_alias="candidate",
        )
    else:
        with open("/tmp/bridge.py", "w", encoding="utf-8") as file:
            file.write(given["common"].replace('globals().get("JOB_IN", "")', repr(JOB_IN)))
        problem = Problem(
            pid="task",
            reference=given["reference"],
            tests=[TEST],
            setup=SETUP,
            entry=given["function"],
            harvest=calls(given),
        )
    found = audit(problem, timeout=given["seconds"])
    if found["status"] != "ok":
        return tell(None, found["status"])
    survivors = [one["src"] for one in found.get("examples", [])]
    tell(bool(survivors), f"{len(survivors)} of {found['n_broken']} broken mutants survive", survivors)


main()
