"""`python -m benchmarks NAME [arguments]` measures one thing; without a name, all that needs no corpus."""

from __future__ import annotations

import importlib
import sys

NAMES = ("sandbox", "samples", "webhook", "defects", "detection", "bohrin", "reasoning_gym", "peers", "provenance")
#: Needs what is not part of this project: a corpus, or somebody else's package.
NEEDS_MORE = {
    "detection": "python -m benchmarks detection CORPUS",
    "bohrin": "python -m benchmarks bohrin SDIST",
    "reasoning_gym": "python -m benchmarks reasoning_gym PACKAGES",
    "peers": "python -m benchmarks peers CORPUS --peers FOLDER",
}


def run(name: str, words: list[str]) -> int:
    return int(importlib.import_module(f"benchmarks.{name}").main(words) or 0)


def main(words: list[str]) -> int:
    if words and words[0] in NAMES:
        return run(words[0], words[1:])
    if words:
        print(f"usage: python -m benchmarks {{{','.join(NAMES)}}} [arguments]", file=sys.stderr)
        return 2
    worst = 0
    for name in NAMES:
        print(f"== {name}", flush=True)
        if name in NEEDS_MORE:
            print(f"needs more: {NEEDS_MORE[name]}")
        else:
            worst = max(worst, run(name, []))
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
