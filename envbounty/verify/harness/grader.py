"""Runs a grader as found in the wild on one submission; reduces what it answers to accepted, rejected or nothing.

Grader and submission share this process because the grader is made so; what the submission does to it is the grader's
weakness to show, not ours to prevent.
"""
# ruff: noqa: F821
# mypy: ignore-errors

WORDS = {
    True: {"passed", "pass", "correct", "accepted", "accept", "ok", "success", "true"},
    False: {"failed", "fail", "incorrect", "wrong", "rejected", "error", "crashed", "timed_out", "timeout", "false"},
}
KEYS = ("passed", "success", "correct", "is_correct", "accepted", "score", "reward", "status", "verdict", "result")
#: Under these only true and false are a verdict: `{"passed": 3, "total": 5}` counts tests.
YES_OR_NO = KEYS[:5]


_finite, _settrace, _setprofile = math.isfinite, sys.settrace, sys.setprofile


def hurry(limit, source):
    """Cut every wait that has a limit to `limit` seconds: what is accepted so must be shown again without."""
    import subprocess
    import threading

    def cut(of, name, place):
        old = getattr(of, name)

        def short(*args, **kwargs):
            args = list(args)
            if kwargs.get("timeout") is not None:
                kwargs["timeout"] = min(kwargs["timeout"], limit)
            elif len(args) > place and args[place] is not None:
                args[place] = min(args[place], limit)
            return old(*args, **kwargs)

        setattr(of, name, short)

    cut(subprocess.Popen, "communicate", 2)
    cut(subprocess.Popen, "wait", 1)
    cut(threading.Thread, "join", 1)
    if "multiprocessing" in source:
        import multiprocessing.pool
        import multiprocessing.process

        cut(multiprocessing.process.BaseProcess, "join", 1)
        cut(multiprocessing.pool.ApplyResult, "get", 1)
    if "concurrent" in source:
        import concurrent.futures

        cut(concurrent.futures.Future, "result", 1)
    if "queue" in source.lower():
        import queue

        cut(queue.Queue, "get", 2)
    signal.alarm = lambda seconds: _alarm(signal.ITIMER_REAL, min(seconds, limit))[0] and 1
    signal.setitimer = lambda which, seconds, interval=0.0: _alarm(which, min(seconds, limit), interval)


def judge(answer, pass_score, depth=0):
    """(accepted or None when there is no verdict, score or None)."""
    if depth > 3 or answer is None:
        return None, None
    if isinstance(answer, bool):
        return answer, float(answer)
    if isinstance(answer, (int, float)):
        score = float(answer)
        return (score >= pass_score if _finite(score) else None), score
    if isinstance(answer, str):
        word = answer.strip().lower()
        for accepted, words in WORDS.items():
            if word in words:
                return accepted, float(accepted)
        return None, None
    if isinstance(answer, (tuple, list)):
        return judge(answer[0], pass_score, depth + 1) if answer else (None, None)
    look = answer.get if isinstance(answer, dict) else lambda key: getattr(answer, key, None)
    for key in KEYS:
        found = look(key)
        if key in YES_OR_NO and not isinstance(found, bool):
            continue
        if found is not None and not callable(found):
            if key == "status" and hasattr(found, "value"):
                found = found.value
            return judge(found, pass_score, depth + 1)
    return None, None


def main():
    task = json.loads(read("task.json"))
    nonce = task.pop("nonce")
    submission = read("submission.py")
    path = f"{ENV}/{task['file']}"
    if task["hurry_s"]:
        hurry(task["hurry_s"], read(f"env/{task['file']}"))
    sys.path.insert(0, ENV)
    try:
        module = load_module(task["file"][:-3], path)
        verify = getattr(module, task["function"])
    except MemoryError:
        raise
    except BaseException:
        say({"import": "fault", "detail": last_words()})
        return
    say({"import": "ok"})
    started = _clock()
    try:
        answer = verify(submission)
        # What the submission did to this process was between it and the grader; what we do next is ours.
        _settrace(None)
        _setprofile(None)
        vars(builtins).update(__builtins__)
        took = _clock() - started
        accepted, score = judge(answer, task["pass_score"])
        words = getattr(answer, "feedback", None)
        words = words if isinstance(words, str) else repr(answer)
        record = {"value": {"accepted": accepted, "score": score, "words": words[:500]}, "s": took}
    except MemoryError:
        raise
    except BaseException as error:
        record = {"fault": "exit" if isinstance(error, SystemExit) else "raise", "detail": last_words()}
    say({"i": 0, "nonce": nonce, **record})


main()
