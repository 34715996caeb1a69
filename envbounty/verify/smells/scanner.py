"""Scans early and together: one start of Semgrep for many environments, in the background, each text only once."""

from __future__ import annotations

import contextlib
import hashlib
import io
import threading
import tokenize
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path, PurePosixPath

from envbounty.environment import ContractError
from envbounty.environment.files import read_tree
from envbounty.verify.runner import Trouble
from envbounty.verify.smells.engine import Reading, scan

SUFFIXES = (".py", ".sh")
#: A verifier longer than this is data for the most part; a table of 256 KiB takes Semgrep a second.
MAX_BYTES = 256 << 10
#: How many environments are scanned at once. The first are wanted soon.
FIRST, THEN = 8, 64
#: How long a scan may take to end after it is told to.
CLOSE_S = 10.0

Scan = Callable[[Mapping[str, bytes], threading.Event], dict[str, Reading]]


class _Again(Exception):
    """The scan that a text was part of failed. By itself it may do better."""


class Scanner:
    """What the rules find in environments' code. Safe to use from several threads; close it when done."""

    def __init__(self, scan: Scan = scan) -> None:
        self._scan = scan
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._known: dict[str, Future[Reading]] = {}
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Scanner:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def start(self, paths: Sequence[Path]) -> None:
        """Begin to scan the environments in `paths` and return. What cannot be read there is left to others to say."""
        self._thread = threading.Thread(target=self._ahead, args=(list(paths),), name="smells", daemon=True)
        self._thread.start()

    def read(self, code: Mapping[str, bytes]) -> dict[str, Reading]:
        """What was found in each Python and shell file of `code`, by its path. Waits for a scan that is under way.

        Raises `Trouble` when one of them could not be scanned.
        """
        texts, unread = texts_of(code)
        names = {path: name_of(path, text) for path, text in texts.items()}
        while True:
            futures = self._take({names[path]: texts[path] for path in names}, Trouble)
            with contextlib.suppress(_Again):
                found = {path: futures[name].result() for path, name in names.items()}
                return found | {path: Reading(unread=why) for path, why in unread.items()}

    def close(self) -> None:
        """End what is under way. Whoever waits for it is told."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(CLOSE_S)

    def _take(self, texts: Mapping[str, bytes], failure: type[Exception]) -> dict[str, Future[Reading]]:
        """The futures of all texts, after scanning those that nobody has taken before."""
        mine: dict[str, bytes] = {}
        futures: dict[str, Future[Reading]] = {}
        with self._lock:
            for name, text in texts.items():
                if name not in self._known:
                    self._known[name] = Future()
                    mine[name] = text
                futures[name] = self._known[name]
        if mine:
            try:
                if self._stop.is_set():
                    raise Trouble("the scan for smells was stopped")
                readings = self._scan(mine, self._stop)
                for name in mine:
                    futures[name].set_result(readings[name])
            except BaseException as error:
                with self._lock:
                    for name in mine:
                        del self._known[name]
                for name in mine:
                    if not futures[name].done():
                        futures[name].set_exception(failure(str(error)))
                if not isinstance(error, Trouble):
                    raise
        return futures

    def _ahead(self, paths: list[Path]) -> None:
        for batch in batches(paths):
            texts: dict[str, bytes] = {}
            for path in batch:
                # What is wrong with a folder is said by whoever examines it.
                with contextlib.suppress(OSError, ContractError):
                    files = {file: text for file, text in read_tree(path).items() if not file.startswith("solutions/")}
                    texts |= {name_of(file, text): text for file, text in texts_of(files)[0].items()}
            if self._stop.is_set():
                return
            self._take(texts, _Again)


def batches(paths: Sequence[Path]) -> Iterator[Sequence[Path]]:
    """The environments in the order in which they will be examined, a few at first and then many at once."""
    yield paths[:FIRST]
    for at in range(FIRST, len(paths), THEN):
        yield paths[at : at + THEN]


def texts_of(code: Mapping[str, bytes]) -> tuple[dict[str, bytes], dict[str, str]]:
    """The Python and shell files of `code` as Semgrep can read them, and for the others of them, why it cannot."""
    texts: dict[str, bytes] = {}
    unread: dict[str, str] = {}
    for path, content in code.items():
        if path.endswith(SUFFIXES):
            try:
                texts[path] = text_of(path, content)
            except ValueError as error:
                unread[path] = str(error)
    return texts, unread


def text_of(path: str, content: bytes) -> bytes:
    """The file as UTF-8, which is all that Semgrep reads. Raises `ValueError` that says why there is no such text."""
    if len(content) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES >> 10} KiB")
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(content).readline)[0] if path.endswith(".py") else "utf-8"
        return content.decode(encoding).encode()
    except (SyntaxError, LookupError, ValueError):
        raise ValueError("it is not text in the encoding that it declares") from None


def name_of(path: str, text: bytes) -> str:
    """A name that depends on nothing of the author's but the text and its language."""
    return hashlib.sha256(text).hexdigest() + PurePosixPath(path).suffix
