"""Levels around a mean, with a storm now and then; twice the same highest level is rare."""


def generate(rng, difficulty):
    levels = [rng.randint(150, 999) for _ in range(rng.randint(6, 8 * difficulty))]
    if rng.random() < 0.1:
        levels.insert(rng.randint(levels.index(max(levels)) + 1, len(levels)), max(levels))
    return {"levels": levels}


def reference(instance):
    levels = instance["levels"]
    return levels.index(max(levels))


def check(instance, output):
    return 1.0 if type(output) is int and output == reference(instance) else 0.0
