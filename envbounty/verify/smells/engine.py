"""One run of Semgrep over some texts: offline, bounded, deaf to everything that the texts' author may have laid down.

The texts are copied into a folder of our own under names of our own. So there is no link to follow, no
`.semgrepignore`, no `.semgrep.yml` and no git around them, and no folder called `tests`, which Semgrep leaves out by
default; `nosemgrep` comments are switched off. Settings and logs go to a home that is deleted afterwards.

The wheel's binary answers to two names: as `semgrep-core` it is an internal tool, as `osemgrep` it is the command line
without Python around it, which starts ten times as fast. This is how the wheel's own entry point starts it.
"""

from __future__ import annotations

import contextlib
import importlib.resources
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from envbounty.verify.runner import Trouble

#: Semgrep's words for how much a hit weighs.
ERROR, WARNING, INFO = "ERROR", "WARNING", "INFO"

#: One rule on one file; it runs by the wall clock, and the machine may be busy.
RULE_S = 30
#: The whole run: so many seconds, and so many more for each text. The processor's clock has the same limit.
RUN_S, TEXT_S = 90.0, 1.0
#: A hundred graders take 140 MB.
SOFT_MB, HARD_MB = 1500, 4096
MAX_OUTPUT = 32 << 20
#: How often a run looks whether it is still wanted.
TICK_S = 0.05
#: Nothing here uses a network. If a new version tried, it would find this: a port on which nobody listens.
NOWHERE = "http://127.0.0.1:9"


@dataclass(frozen=True)
class Hit:
    """One rule's match in one text. Lines count from 1."""

    rule: str
    severity: str  # ERROR, WARNING, INFO
    message: str  # on one line; words of the text may be in it
    line: int
    end_line: int
    options: Mapping[str, Any] = field(default_factory=dict, compare=False)  # the rule's `metadata.envbounty`


@dataclass(frozen=True)
class Reading:
    """What was found in one text. `unread` says why it could not be read as a whole; empty when it was."""

    hits: tuple[Hit, ...] = ()
    unread: str = ""


@cache
def policies() -> Path:
    """Where the rule packs are: in the package when installed, beside it in a checkout."""
    package = Path(__file__).parents[2]
    inside = package / "_policies" / "semgrep"
    return inside if inside.is_dir() else package.parent / "policies" / "semgrep"


@cache
def binary() -> Path:
    """Semgrep's program in the installed wheel. Raises `Trouble` when it is not there."""
    try:
        path = Path(str(importlib.resources.files("semgrep").joinpath("bin", "semgrep-core")))
    except ModuleNotFoundError:
        raise Trouble("the package `semgrep` is not installed: pip install semgrep") from None
    if not path.is_file():
        raise Trouble(f"the installed package `semgrep` has no program for this machine (looked for {path})")
    return path


def arguments(folder: Path, packs: Path) -> list[str]:
    """The command line for the texts in `folder`."""
    return [
        "osemgrep", "scan", "--experimental", "--oss-only",
        f"--config={packs}", "--no-rewrite-rule-ids", "--json", "--quiet",
        "--metrics=off", "--disable-version-check",
        "--disable-nosem", "--no-git-ignore", f"--project-root={folder}",
        "--max-target-bytes=0", f"--timeout={RULE_S}", "--timeout-threshold=1",
        f"--max-memory={SOFT_MB}", "--jobs=1",
        str(folder),
    ]  # fmt: skip


def surroundings(home: Path) -> dict[str, str]:
    """The environment variables of a run: nothing of ours, so no token, no settings and no proxy that leads out."""
    words = ("http_proxy", "https_proxy", "all_proxy")
    proxies = {name: NOWHERE for word in words for name in (word, word.upper())}
    return {
        **proxies,
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "HOME": str(home),
        "TMPDIR": str(home),
        "XDG_CONFIG_HOME": str(home),
        "XDG_CACHE_HOME": str(home),
        "SEMGREP_SETTINGS_FILE": str(home / "settings.yml"),
        "SEMGREP_LOG_FILE": str(home / "semgrep.log"),
        "SEMGREP_ENABLE_VERSION_CHECK": "0",
        "SEMGREP_SEND_METRICS": "off",
    }


