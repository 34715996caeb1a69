"""Runs the author's code: generates instances, checks outputs, asks the oracle and the equivalence."""
# ruff: noqa: F821
# mypy: ignore-errors

import hashlib
import random


def rng_for(name, difficulty, seed):
    """The generator of random numbers of one instance: it depends on these three alone."""
    text = f"{name}:{difficulty}:{seed}".encode()
    return random.Random(int.from_bytes(hashlib.sha256(text).digest()[:16], "big"))


def main():
    task = json.loads(read("task.json"))
    sys.path.insert(0, ENV)
    _alarm(signal.ITIMER_REAL, task["import_s"])
    try:
        module = load_module("environment", ENV + "/environment.py")
        wanted = task["wanted"]
        lacking = [name for name in wanted if not callable(getattr(module, name, None))]
    except MemoryError:
        raise
    except BaseException:
        say({"import": "fault", "detail": last_words()})
        return
    _alarm(signal.ITIMER_REAL, 0)
    if lacking:
        say({"import": "fault", "detail": "environment.py does not define " + ", ".join(lacking)})
        return
    has = [name for name in ("reference", "equivalent") if callable(getattr(module, name, None))]
    say({"import": "ok", "has": has})
    calls = {
        "generate": lambda seed, level: module.generate(rng_for(task["name"], level, seed), level),
        "check": lambda instance, output: module.check(instance, output),
        "reference": lambda instance: module.reference(instance),
        "equivalent": lambda instance, a, b: bool(module.equivalent(instance, a, b)),
    }
    call = calls[task["op"]]
    with open(JOB_IN + "/items.jsonl", encoding="utf-8") as items:
        for index, line in enumerate(items):
            arguments = json.loads(line)
            attempt(index, task["seconds"], lambda call=call, arguments=arguments: call(*arguments))


main()
