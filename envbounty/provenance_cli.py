"""`envbounty provenance`: fingerprints of public benchmarks. Imports what it needs when it runs."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def provenance() -> None:
    """Public benchmarks as fingerprints, to find environments that take from them."""


@provenance.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
@click.option("--name", required=True, help="The benchmark's name.")
@click.option("--licence", required=True, help="The benchmark's licence, an SPDX id.")
@click.option("--source", required=True, help="Where the benchmark comes from.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="Where the index goes.")
def index(files: tuple[Path, ...], name: str, licence: str, source: str, out: Path) -> None:
    """Index a benchmark: FILES in JSON lines, gzipped or not. The index holds ids and hashes, and none of its text."""
    from envbounty.cli import usage, write  # which imports this module when it is loaded
    from envbounty.provenance.public import make_index, read_rows, write_index

    try:
        rows = [row for file in files for row in read_rows(file)]
        made = make_index(rows, name=name, licence=licence, source=source)
    except (OSError, ValueError) as error:
        usage(str(error))
    write(out, write_index(made))
    click.echo(f"{len(made.entries)} problems of {name} in {out}")
