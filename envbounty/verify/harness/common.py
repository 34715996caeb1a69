"""What every harness begins with."""
# ruff: noqa: F401  (the harnesses are one file each in the jail: this one and another, put together)
# mypy: ignore-errors

import builtins
import json
import math
import os
import signal
import sys
import time
import traceback
import types

JOB_IN = globals().get("JOB_IN", "")
RESULT = globals().get("RESULT", 1)
ENV = JOB_IN + "/env"
#: Ours alone: what untrusted code does to the built-in functions must not change what the functions below do.
__builtins__ = dict(vars(builtins))


def read(name):
    with open(f"{JOB_IN}/{name}", encoding="utf-8") as file:
        return file.read()


def load_module(name, path):
    """Execute a file as a module that `import` and `inspect` can find."""
    module = types.ModuleType(name)
    module.__file__ = path
    module.__builtins__ = vars(builtins)  # those that all other modules use
    sys.modules[name] = module
    with open(path, "rb") as file:
        exec(compile(file.read(), path, "exec"), module.__dict__)
    return module


_dumps, _write, _clock = json.dumps, os.write, time.perf_counter
_alarm = signal.setitimer


def say(record):
    tell(_dumps(record))


def tell(line):
    data = (line + "\n").encode()
    while data:
        data = data[_write(RESULT, data) :]


def plain(value, loose=False):
    """`value` as JSON can hold it. With `loose`, what JSON lacks becomes a stand-in that compares as it would."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, (list, tuple)):
        return [plain(item, loose) for item in value]
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {str(key): plain(item, loose) for key, item in value.items()}
        if loose:
            pairs = [[plain(key, True), plain(item, True)] for key, item in value.items()]
            return {"__dict__": sorted(pairs, key=_dumps)}
        raise TypeError("a dictionary whose keys are not all text")
    if loose:
        if isinstance(value, (set, frozenset)):
            return {"__set__": sorted((plain(item, True) for item in value), key=_dumps)}
        if isinstance(value, (complex, bytes)):
            return {"__repr__": repr(value)}
        raise TypeError(f"a {type(value).__name__}")
    raise TypeError(f"a {type(value).__name__}, which is not JSON")


def revived(value):
    """What `plain(value, loose=True)` and the recorder of calls wrote, as Python's own values again."""
    if isinstance(value, list):
        return [revived(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((key, inner),) = value.items()
        if key == "__tuple__":
            return tuple(revived(item) for item in inner)
        if key == "__set__":
            return {revived(item) for item in inner}
        if key == "__dict__":
            return {revived(name): revived(item) for name, item in inner}
    return {key: revived(item) for key, item in value.items()}


def attempt(index, seconds, call, loose=False):
    """Do one thing within `seconds` and say how it went.

    Running out of time ends this process. Code that turns this clock off meets the jail's.
    """
    failed = "raise"
    _alarm(signal.ITIMER_REAL, seconds)
    started = _clock()
    try:
        value = call()
        took = _clock() - started
        failed = "not-json"
        line = _dumps({"i": index, "value": plain(value, loose), "s": took})
    except MemoryError:
        raise
    except BaseException as error:
        if failed == "not-json":
            detail = f"gave {error}"[:500]
        else:
            failed, detail = "exit" if isinstance(error, SystemExit) else "raise", last_words()
        line = _dumps({"i": index, "fault": failed, "detail": detail})
    _alarm(signal.ITIMER_REAL, 0)
    tell(line)


def last_words():
    """The end of the traceback being handled, without our own frames."""
    kind, error, trace = sys.exc_info()
    while trace is not None and trace.tb_frame.f_code.co_filename == "<job>":
        trace = trace.tb_next
    lines = traceback.format_exception(kind, error, trace, limit=-4)
    return "".join(lines)[-1500:]