def scan(
    texts: Mapping[str, bytes], stop: threading.Event | None = None, packs: Path | None = None
) -> dict[str, Reading]:
    """What the rules find in each of `texts`: {a plain file name with its suffix: UTF-8}. Takes 0.4 s and more.

    Raises `Trouble` when Semgrep did not come to its end, `stop` was set, or a rule could not be used: an answer for
    some of the rules is none.
    """
    if not texts:
        return {}
    with tempfile.TemporaryDirectory(prefix="envbounty-smells-") as place:
        folder, home = Path(place, "texts"), Path(place, "home")
        folder.mkdir()
        home.mkdir()
        for name, text in texts.items():
            (folder / name).write_bytes(text)
        output = _run(arguments(folder, packs or policies()), home, RUN_S + TEXT_S * len(texts), stop)
    return read(output, frozenset(texts))


def _run(argv: Sequence[str], home: Path, seconds: float, stop: threading.Event | None) -> bytes:
    out, err = home / "out", home / "err"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        try:
            process = subprocess.Popen(
                argv, executable=binary(), env=surroundings(home), cwd=home, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
            )  # fmt: skip
        except OSError as error:
            raise Trouble(f"Semgrep could not be started: {error}") from None
        try:
            _bound(process.pid, seconds)
            ended = _wait(process, seconds, stop)
        finally:
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    if ended is None:
        why = "was not waited for" if stop is not None and stop.is_set() else f"took more than {seconds:g} s"
        raise Trouble(f"Semgrep {why}, so nothing can be said about smells")
    if ended != 0:
        said = err.read_bytes()[-2000:].decode(errors="replace").strip().splitlines()
        raise Trouble(f"Semgrep ended with status {ended}{': ' + said[-1] if said else ''}")
    return out.read_bytes()


def _bound(pid: int, seconds: float) -> None:
    """Limits that hold even when we are gone. Where the system has none of these, the clock and `--max-memory` hold."""
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import resource

        for limit, value in (
            (resource.RLIMIT_AS, HARD_MB << 20),
            (resource.RLIMIT_CPU, int(seconds)),
            (resource.RLIMIT_FSIZE, MAX_OUTPUT),
            (resource.RLIMIT_CORE, 0),
        ):
            resource.prlimit(pid, limit, (value, value))


def _wait(process: subprocess.Popen[bytes], seconds: float, stop: threading.Event | None) -> int | None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not (stop is not None and stop.is_set()):
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(TICK_S)
    return None


def read(output: bytes, names: frozenset[str]) -> dict[str, Reading]:
    """What Semgrep's JSON says of each of `names`. Raises `Trouble` for what is no whole answer.

    The output quotes the texts, and not always as UTF-8.
    """
    try:
        said = json.loads(output.decode("utf-8", "replace"))
        scanned = {Path(path).name for path in said["paths"]["scanned"]}
        skipped = [str(rule.get("rule_id", rule)) for rule in said.get("skipped_rules", [])]
        unread = _unread(said["errors"])
        hits: dict[str, list[Hit]] = {name: [] for name in names}
        for result in said["results"]:
            hits[Path(result["path"]).name].append(_hit(result))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise Trouble(f"Semgrep's answer cannot be read ({type(error).__name__}: {error})") from None
    if skipped:
        raise Trouble(f"Semgrep left rules out: {', '.join(skipped)}")
    return {
        name: Reading(tuple(sorted(hits[name], key=lambda hit: (hit.line, hit.rule))), unread.get(name, ""))
        if name in scanned
        else Reading(unread="Semgrep did not look at it")
        for name in names
    }


def _unread(errors: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for error in errors:
        kind = error["type"][0] if isinstance(error["type"], list) else str(error["type"])
        path = error.get("path")
        if path is None or error["level"] == "error":
            raise Trouble(f"Semgrep cannot use its rules: {' '.join(str(error.get('message', kind)).split())[:500]}")
        if kind in ("Timeout", "Out of memory", "OutOfMemory", "Stack overflow", "StackOverflow"):
            raise Trouble(f"Semgrep gave up on a file ({kind.lower()})")
        lines = sorted({int(span["start"]["line"]) for span in error.get("spans") or []})
        where = f" at line {', '.join(map(str, lines[:5]))}" if lines else ""
        found.setdefault(Path(path).name, f"Semgrep cannot parse it{where}")
    return found


def _hit(result: Mapping[str, Any]) -> Hit:
    extra = result["extra"]
    return Hit(
        rule=str(result["check_id"]).rsplit(".", 1)[-1],
        severity=str(extra["severity"]),
        message=" ".join(str(extra["message"]).split()),
        line=int(result["start"]["line"]),
        end_line=int(result["end"]["line"]),
        options=(extra.get("metadata") or {}).get("envbounty") or {},
    )
