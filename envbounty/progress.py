"""How far a run is: bars on a terminal, a line for each finished environment elsewhere. Standard error only."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from envbounty.findings import Result


class Bars:
    """Told by several threads at once how far each environment is."""

    def __init__(self, environments: int) -> None:
        self._count = environments
        self._done = 0
        self._lock = threading.Lock()
        self._bars: Progress | None = None
        self._overall: TaskID | None = None
        self._tasks: dict[Path, TaskID] = {}

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            self._bars = Progress(
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bars.start()
            if self._count > 1:
                self._overall = self._bars.add_task("environments", total=self._count)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def step(self, path: Path, step: str, done: int, total: int) -> None:
        from envbounty.render.words import clean

        if self._bars is None:
            return
        with self._lock:
            if path not in self._tasks:
                self._tasks[path] = self._bars.add_task("", total=total)
            self._bars.update(self._tasks[path], completed=done, description=clean(f"{path.name}: {step}", 40))

    def finished(self, result: Result) -> None:
        from envbounty.render.words import clean

        with self._lock:
            self._done += 1
            if self._bars is None:
                if self._count > 1:
                    name = clean(result.environment.name, 60)
                    seconds = f"{result.stats.seconds:.1f} s"
                    print(f"[{self._done}/{self._count}] {name}: {result.verdict} ({seconds})", file=sys.stderr)
                return
            if self._overall is not None:
                self._bars.update(self._overall, completed=self._done)
            task = self._tasks.pop(Path(result.environment.path), None)
            if task is not None:
                self._bars.remove_task(task)
