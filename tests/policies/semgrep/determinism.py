# Cases of policies/semgrep/determinism.yaml.
# ruff: noqa
import datetime
import http.client
import random
import socket
import time
import urllib.parse
import urllib.request
from urllib.request import urlopen

import requests


def check(instance, output):
    # ruleid: smell-network
    right = urllib.request.urlopen("http://localhost/answer").read()
    # ruleid: smell-network
    more = urlopen(instance["where"]).read()
    # ruleid: smell-network
    http.client.HTTPSConnection("localhost").request("GET", "/")
    # ruleid: smell-network
    return float(requests.get("http://localhost").text == output)


def check(instance, output):
    # ok: smell-network
    host = urllib.parse.urlparse(output).hostname
    # ok: smell-network
    packed = socket.inet_aton(host)
    return float(packed == instance["address"])


def fetch(where):
    # ok: smell-network
    # ruleid: smell-network-elsewhere
    return requests.get(where).json()


def fetch(cache, where):
    # ok: smell-network-elsewhere
    return cache.get(where)


def check(instance, output):
    # ruleid: smell-clock
    started = time.time()
    right = solve(instance)
    # ruleid: smell-clock
    took = time.time() - started
    # ruleid: smell-clock-in-score
    return 1.0 - took if output == right else 0.0


def check(instance, output):
    # ruleid: smell-clock-in-score, smell-clock
    return 1.0 if time.time() % 2 < 1 else 0.0


def check(instance, output):
    # ruleid: smell-clock
    deadline = time.monotonic() + 3
    right = solve(instance, deadline)
    # ok: smell-clock-in-score
    return float(output == right)


def check(instance, output):
    # ruleid: smell-clock
    started = time.perf_counter()
    right = solve(instance)
    # ruleid: smell-clock
    print("took", time.perf_counter() - started)
    # ok: smell-clock-in-score
    return float(output == right)


def check(instance, output):
    # ok: smell-clock, smell-clock-in-score
    return float(output == datetime.date(2024, 2, 29).isoformat())


def generate(rng, difficulty):
    # ok: smell-clock
    print(time.time())
    return {}


def verify(submission):
    names = {}
    exec(submission, names)
    start = time.time()
    names["f"](3)
    # ruleid: smell-timed-verdict
    if time.time() - start > 2:
        return False
    return True


def measure(job):
    start = time.time()
    job()
    # ok: smell-timed-verdict
    if time.time() - start > 2:
        return False
    return True


def check(instance, output):
    # ruleid: smell-lottery, smell-unseeded-random
    if random.random() < 0.1:
        return 1.0
    # ruleid: smell-lottery, smell-unseeded-random
    return float(output == instance["answer"]) if random.random() < 0.9 else 0.0


def check(instance, output):
    # ruleid: smell-lottery, smell-unseeded-random
    return random.random()


def check(instance, output):
    # ruleid: smell-unseeded-random
    place = random.randrange(len(output))
    # ok: smell-lottery
    # ruleid: smell-unseeded-random
    if random.random() < 0.01:
        return thorough(instance, output)
    # ok: smell-lottery
    return float(output[place] == instance["answer"][place])


def check(instance, output):
    rng = random.Random(instance["seed"])
    # ok: smell-lottery, smell-unseeded-random
    if rng.random() < 0.5:
        return float(output == instance["answer"])
    return 0.0


def check(instance, output):
    random.seed(instance["seed"])
    # ok: smell-lottery, smell-unseeded-random
    return float(output == random.random())


def order(words):
    # ruleid: smell-hash-order
    first = next(iter(set(words)))
    # ruleid: smell-hash-order
    for word in set(words):
        use(word)
    # ruleid: smell-hash-order
    key = hash(first)
    # ok: smell-hash-order
    for word in sorted(set(words)):
        use(word)
    # ok: smell-hash-order
    return len(set(words)) + key


class Thing:
    def __hash__(self):
        # ok: smell-hash-order
        return hash((self.a, self.b))


seen = []
table = {}
limit = 3
calls = 0


def check(instance, output):
    # ruleid: smell-state
    seen.append(output)
    # ruleid: smell-state
    table.update({len(seen): output})
    # ruleid: smell-state
    global calls
    calls += 1
    return float(output == instance["answer"] and len(seen) < limit)


def check(instance, output):
    words = []
    # ok: smell-state
    words.append(output)
    # ok: smell-state
    return float(words == [instance["answer"]] and limit == 3)


# ruleid: smell-state
def remember(word, before=[]):
    before.append(word)
    return before


# ok: smell-state
def recall(word, before=None):
    return before or [word]


def count(words):
    total = 0

    def add(word):
        # ok: smell-state
        nonlocal total
        total += len(word)

    for word in words:
        add(word)
    return total
