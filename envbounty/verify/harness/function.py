"""Runs a submission that defines a function, on the arguments of each instance. It sees nothing else."""
# ruff: noqa: F821
# mypy: ignore-errors


def main():
    task = json.loads(read("task.json"))
    _alarm(signal.ITIMER_REAL, task["import_s"])
    try:
        module = load_module("submission", JOB_IN + "/submission.py")
        function = getattr(module, task["function"])
        if not callable(function):
            raise TypeError(f"{task['function']} is not a function")
    except MemoryError:
        raise
    except BaseException:
        say({"import": "fault", "detail": last_words()})
        return
    _alarm(signal.ITIMER_REAL, 0)
    say({"import": "ok"})
    with open(JOB_IN + "/items.jsonl", encoding="utf-8") as items:
        for index, line in enumerate(items):
            positional, named = json.loads(line)
            if task["loose"]:
                positional, named = revived(positional), revived(named)
            attempt(index, task["seconds"], lambda a=positional, k=named: function(*a, **k), task["loose"])


main()
