"""Runs a strategy: `solve(instance)` gives the submission for it. It may import the environment's modules."""
# ruff: noqa: F821
# mypy: ignore-errors


def main():
    task = json.loads(read("task.json"))
    sys.path.insert(0, ENV)
    _alarm(signal.ITIMER_REAL, task["import_s"])
    try:
        module = load_module("strategy", JOB_IN + "/strategy.py")
        solve = module.solve
    except MemoryError:
        raise
    except BaseException:
        say({"import": "fault", "detail": last_words()})
        return
    _alarm(signal.ITIMER_REAL, 0)
    say({"import": "ok"})
    with open(JOB_IN + "/items.jsonl", encoding="utf-8") as items:
        for index, line in enumerate(items):
            (instance,) = json.loads(line)
            attempt(index, task["seconds"], lambda instance=instance: solve(instance))


main()
