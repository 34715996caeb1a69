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


def judge(answer, pass_score, depth=0):
    """(accepted or None when there is no verdict, score or None)."""
    if depth > 3 or answer is None:
        return None, None
    if isinstance(answer, bool):
        return answer, float(answer)
    if isinstance(answer, (int, float)):
        score = float(answer)
        return (score >= pass_score if math.isfinite(score) else None), score
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
    submission = read("submission.py")
    path = f"{ENV}/{task['file']}"
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
        took = _clock() - started
        accepted, score = judge(answer, task["pass_score"])
        words = getattr(answer, "feedback", None)
        words = words if isinstance(words, str) else repr(answer)
        record = {"value": {"accepted": accepted, "score": score, "words": words[:500]}, "s": took}
    except MemoryError:
        raise
    except BaseException as error:
        record = {"fault": "exit" if isinstance(error, SystemExit) else "raise", "detail": last_words()}
    say({"i": 0, "nonce": task["nonce"], **record})


main()
