"""The command line. Every command imports what it needs when it runs, so that `--help` is instant."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from envbounty import __version__, policy_cli, provenance_cli
from envbounty.more import Commands

if TYPE_CHECKING:
    from envbounty.findings import Report
    from envbounty.policy_file import Chosen
    from envbounty.sandbox.pool import Pool

USAGE, COULD_NOT_RUN, INTERRUPTED = 2, 4, 130
KINDS = ("function", "program", "answer", "actions", "grader")

jail_option = click.option(
    "--jail",
    type=click.Choice(["auto", "bubblewrap", "docker"]),
    default="auto",
    show_default=True,
    help="What holds the untrusted code.",
)
seed_option = click.option("--seed", type=int, default=0, show_default=True, help="Which fresh instances are drawn.")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="envbounty")
def main() -> None:
    """Verify the verifiers of RL environments: prove, by running it, that a verifier accepts right answers and rejects
    wrong ones.

    \b
    Exit status of verify, play and samples:
      0 passed   1 failed, with proof   2 usage or broken contract   3 incomplete   4 could not run
    """


@main.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["text", "json", "sarif"]), default="text", show_default=True)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the report there, not to the terminal."
)
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False), help="Write the JSON report too.")
@click.option(
    "--sarif", "sarif_file", type=click.Path(path_type=Path, dir_okay=False), help="Write the SARIF report too."
)
@click.option("--jobs", type=click.IntRange(1, 64), default=None, help="Environments at a time.  [default: processors]")
@seed_option
@jail_option
@click.option("--only", multiple=True, metavar="RULE", help="Show only findings of this rule. May be repeated.")
@click.option(
    "--budget", type=click.FloatRange(1, 86_400), default=None, help="Seconds per environment.  [default: the policy's]"
)
@click.option("--policy", metavar="FILE", help="What the maintainers decide, or built-in.  [default: found upwards]")
@click.option("--plots", type=click.Path(path_type=Path, file_okay=False), help="Write SVG plots into this folder.")
@click.option(
    "--against",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Look for near-duplicates in this folder too. May be repeated.",
)
@click.option(
    "--benchmark",
    "benchmarks",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Look for overlap with this index too, see `envbounty provenance index`. May be repeated.",
)
@click.option("--unsafe-no-jail", is_flag=True, help="Run untrusted code WITHOUT a jail. The report says so.")
def verify(
    paths: tuple[Path, ...],
    form: str,
    out: Path | None,
    json_file: Path | None,
    sarif_file: Path | None,
    jobs: int | None,
    seed: int,
    jail: str,
    only: tuple[str, ...],
    budget: float | None,
    policy: str | None,
    plots: Path | None,
    against: tuple[Path, ...],
    benchmarks: tuple[Path, ...],
    unsafe_no_jail: bool,
) -> None:
    """Try to break the verifiers of the environments in PATHS: directories, each one or above several."""
    from envbounty.environment import find_environments
    from envbounty.progress import Bars
    from envbounty.provenance.surroundings import Surroundings
    from envbounty.verify import examine_all
    from envbounty.verify.rules import RULES

    for rule in only:
        if rule not in RULES:
            usage(f"there is no rule {rule!r}. They are: {', '.join(sorted(RULES))}")
    try:
        found = find_environments(list(paths))
    except FileNotFoundError as error:
        usage(f"{error} holds no env.yaml, nor does any folder below it. Make one with `envbounty new`.")
    chosen = the_policy(found, policy)
    taken = chosen.policy.provenance
    try:
        surroundings = Surroundings.of(
            found,
            against=against,
            benchmarks=benchmarks,
            licences=frozenset(taken.licences),
            copied=taken.copied.model_dump(),
        )
    except FileNotFoundError as error:
        usage(f"{error.filename or error} is not there, or holds no environment to compare with.")
    except (OSError, ValueError) as error:
        usage(f"--benchmark: {error}. Make an index with `envbounty provenance index`.")
    workers = jobs or os.cpu_count() or 1
    with the_jail(jail, workers, unsafe_no_jail) as pool, Bars(len(found)) as bars:
        report = examine_all(
            found,
            pool,
            seed=seed,
            jobs=workers,
            budget_s=chosen.policy.budgets.seconds_per_environment if budget is None else budget,
            only=only,
            policy=chosen.policy,
            surroundings=surroundings,
            progress=bars.step,
            finished=bars.finished,
        )
    emit(report, form, out)
    for file, kind in ((json_file, "json"), (sarif_file, "sarif")):
        if file is not None:
            emit(report, kind, file)
    drawn: list[str] = []
    if plots is not None:
        from envbounty.render.plots import render_plots

        for name, text in render_plots(report).items():
            write(plots / name, text)
            drawn.append(str(plots / name))
    if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
        from envbounty.render.markdown import render_markdown

        with open(summary, "a", encoding="utf-8") as stream:
            stream.write(render_markdown(report, plots=drawn))
    sys.exit(report.exit_code)


@main.command()
@click.argument("path", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument("submission", required=False, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@seed_option
@click.option("--difficulty", type=int, default=None, help="The level of the instance.  [default: the lowest]")
@jail_option
@click.option("--unsafe-no-jail", is_flag=True, help="Run untrusted code WITHOUT a jail.")
def play(
    path: Path, submission: Path | None, seed: int, difficulty: int | None, jail: str, unsafe_no_jail: bool
) -> None:
    """Show the task of one instance, as a model sees it, and score SUBMISSION (a file) on it.

    For kinds answer and actions the file holds the answer itself, or is a strategy when its name ends in .py.
    """
    from envbounty.play import play as run

    with the_jail(jail, 1, unsafe_no_jail) as pool:
        try:
            code = run(path, submission, seed, difficulty, pool, click.echo)
        except ValueError as error:
            usage(str(error))
    sys.exit(code)


@main.command()
@click.argument("slug")
@click.option("--kind", type=click.Choice(KINDS), required=True, help="What a submission is.")
@click.option(
    "--in", "folder", type=click.Path(path_type=Path, file_okay=False), default=Path("environments"), show_default=True
)
@click.option("--author", default=None, help="Your name.  [default: git's user.name]")
def new(slug: str, kind: str, folder: Path, author: str | None) -> None:
    """Lay down a small, sound environment SLUG to start from."""
    from envbounty.scaffold import new_environment

    try:
        files = new_environment(folder, slug, kind, author=author or git_name())
    except (OSError, ValueError) as error:
        usage(str(error))
    for file in files:
        click.echo(f"  {file}")
    place = folder / slug
    click.echo(f"\nNow edit it, look at it with `envbounty play {place}`, and try it with `envbounty verify {place}`.")


@main.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--action-ref", default=None, metavar="SHA", help="The commit of envbounty that the workflows call.")
@click.option("--owner", default=None, metavar="@WHO", help="Who must approve changes outside environments.")
def init(folder: Path, action_ref: str | None, owner: str | None) -> None:
    """Lay down a bounty repository in FOLDER. Never changes a file that is there."""
    from envbounty.scaffold import init_repository

    try:
        files = init_repository(folder, action_ref=action_ref, owner=owner)
    except (OSError, ValueError) as error:
        usage(str(error))
    for file in files:
        click.echo(f"  {file}")
    if not files:
        click.echo("Everything is there already; nothing was written.")
    if action_ref is None:
        click.echo("\nThe workflows fail until they name a commit of envbounty: see .github/workflows/verify.yml.")
    if owner is None:
        click.echo("Nobody owns what decides over pull requests yet: see .github/CODEOWNERS.")


@main.command("list")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
def list_(paths: tuple[Path, ...]) -> None:
    """List the environments in PATHS (default: environments)."""
    from envbounty.environment import ContractError, find_environments, load
    from envbounty.render.words import clean

    try:
        found = find_environments(list(paths) or [Path("environments")])
    except FileNotFoundError as error:
        usage(f"{error} holds no env.yaml, nor does any folder below it.")
    rows = []
    for path in found:
        try:
            env = load(path)
            spec = env.spec
            what = spec.kind if spec.grader is None else "grader"
            counts = f"{len(env.good)}/{len(env.bad)}"
            rows.append((spec.name, what, f"#{spec.bounty}" if spec.bounty else "", counts, spec.title))
        except (ContractError, OSError) as error:
            first = str(error).splitlines()[0]
            rows.append((path.name, "broken", "", "", clean(first, 100)))
    header = ("NAME", "KIND", "BOUNTY", "GOOD/BAD", "TITLE")
    widths = [max(len(clean(row[column])) for row in [header, *rows]) for column in range(4)]
    for row in [header, *rows]:
        cells = [clean(cell).ljust(width) for cell, width in zip(row, widths, strict=False)]
        click.echo("  ".join([*cells, clean(row[4])]).rstrip())


@main.command()
@click.argument("which", type=click.Choice(["env", "report", "policy"]), default="env")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Write all schemas into this folder.")
def schema(which: str, out: Path | None) -> None:
    """Print the JSON Schema of env.yaml, of a report or of a policy."""
    import json

    from envbounty.environment import env_schema
    from envbounty.findings import report_schema
    from envbounty.policy import policy_schema

    makers = {"env": env_schema, "report": report_schema, "policy": policy_schema}
    for name, make in makers.items():
        text = json.dumps(make(), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        if out is not None:
            write(out / f"{name}.schema.json", text)
        elif name == which:
            click.echo(text, nl=False)


@main.command()
@click.argument("rule", required=False)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), help="Write a page for every rule into this folder."
)
def explain(rule: str | None, out: Path | None) -> None:
    """Say what RULE means, why it matters and what to do; without RULE, list them all."""
    from envbounty.render.rule_page import render_index, render_page
    from envbounty.verify.rules import RULES

    if out is not None:
        for each in RULES.values():
            write(out / f"{each.id}.md", render_page(each))
        write(out / "README.md", render_index(RULES.values()))
    elif rule is None:
        width = max(map(len, RULES))
        for each in RULES.values():
            click.echo(f"{each.id.ljust(width)}  {each.severity.ljust(7)}  {each.title}")
    elif rule in RULES:
        click.echo(render_page(RULES[rule]), nl=False)
    else:
        import difflib

        near = difflib.get_close_matches(rule, RULES, n=1)
        usage(
            f"there is no rule {rule!r}." + (f" Did you mean {near[0]}?" if near else " List them: envbounty explain")
        )


@main.command()
@click.option("--jobs", type=click.IntRange(1, 64), default=None, help="Environments at a time.  [default: processors]")
@jail_option
def samples(jobs: int | None, jail: str) -> None:
    """Verify the sample environments and a broken copy of each: the sound must pass, the broken must be caught."""
    from envbounty.samples import run

    workers = jobs or os.cpu_count() or 1
    with the_jail(jail, workers, False) as pool:
        sys.exit(run(pool, workers))


main.add_command(policy_cli.policy)
main.add_command(provenance_cli.provenance)


# --- what the commands share -----------------------------------------------------------------------------------------


def usage(message: str) -> NoReturn:
    click.echo(f"envbounty: {message}", err=True)
    sys.exit(USAGE)


def the_policy(environments: list[Path], given: str | None) -> Chosen:
    """The policy that judges them; ends the program with a clear word when it cannot be had."""
    from envbounty.environment import ContractError
    from envbounty.policy_file import choose
    from envbounty.render.words import clean

    try:
        return choose(environments, given)
    except ContractError as error:
        usage("\n".join(["the policy is not sound:", *(clean(str(problem)) for problem in error.problems)]))
    except OSError as error:
        usage(f"the policy {error.filename} cannot be read: {error.strerror}.")
    except ValueError as error:
        usage(clean(str(error)))


def _raise_interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@contextmanager
def the_jail(name: str, size: int, unsafe: bool) -> Iterator[Pool]:
    """A jail that is gone afterwards, whatever happens; ends the program with a clear word when there can be none."""
    from envbounty.sandbox import JailUnavailable
    from envbounty.sandbox.bare import Bare
    from envbounty.sandbox.opening import open_jail
    from envbounty.sandbox.pool import Pool

    # Told to stop, end as for Ctrl-C: with everything that was started. Only the main thread may say so.
    with suppress(ValueError):
        signal.signal(signal.SIGTERM, _raise_interrupt)
    try:
        pool = Pool(Bare(), size) if unsafe else open_jail(name, size)
    except JailUnavailable as error:
        click.echo(f"envbounty: {error}", err=True)
        sys.exit(COULD_NOT_RUN)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    try:
        yield pool
    except KeyboardInterrupt:
        pool.close()
        click.echo("\nenvbounty: interrupted; nothing is left running, and nothing was reported.", err=True)
        # Threads of ours may still be waiting for an answer that will not come.
        sys.stderr.flush()
        os._exit(INTERRUPTED)
    finally:
        pool.close()


def emit(report: Report, form: str, out: Path | None) -> None:
    """The report in one form, to a file or to the terminal."""
    if form == "json":
        text = report.to_json()
    elif form == "sarif":
        from envbounty.render.sarif import render_sarif

        text = render_sarif(absolute(report), str(repository(Path.cwd())))
    else:
        from envbounty.render.text import render_text

        colour = out is None and sys.stdout.isatty() and "NO_COLOR" not in os.environ
        text = render_text(report, colour=colour, width=click_width())
    if out is not None:
        write(out, text)
    else:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.flush()


def click_width() -> int:
    import shutil

    return min(shutil.get_terminal_size((100, 24)).columns, 120)


def write(file: Path, text: str) -> None:
    """Write a file whole or not at all, and say where when it cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        partial = file.with_name(file.name + ".partial")
        partial.write_text(text, encoding="utf-8", errors="replace")
        partial.replace(file)
    except OSError as error:
        click.echo(f"envbounty: {file} cannot be written: {error.strerror}. Choose another place.", err=True)
        sys.exit(COULD_NOT_RUN)


def absolute(report: Report) -> Report:
    results = tuple(
        result.model_copy(
            update={
                "environment": result.environment.model_copy(
                    update={"path": str(Path(result.environment.path).resolve())}
                )
            }
        )
        for result in report.results
    )
    return report.model_copy(update={"results": results})


def repository(folder: Path) -> Path:
    """The checkout that holds `folder`, so that paths in SARIF begin at its top; else the folder itself."""
    folder = folder.resolve()
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)


def git_name() -> str:
    import subprocess

    try:
        done = subprocess.run(["git", "config", "user.name"], capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "Your Name"
    return done.stdout.strip() or "Your Name"


if __name__ == "__main__":
    main()
