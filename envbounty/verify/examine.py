"""One environment, or many, through Tier 1."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

from envbounty import findings as report_of
from envbounty.environment import ContractError, Dialect, load
from envbounty.findings import Finding, Report, Result, Verdict, settle
from envbounty.sandbox import Jail
from envbounty.verify.bench import Bench, ImportFault, OutOfTime, Trouble
from envbounty.verify.checks import generator, grader, leaks, probes, scores, solutions
from envbounty.verify.context import Context, Stop
from envbounty.verify.rules import RULES

Check = Callable[[Context], Iterator[Finding]]

NATIVE: tuple[tuple[str, Check], ...] = (
    ("generator", generator.run),
    ("solutions", solutions.run),
    ("probes", probes.run),
    ("scores", scores.run),
    ("leaks", leaks.run),
)
GRADER: tuple[tuple[str, Check], ...] = (("grader", grader.run),)

#: A verifier that raises on everything should not fill a page.
MAX_OF_A_RULE = 5


class Progress(Protocol):
    """Told how far one examination is. Called from several threads."""

    def __call__(self, path: Path, step: str, done: int, total: int) -> None: ...


def quiet(path: Path, step: str, done: int, total: int) -> None:
    pass


def examine(
    path: Path,
    jail: Jail,
    *,
    seed: int = 0,
    budget_s: float = 300.0,
    threads: int = 1,
    only: Sequence[str] = (),
    progress: Progress = quiet,
) -> Result:
    """Put the environment in `path` through every check. Never raises for what the environment is or does.

    `only` keeps the findings of these rules alone, and then nothing found is `incomplete`, not a pass; `budget_s` is
    wall-clock seconds, after which the verdict is `incomplete` unless something was proved before.
    """
    command = f"envbounty verify {shlex.quote(str(path))}"
    try:
        env = load(path)
    except ContractError as error:
        broken = tuple(_with_command(problem.finding(), command) for problem in error.problems)
        verdict, reason = settle(broken)
        who = report_of.Environment(name=path.resolve().name, path=str(path), kind="", dialect="")
        return Result(environment=who, verdict=verdict, reason=reason, contract=False, findings=broken)
    except (OSError, RuntimeError) as error:
        who = report_of.Environment(name=path.name or str(path), path=str(path), kind="", dialect="")
        reason = f"could not be read: {getattr(error, 'strerror', None) or error}"
        return Result(environment=who, verdict=Verdict.ERROR, reason=reason)
    spec = env.spec
    who = report_of.Environment(name=spec.name, path=str(path), kind=spec.kind, dialect=spec.dialect, digest=env.digest)
    bench = Bench(env, jail, seed=seed, budget_s=budget_s, threads=threads)
    context = Context(bench, command)
    steps = GRADER if spec.dialect is Dialect.GRADER else NATIVE
    found: list[Finding] = []
    done: list[str] = []
    trouble = unfinished = ""
    for number, (name, check) in enumerate(steps):
        progress(path, name, number, len(steps))
        try:
            for finding in check(context):
                found.append(_with_command(finding, context.reproduce(finding.rule)))
            done.append(name)
        except Stop:
            done.append(name)
            break
        except OutOfTime as error:
            unfinished = str(error)
            break
        except Trouble as error:
            trouble = str(error)
            break
        except ImportFault as error:
            found.append(_unloadable(context, error))
            break
        except Exception as error:
            # A bug of ours must not end the run over the other environments, nor be held against this one.
            trouble = f"the check `{name}` failed: {type(error).__name__}: {error}"
            break
    progress(path, "done", len(steps), len(steps))
    found = _bounded(finding for finding in found if not only or finding.rule in only)
    if only and not unfinished:
        # A look at a few rules is never a pass: the report must not be taken for one of the whole.
        unfinished = f"only {', '.join(only)} was looked at, and nothing was found"
    verdict, reason = settle(found, trouble=trouble, unfinished=unfinished)
    return Result(
        environment=who,
        verdict=verdict,
        reason=reason,
        findings=tuple(found),
        checks=tuple(done),
        stats=bench.stats(),
    )


def examine_all(
    paths: Sequence[Path],
    jail: Jail,
    *,
    seed: int = 0,
    jobs: int = 2,
    budget_s: float = 300.0,
    only: Sequence[str] = (),
    progress: Progress = quiet,
    finished: Callable[[Result], None] = lambda result: None,
) -> Report:
    """Examine several environments, `jobs` at a time. Results come in the order of `paths`."""
    paths = list(paths)
    threads = max(1, jobs // max(1, len(paths)))

    def one(path: Path) -> Result:
        result = examine(path, jail, seed=seed, budget_s=budget_s, threads=threads, only=only, progress=progress)
        finished(result)
        return result

    if jobs < 2 or len(paths) < 2:
        results = [one(path) for path in paths]
    else:
        with ThreadPoolExecutor(jobs) as pool:
            futures = [pool.submit(one, path) for path in paths]
            try:
                results = [future.result() for future in futures]
            except BaseException:
                for future in futures:
                    future.cancel()
                jail.close()  # whoever waits for a jail gets an answer at once
                raise
    backend = getattr(jail, "backend", None)
    held = report_of.Jail(backend=jail.name, isolated=jail.isolated, detail=getattr(backend, "detail", ""))
    return Report(seed=seed, jail=held, results=tuple(results))


def _unloadable(context: Context, error: ImportFault) -> Finding:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return RULES["import-fails"].finding(
        f"{context.env.entry} could not be loaded: {lines[-1] if lines else 'it said nothing'}",
        path=context.env.entry,
        evidence=report_of.Evidence(detail=str(error), reproduce=context.reproduce("import-fails")),
    )


def _with_command(finding: Finding, command: str) -> Finding:
    """The finding with at least the command that shows it again."""
    evidence = finding.evidence or report_of.Evidence()
    if evidence.reproduce:
        return finding
    return finding.model_copy(update={"evidence": evidence.model_copy(update={"reproduce": command})})


def _bounded(found: Iterator[Finding]) -> list[Finding]:
    counts: dict[str, int] = {}
    kept = []
    for finding in found:
        counts[finding.rule] = counts.get(finding.rule, 0) + 1
        if counts[finding.rule] <= MAX_OF_A_RULE:
            kept.append(finding)
    return kept
