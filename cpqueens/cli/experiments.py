"""`cpqueens experiments`: the classical texts reproduced, as text and as one HTML page."""

from __future__ import annotations

import click

from cpqueens.cli.options import check_place
from cpqueens.cli.terminal import say, width_of_output


@click.command()
@click.option(
    "--runs", type=click.IntRange(20, 10**6), default=400, show_default=True,
    help="of each experiment; dear ones are run less often",
)  # fmt: skip
@click.option("--out", type=click.Path(dir_okay=False), metavar="FILE.html", help="write a page as well")
def command(runs: int, out: str | None) -> int:
    """Reproduce the classical texts: each claim beside our figure, with its command."""
    from cpqueens.lab.classical_texts import reproduce
    from cpqueens.lab.experiments import Reproduced
    from cpqueens.lab.experiments_page import page, text
    from cpqueens.report.outputfile import write_whole

    check_place(out, "--out")
    done: list[Reproduced] = []
    for found in reproduce(runs):
        done.append(found)
        say(text(found, width_of_output()))
        say()
    if out is not None:
        write_whole(out, page(done, runs))
        say(f"written    {out}")
    return 0
