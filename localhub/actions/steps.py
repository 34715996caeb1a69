"""Run by `act` inside a job's workflow: ends a stub as its job ended, or writes down how the job itself ended."""

import json
import os
import secrets
import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    folder = Path(os.environ["LOCALHUB_FOLDER"])
    if arguments == ["collect"]:
        (folder / "needs.json").write_text(os.environ["LOCALHUB_NEEDS"], encoding="utf-8")
        return 0
    stub = json.loads((folder / "stubs.json").read_text(encoding="utf-8"))[arguments[1]]
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as outputs:
        for name, value in stub["outputs"].items():
            end = secrets.token_hex(16)
            outputs.write(f"{name}<<{end}\n{value}\n{end}\n")
    return 0 if stub["result"] == "success" else 1


sys.exit(main(sys.argv[1:]))
