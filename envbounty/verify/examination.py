"""One environment, or many, through Tier 1."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from envbounty import findings as report_of
from envbounty.environment import ContractError, Dialect, load
from envbounty.findings import Finding, Halted, Report, Result, Severity, Verdict, settle
from envbounty.policy import BUILT_IN, Policy, apply
from envbounty.provenance.surroundings import Surroundings
from envbounty.sandbox import Jail
from envbounty.verify.bench import Bench, ImportFault, OutOfTime, Trouble
from envbounty.verify.checks import (
    blindspots,
    generator,
    giveaway,
    grader,
    leaks,
    literals,
    memory,
    mutants,
    perturb,
    probes,
    provenance,
    rewrites,
    scores,
    smells,
    solutions,
    spread,
    strain,
    tamper,
    weak,
)
from envbounty.verify.context import Context, Stop
from envbounty.verify.places import Places
from envbounty.verify.rules import RULES
from envbounty.verify.smells import Scanner

Check = Callable[[Context], Iterator[Finding]]

NATIVE: tuple[tuple[str, Check], ...] = (
    ("provenance", provenance.run),
    ("generator", generator.run),
    ("solutions", solutions.run),
    ("probes", probes.run),
    ("perturb", perturb.run),
    ("mutants", mutants.run),
    ("forms", rewrites.run),
    ("literals", literals.run),
    ("memory", memory.run),
    ("strain", strain.run),
    ("scores", scores.run),
    ("leaks", leaks.run),
    ("blindspots", blindspots.run),
    ("giveaway", giveaway.run),
    ("spread", spread.run),
    ("smells", smells.run),
)
GRADER: tuple[tuple[str, Check], ...] = (
    ("provenance", provenance.run),
    ("grader", grader.run),
    ("tamper", tamper.run),
    ("weak", weak.run),
    ("rewrites", rewrites.run_grader),
    ("spread", spread.run_grader),
    ("smells", smells.run),
)


class Progress(Protocol):
    """Told how far one examination is. Called from several threads."""

    def __call__(self, path: Path, step: str, done: int, total: int) -> None: ...


def quiet(path: Path, step: str, done: int, total: int) -> None:
    pass


@dataclass(frozen=True)
class Terms:
    """How environments are examined: the same for all of a run."""

    seed: int
    budget_s: float
    threads: int
    only: Sequence[str]
    policy: Policy
    surroundings: Surroundings | None


def examine(
    path: Path,
    jail: Jail,
    *,
    seed: int = 0,
    budget_s: float = 300.0,
    threads: int = 1,
    only: Sequence[str] = (),
    policy: Policy = BUILT_IN,
    surroundings: Surroundings | None = None,
    scanner: Scanner | None = None,
    progress: Progress = quiet,
) -> Result:
    """Put the environment in `path` through every check. Never raises for what the environment is or does.

    `only` keeps the findings of these rules alone, and then nothing found is `incomplete`, not a pass; `budget_s` is
    wall-clock seconds, after which the verdict is `incomplete` unless something was proved before. `scanner`: where the
    code is, or will be, searched for smells; without one it is done here, beside the other checks.
    """
    terms = Terms(seed, budget_s, threads, only, policy, surroundings)
    with ExitStack() as stack:
        if scanner is None:
            scanner = stack.enter_context(Scanner())
            scanner.start([path])
        return _examined(path, jail, terms, scanner, progress)


def _examined(path: Path, jail: Jail, terms: Terms, scanner: Scanner, progress: Progress) -> Result:
    policy, surroundings, only = terms.policy, terms.surroundings, terms.only
    command = shlex.join(["envbounty", "verify", str(path), *(surroundings.options if surroundings else ())])
    try:
        env = load(path)
    except ContractError as error:
        broken = tuple(_with_command(problem.finding(), command) for problem in error.problems)
        verdict, reason = settle(broken)
        who = report_of.Environment(name=path.resolve().name, path=str(path), kind="", dialect="")
        halted = Halted(verdict=Verdict.INCOMPLETE, reason="the files break the contract, so nothing was run")
        result = Result(environment=who, verdict=verdict, reason=reason, contract=False, findings=broken, halted=halted)
        return apply(policy, result)
    except (OSError, RuntimeError) as error:
        who = report_of.Environment(name=path.name or str(path), path=str(path), kind="", dialect="")
        reason = f"could not be read: {getattr(error, 'strerror', None) or error}"
        halted = Halted(verdict=Verdict.ERROR, reason=reason)
        return apply(policy, Result(environment=who, verdict=Verdict.ERROR, reason=reason, halted=halted))
    spec = env.spec
    who = report_of.Environment(name=spec.name, path=str(path), kind=spec.kind, dialect=spec.dialect, digest=env.digest)
    least = policy.thresholds.instances
    bench = Bench(
        env, jail, seed=terms.seed, budget_s=terms.budget_s, threads=terms.threads, min_instances=least
    )
    context = Context(bench, command, policy, surroundings, scanner=scanner)
    steps = GRADER if spec.dialect is Dialect.GRADER else NATIVE
    places = Places(env)
    found: list[Finding] = []
    done: list[str] = []
    trouble = unfinished = ""
    for number, (name, check) in enumerate(steps):
        progress(path, name, number, len(steps))
        try:
            for finding in check(context):
                found.append(places.placed(_with_command(finding, context.reproduce(finding.rule))))
            done.append(name)
        except Stop:
            done.append(name)
            unfinished = f"the check `{name}` left nothing for the later ones to stand on, so they did not run"
            break
        except OutOfTime as error:
            unfinished = str(error)
            break
        except Trouble as error:
            trouble = str(error)
            break
        except ImportFault as error:
            if (module := _promised(policy, error)) is not None:
                trouble = f"the policy promises the module {module}, which this jail does not have"
                break
            found.append(_unloadable(context, error))
            unfinished = f"{env.entry} could not be loaded, so nothing more was examined"
            break
        except Exception as error:
            # A bug of ours must not end the run over the other environments, nor be held against this one.
            trouble = f"the check `{name}` failed: {type(error).__name__}: {error}"
            break
    progress(path, "done", len(steps), len(steps))
    found = _bounded((item for item in found if not only or item.rule in only), policy.budgets.findings_per_rule)
    if only and not unfinished:
        # A look at a few rules is never a pass: the report must not be taken for one of the whole.
        unfinished = f"only {', '.join(only)} was looked at, and nothing was found"
    verdict, reason = settle(found, trouble=trouble, unfinished=unfinished)
    ours = Halted(verdict=Verdict.ERROR, reason=trouble) if trouble else None
    result = Result(
        environment=who,
        verdict=verdict,
        reason=reason,
        findings=tuple(found),
        checks=tuple(done),
        spread=context.spread,
        halted=ours or (Halted(verdict=Verdict.INCOMPLETE, reason=unfinished) if unfinished else None),
        stats=bench.stats(),
    )
    return apply(policy, result)


def examine_all(
    paths: Sequence[Path],
    jail: Jail,
    *,
    seed: int = 0,
    jobs: int = 2,
    budget_s: float = 300.0,
    only: Sequence[str] = (),
    policy: Policy = BUILT_IN,
    surroundings: Surroundings | None = None,
    progress: Progress = quiet,
    finished: Callable[[Result], None] = lambda result: None,
) -> Report:
    """Examine several environments, `jobs` at a time. Results come in the order of `paths`."""
    paths = list(paths)
    threads = max(1, jobs // max(1, len(paths)))
    terms = Terms(seed, budget_s, threads, only, policy, surroundings or Surroundings.of(paths))

    def one(path: Path) -> Result:
        result = _examined(path, jail, terms, scanner, progress)
        finished(result)
        return result

    with Scanner() as scanner:
        scanner.start(paths)
        results = _each(one, paths, jobs, jail)
    backend = getattr(jail, "backend", None)
    held = report_of.Jail(backend=jail.name, isolated=jail.isolated, detail=getattr(backend, "detail", ""))
    return Report(seed=seed, policy=policy.digest, jail=held, results=tuple(results))


def _each(one: Callable[[Path], Result], paths: Sequence[Path], jobs: int, jail: Jail) -> list[Result]:
    if jobs < 2 or len(paths) < 2:
        return [one(path) for path in paths]
    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(one, path) for path in paths]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            jail.close()  # whoever waits for a jail gets an answer at once
            raise


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


def _promised(policy: Policy, error: ImportFault) -> str | None:
    """The module that could not be loaded although the policy says that the jail has it: our fault, then."""
    module = grader.missing_module(str(error))
    return module if module is not None and module.split(".")[0] in policy.dependencies.modules else None


def _bounded(found: Iterator[Finding], most: int) -> list[Finding]:
    """The first findings of each rule and severity: a verifier that raises on everything should not fill a page."""
    counts: Counter[tuple[str, Severity]] = Counter()
    kept = []
    for finding in found:
        counts[finding.rule, finding.severity] += 1
        if counts[finding.rule, finding.severity] <= most:
            kept.append(finding)
    return kept
