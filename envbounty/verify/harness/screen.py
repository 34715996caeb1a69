"""Runs many programs, each on the same calls, in one process: a quick look that settles nothing.

The programs are mutants of one reference, so they share this process; whatever comes of it is seen again elsewhere.
"""
# ruff: noqa: F821
# mypy: ignore-errors


class Slow(BaseException):
    pass


def _slow(signum, frame):
    raise Slow


def _screen(text, name, calls, each_s, most_s):
    """One entry for each call: {"v": value} or {"f": kind of fault}. It ends early after a call that took too long."""
    # Processor time, since how busy the machine is says nothing about a program.
    ends = time.process_time() + most_s
    module = types.ModuleType("submission")
    said = []
    try:
        signal.setitimer(signal.ITIMER_PROF, most_s)
        exec(compile(text, "submission.py", "exec"), module.__dict__)
        function = module.__dict__[name]
        for line in calls:
            positional, named = json.loads(line)
            left = ends - time.process_time()
            if left <= 0:
                return [*said, {"f": "timeout"}]
            positional, named = revived(positional), revived(named)
            signal.setitimer(signal.ITIMER_PROF, min(each_s, left))
            try:
                value = function(*positional, **named)
                said.append({"v": plain(value, True)})
            except Exception:
                said.append({"f": "raise"})
    except Slow:
        said.append({"f": "timeout"})
    except MemoryError:
        raise
    except BaseException as error:
        said.append({"f": "exit" if isinstance(error, SystemExit) else "raise"})
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return said


def main():
    task = json.loads(read("task.json"))
    calls = read("calls.jsonl").splitlines()
    say({"import": "ok"})
    with open(JOB_IN + "/items.jsonl", encoding="utf-8") as items:
        for index, line in enumerate(items):
            (text,) = json.loads(line)
            signal.signal(signal.SIGPROF, _slow)
            sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
            value = _screen(text, task["function"], calls, task["each_s"], task["most_s"])
            signal.signal(signal.SIGPROF, signal.SIG_IGN)
            try:
                say({"i": index, "value": value, "s": 0.0})
            except ValueError:
                say({"i": index, "fault": "not-json", "detail": ""})


main()
