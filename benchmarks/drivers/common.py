"""What every driver begins with: the row, and the grader as a function that answers yes, no or nothing."""
# ruff: noqa: F401  (the drivers are one file each in the jail: this one and another, put together)
# mypy: ignore-errors

import contextlib
import json
import os
import select
import signal
import sys
import time
import types

JOB_IN = globals().get("JOB_IN", "")
RESULT = globals().get("RESULT", 1)
GRADE_S = 15
YES = {"passed", "pass", "correct", "accepted", "accept", "ok", "success", "true"}
KEYS = ("passed", "success", "correct", "is_correct", "accepted", "score", "reward", "status", "verdict", "result")


def row():
    with open(JOB_IN + "/row.json", encoding="utf-8") as file:
        return json.load(file)


def tell(accused, why, programs=()):
    record = {"accused": accused, "why": str(why)[:500], "programs": list(programs)[:5]}
    os.write(RESULT, json.dumps(record).encode())


def accepts(answer, depth=0):
    """What a grader's answer means, read as `docs/grader.md` says."""
    if answer is None or depth > 3:
        return None
    if isinstance(answer, (bool, int, float)):
        return answer >= 1
    if isinstance(answer, str):
        return answer.strip().lower() in YES
    if isinstance(answer, (tuple, list)):
        return accepts(answer[0], depth + 1) if answer else None
    look = answer.get if isinstance(answer, dict) else lambda key: getattr(answer, key, None)
    for key in KEYS:
        found = look(key)
        if found is not None and not callable(found) and (isinstance(found, bool) or key not in KEYS[:5]):
            return accepts(getattr(found, "value", found), depth + 1)
    return None


def grade(text):
    """Whether the grader accepts a submission; None for no verdict. In a process of its own, which it may end."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            sys.settrace(None)
            os.setsid()
            null = os.open(os.devnull, os.O_RDWR)
            for number in (0, 1, 2):
                os.dup2(null, number)
            sys.path.insert(0, JOB_IN)
            module = types.ModuleType("grader")
            module.__file__ = JOB_IN + "/grader.py"
            sys.modules["grader"] = module
            with open(module.__file__, encoding="utf-8") as file:
                exec(compile(file.read(), module.__file__, "exec"), module.__dict__)
            os.write(writer, json.dumps(accepts(module.verify(text))).encode())
        finally:
            os._exit(0)
    os.close(writer)
    said = b""
    if select.select([reader], [], [], GRADE_S)[0]:
        said = os.read(reader, 100)
    for target in (lambda: os.killpg(pid, signal.SIGKILL), lambda: os.kill(pid, signal.SIGKILL)):
        with contextlib.suppress(OSError):
            target()
    os.waitpid(pid, 0)
    os.close(reader)
    try:
        answer = json.loads(said)
    except ValueError:
        return None
    return answer if isinstance(answer, bool) else None
