"""`python -m benchmarks NAME [arguments]`: runs `main(arguments)` of the module of that name."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path


def names() -> list[str]:
    found = (module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    return sorted(name for name in found if not name.startswith("_"))


def main(words: list[str]) -> int:
    if not words or words[0] not in names():
        print(f"usage: python -m benchmarks {{{','.join(names())}}} [arguments]", file=sys.stderr)
        return 2
    module = importlib.import_module(f"benchmarks.{words[0]}")
    return int(module.main(words[1:]) or 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
